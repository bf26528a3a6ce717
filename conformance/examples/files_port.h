/* files_port.h: a program that makes a port judge itself by files: PROGRAM DIR reads each case of DIR and leaves a
 * result beside it, as ../FILES.md has it. Of the project it uses what any program may: the API and its collectives,
 * the reader and writer of safetensors (ref/core). It knows nothing of the kit.
 *
 *   files_case.c       a case, from its file
 *   files_rank.c       what one rank does with it
 *   files_result.c     a result, to its file
 *   files_threads.c    main: the ranks are threads
 *   files_mpi.c        main, another program: the ranks are those that mpirun started
 *
 * The port is whatever psgd_implementation_entry is linked in.
 */
#ifndef CONFORMANCE_EXAMPLES_FILES_PORT_H
#define CONFORMANCE_EXAMPLES_FILES_PORT_H

#include "core/safetensors.h"

#include <stdio.h>

#define TEXT 512 /* room for a message */

typedef struct file_case {
    psgd_safetensors *file; /* the inputs lie in it, and id points into it */
    const char *id;
    bool wanted; /* the port makes every claim that the case lists */
    psgd_config config;
    int world; /* ranks; of a subgroup: its own */
    psgd_dtype dtype;
    int64_t steps, checkpoint; /* save and load after this step; -1: don't */
    size_t bucket_count;
    psgd_bucket *buckets;
} file_case;

/* A tensor as a matrix; P is n x r, Q is m x r. */
typedef struct file_matrix {
    size_t n, m, r;
} file_matrix;

typedef struct rank_result {
    psgd_status status;
    char message[TEXT];
    int64_t steps_done;
    bool q_given;
    psgd_tensor *tensors; /* each owns its data, which its name follows */
    size_t tensor_count;
    psgd_statistics *statistics; /* [steps - start_iter], those of steps done are shown */
    bool has_statistics;
} rank_result;

/* The names of cases in the folder, without ".safetensors", in a fixed order; [*count], each and all malloc'ed. False:
 * message. */
bool file_cases_list(char ***ids, size_t *count, const char *folder, char *message);
/* False: message. Close it in either case. */
bool file_case_open(file_case *c, const char *folder, const char *id, uint64_t claims, char *message);
void file_case_close(file_case *c);
size_t file_case_numel(const psgd_bucket *bucket);
file_matrix file_case_matrix(const file_case *c, size_t bucket, size_t tensor);

/* One rank's part of a case, from create to destroy. folder: for a checkpoint. Whatever happens is in *result. */
void rank_run(rank_result *result, const file_case *c, const psgd_implementation *port, const psgd_comm *comm,
              const char *folder);
/* In place of rank_run. */
void rank_says(rank_result *result, psgd_status status, const char *message);
void rank_free(rank_result *result);

/* Writes the results of ranks first .. first + count - 1: all of them, or (count 1) a rank's own file. False: message.
 */
bool result_write(const file_case *c, const psgd_implementation *port, const rank_result *ranks, int first, int count,
                  bool own_file, const char *folder, char *message);

uint64_t claims_read(const char *text, bool *known); /* *known: there is no other word in it */
void claims_write(char text[TEXT], uint64_t claims);

#endif
