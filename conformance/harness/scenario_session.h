/* scenario_session.h: what scenarios are written with: sentences for the outcome, and sessions, that is states fed with
 * reproducible gradients whose results are recorded and compared.
 *
 * The ordinary bucket pair holds tensors that every selection rule treats alike: two matrices worth compressing at rank
 * 2, two short vectors. Gradients, and the Q handed in, are pure functions of their indices.
 */
#ifndef CONFORMANCE_HARNESS_SCENARIO_SESSION_H
#define CONFORMANCE_HARNESS_SCENARIO_SESSION_H

#include "harness/drive_buffer.h"
#include "harness/scenario.h"

/* ---- the outcome ---- */

typedef struct subject { /* what a scenario is about */
    const psgd_implementation *port;
    const psgd_comm *comm;
    const char *folder;
    scenario_outcome *outcome;
} subject;

#if defined(__GNUC__)
#define SCENARIO_PRINTF __attribute__((format(printf, 2, 3)))
#else
#define SCENARIO_PRINTF
#endif
/* What is being done: stays in the outcome if the port's process dies of it. */
void scenario_doing(const subject *s, const char *format, ...) SCENARIO_PRINTF;
/* These end a scenario, and return false. */
bool scenario_fail(const subject *s, const char *format, ...) SCENARIO_PRINTF;
bool scenario_skip(const subject *s, const char *format, ...) SCENARIO_PRINTF;
bool scenario_unobserved(const subject *s, const char *format, ...) SCENARIO_PRINTF;

bool scenario_claims(const subject *s, uint64_t claims); /* the port makes all of them */

/* Has it submit and wait? If not: unobserved, or failed where it claims async. */
bool session_offers_halves(const subject *s);

/* ---- sessions ---- */

typedef struct session_layout { /* the buckets of an iteration, the last one last */
    size_t bucket_count;
    const psgd_bucket *buckets; /* [bucket_count]: index, tensor_count, shapes */
} session_layout;

extern const session_layout session_ordinary; /* [24x40, 17; 30x20, 9] */

typedef struct session_record { /* what a run showed, in order: a segment of values per step and bucket */
    double *values;
    size_t count, capacity;
    struct session_segment {
        int64_t step;
        size_t bucket, first; /* its values start here */
        const char *what;     /* "output", "error", "statistics" */
    } * segments;
    size_t segment_count, segment_capacity;
} session_record;

typedef struct session {
    const subject *subject;
    const session_layout *layout;
    psgd_config config;
    psgd_comm comm;
    psgd_dtype dtype;
    uint64_t seed;     /* of gradients and Q */
    size_t shift;      /* of the buckets off an address aligned to 64 */
    int64_t step;      /* the next one */
    bool own_q;        /* the port draws its Q itself */
    bool outputs_only; /* records hold no errors and no statistics */
    bool in_halves;    /* each bucket by submit and wait at once */
    double (*gradient)(const struct session *e, int64_t step, int rank, size_t i); /* null: the ordinary gradients */
    psgd_q_source q_source;
    psgd_state *state;
} session;

/* An ordinary configuration: r 2, start_iter 2, memories as far as the port claims them. */
psgd_config session_config(const subject *s);

/* A session with subject's comm, f32, session_ordinary; the caller may change the fields before session_open. */
session session_make(const subject *s, const psgd_config *config, uint64_t seed);
/* Creates the state; hands Q in, unless own_q or the port cannot take it. A port that cannot: skip; fails: fail. */
bool session_open(session *e);
void session_close(session *e);
/* Steps one bucket of the current iteration (the last one ends it). attempt returns what the port said, a record (may
 * be null) gets outputs, errors and statistics of what went well; session_bucket makes the scenario fail otherwise. */
psgd_status session_attempt(session *e, size_t bucket, session_record *record);
bool session_bucket(session *e, size_t bucket, session_record *record);
bool session_step(session *e, session_record *record);
bool session_steps(session *e, int64_t count, session_record *record);

/* The two ends of an attempt, for calls other than step: a bucket of the current iteration in a buffer of its own,
 * which the caller frees; what it holds afterwards goes into the record (may be null), and damage around it is noted.
 * step is the iteration that it was of. */
psgd_status session_hand_in(const session *e, size_t bucket, drive_buffer *buffer, psgd_bucket *given);
psgd_status session_take_out(const session *e, int64_t step, size_t bucket, drive_buffer *buffer,
                             session_record *record);

/* The last error's text, or "". */
const char *session_error(const session *e);
/* A uniform value in [-1, 1) with 24 bits, a pure function of its arguments. */
double session_uniform(uint64_t seed, uint64_t a, uint64_t b, uint64_t c);

/* ---- records ---- */

void session_record_free(session_record *r);
bool session_record_add(session_record *r, int64_t step, size_t bucket, const char *what, const double *values,
                        size_t count);
/* The run that nothing disturbs. It is made twice: if the two differ the port's runs cannot be compared, and the
 * scenario is unobserved. */
bool session_clean_run(const subject *s, const session *like, int64_t steps, session_record *record);
/* Bit for bit if the port claims determinism, else to 1e-3 of each segment's norm; counts always exactly. False, and
 * the scenario fails, if they differ: what says what was done between the two. */
bool session_same(const subject *s, const session_record *expected, const session_record *got, const char *what);
/* The same to rounding, whatever the port claims. */
bool session_alike(const subject *s, const session_record *expected, const session_record *got, const char *what);
/* Once a bucket was compressed its layout is fixed, if the configuration has a memory (else: unobserved). Three steps,
 * then refuses_others, which hands over other layouts and returns false if the scenario ended, then three more steps:
 * the same as without. others: "layouts". */
bool session_keeps_layout(const subject *s, const psgd_config *config, bool (*refuses_others)(session *e),
                          const char *others);

#endif
