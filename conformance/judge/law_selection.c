/* law_selection.c: was a tensor compressed, as seen from outside? SEL-001 (which tensors), ITR-001 (from which step
 * on), ITR-004 (at all). From outputs: the mean's distance to its own rank r' part must be far above rounding, or
 * nothing can be told; then an output within row 4's limit of the mean was not compressed, and one of rank r' (row 1c)
 * was. The flattened variant compresses every bucket: there SEL-001 has nothing to say, and where only a part of the
 * square is known, an output that is not the mean was compressed. */
#include "judge/judging.h"

#include "judge/linalg.h"

#include <math.h>
#include <stdlib.h>

typedef enum seen { SEEN_NOTHING, SEEN_MEAN, SEEN_COMPRESSED } seen;

/* sigma_{r'+1} of a, 0 if it has no more than r' singular values; NaN if not finite. */
static double rank_tail(judging *j, const double *a, const evidence_tensor *x)
{
    size_t least = x->n < x->m ? x->n : x->m;
    if (x->r >= least || !all_finite(a, x->n * x->m)) {
        return x->r >= least ? 0 : (double)NAN;
    }
    double tail = NAN;
    if (!chosen_singular_values(a, x->n, x->m, &x->r, 1, &tail)) {
        judging_lacks_memory(j);
        tail = NAN;
    }
    return tail;
}

static seen look(judging *j, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const double *out = evidence_out(&j->e, step, tensor), *mean = evidence_mean(&j->e, step, tensor);
    double unit = j->e.u * evidence_at(&j->e, step, tensor)->scale;
    double rounding = judging_limit(j, LIMIT_RANK_TAIL) * unit;
    const tensor_evidence *at = evidence_at(&j->e, step, tensor);
    if (!at->knows_mean || !(rank_tail(j, mean, x) > 10 * rounding)) {
        return SEEN_NOTHING;
    }
    check_place unused = CHECK_NOWHERE;
    const double most = limit_mean(j->c->world, j->c->dtype);
    if (difference_ratio_shown(j, out, mean, tensor, unit, &unused) <= most) {
        /* What has rank r' is as far from the mean as the mean's tail; a large world's limit may reach that far. */
        return rank_tail(j, mean, x) > most * unit + rounding ? SEEN_MEAN : SEEN_NOTHING;
    }
    if (!at->knows_out) {
        return all_finite(out, x->length) ? SEEN_COMPRESSED : SEEN_NOTHING;
    }
    return rank_tail(j, out, x) <= rounding ? SEEN_COMPRESSED : SEEN_NOTHING;
}

/* SEL-001 at the first compressed step, from outputs and from which factors are shown. */
static void judge_choice(judging *j)
{
    const evidence *e = &j->e;
    int64_t step = j->c->config.start_iter;
    bool shows_factors = false;
    for (size_t i = 0; i < e->tensor_count; i++) {
        shows_factors = shows_factors || trace_p(j->t, step, e->tensors[i].bucket, e->tensors[i].tensor)->data != NULL;
    }
    probe choice = probe_for("PSGD-SEL-001", LIMIT_STRUCTURE);
    for (size_t i = 0; i < e->tensor_count; i++) {
        const evidence_tensor *x = &e->tensors[i];
        check_place place = place_of(j, step, i, STAGE_OUT);
        if (!judging_may(j, i, step) || x->n * x->m == 0) {
            continue;
        }
        seen what = look(j, step, i);
        bool ok =
            what == SEEN_NOTHING || probe_expect(j, &choice, (what == SEEN_COMPRESSED) == x->compressed, &place,
                                                 "%zu x %zu at rank %zu %s, the formula says %s", x->n, x->m, x->r,
                                                 what == SEEN_COMPRESSED ? "was compressed" : "was not compressed",
                                                 x->compressed ? "compress" : "do not");
        if (ok && shows_factors && j->torch) {
            bool shown = trace_p(j->t, step, x->bucket, x->tensor)->data != NULL;
            ok = probe_expect(j, &choice, shown == x->compressed, &place, "%zu x %zu at rank %zu %s factors", x->n,
                              x->m, x->r, shown ? "has" : "has no");
        }
        if (!ok) {
            judging_stop(j, i, step);
        }
    }
}

static bool is_compressed_later(judging *j, int64_t step, size_t tensor)
{
    for (step++; step < j->e.steps; step++) {
        if (look(j, step, tensor) == SEEN_COMPRESSED) {
            return true;
        }
    }
    return false;
}

/* ITR-001: the first compressed step is step start_iter, not a later one. A tensor that is never compressed was not
 * selected, which is SEL-001's where that is tested. */
static void judge_start(judging *j)
{
    int64_t step = j->c->config.start_iter;
    probe start = probe_for("PSGD-ITR-001", LIMIT_STRUCTURE);
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        if (!judging_is_comparable(j, i, step)) {
            continue;
        }
        check_place place = place_of(j, step, i, STAGE_OUT);
        seen what = look(j, step, i);
        bool judged = what == SEEN_COMPRESSED ||
                      (what == SEEN_MEAN && (!(j->torch || j->e.flattened) || is_compressed_later(j, step, i)));
        if (judged &&
            !probe_expect(j, &start, what == SEEN_COMPRESSED, &place, "step start_iter is still a plain mean")) {
            judging_stop(j, i, step);
        }
    }
}

/* What this step's compression should save on the wire. */
static void expected_numel(const evidence *e, uint64_t *before, uint64_t *after)
{
    *before = *after = 0;
    for (size_t i = 0; i < e->tensor_count; i++) {
        const evidence_tensor *x = &e->tensors[i];
        *before += x->length;
        *after += x->compressed ? (x->n + x->m) * x->r : x->length;
    }
}

/* ITR-004: over the whole run, did anything show compression, and did anything show its absence? */
static void judge_path(judging *j)
{
    const evidence *e = &j->e;
    uint64_t before, after;
    expected_numel(e, &before, &after);
    if (after >= before) {
        return; /* nothing is saved: outputs alone cannot tell */
    }
    size_t for_it = 0, against = 0;
    check_place place = CHECK_NOWHERE; /* of the first observation against it */
    place.stage = STAGE_STATE;
    for (int64_t step = j->c->config.start_iter; step < e->steps; step++) {
        const trace_statistics *counted = &j->t->statistics[step];
        int64_t wire = j->t->wire[(size_t)step * (size_t)j->t->world];
        if (counted->shown) {
            *(counted->value.numel_after_compression < counted->value.numel_before_compression ? &for_it : &against) +=
                1;
        }
        if (wire >= 0) {
            *((uint64_t)wire < before ? &for_it : &against) += 1;
        }
        for (size_t i = 0; i < e->tensor_count; i++) {
            if (e->tensors[i].compressed && evidence_at(e, step, i)->regard == REGARD_FULL) {
                seen what = look(j, step, i);
                for_it += what == SEEN_COMPRESSED;
                against += what == SEEN_MEAN;
            }
        }
        place.step = against > 0 && place.step < 0 ? step : place.step;
    }
    probe path = probe_for("PSGD-ITR-004", LIMIT_STRUCTURE);
    if (for_it + against > 0) {
        probe_expect(j, &path, against == 0, &place, "%zu of %zu observations after start_iter show no compression",
                     against, for_it + against);
    }
}

void judge_selection(judging *j)
{
    if (j->e.steps <= j->c->config.start_iter) {
        return;
    }
    judge_start(j);
    if (j->torch && !j->e.flattened) {
        judge_choice(j);
    }
    judge_path(j);
}
