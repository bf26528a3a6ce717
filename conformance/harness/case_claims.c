/* case_claims.c: what a problem takes as given of a port, and whether ports that select tensors by another rule than
 * the hook's would compress the same ones.
 */
#include "core/layout.h"
#include "harness/case.h"
#include "harness/gradients.h"

#define SHORT_VECTOR 128 /* elements: no port is known to compress so few */

uint64_t problem_claims(const problem *p)
{
    uint64_t claims = PSGD_CLAIM_CORE;
    claims |= p->error_feedback ? (uint64_t)PSGD_CLAIM_ERROR_FEEDBACK : 0;
    claims |= p->warm_start ? (uint64_t)PSGD_CLAIM_WARM_START : 0;
    claims |= p->flattened ? (uint64_t)PSGD_CLAIM_FLATTENED : 0;
    claims |= p->async ? (uint64_t)PSGD_CLAIM_ASYNC : 0;
    claims |= p->world > 1 ? (uint64_t)PSGD_CLAIM_MULTIRANK : 0;
    claims |= p->of_world > p->world ? (uint64_t)PSGD_CLAIM_SUBGROUP : 0;
    claims |= p->checkpoint >= 0 ? (uint64_t)PSGD_CLAIM_CHECKPOINT : 0;
    claims |= p->dtype == PSGD_F64 ? (uint64_t)PSGD_CLAIM_F64 : 0;
    claims |= p->dtype == PSGD_F16 ? (uint64_t)PSGD_CLAIM_F16 : 0;
    claims |= p->dtype == PSGD_BF16 ? (uint64_t)PSGD_CLAIM_BF16 : 0;
    return claims;
}

bool case_is_seeded(const test_case *c)
{
    return (c->claims & PSGD_CLAIM_TORCH) != 0 && !dtype_is_half(c->dtype);
}

/* Rules in use: the hook's at some rate, half the elements saved (rate 2), every tensor of two dimensions or more. So a
 * matrix must be compressed under the strictest of them, with a tenth to spare for <= and rounding; a vector must be
 * short. */
static bool tensor_is_unambiguous(const psgd_shape *shape, const problem *p)
{
    size_t n, m;
    gradients_matrix(&n, &m, shape);
    if (shape->ndim == 1)
        return n > 0 && n <= SHORT_VECTOR;
    if (shape->ndim != 2)
        return false;
    size_t r = n < m ? n : m;
    if ((int64_t)r > p->r)
        r = (size_t)p->r;
    return r > 0 && psgd_is_compressed(n, m, r, 1.1 * p->rate);
}

/* The one exception to rate 2: at rate 0 a matrix alone that is no larger than the rank comes out exact, compressed or
 * not. */
static bool is_lone_clipped_matrix(const problem *p)
{
    if (p->rate != 0 || p->bucket_count != 1 || p->buckets[0].tensor_count != 1)
        return false;
    const psgd_shape *shape = &p->buckets[0].shapes[0];
    return shape->ndim == 2 && shape->dims[0] > 0 && shape->dims[1] > 0 &&
           ((int64_t)shape->dims[0] < p->r || (int64_t)shape->dims[1] < p->r);
}

bool problem_is_unambiguous(const problem *p)
{
    if (p->flattened || p->bucket_count == 0) /* a recording's shapes are known once its case is built */
        return false;
    if (is_lone_clipped_matrix(p))
        return true;
    if (!(p->rate >= 2))
        return false;
    for (size_t b = 0; b < p->bucket_count; b++)
        for (size_t i = 0; i < p->buckets[b].tensor_count; i++)
            if (!tensor_is_unambiguous(&p->buckets[b].shapes[i], p))
                return false;
    return true;
}
