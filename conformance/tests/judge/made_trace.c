/* made_trace.c: a small PowerSGD of the tests' own (contract: made_trace.h). Clear, not fast; memory failures fail the
 * test. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_trace.h"

#include "judge/linalg.h"
#include "judge/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void made_case(test_case *c, const char *problem_text, const char *requirements)
{
    problem p;
    problem_error error;
    char message[256];
    if (!problem_parse(&p, problem_text, &error)) {
        fail_msg("%s: %s at %zu", problem_text, error.message, error.position);
    }
    if (!case_build(c, &p, "made", requirements, 0, NULL, message, sizeof message)) {
        fail_msg("%s: %s", problem_text, message);
    }
    problem_free(&p);
}

typedef struct run {
    const test_case *c;
    const made_options *o;
    trace *t;
    double **memory; /* [bucket * world + k][numel] */
    double **q;      /* [tensor][m r]: kept */
    bool *has_q;
    uint64_t before, after;
} run;

static double store(const test_case *c, double x)
{
    return c->dtype == PSGD_F32 ? (double)(float)x : x;
}

static double *doubles(size_t count)
{
    double *a = calloc(count + 1, sizeof *a);
    assert_non_null(a);
    return a;
}

/* A fixed stream of numbers in +-1: xorshift. */
static double other_number(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

typedef struct tensor_shape {
    size_t n, m, r, offset, bucket, tensor, index;
    bool compressed;
} tensor_shape;

static tensor_shape shape_of(const run *u, size_t bucket, size_t tensor, size_t offset, size_t index)
{
    const psgd_shape *s = &u->c->buckets[bucket].shapes[tensor];
    tensor_shape x = {.n = 1, .m = 1, .offset = offset, .bucket = bucket, .tensor = tensor, .index = index};
    for (size_t d = 0; d < s->ndim; d++) {
        *(d == 0 ? &x.n : &x.m) *= s->dims[d];
    }
    size_t least = x.n < x.m ? x.n : x.m, rank = (size_t)u->c->config.matrix_approximation_rank;
    x.r = rank < least ? rank : least;
    double after = (double)((x.n + x.m) * x.r) * u->c->config.min_compression_rate, whole = (double)(x.n * x.m);
    x.compressed = u->o->fault == FAULT_TIES ? after <= whole : after < whole;
    if (u->o->fault == FAULT_RANK && x.r < least) {
        x.r++;
    }
    if (u->o->fault == FAULT_RANK_LOW && x.r > 1) {
        x.r--;
    }
    return x;
}

static bool remembers(const run *u)
{
    return u->c->config.use_error_feedback || u->o->fault == FAULT_MEMORY_WITHOUT_SWITCH;
}

/* The Q that this step starts from; *orthonormal: by the model's own rule it is orthogonalised. */
static void choose_q(run *u, double *q, const tensor_shape *x, int64_t step)
{
    const psgd_config *config = &u->c->config;
    made_fault fault = u->o->fault;
    bool fresh = !u->has_q[x->index] || !config->warm_start;
    int64_t drawn = fault == FAULT_Q_SAME || config->warm_start ? config->start_iter : step;
    const values *q0 = case_q0(u->c, drawn, x->bucket, x->tensor);
    uint64_t state = 77 + (uint64_t)step * 1000 + x->index;
    for (size_t i = 0; i < x->m * x->r; i++) {
        double other = other_number(&state);
        bool use_other = fault == FAULT_Q_SEED || fault == FAULT_Q_REDRAWN || q0->count != x->m * x->r;
        q[i] = fresh ? (use_other && (fault != FAULT_Q_REDRAWN || step > config->start_iter) ? other
                        : q0->count == x->m * x->r                                           ? values_get(q0, i)
                                                                                             : other)
               : fault == FAULT_Q_REDRAWN ? other
                                          : u->q[x->index][i];
    }
}

/* max(norm, epsilon) for rank 1 instead of norm + epsilon: undone and redone. */
static void bend_epsilon(model_output *step, const tensor_shape *x, double epsilon, int world, const double *mbar,
                         const double *q)
{
    double *p = doubles(x->n);
    double norm_q = norm_frobenius(q, x->m);
    double *unit_q = doubles(x->m);
    for (size_t i = 0; i < x->m; i++) {
        unit_q[i] = q[i] / fmax(norm_q, epsilon);
    }
    matmul(p, mbar, unit_q, x->n, x->m, 1);
    double norm = world * norm_frobenius(p, x->n);
    for (size_t i = 0; i < x->n; i++) {
        step->p[i] = world * p[i] / fmax(norm, epsilon);
    }
    matmul_tn(step->q, mbar, step->p, x->n, x->m, 1);
    matmul_nt(step->out, step->p, step->q, x->n, x->m, 1);
    free(p);
    free(unit_q);
}

/* out[n m] of one compressed tensor; mean and local[k] are M. */
static void compress(run *u, double *out, const tensor_shape *x, int64_t step, const double *mean)
{
    const test_case *c = u->c;
    made_fault fault = u->o->fault;
    size_t count = x->n * x->m;
    double *q = doubles(x->m * x->r);
    choose_q(u, q, x, step);
    model_input input = {.n = x->n,
                         .m = x->m,
                         .r = x->r,
                         .mbar = mean,
                         .q = q,
                         .dtype = c->dtype,
                         .epsilon = c->config.orthogonalization_epsilon,
                         .world = c->world};
    model_output s;
    assert_true(model_step(&s, &input));
    if (fault == FAULT_EPSILON_MAX && x->r == 1) {
        bend_epsilon(&s, x, c->config.orthogonalization_epsilon, c->world, mean, q);
    }
    uint64_t state = 5;
    double sign = fault == FAULT_SIGNS ? -1 : 1;
    for (size_t i = 0; i < count; i++) {
        double value = s.out[i];
        value = fault == FAULT_SCALE ? value / c->world : fault == FAULT_ZERO ? 0 : value;
        out[i] = value;
    }
    if (fault == FAULT_BASIS) { /* out = P' P'^T M with P' not orthonormal: P moved by a part of another column */
        for (size_t i = 0; i < x->n; i++) {
            s.p[i * x->r] += 0.1 * other_number(&state);
        }
        matmul_nt(out, s.p, s.q, x->n, x->m, x->r);
    }
    double *kept = u->q[x->index] = realloc(u->q[x->index], (x->m * x->r + 1) * sizeof *kept);
    assert_non_null(kept);
    bool shown = !u->o->hide_state;
    values *p_shown = trace_p(u->t, step, x->bucket, x->tensor), *q_shown = trace_q(u->t, step, x->bucket, x->tensor);
    if (shown) {
        assert_true(values_allocate(p_shown, c->dtype, x->n * x->r));
        assert_true(values_allocate(q_shown, c->dtype, x->m * x->r));
    }
    for (size_t i = 0; shown && i < x->n * x->r; i++) {
        values_set(p_shown, i, sign * s.p[i]);
    }
    for (size_t i = 0; i < x->m * x->r; i++) {
        kept[i] = store(c, sign * s.q[i]) * (fault == FAULT_Q_SUMMED ? c->world : 1);
        if (shown) {
            values_set(q_shown, i, kept[i]);
        }
    }
    u->has_q[x->index] = c->config.warm_start;
    model_output_free(&s);
    free(q);
}

/* What a rank takes as its own error after the step. */
static double own_error(const run *u, const tensor_shape *x, double g, double m, double out, double local)
{
    const test_case *c = u->c;
    switch (u->o->fault) {
    case FAULT_ERROR_RAW: return store(c, g - out);
    case FAULT_ERROR_LOCAL: return store(c, x->compressed ? m - local : m - out);
    case FAULT_ERROR_NARROW: return (double)(float)(m - out);
    case FAULT_ERROR_UNCOMPRESSED: return x->compressed ? store(c, m - out) : 0;
    default: return store(c, m - out);
    }
}

/* The local approximation P P^T M_k, P orthonormal columns of out: what FAULT_ERROR_LOCAL takes. */
static void approximate(double *local, const double *m_k, const double *out, const tensor_shape *x)
{
    double *basis = doubles(x->n * x->r), *inner = doubles(x->r * x->m), condition;
    assert_true(leading_columns(basis, &condition, out, x->n, x->m, x->r));
    matmul_tn(inner, basis, m_k, x->n, x->r, x->m);
    matmul(local, basis, inner, x->n, x->r, x->m);
    free(basis);
    free(inner);
}

static void step_tensor(run *u, const tensor_shape *x, int64_t step)
{
    const test_case *c = u->c;
    made_fault fault = u->o->fault;
    size_t count = x->n * x->m;
    int world = c->world;
    int64_t start = c->config.start_iter + (fault == FAULT_START_LATE ? 1 : fault == FAULT_START_EARLY ? -1 : 0);
    bool compressed_step = step >= start;
    double *mean = doubles(count), *out = doubles(count), *m = doubles(count * (size_t)world);
    for (size_t i = 0; i < count; i++) {
        for (int k = 0; k < world; k++) {
            double g = values_get(case_in(c, step, x->bucket, k), x->offset + i);
            g = fault == FAULT_HIDES_NAN && !isfinite(g) ? 0 : g;
            double e = compressed_step ? u->memory[x->bucket * (size_t)world + (size_t)k][x->offset + i] : 0;
            m[(size_t)k * count + i] = store(c, g + (fault == FAULT_ERROR_DECAYS ? 0.5 * e : e));
            mean[i] += m[(size_t)k * count + i];
        }
        mean[i] /= world;
        out[i] = mean[i] *
                 ((fault == FAULT_NOT_MEAN && compressed_step) || (fault == FAULT_PLAIN_SUM && !compressed_step) ? world
                                                                                                                 : 1);
    }
    if (compressed_step && x->compressed) {
        compress(u, out, x, step, mean);
    }
    for (size_t i = 0; i < count; i++) {
        out[i] = fault == FAULT_NAN ? (double)NAN : store(c, out[i]);
        for (int k = 0; k < world; k++) {
            values_set(trace_out(u->t, step, x->bucket, k), x->offset + i, out[i]);
        }
    }
    for (int k = 0; k < world; k++) {
        double *memory = u->memory[x->bucket * (size_t)world + (size_t)k] + x->offset, *local = doubles(count);
        if (compressed_step && x->compressed && fault == FAULT_ERROR_LOCAL) {
            approximate(local, m + (size_t)k * count, out, x);
        }
        for (size_t i = 0; i < count; i++) {
            double g = values_get(case_in(c, step, x->bucket, k), x->offset + i);
            if (compressed_step && remembers(u)) {
                memory[i] = own_error(u, x, g, m[(size_t)k * count + i], out[i], local[i]);
            } else if (!compressed_step && fault == FAULT_ERROR_PLAIN) {
                memory[i] = store(c, g - out[i]);
            } else if (!compressed_step && fault == FAULT_ERROR_PLAIN_SUM) {
                memory[i] = store(c, memory[i] + g);
            }
            if (compressed_step && !u->o->hide_state && c->config.use_error_feedback) {
                values_set(trace_error(u->t, step, x->bucket, k), x->offset + i, memory[i]);
            }
        }
        free(local);
    }
    if (compressed_step) {
        u->before += count;
        u->after += x->compressed ? (x->n + x->m) * x->r : count;
    }
    free(mean);
    free(out);
    free(m);
}

static void step_bucket(run *u, int64_t step, size_t bucket, size_t first)
{
    const test_case *c = u->c;
    bool shows = step >= c->config.start_iter && !u->o->hide_state && c->config.use_error_feedback;
    for (int k = 0; k < c->world; k++) {
        assert_true(values_allocate(trace_out(u->t, step, bucket, k), c->dtype, c->numel[bucket]));
        if (shows || (u->o->fault == FAULT_START_EARLY && !u->o->hide_state)) {
            values *error = trace_error(u->t, step, bucket, k);
            assert_true(values_allocate(error, c->dtype, c->numel[bucket]));
            memset(error->data, 0, error->count * psgd_dtype_size(c->dtype));
        }
    }
    size_t offset = 0, last_offset = 0;
    for (size_t i = 0; i < c->buckets[bucket].tensor_count; i++) {
        tensor_shape x = shape_of(u, bucket, i, offset, first + i);
        last_offset = offset;
        step_tensor(u, &x, step);
        offset += x.n * x.m;
    }
    size_t last = u->o->fault == FAULT_PLACES && step >= c->config.start_iter ? last_offset : 0;
    for (int k = 0; last > 0 && k < c->world; k++) {
        values *out = trace_out(u->t, step, bucket, k);
        for (size_t i = 0; last + i < c->numel[bucket]; i++) {
            double kept = values_get(out, i);
            values_set(out, i, values_get(out, last + i));
            values_set(out, last + i, kept);
        }
    }
}

trace *made_trace(const test_case *c, const made_options *options)
{
    run u = {.c = c, .o = options};
    size_t tensors = 0, world = (size_t)c->world;
    for (size_t b = 0; b < c->bucket_count; b++) {
        tensors += c->buckets[b].tensor_count;
    }
    u.t = trace_create(c->steps, c->bucket_count, c->tensor_counts, c->world);
    u.memory = calloc(c->bucket_count * world + 1, sizeof *u.memory);
    u.q = calloc(tensors + 1, sizeof *u.q);
    u.has_q = calloc(tensors + 1, sizeof *u.has_q);
    assert_true(u.t != NULL && u.memory != NULL && u.q != NULL && u.has_q != NULL);
    for (size_t i = 0; i < c->bucket_count * world; i++) {
        u.memory[i] = doubles(c->numel[i / world]);
    }
    u.t->q_given = options->q_given;
    for (int64_t step = 0; step < c->steps; step++) {
        size_t first = 0;
        for (size_t b = 0; b < c->bucket_count; b++) {
            step_bucket(&u, step, b, first);
            first += c->buckets[b].tensor_count;
        }
        trace_statistics *counted = &u.t->statistics[step];
        counted->shown = !options->hide_state;
        uint64_t after = u.after + (options->fault == FAULT_STATISTICS && u.after > 0 ? 1 : 0);
        counted->value = (psgd_statistics){.numel_before_compression = u.before,
                                           .numel_after_compression = after,
                                           .compression_rate = after == 0 ? 0 : (double)u.before / (double)after};
    }
    if (options->fault == FAULT_RANK_DIFFERS) {
        values *last = trace_out(u.t, c->config.start_iter, 0, c->world - 1);
        values_set(last, 1, nextafterf((float)values_get(last, 1), 10));
    }
    for (int k = 0; k < c->world; k++) {
        u.t->ranks[k].outcome = RANK_OK;
        u.t->ranks[k].steps_done = c->steps;
    }
    for (size_t i = 0; i < c->bucket_count * world; i++) {
        free(u.memory[i]);
    }
    for (size_t i = 0; i < tensors; i++) {
        free(u.q[i]);
    }
    free(u.memory);
    free(u.q);
    free(u.has_q);
    return u.t;
}
