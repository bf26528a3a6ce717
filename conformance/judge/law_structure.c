/* law_structure.c: how the run ended, whether everything is there, whether the ranks agree bit for bit. These come
 * first: a rank that differs spoils every later step, so nothing after it is judged. */
#include "judge/judging.h"

#include <stdio.h>
#include <string.h>

/* One check in this state; a skip that a trace can tell is the port's own word. */
static void state_one(judging *j, const char *id, check_state state, const check_place *place, const char *reason)
{
    const size_t index = verdict_open(j->v, id, j->c->id, j->c->problem_text, "structure", 0);
    switch (state) {
    case CHECK_FAIL: verdict_expect(j->v, index, false, place, "%s", reason); break;
    case CHECK_SKIP: verdict_skip(j->v, index, SKIP_UNSUPPORTED, "%s", reason); break;
    default: verdict_set(j->v, index, state, "%s", reason); break;
    }
}

/* Did every rank that failed say so? A crash, a hang or a missing result is no answer. */
static bool all_answer(const trace *t)
{
    for (int k = 0; k < t->world; k++) {
        if (t->ranks[k].outcome > RANK_ERROR || (t->ranks[k].outcome == RANK_ERROR && t->ranks[k].message == NULL)) {
            return false;
        }
    }
    return true;
}

/* Calls on every requirement that the case was made for; on AGG-002 where it was made for none that is tested, and for
 * failures where only SHOULDs were: no crash goes unpunished. An error in words is what a port may answer that does not
 * do what it should (PSGD-SEL-006: PyTorch's hook, given a tensor without elements). */
static void state_all(judging *j, check_state state, const check_place *place, const char *reason)
{
    char id[32];
    size_t stated = 0;
    const char *list = j->c->requirements == NULL ? "" : j->c->requirements;
    for (size_t length; *(list += strspn(list, " ")) != '\0'; list += length) {
        length = strcspn(list, " ");
        snprintf(id, sizeof id, "%.*s", (int)length, list);
        if (length >= sizeof id || requirement_find(id) == NULL || !judging_tests(j, id)) {
            continue;
        }
        state_one(j, id, state, place, reason);
        stated += state != CHECK_FAIL || requirement_find(id)->level == LEVEL_MUST || all_answer(j->t);
    }
    if (stated == 0) {
        const bool layerwise = judging_tests(j, "PSGD-AGG-002");
        state_one(j, layerwise ? "PSGD-AGG-002" : "PSGD-ALT-001", state, place, reason);
    }
}

static const char *outcome_text(rank_outcome outcome)
{
    switch (outcome) {
    case RANK_OK: return "ended well";
    case RANK_UNSUPPORTED: return "answered unsupported";
    case RANK_ERROR: return "returned an error";
    case RANK_CRASHED: return "crashed";
    case RANK_TIMED_OUT: return "ran out of time";
    case RANK_ABSENT: return "left no result";
    }
    return "ended in an unknown way";
}

/* That a collective failed, or that an earlier call did, is what the others say of a rank that failed by itself. */
static bool blames_others(const trace_rank *end)
{
    return end->outcome == RANK_ERROR && (end->status == PSGD_ERR_COMM || end->status == PSGD_ERR_BROKEN);
}

/* The rank that tells most about a bad end: a crash before an error before the time-outs of those that waited for it.
 */
static int guilty_rank(const trace *t)
{
    static const rank_outcome order[] = {RANK_CRASHED, RANK_ERROR, RANK_UNSUPPORTED, RANK_TIMED_OUT, RANK_ABSENT};
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        int found = -1;
        for (int k = 0; k < t->world; k++) {
            const bool better = found < 0 || (blames_others(&t->ranks[found]) && !blames_others(&t->ranks[k]));
            found = t->ranks[k].outcome == order[i] && better ? k : found;
        }
        if (found >= 0) {
            return found;
        }
    }
    return -1;
}

/* FLT-002: a rank above a square's side is refused at the first compressed step, by every rank and in words. True: that
 * is what this case is about, and how the run ended has been judged. */
static bool judge_refusal(judging *j)
{
    const evidence *e = &j->e;
    int64_t start = j->c->config.start_iter;
    const evidence_tensor *above = NULL;
    for (size_t i = 0; i < e->tensor_count; i++) {
        const evidence_tensor *x = &e->tensors[i];
        above = above == NULL && e->flattened && x->n > 0 && x->r > x->n ? x : above;
    }
    if (above == NULL || j->c->steps <= start) {
        return false;
    }
    check_place place = CHECK_NOWHERE;
    place.step = start;
    place.bucket = (int64_t)above->bucket;
    place.stage = STAGE_STATE;
    probe refused = probe_for("PSGD-FLT-002", LIMIT_STRUCTURE);
    for (int k = 0; k < j->t->world; k++) {
        const trace_rank *end = &j->t->ranks[k];
        place.rank = k;
        if (end->outcome == RANK_OK || (end->outcome == RANK_ERROR && end->steps_done > start)) {
            probe_expect(j, &refused, false, &place, "rank %zu of a square of side %zu was not refused", above->r,
                         above->n);
            return true;
        }
        if (end->outcome != RANK_ERROR || end->steps_done < start) {
            return false; /* a crash, or an error where there should be none */
        }
    }
    place.rank = -1;
    probe_expect(j, &refused, true, &place, " ");
    return true;
}

/* On every rank, and before it had compressed these very buckets in this very configuration: after that it is an error
 * like any other. Save and load are asked for in the midst of a run. */
static bool all_unsupported(const judging *j)
{
    const trace *t = j->t;
    for (int k = 0; k < t->world; k++) {
        const bool offered = t->ranks[k].steps_done > j->c->config.start_iter && j->c->problem.checkpoint < 0;
        if (t->ranks[k].outcome != RANK_UNSUPPORTED || offered) {
            return false;
        }
    }
    return t->world > 0;
}

static void judge_end(judging *j, int rank)
{
    const trace_rank *end = &j->t->ranks[rank];
    check_place place = CHECK_NOWHERE;
    place.rank = rank;
    place.step = end->steps_done;
    place.stage = STAGE_STATE;
    char text[512];
    const char *message = end->message == NULL ? "" : end->message;
    snprintf(text, sizeof text, "rank %d %s in step %lld%s%s%s%s", rank, outcome_text(end->outcome),
             (long long)end->steps_done, end->outcome == RANK_ERROR ? ": " : "",
             end->outcome == RANK_ERROR ? psgd_status_name(end->status) : "", message[0] == '\0' ? "" : ": ", message);
    state_all(j, CHECK_FAIL, &place, text);
}

static void judge_guard(judging *j)
{
    probe guard = probe_for("PSGD-ROB-002", LIMIT_STRUCTURE);
    for (int k = 0; k < j->t->world; k++) {
        check_place place = CHECK_NOWHERE;
        place.rank = k;
        place.stage = STAGE_OUT;
        if (j->t->ranks[k].reports_guard) {
            probe_expect(j, &guard, j->t->ranks[k].guard_bytes_intact, &place,
                         "bytes beside the bucket were overwritten");
        }
    }
}

static void judge_ranks(judging *j)
{
    if (j->c->world < 2) {
        return;
    }
    const evidence *e = &j->e;
    probe alike = probe_for("PSGD-AGG-001", LIMIT_EXACT);
    for (int64_t step = 0; step < e->steps; step++) {
        check_place place = CHECK_NOWHERE;
        place.step = step;
        place.stage = STAGE_OUT;
        probe_expect(j, &alike, true, &place, " ");
    }
    if (e->differ_at < 0) {
        return;
    }
    const values *first = trace_out(j->t, e->differ_at, (size_t)e->differ_bucket, 0);
    const values *other = trace_out(j->t, e->differ_at, (size_t)e->differ_bucket, (int)e->differ_rank);
    check_place place = {.step = e->differ_at,
                         .rank = e->differ_rank,
                         .bucket = e->differ_bucket,
                         .tensor = -1,
                         .stage = STAGE_OUT,
                         .row = (int64_t)e->differ_element,
                         .column = -1,
                         .got = values_get(other, e->differ_element),
                         .expected = values_get(first, e->differ_element)};
    for (size_t i = 0; i < e->tensor_count; i++) { /* the element within its tensor */
        const evidence_tensor *x = &e->tensors[i];
        if ((int64_t)x->bucket == e->differ_bucket && e->differ_element - x->offset < x->length) {
            place.tensor = (int64_t)x->tensor;
            place.row = (int64_t)((e->differ_element - x->offset) / x->m);
            place.column = (int64_t)((e->differ_element - x->offset) % x->m);
        }
    }
    probe_expect(j, &alike, false, &place, "output differs from rank 0's");
}

static void judge_completeness(judging *j)
{
    const test_case *c = j->c;
    const trace *t = j->t;
    if (j->e.steps == c->steps || j->e.differ_at >= 0) {
        return;
    }
    check_place place = CHECK_NOWHERE;
    place.step = j->e.steps;
    place.stage = STAGE_OUT;
    if (t->bucket_count != c->bucket_count || t->world != c->world || t->steps <= j->e.steps) {
        state_all(j, CHECK_FAIL, &place, "the results have other dimensions than the case");
        return;
    }
    for (size_t b = 0; b < c->bucket_count; b++) {
        for (int k = 0; k < c->world; k++) {
            const values *out = trace_out(t, j->e.steps, b, k);
            if (out->data == NULL || out->count != c->numel[b] || out->dtype != c->dtype) {
                char text[160];
                place.bucket = (int64_t)b;
                place.rank = k;
                snprintf(text, sizeof text, "out of step %lld, bucket %zu, rank %d %s", (long long)j->e.steps, b, k,
                         out->data == NULL ? "is missing" : "has another size or type than the case");
                state_all(j, CHECK_FAIL, &place, text);
                return;
            }
        }
    }
}

bool judge_structure(judging *j)
{
    check_place nowhere = CHECK_NOWHERE;
    if (all_unsupported(j)) {
        const char *why = j->t->ranks[0].message == NULL ? "" : j->t->ranks[0].message;
        char text[300];
        snprintf(text, sizeof text, "unsupported by the port%s%.200s", why[0] == '\0' ? "" : ": ", why);
        state_all(j, j->torch ? CHECK_FAIL : CHECK_SKIP, &nowhere, text);
        return false;
    }
    int guilty = guilty_rank(j->t);
    if (judge_refusal(j)) {
        /* nothing after the plain phase is expected */
    } else if (guilty >= 0) {
        judge_end(j, guilty);
    } else {
        judge_completeness(j);
    }
    judge_guard(j);
    judge_ranks(j);
    return true;
}
