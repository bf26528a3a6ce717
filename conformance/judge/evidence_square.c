/* evidence_square.c: which matrices a case has, and what P and Q say of a square's padding (contract:
 * evidence_internal.h). */
#include "judge/evidence_internal.h"

#include "judge/linalg.h"

#include <math.h>
#include <stdlib.h>

double *evidence_doubles(size_t count)
{
    return count > SIZE_MAX / sizeof(double) ? NULL : calloc(count == 0 ? 1 : count, sizeof(double));
}

/* Shapes and the selection, by the formula itself and not by the code under test. */
static void list_tensor(evidence *e, evidence_tensor *x, const psgd_shape *shape)
{
    const test_case *c = e->c;
    for (size_t d = 0; d < shape->ndim; d++) {
        *(d == 0 ? &x->n : &x->m) *= shape->dims[d];
    }
    size_t r = x->n < x->m ? x->n : x->m;
    x->length = x->n * x->m;
    x->r = c->config.matrix_approximation_rank < (int64_t)r ? (size_t)c->config.matrix_approximation_rank : r;
    double before = (double)x->n * (double)x->m;
    double after = ((double)x->n + (double)x->m) * (double)x->r;
    x->compressed = after * c->config.min_compression_rate < before;
}

/* The whole bucket as one square. A rank above its side must be refused; nothing of it is judged then. */
static void list_square(evidence *e, evidence_tensor *x)
{
    size_t side = case_square_side(e->c->numel[x->bucket]);
    x->n = x->m = side;
    x->length = e->c->numel[x->bucket];
    x->r = (size_t)e->c->config.matrix_approximation_rank;
    x->compressed = side > 0 && x->r <= side;
}

bool evidence_list_tensors(evidence *e)
{
    const test_case *c = e->c;
    for (size_t b = 0; b < c->bucket_count; b++) {
        e->case_tensors += c->buckets[b].tensor_count;
        e->tensor_count += !e->flattened ? c->buckets[b].tensor_count : c->buckets[b].tensor_count > 0 ? 1 : 0;
    }
    e->tensors = calloc(e->tensor_count + 1, sizeof *e->tensors);
    e->judged_until = calloc(e->tensor_count + 1, sizeof *e->judged_until);
    if (e->tensors == NULL || e->judged_until == NULL) {
        return false;
    }
    size_t next = 0;
    for (size_t b = 0; b < c->bucket_count; b++) {
        size_t offset = 0, count = c->buckets[b].tensor_count;
        for (size_t i = 0; i < (e->flattened && count > 0 ? 1 : count); i++, next++) {
            evidence_tensor *x = &e->tensors[next];
            *x = (evidence_tensor){.bucket = b, .tensor = i, .offset = offset, .n = 1, .m = 1};
            if (e->flattened) {
                list_square(e, x);
            } else {
                list_tensor(e, x, &c->buckets[b].shapes[i]);
            }
            x->gram_schmidt = x->r <= 2 || dtype_is_half(c->dtype);
            offset += x->length;
        }
    }
    return true;
}

bool evidence_padding_from_factors(bool *known, double *out, const evidence *e, int64_t step, size_t bucket)
{
    const values *shown_p = trace_p(e->t, step, bucket, 0), *shown_q = trace_q(e->t, step, bucket, 0);
    size_t length = e->c->numel[bucket], side = case_square_side(length);
    size_t r = (size_t)e->c->config.matrix_approximation_rank;
    bool lacks = false;
    double *p = evidence_factor(shown_p, side * r, &lacks), *q = evidence_factor(shown_q, side * r, &lacks);
    double *product = evidence_doubles(side * side);
    *known = false;
    if (p != NULL && q != NULL && product != NULL && all_finite(p, side * r) && all_finite(q, side * r)) {
        matmul_nt(product, p, q, side, side, r);
        double off = 0;
        for (size_t i = 0; i < length; i++) {
            off = hypot(off, product[i] - out[i]);
        }
        *known = off <= 10 * e->u * norm_frobenius(p, side * r) * norm_frobenius(q, side * r);
        for (size_t i = length; *known && i < side * side; i++) {
            out[i] = product[i];
        }
    }
    lacks = lacks || product == NULL;
    free(p);
    free(q);
    free(product);
    return !lacks;
}
