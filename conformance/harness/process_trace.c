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

static run_result read_results(process_task *t, trace *whole, int k, char *message, size_t message_size)
{
    void *notes = NULL;
    size_t notes_bytes = 0;
    char *result_path = rank_file(t->folder, "result", k);
    char *notes_path = rank_file(t->folder, "notes", k);
    bool ok = result_path != NULL && notes_path != NULL && file_read(&notes, &notes_bytes, notes_path);
    if (!ok)
        (void)refuse(message, message_size, "rank %d left no results in %s", k, t->folder);
    ok = ok && resultfile_read(t->c, &whole, k, result_path, message, message_size);
    if (ok && !rank_notes_apply(whole, k, notes, notes_bytes))
        ok = refuse(message, message_size, "the notes of rank %d cannot be read", k);
    free(notes);
    free(result_path);
    free(notes_path);
    return ok ? RUN_DONE : RUN_KIT_FAILED;
}

/* A rank that did not come to its end, or not to a good one. */
static bool note_ending(process_task *t, trace *whole, int k)
{
    const rank_answer *a = &t->answers[k];
    const child *c = &t->children[k];
    trace_rank *rank = &whole->ranks[k];
    char text[PROCESS_TEXT_SIZE];
    process_ending(text, sizeof text, c, a);
    rank->outcome = c->timed_out ? RANK_TIMED_OUT : RANK_CRASHED;
    rank->status = PSGD_ERR_BROKEN;
    if (a->step >= 0 && a->step <= whole->steps)
        rank->steps_done = a->step;
    free(rank->message);
    rank->message = strdup(text);
    return rank->message != NULL;
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
    for (int k = 0; memory && *result == RUN_DONE && k < t->size; k++) {
        if (t->answers[k].ending == ENDING_DONE)
            *result = read_results(t, whole, k, message, message_size);
        if (*result == RUN_DONE && (t->answers[k].ending != ENDING_DONE || t->children[k].status != 0))
            memory = note_ending(t, whole, k);
    }
    if (memory && whole->producer == NULL) {
        whole->producer = strdup(first->port.name);
        whole->version = strdup(first->port.version);
        whole->claims = first->port.claims;
        memory = whole->producer != NULL && whole->version != NULL;
    }
    memory = memory && (*result != RUN_DONE || name_first_cause(whole));
    if (!memory && *result == RUN_DONE) {
        (void)refuse(message, message_size, "no memory for the results");
        *result = RUN_KIT_FAILED;
    }
    if (*result != RUN_DONE) {
        trace_free(whole);
        whole = NULL;
    }
    return whole;
}
