/* progress.h: how far a run is: a bar on a terminal, a plain line now and then elsewhere, nothing when quiet. On
 * standard error. */
#ifndef CONFORMANCE_REPORT_PROGRESS_H
#define CONFORMANCE_REPORT_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

typedef struct progress {
    bool shown, bar;
    size_t total, last_percent;
    int width;    /* of the terminal */
    double start; /* seconds, of the monotonic clock */
} progress;

progress progress_start(size_t total, bool shown);
/* The parts of a line are left out from the right where the terminal is narrow. */
void progress_step(progress *p, size_t done, size_t failures, const char *current);
void progress_end(progress *p);

#endif
