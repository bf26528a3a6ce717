/* scenario_normal_q.c: is a Q that the port draws itself made of standard normals (PSGD-RND-004)? Draws are not shown,
 * but with r = 1 and the identity for a gradient the result is p p^T, p the draw divided by its norm. Of independent
 * normals, p is uniform on the unit sphere: each component's square is Beta(1/2, (n - 1)/2). Its sign is known relative
 * to the first component's. All but the first are held against that distribution by Kolmogorov and Smirnov's test.
 *
 * The components of one p are not quite independent, their squares sum to 1; that makes the statistic smaller, so it
 * accuses nobody.
 */
#include "harness/scenarios_all.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>

#define SIDE    64
#define COUNT   ((size_t)SIDE * SIDE)
#define DRAWS   64
#define SAMPLES ((size_t)DRAWS * (SIDE - 1))
#define LEAST   1e-6 /* SPEC.md, the limits: a p-value. The seed is fixed, so a port passes always or never */

static double identity(const session *e, int64_t step, int rank, size_t i)
{
    (void)e, (void)step, (void)rank;
    return i / SIDE == i % SIDE ? 1 : 0;
}

/* out[SIDE SIDE] = p p^T; samples[SIDE - 1]: p's components but the first, in units of the first one's sign. */
static void add_samples(double *samples, const double *out)
{
    for (size_t i = 1; i < SIDE; i++)
        samples[i - 1] = copysign(sqrt(fabs(out[i * SIDE + i])), out[i]);
}

/* Of a component of a uniform direction in SIDE dimensions. */
static double distribution(double x)
{
    return 0.5 + copysign(0.5 * gsl_cdf_beta_P(fmin(1, x * x), 0.5, (SIDE - 1) / 2.0), x);
}

/* Kolmogorov's limiting distribution: P(sqrt(n) D > z). */
static double kolmogorov_tail(double z)
{
    double sum = 0;
    for (int k = 1; k <= 100; k++)
        sum += (k % 2 == 1 ? 2 : -2) * exp(-2.0 * k * k * z * z);
    return z < 0.2 ? 1 : fmin(1, fmax(0, sum)); /* below 0.2 the series converges slowly, to 1 - 1e-12 */
}

/* NaN where a sample is: no p-value passes for it. */
static double p_value(double *samples, size_t count)
{
    double furthest = 0;
    for (size_t i = 0; i < count; i++)
        if (isnan(samples[i]))
            return (double)NAN;
    gsl_sort(samples, 1, count);
    for (size_t i = 0; i < count; i++) {
        const double f = distribution(samples[i]), n = (double)count;
        furthest = fmax(furthest, fmax(f - (double)i / n, ((double)i + 1) / n - f));
    }
    return kolmogorov_tail(sqrt((double)count) * furthest);
}

bool scenario_normal_q(const subject *s)
{
    static const size_t dims[] = {SIDE, SIDE};
    static const psgd_shape shape = {2, dims};
    static const psgd_bucket bucket = {.index = 0, .tensor_count = 1, .shapes = &shape};
    static const session_layout layout = {1, &bucket};
    if (scenario_claims(s, PSGD_CLAIM_ALTERNATING))
        return scenario_skip(s, "the alternating variant starts from a side of the step before");
    psgd_config config = session_config(s);
    config.matrix_approximation_rank = 1;
    config.start_iter = 0;
    config.use_error_feedback = config.warm_start = false;
    session e = session_make(s, &config, 1);
    e.layout = &layout;
    e.own_q = true;
    e.gradient = identity;
    session_record record = {0};
    double samples[SAMPLES];
    size_t filled = 0;
    scenario_doing(s, "%d compressed steps on the identity with the port's own Q, r 1, both memories off", DRAWS);
    bool ok = session_open(&e) && session_steps(&e, DRAWS, &record);
    for (size_t i = 0; ok && i < record.segment_count && filled < SAMPLES; i++)
        if (record.segments[i].what[0] == 'o') { /* "output" */
            add_samples(samples + filled, record.values + record.segments[i].first);
            filled += SIDE - 1;
        }
    const double p = p_value(samples, filled);
    if (ok && !(p > LEAST))
        ok = scenario_fail(s,
                           "%zu components of %d directions that the port drew are not those of standard normals: "
                           "p-value %.1e (Kolmogorov and Smirnov), limit %.0e",
                           filled, DRAWS, p, LEAST);
    session_close(&e);
    session_record_free(&record);
    return ok;
}
