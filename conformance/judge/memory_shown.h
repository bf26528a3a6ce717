/* memory_shown.h: what a compressed step that came out right tells of memory, from outputs alone: Mb holds what earlier
 * steps left out, where error feedback is on, and nothing of them where it is off. */
#ifndef CONFORMANCE_JUDGE_MEMORY_SHOWN_H
#define CONFORMANCE_JUDGE_MEMORY_SHOWN_H

#include "judge/judging.h"

typedef struct memory_probes {
    probe untouched;                         /* by the plain phase */
    probe no_memory;                         /* error feedback is off */
    probe conserves, overwrites, telescopes; /* it is on */
} memory_probes;

/* row: that by which steps after the first compressed one are judged. */
memory_probes memory_probes_for(limit_row row);

/* The step has this ratio, within its limit; most: the limit times its unit, a norm. */
void memory_shown(judging *j, memory_probes *p, int64_t step, size_t tensor, double ratio, double most,
                  const check_place *place);

#endif
