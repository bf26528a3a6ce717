/* file_parts.h: what writer and reader of case and result files share; private to them. */
#ifndef CONFORMANCE_HARNESS_FILE_PARTS_H
#define CONFORMANCE_HARNESS_FILE_PARTS_H

#include "core/safetensors.h"
#include "harness/case.h"
#include "harness/message.h"

#define CASE_FORMAT   "psgd-case/1"
#define RESULT_FORMAT "psgd-result/1"

/* Size of a tensor's factors: P is n x r, Q m x r; r = 0: it has none. */
typedef struct factor_shape {
    size_t n, m, r;
} factor_shape;
/* [sum of tensor_counts], malloc'ed; null without memory. */
factor_shape *factor_shapes(const test_case *c);

/* Elements of a bucket's error: the flattened variant keeps its padding. */
size_t error_numel(const test_case *c, size_t bucket);

/* An id may stand in a file name: letters, digits and . _ + - only, no leading dot. */
bool id_is_safe(const char *id);

/* ---- writing ---- */

/* Tensors to be written, with their names. Data stays the owner's. */
typedef struct tensor_list {
    psgd_tensor *tensors;
    char **names; /* [count], owned */
    size_t count;
    bool out_of_memory;
} tensor_list;
/* Adds v as name (copied) of shape dims[ndim]; nothing where v has no data. */
void tensor_list_add(tensor_list *list, const char *name, const values *v, const size_t *dims, size_t ndim);
void tensor_list_free(tensor_list *list);

/* JSON texts, malloc'ed; null without memory. */
char *config_to_json(const psgd_config *config);
char *group_to_json(const problem *p);
char *status_to_json(const trace *t, int rank); /* rank -1: all that have a result */
char *statistics_to_json(const trace *t);

/* text without bytes that are no ASCII, malloc'ed: what a port says of itself need not be UTF-8. */
char *ascii_copy(const char *text);

/* ---- reading ---- */

/* Equal in all members that a file holds; epsilon_too: orthogonalization_epsilon as well. */
bool config_equal(const psgd_config *a, const psgd_config *b, bool epsilon_too);
bool config_from_json(psgd_config *config, const char *text, char *message, size_t message_size);
/* group[*count] of at most `room`. */
bool group_from_json(int *group, size_t *count, size_t room, const char *text, char *message, size_t message_size);

/* Fills t->ranks. rank >= 0: one element, of that rank. */
bool status_from_json(trace *t, int rank, const char *text, char *message, size_t message_size);
bool statistics_from_json(trace *t, const test_case *c, const char *text, char *message, size_t message_size);

/* Copies one result tensor into its place in *t. rank >= 0: out and error of that rank only. golden: out may leave out
 * the rank, when it is all ranks'. shapes as from factor_shapes. */
bool result_tensor_read(trace *t, const test_case *c, const factor_shape *shapes, int rank, bool golden,
                        const psgd_tensor *tensor, char *message, size_t message_size);
/* Copies a tensor of ndim dimensions dims (one or two) into v, refusing another type or shape, or a second one. */
bool values_read(values *v, psgd_dtype dtype, const psgd_tensor *tensor, const size_t *dims, size_t ndim, char *message,
                 size_t message_size);

/* The metadata of a result into *t: producer, version, claims, q, status, statistics. */
bool result_metadata_read(trace *t, const test_case *c, int rank, const psgd_safetensors *file, char *message,
                          size_t message_size);
/* Has every rank an output for every step that it did? */
bool result_is_complete(const trace *t, char *message, size_t message_size);

#endif
