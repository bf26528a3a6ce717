/* Tests of comm/mpi.c where MPI fails: every error of an MPI call becomes PSGD_ERR_COMM and ends nothing else.
 *
 * MPI's profiling interface lets a program put its own functions in the place of MPI's: those below fail on request,
 * and call MPI's own (PMPI_...) else. Run with one rank, so that cmocka may leave a test at any point. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "psgd/comm_mpi.h"
#include <stdlib.h>
#include <string.h>

typedef enum call {
    ALLREDUCE,
    IALLREDUCE,
    TESTALL,
    WAITALL,
    COMM_DUP,
    COMM_SET_ERRHANDLER,
    COMM_FREE,
    OP_CREATE,
    OP_FREE,
    CALLS
} call;

/* Profiling functions have no context argument. */
static int countdown[CALLS]; /* 1: the next call of this kind fails; 0: none does */
static int calls[CALLS];
static size_t most_bytes; /* of the longest single all-reduce */

static bool fails(call which)
{
    calls[which]++;
    return countdown[which] > 0 && --countdown[which] == 0;
}

static void note_length(int count, MPI_Datatype datatype)
{
    int size = 0;
    (void)MPI_Type_size(datatype, &size);
    size_t bytes = (size_t)count * (size_t)size;
    if (bytes > most_bytes)
        most_bytes = bytes;
}

int MPI_Allreduce(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm communicator)
{
    note_length(count, datatype);
    return fails(ALLREDUCE) ? MPI_ERR_OTHER : PMPI_Allreduce(send, receive, count, datatype, op, communicator);
}

int MPI_Iallreduce(const void *send, void *receive, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm communicator,
                   MPI_Request *request)
{
    note_length(count, datatype);
    return fails(IALLREDUCE) ? MPI_ERR_OTHER
                             : PMPI_Iallreduce(send, receive, count, datatype, op, communicator, request);
}

int MPI_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    return fails(TESTALL) ? MPI_ERR_OTHER : PMPI_Testall(count, requests, flag, statuses);
}

/* Completes what it says it can't, so that MPI can be finalised. */
int MPI_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    int code = PMPI_Waitall(count, requests, statuses);
    return fails(WAITALL) ? MPI_ERR_OTHER : code;
}

int MPI_Comm_dup(MPI_Comm communicator, MPI_Comm *duplicate)
{
    return fails(COMM_DUP) ? MPI_ERR_OTHER : PMPI_Comm_dup(communicator, duplicate);
}

int MPI_Comm_set_errhandler(MPI_Comm communicator, MPI_Errhandler handler)
{
    return fails(COMM_SET_ERRHANDLER) ? MPI_ERR_OTHER : PMPI_Comm_set_errhandler(communicator, handler);
}

int MPI_Comm_free(MPI_Comm *communicator)
{
    return fails(COMM_FREE) ? MPI_ERR_OTHER : PMPI_Comm_free(communicator);
}

int MPI_Op_create(MPI_User_function *function, int commutes, MPI_Op *op)
{
    return fails(OP_CREATE) ? MPI_ERR_OTHER : PMPI_Op_create(function, commutes, op);
}

int MPI_Op_free(MPI_Op *op)
{
    return fails(OP_FREE) ? MPI_ERR_OTHER : PMPI_Op_free(op);
}

static psgd_comm make(void)
{
    memset(countdown, 0, sizeof countdown);
    memset(calls, 0, sizeof calls);
    most_bytes = 0;
    psgd_comm comm;
    assert_int_equal(psgd_comm_mpi_create(MPI_COMM_WORLD, &comm, NULL, 0), PSGD_OK);
    return comm;
}

/* What was made before is freed again. */
static void creation_reports_errors(void **state)
{
    (void)state;
    static const struct {
        call kind;
        int countdown;
        int communicators_freed;
        int operations_freed;
    } faults[] = {{COMM_DUP, 1, 0, 0}, {COMM_SET_ERRHANDLER, 1, 1, 0}, {OP_CREATE, 1, 1, 0}, {OP_CREATE, 2, 1, 1}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        psgd_comm comm;
        char message[128] = "";
        memset(calls, 0, sizeof calls);
        countdown[faults[i].kind] = faults[i].countdown;
        assert_int_equal(psgd_comm_mpi_create(MPI_COMM_WORLD, &comm, message, sizeof message), PSGD_ERR_COMM);
        assert_non_null(strstr(message, "MPI"));
        assert_null(comm.context);
        assert_int_equal(calls[COMM_FREE], faults[i].communicators_freed);
        assert_int_equal(calls[OP_FREE], faults[i].operations_freed);
    }
}

static void what_was_made_is_freed(void **state)
{
    (void)state;
    psgd_comm comm = make();
    psgd_comm_mpi_release(&comm);
    assert_int_equal(calls[COMM_DUP], 1);
    assert_int_equal(calls[COMM_FREE], 1);
    assert_int_equal(calls[OP_CREATE], 2);
    assert_int_equal(calls[OP_FREE], 2);
    psgd_comm_mpi_release(NULL);
}

static void a_blocking_sum_reports_errors(void **state)
{
    (void)state;
    psgd_comm comm = make();
    float value = 1;
    countdown[ALLREDUCE] = 1;
    assert_int_equal(comm.allreduce_sum(comm.context, &value, 1, PSGD_F32), PSGD_ERR_COMM);
    assert_int_equal(comm.allreduce_sum(comm.context, &value, 1, PSGD_F32), PSGD_OK);
    psgd_comm_mpi_release(&comm);
}

/* Three chunks: 25 MB, 25 MB, the rest. Whichever fails, the sum fails, and nobody waits for what was not started. */
static void long_buffers_go_in_chunks(void **state)
{
    (void)state;
    const size_t count = 6250001;
    double *data = calloc(count, sizeof *data);
    assert_non_null(data);
    for (int failing = 0; failing <= 3; failing++) {
        psgd_comm comm = make();
        countdown[ALLREDUCE] = failing;
        assert_int_equal(comm.allreduce_sum(comm.context, data, count, PSGD_F64), failing ? PSGD_ERR_COMM : PSGD_OK);
        assert_int_equal(calls[ALLREDUCE], failing ? failing : 3);
        assert_int_equal(most_bytes, 25000000);

        void *request = NULL;
        countdown[IALLREDUCE] = failing;
        psgd_status started = comm.start_allreduce_sum(comm.context, data, count, PSGD_F64, &request);
        assert_int_equal(calls[IALLREDUCE], failing ? failing : 3);
        if (failing == 1) { /* nothing is on its way */
            assert_int_equal(started, PSGD_ERR_COMM);
            assert_null(request);
        } else {
            assert_int_equal(started, PSGD_OK);
            assert_int_equal(comm.wait(comm.context, request), failing ? PSGD_ERR_COMM : PSGD_OK);
        }
        psgd_comm_mpi_release(&comm);
    }
    free(data);
}

static void a_request_reports_errors(void **state)
{
    (void)state;
    const call kinds[] = {TESTALL, WAITALL};
    for (size_t i = 0; i < 2; i++) {
        psgd_comm comm = make();
        double value = 1;
        void *request = NULL;
        bool done = false;
        assert_int_equal(comm.start_allreduce_sum(comm.context, &value, 1, PSGD_F64, &request), PSGD_OK);
        countdown[kinds[i]] = 1;
        if (kinds[i] == TESTALL) {
            assert_int_equal(comm.test(comm.context, request, &done), PSGD_ERR_COMM);
            assert_false(done);
        }
        assert_int_equal(comm.wait(comm.context, request), PSGD_ERR_COMM); /* a failed test is not forgotten */
        psgd_comm_mpi_release(&comm);
    }
}

int main(int argc, char **argv)
{
    if (MPI_Init(&argc, &argv) != MPI_SUCCESS)
        return 1;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(creation_reports_errors),       cmocka_unit_test(what_was_made_is_freed),
        cmocka_unit_test(a_blocking_sum_reports_errors), cmocka_unit_test(long_buffers_go_in_chunks),
        cmocka_unit_test(a_request_reports_errors),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    (void)MPI_Finalize();
    return failed == 0 ? 0 : 1;
}
