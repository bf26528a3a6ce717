/* mt19937.c: the Mersenne Twister of M. Matsumoto and T. Nishimura, "Mersenne Twister: A 623-dimensionally
 * equidistributed uniform pseudo-random number generator", ACM TOMACS 8(1), 1998; 32 bits, the parameters of its
 * table II. Seeding is the authors' later one (2002), by Knuth's multiplier (The Art of Computer Programming, volume 2,
 * 3rd edition, section 3.3.4). Not GSL's generator: that takes 4357 for seed 0, and 0 is PowerSGD's default seed.
 */
#include "core/random.h"

enum {
    length = 624,     /* n: words of state */
    middle = 397,     /* m: distance of the word that is mixed in */
    seed_shift = 30,  /* w - 2 */
    tempering_u = 11, /* the four shifts of tempering */
    tempering_s = 7,
    tempering_t = 15,
    tempering_l = 18
};
static const uint32_t knuth_multiplier = 1812433253u;
static const uint32_t twist_matrix = 0x9908b0dfu; /* a */
static const uint32_t upper_bit = 0x80000000u, lower_bits = 0x7fffffffu;
static const uint32_t tempering_b = 0x9d2c5680u, tempering_c = 0xefc60000u;

void psgd_mt19937_seed(psgd_mt19937 *generator, uint32_t seed)
{
    uint32_t *word = generator->word;
    word[0] = seed;
    for (uint32_t i = 1; i < length; i++) {
        word[i] = knuth_multiplier * (word[i - 1] ^ word[i - 1] >> seed_shift) + i;
    }
    generator->next = length;
}

/* The recurrence of the paper, for all words in place. */
static void twist(uint32_t word[length])
{
    for (uint32_t i = 0; i < length; i++) {
        const uint32_t joined = (word[i] & upper_bit) | (word[(i + 1) % length] & lower_bits);
        word[i] = word[(i + middle) % length] ^ joined >> 1 ^ ((joined & 1) != 0 ? twist_matrix : 0);
    }
}

uint32_t psgd_mt19937_next(psgd_mt19937 *generator)
{
    if (generator->next >= length) {
        twist(generator->word);
        generator->next = 0;
    }
    uint32_t y = generator->word[generator->next++];
    y ^= y >> tempering_u;
    y ^= y << tempering_s & tempering_b;
    y ^= y << tempering_t & tempering_c;
    y ^= y >> tempering_l;
    return y;
}
