/* rank_run.c: see rank_run.h. */
#include "harness/rank_run.h"

#include "harness/casefile.h"
#include "harness/implementation.h"
#include "harness/message.h"
#include "harness/rank_notes.h"
#include "harness/runner_drive.h"
#include "harness/temp_folder.h"
#include "harness/watched_comm.h"

#include <stdlib.h>
#include <sys/stat.h>

bool rank_ends(rank_answer *answer, rank_ending ending, bool ok)
{
    answer->ending = ending;
    return ok;
}

void rank_has_loaded(rank_answer *answer, const psgd_implementation *table)
{
    answer->loaded = true;
    rank_answer_describe(&answer->port, table);
}

void rank_give_up(rank *r)
{
    psgd_processes_fail(r->processes);
    psgd_threads_fail(r->threads);
}

static void progress(void *context, int64_t step, size_t bucket, const char *what)
{
    rank_answer_doing(context, step, bucket, what);
}

/* ---- a case ---- */

static bool send_trace(rank *r, const trace *t)
{
    rank_answer *answer = r->answer;
    int k = r->comm.rank;
    void *result = NULL, *notes = NULL;
    size_t result_bytes = 0, notes_bytes = 0;
    char *result_path = rank_file(r->folder, "result", k);
    char *notes_path = rank_file(r->folder, "notes", k);
    bool ok = resultfile_serialize(r->c, t, k, &result, &result_bytes, answer->message, sizeof answer->message);
    if (ok && (result_path == NULL || notes_path == NULL || !rank_notes_serialize(&notes, &notes_bytes, t, k)))
        ok = refuse(answer->message, sizeof answer->message, "no memory for the results");
    if (ok && (!file_write(result_path, result, result_bytes) || !file_write(notes_path, notes, notes_bytes)))
        ok = refuse(answer->message, sizeof answer->message, "the results cannot be written to %s", r->folder);
    free(result);
    free(notes);
    free(result_path);
    free(notes_path);
    return rank_ends(answer, ok ? ENDING_DONE : ENDING_KIT_FAILED, ok);
}

static bool drive_to_trace(rank *r, trace *t)
{
    drive_options options = {.seeded = r->seeded, .folder = r->folder, .progress = progress, .context = r->answer};
    bool ok = drive_case(t, r->c, r->table, &r->comm, &options, r->answer->message, sizeof r->answer->message);
    if (!ok || t->ranks[r->comm.rank].outcome != RANK_OK)
        rank_give_up(r); /* nobody waits for a rank that has given up */
    rank_answer_doing(r->answer, -1, 0, "its end, after the run");
    return ok ? send_trace(r, t) : rank_ends(r->answer, ENDING_KIT_FAILED, false);
}

static bool run_case(rank *r)
{
    trace *t = trace_create(r->c->steps, r->c->bucket_count, r->c->tensor_counts, r->c->world);
    if (t == NULL) {
        (void)refuse(r->answer->message, sizeof r->answer->message, "no memory for a trace");
        return rank_ends(r->answer, ENDING_KIT_FAILED, false);
    }
    bool ok = drive_to_trace(r, t);
    trace_free(t);
    return ok;
}

/* ---- a scenario ---- */

static bool run_scenario(rank *r)
{
    char *files = rank_file(r->folder, "files", r->comm.rank); /* the scenario's own, empty folder */
    if (files == NULL || mkdir(files, 0700) != 0) {
        free(files);
        (void)refuse(r->answer->message, sizeof r->answer->message, "no folder for the files of the scenario");
        return rank_ends(r->answer, ENDING_KIT_FAILED, false);
    }
    watched_comm watched;
    watched_comm_init(&watched, &r->comm);
    psgd_comm outer = watched_comm_outer(&watched);
    psgd_implementation port;
    implementation_table_copy(&port, r->table);
    rank_answer_doing(r->answer, -1, 0, "the scenario");
    scenario_perform(r->s, &port, &outer, files, &r->answer->outcome);
    free(files);
    r->answer->peer_lost = watched.failed;
    if (r->answer->outcome.state != SCENARIO_PASS)
        rank_give_up(r);
    rank_answer_doing(r->answer, -1, 0, "its end, after the scenario");
    return rank_ends(r->answer, ENDING_DONE, true);
}

bool rank_run(rank *r)
{
    bool ok;
    if (r->c != NULL)
        ok = run_case(r);
    else if (r->s != NULL)
        ok = run_scenario(r);
    else
        ok = rank_ends(r->answer, ENDING_DONE, true);
    if (!ok)
        rank_give_up(r);
    return ok;
}
