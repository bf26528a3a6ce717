/* session.h: one run of the kit over one port: what is run, what came of it. Under mpirun every process walks the same
 * plan; the home process judges. */
#ifndef CONFORMANCE_CLI_SESSION_H
#define CONFORMANCE_CLI_SESSION_H

#include "cli/case_store.h"
#include "cli/plan.h"
#include "cli/vectors.h"
#include "cli/waivers.h"
#include "judge/verdict.h"
#include "report/report.h"

typedef struct session {
    const options *options;
    runner *runner;
    const result_folder *results; /* files: what the runner reads; else null */
    vectors vectors;
    waivers waivers;
    plan plan;
    case_store *store; /* null: each case is made for this run alone */
    verdict verdict;
    run_report report;
    uint64_t shown;        /* claims of the cases in which a check passed */
    uint64_t without_case; /* claims that nothing in this run tests */
    uint64_t hidden;       /* claims of the port that this way in cannot show */
    int timeouts;
    char message[1024];
    char reasons[4096]; /* of the report */
} session;

/* Opens everything that a run needs, once options and runner are set. Golden files that the caller has opened, and the
 * plan that it has made, are used. 0, or the exit code, with s->message. */
int session_prepare(session *s);

/* Runs the plan, judges, reports. The exit code; what went wrong was said. */
int session_judge(session *s);
/* Frees everything. The exit code on which all processes agree. */
int session_finish(session *s, int code);
/* Says s->message, on one process. Returns code. */
int session_complain(const session *s, int code);

/* Runs and judges every item of the plan, and counts in the report. False: the kit could not do its work, s->message
 * says why. */
bool session_run(session *s);

/* True if ok on every process; where it is not, each goes on alike, and s->message says why, or that it is elsewhere.
 */
bool session_everywhere(session *s, bool ok);

/* The list of --waive, where there is one, before anything is run. 0, or the exit code, with s->message. */
int session_read_waivers(session *s);
/* Once all has been run, before the verdict is counted. False: s->message says why. */
bool session_apply_waivers(session *s);
/* Does so, and counts the verdict: the claims that failed, why, and the exit code, into the report. */
bool session_conclude(session *s);

/* Once the verdict has been counted: a claim that only cases show, and that was not shown by one, fails, with the
 * reason. */
void session_fail_unshown(session *s);

#endif
