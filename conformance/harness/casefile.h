/* casefile.h: cases and results as safetensors files (conformance/FILES.md has the format). Made for hostile files. */
#ifndef CONFORMANCE_HARNESS_CASEFILE_H
#define CONFORMANCE_HARNESS_CASEFILE_H

#include "harness/case.h"

/* Writes <folder>/<id>.safetensors, atomically. with_q0: the Q as drawn is in it. Results (expected) are never written.
 */
bool casefile_write(const test_case *c, const char *folder, bool with_q0, char *message, size_t message_size);
/* The same in memory: *bytes is malloc'ed. For the runner, whose files are private and short-lived and need no flush.
 */
bool casefile_serialize(const test_case *c, bool with_q0, void **bytes, size_t *count, char *message,
                        size_t message_size);

/* Reads a case; a golden file's results become c->expected. The inputs of a file are taken as they are, not made anew.
 */
bool casefile_read(test_case *c, const char *path, char *message, size_t message_size);
/* The same from memory. */
bool casefile_parse(test_case *c, const void *bytes, size_t count, char *message, size_t message_size);

/* Results of one rank (rank >= 0: <id>.result.k<rank>.safetensors) or of all (-1), for a run of case c, in
 * memory: *bytes is malloc'ed. */
bool resultfile_serialize(const test_case *c, const trace *t, int rank, void **bytes, size_t *count, char *message,
                          size_t message_size);
/* Adds a result to *t (made by the first call, where *t is null). Refuses results of another case. */
bool resultfile_parse(const test_case *c, trace **t, int rank, const void *bytes, size_t count, char *message,
                      size_t message_size);
bool resultfile_read(const test_case *c, trace **t, int rank, const char *path, char *message, size_t message_size);

#endif
