/* rank_arguments.c: see rank_arguments.h. */
#include "harness/rank_arguments.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* execve takes pointers to char that it does not write to. */
static char *word(const char *text)
{
    union {
        const char *in;
        char *out;
    } same = {.in = text};
    return same.out;
}

void rank_arguments_write(char *words[RANK_ARGUMENTS_WORDS], char numbers[RANK_ARGUMENTS_NUMBERS], char *kit,
                          const rank_arguments *a)
{
    int n = 0;
    char *threads = numbers + 48, *others = numbers + 72;
    (void)snprintf(numbers, 24, "%d", a->rank);
    (void)snprintf(numbers + 24, 24, "%u", a->limit);
    (void)snprintf(threads, 24, "%d", a->threads);
    (void)snprintf(others, 24, "%d", a->others);
    words[n++] = kit;
    words[n++] = word("rank");
    words[n++] = word("--impl");
    words[n++] = word(a->implementation);
    words[n++] = word("--folder");
    words[n++] = word(a->folder);
    words[n++] = word("--rank");
    words[n++] = numbers;
    words[n++] = word("--limit");
    words[n++] = numbers + 24;
    if (a->case_file != NULL) {
        words[n++] = word("--case");
        words[n++] = word(a->case_file);
    }
    if (a->scenario_name != NULL) {
        words[n++] = word("--scenario");
        words[n++] = word(a->scenario_name);
    }
    if (a->seeded)
        words[n++] = word("--seeded");
    if (a->threads > 0) {
        words[n++] = word("--threads");
        words[n++] = threads;
    }
    if (a->others > 0) {
        words[n++] = word("--others");
        words[n++] = others;
        words[n++] = word("--others-folder");
        words[n++] = word(a->others_folder);
        words[n++] = word("--others-case");
        words[n++] = word(a->others_case);
    }
    words[n] = NULL;
}

static bool read_number(long *number, const char *text, long most)
{
    char *end = NULL;
    *number = strtol(text, &end, 10);
    return end != text && *end == '\0' && *number >= 0 && *number <= most;
}

static bool read_text(rank_arguments *a, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **to;
    } texts[] = {{"--impl", &a->implementation},     {"--folder", &a->folder},
                 {"--case", &a->case_file},          {"--scenario", &a->scenario_name},
                 {"--others-case", &a->others_case}, {"--others-folder", &a->others_folder}};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        if (strcmp(name, texts[i].name) == 0) {
            *texts[i].to = value;
            return true;
        }
    return false;
}

static bool read_pair(rank_arguments *a, const char *name, const char *value)
{
    long number = 0;
    if (read_text(a, name, value))
        return true;
    if (!read_number(&number, value, INT_MAX))
        return false;
    if (strcmp(name, "--rank") == 0)
        a->rank = (int)number;
    else if (strcmp(name, "--limit") == 0)
        a->limit = (unsigned)number;
    else if (strcmp(name, "--threads") == 0)
        a->threads = (int)number;
    else if (strcmp(name, "--others") == 0)
        a->others = (int)number;
    else
        return false;
    return true;
}

bool rank_arguments_read(rank_arguments *a, int count, char **words)
{
    *a = (rank_arguments){.rank = -1};
    int first = count > 0 && strcmp(words[0], "rank") == 0 ? 1 : 2; /* without or with the program's name */
    if (count < first || strcmp(words[first - 1], "rank") != 0)
        return false;
    for (int i = first; i < count; i++) {
        if (strcmp(words[i], "--seeded") == 0) {
            a->seeded = true;
            continue;
        }
        if (i + 1 >= count || !read_pair(a, words[i], words[i + 1]))
            return false;
        i++;
    }
    if (a->others > 0 && (a->threads == 0 || a->others_folder == NULL || a->others_case == NULL))
        return false;
    return a->implementation != NULL && a->folder != NULL && a->rank >= 0 && (a->threads == 0 || a->rank == 0) &&
           (a->case_file == NULL || a->scenario_name == NULL);
}
