/* made_report.h: a verdict with a check in every state, and the report of it: what the tests of the formats look at. */
#ifndef CONFORMANCE_TESTS_REPORT_MADE_REPORT_H
#define CONFORMANCE_TESTS_REPORT_MADE_REPORT_H

#include "report/report.h"

typedef struct made_report {
    verdict v;
    report_waiver waivers[2]; /* one that is used, one that has expired */
    run_report r;
} made_report;

/* A port that does not conform, and whose words are of the worst kind. Free with verdict_free(&m->v). */
void made_report_make(made_report *m);
/* One that conforms, with one check passed. */
void made_report_make_good(made_report *m);

#endif
