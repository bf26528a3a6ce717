/* areas.h: the areas of requirements (AGG, EF, ...), in the order of the table of requirements, with what came of their
 * checks. */
#ifndef CONFORMANCE_REPORT_AREAS_H
#define CONFORMANCE_REPORT_AREAS_H

#include "judge/verdict.h"

#define AREAS_MOST 32

typedef struct area_counts {
    char name[8];
    size_t by_state[CHECK_STATES];
    size_t consequences; /* of those that failed: report_is_consequence */
    size_t checks;
} area_counts;

/* "PSGD-AGG-001": "AGG". */
void area_name(char name[8], const requirement *of);
/* All areas, those without a check included; how many. */
size_t areas_count(area_counts areas[AREAS_MOST], const verdict *v);

/* A requirement without a law of its own is judged by everything in the cases that were made for it. Did this check
 * fail for that alone, by another check of the same case, which is reported itself? */
bool report_is_consequence(const verdict *v, const check *c);

#endif
