/* compare_model.c: the port against the model.
 *
 * One step from a known state, so that nothing accumulates: row 6 from a Q that is known (drawn, or shown under torch),
 * row 6b from outputs alone under warm start; row 7 for P, and Q = Mb^T P with the port's own P (row 1's limit: that is
 * the step's other half). Free-running from q0 alone: row 8. Skipped where the model says that the reference itself is
 * inaccurate.
 *
 * Who broke what: from a drawn Q, the draw is wrong (RND-002 under torch, RND-001 across ranks) or not used as it
 * should be (AGG-002; WRM-003 after the first step without warm start); from a kept Q, warm start is (WRM-001), whether
 * it shows in the output or in P alone: how P is orthogonalised was seen right after the draw. Where the output lies in
 * the right space and is wrong all the same, epsilon's part is (ORT-002; ORT-004 from a kept Q). */
#include "judge/judging.h"

#include "judge/linalg.h"
#include "judge/one_step.h"

#include <math.h>
#include <stdlib.h>

typedef struct probes {
    probe drawn_torch, drawn_first, drawn_ranks, drawn_again, gram_schmidt, kept, kept_p, kept_epsilon, kept_outputs,
        p_gs, p_qr, q_averaged;
} probes;

/* Does the port's output lie in the space that the model's P spans? Then its Q is right, and epsilon's part is not. */
static bool spans_the_same(judging *j, int64_t step, size_t tensor, const model_output *model, double unit)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    size_t n = x->n, m = x->m, r = x->r;
    const double *out = evidence_out(&j->e, step, tensor);
    double *basis = calloc(n * r, sizeof *basis), *inner = calloc(r * m, sizeof *inner);
    double *within = calloc(n * m, sizeof *within), condition;
    bool same = false;
    if (basis == NULL || inner == NULL || within == NULL || !leading_columns(basis, &condition, model->p, n, r, r)) {
        judging_lacks_memory(j);
    } else if (all_finite(out, n * m)) {
        check_place unused = CHECK_NOWHERE;
        matmul_tn(inner, basis, out, n, r, m);
        matmul(within, basis, inner, n, r, m);
        same = difference_ratio(out, within, n, m, unit, &unused) <= judging_limit(j, LIMIT_ONE_STEP);
    }
    free(basis);
    free(inner);
    free(within);
    return same;
}

/* Row 7's unit: u kappa S / ||Mb||_F, since what is rounded are the ranks' terms, which may nearly cancel; P's own
 * rounding is no less than the type's smallest number. */
static double factor_unit(const judging *j, int64_t step, size_t tensor, const model_output *model)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const tensor_evidence *at = evidence_at(&j->e, step, tensor);
    double cancelled = at->norm > 0 ? fmax(1, at->scale / at->norm) : 1;
    return fmax(j->e.u * model->kappa * cancelled, type_smallest(j->c->dtype) * sqrt((double)(x->n * x->r)));
}

/* Row 7 as a number, -1 where it can't be taken; and where P differs most. */
static double factor_ratio(judging *j, int64_t step, size_t tensor, const model_output *model, check_place *place)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    bool lacks = false;
    double ratio = -1;
    double *p = evidence_factor(trace_p(j->t, step, x->bucket, x->tensor), x->n * x->r, &lacks);
    if (lacks) {
        judging_lacks_memory(j);
    } else if (p != NULL && model->kappa * j->e.u <= SKIP_CONDITION) {
        *place = place_of(j, step, tensor, STAGE_P_ORTHOGONAL);
        ratio = difference_ratio(p, model->p, x->n, x->r, factor_unit(j, step, tensor, model), place);
    }
    free(p);
    return ratio;
}

/* out of one step against the model's: row 6 or 6b under probe p. If it fails and P is shown and wrong, P is where. */
static bool judge_out(judging *j, probe *p, int64_t step, size_t tensor, const model_output *model, double unit)
{
    check_place place = place_of(j, step, tensor, STAGE_OUT), at_p = place;
    const double *out = evidence_out(&j->e, step, tensor);
    double most = judging_limit(j, p->row), ratio = difference_ratio_shown(j, out, model->out, tensor, unit, &place);
    double power = most * unit / norm_frobenius(model->out, j->e.tensors[tensor].length);
    if (!(ratio <= most) && j->torch) {
        double of_p = factor_ratio(j, step, tensor, model, &at_p);
        bool p_is_wrong = of_p != -1 && !(of_p <= judging_limit(j, LIMIT_FACTOR));
        place = p_is_wrong ? at_p : place;
    }
    return probe_measure(j, p, ratio, power, &place);
}

/* From a Q that was drawn in this step. */
static bool judge_drawn(judging *j, probes *p, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const bool first = step == j->c->config.start_iter;
    model_output model;
    if (!j->q_known && first && j->c->world > 1) {
        probe_unobserved(j, &p->drawn_ranks, "the port draws a Q of its own, which is not known");
    }
    if (one_step_model(&model, j, step, tensor, ONE_STEP_DRAWN) == ONE_STEP_NONE) {
        return true;
    }
    bool ok = true;
    bool epsilon = x->gram_schmidt && j->e.epsilon > 0;
    if (!model.reference_inaccurate && (judging_projects(j, tensor) || (j->torch && epsilon))) {
        /* row 6: g = gamma for QR, gamma + kappa for Gram-Schmidt, which any port but torch may use at any rank */
        double g = model.gamma + (x->gram_schmidt || !j->torch ? model.kappa : 0);
        double unit = j->e.u * evidence_at(&j->e, step, tensor)->scale * g;
        check_place unused = CHECK_NOWHERE;
        const double *out = evidence_out(&j->e, step, tensor);
        bool right =
            difference_ratio_shown(j, out, model.out, tensor, unit, &unused) <= judging_limit(j, LIMIT_ONE_STEP);
        if (epsilon && (right || spans_the_same(j, step, tensor, &model, unit))) {
            ok = judge_out(j, &p->gram_schmidt, step, tensor, &model, unit);
        }
        const bool by_chain = j->torch && !j->t->q_given;
        probe *drawn = by_chain ? &p->drawn_torch : first ? &p->drawn_first : &p->drawn_again;
        const bool by_ranks = ok && first && j->c->world > 1;
        ok = ok && judge_out(j, drawn, step, tensor, &model, unit);
        if (by_ranks && (ok || !by_chain)) { /* where the chain is at fault, the ranks need not be */
            judge_out(j, &p->drawn_ranks, step, tensor, &model, unit);
        }
        if (ok && !first && j->torch && !j->t->q_given) {
            judge_out(j, &p->drawn_again, step, tensor, &model, unit);
        }
    }
    if (ok && j->torch && !model.reference_inaccurate) {
        check_place place;
        double ratio = factor_ratio(j, step, tensor, &model, &place);
        ok = ratio == -1 || probe_measure(j, x->gram_schmidt ? &p->p_gs : &p->p_qr, ratio,
                                          judging_limit(j, LIMIT_FACTOR) * factor_unit(j, step, tensor, &model) /
                                              norm_frobenius(model.p, x->n * x->r),
                                          &place);
    }
    model_output_free(&model);
    return ok;
}

/* How far Q's columns, each brought to norm 1, are from independent: what orthogonalising them loses. Columns that are
 * zero are left out, since they stay exactly what they are. */
static double condition_of_columns(judging *j, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    size_t m = x->m, kept = 0;
    bool lacks = false;
    double condition = INFINITY;
    double *q = evidence_factor(trace_q(j->t, step - 1, x->bucket, x->tensor), m * x->r, &lacks);
    double *columns = calloc(m * x->r, sizeof *columns), *s = calloc(x->r, sizeof *s);
    for (size_t l = 0; q != NULL && columns != NULL && l < x->r; l++) {
        double *column = columns + kept * m;
        for (size_t i = 0; i < m; i++) {
            column[i] = q[i * x->r + l];
        }
        double norm = norm_frobenius(column, m);
        for (size_t i = 0; norm > 0 && i < m; i++) {
            column[i] /= norm;
        }
        kept += norm > 0 ? 1 : 0;
    }
    if (lacks || columns == NULL || s == NULL) {
        judging_lacks_memory(j);
    } else if (q != NULL && kept == 0) {
        condition = 1;
    } else if (q != NULL && singular_values(columns, kept, m, s)) {
        condition = s[0] / s[kept - 1];
    }
    free(q);
    free(columns);
    free(s);
    return condition;
}

/* From the Q that the port shows to have kept (torch). */
static bool judge_kept(judging *j, probes *p, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    model_output model;
    if (!j->torch || one_step_model(&model, j, step, tensor, ONE_STEP_STATE) == ONE_STEP_NONE) {
        return true;
    }
    bool ok = true;
    double condition = condition_of_columns(j, step, tensor);
    if (!model.reference_inaccurate && condition * j->e.u <= SKIP_CONDITION) {
        double g = model.gamma + condition + (x->gram_schmidt ? model.kappa : 0);
        double unit = j->e.u * evidence_at(&j->e, step, tensor)->scale * g;
        bool epsilon = x->gram_schmidt && j->e.epsilon > 0;
        check_place place;
        const double *out = evidence_out(&j->e, step, tensor);
        bool right =
            difference_ratio_shown(j, out, model.out, tensor, unit, &place) <= judging_limit(j, LIMIT_ONE_STEP);
        bool by_epsilon = epsilon && (right || spans_the_same(j, step, tensor, &model, unit));
        ok = judge_out(j, by_epsilon ? &p->kept_epsilon : &p->kept, step, tensor, &model, unit);
        double of_p = factor_ratio(j, step, tensor, &model, &place);
        if (ok && of_p != -1) {
            bool p_is_right = of_p <= judging_limit(j, LIMIT_FACTOR);
            double power = judging_limit(j, LIMIT_FACTOR) * factor_unit(j, step, tensor, &model) /
                           norm_frobenius(model.p, x->n * x->r);
            probe *method = x->gram_schmidt ? &p->p_gs : &p->p_qr;
            ok = probe_measure(j, p_is_right ? method : &p->kept_p, of_p, power, &place);
        }
    }
    model_output_free(&model);
    return ok;
}

/* Row 6b: Q spans the rows of the previous output. */
static bool judge_from_outputs(judging *j, probes *p, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    model_output model;
    if (!judging_projects(j, tensor) || one_step_model(&model, j, step, tensor, ONE_STEP_OUTPUTS) == ONE_STEP_NONE) {
        return true;
    }
    bool ok = true;
    double *basis = calloc(x->n * x->r, sizeof *basis), condition;
    if (basis == NULL || !leading_columns(basis, &condition, evidence_out(&j->e, step - 1, tensor), x->n, x->m, x->r)) {
        judging_lacks_memory(j);
    } else if (!model.reference_inaccurate) {
        double g = model.gamma + condition + (x->gram_schmidt || !j->torch ? model.kappa : 0);
        double unit = j->e.u * evidence_at(&j->e, step, tensor)->scale * g;
        ok = judge_out(j, &p->kept_outputs, step, tensor, &model, unit);
    }
    free(basis);
    model_output_free(&model);
    return ok;
}

/* WRM-002: the kept Q is Mb^T P, averaged, whatever P is. */
static bool judge_new_q(judging *j, probes *p, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    bool lacks = false, ok = true;
    if (!j->torch || !j->c->config.warm_start || !evidence_at(&j->e, step, tensor)->knows_mean) {
        return true;
    }
    double *own_p = evidence_factor(trace_p(j->t, step, x->bucket, x->tensor), x->n * x->r, &lacks);
    double *own_q = evidence_factor(trace_q(j->t, step, x->bucket, x->tensor), x->m * x->r, &lacks);
    double *expected = calloc(x->m * x->r, sizeof *expected);
    if (lacks || expected == NULL) {
        judging_lacks_memory(j);
    } else if (own_p == NULL || own_q == NULL) {
        probe_unobserved(j, &p->q_averaged, "the port does not show P and Q");
    } else if (all_finite(own_p, x->n * x->r) && all_finite(own_q, x->m * x->r)) {
        matmul_tn(expected, evidence_mean(&j->e, step, tensor), own_p, x->n, x->m, x->r);
        check_place place = place_of(j, step, tensor, STAGE_NEW_Q);
        ok = probe_compare(j, &p->q_averaged, own_q, expected, x->m, x->r,
                           j->e.u * evidence_at(&j->e, step, tensor)->scale, &place);
    }
    free(own_p);
    free(own_q);
    free(expected);
    return ok;
}

void judge_one_step(judging *j)
{
    if ((j->claims & PSGD_CLAIM_ALTERNATING) != 0) {
        return;
    }
    probes p = {.drawn_torch = probe_for("PSGD-RND-002", LIMIT_ONE_STEP),
                .drawn_first = probe_for("PSGD-AGG-002", LIMIT_ONE_STEP),
                .drawn_ranks = probe_for("PSGD-RND-001", LIMIT_ONE_STEP),
                .drawn_again = probe_for("PSGD-WRM-003", LIMIT_ONE_STEP),
                .gram_schmidt = probe_for("PSGD-ORT-002", LIMIT_ONE_STEP),
                .kept = probe_for("PSGD-WRM-001", LIMIT_ONE_STEP),
                .kept_p = probe_for("PSGD-WRM-001", LIMIT_FACTOR),
                .kept_epsilon = probe_for("PSGD-ORT-004", LIMIT_ONE_STEP),
                .kept_outputs = probe_for("PSGD-WRM-001", LIMIT_FROM_OUTPUTS),
                .p_gs = probe_for("PSGD-ORT-002", LIMIT_FACTOR),
                .p_qr = probe_for("PSGD-ORT-003", LIMIT_FACTOR),
                .q_averaged = probe_for("PSGD-WRM-002", LIMIT_OWN_FACTORS)};
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        for (int64_t step = j->c->config.start_iter; step < j->e.steps; step++) {
            if (!judging_is_comparable(j, i, step)) {
                continue;
            }
            bool ok = judge_drawn(j, &p, step, i) && judge_kept(j, &p, step, i);
            if (ok && !evidence_is_fresh(&j->e, step)) {
                ok = judge_from_outputs(j, &p, step, i);
            }
            if (!ok) {
                judging_stop(j, i, step);
            } else if (!judge_new_q(j, &p, step, i)) { /* what is kept is wrong, what came out is not */
                judging_stop(j, i, step + 1);
            }
        }
    }
}

/* FLT-003 from outputs alone: held against the model, and against one that forgets the error of the padding, which must
 * differ for this to be trusted. False: the output is what such a port gives. */
static bool judge_fed_back(judging *j, probe *p, int64_t step, size_t tensor, double unit)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    size_t at = (size_t)step * j->c->bucket_count + x->bucket;
    const double *out = evidence_out(&j->e, step, tensor);
    double most = judging_limit(j, p->row);
    check_place place = place_of(j, step, tensor, STAGE_M), unused = place;
    double ratio = difference_ratio_shown(j, out, j->free_running->out[at], tensor, unit, &place);
    double forgetful = difference_ratio_shown(j, out, j->forgetful->out[at], tensor, unit, &unused);
    double apart = difference_ratio_shown(j, j->free_running->out[at], j->forgetful->out[at], tensor, 1, &unused);
    return (!(ratio <= most) && !(forgetful <= most)) || probe_measure(j, p, ratio, most * unit / apart, &place);
}

/* The requirement that a free-running result stands for, once single steps are right: what is carried between steps. */
static const char *carried(const judging *j)
{
    const psgd_config *config = &j->c->config;
    return config->use_error_feedback ? "PSGD-EF-004" : config->warm_start ? "PSGD-WRM-001" : "PSGD-WRM-003";
}

void judge_free_running(judging *j)
{
    const model_run *run = j->free_running;
    if (run == NULL || (j->claims & PSGD_CLAIM_ALTERNATING) != 0) {
        return;
    }
    probe p = probe_for(carried(j), LIMIT_FREE_RUNNING), fed_back = probe_for("PSGD-FLT-003", LIMIT_FREE_RUNNING);
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        const evidence_tensor *x = &j->e.tensors[i];
        bool method_free = x->gram_schmidt || !j->torch;
        for (int64_t step = j->c->config.start_iter; step < j->e.steps; step++) {
            size_t at = evidence_model_entry(&j->e, step, i);
            bool epsilon_decides = j->torch && x->gram_schmidt;
            if (!judging_is_comparable(j, i, step) || run->reference_inaccurate[at] ||
                !(judging_projects(j, i) || epsilon_decides)) {
                break; /* whatever is irregular spoils what comes after */
            }
            double amplification = run->amplification[at] + (method_free ? run->kappa[at] : 0);
            if (!(run->amplification[at] * j->e.u <= SKIP_CONDITION)) {
                break;
            }
            const double *expected = run->out[(size_t)step * j->c->bucket_count + x->bucket] + x->offset;
            check_place place = place_of(j, step, i, STAGE_OUT);
            double unit = j->e.u * judging_scale(j, step, i) * amplification;
            if (step > j->c->config.start_iter && j->forgetful != NULL &&
                !judge_fed_back(j, &fed_back, step, i, unit)) {
                judging_stop(j, i, step);
            } else if (step > j->c->config.start_iter &&
                       !probe_compare_shown(j, &p, evidence_out(&j->e, step, i), expected, i, unit, &place)) {
                judging_stop(j, i, step);
            }
        }
    }
}
