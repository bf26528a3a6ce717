/* random.h: the seeded random Q of PyTorch's hook, to the bit.
 *
 * Two generators, both MT19937 (Matsumoto and Nishimura 1998): NumPy's legacy RandomState draws one seed per bucket
 * that is (re)initialised; torch.manual_seed(seed) followed by torch.randn on the CPU fills that bucket's Qs, tensor by
 * tensor. random.c is compiled with -ffp-contract=off; where a fused multiply-add is meant, fma is written.
 */
#ifndef PSGD_CORE_RANDOM_H
#define PSGD_CORE_RANDOM_H

#include "psgd/psgd.h"

/* The state of one MT19937 generator; plain data, so that a checkpoint can hold it. */
typedef struct psgd_mt19937 {
    uint32_t word[624];
    uint32_t next; /* index of the next word to hand out; 624: the block is used up */
} psgd_mt19937;

/* Knuth's initialisation, seed by seed as NumPy and PyTorch do it (0 stays 0). */
void psgd_mt19937_seed(psgd_mt19937 *generator, uint32_t seed);
uint32_t psgd_mt19937_next(psgd_mt19937 *generator); /* one tempered 32-bit word */

/* NumPy's RandomState(...).randint(1_000_000_000): the seed of the next randomisation, 0 .. 999999999. */
uint32_t psgd_random_next_seed(psgd_mt19937 *generator);

/* torch's CPU generator. */
typedef struct psgd_torch_generator {
    psgd_mt19937 words;
    bool has_cached_normal; /* the partner of the last single draw */
    double cached_normal;
} psgd_torch_generator;

void psgd_torch_manual_seed(psgd_torch_generator *generator, uint64_t seed);

/* values[count] = torch.randn(count, dtype): standard normals of type dtype. PSGD_ERR_UNSUPPORTED for the half types,
 * whose rule PyTorch has changed; PSGD_ERR_ARGUMENT for a null pointer or another type. */
psgd_status psgd_torch_randn(psgd_torch_generator *generator, void *values, size_t count, psgd_dtype dtype);

#endif
