/* companion.c: two runs held against each other (harness/suite.h says which).
 *
 * Repeat: the same bits (NUM-003). Without ckpt=T, and without async: the same bits under determinism (CKP-001,
 * ASY-001). Without scale=K: times 2^K, exactly under determinism for |K| <= 40 (AGG-008): powers of two commute with
 * rounding. Without rev: the same but for rounding (AGG-007). NaN replaced: other tensors keep their bits under
 * determinism (NUM-001). Without determinism both runs are within row 8 of the exact result, so row 8 is what their
 * difference is held against; plain means are within row 4. */
#include "judge/judge.h"

#include "judge/judging.h"
#include "judge/linalg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXACT_SCALE 40 /* |K| up to which nothing over- or underflows */

typedef struct pair {
    judging a; /* the case as it says */
    evidence b;
    const trace *other;
    bool exact;
    double factor; /* what b's results are multiplied with */
    probe same, near, state;
} pair;

static const char *requirement_of(companion kind)
{
    switch (kind) {
    case COMPANION_NONE: return NULL;
    case COMPANION_REPEAT: return "PSGD-NUM-003";
    case COMPANION_UNSCALED: return "PSGD-AGG-008";
    case COMPANION_UNREVERSED: return "PSGD-AGG-007";
    case COMPANION_UNINTERRUPTED: return "PSGD-CKP-001";
    case COMPANION_BLOCKING: return "PSGD-ASY-001";
    case COMPANION_CLEAN: return "PSGD-NUM-001";
    }
    return NULL;
}

/* Element by element a == factor b, NaN equal to NaN. False: *i is where not. */
static bool equal_times(const values *a, const values *b, double factor, size_t first, size_t count, size_t *i)
{
    for (*i = first; *i < first + count; *i += 1) {
        double x = values_get(a, *i), y = values_get(b, *i) * factor;
        if (x != y && !(isnan(x) && isnan(y))) {
            return false;
        }
    }
    return true;
}

/* Arrays that one run shows and the other does not can't be compared: true. */
static bool compare_array(pair *p, const values *a, const values *b, double factor, size_t first, size_t count,
                          size_t columns, check_place place)
{
    size_t i;
    if (a->data == NULL || b->data == NULL) {
        return true;
    }
    bool fits = a->count == b->count && first + count <= a->count;
    bool ok = fits && equal_times(a, b, factor, first, count, &i);
    if (fits && !ok) {
        place.row = (int64_t)((i - first) / columns);
        place.column = (int64_t)((i - first) % columns);
        place.got = values_get(a, i);
        place.expected = values_get(b, i) * factor;
    }
    return probe_expect(&p->a, &p->same, ok, &place, "the two runs differ");
}

/* out and E of every rank, P and Q: equal. */
static bool compare_exactly(pair *p, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &p->a.e.tensors[tensor];
    const trace *a = p->a.t, *b = p->other;
    size_t columns = x->m == 0 ? 1 : x->m;
    bool ok = true;
    for (int k = 0; ok && k < p->a.c->world; k++) {
        check_place place = place_of(&p->a, step, tensor, STAGE_OUT);
        place.rank = k;
        ok = compare_array(p, trace_out(a, step, x->bucket, k), trace_out(b, step, x->bucket, k), p->factor, x->offset,
                           x->length, columns, place);
        place.stage = STAGE_ERROR;
        const values *error = trace_error(a, step, x->bucket, k);
        ok = ok && compare_array(p, error, trace_error(b, step, x->bucket, k), p->factor, x->offset,
                                 p->a.e.flattened ? error->count : x->length, columns, place); /* with its padding */
    }
    const bool scaled = p->factor != 1, alternating = (p->a.claims & PSGD_CLAIM_ALTERNATING) != 0;
    if (ok && x->compressed && !(scaled && alternating)) { /* there either factor holds the scale, by turns */
        check_place place = place_of(&p->a, step, tensor, STAGE_P_ORTHOGONAL);
        const values *factor = trace_p(a, step, x->bucket, x->tensor);
        ok = compare_array(p, factor, trace_p(b, step, x->bucket, x->tensor), 1, 0, factor->count, x->r, place);
        place.stage = STAGE_NEW_Q;
        factor = trace_q(a, step, x->bucket, x->tensor);
        ok = ok &&
             compare_array(p, factor, trace_q(b, step, x->bucket, x->tensor), p->factor, 0, factor->count, x->r, place);
    }
    return ok;
}

/* out within rounding. */
static bool compare_nearly(pair *p, int64_t step, size_t tensor)
{
    judging *j = &p->a;
    const evidence_tensor *x = &j->e.tensors[tensor];
    size_t count = x->length, at = evidence_model_entry(&j->e, step, tensor);
    bool compresses = x->compressed && evidence_is_compressed_step(&j->e, step);
    const double *out = evidence_out(&j->e, step, tensor);
    double unit = j->e.u * judging_scale(j, step, tensor), most = 2 * limit_mean(j->c->world, j->c->dtype);
    if (compresses) {
        const model_run *run = j->free_running;
        if (run == NULL || !judging_is_comparable(j, tensor, step) || run->reference_inaccurate[at] ||
            !(judging_projects(j, tensor) || j->torch) || !(run->amplification[at] * j->e.u <= SKIP_CONDITION)) {
            return false; /* nothing can be said, now or later */
        }
        most = judging_limit(j, LIMIT_FREE_RUNNING);
        unit *= run->amplification[at] + (x->gram_schmidt || !j->torch ? run->kappa[at] : 0);
    }
    double *expected = calloc(count == 0 ? 1 : count, sizeof *expected);
    if (expected == NULL) {
        judging_lacks_memory(j);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        expected[i] = p->factor * evidence_out(&p->b, step, tensor)[i];
    }
    bool ok = true;
    if (all_finite(expected, count) || all_finite(out, count)) { /* else NaN in both: nothing more can be said */
        check_place place = place_of(j, step, tensor, STAGE_OUT);
        double ratio = difference_ratio_shown(j, out, expected, tensor, unit, &place);
        ok = probe_measure_limit(j, &p->near, ratio, most, most * unit / norm_frobenius(expected, count), &place);
    }
    free(expected);
    return ok;
}

/* Is every value of this array's part zero, or normal in f16? What is not, is rounded otherwise than its multiple. */
static bool is_normal(const values *v, size_t first, size_t count)
{
    bool normal = true;
    for (size_t i = first; v->data != NULL && i < first + count && i < v->count; i++) {
        double size = fabs(values_get(v, i));
        normal = normal && (size == 0 || size >= 0x1p-14);
    }
    return normal;
}

/* May scaling be exact here? In f16 only as long as nothing that is shown is a denormal; every other type has range
 * enough for what EXACT_SCALE allows. */
static bool scales_exactly(const pair *p, const trace *t, const test_case *c, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &p->a.e.tensors[tensor];
    bool normal = true;
    for (int k = 0; k < c->world; k++) {
        normal = normal && is_normal(case_in(c, step, x->bucket, k), x->offset, x->length) &&
                 is_normal(trace_out(t, step, x->bucket, k), x->offset, x->length) &&
                 is_normal(trace_error(t, step, x->bucket, k), x->offset, x->length);
    }
    const values *q = trace_q(t, step, x->bucket, x->tensor);
    return normal && (!x->compressed || is_normal(q, 0, q->count));
}

/* The inputs of a tensor are those of the companion, times the factor, in all steps and ranks. */
static bool same_inputs(const pair *p, const test_case *b, size_t tensor)
{
    const evidence_tensor *x = &p->a.e.tensors[tensor];
    size_t i;
    for (int64_t step = 0; step < p->a.c->steps; step++) {
        for (int k = 0; k < p->a.c->world; k++) {
            if (!equal_times(case_in(p->a.c, step, x->bucket, k), case_in(b, step, x->bucket, k), p->factor, x->offset,
                             x->length, &i)) {
                return false;
            }
        }
    }
    return true;
}

static void compare_statistics(pair *p, int64_t steps)
{
    for (int64_t step = 0; step < steps; step++) {
        const trace_statistics *a = &p->a.t->statistics[step], *b = &p->other->statistics[step];
        check_place place = CHECK_NOWHERE;
        place.step = step;
        place.stage = STAGE_STATE;
        place.got = (double)a->value.numel_after_compression;
        place.expected = (double)b->value.numel_after_compression;
        if (a->shown && b->shown &&
            !probe_expect(&p->a, &p->state,
                          a->value.numel_before_compression == b->value.numel_before_compression &&
                              a->value.numel_after_compression == b->value.numel_after_compression,
                          &place, "statistics of the two runs differ")) {
            return;
        }
    }
}

/* The run itself was not whole, and other requirements have said why. What could be compared counts if it differs. */
static void cut_short(pair *p)
{
    probe *const probes[] = {&p->same, &p->near, &p->state};
    bool failed = false;
    for (size_t i = 0; i < sizeof probes / sizeof probes[0]; i++) {
        failed = failed || (probes[i]->opened && probes[i]->index < p->a.v->count &&
                            p->a.v->checks[probes[i]->index].state == CHECK_FAIL);
    }
    for (size_t i = 0; !failed && i < sizeof probes / sizeof probes[0]; i++) {
        if (probes[i]->opened) {
            verdict_set(p->a.v, probes[i]->index, CHECK_UNTRUSTED, "only %lld of %lld steps could be compared",
                        (long long)p->a.e.steps, (long long)p->a.c->steps);
        }
    }
}

static void compare_all(pair *p, companion kind, const test_case *case_b)
{
    int64_t steps = p->a.e.steps < p->b.steps ? p->a.e.steps : p->b.steps;
    check_place place = CHECK_NOWHERE;
    place.step = steps;
    if (p->b.steps < p->a.e.steps) { /* the companion is judged nowhere else */
        probe_expect(&p->a, &p->state, false, &place, "the second run left only %lld of %lld steps to compare",
                     (long long)p->b.steps, (long long)p->a.c->steps);
    }
    if (kind == COMPANION_REPEAT || kind == COMPANION_UNINTERRUPTED || kind == COMPANION_BLOCKING) {
        compare_statistics(p, steps);
    }
    const bool narrow = kind == COMPANION_UNSCALED && p->a.c->dtype == PSGD_F16;
    for (size_t i = 0; i < p->a.e.tensor_count; i++) {
        if (kind != COMPANION_UNREVERSED && !same_inputs(p, case_b, i)) {
            continue;
        }
        bool going = p->a.e.tensors[i].n * p->a.e.tensors[i].m > 0;
        for (int64_t step = 0; going && step < steps; step++) {
            going = !(narrow && p->exact) ||
                    (scales_exactly(p, p->a.t, p->a.c, step, i) && scales_exactly(p, p->other, case_b, step, i));
            going = going && (p->exact ? compare_exactly(p, step, i) : compare_nearly(p, step, i));
        }
    }
    if (p->a.e.steps < p->a.c->steps) {
        cut_short(p);
    }
}

/* Both runs said `unsupported`, or one did: nothing to compare. */
static bool is_unsupported(const trace *t)
{
    for (int k = 0; k < t->world; k++) {
        if (t->ranks[k].outcome == RANK_UNSUPPORTED) {
            return true;
        }
    }
    return false;
}

void judge_companion(verdict *v, companion kind, const test_case *case_a, const trace *a, const test_case *case_b,
                     const trace *b, uint64_t claims)
{
    const char *id = requirement_of(kind);
    bool determinism = (claims & PSGD_CLAIM_DETERMINISM) != 0;
    pair p = {.a = {.v = v, .c = case_a, .t = a, .claims = claims, .first_check = v->count}, .other = b, .factor = 1};
    p.a.torch = (claims & PSGD_CLAIM_TORCH) != 0;
    p.a.q_known = judging_knows_q(&p.a);
    if (id == NULL || !judging_tests(&p.a, id)) {
        return;
    }
    if (is_unsupported(a) || is_unsupported(b)) {
        size_t index = verdict_open(v, id, case_a->id, case_a->problem_text, "exact", 0);
        if (p.a.torch) {
            verdict_set(v, index, CHECK_FAIL, "unsupported by the port");
        } else {
            verdict_skip(v, index, SKIP_UNSUPPORTED, "unsupported by the port");
        }
        return;
    }
    int64_t scale = case_a->problem.scale;
    p.exact = kind == COMPANION_REPEAT || (kind != COMPANION_UNREVERSED && determinism);
    if (kind == COMPANION_UNSCALED) {
        p.factor = ldexp(1, (int)scale);
        p.exact = p.exact && scale >= -EXACT_SCALE && scale <= EXACT_SCALE;
        if (case_a->config.orthogonalization_epsilon != 0 && !case_a->problem.flattened) {
            return; /* epsilon does not scale with the data */
        }
    }
    p.same = probe_for(id, LIMIT_EXACT);
    p.near = probe_for(id, LIMIT_FREE_RUNNING);
    p.state = probe_for(id, LIMIT_STRUCTURE);
    model_run run;
    bool built = evidence_build(&p.a.e, case_a, a);
    bool both = built && evidence_build(&p.b, case_b, b);
    if (!both) {
        judging_lacks_memory(&p.a);
    } else {
        if (!p.exact && p.a.q_known) {
            if (model_run_case(&run, case_a, NOISE_RUNS)) {
                p.a.free_running = &run;
            } else {
                judging_lacks_memory(&p.a);
            }
        }
        compare_all(&p, kind, case_b);
        if (p.a.free_running != NULL) {
            model_run_free(&run, case_a);
        }
        evidence_free(&p.b);
    }
    if (built) {
        evidence_free(&p.a.e);
    }
}
