/* state.h: what the reference remembers from step to step, per rank.
 *
 * Values are kept as doubles that are representable in the bucket's dtype (core/values.h). Nothing here computes; the
 * step is in powersgd.c, or flattened.c. Next: state.c, or checkpoint.h for how it is saved.
 */
#ifndef PSGD_REF_STATE_H
#define PSGD_REF_STATE_H

#include "core/layout.h"
#include "core/random.h"

#define PSGD_MESSAGE_SIZE 512

/* One bucket, from its first compressed step on. P and Q lie packed as the layout says (p_offset, q_offset). */
typedef struct psgd_bucket_memory {
    psgd_bucket_layout layout; /* owned */
    double *error;             /* [error_numel]: E, local; null without error feedback */
    double *p;                 /* [p_numel]: orthonormal factors of the last compressed step, n x r each */
    double *q;                 /* [q_numel]: averaged factors of the last compressed step, m x r each */
    struct psgd_bucket_memory *next;
} psgd_bucket_memory;

struct psgd_state {
    psgd_config config;
    psgd_comm comm;
    uint64_t iteration;   /* steps completed */
    uint64_t next_report; /* the iteration from which on statistics are due */
    uint64_t numel_before, numel_after;
    psgd_mt19937 seeds;           /* hands out one seed per bucket whose Q is drawn */
    bool broken;                  /* a collective failed: only destroy and load help */
    psgd_bucket_memory *memories; /* in the order of their first compressed step; owned */
    psgd_request *requests;       /* pending, in any order (requests.h); owned */
    char *message; /* [PSGD_MESSAGE_SIZE], owned: the last error, a pointer so that a const state can fail too */
};

psgd_state *psgd_state_new(const psgd_config *config, const psgd_comm *comm); /* both checked; null without memory */
void psgd_state_free(psgd_state *state);                                      /* null is allowed */

/* A memory with room for p and q, and for error if asked for; takes over *layout. Null without memory: *layout then
 * still belongs to the caller. */
psgd_bucket_memory *psgd_bucket_memory_new(psgd_bucket_layout *layout, bool with_error);
void psgd_bucket_memory_free(psgd_bucket_memory *memory);     /* null is allowed */
void psgd_bucket_memories_free(psgd_bucket_memory *memories); /* the whole list */

psgd_bucket_memory *psgd_state_find(const psgd_state *state, size_t bucket); /* null: not compressed yet */
/* Puts memory in the place of the one of the same bucket, or at the end. Cannot fail. */
void psgd_state_remember(psgd_state *state, psgd_bucket_memory *memory);

/* Adds a bucket's elements to the statistics; reports to config.log when this was the last bucket of its step and a
 * report is due. */
void psgd_state_count(psgd_state *state, const psgd_bucket_layout *layout, bool is_last);
psgd_statistics psgd_state_statistics(const psgd_state *state);

psgd_status psgd_state_peek(const psgd_state *state, psgd_part part, size_t bucket, size_t tensor, void *data,
                            size_t bytes);

/* PSGD_ERR_BROKEN with its message. */
psgd_status psgd_state_say_broken(const psgd_state *state);

/* malloc'ed doubles, never null for count 0; null without memory or when the size overflows. */
double *psgd_new_values(size_t count);

#endif
