/* law_mean.c: what is a plain mean: every tensor before start_iter (ITR-001), uncompressed tensors ever after
 * (AGG-003). Row 4, ||out - Mb||_F <= max(4, W) u S: a sum of W values makes at most W roundings. Where the data are
 * small integers and W divides them, every order of summation is exact, and so must the output be. A plain sum that
 * overflows where the mean does not is AGG-010's, a SHOULD; in compressed steps the hook overflows too. A mean that is
 * all denormals may be flushed to zero, as devices do: that is NUM-002's, a SHOULD, but in f16, whose denormals begin
 * at 6e-5, where gradients are. */
#include "judge/judging.h"

#include <float.h>
#include <math.h>

/* No rounding happens in the sum of G_k, nor in the division by W, whichever comes first. */
static bool is_exact(const judging *j, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    int world = j->c->world;
    bool power_of_two = (world & (world - 1)) == 0;
    double most = 2 / (j->e.u * world); /* integers up to 2 / u, and so every partial sum, are numbers of the type */
    if (j->c->config.use_error_feedback && step > j->c->config.start_iter) {
        return false; /* the memory need not be integers */
    }
    for (int k = 0; k < world; k++) {
        const values *in = case_in(j->c, step, x->bucket, k);
        for (size_t i = 0; i < x->length; i++) {
            double g = values_get(in, x->offset + i);
            bool small = g == floor(g) && fabs(g) <= most;
            if (!small || (!power_of_two && fmod(g, world) != 0)) {
                return false;
            }
        }
    }
    return x->n * x->m > 0;
}

/* Does the sum over the ranks leave the type's range, though the mean is within? */
static bool sum_overflows(const judging *j, int64_t step, size_t tensor)
{
    const double *mean = evidence_gradient(&j->e, step, tensor);
    double most = type_largest(j->c->dtype), largest = 0;
    for (size_t i = 0; i < j->e.tensors[tensor].length; i++) {
        largest = fmax(largest, fabs(mean[i]));
    }
    return largest <= most && largest * j->c->world > most;
}

static bool is_denormal(const judging *j, int64_t step, size_t tensor)
{
    const double *mean = evidence_gradient(&j->e, step, tensor);
    double largest = 0;
    for (size_t i = 0; i < j->e.tensors[tensor].length; i++) {
        largest = fmax(largest, fabs(mean[i]));
    }
    return j->c->dtype != PSGD_F16 && largest > 0 && largest < (j->c->dtype == PSGD_F64 ? DBL_MIN : FLT_MIN);
}

static void judge_tensor(judging *j, probe *rounded, probe *exact, int64_t step, size_t tensor)
{
    const evidence *e = &j->e;
    const evidence_tensor *x = &e->tensors[tensor];
    const tensor_evidence *at = evidence_at(e, step, tensor);
    if (!judging_may(j, tensor, step) || x->n * x->m == 0 ||
        (at->regard != REGARD_FULL && at->regard != REGARD_DEFICIENT)) {
        return;
    }
    check_place place = place_of(j, step, tensor, STAGE_OUT);
    const double *out = evidence_out(e, step, tensor), *mean = evidence_mean(e, step, tensor);
    bool ok = probe_compare_limit(j, rounded, out, mean, x->n, x->m, e->u * at->scale,
                                  limit_mean(j->c->world, j->c->dtype), &place);
    if (ok && is_exact(j, step, tensor)) {
        double ratio = difference_ratio(out, mean, x->n, x->m, 1, &place);
        ok = probe_measure(j, exact, ratio, 0, &place);
    }
    if (!ok) {
        judging_stop(j, tensor, step);
    }
}

void judge_mean(judging *j)
{
    probe plain = probe_for("PSGD-ITR-001", LIMIT_MEAN), plain_exact = probe_for("PSGD-ITR-001", LIMIT_EXACT);
    probe kept = probe_for("PSGD-AGG-003", LIMIT_MEAN), kept_exact = probe_for("PSGD-AGG-003", LIMIT_EXACT);
    probe divided = probe_for("PSGD-AGG-010", LIMIT_MEAN), divided_exact = probe_for("PSGD-AGG-010", LIMIT_EXACT);
    probe tiny = probe_for("PSGD-NUM-002", LIMIT_MEAN), tiny_exact = probe_for("PSGD-NUM-002", LIMIT_EXACT);
    for (int64_t step = 0; step < j->e.steps; step++) {
        bool compressed_step = evidence_is_compressed_step(&j->e, step);
        if (compressed_step && (j->c->problem.flattened || !j->selection_known)) {
            return; /* the flattened variant compresses everything */
        }
        for (size_t i = 0; i < j->e.tensor_count; i++) {
            if (!compressed_step && is_denormal(j, step, i)) {
                judge_tensor(j, &tiny, &tiny_exact, step, i);
            } else if (!compressed_step && sum_overflows(j, step, i)) {
                judge_tensor(j, &divided, &divided_exact, step, i);
            } else if (!compressed_step) {
                judge_tensor(j, &plain, &plain_exact, step, i);
            } else if (!j->e.tensors[i].compressed) {
                judge_tensor(j, &kept, &kept_exact, step, i);
            }
        }
    }
}
