/* progress.c: see progress.h. */
#include "report/progress.h"

#include "report/terminal.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define BAR_CELLS  24
#define PLAIN_STEP 25 /* percent between two plain lines */

static double now(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_MONOTONIC, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : 0;
}

progress progress_start(size_t total, bool shown)
{
    const terminal t = terminal_of(STDERR_FILENO);
    return (progress){.shown = shown, .total = total, .bar = t.moves_cursor, .width = t.width, .start = now()};
}

static void print_bar(const progress *p, size_t done, const char *failed, const char *current)
{
    char bar[BAR_CELLS + 1];
    const size_t filled = BAR_CELLS * done / p->total;
    const long seconds = (long)(now() - p->start);
    memset(bar, '.', BAR_CELLS);
    memset(bar, '#', filled);
    bar[BAR_CELLS] = '\0';
    char line[512];
    snprintf(line, sizeof line, "[%s] %zu/%zu%s  %ld:%02ld  %s", bar, done, p->total, failed, seconds / 60,
             seconds % 60, current);
    fprintf(stderr, "\r\033[K%.*s", p->width - 1, line);
}

void progress_step(progress *p, size_t done, size_t failures, const char *current)
{
    if (!p->shown || p->total == 0)
        return;
    const size_t percent = 100 * done / p->total;
    char failed[32] = "";
    if (failures > 0)
        snprintf(failed, sizeof failed, ", %zu failed", failures);
    if (p->bar) {
        print_bar(p, done, failed, current);
    } else if (percent >= p->last_percent + PLAIN_STEP) {
        fprintf(stderr, "%3zu %% of %zu%s, %.0f s\n", percent, p->total, failed, now() - p->start);
        p->last_percent = percent;
    }
}

void progress_end(progress *p)
{
    if (p->shown && p->bar)
        fprintf(stderr, "\r\033[K");
}
