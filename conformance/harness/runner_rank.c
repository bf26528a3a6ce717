/* runner_rank.c: the hidden command `psgd-conform rank`: one rank of one run, in a process of its own. Only here, and
 * under MPI, is a port loaded: whatever it does to its process is seen by the kit as an ending.
 *
 * Everything goes home as files in the run's folder: answer (rank_answer.h), output, result, notes.
 */
#include "harness/casefile.h"
#include "harness/implementation.h"
#include "harness/message.h"
#include "harness/rank_answer.h"
#include "harness/rank_arguments.h"
#include "harness/rank_notes.h"
#include "harness/runner_drive.h"
#include "harness/temp_folder.h"
#include "harness/watched_comm.h"
#include "psgd/comm.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define EXIT_NO_ANSWER 70 /* the rank could not even say why it failed */

typedef struct rank {
    const rank_arguments *arguments;
    rank_answer *answer;
    psgd_processes *group;
    psgd_comm comm;
    implementation impl;
} rank;

static bool ends(rank *r, rank_ending ending, bool ok)
{
    r->answer->ending = ending;
    return ok;
}

static void progress(void *context, int64_t step, size_t bucket, const char *what)
{
    rank_answer_doing(context, step, bucket, what);
}

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

static bool send_trace(rank *r, const test_case *c, const trace *t)
{
    rank_answer *answer = r->answer;
    int k = r->comm.rank;
    void *result = NULL, *notes = NULL;
    size_t result_bytes = 0, notes_bytes = 0;
    char *result_path = rank_file(r->arguments->folder, "result", k);
    char *notes_path = rank_file(r->arguments->folder, "notes", k);
    bool ok = resultfile_serialize(c, t, k, &result, &result_bytes, answer->message, sizeof answer->message);
    if (ok && (result_path == NULL || notes_path == NULL || !rank_notes_serialize(&notes, &notes_bytes, t, k)))
        ok = refuse(answer->message, sizeof answer->message, "no memory for the results");
    if (ok && (!file_write(result_path, result, result_bytes) || !file_write(notes_path, notes, notes_bytes)))
        ok = refuse(answer->message, sizeof answer->message, "the results cannot be written to %s",
                    r->arguments->folder);
    free(result);
    free(notes);
    free(result_path);
    free(notes_path);
    return ends(r, ok ? ENDING_DONE : ENDING_KIT_FAILED, ok);
}

static bool drive_to_trace(rank *r, const test_case *c, trace *t)
{
    drive_options options = {
        .seeded = r->arguments->seeded, .folder = r->arguments->folder, .progress = progress, .context = r->answer};
    bool ok = drive_case(t, c, r->impl.table, &r->comm, &options, r->answer->message, sizeof r->answer->message);
    if (!ok || t->ranks[r->comm.rank].outcome != RANK_OK)
        psgd_processes_fail(r->group); /* nobody waits for a rank that has given up */
    rank_answer_doing(r->answer, -1, 0, "its end, after the run");
    return ok ? send_trace(r, c, t) : ends(r, ENDING_KIT_FAILED, false);
}

static bool run_case(rank *r)
{
    test_case c = {0};
    if (!casefile_read(&c, r->arguments->case_file, r->answer->message, sizeof r->answer->message))
        return ends(r, ENDING_KIT_FAILED, false);
    bool ok;
    trace *t = trace_create(c.steps, c.bucket_count, c.tensor_counts, c.world);
    if (t == NULL) {
        (void)refuse(r->answer->message, sizeof r->answer->message, "no memory for a trace");
        ok = ends(r, ENDING_KIT_FAILED, false);
    } else {
        ok = drive_to_trace(r, &c, t);
    }
    trace_free(t);
    case_free(&c);
    return ok;
}

static bool run_scenario(rank *r)
{
    const scenario *s = scenario_find(r->arguments->scenario_name);
    if (s == NULL) {
        (void)refuse(r->answer->message, sizeof r->answer->message, "there is no scenario '%s'",
                     r->arguments->scenario_name);
        return ends(r, ENDING_KIT_FAILED, false);
    }
    char *files = rank_file(r->arguments->folder, "files", r->comm.rank); /* the scenario's own, empty folder */
    if (files == NULL || mkdir(files, 0700) != 0) {
        free(files);
        (void)refuse(r->answer->message, sizeof r->answer->message, "no folder for the files of the scenario");
        return ends(r, ENDING_KIT_FAILED, false);
    }
    watched_comm watched;
    watched_comm_init(&watched, &r->comm);
    psgd_comm outer = watched_comm_outer(&watched);
    psgd_implementation port;
    implementation_table_copy(&port, r->impl.table);
    rank_answer_doing(r->answer, -1, 0, "the scenario");
    scenario_perform(s, &port, &outer, files, &r->answer->outcome);
    free(files);
    r->answer->peer_lost = watched.failed;
    if (r->answer->outcome.state != SCENARIO_PASS)
        psgd_processes_fail(r->group);
    rank_answer_doing(r->answer, -1, 0, "its end, after the scenario");
    return ends(r, ENDING_DONE, true);
}

static bool load(rank *r)
{
    rank_answer_doing(r->answer, -1, 0, "being loaded");
    if (!implementation_load(&r->impl, r->arguments->implementation, r->answer->message, sizeof r->answer->message))
        return ends(r, ENDING_NOT_LOADED, false);
    r->answer->loaded = true;
    rank_answer_describe(&r->answer->port, r->impl.table);
    return true;
}

static bool join_and_run(rank *r)
{
    if (psgd_processes_join(&r->group, &r->comm, r->answer->message, sizeof r->answer->message) != PSGD_OK)
        return ends(r, ENDING_KIT_FAILED, false);
    bool ok = load(r);
    if (ok && r->arguments->case_file != NULL)
        ok = run_case(r);
    else if (ok && r->arguments->scenario_name != NULL)
        ok = run_scenario(r);
    else if (ok)
        ok = ends(r, ENDING_DONE, true);
    if (!ok)
        psgd_processes_fail(r->group);
    psgd_processes_release(r->group);
    return ok;
}

int runner_rank_main(int argc, char **argv)
{
    rank_arguments arguments;
    if (!rank_arguments_read(&arguments, argc, argv))
        return EXIT_NO_ANSWER;
    (void)setpgid(0, 0); /* what the port starts can be ended with it */
    (void)alarm(arguments.limit);
    if (!redirect_output(&arguments) || setenv("OPENBLAS_NUM_THREADS", "1", 1) != 0)
        return EXIT_NO_ANSWER;
    char message[256];
    rank r = {.arguments = &arguments};
    r.answer = rank_answer_open(arguments.folder, arguments.rank, message, sizeof message);
    if (r.answer == NULL)
        return EXIT_NO_ANSWER;
    /* The port stays loaded until the process ends: nothing asks it to survive being unloaded. */
    bool ok = join_and_run(&r);
    free(r.impl.path);
    free(r.impl.option);
    rank_answer_close(r.answer);
    return ok ? 0 : 1;
}
