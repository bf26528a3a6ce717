/* exit_code.c: see exit_code.h. */
#include "cli/exit_code.h"

/* Something passed, and some case compressed. A choice of scenarios alone is its own purpose: they leave no results
 * that would show compression. */
static bool was_tested(const run_report *r, const verdict_counts *counts)
{
    const bool scenarios_chosen = r->partial && r->cases_run == 0 && r->scenarios_run > 0;
    return counts->by_state[CHECK_PASS] > 0 && (r->cases_compressed > 0 || scenarios_chosen);
}

/* A SHOULD that failed is reported, and fails nothing. */
static bool a_must_failed(const verdict *v)
{
    bool found = false;
    for (size_t i = 0; i < v->count; i++)
        found = found || (v->checks[i].state == CHECK_FAIL && v->checks[i].requirement->level == LEVEL_MUST);
    return found;
}

static bool a_waiver_is_stale(const run_report *r)
{
    bool found = false;
    for (size_t i = 0; i < r->waiver_count; i++)
        found = found || WAIVER_IS_STALE(r->waivers[i].state);
    return found;
}

exit_code exit_code_of(const run_report *r)
{
    const verdict_counts counts = verdict_count(r->verdict);
    if (r->verdict->out_of_memory)
        return EXIT_KIT_FAILED;
    if (a_must_failed(r->verdict) || counts.by_state[CHECK_NOT_RUN] > 0 || a_waiver_is_stale(r))
        return EXIT_NOT_CONFORMING;
    /* Before the claims: where nothing was tested every claim lacks a passing case, and that is not the port's fault.
     */
    if (!was_tested(r, &counts))
        return EXIT_NOTHING_TESTED;
    return r->failed != 0 ? EXIT_NOT_CONFORMING : EXIT_CONFORMING;
}
