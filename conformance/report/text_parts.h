/* text_parts.h: the parts of the text report, in the order in which they are printed. Each prints nothing where it has
 * nothing to say. */
#ifndef CONFORMANCE_REPORT_TEXT_PARTS_H
#define CONFORMANCE_REPORT_TEXT_PARTS_H

#include "report/paper.h"
#include "report/report.h"

#define TEXT_INDENT 4 /* where a line goes on that was too long */

/* text.c: the line that sums the run up */
void text_last_line(paper *p, const run_report *r);
/* text_areas.c: counts per area */
void text_areas(paper *p, const verdict *v);
/* text_details.c: every check, the largest ratios, what passed by type (--verbose) */
void text_details(paper *p, const verdict *v);
/* text_failures.c: each failed requirement with its cases, MUSTs first. verbose: all of them. */
void text_failures(paper *p, const run_report *r, bool verbose);
/* text_case.c: one case of a failed requirement */
typedef struct failed_case {
    const check *first;   /* that saw the fault earliest */
    const check **checks; /* [count] all that failed, in the order of judging */
    size_t count;
} failed_case;
void text_case(paper *p, const run_report *r, const failed_case *of);
/* text_remarks.c: what else bears on the verdict: how the command ended, waivers, claims that fail for want of a case,
 * what was not shown, not run, skipped */
void text_remarks(paper *p, const run_report *r, bool verbose);

#endif
