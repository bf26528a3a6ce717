/* Tests of comm/threads.c where it matters who comes when: one thread holds two ranks, by their non-blocking calls, so
 * that every order of events is as it is written here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "comm/group.h"
#include "psgd/comm.h"
#include "spans.h"
#include "ways.h"
#include <stdlib.h>
#include <string.h>

typedef struct pair {
    psgd_threads *group;
    psgd_comm comms[2];
} pair;

static pair make_pair(double timeout_seconds)
{
    pair p = {0};
    assert_int_equal(psgd_threads_create(&p.group, 2, timeout_seconds, NULL, 0), PSGD_OK);
    for (int32_t k = 0; k < 2; k++) {
        assert_int_equal(psgd_threads_join(p.group, k, &p.comms[k], NULL, 0), PSGD_OK);
        assert_int_equal(p.comms[k].struct_size, sizeof(psgd_comm));
        assert_int_equal(p.comms[k].flags, 0);
        assert_int_equal(p.comms[k].rank, k);
        assert_int_equal(p.comms[k].size, 2);
    }
    return p;
}

static void assert_started(const psgd_comm *comm, float *value, void **request)
{
    assert_int_equal(start(comm, value, 1, PSGD_F32, request), PSGD_OK);
    assert_non_null(*request);
}

static void assert_waited(const psgd_comm *comm, void *request, psgd_status status)
{
    assert_int_equal(comm->wait(comm->context, request), status);
}

/* This and every later collective. */
static void assert_failed(const psgd_comm *comm)
{
    float value = 1;
    for (way how = BLOCKING; how < WAYS; how++)
        assert_int_equal(sum(comm, &value, 1, PSGD_F32, how), PSGD_ERR_COMM);
    assert_true(value == 1);
}

static void a_request_is_not_done_before_all_are_there(void **state)
{
    (void)state;
    pair p = make_pair(60);
    float values[2] = {1, 2};
    void *requests[2] = {NULL};
    bool done = true;
    assert_started(&p.comms[1], &values[1], &requests[1]);
    assert_int_equal(p.comms[1].test(p.comms[1].context, requests[1], &done), PSGD_OK);
    assert_false(done);
    assert_started(&p.comms[0], &values[0], &requests[0]);
    assert_true(values[1] == 2);                 /* nobody but rank 1 writes there */
    for (int repeat = 0; repeat < 2; repeat++) { /* done stays done */
        assert_int_equal(p.comms[1].test(p.comms[1].context, requests[1], &done), PSGD_OK);
        assert_true(done && values[1] == 3);
    }
    values[1] = 7; /* the caller's again */
    assert_waited(&p.comms[1], requests[1], PSGD_OK);
    assert_true(values[1] == 7);
    assert_waited(&p.comms[0], requests[0], PSGD_OK);
    assert_true(values[0] == 3);
    psgd_threads_release(p.group);
}

static void what_was_summed_succeeds_after_a_failure(void **state)
{
    (void)state;
    pair p = make_pair(60);
    float values[2] = {1, 2};
    float late = 5;
    void *requests[2] = {NULL};
    void *unmet = NULL;
    for (int k = 0; k < 2; k++)
        assert_started(&p.comms[k], &values[k], &requests[k]);
    assert_started(&p.comms[0], &late, &unmet);
    psgd_threads_fail(p.group);
    for (int k = 0; k < 2; k++) {
        assert_waited(&p.comms[k], requests[k], PSGD_OK);
        assert_true(values[k] == 3);
        assert_failed(&p.comms[k]);
    }
    bool done = true;
    assert_int_equal(p.comms[0].test(p.comms[0].context, unmet, &done), PSGD_ERR_COMM);
    assert_false(done);
    assert_waited(&p.comms[0], unmet, PSGD_ERR_COMM);
    assert_true(late == 5);
    psgd_threads_release(p.group);
}

static void ranks_that_disagree_fail_the_group(void **state)
{
    (void)state;
    static const struct {
        size_t count;
        psgd_dtype dtype;
    } others[] = {{3, PSGD_F16}, {0, PSGD_F16}, {2, PSGD_BF16}, {1, PSGD_F32}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        pair p = make_pair(60);
        uint16_t *halves = calloc(2, sizeof *halves);
        float other[2] = {1, 1};
        void *request = NULL;
        void *refused = &p;
        assert_non_null(halves);
        assert_int_equal(start(&p.comms[0], halves, 2, PSGD_F16, &request), PSGD_OK);
        assert_int_equal(start(&p.comms[1], other, others[i].count, others[i].dtype, &refused), PSGD_ERR_COMM);
        assert_null(refused);
        bool done = false;
        assert_int_equal(p.comms[0].test(p.comms[0].context, request, &done), PSGD_ERR_COMM);
        free(halves); /* nothing is written to a buffer whose rank was told of a failure */
        assert_waited(&p.comms[0], request, PSGD_ERR_COMM);
        assert_failed(&p.comms[0]);
        assert_failed(&p.comms[1]);
        psgd_threads_release(p.group);
    }
}

static void a_rank_that_leaves_fails_what_it_has_no_part_in(void **state)
{
    (void)state;
    pair p = make_pair(60);
    float values[3] = {1, 2, 4};
    void *requests[3] = {NULL};
    assert_started(&p.comms[1], &values[1], &requests[1]);
    psgd_threads_leave(&p.comms[1]); /* its request is released with the group */
    assert_null(p.comms[1].context);
    psgd_threads_leave(&p.comms[1]);
    psgd_threads_leave(NULL);
    assert_started(&p.comms[0], &values[0], &requests[0]);
    assert_waited(&p.comms[0], requests[0], PSGD_OK);
    assert_true(values[0] == 3 && values[1] == 2);
    assert_failed(&p.comms[0]);
    psgd_comm again;
    assert_int_equal(psgd_threads_join(p.group, 1, &again, NULL, 0), PSGD_ERR_ARGUMENT);
    psgd_threads_release(p.group);

    p = make_pair(60); /* started before the other left */
    for (int q = 0; q < 2; q++)
        assert_started(&p.comms[0], &values[q], &requests[q]);
    assert_started(&p.comms[1], &values[2], &requests[2]);
    psgd_threads_leave(&p.comms[1]);
    assert_waited(&p.comms[0], requests[1], PSGD_ERR_COMM);
    assert_waited(&p.comms[0], requests[0], PSGD_OK);
    psgd_threads_release(p.group);
}

static void a_rank_that_does_not_come_meets_the_time_limit(void **state)
{
    (void)state;
    for (way how = BLOCKING; how < WAYS; how++) {
        pair p = make_pair(0.05);
        float value = 1;
        const int64_t begin = psgd_monotonic_nanoseconds();
        assert_int_equal(sum(&p.comms[0], &value, 1, PSGD_F32, how), PSGD_ERR_COMM);
        assert_true(seconds_since(begin) >= 0.05 && seconds_since(begin) < 10);
        assert_failed(&p.comms[1]);
        psgd_threads_release(p.group);
    }
    pair p = make_pair(0.05); /* work between start and the first question does not count */
    float values[2] = {1, 2};
    void *requests[2] = {NULL};
    bool done = true;
    assert_started(&p.comms[0], &values[0], &requests[0]);
    pause_for(100);
    assert_int_equal(p.comms[0].test(p.comms[0].context, requests[0], &done), PSGD_OK);
    assert_false(done);
    assert_started(&p.comms[1], &values[1], &requests[1]);
    assert_waited(&p.comms[0], requests[0], PSGD_OK);
    assert_waited(&p.comms[1], requests[1], PSGD_OK);
    psgd_threads_release(p.group);
}

static void requests_never_waited_for_are_released(void **state)
{
    (void)state;
    pair p = make_pair(60);
    float values[4] = {0};
    void *request = NULL;
    assert_started(&p.comms[0], &values[0], &request);
    assert_started(&p.comms[1], &values[1], &request);
    assert_started(&p.comms[1], &values[2], &request);
    psgd_threads_release(p.group);
    assert_true(values[0] == 0);
}

static void bad_arguments_are_refused(void **state)
{
    (void)state;
    pair p = make_pair(60);
    float value = 1;
    void *request = &value;
    void *other = NULL;
    bool done = false;
    const psgd_comm *comm = &p.comms[0];
    for (way how = BLOCKING; how <= WAIT; how++) {
        assert_int_equal(sum(comm, NULL, 1, PSGD_F32, how), PSGD_ERR_ARGUMENT);
        assert_int_equal(sum(comm, &value, 1, (psgd_dtype)0, how), PSGD_ERR_ARGUMENT);
        assert_int_equal(sum(comm, &value, 1, (psgd_dtype)99, how), PSGD_ERR_ARGUMENT);
        assert_int_equal(sum(comm, &value, SIZE_MAX / 2, PSGD_F32, how), PSGD_ERR_ARGUMENT);
        assert_int_equal(sum(comm, &value, SIZE_MAX / 4, PSGD_F32, how), PSGD_ERR_MEMORY); /* twice that */
    }
    assert_int_equal(comm->allreduce_sum(NULL, &value, 1, PSGD_F32), PSGD_ERR_ARGUMENT);
    assert_int_equal(start(comm, NULL, 1, PSGD_F32, &request), PSGD_ERR_ARGUMENT);
    assert_null(request);
    assert_int_equal(start(comm, &value, 1, PSGD_F32, NULL), PSGD_ERR_ARGUMENT);
    assert_int_equal(comm->test(comm->context, NULL, &done), PSGD_ERR_ARGUMENT);
    assert_int_equal(comm->wait(comm->context, NULL), PSGD_ERR_ARGUMENT);

    /* None of these was a collective: the first one of both is to come. */
    assert_started(&p.comms[1], &value, &other);
    assert_int_equal(comm->test(comm->context, other, &done), PSGD_ERR_ARGUMENT); /* the other's */
    assert_int_equal(comm->wait(comm->context, other), PSGD_ERR_ARGUMENT);
    assert_int_equal(p.comms[1].test(p.comms[1].context, other, NULL), PSGD_ERR_ARGUMENT);
    float mine = 4;
    assert_int_equal(sum(comm, &mine, 1, PSGD_F32, BLOCKING), PSGD_OK);
    assert_true(mine == 5 && value == 1);
    assert_waited(&p.comms[1], other, PSGD_OK);
    assert_true(value == 5);
    psgd_threads_release(p.group);
}

static void joining_and_creation_check_their_arguments(void **state)
{
    (void)state;
    const double zero = 0;
    const double bad_limits[] = {0, -1, zero / zero};
    char message[256] = "";
    psgd_threads *group = NULL;
    psgd_comm comm;
    assert_int_equal(psgd_threads_create(NULL, 1, 1, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "group"));
    assert_int_equal(psgd_threads_create(&group, 0, 1, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "size"));
    assert_int_equal(psgd_threads_create(&group, PSGD_GROUP_MAX_SIZE + 1, 1, NULL, 0), PSGD_ERR_ARGUMENT);
    for (size_t i = 0; i < sizeof bad_limits / sizeof *bad_limits; i++) {
        assert_int_equal(psgd_threads_create(&group, 1, bad_limits[i], message, sizeof message), PSGD_ERR_ARGUMENT);
        assert_non_null(strstr(message, "timeout_seconds"));
    }
    assert_null(group);
    assert_int_equal(psgd_threads_create(&group, PSGD_GROUP_MAX_SIZE, 1e300, NULL, 0), PSGD_OK);
    const int32_t bad_ranks[] = {-1, PSGD_GROUP_MAX_SIZE};
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(psgd_threads_join(group, bad_ranks[i], &comm, message, sizeof message), PSGD_ERR_ARGUMENT);
        assert_non_null(strstr(message, "rank"));
    }
    assert_int_equal(psgd_threads_join(NULL, 0, &comm, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "group"));
    assert_int_equal(psgd_threads_join(group, 0, NULL, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "comm"));
    assert_int_equal(psgd_threads_join(group, 7, &comm, message, sizeof message), PSGD_OK);
    assert_int_equal(psgd_threads_join(group, 7, &comm, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "taken"));
    psgd_threads_release(group);
    psgd_threads_fail(NULL);
    psgd_threads_release(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_request_is_not_done_before_all_are_there),
        cmocka_unit_test(what_was_summed_succeeds_after_a_failure),
        cmocka_unit_test(ranks_that_disagree_fail_the_group),
        cmocka_unit_test(a_rank_that_leaves_fails_what_it_has_no_part_in),
        cmocka_unit_test(a_rank_that_does_not_come_meets_the_time_limit),
        cmocka_unit_test(requests_never_waited_for_are_released),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(joining_and_creation_check_their_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
