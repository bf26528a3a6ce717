/* process_run.c: see process_run.h. A run's private folder holds the case, and what each rank leaves: answer, output,
 * result, notes. Read next: process_trace.c.
 */
#include "harness/process_run.h"

#include "harness/casefile.h"
#include "harness/message.h"
#include "harness/rank_arguments.h"
#include "harness/temp_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define GRACE   30  /* seconds beyond the run's limit after which ranks give up by themselves */
#define LONGEST 1e9 /* seconds, which fit into what alarm takes */

/* ---- starting ---- */

static bool write_case(process_task *t, char *message, size_t message_size)
{
    void *bytes = NULL;
    size_t count = 0;
    t->case_file = rank_file(t->folder, "case", 0);
    if (t->case_file == NULL)
        return refuse(message, message_size, "no memory for a case");
    if (!casefile_serialize(t->c, !t->seeded, &bytes, &count, message, message_size))
        return false;
    bool ok = file_write(t->case_file, bytes, count);
    free(bytes);
    return ok || refuse(message, message_size, "the case cannot be written to %s", t->folder);
}

static bool task_prepare(processes *r, process_task *t, const char *name, char *message, size_t message_size)
{
    size_t size = strlen(r->folder) + strlen(name) + 32;
    t->folder = malloc(size);
    t->answers = calloc((size_t)t->size, sizeof *t->answers);
    if (t->folder == NULL || t->answers == NULL)
        return refuse(message, message_size, "no memory for a run");
    (void)snprintf(t->folder, size, "%s/%s%llu", r->folder, name, (unsigned long long)r->runs);
    if (mkdir(t->folder, 0700) != 0)
        return refuse(message, message_size, "the folder %s cannot be made", t->folder);
    if (t->c != NULL && !write_case(t, message, message_size))
        return false;
    return psgd_processes_create(&t->group, t->size, r->timeout + GRACE, message, message_size) == PSGD_OK;
}

static bool task_start(processes *r, process_task *t, char *message, size_t message_size)
{
    for (int k = 0; k < t->size; k++) {
        char numbers[48];
        char *words[RANK_ARGUMENTS_WORDS];
        rank_arguments arguments = {.implementation = r->implementation,
                                    .folder = t->folder,
                                    .rank = k,
                                    .limit = (unsigned)(r->timeout < LONGEST ? r->timeout : LONGEST) + 2 * GRACE,
                                    .case_file = t->case_file,
                                    .scenario_name = t->s != NULL ? t->s->id : NULL,
                                    .seeded = t->seeded};
        rank_arguments_write(words, numbers, r->kit, &arguments);
        char *output = rank_file(t->folder, "output", k);
        if (output == NULL)
            return refuse(message, message_size, "no memory to start rank %d", k);
        bool ok = child_start(&t->children[k], t->group, k, words, output, message, message_size);
        free(output);
        if (!ok)
            return false;
    }
    return true;
}

static void task_free(process_task *t)
{
    psgd_processes_release(t->group);
    if (t->folder != NULL)
        temp_folder_remove(t->folder);
    free(t->folder);
    free(t->case_file);
    free(t->answers);
}

/* ---- what came of it ---- */

/* What a rank printed last, as a further line of its message; "" if nothing. */
static void printed(char text[PROCESS_OUTPUT_SHOWN + 64], const child *c)
{
    char *tail = file_tail(c->output, PROCESS_OUTPUT_SHOWN);
    text[0] = '\0';
    if (tail != NULL)
        (void)snprintf(text, PROCESS_OUTPUT_SHOWN + 64, "; its last words:\n%s", tail);
    free(tail);
}

void process_ending(char *text, size_t size, const child *c, const rank_answer *a)
{
    char how[64], words[PROCESS_OUTPUT_SHOWN + 64], place[96] = "";
    child_ending(how, sizeof how, c);
    printed(words, c);
    if (a->step >= 0)
        (void)snprintf(place, sizeof place, " of step %lld, bucket %llu", (long long)a->step,
                       (unsigned long long)a->bucket);
    (void)snprintf(text, size, "ended by %s in %s%s%s", how, a->doing[0] != '\0' ? a->doing : "its start", place,
                   words);
}

/* After all ranks have ended: is there something to judge? */
static run_result task_outcome(process_task *t, char *message, size_t message_size)
{
    run_result result = RUN_DONE;
    for (int k = 0; k < t->size && result == RUN_DONE; k++) {
        rank_answer *a = &t->answers[k];
        bool whole = rank_answer_read(a, t->folder, k);
        if (whole && a->ending == ENDING_NOT_LOADED) {
            result = RUN_NOT_LOADED;
            (void)refuse(message, message_size, "%s", a->message);
        } else if (!whole || a->ending == ENDING_KIT_FAILED) {
            char text[PROCESS_TEXT_SIZE];
            process_ending(text, sizeof text, &t->children[k], a);
            result = RUN_KIT_FAILED;
            (void)refuse(message, message_size, "rank %d: %s", k, whole ? a->message : text);
        } else if (!a->loaded) {
            char text[PROCESS_TEXT_SIZE];
            process_ending(text, sizeof text, &t->children[k], a);
            result = RUN_NOT_LOADED;
            (void)refuse(message, message_size, "the port could not be loaded: %s", text);
        }
    }
    return result;
}

/* ---- a run: one task, or two at once ---- */

static bool run_start(processes *r, process_run *u, char *message, size_t message_size)
{
    for (int i = 0; i < u->count; i++)
        u->ranks += u->tasks[i].size;
    u->children = calloc((size_t)u->ranks, sizeof *u->children);
    if (u->children == NULL)
        return refuse(message, message_size, "no memory for a run");
    for (int i = 0; i < u->ranks; i++)
        u->children[i].pipe = -1;
    if (r->folder == NULL)
        r->folder = temp_folder_make(message, message_size);
    if (r->folder == NULL)
        return false;
    r->runs++;
    child *next = u->children;
    for (int i = 0; i < u->count; i++) {
        u->tasks[i].children = next;
        next += u->tasks[i].size;
        if (!task_prepare(r, &u->tasks[i], i == 0 ? "run" : "other", message, message_size) ||
            !task_start(r, &u->tasks[i], message, message_size))
            return false;
    }
    return true;
}

run_result process_run_all(processes *r, process_run *u, char *message, size_t message_size)
{
    if (!run_start(r, u, message, message_size))
        return RUN_KIT_FAILED;
    if (children_wait(u->children, u->ranks, r->timeout, r->interrupted) == CHILDREN_INTERRUPTED) {
        (void)refuse(message, message_size, "interrupted");
        return RUN_KIT_FAILED;
    }
    run_result result = RUN_DONE;
    for (int i = 0; i < u->count && result == RUN_DONE; i++)
        result = task_outcome(&u->tasks[i], message, message_size);
    return result;
}

void process_run_free(process_run *u)
{
    if (u->children != NULL)
        children_free(u->children, u->ranks);
    free(u->children);
    for (int i = 0; i < u->count; i++)
        task_free(&u->tasks[i]);
}
