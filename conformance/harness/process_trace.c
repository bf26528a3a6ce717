/* process_trace.c: brings home what the ranks of a case left: their results, or how they ended. See process_run.h.
 */
#include "harness/process_run.h"

#include "harness/casefile.h"
#include "harness/message.h"
#include "harness/rank_notes.h"
#include "harness/temp_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* False: they are not what a rank leaves; message. */
static bool read_results(process_task *t, trace *whole, int k, char *message, size_t message_size)
{
    void *notes = NULL;
    size_t notes_bytes = 0;
    char *result_path = rank_file(t->folder, "result", k);
    char *notes_path = rank_file(t->folder, "notes", k);
    bool ok = result_path != NULL && notes_path != NULL && file_read(&notes, &notes_bytes, notes_path);
    if (!ok)
        (void)refuse(message, message_size, "it left no results");
    ok = ok && resultfile_read(t->c, &whole, k, result_path, message, message_size);
    if (ok && !rank_notes_apply(whole, k, notes, notes_bytes))
        ok = refuse(message, message_size, "its notes cannot be read");
    free(notes);
    free(result_path);
    free(notes_path);
    return ok;
}

/* message is copied. */
static bool note(trace_rank *rank, rank_outcome outcome, psgd_status status, const char *message)
{
    rank->outcome = outcome;
    rank->status = status;
    free(rank->message);
    rank->message = strdup(message);
    return rank->message != NULL;
}

/* A rank that did not come to its end, or not to a good one. */
static bool note_ending(process_task *t, trace *whole, int k)
{
    const rank_answer *a = &t->answers[k];
    trace_rank *rank = &whole->ranks[k];
    char text[PROCESS_TEXT_SIZE];
    process_ending(text, sizeof text, t, k);
    if (a->step >= 0 && a->step <= whole->steps)
        rank->steps_done = a->step;
    if (process_rank_dragged_along(t, k))
        return note(rank, RANK_ERROR, PSGD_ERR_COMM, text);
    return note(rank, process_child(t, k)->timed_out ? RANK_TIMED_OUT : RANK_CRASHED, PSGD_ERR_BROKEN, text);
}

/* A rank that said that it was done, and then its results are no results: the port shares the process that wrote them,
 * and it may have forked, or written to files that are not its own. */
static bool note_spoilt(trace *whole, int k, const char *why)
{
    char text[1280];
    (void)snprintf(text, sizeof text,
                   "the results that it left are spoilt: did the port fork, or write to descriptors that are not its "
                   "own? %s",
                   why);
    return note(&whole->ranks[k], RANK_CRASHED, PSGD_ERR_BROKEN, text);
}

static bool bring_home(process_task *t, trace *whole, int k)
{
    char why[1024] = "";
    if (t->answers[k].ending == ENDING_DONE && !read_results(t, whole, k, why, sizeof why) &&
        !note_spoilt(whole, k, why))
        return false;
    return !process_rank_failed(t, k) || note_ending(t, whole, k);
}

/* What a rank says may be a consequence of what another one did; then it says so. */
static bool is_first_cause(const trace_rank *rank)
{
    return rank->outcome != RANK_OK && !(rank->outcome == RANK_ERROR && rank->status == PSGD_ERR_COMM);
}

static bool name_first_cause(trace *t)
{
    int first = -1;
    for (int k = 0; k < t->world && first < 0; k++)
        if (is_first_cause(&t->ranks[k]))
            first = k;
    for (int k = 0; first >= 0 && k < t->world; k++) {
        trace_rank *rank = &t->ranks[k];
        if (rank->outcome != RANK_ERROR || rank->status != PSGD_ERR_COMM)
            continue;
        if (t->ranks[first].outcome == RANK_UNSUPPORTED)
            rank->outcome = RANK_UNSUPPORTED;
        const char *said = rank->message != NULL ? rank->message : "";
        size_t size = strlen(said) + 64;
        char *text = malloc(size);
        if (text == NULL)
            return false;
        (void)snprintf(text, size, "after rank %d had failed: %s", first, said);
        free(rank->message);
        rank->message = text;
    }
    return true;
}

trace *process_trace(process_task *t, run_result *result, char *message, size_t message_size)
{
    const rank_answer *first = &t->answers[0];
    trace *whole = trace_create(t->c->steps, t->c->bucket_count, t->c->tensor_counts, t->c->world);
    bool memory = whole != NULL;
    for (int k = 0; memory && k < t->size; k++)
        memory = bring_home(t, whole, k);
    if (memory && whole->producer == NULL) {
        whole->producer = strdup(first->port.name);
        whole->version = strdup(first->port.version);
        whole->claims = first->port.claims;
        memory = whole->producer != NULL && whole->version != NULL;
    }
    memory = memory && name_first_cause(whole);
    if (!memory) {
        (void)refuse(message, message_size, "no memory for the results");
        *result = RUN_KIT_FAILED;
        trace_free(whole);
        whole = NULL;
    }
    return whole;
}
