/* runner_rank.c: the hidden command `psgd-conform rank`: one rank of one run in a process of its own, or all of its
 * ranks as threads of one (rank_threads.c). Only here, and under MPI, is a port loaded: whatever it does to its process
 * is seen by the kit as an ending.
 *
 * Everything goes home as files in the run's folder: answer (rank_answer.h), output, result, notes. Read next:
 * rank_run.c.
 */
#include "harness/casefile.h"
#include "harness/implementation.h"
#include "harness/message.h"
#include "harness/rank_arguments.h"
#include "harness/rank_run.h"
#include "harness/rank_threads.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <unistd.h>

#define EXIT_NO_ANSWER 70 /* the rank could not even say why it failed */

/* Standard output and error go to a file: a port's words are shown where it fails, and nowhere else. */
static bool redirect_output(const rank_arguments *a)
{
    char *path = rank_file(a->folder, "output", a->rank);
    int file = path != NULL ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;
    free(path);
    bool ok = file >= 0 && dup2(file, STDOUT_FILENO) >= 0 && dup2(file, STDERR_FILENO) >= 0;
    if (file >= 0)
        (void)close(file);
    return ok;
}

/* No rank outlives the kit for long: where the system offers it, it ends with the kit; else, and if the kit was gone
 * before this call, at the alarm. */
static void end_with_kit(unsigned limit)
{
    (void)alarm(limit);
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}

static bool load(rank *r, implementation *impl, const char *name)
{
    rank_answer_doing(r->answer, -1, 0, "being loaded");
    if (!implementation_load(impl, name, r->answer->message, sizeof r->answer->message))
        return rank_ends(r->answer, ENDING_NOT_LOADED, false);
    r->table = impl->table;
    rank_has_loaded(r->answer, r->table);
    return true;
}

/* The size of the world, as launchers of ranks say it: what a port that takes the world for its group has at hand. */
static bool say_world_size(const rank *r)
{
    char text[16];
    (void)snprintf(text, sizeof text, "%d", (int)(r->c != NULL ? r->c->problem.of_world : r->comm.size));
    return setenv("WORLD_SIZE", text, 1) == 0;
}

/* What is to be run. *c is null without a case; else *c must be freed if this is true. */
static bool find_task(rank *r, test_case *c, const rank_arguments *a)
{
    char *message = r->answer->message;
    size_t size = sizeof r->answer->message;
    if (a->case_file != NULL) {
        if (!casefile_read(c, a->case_file, message, size))
            return rank_ends(r->answer, ENDING_KIT_FAILED, false);
        r->c = c;
    }
    if (a->scenario_name != NULL)
        r->s = scenario_find(a->scenario_name);
    if (a->scenario_name != NULL && r->s == NULL) {
        (void)refuse(message, size, "there is no scenario '%s'", a->scenario_name);
        return rank_ends(r->answer, ENDING_KIT_FAILED, false);
    }
    if (!say_world_size(r)) {
        (void)refuse(message, size, "WORLD_SIZE cannot be set in the environment");
        return rank_ends(r->answer, ENDING_KIT_FAILED, false);
    }
    return true;
}

static bool load_and_run(rank *r, implementation *impl, const rank_arguments *a)
{
    test_case c = {0};
    if (!load(r, impl, a->implementation) || !find_task(r, &c, a)) {
        rank_give_up(r);
        return false;
    }
    bool ok = rank_run(r);
    if (r->c != NULL)
        case_free(&c);
    return ok;
}

static bool run_process(const rank_arguments *a)
{
    char message[256];
    rank r = {.folder = a->folder, .seeded = a->seeded};
    r.answer = rank_answer_open(a->folder, a->rank, message, sizeof message);
    if (r.answer == NULL)
        return false;
    bool ok;
    implementation impl = {0};
    if (psgd_processes_join(&r.processes, &r.comm, r.answer->message, sizeof r.answer->message) == PSGD_OK)
        ok = load_and_run(&r, &impl, a);
    else
        ok = rank_ends(r.answer, ENDING_KIT_FAILED, false);
    psgd_processes_release(r.processes);
    /* The port stays loaded until the process ends: nothing asks it to survive being unloaded. */
    free(impl.path);
    free(impl.option);
    rank_answer_close(r.answer);
    return ok;
}

int runner_rank_main(int argc, char **argv)
{
    rank_arguments arguments;
    if (!rank_arguments_read(&arguments, argc, argv))
        return EXIT_NO_ANSWER;
    (void)setpgid(0, 0); /* what the port starts can be ended with it */
    end_with_kit(arguments.limit);
    if (!redirect_output(&arguments) || setenv("OPENBLAS_NUM_THREADS", "1", 1) != 0)
        return EXIT_NO_ANSWER;
    bool ok = arguments.threads > 0 ? rank_threads_run(&arguments) : run_process(&arguments);
    return ok ? 0 : 1;
}
