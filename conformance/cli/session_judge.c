/* session_judge.c: the run itself, and what is said of it: header, notices, verdict, reports. See session.h. */
#include "cli/exec_port.h"
#include "cli/exit_code.h"
#include "cli/file_checks.h"
#include "cli/launcher.h"
#include "cli/session.h"
#include "harness/message.h"

#include <stdio.h>
#include <time.h>

int session_complain(const session *s, int code)
{
    if (s->runner != NULL ? s->runner->is_home(s->runner) : is_first_process())
        fprintf(stderr, "psgd-conform: %s\n", s->message);
    return code;
}

static double now(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

/* One that cannot be written does not keep the others from being written. */
static bool write_reports(session *s)
{
    bool ok = true;
    for (size_t i = 0; i < s->options->report_count; i++) {
        const report_file *file = &s->options->reports[i];
        if (!report_write(&s->report, file->format, file->path, s->message, sizeof s->message)) {
            session_complain(s, EXIT_KIT_FAILED);
            ok = false;
        }
    }
    return ok;
}

/* --claims flat: each case of it takes core as given, and is not run. */
static void notice_needed_claims(const session *s)
{
    const uint64_t given = s->options->claims_given && !s->options->quiet ? s->options->claims : 0;
    for (uint64_t claim = 1; claim != 0 && claim <= given; claim <<= 1) {
        const uint64_t needed = (given & claim) != 0 ? plan_claims_needed(&s->plan, claim, given) : 0;
        char names[256];
        claims_print(needed, names, sizeof names);
        if (needed != 0)
            fprintf(stderr, "psgd-conform: notice: every case of %s needs %s besides: no case of it is run\n",
                    claim_name(claim), names);
    }
}

static void notice_claims(const session *s)
{
    char names[256];
    const uint64_t unmade = s->options->claims_given ? s->options->claims & ~s->report.port.claims : 0;
    if (unmade != 0 && !s->options->quiet) {
        claims_print(unmade, names, sizeof names);
        fprintf(stderr, "psgd-conform: notice: the port does not claim %s; tested all the same\n", names);
    }
    if (s->hidden != 0 && !s->options->quiet) {
        claims_print(s->hidden, names, sizeof names);
        fprintf(stderr, "psgd-conform: notice: results in files do not show %s: not tested\n", names);
    }
    if (s->without_case != 0 && !s->options->quiet) {
        claims_print(s->without_case, names, sizeof names);
        fprintf(stderr, "psgd-conform: notice: no case of this run is for %s: not tested\n", names);
    }
    notice_needed_claims(s);
}

/* Without claim torch nobody says which of these tensors a port must compress. */
static void notice_ambiguous_shapes(const session *s)
{
    for (size_t i = 0; i < s->plan.count && (s->report.tested & PSGD_CLAIM_TORCH) == 0 && !s->options->quiet; i++) {
        const plan_item *item = &s->plan.items[i];
        if (item->scenario == NULL && item->requirements[0] == '\0' && !item->problem.flattened &&
            !problem_is_unambiguous(&item->problem))
            fprintf(stderr,
                    "psgd-conform: notice: %s has shapes that ports select differently; without claim torch it is "
                    "judged by conservation and by equality of the ranks\n",
                    item->id);
    }
}

int session_judge(session *s)
{
    const options *o = s->options;
    const bool home = s->runner->is_home(s->runner);
    if (home && !o->quiet)
        report_text_header(&s->report);
    (void)fflush(stdout); /* before what goes to standard error from now on; a failure shows at the end */
    if (home) {
        notice_claims(s);
        notice_ambiguous_shapes(s);
    }
    const double start = now();
    if (!session_run(s))
        return session_complain(s, EXIT_KIT_FAILED);
    if (!home)
        return EXIT_CONFORMING;
    if (s->results != NULL && !file_checks_add(s))
        return session_complain(s, EXIT_KIT_FAILED);
    if (s->report.way == WAY_COMMAND && !exec_checks_add(s)) {
        refuse(s->message, sizeof s->message, "out of memory");
        return session_complain(s, EXIT_KIT_FAILED);
    }
    if (!session_conclude(s))
        return session_complain(s, EXIT_KIT_FAILED);
    s->report.seconds = now() - start;
    int code = s->report.exit_code;
    if (!report_text(&s->report, o->verbose, o->quiet)) {
        refuse(s->message, sizeof s->message, "standard output could not be written");
        code = session_complain(s, EXIT_KIT_FAILED);
    }
    return write_reports(s) ? code : EXIT_KIT_FAILED;
}

int session_finish(session *s, int code)
{
    if (s->runner != NULL) {
        code = s->runner->agree(s->runner, code);
        s->runner->free(s->runner);
    }
    verdict_free(&s->verdict);
    plan_free(&s->plan);
    vectors_free(&s->vectors);
    waivers_free(&s->waivers);
    return code;
}
