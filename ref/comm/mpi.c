/* mpi.c: a psgd_comm over an MPI communicator. Its contract is in psgd/comm_mpi.h.
 *
 * Same bits on every rank. The MPI standard speaks of one result for all members, but does not promise it. An
 * algorithm may let one rank compute an element and hand it out (reduce and broadcast, ring, reduce-scatter and
 * gather); or every rank computes it for itself: in recursive doubling, rank 0 may add (a + b) + (c + d) where rank 3
 * adds (d + c) + (b + a). That is the same tree of additions with operands exchanged, and addition, rounded once, is
 * commutative to the last bit in all but one case: of two NaNs, hardware keeps one operand's payload. (Open MPI 4.1
 * keeps the operands in the order of the ranks; nothing says that others do.) So every NaN of a sum is replaced by one
 * fixed NaN; then the ranks agree with every algorithm in which they walk the same tree.
 *
 * The 16-bit types are added by operations of our own, which say that they commute, so that MPI may treat them as its
 * own. They round after every addition, so which tree it is shows in the result more often than with longer types; that
 * all ranks walk the same one is the same argument. It was tested with every all-reduce of Open MPI 4.1 (tuned 1 to 6,
 * libnbc 1 to 4, basic). The tree may differ from element to element, though, and with the length (ring).
 *
 * Buffers go in chunks of 25 MB: an in-place all-reduce of much more is pathologically slow in Open MPI, and one chunk
 * never holds more elements than an int counts. Refuses what is no element type. */
#include "psgd/comm_mpi.h"
#include "psgd/half.h"
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK_BYTES = 25000000 };

typedef struct mpi_type {
    psgd_dtype dtype;
    MPI_Datatype datatype;
    MPI_Op sum;
    size_t size;
    void (*settle)(void *elements /* [count] */, size_t count); /* one NaN for all NaNs */
} mpi_type;

enum { F32, F64, F16, BF16, TYPE_COUNT };

typedef struct mpi_context {
    MPI_Comm communicator;
    mpi_type types[TYPE_COUNT];
} mpi_context;

typedef struct mpi_request {
    const mpi_type *type;
    void *data;
    size_t count;
    bool failed; /* a chunk could not be started or tested, which wait reports */
    bool done;
    int chunk_count;
    MPI_Request chunks[]; /* [chunk_count] */
} mpi_request;

static void settle_f32(void *elements, size_t count)
{
    float *values = elements;
    for (size_t i = 0; i < count; i++)
        if (values[i] != values[i])
            values[i] = NAN;
}

static void settle_f64(void *elements, size_t count)
{
    double *values = elements;
    for (size_t i = 0; i < count; i++)
        if (values[i] != values[i])
            values[i] = (double)NAN;
}

/* All bits of the exponent, and some of the fraction. */
static void settle_half(uint16_t *values, size_t count, uint16_t infinity, uint16_t nan)
{
    for (size_t i = 0; i < count; i++)
        if ((values[i] & 0x7fff) > infinity)
            values[i] = nan;
}

static void settle_f16(void *elements, size_t count)
{
    settle_half(elements, count, 0x7c00, 0x7e00);
}

static void settle_bf16(void *elements, size_t count)
{
    settle_half(elements, count, 0x7f80, 0x7fc0);
}

/* MPI_User_functions: sums[length] = terms[length] + sums[length], rounded once. MPI's type of a pointer to such a
 * function has no const. */
static void add_f16(void *terms, void *sums, int *length, MPI_Datatype *datatype)
{
    const uint16_t *in = terms;
    uint16_t *inout = sums;
    (void)datatype;
    for (int i = 0; i < *length; i++)
        inout[i] = psgd_f16_from_double(psgd_f16_to_double(in[i]) + psgd_f16_to_double(inout[i]));
}

static void add_bf16(void *terms, void *sums, int *length, MPI_Datatype *datatype)
{
    const uint16_t *in = terms;
    uint16_t *inout = sums;
    (void)datatype;
    for (int i = 0; i < *length; i++)
        inout[i] = psgd_bf16_from_double(psgd_bf16_to_double(in[i]) + psgd_bf16_to_double(inout[i]));
}

static void explain(char *message, size_t message_size, const char *reason)
{
    if (message != NULL && message_size > 0)
        (void)snprintf(message, message_size, "%s", reason);
}

/* Checks a buffer and finds its type. */
static psgd_status find_type(const mpi_type **type, const mpi_context *context, const void *data, size_t count,
                             psgd_dtype dtype)
{
    size_t size = psgd_dtype_size((uint32_t)dtype);
    if (context == NULL || size == 0 || (count > 0 && data == NULL) || count > SIZE_MAX / size)
        return PSGD_ERR_ARGUMENT;
    for (int i = 0; i < TYPE_COUNT; i++)
        if (context->types[i].dtype == dtype) {
            *type = &context->types[i];
            return PSGD_OK;
        }
    return PSGD_ERR_ARGUMENT;
}

/* Elements of the chunk that starts at element `first` of count. */
static int chunk_length(const mpi_type *type, size_t count, size_t first)
{
    const size_t most = CHUNK_BYTES / type->size;
    return (int)(count - first < most ? count - first : most);
}

static psgd_status mpi_allreduce_sum(void *opaque, void *data, size_t count, psgd_dtype dtype)
{
    const mpi_context *context = opaque;
    const mpi_type *type = NULL;
    psgd_status status = find_type(&type, context, data, count, dtype);
    if (status != PSGD_OK)
        return status;
    size_t first = 0;
    while (first < count) { /* an empty buffer is empty on every rank, and MPI has nothing to do */
        int n = chunk_length(type, count, first);
        unsigned char *elements = (unsigned char *)data + first * type->size;
        if (MPI_Allreduce(MPI_IN_PLACE, elements, n, type->datatype, type->sum, context->communicator) != MPI_SUCCESS)
            return PSGD_ERR_COMM;
        first += (size_t)n;
    }
    type->settle(data, count);
    return PSGD_OK;
}

/* Once a chunk is on its way the request must be waited for, so a later chunk's failure is kept for wait. */
static psgd_status mpi_start(void *opaque, void *data, size_t count, psgd_dtype dtype, void **request)
{
    const mpi_context *context = opaque;
    const mpi_type *type = NULL;
    if (request == NULL)
        return PSGD_ERR_ARGUMENT;
    *request = NULL;
    psgd_status status = find_type(&type, context, data, count, dtype);
    if (status != PSGD_OK)
        return status;
    const size_t most = CHUNK_BYTES / type->size;
    const size_t chunks = count / most + (count % most != 0);
    if (chunks > INT_MAX)
        return PSGD_ERR_ARGUMENT;
    mpi_request *started = malloc(sizeof *started + chunks * sizeof *started->chunks);
    if (started == NULL)
        return PSGD_ERR_MEMORY;
    *started = (mpi_request){.type = type, .data = data, .count = count};
    size_t first = 0;
    while (first < count) {
        int n = chunk_length(type, count, first);
        unsigned char *elements = (unsigned char *)data + first * type->size;
        if (MPI_Iallreduce(MPI_IN_PLACE, elements, n, type->datatype, type->sum, context->communicator,
                           &started->chunks[started->chunk_count]) != MPI_SUCCESS) {
            started->failed = true;
            break;
        }
        started->chunk_count++;
        first += (size_t)n;
    }
    if (started->failed && started->chunk_count == 0) {
        free(started);
        return PSGD_ERR_COMM;
    }
    *request = started;
    return PSGD_OK;
}

static void finish(mpi_request *request)
{
    if (!request->done && !request->failed)
        request->type->settle(request->data, request->count);
    request->done = true;
}

static psgd_status mpi_test(void *opaque, void *opaque_request, bool *done)
{
    mpi_request *request = opaque_request;
    if (opaque == NULL || request == NULL || done == NULL)
        return PSGD_ERR_ARGUMENT;
    *done = request->done;
    if (request->done)
        return PSGD_OK;
    int completed = 0;
    if (MPI_Testall(request->chunk_count, request->chunks, &completed, MPI_STATUSES_IGNORE) != MPI_SUCCESS) {
        request->failed = true;
        return PSGD_ERR_COMM;
    }
    if (completed)
        finish(request);
    *done = request->done;
    return PSGD_OK;
}

static psgd_status mpi_wait(void *opaque, void *opaque_request)
{
    mpi_request *request = opaque_request;
    if (opaque == NULL || request == NULL)
        return PSGD_ERR_ARGUMENT;
    if (!request->done && MPI_Waitall(request->chunk_count, request->chunks, MPI_STATUSES_IGNORE) != MPI_SUCCESS)
        request->failed = true;
    finish(request);
    psgd_status status = request->failed ? PSGD_ERR_COMM : PSGD_OK;
    free(request);
    return status;
}

/* Whether MPI can be called at all: after MPI_Init and before MPI_Finalize. */
static bool mpi_is_running(void)
{
    int initialized = 0;
    int finalized = 0;
    return MPI_Initialized(&initialized) == MPI_SUCCESS && MPI_Finalized(&finalized) == MPI_SUCCESS && initialized &&
           !finalized;
}

static void free_operations(mpi_context *context)
{
    for (int i = F16; i <= BF16; i++)
        if (context->types[i].sum != MPI_OP_NULL)
            (void)MPI_Op_free(&context->types[i].sum);
}

/* MPI has no 16-bit floating-point types: integers carry the bits, and operations of our own add them. */
static bool make_types(mpi_context *context)
{
    mpi_type *types = context->types;
    types[F32] = (mpi_type){PSGD_F32, MPI_FLOAT, MPI_SUM, sizeof(float), settle_f32};
    types[F64] = (mpi_type){PSGD_F64, MPI_DOUBLE, MPI_SUM, sizeof(double), settle_f64};
    types[F16] = (mpi_type){PSGD_F16, MPI_UINT16_T, MPI_OP_NULL, sizeof(uint16_t), settle_f16};
    types[BF16] = (mpi_type){PSGD_BF16, MPI_UINT16_T, MPI_OP_NULL, sizeof(uint16_t), settle_bf16};
    const int commutes = 1;
    if (MPI_Op_create(add_f16, commutes, &types[F16].sum) == MPI_SUCCESS &&
        MPI_Op_create(add_bf16, commutes, &types[BF16].sum) == MPI_SUCCESS)
        return true;
    free_operations(context);
    return false;
}

/* The psgd_comm of a duplicate that is ready; the duplicate stays the caller's on failure. */
static psgd_status make_comm(psgd_comm *comm, MPI_Comm duplicate, char *message, size_t message_size)
{
    int rank = -1;
    int size = 0;
    if (MPI_Comm_set_errhandler(duplicate, MPI_ERRORS_RETURN) != MPI_SUCCESS ||
        MPI_Comm_rank(duplicate, &rank) != MPI_SUCCESS || MPI_Comm_size(duplicate, &size) != MPI_SUCCESS) {
        explain(message, message_size, "MPI does not tell rank and size of the duplicated communicator");
        return PSGD_ERR_COMM;
    }
    mpi_context *context = calloc(1, sizeof *context);
    if (context == NULL) {
        explain(message, message_size, "no memory");
        return PSGD_ERR_MEMORY;
    }
    context->communicator = duplicate;
    if (!make_types(context)) {
        explain(message, message_size, "MPI_Op_create failed");
        free(context);
        return PSGD_ERR_COMM;
    }
    *comm = (psgd_comm){.struct_size = (uint32_t)sizeof *comm,
                        .context = context,
                        .rank = rank,
                        .size = size,
                        .allreduce_sum = mpi_allreduce_sum,
                        .start_allreduce_sum = mpi_start,
                        .test = mpi_test,
                        .wait = mpi_wait};
    return PSGD_OK;
}

psgd_status psgd_comm_mpi_create(MPI_Comm communicator, psgd_comm *comm, char *message, size_t message_size)
{
    if (comm == NULL) {
        explain(message, message_size, "comm is null");
        return PSGD_ERR_ARGUMENT;
    }
    *comm = (psgd_comm){0};
    if (!mpi_is_running()) {
        explain(message, message_size, "MPI is not initialised, or was finalised already");
        return PSGD_ERR_ARGUMENT;
    }
    int is_inter = 0;
    if (communicator == MPI_COMM_NULL) {
        explain(message, message_size, "communicator is MPI_COMM_NULL");
        return PSGD_ERR_ARGUMENT;
    }
    if (MPI_Comm_test_inter(communicator, &is_inter) != MPI_SUCCESS || is_inter) {
        explain(message, message_size, "communicator joins two groups (an intercommunicator); one group is needed");
        return PSGD_ERR_ARGUMENT;
    }
    MPI_Comm duplicate = MPI_COMM_NULL;
    if (MPI_Comm_dup(communicator, &duplicate) != MPI_SUCCESS) {
        explain(message, message_size, "MPI_Comm_dup failed");
        return PSGD_ERR_COMM;
    }
    psgd_status status = make_comm(comm, duplicate, message, message_size);
    if (status != PSGD_OK)
        (void)MPI_Comm_free(&duplicate);
    return status;
}

void psgd_comm_mpi_release(psgd_comm *comm)
{
    if (comm == NULL || comm->context == NULL)
        return;
    mpi_context *context = comm->context;
    if (mpi_is_running()) {
        (void)MPI_Comm_free(&context->communicator);
        free_operations(context);
    }
    free(context);
    *comm = (psgd_comm){0};
}
