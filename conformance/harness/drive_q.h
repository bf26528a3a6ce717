/* drive_q.h: hands a case's Q to a port, and knows the matrices of a case. */
#ifndef CONFORMANCE_HARNESS_DRIVE_Q_H
#define CONFORMANCE_HARNESS_DRIVE_Q_H

#include "harness/case.h"

/* A tensor as psgd.h matricises it: n x m with factors of r columns. The flattened variant has one per bucket. */
typedef struct drive_matrix {
    size_t n, m, r;
} drive_matrix;
drive_matrix drive_matrix_of(const test_case *c, size_t bucket, size_t tensor);

typedef struct drive_q {
    const test_case *c;
    char refusal[256]; /* the first request that the case has no Q for; "" if there was none */
    psgd_q_source source;
} drive_q;

void drive_q_init(drive_q *q, const test_case *c);
/* Valid as long as q stays where it is. draw is a pure function of its arguments; asked for a tensor that
 * the case does not have, or for another size or type, it answers PSGD_ERR_ARGUMENT and notes what was asked. Where the
 * case draws nothing (a warm step, a tensor that stays uncompressed) it hands out normals all the same. */
const psgd_q_source *drive_q_source(drive_q *q);

#endif
