/* The ranks' side of the processes test: one function for each scenario. See processes_scenarios.h. */
#include "processes_scenarios.h"
#include "comm/processes.h"
#include "core/values.h"
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static psgd_status sum(const psgd_comm *comm, void *data, size_t count, psgd_dtype dtype)
{
    return comm->allreduce_sum(comm->context, data, count, dtype);
}

static int wrong(const psgd_comm *comm, const char *what)
{
    (void)fprintf(stderr, "rank %d of %d: %s\n", (int)comm->rank, (int)comm->size, what);
    return RANK_WRONG;
}

static void pause_for(long milliseconds)
{
    struct timespec span = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    (void)nanosleep(&span, NULL);
}

/* A value in [-1, 1) that depends on all three, with a full significand. */
static double value_of(uint64_t seed, uint64_t rank, uint64_t i)
{
    uint64_t x = seed * UINT64_C(0x9e3779b97f4a7c15) + rank * UINT64_C(0xbf58476d1ce4e5b9) + i;
    x = (x ^ (x >> 31)) * UINT64_C(0x94d049bb133111eb);
    x = (x ^ (x >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    return ldexp((double)((x ^ (x >> 32)) >> 11), -52) - 1;
}

/* One collective of this length: the result is compared with the sum in the order of the ranks, bit for bit. */
static bool sum_is_exact(const psgd_comm *comm, size_t count, psgd_dtype dtype)
{
    const psgd_value_type *type = psgd_value_type_of((uint32_t)dtype);
    size_t size = psgd_dtype_size((uint32_t)dtype);
    unsigned char *data = malloc((count + 2) * size);
    unsigned char *expected = malloc((count + 2) * size);
    if (data == NULL || expected == NULL) {
        free(expected);
        free(data);
        return false;
    }
    memset(data, 0x5a, (count + 2) * size); /* one guard element on either side */
    memset(expected, 0x5a, (count + 2) * size);
    for (size_t i = 0; i < count; i++) {
        double total = 0;
        for (int32_t k = 0; k < comm->size; k++) {
            double term = type->round(value_of(count, (uint64_t)k, i));
            total = k == 0 ? term : total + term;
            if (k == comm->rank)
                type->store(data + (i + 1) * size, &term, 1);
        }
        type->store(expected + (i + 1) * size, &total, 1);
    }
    bool good = sum(comm, data + size, count, dtype) == PSGD_OK && memcmp(data, expected, (count + 2) * size) == 0;
    free(expected);
    free(data);
    return good;
}

static int sums(const psgd_comm *comm)
{
    const psgd_dtype dtypes[] = {PSGD_F32, PSGD_F64, PSGD_F16, PSGD_BF16};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        const size_t chunk = PSGD_PROCESSES_CHUNK / psgd_dtype_size((uint32_t)dtypes[d]);
        const size_t counts[] = {1, 2, 3, 100, 511, 512, 513, chunk + 1, chunk - 1, chunk, 2 * chunk, 3 * chunk + 7, 1};
        /* Chunks of 16-bit types take long to check; those after the first ones say nothing about the type. */
        const size_t used = psgd_value_type_of((uint32_t)dtypes[d])->half ? 8 : sizeof counts / sizeof *counts;
        for (size_t c = 0; c < used; c++)
            if (!sum_is_exact(comm, counts[c], dtypes[d]))
                return wrong(comm, "a sum is not exact");
    }
    return RANK_OK;
}

static int empty(const psgd_comm *comm)
{
    for (int repeat = 0; repeat < 100; repeat++) {
        if (sum(comm, NULL, 0, PSGD_F32) != PSGD_OK || sum(comm, NULL, 0, PSGD_F64) != PSGD_OK)
            return wrong(comm, "an empty sum failed");
        if (!sum_is_exact(comm, 3, PSGD_F32))
            return wrong(comm, "a sum after an empty one is not exact");
    }
    return RANK_OK;
}

/* Nobody gets through an empty collective before all are there: rank 0 comes late. */
static int empty_synchronises(const psgd_comm *comm)
{
    int64_t begin = psgd_monotonic_nanoseconds();
    if (sum(comm, NULL, 0, PSGD_F32) != PSGD_OK)
        return wrong(comm, "an empty sum failed");
    if (comm->rank == 0)
        pause_for(200);
    if (sum(comm, NULL, 0, PSGD_F32) != PSGD_OK)
        return wrong(comm, "an empty sum failed");
    if (psgd_monotonic_nanoseconds() - begin < 190000000)
        return wrong(comm, "an empty sum did not wait for the late rank");
    return RANK_OK;
}

static int many_small(const psgd_comm *comm)
{
    enum { REPEATS = 500 };
    int64_t begin = psgd_monotonic_nanoseconds();
    for (int i = 0; i < REPEATS; i++) {
        double data[4] = {comm->rank, i, 1, 0};
        if (sum(comm, data, 4, PSGD_F64) != PSGD_OK)
            return wrong(comm, "a small sum failed");
        int32_t n = comm->size;
        if (data[0] != n * (n - 1) / 2 || data[1] != (double)i * n || data[2] != n || data[3] != 0)
            return wrong(comm, "a small sum is not exact");
    }
    if (comm->rank == 0)
        (void)printf("%d ranks: %.1f us for a sum of 4 doubles\n", (int)comm->size,
                     (double)(psgd_monotonic_nanoseconds() - begin) / 1e3 / REPEATS);
    return RANK_OK;
}

static int arguments(const psgd_comm *comm)
{
    float value = 1;
    if (sum(comm, NULL, 1, PSGD_F32) != PSGD_ERR_ARGUMENT || sum(comm, &value, 1, (psgd_dtype)0) != PSGD_ERR_ARGUMENT ||
        sum(comm, &value, 1, (psgd_dtype)99) != PSGD_ERR_ARGUMENT ||
        sum(comm, &value, SIZE_MAX / 2, PSGD_F32) != PSGD_ERR_ARGUMENT)
        return wrong(comm, "a bad argument is not PSGD_ERR_ARGUMENT");
    if (value != 1)
        return wrong(comm, "data were changed by a refused call");
    return sum_is_exact(comm, 5, PSGD_F32) ? RANK_OK : wrong(comm, "a sum after refused ones is not exact");
}

/* The sum of four ranks, by its bits: rounded once, not after each addition; above the largest value, and just below
 * where that begins; infinity; NaN, which keeps its sign and payload. */
typedef struct half_case {
    psgd_dtype dtype;
    uint16_t first;  /* of rank 0 */
    uint16_t others; /* of the others */
    uint16_t sum;    /* on 4 ranks */
} half_case;

static int halves(const psgd_comm *comm)
{
    static const half_case cases[] = {
        {PSGD_F16, 0x6800, 0x3c00, 0x6802},  /* 2048 + 1 + 1 + 1 = 2051, a tie: 2052; rounded each time it is 2048 */
        {PSGD_F16, 0x7bff, 0x4c00, 0x7c00},  /* 65504 + 3 * 16 = 65552: above 65520, so infinity */
        {PSGD_F16, 0x7bff, 0x4500, 0x7bff},  /* 65504 + 3 * 5 = 65519: below it */
        {PSGD_F16, 0x0001, 0x0001, 0x0004},  /* denormals */
        {PSGD_F16, 0xfc00, 0x3c00, 0xfc00},  /* -infinity */
        {PSGD_F16, 0xfe01, 0x3c00, 0xfe01},  /* NaN */
        {PSGD_BF16, 0x4380, 0x3f80, 0x4382}, /* 256 + 3 = 259, a tie: 260; rounded each time it is 256 */
        {PSGD_BF16, 0x7f7f, 0x7f7f, 0x7f80}, {PSGD_BF16, 0x7f7f, 0x7a00, 0x7f7f}, {PSGD_BF16, 0x0001, 0x0001, 0x0004},
        {PSGD_BF16, 0x7f80, 0xff7f, 0x7f80}, {PSGD_BF16, 0x7fc1, 0x3f80, 0x7fc1},
    };
    if (comm->size != 4)
        return RANK_OK;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint16_t value = comm->rank == 0 ? cases[i].first : cases[i].others;
        if (sum(comm, &value, 1, cases[i].dtype) != PSGD_OK || value != cases[i].sum) {
            (void)fprintf(stderr, "case %zu: %04x\n", i, (unsigned)value);
            return wrong(comm, "a sum of halves is not exact");
        }
    }
    return RANK_OK;
}

/* This collective fails, and so does whatever follows. */
static int fails(const psgd_comm *comm, void *data, size_t count, psgd_dtype dtype)
{
    psgd_status status = sum(comm, data, count, dtype);
    if (status != PSGD_ERR_COMM)
        return wrong(comm, psgd_status_name(status));
    double next = 1;
    if (sum(comm, &next, 1, PSGD_F64) != PSGD_ERR_COMM || sum(comm, NULL, 0, PSGD_F32) != PSGD_ERR_COMM)
        return wrong(comm, "a failed group sums");
    return RANK_GROUP_FAILED;
}

static int last_count_differs(const psgd_comm *comm, size_t count, size_t last)
{
    double *data = calloc(count > last ? count : last, sizeof *data);
    if (data == NULL)
        return wrong(comm, "no memory");
    int code = fails(comm, data, comm->rank == comm->size - 1 ? last : count, PSGD_F64);
    free(data);
    return code;
}

static int counts_differ(const psgd_comm *comm)
{
    return last_count_differs(comm, 10, 11);
}

/* The first chunks are equally long: only the counts of the whole tell. */
static int chunk_counts_differ(const psgd_comm *comm)
{
    const size_t chunk = PSGD_PROCESSES_CHUNK / sizeof(double);
    return last_count_differs(comm, chunk, 2 * chunk);
}

static int empty_differs(const psgd_comm *comm)
{
    double data[1] = {1};
    return fails(comm, data, comm->rank == 0 ? 0 : 1, PSGD_F64);
}

static int dtypes_differ(const psgd_comm *comm)
{
    double data[2] = {1, 2};
    return fails(comm, data, 2, comm->rank == 0 ? PSGD_F32 : PSGD_F64);
}

/* One sum together; the second one without rank 1, in the way that `leave` ends it. */
static int leave_after_one(const psgd_comm *comm, void (*leave)(void))
{
    if (!sum_is_exact(comm, 3, PSGD_F64))
        return wrong(comm, "the sum before the failure is not exact");
    if (comm->rank == 1) {
        if (leave == NULL)
            return RANK_OK; /* releases the group: see run_scenario */
        leave();
    }
    double data = 1;
    return fails(comm, &data, 1, PSGD_F64);
}

static void end_without_release(void)
{
    _exit(RANK_LEAVES_ON_ERROR);
}

static void be_killed(void)
{
    (void)raise(SIGKILL);
}

static void hang(void)
{
    pause_for(60000);
    _exit(RANK_LEAVES_ON_ERROR);
}

static int released_early(const psgd_comm *comm)
{
    return leave_after_one(comm, NULL);
}

static int exits_early(const psgd_comm *comm)
{
    return leave_after_one(comm, end_without_release);
}

static int killed(const psgd_comm *comm)
{
    return leave_after_one(comm, be_killed);
}

static int hung(const psgd_comm *comm)
{
    return leave_after_one(comm, hang);
}

/* Rank 0 comes to the second sum ever so late: the launcher kills one of those who wait for it. */
static int killed_while_waiting(const psgd_comm *comm)
{
    if (!sum_is_exact(comm, 3, PSGD_F64))
        return wrong(comm, "the sum before the failure is not exact");
    if (comm->rank == 0)
        pause_for(500);
    double data = 1;
    return fails(comm, &data, 1, PSGD_F64);
}

/* Sums until the group fails. */
static int endless(const psgd_comm *comm)
{
    enum { COUNT = PSGD_PROCESSES_CHUNK / sizeof(double) + 1000 };
    static double data[COUNT];
    for (;;) {
        psgd_status status = sum(comm, data, COUNT, PSGD_F64);
        if (status == PSGD_ERR_COMM)
            return fails(comm, data, 1, PSGD_F64);
        if (status != PSGD_OK)
            return wrong(comm, psgd_status_name(status));
    }
}

static int joins_twice(const psgd_comm *comm)
{
    psgd_processes *second = NULL;
    psgd_comm other;
    char message[256] = "";
    if (psgd_processes_join(&second, &other, message, sizeof message) != PSGD_ERR_IO || second != NULL ||
        message[0] == '\0')
        return wrong(comm, "a second join is not refused");
    return sum_is_exact(comm, 3, PSGD_F64) ? RANK_OK : wrong(comm, "a refused join harmed the group");
}

static const struct {
    const char *name;
    int (*run)(const psgd_comm *comm);
} scenarios[] = {
    {"sums", sums},
    {"empty", empty},
    {"empty_synchronises", empty_synchronises},
    {"many_small", many_small},
    {"arguments", arguments},
    {"halves", halves},
    {"counts_differ", counts_differ},
    {"chunk_counts_differ", chunk_counts_differ},
    {"empty_differs", empty_differs},
    {"dtypes_differ", dtypes_differ},
    {"released_early", released_early},
    {"exits_early", exits_early},
    {"killed", killed},
    {"hung", hung},
    {"killed_while_waiting", killed_while_waiting},
    {"endless", endless},
    {"joins_twice", joins_twice},
};

int run_scenario(const char *name)
{
    psgd_processes *group = NULL;
    psgd_comm comm;
    char message[256] = "";
    psgd_status status = psgd_processes_join(&group, &comm, message, sizeof message);
    if (status != PSGD_OK) {
        (void)fprintf(stderr, "join: %s: %s\n", psgd_status_name(status), message);
        return RANK_WRONG;
    }
    int code = RANK_WRONG;
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        if (strcmp(scenarios[i].name, name) == 0)
            code = scenarios[i].run(&comm);
    psgd_processes_release(group);
    return code;
}
