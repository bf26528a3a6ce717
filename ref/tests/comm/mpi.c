/* Test of comm/mpi.c; run under mpirun with any number of ranks.
 *
 * No cmocka: a failed assertion would end one rank's test function and leave the others in a collective. Here a check
 * only counts, every rank takes part in every collective, and all ranks return the same verdict at the end: mpirun
 * passes on some rank's exit code. */
#include "core/values.h"
#include "psgd/comm_mpi.h"
#include "ways.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(long *failures, bool good, const char *what, int line)
{
    if (good)
        return;
    *failures += 1;
    (void)fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, line, what);
}
#define CHECK(condition) check(failures, (condition), #condition, __LINE__)

/* A value in [-1, 1) that depends on rank and index, with a full significand. */
static double value_of(uint64_t rank, uint64_t i)
{
    uint64_t x = (rank + 1) * UINT64_C(0x9e3779b97f4a7c15) + i * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 31)) * UINT64_C(0x94d049bb133111eb);
    return ldexp((double)((x ^ (x >> 29)) >> 11), -52) - 1;
}

/* Element i of this rank, in the type: sums that cancel or overflow, infinities of both signs, and NaNs whose bits
 * differ from rank to rank. */
static double difficult_value(int rank, size_t i, const psgd_value_type *type)
{
    const int huge = type->dtype == PSGD_F16 ? 12 : 60;
    double value = value_of((uint64_t)rank, i);
    if (i % 97 == 13)
        value = ldexp(value, rank % 2 == 0 ? huge : -huge);
    if (i % 97 == 29)
        value = type->dtype == PSGD_F16 ? 4e4 : 3e38;
    if (i % 97 == 41)
        value = rank % 2 == 0 ? INFINITY : -INFINITY;
    if (i % 97 == 67)
        value = rank % 2 == 0 ? (double)NAN : -(double)NAN;
    return type->round(value);
}

static void fill(void *data /* [count] */, size_t count, const psgd_value_type *type, int rank)
{
    const size_t size = psgd_dtype_size((uint32_t)type->dtype);
    for (size_t i = 0; i < count; i++) {
        double value = difficult_value(rank, i, type);
        type->store((unsigned char *)data + i * size, &value, 1);
    }
}

/* 2^-p of a significand of p bits. */
static double unit_of(psgd_dtype dtype)
{
    switch (dtype) {
    case PSGD_F32: return ldexp(1, -24);
    case PSGD_F64: return ldexp(1, -53);
    case PSGD_F16: return ldexp(1, -11);
    case PSGD_BF16: return ldexp(1, -8);
    }
    return 0;
}

/* Whether the element is the NaN that comm_mpi.h promises. */
static bool is_the_nan(const void *element, const psgd_value_type *type)
{
    const double nan = (double)NAN;
    unsigned char expected[sizeof(double)];
    type->store(expected, &nan, 1);
    return memcmp(element, expected, psgd_dtype_size((uint32_t)type->dtype)) == 0;
}

/* Whether element i of the result is the sum over `size` ranks, to the rounding of any order. */
static bool is_sum(const void *data, size_t i, const psgd_value_type *type, int size)
{
    const unsigned char *element = (const unsigned char *)data + i * psgd_dtype_size((uint32_t)type->dtype);
    double got = 0;
    type->load(&got, element, 1);
    double sum_of_terms = 0;
    double magnitude = 0;
    for (int rank = 0; rank < size; rank++) {
        const double term = difficult_value(rank, i, type);
        sum_of_terms += term;
        magnitude += fabs(term);
    }
    if (isnan(sum_of_terms))
        return is_the_nan(element, type);
    const double rounded = type->round(sum_of_terms);
    return isinf(rounded) ? got == rounded : fabs(got - sum_of_terms) <= 2 * size * unit_of(type->dtype) * magnitude;
}

/* Whether data are the same bits as rank 0's. Collective. */
static bool same_as_rank_0(const void *data, size_t bytes, const psgd_comm *comm, MPI_Comm communicator)
{
    unsigned char *first = malloc(bytes + 1);
    if (first == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    if (comm->rank == 0)
        memcpy(first, data, bytes);
    bool good =
        MPI_Bcast(first, (int)bytes, MPI_BYTE, 0, communicator) == MPI_SUCCESS && memcmp(first, data, bytes) == 0;
    free(first);
    return good;
}

static void sums_are_right_and_equal(long *failures, const psgd_comm *comm, MPI_Comm communicator, size_t count,
                                     psgd_dtype dtype, way how)
{
    size_t size = psgd_dtype_size((uint32_t)dtype);
    unsigned char *data = calloc(count + 2, size);
    if (data == NULL)
        MPI_Abort(MPI_COMM_WORLD, 1);
    const psgd_value_type *type = psgd_value_type_of((uint32_t)dtype);
    fill(data + size, count, type, comm->rank);
    CHECK(sum(comm, data + size, count, dtype, how) == PSGD_OK);
    size_t misses = 0;
    const bool sparse = count > 100000; /* then one of about thirty is enough */
    for (size_t i = 0; i < count; i += sparse ? 1 + i % 61 : 1)
        misses += !is_sum(data + size, i, type, comm->size);
    CHECK(misses == 0);
    const unsigned char zeros[sizeof(double)] = {0}; /* guard elements on either side */
    CHECK(memcmp(data, zeros, size) == 0 && memcmp(data + (count + 1) * size, zeros, size) == 0);
    CHECK(same_as_rank_0(data, (count + 2) * size, comm, communicator));
    free(data);
}

/* More than one chunk of 25 MB. */
static void long_buffers(long *failures, const psgd_comm *comm, MPI_Comm communicator)
{
    sums_are_right_and_equal(failures, comm, communicator, 6250001, PSGD_F32, BLOCKING);
    sums_are_right_and_equal(failures, comm, communicator, 3125001, PSGD_F64, TEST_THEN_WAIT);
}

/* Lengths on either side of MPI's own switches of algorithm. */
static void all_lengths(long *failures, const psgd_comm *comm, MPI_Comm communicator)
{
    const size_t counts[] = {0, 1, 2, 3, 7, 1000, 2500, 20000, 200000};
    for (way how = BLOCKING; how < WAYS; how++)
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            sums_are_right_and_equal(failures, comm, communicator, counts[c], PSGD_F32, how);
            sums_are_right_and_equal(failures, comm, communicator, counts[c], PSGD_F64, how);
            sums_are_right_and_equal(failures, comm, communicator, counts[c], PSGD_F16, how);
            sums_are_right_and_equal(failures, comm, communicator, counts[c], PSGD_BF16, how);
        }
}

/* Rank 0 and one other hand in these, further ranks zeros, so that the order of the additions does not matter. */
static void halves_are_rounded_to_nearest_even(long *failures, const psgd_comm *comm)
{
    static const struct {
        psgd_dtype dtype;
        uint16_t terms[2];
        uint16_t sum;
    } cases[] = {
        {PSGD_F16, {0x6800, 0x3c00}, 0x6800},  /* 2048 + 1, a tie */
        {PSGD_F16, {0x6800, 0x4200}, 0x6802},  /* 2048 + 3, a tie: 2052 */
        {PSGD_F16, {0x6800, 0x3c01}, 0x6801},  /* a little above the first */
        {PSGD_F16, {0x7bff, 0x4c00}, 0x7c00},  /* 65504 + 16: infinity */
        {PSGD_F16, {0x7bff, 0x4bff}, 0x7bff},  /* a little below */
        {PSGD_F16, {0x0001, 0x0001}, 0x0002},  /* denormals */
        {PSGD_F16, {0x3c00, 0xfe01}, 0x7e00},  /* NaN */
        {PSGD_BF16, {0x4380, 0x3f80}, 0x4380}, /* 256 + 1, a tie */
        {PSGD_BF16, {0x4380, 0x4040}, 0x4382}, /* 256 + 3, a tie: 260 */
        {PSGD_BF16, {0x4380, 0x3f81}, 0x4381}, {PSGD_BF16, {0x7f7f, 0x7b00}, 0x7f80},
        {PSGD_BF16, {0x7f7f, 0x7aff}, 0x7f7f}, {PSGD_BF16, {0x0001, 0x0001}, 0x0002},
        {PSGD_BF16, {0x3f80, 0xff81}, 0x7fc0},
    };
    if (comm->size < 2)
        return;
    for (way how = BLOCKING; how < WAYS; how++)
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            uint16_t value = comm->rank < 2 ? cases[i].terms[comm->rank] : 0;
            CHECK(sum(comm, &value, 1, cases[i].dtype, how) == PSGD_OK && value == cases[i].sum);
        }
}

static void empty_buffers_need_no_data(long *failures, const psgd_comm *comm)
{
    for (way how = BLOCKING; how < WAYS; how++)
        CHECK(sum(comm, NULL, 0, PSGD_F32, how) == PSGD_OK);
}

static void several_requests_may_be_in_flight(long *failures, const psgd_comm *comm)
{
    enum { REQUESTS = 5, COUNT = 3000 };
    static double data[REQUESTS][COUNT];
    void *requests[REQUESTS] = {NULL};
    for (int q = 0; q < REQUESTS; q++) {
        for (int i = 0; i < COUNT; i++)
            data[q][i] = comm->rank + 10 * q + i;
        CHECK(comm->start_allreduce_sum(comm->context, data[q], COUNT, PSGD_F64, &requests[q]) == PSGD_OK);
    }
    double between = 1; /* a blocking call may come between */
    CHECK(sum(comm, &between, 1, PSGD_F64, BLOCKING) == PSGD_OK && between == comm->size);
    for (int q = REQUESTS - 1; q >= 0; q--) {
        CHECK(comm->wait(comm->context, requests[q]) == PSGD_OK);
        double expected = (double)comm->size * (comm->size - 1) / 2 + 10.0 * q * comm->size;
        CHECK(data[q][0] == expected && data[q][COUNT - 1] == expected + (double)(COUNT - 1) * comm->size);
    }
}

static void a_request_is_not_done_before_all_are_there(long *failures, const psgd_comm *comm, MPI_Comm communicator)
{
    float value = 1;
    void *request = NULL;
    bool done = false;
    if (comm->rank != 0) {
        CHECK(comm->start_allreduce_sum(comm->context, &value, 1, PSGD_F32, &request) == PSGD_OK);
        CHECK(comm->test(comm->context, request, &done) == PSGD_OK && !done);
    }
    CHECK(MPI_Barrier(communicator) == MPI_SUCCESS);
    if (comm->rank == 0)
        CHECK(comm->start_allreduce_sum(comm->context, &value, 1, PSGD_F32, &request) == PSGD_OK);
    while (!done && comm->test(comm->context, request, &done) == PSGD_OK)
        ;
    CHECK(done && value == (float)comm->size);
    CHECK(comm->test(comm->context, request, &done) == PSGD_OK && done); /* done stays done */
    CHECK(comm->wait(comm->context, request) == PSGD_OK && value == (float)comm->size);
}

/* The caller's own collectives may come in another order, on every rank, than those of the psgd_comm. */
static void messages_do_not_meet_the_callers(long *failures, const psgd_comm *comm, MPI_Comm communicator)
{
    double own = 1000;
    double ours = 1;
    MPI_Request pending = MPI_REQUEST_NULL;
    void *request = NULL;
    for (int turn = 0; turn < 2; turn++) {
        if (turn == comm->rank % 2)
            CHECK(MPI_Iallreduce(MPI_IN_PLACE, &own, 1, MPI_DOUBLE, MPI_SUM, communicator, &pending) == MPI_SUCCESS);
        else
            CHECK(comm->start_allreduce_sum(comm->context, &ours, 1, PSGD_F64, &request) == PSGD_OK);
    }
    CHECK(comm->wait(comm->context, request) == PSGD_OK);
    /* One of the two turns started it. NOLINTNEXTLINE(clang-analyzer-optin.mpi.MPI-Checker) */
    CHECK(MPI_Wait(&pending, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(own == 1000.0 * comm->size && ours == comm->size);
}

static void bad_arguments_are_refused(long *failures, const psgd_comm *comm)
{
    float value = 1;
    void *request = &value;
    bool done = false;
    void *context = comm->context;
    CHECK(comm->allreduce_sum(context, NULL, 1, PSGD_F32) == PSGD_ERR_ARGUMENT);
    CHECK(comm->allreduce_sum(context, &value, 1, (psgd_dtype)0) == PSGD_ERR_ARGUMENT);
    CHECK(comm->allreduce_sum(context, &value, SIZE_MAX / 2, PSGD_F32) == PSGD_ERR_ARGUMENT);
    CHECK(comm->start_allreduce_sum(context, NULL, 1, PSGD_F32, &request) == PSGD_ERR_ARGUMENT && request == NULL);
    CHECK(comm->start_allreduce_sum(context, &value, 1, PSGD_F32, NULL) == PSGD_ERR_ARGUMENT);
    CHECK(comm->test(context, NULL, &done) == PSGD_ERR_ARGUMENT);
    CHECK(comm->wait(context, NULL) == PSGD_ERR_ARGUMENT);
    CHECK(value == 1);
    char message[128] = "";
    psgd_comm other;
    CHECK(psgd_comm_mpi_create(MPI_COMM_NULL, &other, message, sizeof message) == PSGD_ERR_ARGUMENT);
    CHECK(strstr(message, "communicator") != NULL);
    CHECK(psgd_comm_mpi_create(MPI_COMM_SELF, NULL, message, sizeof message) == PSGD_ERR_ARGUMENT);
    CHECK(strstr(message, "comm") != NULL);
}

/* The whole of one communicator. */
static void test_communicator(long *failures, MPI_Comm communicator, bool with_long_buffers)
{
    psgd_comm comm = {0};
    char message[128] = "";
    int rank = -1;
    int size = -1;
    CHECK(MPI_Comm_rank(communicator, &rank) == MPI_SUCCESS && MPI_Comm_size(communicator, &size) == MPI_SUCCESS);
    if (psgd_comm_mpi_create(communicator, &comm, message, sizeof message) != PSGD_OK) {
        (void)fprintf(stderr, "create: %s\n", message);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    CHECK(comm.struct_size == sizeof comm && comm.flags == 0 && comm.rank == rank && comm.size == size);
    all_lengths(failures, &comm, communicator);
    if (with_long_buffers)
        long_buffers(failures, &comm, communicator);
    halves_are_rounded_to_nearest_even(failures, &comm);
    empty_buffers_need_no_data(failures, &comm);
    several_requests_may_be_in_flight(failures, &comm);
    a_request_is_not_done_before_all_are_there(failures, &comm, communicator);
    messages_do_not_meet_the_callers(failures, &comm, communicator);
    bad_arguments_are_refused(failures, &comm);
    psgd_comm_mpi_release(&comm);
    CHECK(comm.context == NULL && comm.allreduce_sum == NULL);
    psgd_comm_mpi_release(&comm); /* released twice: nothing happens */
}

/* Two groups that work at the same time, one of a single rank; and ranks in reverse order. */
static void test_subgroups(long *failures, int rank)
{
    MPI_Comm part = MPI_COMM_NULL;
    CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank == 1, 0, &part) == MPI_SUCCESS);
    test_communicator(failures, part, false);
    CHECK(MPI_Comm_free(&part) == MPI_SUCCESS);
    CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &part) == MPI_SUCCESS);
    test_communicator(failures, part, false);
    CHECK(MPI_Comm_free(&part) == MPI_SUCCESS);
}

/* Rank 0 and the others, joined: two groups have no common sum. */
static void test_intercommunicator(long *failures, int rank, int size)
{
    if (size < 2)
        return;
    MPI_Comm part = MPI_COMM_NULL;
    MPI_Comm both = MPI_COMM_NULL;
    CHECK(MPI_Comm_split(MPI_COMM_WORLD, rank > 0, 0, &part) == MPI_SUCCESS);
    CHECK(MPI_Intercomm_create(part, 0, MPI_COMM_WORLD, rank > 0 ? 0 : 1, 7, &both) == MPI_SUCCESS);
    psgd_comm comm;
    char message[128] = "";
    CHECK(psgd_comm_mpi_create(both, &comm, message, sizeof message) == PSGD_ERR_ARGUMENT);
    CHECK(strstr(message, "intercommunicator") != NULL);
    CHECK(MPI_Comm_free(&both) == MPI_SUCCESS && MPI_Comm_free(&part) == MPI_SUCCESS);
}

int main(int argc, char **argv)
{
    long total = 0;
    long *failures = &total;
    char message[128] = "";
    psgd_comm comm;
    CHECK(psgd_comm_mpi_create(MPI_COMM_WORLD, &comm, message, sizeof message) == PSGD_ERR_ARGUMENT); /* too early */
    CHECK(strstr(message, "initialised") != NULL);
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    int rank = 0;
    int size = 0;
    CHECK(MPI_Comm_rank(MPI_COMM_WORLD, &rank) == MPI_SUCCESS && MPI_Comm_size(MPI_COMM_WORLD, &size) == MPI_SUCCESS);
    long expected = argc > 1 ? strtol(argv[1], NULL, 10) : size;
    CHECK(size == expected); /* mpirun and this program belong to one MPI */
    test_communicator(failures, MPI_COMM_WORLD, true);
    test_subgroups(failures, rank);
    test_intercommunicator(failures, rank, size);

    long worst = 1;
    if (MPI_Allreduce(failures, &worst, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD) != MPI_SUCCESS)
        worst = 1;
    if (rank == 0)
        (void)printf("%d ranks: %ld checks failed\n", size, worst);
    (void)MPI_Finalize();
    return worst == 0 ? 0 : 1;
}
