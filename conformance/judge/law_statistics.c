/* law_statistics.c: STA-001. Integers exact, from the first compressed step on: n m before; (n + m) r' after where
 * compressed, n m else. The rate is their quotient, to one rounding; 0 when nothing was counted. Under torch the
 * elements on the wire of a compressed step are the same numbers. */
#include "judge/judging.h"

#include <inttypes.h>
#include <math.h>

static void judge_rate(judging *j, probe *rate, const psgd_statistics *value, check_place place)
{
    double expected = value->numel_after_compression == 0
                          ? 0
                          : (double)value->numel_before_compression / (double)value->numel_after_compression;
    place.got = value->compression_rate;
    place.expected = expected;
    probe_expect(j, rate, fabs(value->compression_rate - expected) <= 0x1p-52 * expected, &place,
                 "the rate is not before / after");
}

void judge_statistics(judging *j)
{
    if (!j->torch || j->c->problem.flattened) {
        return;
    }
    const evidence *e = &j->e;
    probe counts = probe_for("PSGD-STA-001", LIMIT_EXACT), choice = probe_for("PSGD-SEL-001", LIMIT_EXACT);
    uint64_t before = 0, after = 0, step_after = 0, step_before = 0;
    for (size_t i = 0; i < e->tensor_count; i++) {
        const evidence_tensor *x = &e->tensors[i];
        step_before += x->n * x->m;
        step_after += x->compressed ? (x->n + x->m) * x->r : x->n * x->m;
    }
    for (int64_t step = 0; step < e->steps; step++) {
        const trace_statistics *counted = &j->t->statistics[step];
        check_place place = CHECK_NOWHERE;
        place.step = step;
        place.stage = STAGE_STATE;
        bool compressed_step = evidence_is_compressed_step(e, step);
        before += compressed_step ? step_before : 0;
        after += compressed_step ? step_after : 0;
        int64_t wire = j->t->wire[(size_t)step * (size_t)j->t->world];
        if (compressed_step && wire >= 0 && j->c->world > 1) {
            place.got = (double)wire;
            place.expected = (double)step_after;
            probe_expect(j, &choice, (uint64_t)wire == step_after, &place,
                         "%" PRId64 " elements on the wire, %" PRIu64 " expected", wire, step_after);
        }
        if (!counted->shown) {
            if (compressed_step) {
                probe_unobserved(j, &counts, "the port shows no statistics");
            }
            continue;
        }
        place.got = (double)counted->value.numel_after_compression;
        place.expected = (double)after;
        bool ok = probe_expect(
            j, &counts,
            counted->value.numel_before_compression == before && counted->value.numel_after_compression == after,
            &place, "before %" PRIu64 " after %" PRIu64 ", expected %" PRIu64 " and %" PRIu64,
            counted->value.numel_before_compression, counted->value.numel_after_compression, before, after);
        if (!ok) {
            return; /* the counters add up: every later step is wrong too */
        }
        judge_rate(j, &counts, &counted->value, place);
    }
}
