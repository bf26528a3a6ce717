/* law_statistics.c: STA-001. Integers exact, from the first compressed step on: n m before; (n + m) r' after where
 * compressed, n m else; flattened: a bucket's length before, 2 side r after. The rate is their quotient, to one
 * rounding; 0 when nothing was counted. Under torch the elements on the wire of a compressed step are the same numbers:
 * if they are those of a plain mean at start_iter, ITR-001 is broken; if those of another choice, SEL-001; else
 * something was not summed, or something else was: AGG-002. Not where a tensor is stopped: its fault has been named,
 * and what it sends follows from it. */
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

/* Would `wire` elements be right if one tensor more, or one less, were compressed? */
static bool is_other_choice(const evidence *e, uint64_t wire, uint64_t expected)
{
    for (size_t i = 0; i < e->tensor_count; i++) {
        const evidence_tensor *x = &e->tensors[i];
        uint64_t whole = x->n * x->m, factors = (x->n + x->m) * x->r;
        uint64_t now = x->compressed ? factors : whole, other = x->compressed ? whole : factors;
        if (now != other && wire + now == expected + other) {
            return true;
        }
    }
    return false;
}

static bool all_may(const judging *j, int64_t step)
{
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        if (!judging_may(j, i, step)) {
            return false;
        }
    }
    return true;
}

typedef struct wire_probes {
    probe start, choice, sums, square;
} wire_probes;

/* The elements that rank 0 put on the wire in one compressed step. plain: as many as there are. */
static void judge_wire(judging *j, wire_probes *p, uint64_t expected, uint64_t plain, check_place place)
{
    int64_t wire = j->t->wire[(size_t)place.step * (size_t)j->t->world];
    if (wire < 0 || j->c->world == 1 || !all_may(j, place.step)) {
        return;
    }
    uint64_t seen = (uint64_t)wire;
    place.got = (double)wire;
    place.expected = (double)expected;
    if (seen == expected) {
        probe_expect(j, j->e.flattened ? &p->square : &p->choice, true, &place, " ");
    } else if (seen == plain && place.step == j->c->config.start_iter) {
        probe_expect(j, &p->start, false, &place, "%" PRIu64 " elements on the wire, as in a plain mean", seen);
    } else if (j->e.flattened && seen != expected / 2) { /* else P or Q was not summed */
        probe_expect(j, &p->square, false, &place,
                     "%" PRIu64 " elements on the wire, %" PRIu64 " expected: P and Q of each bucket's square", seen,
                     expected);
    } else if (!j->e.flattened && is_other_choice(&j->e, seen, expected)) {
        probe_expect(j, &p->choice, false, &place,
                     "%" PRIu64 " elements on the wire, %" PRIu64 " expected: those of another choice of tensors", seen,
                     expected);
    } else {
        probe_expect(j, &p->sums, false, &place,
                     "%" PRIu64 " elements on the wire, %" PRIu64
                     " expected: P, Q and all that is not compressed, once each",
                     seen, expected);
    }
}

void judge_statistics(judging *j)
{
    if (!j->torch) {
        return;
    }
    const evidence *e = &j->e;
    probe counts = probe_for("PSGD-STA-001", LIMIT_EXACT);
    wire_probes on_wire = {.start = probe_for("PSGD-ITR-001", LIMIT_EXACT),
                           .choice = probe_for("PSGD-SEL-001", LIMIT_EXACT),
                           .sums = probe_for("PSGD-AGG-002", LIMIT_EXACT),
                           .square = probe_for("PSGD-FLT-001", LIMIT_EXACT)};
    uint64_t before = 0, after = 0, step_after = 0, step_before = 0;
    for (size_t i = 0; i < e->tensor_count; i++) {
        const evidence_tensor *x = &e->tensors[i];
        step_before += x->length;
        step_after += x->compressed ? (x->n + x->m) * x->r : x->length;
    }
    for (int64_t step = 0; step < e->steps; step++) {
        const trace_statistics *counted = &j->t->statistics[step];
        check_place place = CHECK_NOWHERE;
        place.step = step;
        place.stage = STAGE_STATE;
        bool compressed_step = evidence_is_compressed_step(e, step);
        before += compressed_step ? step_before : 0;
        after += compressed_step ? step_after : 0;
        if (compressed_step) {
            judge_wire(j, &on_wire, step_after, step_before, place);
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
