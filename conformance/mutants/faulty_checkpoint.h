/* faulty_checkpoint.h: bytes that are written or read by one description, and what a checkpoint says. */
#ifndef CONFORMANCE_MUTANTS_FAULTY_CHECKPOINT_H
#define CONFORMANCE_MUTANTS_FAULTY_CHECKPOINT_H

#include "mutants/faulty.h"

typedef struct tape {
    unsigned char *bytes; /* [size], malloc'ed */
    size_t size, capacity;
    size_t at; /* read so far */
    bool writing;
    bool short_is_zeros; /* read beyond the end: zeros */
    bool failed;         /* no memory, or read beyond the end: from then on nothing is moved */
} tape;

/* data[count] to the end of the tape, or from it. */
void tape_move(tape *t, void *data, size_t count);

/* What the loader must agree with: configuration, rank and size. False: what was read is something else. */
bool faulty_tape_identity(tape *t, const psgd_state *state);
/* What the state remembers. Read: state->buckets is empty before; afterwards it is the caller's, failed or not. */
void faulty_tape_state(tape *t, psgd_state *state);

#endif
