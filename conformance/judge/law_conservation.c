/* law_conservation.c: error feedback where the port shows its E.
 *
 * EF-001, EF-004, row 2: out + mean_k E_k = Mb. EF-002 and EF-003 (torch), row 3: E_k = M_k - out with the rank's own
 * M_k, one rounding of each of two operands; and bit for bit the rounded difference of the rounded sum. ITR-003: E
 * after the first compressed step holds nothing from the plain phase. Where E is hidden, law_projection.c judges the
 * memory by what it does to outputs. */
#include "judge/judging.h"

#include "judge/linalg.h"

#include <math.h>
#include <stdlib.h>

typedef struct probes {
    probe conserves, overwrites, local, local_exact, uncompressed, uncompressed_exact, untouched;
} probes;

/* Rounded to the bucket's type. */
static double rounded(double x, psgd_dtype dtype)
{
    unsigned char element[sizeof(double)];
    values one = {.dtype = dtype, .count = 1, .data = element};
    values_set(&one, 0, x);
    return values_get(&one, 0);
}

/* Conservation at one step: out + mean E against Mb. */
static bool judge_sum(judging *j, probes *p, int64_t step, size_t tensor)
{
    const evidence *e = &j->e;
    size_t count = e->tensors[tensor].n * e->tensors[tensor].m;
    const double *out = evidence_out(e, step, tensor), *error = evidence_error(e, step, tensor);
    double *sum = calloc(count, sizeof *sum);
    if (sum == NULL) {
        judging_lacks_memory(j);
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        sum[i] = out[i] + error[i];
    }
    check_place place = place_of(j, step, tensor, STAGE_ERROR);
    double unit = e->u * evidence_at(e, step, tensor)->scale;
    bool ok = probe_compare_shown(j, &p->conserves, sum, evidence_mean(e, step, tensor), tensor, unit, &place);
    if (ok && step > j->c->config.start_iter) {
        ok = probe_compare_shown(j, &p->overwrites, sum, evidence_mean(e, step, tensor), tensor, unit, &place);
    }
    free(sum);
    return ok;
}

/* Is `extra`, what E has too much, what a memory kept in the plain phase would hold: G_k minus the mean, of the last
 * plain step or of all of them? */
static bool is_from_plain_phase(judging *j, size_t tensor, int rank, const double *extra)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    size_t count = x->length;
    double extra_norm = norm_frobenius(extra, count);
    double last = 0, all = 0;
    for (size_t i = 0; i < count; i++) {
        double sum = 0, kept = 0;
        for (int64_t step = 0; step < j->c->config.start_iter; step++) {
            kept = values_get(case_in(j->c, step, x->bucket, rank), x->offset + i) -
                   evidence_gradient(&j->e, step, tensor)[i];
            sum += kept;
        }
        last = hypot(last, extra[i] - kept);
        all = hypot(all, extra[i] - sum);
    }
    return j->c->config.start_iter > 0 && (last <= 0.1 * extra_norm || all <= 0.1 * extra_norm);
}

/* One rank's E of one tensor. */
static bool judge_rank(judging *j, probes *p, int64_t step, size_t tensor, int rank)
{
    const evidence *e = &j->e;
    const evidence_tensor *x = &e->tensors[tensor];
    size_t count = x->length; /* the flattened variant's padding is law_flattened.c's */
    bool lacks = false, first = step == j->c->config.start_iter;
    double *error = evidence_part(e, trace_error(j->t, step, x->bucket, rank), tensor, &lacks);
    double *local = evidence_part(e, case_in(j->c, step, x->bucket, rank), tensor, &lacks);
    double *memory = first ? NULL : evidence_part(e, trace_error(j->t, step - 1, x->bucket, rank), tensor, &lacks);
    double *expected = calloc(count, sizeof *expected);
    bool ok = true;
    if (lacks || expected == NULL) {
        judging_lacks_memory(j);
    } else if (error != NULL && local != NULL && (first || memory != NULL)) {
        const double *out = evidence_out(e, step, tensor);
        for (size_t i = 0; i < count; i++) {
            local[i] = rounded(local[i] + (first ? 0 : memory[i]), j->c->dtype);
            expected[i] = rounded(local[i] - out[i], j->c->dtype);
        }
        double unit = e->u * (norm_frobenius(local, count) + norm_frobenius(out, count));
        check_place place = place_of(j, step, tensor, STAGE_ERROR);
        place.rank = rank;
        check_place where = place;
        double ratio = difference_ratio_shown(j, error, expected, tensor, unit, &where);
        bool within = ratio <= judging_limit(j, LIMIT_LOCAL_ERROR);
        for (size_t i = 0; !within && first && i < count; i++) {
            memory = memory == NULL ? calloc(count, sizeof *memory) : memory;
            if (memory == NULL) {
                break;
            }
            memory[i] = error[i] - expected[i];
        }
        if (!within && first && memory != NULL && is_from_plain_phase(j, tensor, rank, memory)) {
            ok = probe_expect(j, &p->untouched, false, &where, "E holds what the plain phase left");
        } else {
            /* E may be small beside M_k and out: it is of their scale that the limit is a part */
            double power = judging_limit(j, LIMIT_LOCAL_ERROR) * unit / norm_frobenius(expected, count);
            ok = probe_measure(j, x->compressed ? &p->local : &p->uncompressed, ratio, power, &where);
            if (ok && first && j->c->config.start_iter > 0) {
                probe_measure(j, &p->untouched, ratio, power, &where);
            }
        }
        if (ok) {
            ratio = difference_ratio_shown(j, error, expected, tensor, 1, &place);
            ok = probe_measure(j, x->compressed ? &p->local_exact : &p->uncompressed_exact, ratio, 0, &place);
        }
    }
    free(error);
    free(local);
    free(memory);
    free(expected);
    return ok;
}

static bool is_judged(const judging *j, int64_t step, size_t tensor)
{
    size_t count = j->e.tensors[tensor].length;
    return judging_may(j, tensor, step) && count > 0 && all_finite(evidence_out(&j->e, step, tensor), count) &&
           all_finite(evidence_mean(&j->e, step, tensor), count);
}

void judge_conservation(judging *j)
{
    if (!j->c->config.use_error_feedback) {
        return;
    }
    probes p = {.conserves = probe_for("PSGD-EF-001", LIMIT_CONSERVATION),
                .overwrites = probe_for("PSGD-EF-004", LIMIT_CONSERVATION),
                .local = probe_for("PSGD-EF-002", LIMIT_LOCAL_ERROR),
                .local_exact = probe_for("PSGD-EF-002", LIMIT_EXACT),
                .uncompressed = probe_for("PSGD-EF-003", LIMIT_LOCAL_ERROR),
                .uncompressed_exact = probe_for("PSGD-EF-003", LIMIT_EXACT),
                .untouched = probe_for("PSGD-ITR-003", LIMIT_LOCAL_ERROR)};
    for (int64_t step = j->c->config.start_iter; step < j->e.steps; step++) {
        for (size_t i = 0; i < j->e.tensor_count; i++) {
            bool compressed = j->e.tensors[i].compressed;
            if (evidence_error(&j->e, step, i) == NULL) {
                if (j->torch) {
                    probe_unobserved(j, compressed ? &p.local : &p.uncompressed, "the port does not show E");
                }
                continue;
            }
            bool ok = !is_judged(j, step, i) || judge_sum(j, &p, step, i);
            for (int k = 0; j->torch && is_judged(j, step, i) && k < j->c->world; k++) {
                ok = judge_rank(j, &p, step, i, k) && ok;
            }
            if (!ok) { /* the outputs of this step are right all the same: it is E that spoils the next */
                judging_stop(j, i, step + 1);
            }
        }
    }
}
