/* runner.h: runs a case on its ranks and brings the trace home. The kit's main process never loads a port itself. */
#ifndef CONFORMANCE_HARNESS_RUNNER_H
#define CONFORMANCE_HARNESS_RUNNER_H

#include "harness/case.h"
#include "harness/result_folder.h"
#include "harness/scenario.h"

typedef struct port_description { /* what a table says of itself, brought from the process that loaded it */
    char name[128], version[64];
    uint64_t claims;
    bool has_peek, has_statistics, has_save, has_load, has_submit, has_last_error;
    /* The process that loaded it: "" where nothing of the kind is there, or nobody can know. */
    char blas[192]; /* shared libraries for linear algebra, by their files' names */
    char mpi[128];  /* the MPI library, in its own words */
} port_description;

typedef enum run_result {
    RUN_DONE,             /* the trace tells how each rank ended, well or not */
    RUN_NOT_LOADED,       /* the port could not be loaded (exit code 4) */
    RUN_NOT_ENOUGH_RANKS, /* mpirun gave fewer ranks than the case needs */
    RUN_NO_RESULT,        /* files: there is no result of this case; message says which file is missing */
    RUN_KIT_FAILED        /* the kit could not do its work (exit code 5) */
} run_result;

typedef struct runner runner;
struct runner {
    uint64_t hidden_claims;        /* what this way in cannot show of any port: unobserved */
    int (*ranks)(const runner *r); /* the most ranks a case may have */
    run_result (*describe)(runner *r, port_description *port, char *message, size_t message_size);
    /* *result is made by the call (null unless RUN_DONE). seeded: the port draws its own Q (claim torch); else the
     * case's q0 is handed in, and again without if the port cannot take it (trace.q_given tells). */
    run_result (*run_case)(runner *r, const test_case *c, bool seeded, trace **result, char *message,
                           size_t message_size);
    /* Null where ranks outside of a group have nothing to do (files). A case on a subgroup together with that of the
     * ranks outside of the group (others.h), both at the same time, each with results of its own. (run_case has them
     * run it as well, but shows of it only that it ended badly.) */
    run_result (*run_pair)(runner *r, const test_case *c, const test_case *others, bool seeded, trace **result,
                           trace **others_result, char *message, size_t message_size);
    run_result (*run_scenario)(runner *r, const scenario *s, scenario_outcome *outcome, char *message,
                               size_t message_size);
    /* Is this the process that judges and prints? Always true but under MPI, where rank 0 is home. */
    bool (*is_home)(const runner *r);
    /* value as the home process has it, on every process: how all of them take the same decisions and end with the same
     * exit code. */
    int (*agree)(runner *r, int value);
    /* True if ok on every process. */
    bool (*all_ok)(runner *r, bool ok);
    void (*free)(runner *r);
};

/* Ranks as processes: the kit starts itself (kit_path, with the hidden command "rank") once per rank and case.
 * timeout_seconds is per case. Null: no memory. */
runner *runner_processes(const char *kit_path, const char *implementation, double timeout_seconds);

/* Ranks as threads: one process per case, started in the same way, which loads the port once and gives each rank a
 * thread of its own, those of a subgroup's complement included. What one rank does to the process is done to all; where
 * it can be known, it is held against that rank only. */
runner *runner_threads(const char *kit_path, const char *implementation, double timeout_seconds);

/* Results that a port left as files in a folder: nothing is run, what is there of a case is read. Scenarios are
 * unobserved. The folder stays the caller's. Null: no memory. */
runner *runner_files(result_folder *folder);

/* For a handler of SIGINT and SIGTERM (async-signal-safe): the run under way, and every later one, kills its ranks,
 * cleans up and returns RUN_KIT_FAILED with the message "interrupted". The caller then frees the runner, which removes
 * the private folder, and ends as the signal asks. */
void runner_interrupt(void);

/* Under mpirun: the module psgd-conform-mpi beside the kit, loaded only there. Every process calls runner functions in
 * the same order; results come home to rank 0, the others get empty traces. */
runner *runner_mpi(const char *implementation, double timeout_seconds, char *message, size_t message_size);

/* The hidden command of a started rank: `psgd-conform rank ...`. The word "rank" is argv[0] or argv[1]. Returns the
 * process's exit code. */
int runner_rank_main(int argc, char **argv);

#endif
