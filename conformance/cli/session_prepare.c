/* session_prepare.c: what stands before and after a run: the port is asked what it is, golden files and plan are made
 * ready; at the end the verdict is counted. See session.h. */
#include "cli/exit_code.h"
#include "cli/session.h"
#include "harness/message.h"
#include "report/file.h"

/* As far as that is known before the run. */
static bool can_write_reports(session *s)
{
    bool ok = true;
    for (size_t i = 0; ok && i < s->options->report_count; i++)
        ok = report_file_check(s->options->reports[i].path, s->message, sizeof s->message);
    return ok;
}

int session_prepare(session *s)
{
    const options *o = s->options;
    run_report *r = &s->report;
    const run_result described = s->runner->describe(s->runner, &r->port, s->message, sizeof s->message);
    if (described != RUN_DONE)
        return described == RUN_NOT_LOADED ? EXIT_NOT_LOADED : EXIT_KIT_FAILED;
    if (!can_write_reports(s))
        return EXIT_KIT_FAILED;
    if (s->vectors.folder == NULL && !vectors_open(&s->vectors, o->golden, s->message, sizeof s->message))
        return EXIT_KIT_FAILED;

    r->implementation = o->implementation;
    r->vectors_version = s->vectors.version;
    r->vectors_sha256 = s->vectors.sha256;
    r->tested = o->claims_given ? o->claims : r->port.claims != 0 ? r->port.claims : CLAIMS_UNSTATED;
    r->claims_given = o->claims_given;
    r->golden = o->golden;
    r->only = o->only.words;
    r->only_count = o->only.count;
    r->cases = o->cases.words;
    r->case_count = o->cases.count;
    r->verbose = o->verbose;
    r->quick = o->quick;
    r->seed = o->seed;
    r->fuzz = o->fuzz;
    r->timeout = o->timeout;
    r->threads = o->threads;
    r->ranks = s->runner->ranks(s->runner);
    switch (s->plan.count > 0 ? PLAN_OK : plan_make(&s->plan, o, r->tested)) {
    case PLAN_OK: break;
    case PLAN_USAGE: return EXIT_USAGE;
    case PLAN_NO_MEMORY: refuse(s->message, sizeof s->message, "out of memory"); return EXIT_KIT_FAILED;
    }
    s->hidden = r->tested & s->runner->hidden_claims;
    r->tested &= ~s->hidden;
    r->partial = s->plan.partial;
    r->out_of_reach = plan_out_of_reach(&s->plan, r->tested, r->ranks);
    s->without_case = r->partial ? 0 : plan_without_case(&s->plan, r->tested & ~r->out_of_reach, r->ranks);
    r->tested &= ~(r->out_of_reach | s->without_case);
    return 0;
}

bool session_conclude(session *s)
{
    run_report *r = &s->report;
    if (!session_apply_waivers(s))
        return false;
    r->failed = verdict_failed_claims(&s->verdict, r->tested, s->plan.partial, s->reasons, sizeof s->reasons);
    session_fail_unshown(s);
    r->shown = verdict_shown_claims(&s->verdict) | s->shown;
    r->reasons = s->reasons;
    r->verdict = &s->verdict;
    r->exit_code = (int)exit_code_of(r);
    return true;
}
