/* lapack_linked.c: a program that is linked to OpenBLAS and to libpsgd_ref gets OpenBLAS's QR when it calls LAPACK, and
 * the reference runs its own. Linked twice, in either order. What the reference's own QR gives, to the bit, says the
 * plug-in, which is loaded apart (lapack_isolation.c shows that it is alone). Arguments: the plug-in, OpenBLAS. */
#include "support.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 400, M = 40, R = 8 }; /* large enough for kernels that sum in another order */

/* OpenBLAS's, as the linker finds them: a lwork of R is enough for both. */
void dgeqrf_(const int *m, const int *n, double *a, const int *lda, double *tau, double *work, const int *lwork,
             int *info);
void dorgqr_(const int *m, const int *n, const int *k, double *a, const int *lda, const double *tau, double *work,
             const int *lwork, int *info);
const char *openblas_get_config(void);

static const char *module_path, *openblas_path;

typedef const psgd_implementation *entry_function(void);

/* The first R unit vectors, which are orthonormal already: M Q is the first R columns of M. */
static psgd_status draw_unit_vectors(void *context, uint64_t step, size_t bucket, size_t tensor, psgd_dtype dtype,
                                     size_t m, size_t r, void *q)
{
    (void)context;
    (void)step;
    (void)bucket;
    (void)tensor;
    (void)dtype;
    double *values = q;
    for (size_t i = 0; i < m * r; i++) {
        values[i] = i / r == i % r;
    }
    return PSGD_OK;
}

/* P of one compressed step on the matrix of fill_f64(.., 3). */
static void step(const psgd_implementation *port, double *p /* [N x R] */)
{
    static const psgd_q_source unit_vectors = {NULL, draw_unit_vectors};
    static double data[N * M];
    lone_rank lone;
    psgd_comm comm = lone_rank_comm(&lone);
    psgd_config config = make_config(R, 0);
    config.use_error_feedback = config.warm_start = false;
    config.start_iter = 0;
    config.q_source = &unit_vectors;
    psgd_state *state = NULL;
    test_bucket b;
    fill_f64(data, N * M, 3);
    make_bucket(&b, PSGD_F64, data, 1, (const size_t[][2]){{N, M}});
    assert_int_equal(port->create(&config, &comm, &state, NULL, 0), PSGD_OK);
    assert_int_equal(port->step(state, &b.bucket), PSGD_OK);
    assert_int_equal(port->peek(state, PSGD_PART_P, 0, 0, p, N * R * sizeof *p), PSGD_OK);
    port->destroy(state);
}

/* The same P by the QR that this program is linked to. */
static void linked_qr(double *p /* [N x R] */)
{
    static double data[N * M], columns[N * R];
    double tau[R], work[R];
    const int n = N, r = R;
    int info = -1;
    fill_f64(data, N * M, 3);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < R; j++) {
            columns[j * N + i] = data[i * M + j];
        }
    }
    dgeqrf_(&n, &r, columns, &n, tau, work, &r, &info);
    assert_int_equal(info, 0);
    dorgqr_(&n, &r, &r, columns, &n, tau, work, &r, &info);
    assert_int_equal(info, 0);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < R; j++) {
            p[i * R + j] = columns[j * N + i];
        }
    }
}

static void each_runs_its_own_lapack(void **unused)
{
    (void)unused;
    static double own[N * R], linked[N * R], openblas[N * R];
    void *module = dlopen(module_path, RTLD_NOW | RTLD_LOCAL);
    if (!module) {
        fail_msg("%s", dlerror());
    }
    entry_function *entry = NULL;
    void *symbol = dlsym(module, "psgd_implementation_entry");
    assert_non_null(symbol);
    memcpy(&entry, &symbol, sizeof symbol);
    step(entry(), own);
    step(psgd_ref(), linked);
    linked_qr(openblas);
    print_message("%s\n", openblas_get_config());

    assert_close(openblas, own, N * R, 1e-12); /* the same P, in other bits, or nothing would be told apart below */
    assert_memory_not_equal(openblas, own, sizeof own);
    assert_memory_equal(linked, own, sizeof own);
    dlclose(module);
}

static void the_program_calls_openblas(void **unused)
{
    (void)unused;
    static const char *const names[] = {"dgeqrf_", "dorgqr_", "dgemm_", "dnrm2_", "xerbla_"};
    void *program = dlopen(NULL, RTLD_NOW), *openblas = dlopen(openblas_path, RTLD_NOW);
    assert_non_null(program);
    assert_non_null(openblas);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        void *called = dlsym(program, names[i]), *expected = dlsym(openblas, names[i]);
        assert_non_null(called);
        assert_ptr_equal(called, expected);
    }
    dlclose(openblas);
    dlclose(program);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s PLUG-IN OPENBLAS\n", argv[0]);
        return 2;
    }
    module_path = argv[1];
    openblas_path = argv[2];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_program_calls_openblas),
        cmocka_unit_test(each_runs_its_own_lapack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
