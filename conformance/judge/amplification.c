/* amplification.c: K_t, how much this very case amplifies rounding (limits.h, row 8).
 *
 * The model runs again, several times, with noise of relative size L after every operation: M, Q orthogonalised, P,
 * P orthogonalised, new Q, out, E. K_t is the largest ||out - out without noise||_F / (L S). A port of machine epsilon
 * u then may be off by about u S K_t, for the same reason, if it is right.
 *
 * L is 1e-10, but 1e-13 where the port's type is f64: noise must be small against everything that u is small against.
 * (Measured: ones plus multiples of 2^-40, r = 8, f64. Under noise of 1e-10 all that r = 8 is there to see is lost, out
 * is off by no more than that and K_t seems to be 2; the reference was off by 100 u S.)
 *
 * K_t cannot be seen beyond 1 / L, where the noise makes out anything at all. A relative deviation above 1e-2 is
 * therefore no measure of K_t, and gives infinity: free-running results of such a case prove nothing in any type.
 * (Measured: the hook in f64 with epsilon = 1e-8 on a rank-1 matrix, r = 2, is off by 0.3 S where K_t seems to be 4e9.)
 *
 * An orthonormal factor of Householder QR has noise relative to its columns, not to its elements: with relative noise
 * alone, what is exactly zero stays so, and one non-zero row at r >= 3, where P's completion and with it the next Q are
 * nothing but rounding, looked like K_t = 2. (Measured: LAPACK leaves -2e-16 where GSL leaves 0, and the next outputs
 * have nothing in common.)
 *
 * M and E are means here, but each rank rounds its own: their noise is relative to the root mean square over the
 * ranks, so that noise and S are measured with the same rod even where ranks nearly cancel. The noise is seeded by the
 * problem string: the same case, the same K_t, on every machine. */
#include "judge/linalg.h"
#include "judge/model_internal.h"

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define SATURATED 1e-2

struct noise {
    gsl_rng *generator;
    double level;
};

static double level_for(psgd_dtype dtype)
{
    return dtype == PSGD_F64 ? 1e-13 : 1e-10;
}

static double noise_next(noise *z)
{
    return z->level * (2 * gsl_rng_uniform(z->generator) - 1);
}

void noise_apply(noise *z, double *x, size_t count)
{
    for (size_t i = 0; z != NULL && i < count; i++) {
        x[i] += x[i] * noise_next(z);
    }
}

void noise_apply_orthonormal(noise *z, double *a, size_t n, size_t r)
{
    for (size_t i = 0; z != NULL && i < n * r; i++) {
        a[i] += sqrt(a[i] * a[i] + 1 / (double)n) * noise_next(z);
    }
}

void noise_apply_mean(noise *z, double *x, const double *spread, size_t count)
{
    for (size_t i = 0; z != NULL && i < count; i++) {
        x[i] += sqrt(x[i] * x[i] + spread[i]) * noise_next(z);
    }
}

/* The FNV-1a hash of a text, 32 bits. */
static uint32_t hash_of(const char *text)
{
    uint32_t hash = 2166136261u;
    for (const char *c = text; c != NULL && *c != '\0'; c++) {
        hash = (uint32_t)((hash ^ (unsigned char)*c) * 16777619u);
    }
    return hash;
}

/* Raises each K_t to what this noisy pass shows; a NaN stays. */
static void compare(double *amplification, const model_case *mc, const model_pass *clean, const model_pass *noisy,
                    const double *scale, double level, double *difference)
{
    for (size_t t = 0; t < mc->steps; t++) {
        for (size_t b = 0; b < mc->bucket_count; b++) {
            const model_bucket *bucket = &mc->buckets[b];
            size_t at = t * mc->bucket_count + b;
            for (size_t i = 0; mc->compresses[at] && i < bucket->matrix_count; i++) {
                const model_matrix *matrix = &bucket->matrices[i];
                size_t entry = t * mc->tensor_count + bucket->first_tensor + i;
                size_t end = matrix->offset + matrix->n * matrix->m;
                size_t count = (end < bucket->numel ? end : bucket->numel) - matrix->offset;
                if (!matrix->compressed) {
                    continue;
                }
                for (size_t j = 0; j < count; j++) {
                    difference[j] = noisy->out[at][matrix->offset + j] - clean->out[at][matrix->offset + j];
                }
                double distance = norm_frobenius(difference, count);
                double k = distance == 0 ? 0 : distance / level / scale[entry];
                k = k * level > SATURATED ? INFINITY : k;
                if (isnan(k) || k > amplification[entry]) {
                    amplification[entry] = k;
                }
            }
        }
    }
}

bool model_amplification(double *amplification, const model_case *mc, const model_pass *clean, const double *scale,
                         int noise_runs)
{
    size_t entries = mc->steps * mc->bucket_count, longest = 0;
    for (size_t b = 0; b < mc->bucket_count; b++) {
        longest = mc->buckets[b].numel > longest ? mc->buckets[b].numel : longest;
    }
    noise z = {.generator = gsl_rng_alloc(gsl_rng_mt19937), .level = level_for(mc->source->dtype)};
    double *difference = model_doubles(longest, 1);
    bool ok = z.generator != NULL && difference != NULL;
    for (int run = 0; ok && run < noise_runs; run++) {
        gsl_rng_set(z.generator, hash_of(mc->source->problem_text) + (uint32_t)run);
        model_pass noisy = {.out = calloc(entries + 1, sizeof *noisy.out)};
        ok = noisy.out != NULL && model_pass_run(&noisy, mc, &z);
        if (ok) {
            compare(amplification, mc, clean, &noisy, scale, z.level, difference);
        }
        for (size_t i = 0; noisy.out != NULL && i < entries; i++) {
            free(noisy.out[i]);
        }
        free(noisy.out);
    }
    gsl_rng_free(z.generator);
    free(difference);
    return ok;
}
