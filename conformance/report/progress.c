/* progress.c: see progress.h. The width is COLUMNS, or 80: asking the terminal itself is no POSIX call. */
#include "report/progress.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BAR_CELLS  24
#define PLAIN_STEP 25 /* percent between two plain lines */

progress progress_start(size_t total, bool shown)
{
    progress p = {.shown = shown, .total = total, .width = 80};
    const char *terminal = getenv("TERM");
    const char *columns = getenv("COLUMNS");
    p.bar = isatty(STDERR_FILENO) && terminal != NULL && strcmp(terminal, "dumb") != 0;
    const long wanted = columns != NULL ? strtol(columns, NULL, 10) : 0;
    if (wanted >= 40 && wanted <= INT_MAX)
        p.width = (int)wanted;
    return p;
}

void progress_step(progress *p, size_t done, size_t failures, const char *current)
{
    if (!p->shown || p->total == 0)
        return;
    const size_t percent = 100 * done / p->total;
    char failed[32] = "";
    if (failures > 0)
        snprintf(failed, sizeof failed, ", %zu failed", failures);
    if (!p->bar) {
        if (percent >= p->last_percent + PLAIN_STEP) {
            fprintf(stderr, "%3zu %% of %zu%s\n", percent, p->total, failed);
            p->last_percent = percent;
        }
        return;
    }
    char bar[BAR_CELLS + 1];
    const size_t filled = BAR_CELLS * done / p->total;
    memset(bar, '.', BAR_CELLS);
    memset(bar, '#', filled);
    bar[BAR_CELLS] = '\0';
    char line[512];
    snprintf(line, sizeof line, "[%s] %zu/%zu%s  %s", bar, done, p->total, failed, current);
    fprintf(stderr, "\r\033[K%.*s", p->width - 1, line);
}

void progress_end(progress *p)
{
    if (p->shown && p->bar)
        fprintf(stderr, "\r\033[K");
}
