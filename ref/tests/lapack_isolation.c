/* lapack_isolation.c: the QR of the plug-in, and of the shared library, is its own. It is loaded into a process that
 * has OpenBLAS loaded for all to see, and that defines dgeqrf_ and its kin itself so as to notice a call from outside;
 * nothing of the library's LAPACK may be visible either. Arguments: the library, the name of the function that it
 * exports, OpenBLAS. Next: lapack_linked.c. */
#include "support.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *module_path, *entry_name, *openblas_path;
static int calls_from_outside;

/* What the plug-in's calls would be bound to if it did not keep to itself (this program exports its symbols). */
void dgeqrf_(void);
void dorgqr_(void);
void dgeqr2_(void);
void dorg2r_(void);
void dlarfg_(void);
void dnrm2_(void);
void dgemv_(void);
void dger_(void);

void dgeqrf_(void)
{
    calls_from_outside++;
}

void dorgqr_(void)
{
    calls_from_outside++;
}

void dgeqr2_(void)
{
    calls_from_outside++;
}

void dorg2r_(void)
{
    calls_from_outside++;
}

void dlarfg_(void)
{
    calls_from_outside++;
}

void dnrm2_(void)
{
    calls_from_outside++;
}

void dgemv_(void)
{
    calls_from_outside++;
}

void dger_(void)
{
    calls_from_outside++;
}

const psgd_implementation *psgd_ref(void)
{
    calls_from_outside++;
    return NULL;
}

typedef const psgd_implementation *entry_function(void);
typedef void qr_function(const int *n, const int *r, double *a, const int *lda, double *tau, double *work,
                         const int *lwork, int *info);

/* dlsym gives a data pointer; C11 has no cast from it to a function's. */
static void find(void *handle, const char *name, void *function)
{
    void *symbol = dlsym(handle, name);
    memcpy(function, &symbol, sizeof symbol);
}

/* P of one compressed step at r = 4: out of the plug-in's QR. */
static void step(const psgd_implementation *port, double *p /* [12 x 4] */)
{
    lone_rank lone;
    psgd_comm comm = lone_rank_comm(&lone);
    psgd_config config = make_config(4, 0);
    config.use_error_feedback = config.warm_start = false;
    config.start_iter = 0;
    psgd_state *state = NULL;
    double data[12 * 9];
    test_bucket b;
    fill_f64(data, 12 * 9, 3);
    make_bucket(&b, PSGD_F64, data, 1, (const size_t[][2]){{12, 9}});
    assert_int_equal(port->create(&config, &comm, &state, NULL, 0), PSGD_OK);
    assert_int_equal(port->step(state, &b.bucket), PSGD_OK);
    assert_int_equal(port->peek(state, PSGD_PART_P, 0, 0, p, 12 * 4 * 8), PSGD_OK);
    port->destroy(state);
}

static void openblas_and_the_library_keep_to_themselves(void **unused)
{
    (void)unused;
    entry_function *entry = NULL;
    qr_function *openblas_qr = NULL;
    double alone[48], beside[48], a[12] = {3, 4, 0, 0, 1, 1, 2, 5, 2, 0, 1, 7}, before[12], tau[3], work[3];
    const int n = 4, r = 3;
    int info = -1;

    void *module = dlopen(module_path, RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        fail_msg("%s", dlerror());
    }
    find(module, entry_name, &entry);
    assert_non_null(entry);
    step(entry(), alone);
    for (size_t j = 0; j < 4; j++) {
        double norm = 0;
        for (size_t i = 0; i < 12; i++) {
            norm += alone[4 * i + j] * alone[4 * i + j];
        }
        assert_true(fabs(norm - 1) < 1e-14); /* it really went through a QR */
    }

    void *openblas = dlopen(openblas_path, RTLD_NOW | RTLD_GLOBAL);
    if (!openblas) {
        fail_msg("%s", dlerror());
    }
    step(entry(), beside);
    assert_memory_equal(alone, beside, sizeof alone);
    assert_int_equal(dlclose(module), 0);
    module = dlopen(module_path, RTLD_NOW | RTLD_LOCAL); /* and loaded after it */
    assert_non_null(module);
    entry = NULL;
    find(module, entry_name, &entry);
    assert_non_null(entry);
    step(entry(), beside);
    assert_memory_equal(alone, beside, sizeof alone);
    assert_int_equal(calls_from_outside, 0);

    /* OpenBLAS's own QR is still there. (Its inner calls may well come here: that is its way of linking.) */
    find(openblas, "dgeqrf_", &openblas_qr);
    assert_non_null(openblas_qr);
    memcpy(before, a, sizeof a);
    openblas_qr(&n, &r, a, &n, tau, work, &r, &info);
    assert_int_equal(info, 0);
    assert_memory_not_equal(a, before, sizeof a);
    dlclose(module);
}

static void nothing_but_the_entry_can_be_found(void **unused)
{
    (void)unused;
    static const char *const hidden[] = {"dgeqrf_",    "dorgqr_",   "dgeqr2_",  "dlarfg_",
                                         "dgemm_",     "dnrm2_",    "xerbla_",  "ilaenv_",
                                         "psgd_step",  "psgd_fail", "psgd_ref", "openblas_get_config",
                                         "cblas_dgemm"};
    void *module = dlopen(module_path, RTLD_NOW | RTLD_LOCAL);
    assert_non_null(module);
    for (size_t i = 0; i < sizeof hidden / sizeof hidden[0]; i++) {
        if (strcmp(hidden[i], entry_name) != 0) {
            void *symbol = dlsym(module, hidden[i]);
            assert_null(symbol);
        }
    }
    dlclose(module);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        fprintf(stderr, "usage: %s LIBRARY ENTRY OPENBLAS\n", argv[0]);
        return 2;
    }
    module_path = argv[1];
    entry_name = argv[2];
    openblas_path = argv[3];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_but_the_entry_can_be_found),
        cmocka_unit_test(openblas_and_the_library_keep_to_themselves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
