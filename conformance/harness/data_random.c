/* data_random.c: see data_random.h. */
#include "harness/data_random.h"

/* One step of splitmix64: moves *state on and returns its mixed value. */
static uint64_t splitmix64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15); /* the golden ratio, odd */
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

data_stream data_stream_open(const uint64_t *key, size_t count)
{
    uint64_t state = count;
    for (size_t i = 0; i < count; i++) {
        state ^= key[i];
        state = splitmix64(&state);
    }
    data_stream s;
    for (size_t i = 0; i < 4; i++)
        s.word[i] = splitmix64(&state);
    return s;
}

static uint64_t rotate_left(uint64_t x, int by)
{
    return x << by | x >> (64 - by);
}

uint64_t data_stream_next(data_stream *s)
{
    uint64_t *w = s->word;
    const uint64_t result = rotate_left(w[1] * 5, 7) * 9;
    const uint64_t shifted = w[1] << 17;
    w[2] ^= w[0];
    w[3] ^= w[1];
    w[1] ^= w[2];
    w[0] ^= w[3];
    w[2] ^= shifted;
    w[3] = rotate_left(w[3], 45);
    return result;
}

/* Twelve uniforms of 16 bits each are summed as integers, which is exact; a 53-bit fraction below their last place
 * fills the mantissa. */
double data_stream_normal(data_stream *s)
{
    uint64_t sum = 0;
    for (int i = 0; i < 3; i++) {
        const uint64_t word = data_stream_next(s);
        sum += (word & 0xFFFF) + (word >> 16 & 0xFFFF) + (word >> 32 & 0xFFFF) + (word >> 48);
    }
    const double fraction = (double)(data_stream_next(s) >> 11) * 0x1p-53;
    return ((double)((int64_t)sum - 6 * 65536) + (12 * fraction)) * 0x1p-16;
}

/* The remainder's bias, below 2^-32, is of no matter here. */
int64_t data_stream_integer(data_stream *s, int64_t bound)
{
    const uint64_t range = 2 * (uint64_t)bound + 1;
    return (int64_t)(data_stream_next(s) % range) - bound;
}
