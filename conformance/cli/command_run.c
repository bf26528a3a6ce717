/* command_run.c: opens what a run needs, runs it (session.h), reports. Under mpirun all processes end with the exit
 * code of the home process. */
#include "cli/command.h"
#include "cli/interrupt.h"
#include "cli/launcher.h"
#include "cli/session.h"
#include "harness/message.h"
#include "report/file.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

static int complain(const session *s, int code)
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
            complain(s, EXIT_KIT_FAILED);
            ok = false;
        }
    }
    return ok;
}

/* Opens everything that a run needs. 0, or the exit code, with s->message. */
static int open_port(session *s, const char *kit_path)
{
    const options *o = s->options;
    const bool mpi = launched_by_mpi();
    if (mpi)
        s->runner = runner_mpi(o->implementation, o->timeout, s->message, sizeof s->message);
    else if (o->threads)
        s->runner = runner_threads(kit_path, o->implementation, o->timeout);
    else
        s->runner = runner_processes(kit_path, o->implementation, o->timeout);
    if (!mpi)
        interrupt_watch();
    if (s->runner == NULL) {
        if (!mpi)
            refuse(s->message, sizeof s->message, "out of memory");
        return EXIT_KIT_FAILED;
    }
    s->report.mpi = mpi;
    return session_prepare(s);
}

static void notice_claims(const session *s)
{
    char names[256];
    const uint64_t unmade = s->options->claims_given ? s->options->claims & ~s->report.port.claims : 0;
    if (unmade != 0 && !s->options->quiet) {
        claims_print(unmade, names, sizeof names);
        fprintf(stderr, "psgd-conform: notice: the port does not claim %s; tested all the same\n", names);
    }
    if (s->without_case != 0 && !s->options->quiet) {
        claims_print(s->without_case, names, sizeof names);
        fprintf(stderr, "psgd-conform: notice: no case of this run is for %s: not tested\n", names);
    }
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

static int judge_and_report(session *s)
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
        return complain(s, EXIT_KIT_FAILED);
    if (!home)
        return EXIT_CONFORMING;
    if (!session_conclude(s))
        return complain(s, EXIT_KIT_FAILED);
    s->report.seconds = now() - start;
    int code = s->report.exit_code;
    if (!report_text(&s->report, o->verbose, o->quiet)) {
        refuse(s->message, sizeof s->message, "standard output could not be written");
        code = complain(s, EXIT_KIT_FAILED);
    }
    return write_reports(s) ? code : EXIT_KIT_FAILED;
}

int command_run(const options *o, const char *kit_path)
{
    session s = {.options = o};
    if (o->ranks_given && launched_by_mpi()) {
        fprintf(o->errors, "psgd-conform: --ranks: under mpirun the ranks are its processes; leave the option out\n");
        return is_first_process() ? EXIT_USAGE : EXIT_CONFORMING;
    }
    switch (plan_check(o)) {
    case PLAN_OK: break;
    case PLAN_USAGE: return is_first_process() ? EXIT_USAGE : EXIT_CONFORMING; /* main.c: why */
    case PLAN_NO_MEMORY: refuse(s.message, sizeof s.message, "out of memory"); return complain(&s, EXIT_KIT_FAILED);
    }
    int code = session_read_waivers(&s);
    if (code != 0) {
        complain(&s, code);
        waivers_free(&s.waivers);
        return is_first_process() || code != EXIT_USAGE ? code : EXIT_CONFORMING;
    }
    code = open_port(&s, kit_path);
    if (s.runner != NULL && !session_everywhere(&s, code == 0) && code == 0)
        code = EXIT_KIT_FAILED;
    if (code == 0)
        code = judge_and_report(&s);
    else if (code != EXIT_USAGE)
        complain(&s, code);
    if (s.runner != NULL) {
        code = s.runner->agree(s.runner, code);
        s.runner->free(s.runner);
    }
    verdict_free(&s.verdict);
    plan_free(&s.plan);
    vectors_free(&s.vectors);
    waivers_free(&s.waivers);
    interrupt_finish();
    return code;
}
