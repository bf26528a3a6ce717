/* result_folder_read.c: the result of one case, from one file or from one of each rank; every way in which it may not
 * be whole has its own words. Read next: resultfile.c, which reads a file. */
#include "harness/casefile.h"
#include "harness/file_parts.h"
#include "harness/result_folder_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool result_path(char path[RESULT_PATH_SIZE], const result_folder *f, const char *name)
{
    const int length = snprintf(path, RESULT_PATH_SIZE, "%s/%s", f->path, name);
    return length > 0 && length < RESULT_PATH_SIZE;
}

/* The case's state and what is wrong. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static result_state
note(result_case *of, result_state state, const char *format, ...)
{
    char text[700];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    free(of->message);
    of->message = strdup(text);
    of->state = state;
    return state;
}

/* Is what is there one file of all ranks, or one of each? */
static result_state check_names(result_case *of, const result_file *files, size_t count, const test_case *c)
{
    if (count == 0)
        return note(of, RESULT_MISSING,
                    "there is no %s.result.safetensors, and none of its %d ranks' files (%s.result.k0"
                    ".safetensors ...)",
                    c->id, c->world, c->id);
    for (size_t i = 0; i < count; i++) {
        const result_file *x = &files[i];
        if (x->foreign != NULL)
            return note(of, RESULT_MISPLACED, "%s is the result of case '%.80s'", x->name, x->foreign);
        if (x->rank >= c->world)
            return note(of, RESULT_MISPLACED, "%s is of a rank that the case has not: it has %d", x->name, c->world);
        if (i > 0 && (files[i - 1].rank == x->rank || files[0].rank < 0))
            return note(of, RESULT_MISPLACED, "the result is there twice: %s and %s", files[i - 1].name, x->name);
        if (!x->canonical)
            return note(of, RESULT_MISPLACED, "%s: its rank is written k%d", x->name, x->rank);
    }
    for (int k = 0; files[0].rank >= 0 && k < c->world; k++)
        if ((size_t)k >= count || files[k].rank != k)
            return note(of, RESULT_MISSING, "%s.result.k%d.safetensors is missing, others of the %d ranks are there",
                        c->id, k, c->world);
    return RESULT_WHOLE;
}

static result_state read_files(result_folder *f, result_case *of, const result_file *files, size_t count,
                               const test_case *c, trace **t)
{
    char path[RESULT_PATH_SIZE], reason[600];
    for (size_t i = 0; i < count; i++) {
        if (!result_path(path, f, files[i].name))
            return note(of, RESULT_DAMAGED, "%s: its path is too long", files[i].name);
        if (!resultfile_read(c, t, files[i].rank, path, reason, sizeof reason))
            return note(of, RESULT_DAMAGED, "%s", reason);
    }
    for (int k = 0; k < c->world; k++)
        if ((*t)->ranks[k].outcome == RANK_ABSENT)
            return note(of, RESULT_MISSING, "%s: metadata \"status\" does not tell of rank %d", files[0].name, k);
    if (!result_is_complete(*t, reason, sizeof reason))
        return note(of, RESULT_DAMAGED, "%s: %s", files[0].name, reason);
    of->state = RESULT_WHOLE;
    return RESULT_WHOLE;
}

result_state result_folder_read(result_folder *f, const test_case *c, bool seeded, trace **t)
{
    *t = NULL;
    result_case *of = result_folder_case(f, c->id);
    if (of == NULL)
        return RESULT_UNREAD;
    if (of->altered)
        return note(of, RESULT_WITHHELD, "%s.safetensors is not the case that was exported: its sha256 is another",
                    c->id);
    const size_t index = (size_t)(of - f->cases);
    size_t first = 0, count = 0;
    while (first < f->file_count && f->files[first].of < index)
        first++;
    while (first + count < f->file_count && f->files[first + count].of == index)
        count++;
    const result_file *files = f->files + first;
    result_state state = check_names(of, files, count, c);
    if (state == RESULT_WHOLE)
        state = read_files(f, of, files, count, c, t);
    if (state != RESULT_WHOLE) {
        trace_free(*t);
        *t = NULL;
    } else if (seeded && !f->with_q0) {
        (*t)->q_given = false;
    }
    return state;
}
