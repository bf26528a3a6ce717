/* command_mutants.c: the kit judged: every known fault must be found, by a requirement that it breaks, and no honest
 * variant may be accused. Read next: kill_matrix.h, judge_mutant.c. */
#include "cli/command.h"
#include "cli/judge_mutant.h"
#include "cli/kill_matrix_text.h"
#include "cli/launcher.h"
#include "cli/lookup.h"
#include "cli/suggest.h"
#include "cli/workers.h"
#include "harness/message.h"
#include "report/file.h"
#include "report/progress.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

typedef struct mutants {
    mutant_judge judge;
    kill_matrix matrix;
    progress bar;
    size_t judged, wrong;
    char message[1024];
} mutants;

static int complain(const char *message, int code)
{
    fprintf(stderr, "psgd-conform mutants: %s\n", message);
    return code;
}

static double now(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- which ---- */

/* The variant's name, or a requirement that it breaks. */
static bool glob_names(const char *glob, const fault_entry *entry)
{
    if (fnmatch(glob, entry->name, 0) == 0)
        return true;
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++)
        if (fnmatch(glob, all[i].id, 0) == 0 && mutant_breaks(entry, all[i].id))
            return true;
    return false;
}

static int nothing_named(const options *o, const char *glob)
{
    const char *near = NULL;
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++)
        suggest(&near, glob, all[i].id);
    suggest_fault(&near, glob);
    fprintf(o->errors, "psgd-conform: --only '%s' matches no fault, and no requirement that one breaks", glob);
    if (near != NULL)
        fprintf(o->errors, "; did you mean '%s'?", near);
    fprintf(o->errors, "\n");
    return EXIT_USAGE;
}

/* Keeps what --only names. 0, or the exit code. */
static int choose(kill_matrix *m, const options *o)
{
    for (size_t g = 0; g < o->only.count; g++) {
        bool matched = false;
        for (size_t i = 0; i < m->count && !matched; i++)
            matched = glob_names(o->only.words[g], m->rows[i].entry);
        if (!matched)
            return nothing_named(o, o->only.words[g]);
    }
    size_t kept = 0;
    for (size_t i = 0; i < m->count; i++) {
        bool wanted = o->only.count == 0;
        for (size_t g = 0; g < o->only.count && !wanted; g++)
            wanted = glob_names(o->only.words[g], m->rows[i].entry);
        if (wanted)
            m->rows[kept++] = m->rows[i];
    }
    m->count = kept;
    m->partial = o->only.count > 0;
    return 0;
}

/* ---- the run ---- */

static void work(void *context, size_t job, void *result)
{
    mutants *all = context;
    if (!all->matrix.rows[job].invisible)
        judge_mutant(result, &all->judge, all->matrix.rows[job].entry);
}

static void done(void *context, size_t job, const void *result)
{
    mutants *all = context;
    mutant_row *row = &all->matrix.rows[job];
    memcpy(&row->result, result, sizeof row->result);
    const mutant_state state = mutant_state_of(row);
    all->wrong +=
        state == MUTANT_SURVIVED || state == MUTANT_UNRELATED || state == MUTANT_ACCUSED || state == MUTANT_UNJUDGED;
    progress_step(&all->bar, ++all->judged, all->wrong, row->entry->name);
}

static bool write_reports(mutants *all)
{
    const options *o = all->judge.options;
    bool ok = true;
    for (size_t i = 0; i < o->report_count; i++) {
        char *text = kill_matrix_json(&all->matrix);
        const bool written = text != NULL
                                 ? report_file_write(o->reports[i].path, text, all->message, sizeof all->message)
                                 : refuse(all->message, sizeof all->message, "out of memory");
        free(text);
        if (!written)
            (void)complain(all->message, EXIT_KIT_FAILED);
        ok = ok && written;
    }
    return ok;
}

/* Thousands of files are made and thrown away: in memory, where nobody asked for another place. */
#define MEMORY_FOLDER "/dev/shm"
#define MEMORY_WANTED ((double)1024 * 1024 * 1024) /* bytes free there: a run needs some hundredths of it */

static bool work_in_memory(void)
{
    struct statvfs disk;
    const char *named = getenv("TMPDIR");
    const bool wanted = (named == NULL || named[0] == '\0') && statvfs(MEMORY_FOLDER, &disk) == 0 &&
                        (double)disk.f_bavail * (double)disk.f_frsize >= MEMORY_WANTED &&
                        access(MEMORY_FOLDER, W_OK | X_OK) == 0;
    return !wanted || setenv("TMPDIR", MEMORY_FOLDER, 1) == 0;
}

static int judge_all(mutants *all)
{
    const options *o = all->judge.options;
    const double start = now();
    const workers_task task = {
        .jobs = all->matrix.count, .result_size = sizeof(mutant_result), .context = all, .work = work, .done = done};
    all->bar = progress_start(all->matrix.count, !o->quiet);
    const bool ran = work_in_memory() ? workers_run(&task, all->message, sizeof all->message)
                                      : refuse(all->message, sizeof all->message, "out of memory");
    progress_end(&all->bar);
    if (!ran)
        (void)complain(all->message, EXIT_KIT_FAILED);
    all->matrix.seconds = now() - start;
    int code = kill_matrix_exit_code(&all->matrix);
    if (!kill_matrix_text(&all->matrix, all->bar.width, o->verbose, o->quiet))
        code = complain("standard output could not be written", EXIT_KIT_FAILED);
    return write_reports(all) ? code : EXIT_KIT_FAILED;
}

/* ---- the command ---- */

static int check_reports(mutants *all)
{
    const options *o = all->judge.options;
    for (size_t i = 0; i < o->report_count; i++) {
        if (strcmp(o->reports[i].format->name, "json") != 0) {
            fprintf(o->errors, "psgd-conform mutants: --report: the kill matrix is written as json, not as %s\n",
                    o->reports[i].format->name);
            return EXIT_USAGE;
        }
        if (!report_file_check(o->reports[i].path, all->message, sizeof all->message))
            return complain(all->message, EXIT_KIT_FAILED);
    }
    return 0;
}

int command_mutants(const options *o, const char *kit_path)
{
    mutants all = {.judge = {.options = o, .kit_path = kit_path}};
    if (!kill_matrix_make(&all.matrix, o->way))
        return complain("out of memory", EXIT_KIT_FAILED);
    int code = choose(&all.matrix, o);
    if (code == 0)
        code = check_reports(&all);
    if (code == 0 && !vectors_open(&all.judge.vectors, o->golden, all.message, sizeof all.message))
        code = complain(all.message, EXIT_KIT_FAILED);
    if (code == 0)
        code = judge_all(&all);
    case_store_free(&all.judge.cases);
    vectors_free(&all.judge.vectors);
    kill_matrix_free(&all.matrix);
    return code;
}
