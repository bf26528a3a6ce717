/* statement.h: what a statement of conformance says, whether it is written as text or as JSON: who was judged, by what,
 * in which claims, and what is not known. A run that left something out makes no statement, and says so. */
#ifndef CONFORMANCE_REPORT_STATEMENT_H
#define CONFORMANCE_REPORT_STATEMENT_H

#include "report/report.h"

#include <stdio.h>

/* Why this was no whole run, one reason after the other; null: there are no more, so that the first tells whether it
 * was whole. */
const char *statement_lack(const run_report *r, size_t index);

/* Claims that were tested and hold; none where the run as a whole has no verdict. */
uint64_t statement_conforming(const run_report *r);
/* Claims that the port makes, and that this run did not test. */
uint64_t statement_untested(const run_report *r);

/* The verdict in one sentence. */
void statement_sentence(FILE *file, const run_report *r);

/* A list of requirements with the number of their checks of one kind; untrusted ones count where nothing passed. */
typedef struct statement_list {
    const char *name; /* "failed", "waived", "unsupported", ... */
    check_state state;
    skip_reason skipped; /* of CHECK_SKIP: only this reason */
} statement_list;
#define STATEMENT_LISTS 7
extern const statement_list statement_lists[STATEMENT_LISTS];
size_t statement_count(const run_report *r, const statement_list *list, const requirement *of);

#endif
