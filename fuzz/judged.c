/* judged.c: the reference under the judge, on problems made from any bytes (judged_problem.h). The reference is right,
 * so whatever fails is a fault of the reference, of the judge, or of what lies between them (case and result files, the
 * driver): the problem and the failed check are printed, and it is a finding. A problem is judged twice, as PyTorch's
 * hook with Q drawn from the seed (but for half types, where it is given), and as any port that takes the Q it is
 * given.
 */
#include "fuzz.h"

#include "harness/temp_folder.h"
#include "judge/judge.h"
#include "judged_problem.h"
#include "psgd/ref.h"
#include "ranks.h"

#include <inttypes.h>

/* One way of running and judging: as the hook, or not. */
typedef struct judged_run {
    uint64_t claims; /* tested */
    bool as_hook;
    char message[256];
} judged_run;

static void print_failure(const check *c, uint64_t claims)
{
    char names[256];
    claims_print(claims, names, sizeof names);
    fprintf(stderr, "%s, row %s, ratio %g, limit %g: %s\n", c->requirement->id, c->row, c->ratio, c->limit,
            c->message ? c->message : "");
    fprintf(stderr,
            "  step %" PRId64 ", rank %" PRId64 ", bucket %" PRId64 ", tensor %" PRId64 ", %s, element [%" PRId64
            ",%" PRId64 "]: got %g, expected %g\n",
            c->place.step, c->place.rank, c->place.bucket, c->place.tensor, check_stage_name(c->place.stage),
            c->place.row, c->place.column, c->place.got, c->place.expected);
    fprintf(stderr, "  psgd-conform run --impl ref --claims '%s' --case '%s'\n", names, c->problem ? c->problem : "?");
}

static void check_verdict(const verdict *v, uint64_t claims)
{
    size_t failed = 0;
    for (size_t i = 0; i < v->count; i++) {
        if (v->checks[i].state == CHECK_FAIL) {
            print_failure(&v->checks[i], claims);
            failed++;
        }
    }
    fuzz_check(failed == 0, "the reference is right");
    fuzz_check(!v->out_of_memory, "memory for the judge");
}

static bool make(test_case *c, const problem *p, judged_run *r)
{
    return case_build(c, p, "fuzz", "", problem_claims(p) | (r->as_hook ? PSGD_CLAIM_TORCH : 0), NULL, r->message,
                      sizeof r->message);
}

/* Runs *c, in a folder of its own if it saves and loads. */
static trace *run(const test_case *c, judged_run *r)
{
    char *folder = c->problem.checkpoint >= 0 ? temp_folder_make(r->message, sizeof r->message) : NULL;
    fuzz_check(folder || c->problem.checkpoint < 0, r->message);
    trace *t = ranks_run(c, psgd_ref(), case_is_seeded(c), folder, r->message, sizeof r->message);
    fuzz_check(t, r->message);
    if (folder) {
        temp_folder_remove(folder);
    }
    free(folder);
    return t;
}

static void judge_companion_of(verdict *v, const test_case *c, const trace *t, judged_run *r)
{
    const companion kind = suite_companion_of(&c->problem);
    problem other;
    test_case other_case;
    if (kind == COMPANION_NONE) {
        return;
    }
    fuzz_check(suite_companion_problem(&other, &c->problem, kind), "memory for a companion");
    fuzz_check(make(&other_case, &other, r), r->message);
    trace *other_trace = run(&other_case, r);
    judge_companion(v, kind, c, t, &other_case, other_trace, r->claims);
    trace_free(other_trace);
    case_free(&other_case);
    problem_free(&other);
}

static void run_and_judge(const problem *p, uint64_t claims, bool as_hook)
{
    judged_run r = {.claims = claims, .as_hook = as_hook};
    verdict v = {0};
    test_case c;
    if (!make(&c, p, &r)) { /* for instance a scale that is not exact in the type */
        fuzz_check(r.message[0] != '\0', "refused with a reason");
        return;
    }
    trace *t = run(&c, &r);
    judge_case(&v, &c, t, claims);
    judge_companion_of(&v, &c, t, &r);
    check_verdict(&v, claims);
    fuzz_check(v.count > 0, "something was judged");
    trace_free(t);
    case_free(&c);
    verdict_free(&v);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    problem p;
    if (!judged_problem(&p, data, size)) {
        return 0;
    }
    const uint64_t all = psgd_ref()->claims, needed = problem_claims(&p);
    if ((needed & ~all) == 0) {
        run_and_judge(&p, all, true);
        run_and_judge(
            &p, needed | PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK,
            false);
    }
    problem_free(&p);
    return 0;
}
