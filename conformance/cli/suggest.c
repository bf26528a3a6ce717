/* suggest.c: see suggest.h. */
#include "cli/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#define LONGEST 63

static bool same_letter(char a, char b)
{
    return tolower((unsigned char)a) == tolower((unsigned char)b);
}

size_t edit_distance(const char *a, const char *b)
{
    size_t row[LONGEST + 1];
    const size_t length_a = strlen(a), length_b = strlen(b);
    if (length_a >= LONGEST || length_b >= LONGEST)
        return LONGEST;

    for (size_t j = 0; j <= length_b; j++)
        row[j] = j;
    for (size_t i = 1; i <= length_a; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= length_b; j++) {
            const size_t above = row[j];
            size_t least = diagonal + !same_letter(a[i - 1], b[j - 1]);
            if (above + 1 < least)
                least = above + 1;
            if (row[j - 1] + 1 < least)
                least = row[j - 1] + 1;
            row[j] = least;
            diagonal = above;
        }
    }
    return row[length_b];
}

/* The end of an ID, as in EF-001 for PSGD-EF-001. */
static bool is_end_of(const char *word, const char *candidate)
{
    const size_t length = strlen(word), whole = strlen(candidate);
    return length >= 3 && length < whole && edit_distance(word, candidate + (whole - length)) == 0;
}

void suggest(const char **best, const char *word, const char *candidate)
{
    if (is_end_of(word, candidate)) {
        *best = candidate;
        return;
    }
    const size_t distance = edit_distance(word, candidate);
    if (distance > 2 + strlen(word) / 4 || (*best != NULL && is_end_of(word, *best)))
        return;
    if (*best == NULL || distance < edit_distance(word, *best))
        *best = candidate;
}
