/* scenario.c: the table of scenarios; see scenario.h. */
#include "harness/scenario.h"

#include "harness/scenarios_all.h"

#include <string.h>

#define CORE       PSGD_CLAIM_CORE
#define EF         PSGD_CLAIM_ERROR_FEEDBACK
#define TORCH      PSGD_CLAIM_TORCH
#define MULTIRANK  PSGD_CLAIM_MULTIRANK
#define CHECKPOINT PSGD_CLAIM_CHECKPOINT
#define ASYNC      PSGD_CLAIM_ASYNC
#define FLAT       PSGD_CLAIM_FLATTENED

static const scenario all[] = {
    {"scenario/start-iter", "PSGD-CFG-002", TORCH, 1, true,
     "Creates states with start_iter 1, 0 and -1, with each memory on (refused) and both off (allowed from 0 on).",
     scenario_start_iter},
    {"scenario/bad-numbers", "PSGD-CFG-003", CORE, 1, true,
     "Creates states with ranks below 1 and with rates and epsilons that are negative, infinite or NaN.",
     scenario_bad_numbers},
    {"scenario/interval", "PSGD-CFG-003", CORE, 1, true, "Runs with statistics intervals below 1, which act as 1.",
     scenario_interval},
    {"scenario/rate-zero", "PSGD-CFG-003", CORE, 1, true, "Runs with min_compression_rate 0, which is legal.",
     scenario_rate_zero},
    {"scenario/layout-rebuilt", "PSGD-ITR-005", CORE, 1, true,
     "Hands over other buckets in iteration 0 of the plain phase, then goes on with the ordinary ones.",
     scenario_layout_rebuilt},
    {"scenario/layout-changed", "PSGD-ITR-005", CORE, 1, true,
     "Changes a bucket's layout after its first compressed step, in five ways, and goes on as if nothing had been.",
     scenario_layout_changed},
    {"scenario/layout-free", "PSGD-ITR-005", CORE, 1, true,
     "With both memories off, changes the layout between compressed steps, which is no contradiction.",
     scenario_layout_free},
    {"scenario/bucket-order", "PSGD-EF-004", CORE | EF, 1, true,
     "Hands over an iteration's two buckets the other way round at every second step.", scenario_bucket_order},
    {"scenario/flat-layout", "PSGD-ITR-005", CORE | FLAT, 1, true,
     "Changes the length of a flattened bucket after its first compressed step, and goes on as if nothing had been.",
     scenario_flat_layout},
    {"scenario/flat-rank", "PSGD-FLT-002", CORE | FLAT, 1, true,
     "Flattened at rank 3, has a bucket of 3 elements refused in each compressed iteration, and goes on with another.",
     scenario_flat_rank},
    {"scenario/two-states", "PSGD-ITR-006", CORE, 1, true,
     "Steps two states of different configuration in turn, bucket by bucket, against each on its own.",
     scenario_two_states},
    {"scenario/empty-tensors", "PSGD-SEL-006", CORE, 1, true,
     "Adds tensors of 5x0, 0x5, 0 and no dimensions to a bucket.", scenario_empty_tensors},
    {"scenario/same-q", "PSGD-RND-001", CORE | MULTIRANK, 3, true,
     "Lets the ranks draw their own Q for gradients whose private parts cancel, so that only a common Q is exact.",
     scenario_same_q},
    {"scenario/given-q", "PSGD-RND-001", CORE | MULTIRANK, 1, true,
     "Hands in one Q, then another, for the same gradients: the results must differ.", scenario_given_q},
    {"scenario/new-q", "PSGD-WRM-003", CORE, 1, true,
     "Lets the port draw its own Q without warm start, at three steps of the same gradients.", scenario_new_q},
    {"scenario/normal-q", "PSGD-RND-004", CORE, 1, true,
     "Lets the port draw its own Q 64 times for the identity, r 1: directions must be those of standard normals.",
     scenario_normal_q},
    {"scenario/callers-random", "PSGD-RND-003", CORE, 1, true,
     "Draws from rand, random and lrand48 around create and steps.", scenario_callers_random},
    {"scenario/reports", "PSGD-STA-002", TORCH, 1, true,
     "Collects the reports of two buckets for intervals 1, 2, 3 and 10000.", scenario_reports},
    {"scenario/checkpoint-whole", "PSGD-CKP-001", CHECKPOINT, 1, true,
     "Saves at five places of a run, loads into a new state, peeks at everything and goes on.",
     scenario_checkpoint_whole},
    {"scenario/checkpoint-reports", "PSGD-CKP-001", TORCH | CHECKPOINT, 1, true,
     "Saves at four places of a run with reports every 3 iterations, loads, and expects the reports of one run.",
     scenario_checkpoint_reports},
    {"scenario/checkpoint-damaged", "PSGD-CKP-002", CHECKPOINT, 1, true,
     "Loads checkpoints cut at 40 lengths, with one of hundreds of bits flipped, and with bytes behind the end.",
     scenario_checkpoint_damaged},
    {"scenario/checkpoint-foreign", "PSGD-CKP-002", CHECKPOINT, 1, true,
     "Loads missing and foreign files, and checkpoints of another configuration, group size and rank.",
     scenario_checkpoint_foreign},
    {"scenario/pending", "PSGD-ASY-002", CORE | ASYNC, 1, true,
     "Calls everything that is refused while a request is pending, in both phases, and goes on.", scenario_pending},
    {"scenario/pending-ranks", "PSGD-ASY-002", CORE | ASYNC | MULTIRANK, 3, false,
     "The same on three ranks: a refused call may not start a collective.", scenario_pending},
    {"scenario/submit-ahead", "PSGD-ASY-002", CORE | ASYNC, 1, true,
     "Submits an iteration's first bucket before it waits for the last bucket of the one before.",
     scenario_submit_ahead},
    {"scenario/submit-ahead-ranks", "PSGD-ASY-002", CORE | ASYNC | MULTIRANK, 2, false, "The same on two ranks.",
     scenario_submit_ahead},
    {"scenario/destroy-pending", "PSGD-ASY-002", CORE | ASYNC, 1, true,
     "Destroys a state while two requests are pending, in both phases.", scenario_destroy_pending},
    {"scenario/destroy-pending-ranks", "PSGD-ASY-002", CORE | ASYNC | MULTIRANK, 2, false, "The same on two ranks.",
     scenario_destroy_pending},
    {"scenario/bad-create", "PSGD-ROB-001", CORE, 1, true,
     "Calls create with null, undersized and senseless arguments.", scenario_bad_create},
    {"scenario/bad-step", "PSGD-ROB-001", CORE, 1, true,
     "Calls step with null, unknown and overflowing arguments, in both phases, and goes on.", scenario_bad_step},
    {"scenario/bad-peek", "PSGD-ROB-001", CORE, 1, true,
     "Calls peek, statistics, save and load with wrong arguments, in both phases, and goes on.", scenario_bad_peek},
    {"scenario/guards", "PSGD-ROB-002", CORE, 1, true,
     "Runs on buckets between guard bytes, at five alignments, in each claimed type.", scenario_guards},
    {"scenario/failing-collective", "PSGD-ROB-003", CORE | MULTIRANK, 2, true,
     "Lets each collective of a plain, a first compressed and a later step fail on all ranks, and tries it again.",
     scenario_failing_collective},
    {"scenario/lost-rank", "PSGD-ROB-003", CORE | MULTIRANK, 2, true,
     "Lets each collective of these steps fail on the last rank only, and the following ones on the others.",
     scenario_lost_rank},
    {"scenario/failing-halves", "PSGD-ROB-003", CORE | ASYNC | MULTIRANK, 2, true,
     "Lets each collective of these steps, made by submit and wait, fail: as it is called, started, or waited for.",
     scenario_failing_halves},
    {"scenario/lost-rank-halves", "PSGD-ROB-003", CORE | ASYNC | MULTIRANK, 2, false,
     "Lets each collective between submit and wait fail on the last rank only, and the following ones on the others.",
     scenario_lost_rank_halves},
};

const scenario *scenarios(size_t *count)
{
    *count = sizeof all / sizeof all[0];
    return all;
}

const scenario *scenario_find(const char *id)
{
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].id, id) == 0)
            return &all[i];
    return NULL;
}

void scenario_perform(const scenario *s, const psgd_implementation *port, const psgd_comm *comm, const char *folder,
                      scenario_outcome *outcome)
{
    subject about = {.port = port, .comm = comm, .folder = folder, .outcome = outcome};
    outcome->state = SCENARIO_PASS;
    outcome->message[0] = '\0';
    (void)s->body(&about);
    if (outcome->state == SCENARIO_PASS)
        outcome->message[0] = '\0';
}
