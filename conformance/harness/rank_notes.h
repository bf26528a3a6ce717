/* rank_notes.h: the part of one rank's trace that a result file has no place for: the status of a failed call, guard
 * bytes, elements on the wire, log lines. As bytes, for the way home from a process or over MPI.
 */
#ifndef CONFORMANCE_HARNESS_RANK_NOTES_H
#define CONFORMANCE_HARNESS_RANK_NOTES_H

#include "harness/trace.h"

bool rank_notes_serialize(void **bytes, size_t *count, const trace *t, int rank);
/* False: not the notes of this rank of such a trace, or no memory; *t may then hold a part of them. */
bool rank_notes_apply(trace *t, int rank, const void *bytes, size_t count);

#endif
