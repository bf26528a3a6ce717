/* law_projection.c: what one compressed step must be for any Q at epsilon 0: out = Pi Mb, Pi the projector onto out's
 * own columns (row 1b, from outputs alone; Gram-Schmidt's loss of orthogonality, u kappa, is in its unit), rank(out) <=
 * r' (row 1c, at any epsilon), and with the port's own P: out = P P^T Mb (row 1, at any epsilon and conditioning) and P
 * orthonormal (row 5).
 *
 * Who broke what: row 1b involves Mb, never Q. If it fails at the first compressed step, where there is no memory, the
 * projection is wrong: AGG-002. If it held there and fails later, Mb is not what error feedback makes it: EF-001,
 * EF-004 and EF-005, or EF-007 if memory shows where none should be; EF-004 alone at the first step if it shows what
 * another bucket left. A multiple of Pi Mb is a wrong scale, so AGG-002 at any step. */
#include "judge/judging.h"

#include "judge/linalg.h"
#include "judge/memory_shown.h"
#include "judge/one_step.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

typedef struct probes {
    probe projects, rank, own, orthonormal, extreme;
    memory_probes memory;
} probes;

/* out against its own projection of a mean: ratio and the unit u S f; where they differ most. */
typedef struct projection {
    double ratio, unit, expected_norm, condition;
    double scale_factor; /* c that makes c Pi Mb nearest to out; scaled_ratio is row 1b with it */
    double scaled_ratio;
    check_place place;
} projection;

/* How rarely a Q that nobody knows may be worse than kappa is taken for. */
#define RARELY 0.01

/* What Gram-Schmidt loses of P's orthogonality, in units of u: kappa of this step where Q is known. Else kappa is at
 * most cond_r over the sine of the smallest angle at which Q meets the leading rows, and for a random Q that is below
 * RARELY / sqrt(r m) in no more than that part of all draws (Edelman's bound for a square of normals); one column has
 * no other to be orthogonal to. 0 where QR must have been used. */
static double orthogonality_loss(judging *j, int64_t step, size_t tensor, double condition)
{
    model_output model;
    if (j->torch && !j->e.tensors[tensor].gram_schmidt) {
        return 0;
    }
    if (one_step_model(&model, j, step, tensor, ONE_STEP_ANY) == ONE_STEP_NONE) {
        const evidence_tensor *x = &j->e.tensors[tensor];
        return condition * (x->r == 1 ? 1 : sqrt((double)x->r * (double)x->m) / RARELY);
    }
    double kappa = model.kappa;
    model_output_free(&model);
    return kappa;
}

/* cond_r(out), but no more than the projection of Mb can have: P is orthonormal and lies in Mb's columns, so P^T Mb has
 * no singular value below Mb's smallest. (A port that leaves out a column of P has cond_r(out) near 1 / u; it would
 * make its own limit as large as the fault.) Twice that, for rounding; where Mb is itself near singular this says
 * nothing. */
static double trusted_condition(const judging *j, int64_t step, size_t tensor, double condition)
{
    const tensor_evidence *at = evidence_at(&j->e, step, tensor);
    bool regular = at->sigma_last > 100 * j->e.u * at->scale;
    return regular ? fmin(condition, 2 * at->sigma_first / at->sigma_last) : condition;
}

/* False: no memory. */
static bool project(projection *result, judging *j, int64_t step, size_t tensor, const double *mean)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    size_t n = x->n, m = x->m, r = x->r;
    const double *out = evidence_out(&j->e, step, tensor);
    double s = evidence_at(&j->e, step, tensor)->scale;
    double *basis = calloc(n * r, sizeof *basis), *inner = calloc(r * m, sizeof *inner);
    double *expected = calloc(n * m, sizeof *expected), *scaled = calloc(n * m, sizeof *scaled);
    bool ok = basis != NULL && inner != NULL && expected != NULL && scaled != NULL;
    *result = (projection){.ratio = NAN,
                           .unit = NAN,
                           .scaled_ratio = NAN,
                           .condition = NAN,
                           .place = place_of(j, step, tensor, STAGE_OUT)};
    if (ok && all_finite(out, n * m)) {
        ok = leading_columns(basis, &result->condition, out, n, m, r);
        if (ok) {
            result->condition = trusted_condition(j, step, tensor, result->condition);
            matmul_tn(inner, basis, mean, n, r, m);
            matmul(expected, basis, inner, n, r, m);
            check_place unused = CHECK_NOWHERE;
            double lost = difference_ratio(mean, out, n, m, s, &unused);
            double f =
                1 + (lost == 0 ? 0 : result->condition * lost) + orthogonality_loss(j, step, tensor, result->condition);
            double up = 0, down = 0;
            for (size_t i = 0; i < n * m; i++) {
                up += out[i] / s * (expected[i] / s);
                down += expected[i] / s * (expected[i] / s);
            }
            result->unit = j->e.u * s * f;
            result->ratio = difference_ratio(out, expected, n, m, result->unit, &result->place);
            result->expected_norm = norm_frobenius(expected, n * m);
            result->scale_factor = up / down;
            for (size_t i = 0; i < n * m; i++) {
                scaled[i] = result->scale_factor * expected[i];
            }
            result->scaled_ratio = difference_ratio(out, scaled, n, m, result->unit, &unused);
        }
    } else if (ok) { /* NaN where none may be: show the first */
        difference_ratio(out, mean, n, m, 1, &result->place);
    }
    free(basis);
    free(inner);
    free(expected);
    free(scaled);
    return ok;
}

/* Does out project Mb plus `extra`? */
static bool projects_with(judging *j, int64_t step, size_t tensor, const double *extra)
{
    size_t count = j->e.tensors[tensor].n * j->e.tensors[tensor].m;
    double *mean = calloc(count, sizeof *mean);
    projection with = {.ratio = NAN};
    if (mean == NULL) {
        judging_lacks_memory(j);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        mean[i] = evidence_mean(&j->e, step, tensor)[i] + extra[i];
    }
    bool ok = project(&with, j, step, tensor, mean);
    free(mean);
    return ok && with.ratio <= judging_limit(j, LIMIT_PROJECTION) &&
           with.unit * judging_limit(j, LIMIT_PROJECTION) <= 0.1 * with.expected_norm;
}

/* What a memory would hold that should not be there: after plain steps their gradients (the last, or all), after
 * compressed ones what the step before left out. */
static bool shows_wrong_memory(judging *j, int64_t step, size_t tensor)
{
    size_t count = j->e.tensors[tensor].n * j->e.tensors[tensor].m;
    bool first = step == j->c->config.start_iter;
    if (step == 0) {
        return false;
    }
    double *extra = calloc(count, sizeof *extra);
    if (extra == NULL) {
        judging_lacks_memory(j);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        extra[i] = evidence_mean(&j->e, step - 1, tensor)[i] - (first ? 0 : evidence_out(&j->e, step - 1, tensor)[i]);
    }
    bool found = projects_with(j, step, tensor, extra);
    if (!found && first) {
        for (int64_t earlier = 0; earlier < step - 1; earlier++) {
            for (size_t i = 0; i < count; i++) {
                extra[i] += evidence_mean(&j->e, earlier, tensor)[i];
            }
        }
        found = projects_with(j, step, tensor, extra);
    }
    free(extra);
    return found;
}

/* Does Mb hold what another bucket left out in this very step? Only of buckets before this one, and of tensors that lie
 * at the same place in theirs. */
static bool shows_other_bucket(judging *j, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    bool found = false;
    double *extra = calloc(x->n * x->m, sizeof *extra);
    if (extra == NULL) {
        judging_lacks_memory(j);
        return false;
    }
    for (size_t t = 0; t < tensor && !found; t++) {
        const evidence_tensor *other = &j->e.tensors[t];
        if (other->bucket == x->bucket || other->offset != x->offset || other->n != x->n || other->m != x->m) {
            continue;
        }
        for (size_t i = 0; i < x->n * x->m; i++) {
            extra[i] = evidence_mean(&j->e, step, t)[i] - evidence_out(&j->e, step, t)[i];
        }
        found = projects_with(j, step, tensor, extra);
    }
    free(extra);
    return found;
}

/* Measures a projection under one probe. */
static bool measure(judging *j, probe *p, const projection *found, double of_norm)
{
    return probe_measure(j, p, found->ratio, judging_limit(j, p->row) * found->unit / of_norm, &found->place);
}

/* Is Mb Q below rank r' to rounding, as far as Q is known, where Gram-Schmidt may have met it? Then zeros and NaN are
 * what the hook's own division gives, although Mb itself has the rank. */
static bool is_deficient(judging *j, int64_t step, size_t tensor)
{
    model_output model;
    if (j->torch && !j->e.tensors[tensor].gram_schmidt) {
        return false;
    }
    if (one_step_model(&model, j, step, tensor, ONE_STEP_ANY) == ONE_STEP_NONE) { /* then Mb alone tells */
        const tensor_evidence *at = evidence_at(&j->e, step, tensor);
        return !(at->sigma_r > 10 * j->e.u * at->scale);
    }
    bool deficient = !(model.kappa * j->e.u <= 0.1);
    model_output_free(&model);
    return deficient;
}

static bool judge_outputs(judging *j, probes *p, int64_t step, size_t tensor)
{
    const evidence *e = &j->e;
    const evidence_tensor *x = &e->tensors[tensor];
    int64_t start = j->c->config.start_iter;
    projection found;
    if (!project(&found, j, step, tensor, evidence_mean(e, step, tensor))) {
        judging_lacks_memory(j);
        return true;
    }
    if (evidence_at(e, step, tensor)->regard == REGARD_EXTREME) {
        return (j->torch && x->gram_schmidt) || measure(j, &p->extreme, &found, found.expected_norm);
    }
    bool zero = norm_frobenius(evidence_out(e, step, tensor), x->n * x->m) == 0;
    if (zero) { /* nothing spans nothing: hold it against Mb itself */
        const tensor_evidence *at = evidence_at(e, step, tensor);
        if (!(at->norm > judging_limit(j, LIMIT_PROJECTION) * e->u * at->scale)) {
            return true; /* and Mb is nothing too: law_degenerate.c */
        }
        found.ratio = INFINITY;
        difference_ratio(evidence_out(e, step, tensor), evidence_mean(e, step, tensor), x->n, x->m, 1, &found.place);
    }
    bool ok = found.ratio <= judging_limit(j, LIMIT_PROJECTION);
    if (ok) {
        measure(j, &p->projects, &found, found.expected_norm);
        memory_shown(j, &p->memory, step, tensor, found.ratio, judging_limit(j, LIMIT_PROJECTION) * found.unit,
                     &found.place);
        return true;
    }
    bool wrong_scale = found.scaled_ratio <= judging_limit(j, LIMIT_PROJECTION) &&
                       found.unit * judging_limit(j, LIMIT_PROJECTION) <= 0.1 * found.expected_norm;
    bool finite = all_finite(evidence_out(e, step, tensor), x->n * x->m);
    if ((!finite || zero) && is_deficient(j, step, tensor)) {
        return false; /* nothing to blame, and nothing to judge from here on */
    }
    if (wrong_scale || !finite || zero) {
        measure(j, &p->projects, &found, found.expected_norm);
    } else if (step == start || !j->c->config.use_error_feedback) {
        bool memory = shows_wrong_memory(j, step, tensor);
        bool shared = !memory && j->c->config.use_error_feedback && shows_other_bucket(j, step, tensor);
        measure(j,
                shared          ? &p->memory.overwrites
                : !memory       ? &p->projects
                : step == start ? &p->memory.untouched
                                : &p->memory.no_memory,
                &found, found.expected_norm);
    } else {
        measure(j, &p->memory.conserves, &found, found.expected_norm);
        measure(j, &p->memory.overwrites, &found, found.expected_norm);
        measure(j, &p->memory.telescopes, &found, found.expected_norm);
    }
    return false;
}

/* Row 1c. Trusted only where Mb itself has more than rank r', far above the limit. The judge's own singular values are
 * rounded too: sums of up to max(n, m) terms, whose rounding grows like the root of their number. (Measured on matrices
 * of exact rank 1: 9 in units of 2^-52 ||out||_F for 375 columns, 52 for 2000.) Only in f64 does that count. */
static bool judge_rank(judging *j, probe *p, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const tensor_evidence *at = evidence_at(&j->e, step, tensor);
    size_t least = x->n < x->m ? x->n : x->m;
    const double *out = evidence_out(&j->e, step, tensor);
    if (x->r >= least || !all_finite(out, x->n * x->m)) {
        return true;
    }
    double tail;
    bool ok = true;
    if (!chosen_singular_values(out, x->n, x->m, &x->r, 1, &tail)) {
        judging_lacks_memory(j);
    } else {
        check_place place = place_of(j, step, tensor, STAGE_OUT);
        double own = DBL_EPSILON * sqrt((double)(x->n > x->m ? x->n : x->m));
        double unit = (j->e.u + own) * at->scale;
        place.got = tail;
        place.expected = 0;
        double ratio = tail == 0 ? 0 : tail / unit;
        ok = probe_measure(j, p, ratio, judging_limit(j, LIMIT_RANK_TAIL) * unit / at->sigma_next, &place);
    }
    return ok;
}

/* Rows 1 and 5, with the P that the port shows. */
static bool judge_own_factor(judging *j, probes *p, int64_t step, size_t tensor)
{
    const evidence *e = &j->e;
    const evidence_tensor *x = &e->tensors[tensor];
    size_t n = x->n, m = x->m, r = x->r;
    bool lacks = false, ok = true;
    double *own = evidence_factor(trace_p(j->t, step, x->bucket, x->tensor), n * r, &lacks);
    if (own == NULL || !all_finite(own, n * r) || !all_finite(evidence_out(e, step, tensor), n * m)) {
        free(own);
        if (lacks) {
            judging_lacks_memory(j);
        } else if (own == NULL) {
            if (j->torch) {
                probe_unobserved(j, &p->own, "the port does not show P");
            }
            if (judging_projects(j, tensor) && evidence_at(e, step, tensor)->regard == REGARD_FULL) {
                probe_unobserved(j, &p->orthonormal, "the port does not show P");
            }
        }
        return true;
    }
    double *inner = calloc(r * m, sizeof *inner), *expected = calloc(n * m, sizeof *expected);
    double *gram = calloc(r * r, sizeof *gram), *identity = calloc(r * r, sizeof *identity);
    if (inner == NULL || expected == NULL || gram == NULL || identity == NULL) {
        judging_lacks_memory(j);
    } else {
        matmul_tn(inner, own, evidence_mean(e, step, tensor), n, r, m);
        matmul(expected, own, inner, n, r, m);
        check_place place = place_of(j, step, tensor, STAGE_OUT);
        ok = probe_compare(j, &p->own, evidence_out(e, step, tensor), expected, n, m,
                           e->u * evidence_at(e, step, tensor)->scale, &place);
        model_output model;
        one_step_source from = one_step_model(&model, j, step, tensor, ONE_STEP_ANY);
        double kappa = from == ONE_STEP_NONE ? 1 : model.kappa;
        bool any_method = !j->torch; /* Gram-Schmidt at any rank is right there too */
        bool strict =
            from != ONE_STEP_NONE && judging_projects(j, tensor) && evidence_at(e, step, tensor)->regard == REGARD_FULL;
        if (ok && strict) {
            double size = x->gram_schmidt ? fmax(1, kappa) : any_method ? fmax((double)r, kappa) : (double)r;
            matmul_tn(gram, own, own, n, r, r);
            for (size_t i = 0; i < r; i++) {
                identity[i * r + i] = 1;
            }
            place.stage = STAGE_P_ORTHOGONAL;
            ok = probe_compare(j, &p->orthonormal, gram, identity, r, r, e->u * size, &place);
        }
        if (from != ONE_STEP_NONE) {
            model_output_free(&model);
        }
    }
    free(own);
    free(inner);
    free(expected);
    free(gram);
    free(identity);
    return ok;
}

void judge_projection(judging *j)
{
    bool alternating = (j->claims & PSGD_CLAIM_ALTERNATING) != 0; /* of these laws only the rank's holds */
    probes p = {.projects = probe_for("PSGD-AGG-002", LIMIT_PROJECTION),
                .rank = probe_for("PSGD-AGG-004", LIMIT_RANK_TAIL),
                .own = probe_for("PSGD-AGG-002", LIMIT_OWN_FACTORS),
                .orthonormal = probe_for("PSGD-ORT-001", LIMIT_ORTHONORMAL),
                .extreme = probe_for("PSGD-ORT-006", LIMIT_PROJECTION),
                .memory = memory_probes_for(LIMIT_PROJECTION)};
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        if (!j->e.tensors[i].compressed) {
            continue;
        }
        for (int64_t step = j->c->config.start_iter; step < j->e.steps && judging_may(j, i, step); step++) {
            regard how = evidence_at(&j->e, step, i)->regard;
            const tensor_evidence *at = evidence_at(&j->e, step, i);
            if (!at->knows_mean || !at->knows_out) {
                continue; /* laws of the whole square: the part that is shown obeys none of them */
            }
            bool ok = how == REGARD_NONFINITE || judge_rank(j, &p.rank, step, i);
            if (judging_projects(j, i) && (how == REGARD_FULL || how == REGARD_EXTREME)) {
                ok = judge_outputs(j, &p, step, i) && ok;
            }
            if (ok && !alternating && how != REGARD_NONFINITE && how != REGARD_EXTREME) {
                ok = judge_own_factor(j, &p, step, i);
            }
            if (!ok) {
                judging_stop(j, i, step);
            }
        }
    }
}
