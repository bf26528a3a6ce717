/* data_random.h: the random numbers that inputs are made of. The same on every machine: integer arithmetic and + - * of
 * doubles only, nothing from libm. (The seeded Q of PyTorch's hook is another matter: core/random.h.)
 *
 * A stream is xoshiro256** (Blackman, Vigna 2018), its state filled by splitmix64 (Steele, Lea, Flood 2014) from a key,
 * so any value can be made without making those before it.
 */
#ifndef CONFORMANCE_HARNESS_DATA_RANDOM_H
#define CONFORMANCE_HARNESS_DATA_RANDOM_H

#include <stddef.h>
#include <stdint.h>

typedef struct data_stream {
    uint64_t word[4];
} data_stream;

/* The stream of key[count]: streams of different keys are independent. */
data_stream data_stream_open(const uint64_t *key, size_t count);

uint64_t data_stream_next(data_stream *s);
/* Mean 0, variance 1, near normal: a sum of twelve uniforms (Irwin-Hall), so never beyond +-6. */
double data_stream_normal(data_stream *s);
/* Uniform in -bound .. bound; bound below 2^31. */
int64_t data_stream_integer(data_stream *s, int64_t bound);

#endif
