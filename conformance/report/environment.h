/* environment.h: what a verdict may depend on besides the port: processor, operating system, libraries, variables, the
 * day. */
#ifndef CONFORMANCE_REPORT_ENVIRONMENT_H
#define CONFORMANCE_REPORT_ENVIRONMENT_H

#include "report/report.h"

#include <stddef.h>

/* The processor's model name, or "unknown". Returns buffer. */
const char *environment_processor(char *buffer, size_t size);
/* How many processors are there for use; 0: unknown. */
long environment_processors(void);
/* Operating system, release and machine type. Returns buffer. */
const char *environment_system(char *buffer, size_t size);
/* What the port's process has loaded of it; null where the port runs elsewhere, and nobody can know. */
const char *environment_blas(const run_report *r);
/* "processes", "threads", "mpi", or "files": the port has its own ranks. */
const char *environment_ranks_as(const run_report *r);

#define ENVIRONMENT_DATE 24
/* Now, or SOURCE_DATE_EPOCH where that is set, in UTC: "2026-01-31T12:00:00Z". Returns buffer. */
const char *environment_date(char buffer[ENVIRONMENT_DATE]);

/* Names of environment variables that change bits or speed; null-terminated. */
extern const char *const ENVIRONMENT_VARIABLES[];
/* The value that the port's process has of one of them; null: not set. The kit sets one thread for OpenBLAS in the
 * processes that it starts. */
const char *environment_variable(const run_report *r, const char *name);

#endif
