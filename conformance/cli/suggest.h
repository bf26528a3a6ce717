/* suggest.h: the nearest known word to an unknown one, for error messages. */
#ifndef CONFORMANCE_CLI_SUGGEST_H
#define CONFORMANCE_CLI_SUGGEST_H

#include <stddef.h>

/* Edit distance (Levenshtein), upper and lower case alike; words of 63 characters or more count as far from everything.
 */
size_t edit_distance(const char *a, const char *b);

/* Keeps the candidate in *best if it is nearer to word than what was offered before, and near enough to be meant. Start
 * with *best = NULL. */
void suggest(const char **best, const char *word, const char *candidate);

#endif
