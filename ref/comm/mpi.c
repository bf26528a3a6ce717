/* mpi.c: a psgd_comm over an MPI communicator. Its contract is in psgd/comm_mpi.h.
 *
 * Same bits on every rank. The MPI standard speaks of one result for all members, but several ranks may compute it for
 * themselves: in recursive doubling, rank 0 may add (a + b) + (c + d) where rank 3 adds (d + c) + (b + a). Addition is
 * commutative to the last bit in all but one case: of two NaNs, hardware keeps one operand's payload. (Open MPI 4.1
 * keeps the operands in the order of the ranks; nothing says that others do.) So every NaN of a sum is
 * replaced by one fixed NaN; then the ranks agree whatever algorithm MPI chooses.
 *
 * Buffers go in chunks of 25 MB: an in-place all-reduce of much more is pathologically slow in Open MPI, and one chunk
 * never holds more elements than an int counts. Refuses element types that have no row in types[]. */
#include "psgd/comm_mpi.h"
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

enum { TYPE_COUNT = 2 };

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
    return PSGD_ERR_UNSUPPORTED;
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
    context->types[0] = (mpi_type){PSGD_F32, MPI_FLOAT, MPI_SUM, sizeof(float), settle_f32};
    context->types[1] = (mpi_type){PSGD_F64, MPI_DOUBLE, MPI_SUM, sizeof(double), settle_f64};
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
    if (mpi_is_running())
        (void)MPI_Comm_free(&context->communicator);
    free(context);
    *comm = (psgd_comm){0};
}
