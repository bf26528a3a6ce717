/* numbers.c: see numbers.h. */
#include "numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_rng.h>
#include <math.h>

void assert_near(double got, double expected, double tolerance)
{
    if (!(fabs(got - expected) <= tolerance)) {
        fail_msg("got %.17g, expected %.17g within %g", got, expected, tolerance);
    }
}

void fill_random(double *a, size_t count, unsigned long seed)
{
    gsl_rng *generator = gsl_rng_alloc(gsl_rng_mt19937);
    assert_non_null(generator);
    gsl_rng_set(generator, seed);
    for (size_t i = 0; i < count; i++) {
        a[i] = 2 * gsl_rng_uniform(generator) - 1;
    }
    gsl_rng_free(generator);
}
