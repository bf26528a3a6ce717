/* optimum.c: how good is the approximation? Judged by the SVD, on a fixed matrix (constant gradients, error feedback
 * off) under warm start, where every step is one of subspace iteration.
 *
 * AGG-009, row 11. The rows of the first compressed output are the Q of the next step; theta is their angle to the
 * leading r' right singular vectors of M. Each product with M or M^T shrinks its tangent by rho = sigma_{r+1} /
 * sigma_r, so t steps later P is off by rho^{2t-1} tan theta at most, and ||M - out||_F^2 <= tail^2 + (rho^{2t-1} tan
 * theta)^2 ||M_r||_F^2,
 * + 10 u S ||M||_F for rounding; judged once rho^{2t-1} tan theta < 1e-3. WRM-001, row 12: ||M - out||_F never rises by
 * more than 10 u S gamma from step to step. WRM-003: without warm start, outputs of two steps differ, and the second
 * is not what warm start would have made of the first. */
#include "judge/judging.h"

#include "judge/linalg.h"
#include "judge/one_step.h"

#include <math.h>
#include <stdlib.h>

/* "Long enough": from here on the angle no longer matters beside the tail. */
#define ANGLE_SETTLED 1e-3
/* Of an output's norm. sigma_{r+1} is a hundredth of it at least, and so is what another Q changes, unless it is a
 * hundredth of that in each of FREE_DIRECTIONS at once: once in 10^10 draws. */
#define SMALL_PART      1e-4
#define FREE_DIRECTIONS 5

/* What is fixed for one tensor. */
typedef struct target {
    double tail_squared, leading_squared, rho, tangent, norm;
} target;

/* tan of the largest angle between the rows of out and the leading right singular vectors vt[least m] of M: with an
 * orthonormal basis Z[m r] of out's rows, sines from the part of Z outside, cosines within. */
static bool find_tangent(double *tangent, const double *out, const double *vt, size_t n, size_t m, size_t r)
{
    size_t least = n < m ? n : m;
    double *s = calloc(least, sizeof *s), *rows = calloc(least * m, sizeof *rows);
    double *inside = calloc(r * r, sizeof *inside), *cosines = calloc(r, sizeof *cosines);
    bool ok =
        s != NULL && rows != NULL && inside != NULL && cosines != NULL && singular_vectors(out, n, m, s, NULL, rows);
    if (ok) {
        matmul_nt(inside, rows, vt, r, r, m); /* the first r rows of both */
        ok = singular_values(inside, r, r, cosines);
        double cosine = fmin(1, cosines[r - 1]);
        *tangent = ok ? sqrt(1 - cosine * cosine) / cosine : NAN;
    }
    free(s);
    free(rows);
    free(inside);
    free(cosines);
    return ok;
}

static bool find_target(target *t, const double *mean, const double *out, size_t n, size_t m, size_t r)
{
    size_t least = n < m ? n : m;
    double *s = calloc(least, sizeof *s), *vt = calloc(least * m, sizeof *vt);
    bool ok = s != NULL && vt != NULL && singular_vectors(mean, n, m, s, NULL, vt) &&
              best_rank_error(&t->tail_squared, mean, n, m, r) && find_tangent(&t->tangent, out, vt, n, m, r);
    if (ok) {
        t->leading_squared = 0;
        for (size_t i = 0; i < r; i++) {
            t->leading_squared += s[i] * s[i];
        }
        t->rho = r < least ? s[r] / s[r - 1] : 0;
        t->norm = norm_frobenius(mean, n * m);
    }
    free(s);
    free(vt);
    return ok;
}

static double distance(const double *a, const double *b, size_t count)
{
    check_place unused = CHECK_NOWHERE;
    return difference_ratio(a, b, 1, count, 1, &unused);
}

static bool judge_quality(judging *j, probe *p, const target *aim, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    int64_t after = step - j->c->config.start_iter;
    double settled = pow(aim->rho, 2 * (double)after - 1) * aim->tangent;
    if (!(settled < ANGLE_SETTLED)) {
        return true;
    }
    double error = distance(evidence_mean(&j->e, step, tensor), evidence_out(&j->e, step, tensor), x->n * x->m);
    double bound = aim->tail_squared + settled * settled * aim->leading_squared;
    double unit = j->e.u * evidence_at(&j->e, step, tensor)->scale * aim->norm;
    check_place place = place_of(j, step, tensor, STAGE_OUT);
    place.got = error * error;
    place.expected = bound;
    double above = error * error - bound;
    /* an output of zeros is off by ||M||^2 */
    return probe_measure(j, p, above <= 0 ? 0 : above / unit,
                         judging_limit(j, LIMIT_OPTIMUM) * unit / (aim->norm * aim->norm), &place);
}

static bool judge_rise(judging *j, probe *p, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    size_t count = x->n * x->m;
    model_output model;
    if (one_step_model(&model, j, step, tensor, ONE_STEP_OUTPUTS) == ONE_STEP_NONE) {
        return true;
    }
    bool ok = true;
    double before = distance(evidence_mean(&j->e, step - 1, tensor), evidence_out(&j->e, step - 1, tensor), count);
    double now = distance(evidence_mean(&j->e, step, tensor), evidence_out(&j->e, step, tensor), count);
    double g = model.gamma + (x->gram_schmidt || !j->torch ? model.kappa : 0);
    double unit = j->e.u * evidence_at(&j->e, step, tensor)->scale * g;
    if (!model.reference_inaccurate) {
        check_place place = place_of(j, step, tensor, STAGE_OUT);
        place.got = now;
        place.expected = before;
        ok = probe_measure(j, p, now <= before ? 0 : (now - before) / unit,
                           judging_limit(j, LIMIT_NO_RISE) * unit / evidence_at(&j->e, step, tensor)->norm, &place);
    }
    model_output_free(&model);
    return ok;
}

/* Without warm start: two draws give two outputs, unless the matrix has no more than rank r'. */
static bool judge_new_draw(judging *j, probe *p, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const tensor_evidence *at = evidence_at(&j->e, step, tensor);
    double rounding = j->e.u * at->scale;
    if (!(at->sigma_next > 0.01 * at->norm) || !(at->norm > 1e4 * rounding)) {
        return true;
    }
    double apart = distance(evidence_out(&j->e, step - 1, tensor), evidence_out(&j->e, step, tensor), x->n * x->m);
    check_place place = place_of(j, step, tensor, STAGE_Q);
    return probe_expect(j, p, apart > judging_limit(j, LIMIT_PROJECTION) * rounding, &place,
                        "two steps without warm start gave the same result: the same Q was used");
}

/* The same of the result that warm start would give: a new Q comes as near to it as it comes to any other, that is far
 * from within the limit of a step that is known, where that is itself a small part of the result. */
static bool judge_not_kept(judging *j, probe *p, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const tensor_evidence *at = evidence_at(&j->e, step, tensor);
    model_output kept;
    size_t least = x->n < x->m ? x->n : x->m;
    if (!(at->sigma_next > 0.01 * at->norm) || least < x->r + FREE_DIRECTIONS ||
        one_step_model(&kept, j, step, tensor, ONE_STEP_AS_IF_KEPT) == ONE_STEP_NONE) {
        return true;
    }
    double most = judging_limit(j, LIMIT_FROM_OUTPUTS) * j->e.u * at->scale * (kept.gamma + kept.kappa);
    bool ok = true;
    if (!kept.reference_inaccurate && most <= SMALL_PART * at->norm) {
        check_place place = place_of(j, step, tensor, STAGE_Q);
        ok = probe_expect(j, p, distance(kept.out, evidence_out(&j->e, step, tensor), x->n * x->m) > most, &place,
                          "a step without warm start gave what warm start gives: Q was kept");
    }
    model_output_free(&kept);
    return ok;
}

void judge_optimum(judging *j)
{
    const psgd_config *config = &j->c->config;
    if (config->use_error_feedback || (j->claims & PSGD_CLAIM_ALTERNATING) != 0) {
        return;
    }
    probe quality = probe_for("PSGD-AGG-009", LIMIT_OPTIMUM), rise = probe_for("PSGD-WRM-001", LIMIT_NO_RISE);
    probe new_draw = probe_for("PSGD-WRM-003", LIMIT_STRUCTURE);
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        const evidence_tensor *x = &j->e.tensors[i];
        int64_t start = config->start_iter;
        if (!judging_is_fixed(j, i) || !judging_is_regular(j, i, start) || !judging_projects(j, i)) {
            continue;
        }
        target aim;
        if (!all_finite(evidence_out(&j->e, start, i), x->n * x->m) ||
            !find_target(&aim, evidence_mean(&j->e, start, i), evidence_out(&j->e, start, i), x->n, x->m, x->r)) {
            continue;
        }
        for (int64_t step = start + 1; step < j->e.steps && judging_is_regular(j, i, step); step++) {
            bool ok = config->warm_start
                          ? judge_quality(j, &quality, &aim, step, i) && judge_rise(j, &rise, step, i)
                          : judge_new_draw(j, &new_draw, step, i) && judge_not_kept(j, &new_draw, step, i);
            if (!ok) {
                judging_stop(j, i, step);
            }
        }
    }
}
