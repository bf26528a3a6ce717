/* law_degenerate.c: zeros, NaN and Inf.
 *
 * ORT-005: where every M_k is zero, the output is exactly zero; at epsilon 0 on the Gram-Schmidt path NaN is accepted
 * as well (the hook divides zero by zero), and for every M below rank r' there. Without claim torch that path may be
 * taken at any rank. Everywhere else what is finite stays
 * finite. NUM-004 (torch): with Gram-Schmidt, epsilon above 0 and warm start, a Q that is zero stays zero, and so does
 * the output. NUM-001: NaN and Inf stay visible in their own tensor; that others are not touched is companion.c's. */
#include "judge/judging.h"

#include "judge/linalg.h"

#include <math.h>

typedef struct probes {
    probe columns, dead, visible;
} probes;

static size_t count_nonfinite(const double *a, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        found += isfinite(a[i]) ? 0 : 1;
    }
    return found;
}

/* The first element for which (a is finite) == finite. */
static void point_to(check_place *place, const double *a, size_t count, size_t m, bool finite)
{
    for (size_t i = 0; i < count; i++) {
        if (isfinite(a[i]) == finite) {
            place->row = (int64_t)(i / m);
            place->column = (int64_t)(i % m);
            place->got = a[i];
            return;
        }
    }
}

/* M_k holds NaN or Inf in this step, or, where memory keeps it, held it in an earlier one. */
static bool judge_nonfinite(judging *j, probes *p, int64_t step, size_t tensor, bool sticks)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    size_t count = x->length;
    const double *out = evidence_out(&j->e, step, tensor);
    bool compresses = x->compressed && evidence_is_compressed_step(&j->e, step);
    check_place place = place_of(j, step, tensor, STAGE_OUT);
    place.expected = NAN;
    size_t found = count_nonfinite(out, count);
    point_to(&place, out, count, x->m, true);
    bool throughout = compresses && j->torch;
    return probe_expect(
        j, &p->visible, throughout ? found == count : found > 0, &place,
        sticks ? "NaN of an earlier step is gone, though memory holds it: %zu of %zu elements are not finite"
               : "NaN or Inf went in: %zu of %zu elements of the output are not finite",
        found, count);
}

/* Everything that went in is finite. */
static bool judge_finite(judging *j, probes *p, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const tensor_evidence *at = evidence_at(&j->e, step, tensor);
    size_t count = x->length;
    const double *out = evidence_out(&j->e, step, tensor);
    check_place place = place_of(j, step, tensor, STAGE_OUT);
    double epsilon = j->e.epsilon;
    bool finite = all_finite(out, count), deficient = at->knows_mean && !(at->sigma_r > 10 * j->e.u * at->scale);
    bool may_be_nan = epsilon == 0 && (x->gram_schmidt ? at->regard != REGARD_FULL : deficient && !j->torch);
    if (!all_finite(evidence_mean(&j->e, step, tensor), count)) {
        return true; /* what the port remembered was not finite: not this step's columns */
    }
    if (at->scale == 0) {
        bool ok = all_zero(out, count) || (may_be_nan && count_nonfinite(out, count) == count);
        point_to(&place, out, count, x->m, finite);
        place.expected = 0;
        return probe_expect(j, &p->columns, ok, &place, "zero gradients did not come out as zeros");
    }
    if (at->regard == REGARD_DEFICIENT || (!x->gram_schmidt && deficient)) {
        point_to(&place, out, count, x->m, false);
        return probe_expect(j, &p->columns, finite || may_be_nan, &place,
                            "dependent columns made the output not finite");
    }
    return true; /* full rank: the other laws refuse NaN */
}

/* Once Q is zero under epsilon: x / (0 + epsilon) stays zero. */
static bool judge_dead(judging *j, probes *p, int64_t step, size_t tensor, bool *dead)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const psgd_config *config = &j->c->config;
    if (!j->torch || !x->gram_schmidt || !(j->e.epsilon > 0) || !config->warm_start) {
        return true;
    }
    const double *out = evidence_out(&j->e, step, tensor);
    bool ok = true;
    if (*dead) {
        check_place place = place_of(j, step, tensor, STAGE_OUT);
        place.expected = 0;
        for (size_t i = 0; i < x->n * x->m; i++) {
            if (!(out[i] == 0)) {
                place.row = (int64_t)(i / x->m);
                place.column = (int64_t)(i % x->m);
                place.got = out[i];
                break;
            }
        }
        ok = probe_expect(j, &p->dead, all_zero(out, x->n * x->m), &place, "Q was zero and came back to life");
    }
    *dead = *dead || evidence_at(&j->e, step, tensor)->scale == 0;
    return ok;
}

void judge_degenerate(judging *j)
{
    probes p = {.columns = probe_for("PSGD-ORT-005", LIMIT_STRUCTURE),
                .dead = probe_for("PSGD-NUM-004", LIMIT_STRUCTURE),
                .visible = probe_for("PSGD-NUM-001", LIMIT_STRUCTURE)};
    const psgd_config *config = &j->c->config;
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        const evidence_tensor *x = &j->e.tensors[i];
        bool dead = false, poisoned = false;
        for (int64_t step = 0; step < j->e.steps && x->length > 0 && judging_may(j, i, step); step++) {
            bool compresses = x->compressed && evidence_is_compressed_step(&j->e, step);
            bool ok = true;
            if (evidence_at(&j->e, step, i)->regard == REGARD_NONFINITE ||
                !all_finite(evidence_gradient(&j->e, step, i), x->length)) {
                ok = judge_nonfinite(j, &p, step, i, false);
                poisoned = compresses && (config->warm_start || config->use_error_feedback);
            } else if (poisoned) {
                ok = judge_nonfinite(j, &p, step, i, true);
            } else if (compresses) {
                ok = judge_finite(j, &p, step, i) && judge_dead(j, &p, step, i, &dead);
            }
            if (!ok) {
                judging_stop(j, i, step);
            }
        }
    }
}
