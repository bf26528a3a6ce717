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
    return t->c == NULL || write_case(t, message, message_size);
}

/* Starts the process of rank k: of it alone, or of the whole run. */
static bool start_process(processes *r, process_task *t, int k, const process_task *others, child *c, char *message,
                          size_t message_size)
{
    char numbers[RANK_ARGUMENTS_NUMBERS];
    char *words[RANK_ARGUMENTS_WORDS];
    rank_arguments arguments = {.implementation = r->implementation,
                                .folder = t->folder,
                                .rank = k,
                                .limit = (unsigned)(r->timeout < LONGEST ? r->timeout : LONGEST) + 2 * GRACE,
                                .case_file = t->case_file,
                                .scenario_name = t->s != NULL ? t->s->id : NULL,
                                .seeded = t->seeded};
    if (r->threads)
        arguments.threads = t->size;
    if (others != NULL) {
        arguments.others = others->size;
        arguments.others_folder = others->folder;
        arguments.others_case = others->case_file;
    }
    rank_arguments_write(words, numbers, r->kit, &arguments);
    char *output = rank_file(t->folder, "output", k);
    if (output == NULL)
        return refuse(message, message_size, "no memory to start rank %d", k);
    bool ok = child_start(c, t->group, k, words, output, message, message_size);
    free(output);
    return ok;
}

/* A group of processes as large as there are processes: ranks that are threads have their own. */
static bool task_start(processes *r, process_task *t, int count, const process_task *others, char *message,
                       size_t message_size)
{
    if (psgd_processes_create(&t->group, count, r->timeout + GRACE, message, message_size) != PSGD_OK)
        return false;
    for (int k = 0; k < count; k++)
        if (!start_process(r, t, k, others, &t->children[k], message, message_size))
            return false;
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

/* What a rank printed last, as a further line of its message; "" if nothing. A sanitizer's report ends with its
 * summary: that says most in one line. */
static void printed(char text[PROCESS_OUTPUT_SHOWN + 64], const child *c)
{
    char *tail = file_tail(c->output, PROCESS_OUTPUT_SHOWN);
    const char *from = tail;
    for (const char *at = tail; at != NULL; at = strstr(at + 1, "SUMMARY: "))
        from = at;
    text[0] = '\0';
    if (tail != NULL)
        (void)snprintf(text, PROCESS_OUTPUT_SHOWN + 64, "; its last words:\n%s", from);
    free(tail);
}

const child *process_child(const process_task *t, int k)
{
    return &t->children[t->run->threads ? 0 : k];
}

bool process_rank_failed(const process_task *t, int k)
{
    if (t->answers[k].ending != ENDING_DONE)
        return true;
    /* One that was done is not to blame for the end of the process that it shares, unless nobody else is. */
    return process_child(t, k)->status != 0 && (!t->run->threads || t->run->all_done);
}

bool process_rank_dragged_along(const process_task *t, int k)
{
    return t->run->culprit_known && !t->answers[k].ended_here;
}

void process_ending(char *text, size_t size, const process_task *t, int k)
{
    const child *c = process_child(t, k);
    const rank_answer *a = &t->answers[k];
    char how[64], words[PROCESS_OUTPUT_SHOWN + 64], place[96] = "";
    const char *sharing = "";
    child_ending(how, sizeof how, c);
    printed(words, c);
    if (a->step >= 0)
        (void)snprintf(place, sizeof place, " of step %lld, bucket %llu", (long long)a->step,
                       (unsigned long long)a->bucket);
    if (process_rank_dragged_along(t, k))
        sharing = " (by another rank, a thread of the same process)";
    else if (t->run->threads && t->size > 1 && !t->run->culprit_known && !c->timed_out)
        sharing = " (by one of the ranks, threads of one process; it is not known which)";
    (void)snprintf(text, size, "ended by %s in %s%s%s%s", how, a->doing[0] != '\0' ? a->doing : "its start", place,
                   sharing, words);
}

/* After all processes have ended: what each rank left, and what of it can only be told from all of them. */
static void read_answers(process_run *u)
{
    u->all_done = true;
    for (int i = 0; i < u->count; i++)
        for (int k = 0; k < u->tasks[i].size; k++) {
            rank_answer *a = &u->tasks[i].answers[k];
            a->whole = rank_answer_read(a, u->tasks[i].folder, k);
            u->all_done = u->all_done && a->ending == ENDING_DONE;
            u->culprit_known = u->culprit_known || (u->threads && a->ended_here);
        }
}

/* Is there something to judge? */
static run_result task_outcome(process_task *t, char *message, size_t message_size)
{
    run_result result = RUN_DONE;
    for (int k = 0; k < t->size && result == RUN_DONE; k++) {
        const rank_answer *a = &t->answers[k];
        char text[PROCESS_TEXT_SIZE];
        process_ending(text, sizeof text, t, k);
        if (a->whole && a->ending == ENDING_NOT_LOADED) {
            result = RUN_NOT_LOADED;
            (void)refuse(message, message_size, "%s", a->message);
        } else if (!a->whole || a->ending == ENDING_KIT_FAILED) {
            result = RUN_KIT_FAILED;
            (void)refuse(message, message_size, "rank %d: %s", k, a->whole ? a->message : text);
        } else if (!a->loaded) {
            result = RUN_NOT_LOADED;
            (void)refuse(message, message_size, "the port could not be loaded: %s", text);
        }
    }
    return result;
}

/* ---- a run: one task, or two at once ---- */

static bool run_prepare(processes *r, process_run *u, char *message, size_t message_size)
{
    u->threads = r->threads;
    for (int i = 0; i < u->count; i++)
        u->child_count += u->tasks[i].size;
    if (u->threads)
        u->child_count = 1;
    u->children = calloc((size_t)u->child_count, sizeof *u->children);
    if (u->children == NULL)
        return refuse(message, message_size, "no memory for a run");
    for (int i = 0; i < u->child_count; i++)
        u->children[i].pipe = -1;
    if (r->folder == NULL)
        r->folder = temp_folder_make(message, message_size);
    if (r->folder == NULL)
        return false;
    r->runs++;
    child *next = u->children;
    for (int i = 0; i < u->count; i++) {
        u->tasks[i].run = u;
        u->tasks[i].children = next;
        next += u->threads ? 0 : u->tasks[i].size;
        if (!task_prepare(r, &u->tasks[i], i == 0 ? "run" : "other", message, message_size))
            return false;
    }
    return true;
}

static bool run_start(processes *r, process_run *u, char *message, size_t message_size)
{
    if (!run_prepare(r, u, message, message_size))
        return false;
    if (u->threads)
        return task_start(r, &u->tasks[0], 1, u->count > 1 ? &u->tasks[1] : NULL, message, message_size);
    for (int i = 0; i < u->count; i++)
        if (!task_start(r, &u->tasks[i], u->tasks[i].size, NULL, message, message_size))
            return false;
    return true;
}

run_result process_run_all(processes *r, process_run *u, char *message, size_t message_size)
{
    if (!run_start(r, u, message, message_size))
        return RUN_KIT_FAILED;
    if (children_wait(u->children, u->child_count, r->timeout, r->interrupted) == CHILDREN_INTERRUPTED) {
        (void)refuse(message, message_size, "interrupted");
        return RUN_KIT_FAILED;
    }
    read_answers(u);
    run_result result = RUN_DONE;
    for (int i = 0; i < u->count && result == RUN_DONE; i++)
        result = task_outcome(&u->tasks[i], message, message_size);
    return result;
}

void process_run_free(process_run *u)
{
    if (u->children != NULL)
        children_free(u->children, u->child_count);
    free(u->children);
    for (int i = 0; i < u->count; i++)
        task_free(&u->tasks[i]);
}
