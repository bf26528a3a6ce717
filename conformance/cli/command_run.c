/* command_run.c: opens what a run needs, runs it (session.h), reports. Under mpirun all processes end with the exit
 * code of the home process. */
#include "cli/command.h"
#include "cli/exec_port.h"
#include "cli/interrupt.h"
#include "cli/launcher.h"
#include "cli/session.h"
#include "harness/message.h"

#include <stdio.h>

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
    case PLAN_NO_MEMORY:
        refuse(s.message, sizeof s.message, "out of memory");
        return session_complain(&s, EXIT_KIT_FAILED);
    }
    if (o->exec != NULL)
        return exec_port(o);
    int code = session_read_waivers(&s);
    if (code != 0) {
        session_complain(&s, code);
        waivers_free(&s.waivers);
        return is_first_process() || code != EXIT_USAGE ? code : EXIT_CONFORMING;
    }
    code = open_port(&s, kit_path);
    if (s.runner != NULL && !session_everywhere(&s, code == 0) && code == 0)
        code = EXIT_KIT_FAILED;
    if (code == 0)
        code = session_judge(&s);
    else if (code != EXIT_USAGE)
        session_complain(&s, code);
    code = session_finish(&s, code);
    interrupt_finish();
    return code;
}
