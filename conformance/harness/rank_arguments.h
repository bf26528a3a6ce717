/* rank_arguments.h: the words of the hidden command `psgd-conform rank`, written by the launcher and read by the rank.
 *
 *   psgd-conform rank --impl NAME --folder DIR --rank K --limit SECONDS [--case FILE [--seeded]] [--scenario ID]
 *                     [--threads W [--others W --others-folder DIR --others-case FILE]]
 *
 * With neither a case nor a scenario the rank only describes the port. With --threads (and rank 0) the process has all
 * W ranks as threads, and beside them those that run the others' case (others.h).
 */
#ifndef CONFORMANCE_HARNESS_RANK_ARGUMENTS_H
#define CONFORMANCE_HARNESS_RANK_ARGUMENTS_H

#include <stdbool.h>

typedef struct rank_arguments {
    const char *implementation;
    const char *folder; /* of this run; also gets answer, output, result and notes */
    int rank;
    unsigned limit;            /* seconds after which the process ends itself, should the kit no longer be there */
    const char *case_file;     /* or null */
    const char *scenario_name; /* or null */
    bool seeded;
    int threads;               /* ranks in this process, each a thread; 0: this one only, the process itself */
    int others;                /* ranks of the second group in this process; 0: none */
    const char *others_folder; /* these two with others only */
    const char *others_case;
} rank_arguments;

#define RANK_ARGUMENTS_WORDS 24

#define RANK_ARGUMENTS_NUMBERS 96

/* Writes the words, null-terminated; kit and numbers hold what they point to. */
void rank_arguments_write(char *words[RANK_ARGUMENTS_WORDS], char numbers[RANK_ARGUMENTS_NUMBERS], char *kit,
                          const rank_arguments *a);
/* words[0], or words[1] after the program's name, is "rank". False: not such a command. */
bool rank_arguments_read(rank_arguments *a, int count, char **words);

#endif
