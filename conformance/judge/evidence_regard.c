/* evidence_regard.c: how far a tensor at a step can be judged: what M is made of, and what became of it a step before
 * (contract: evidence_internal.h). */
#include "judge/evidence_internal.h"

#include "judge/linalg.h"
#include "judge/model.h"

#include <math.h>
#include <stdlib.h>

/* Where the squares of a type's values keep all their digits: outside, column norms depend on how they are taken. Those
 * of half types are taken in f32, in the hook too; what overflows in f16 is P itself, and every sum over the ranks that
 * comes before the division. (A port that squares in f16 overflows from norms of 256 on, and is wrong.) What is small
 * in f16 loses digits as a denormal, which S and kappa tell. */
static bool is_extreme(const evidence *e, const evidence_tensor *x, const tensor_evidence *at)
{
    if (x->r == 0 || at->scale == 0) {
        return false;
    }
    double largest = at->scale * e->c->world;
    bool f16 = e->c->dtype == PSGD_F16, f64 = e->c->dtype == PSGD_F64;
    if (largest > (f64 ? 1e150 : f16 ? type_largest(PSGD_F16) / 2 : 1e18)) {
        return true;
    }
    /* small, but not because the matrix is deficient */
    return at->sigma_r < (f64 ? 1e-140 : f16 ? 0 : 1e-16) && at->sigma_r > 10 * e->u * at->scale;
}

/* Does what happened to this tensor a step before decide what comes out now? */
static bool is_spoiled(const evidence *e, int64_t step, size_t tensor)
{
    const psgd_config *config = &e->c->config;
    const evidence_tensor *x = &e->tensors[tensor];
    regard before = step > config->start_iter ? evidence_at(e, step - 1, tensor)->regard : REGARD_FULL;
    if (before == REGARD_FULL || !(config->warm_start || config->use_error_feedback)) {
        return false;
    }
    bool came_out_finite = all_finite(evidence_out(e, step - 1, tensor), x->length);
    return before == REGARD_NONFINITE || config->warm_start || !came_out_finite;
}

bool evidence_regard(evidence *e, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &e->tensors[tensor];
    tensor_evidence *at = &e->at[(size_t)step * e->tensor_count + tensor];
    const double *mean = evidence_mean(e, step, tensor);
    const psgd_config *config = &e->c->config;
    size_t count = x->n * x->m;
    at->norm = norm_frobenius(mean, count);
    at->regard = all_finite(mean, count) ? REGARD_FULL : REGARD_NONFINITE;
    if (!evidence_is_compressed_step(e, step)) {
        return true;
    }
    if (!x->compressed) { /* summed first, divided then, and what overflowed stays in E */
        bool overflows = e->c->dtype == PSGD_F16 && at->scale * e->c->world > type_largest(PSGD_F16);
        regard before = step > config->start_iter ? evidence_at(e, step - 1, tensor)->regard : REGARD_FULL;
        bool spoiled = config->use_error_feedback && (before == REGARD_EXTREME || before == REGARD_SPOILED);
        if (at->regard == REGARD_FULL && (overflows || spoiled)) {
            at->regard = spoiled ? REGARD_SPOILED : REGARD_EXTREME;
        }
        return true;
    }
    if (is_spoiled(e, step, tensor)) {
        at->regard = REGARD_SPOILED;
    }
    if (!all_finite(mean, count) || !at->knows_mean) {
        return true;
    }
    const size_t least = x->n < x->m ? x->n : x->m;
    const size_t which[] = {0, x->r - 1, x->r < least ? x->r : least - 1, least - 1};
    double s[4];
    const bool ok = chosen_singular_values(mean, x->n, x->m, which, 4, s);
    if (ok) {
        at->sigma_first = s[0];
        at->sigma_r = s[1];
        at->sigma_next = x->r < least ? s[2] : 0;
        at->sigma_last = s[3];
        bool deficient = x->gram_schmidt && !(at->sigma_r > 10 * e->u * at->scale);
        if (at->regard == REGARD_FULL && deficient && e->epsilon == 0) {
            at->regard = REGARD_DEFICIENT;
        } else if (at->regard == REGARD_FULL && is_extreme(e, x, at)) {
            at->regard = REGARD_EXTREME;
        }
    }
    return ok;
}
