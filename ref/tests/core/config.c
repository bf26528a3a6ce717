/* Tests of core/config.h. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "core/config.h"

enum { message_size = 200 };

/* ---- psgd_config ---- */

static void defaults_are_those_of_the_hook(void **state)
{
    (void)state;
    const psgd_config c = psgd_config_default();
    assert_int_equal(c.variant, PSGD_LAYERWISE);
    assert_int_equal(c.matrix_approximation_rank, 1);
    assert_int_equal(c.start_iter, 1000);
    assert_true(c.min_compression_rate == 2);
    assert_true(c.orthogonalization_epsilon == 0);
    assert_true(c.use_error_feedback && c.warm_start);
    assert_false(c.batch_tensors_with_same_shape);
    assert_int_equal(c.random_seed, 0);
    assert_int_equal(c.compression_stats_logging_frequency, 10000);
    assert_null(c.q_source);
    assert_null(c.log);
    psgd_config checked;
    assert_int_equal(psgd_config_check(&checked, &c, NULL, 0), PSGD_OK);
    assert_memory_equal(&checked, &c, sizeof c);
}

/* What the tests below start from. */
static psgd_config small(void)
{
    psgd_config c = psgd_config_default();
    c.start_iter = 2;
    return c;
}

static void expect(const psgd_config *config, psgd_status status, const char *message_part)
{
    char message[message_size] = "";
    psgd_config checked;
    memset(&checked, 0x5a, sizeof checked);
    psgd_config untouched = checked;
    assert_int_equal(psgd_config_check(&checked, config, message, sizeof message), status);
    if (status == PSGD_OK) {
        assert_string_equal(message, "");
    } else {
        assert_non_null(strstr(message, message_part));
        assert_memory_equal(&checked, &untouched, sizeof checked);
    }
}

static void fields_out_of_range(void **state)
{
    (void)state;
    expect(NULL, PSGD_ERR_ARGUMENT, "config is null");
    psgd_config c = small();
    expect(&c, PSGD_OK, "");
    c.variant = 3;
    expect(&c, PSGD_ERR_ARGUMENT, "config.variant is 3");
    c.variant = PSGD_FLATTENED;
    expect(&c, PSGD_OK, "");
    c.matrix_approximation_rank = 0;
    expect(&c, PSGD_ERR_ARGUMENT, "config.matrix_approximation_rank is 0");
    c.matrix_approximation_rank = INT64_MIN;
    expect(&c, PSGD_ERR_ARGUMENT, "config.matrix_approximation_rank is -9223372036854775808");
    c.matrix_approximation_rank = INT64_MAX;
    expect(&c, PSGD_OK, "");
    c.start_iter = -1;
    expect(&c, PSGD_ERR_ARGUMENT, "config.start_iter is -1");
}

static void rate_and_epsilon_are_finite_and_not_negative(void **state)
{
    (void)state;
    const double bad[] = {-1, -1e-300, (double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        psgd_config c = small();
        c.min_compression_rate = bad[i];
        expect(&c, PSGD_ERR_ARGUMENT, "config.min_compression_rate is ");
        c = small();
        c.orthogonalization_epsilon = bad[i];
        expect(&c, PSGD_ERR_ARGUMENT, "config.orthogonalization_epsilon is ");
    }
    psgd_config c = small();
    c.min_compression_rate = 0;
    c.orthogonalization_epsilon = 0.3;
    expect(&c, PSGD_OK, "");
}

static void early_start_needs_both_memories_off(void **state)
{
    (void)state;
    for (int start = 0; start <= 2; start++) {
        for (int memories = 0; memories < 4; memories++) {
            psgd_config c = small();
            c.start_iter = start;
            c.use_error_feedback = (memories & 1) != 0;
            c.warm_start = (memories & 2) != 0;
            const bool contradiction = start <= 1 && memories != 0;
            expect(&c, contradiction ? PSGD_ERR_CONFIG : PSGD_OK,
                   start == 0 ? "config.start_iter is 0" : "config.start_iter is 1");
        }
    }
}

static void statistics_interval_is_at_least_one(void **state)
{
    (void)state;
    static const int64_t given[] = {INT64_MIN, -1, 0, 1, 7}, effective[] = {1, 1, 1, 1, 7};
    for (size_t i = 0; i < 5; i++) {
        psgd_config c = small(), checked;
        c.compression_stats_logging_frequency = given[i];
        assert_int_equal(psgd_config_check(&checked, &c, NULL, 0), PSGD_OK);
        assert_int_equal(checked.compression_stats_logging_frequency, effective[i]);
    }
}

static void q_source_needs_its_function(void **state)
{
    (void)state;
    const psgd_q_source empty = {NULL, NULL};
    psgd_config c = small();
    c.q_source = &empty;
    expect(&c, PSGD_ERR_ARGUMENT, "config.q_source->draw");
}

/* An older caller's structure ends before some field: from there on, defaults. A field cut in the middle is absent. */
static void smaller_struct_takes_defaults(void **state)
{
    (void)state;
    psgd_config c = small(), checked;
    c.variant = PSGD_FLATTENED;
    c.matrix_approximation_rank = 4;
    c.min_compression_rate = 8;
    c.warm_start = false;
    c.random_seed = 99;
    c.compression_stats_logging_frequency = 5;

    c.struct_size = offsetof(psgd_config, warm_start);
    assert_int_equal(psgd_config_check(&checked, &c, NULL, 0), PSGD_OK);
    assert_true(checked.min_compression_rate == 8 && checked.warm_start && checked.random_seed == 0);
    assert_int_equal(checked.compression_stats_logging_frequency, 10000);
    assert_int_equal(checked.struct_size, sizeof checked);

    c.struct_size = offsetof(psgd_config, random_seed) + 3;
    assert_int_equal(psgd_config_check(&checked, &c, NULL, 0), PSGD_OK);
    assert_true(!checked.warm_start && checked.random_seed == 0);

    c.struct_size = offsetof(psgd_config, random_seed) + 4;
    assert_int_equal(psgd_config_check(&checked, &c, NULL, 0), PSGD_OK);
    assert_int_equal(checked.random_seed, 99);

    c.struct_size = offsetof(psgd_config, matrix_approximation_rank);
    assert_int_equal(psgd_config_check(&checked, &c, NULL, 0), PSGD_OK);
    assert_int_equal(checked.variant, PSGD_FLATTENED);
    assert_int_equal(checked.start_iter, 1000);

    c.struct_size = 0;
    expect(&c, PSGD_ERR_ARGUMENT, "config.struct_size is 0");
    c.struct_size = 7;
    expect(&c, PSGD_ERR_ARGUMENT, "config.struct_size is 7");
}

/* A newer caller's structure is longer; what we know of it counts. */
static void larger_struct_is_accepted(void **state)
{
    (void)state;
    struct {
        psgd_config config;
        char more[16];
    } newer = {.config = small(), .more = "later fields"};
    newer.config.struct_size = sizeof newer;
    newer.config.random_seed = 3;
    psgd_config checked;
    assert_int_equal(psgd_config_check(&checked, &newer.config, NULL, 0), PSGD_OK);
    assert_int_equal(checked.struct_size, sizeof checked);
    assert_int_equal(checked.random_seed, 3);
}

/* ---- psgd_comm ---- */

static psgd_status reduce(void *context, void *data, size_t count, psgd_dtype dtype)
{
    (void)context, (void)data, (void)count, (void)dtype;
    return PSGD_OK;
}

static psgd_status start(void *context, void *data, size_t count, psgd_dtype dtype, void **request)
{
    (void)request;
    return reduce(context, data, count, dtype);
}

static psgd_status test(void *context, void *request, bool *done)
{
    (void)context, (void)request;
    *done = true;
    return PSGD_OK;
}

static psgd_status wait_for(void *context, void *request)
{
    (void)context, (void)request;
    return PSGD_OK;
}

static psgd_comm good_comm(void)
{
    return (psgd_comm){.struct_size = sizeof(psgd_comm), .rank = 1, .size = 3, .allreduce_sum = reduce};
}

static void expect_comm(const psgd_comm *comm, psgd_status status, const char *message_part)
{
    char message[message_size] = "";
    psgd_comm checked;
    assert_int_equal(psgd_comm_check(&checked, comm, message, sizeof message), status);
    assert_non_null(strstr(message, message_part));
}

static void comm_fields(void **state)
{
    (void)state;
    expect_comm(NULL, PSGD_ERR_ARGUMENT, "comm is null");
    psgd_comm c = good_comm();
    expect_comm(&c, PSGD_OK, "");
    c.size = 0;
    expect_comm(&c, PSGD_ERR_ARGUMENT, "comm.size is 0");
    c = good_comm();
    c.rank = 3;
    expect_comm(&c, PSGD_ERR_ARGUMENT, "comm.rank is 3");
    c.rank = -1;
    expect_comm(&c, PSGD_ERR_ARGUMENT, "comm.rank is -1");
    c = good_comm();
    c.allreduce_sum = NULL;
    expect_comm(&c, PSGD_ERR_ARGUMENT, "comm.allreduce_sum is null");
    c = good_comm();
    c.struct_size = offsetof(psgd_comm, allreduce_sum);
    expect_comm(&c, PSGD_ERR_ARGUMENT, "comm.struct_size is ");
}

static void non_blocking_functions_come_together(void **state)
{
    (void)state;
    for (int there = 0; there < 8; there++) {
        psgd_comm c = good_comm();
        c.start_allreduce_sum = (there & 1) != 0 ? start : NULL;
        c.test = (there & 2) != 0 ? test : NULL;
        c.wait = (there & 4) != 0 ? wait_for : NULL;
        const bool good = there == 0 || there == 7;
        expect_comm(&c, good ? PSGD_OK : PSGD_ERR_ARGUMENT, good ? "" : "comm.start_allreduce_sum, test and wait");
    }
}

static void smaller_comm_has_no_non_blocking_functions(void **state)
{
    (void)state;
    psgd_comm c = good_comm(), checked;
    int context;
    c.context = &context;
    c.start_allreduce_sum = start; /* beyond the size: not there, and so no half of a set */
    c.struct_size = offsetof(psgd_comm, start_allreduce_sum);
    assert_int_equal(psgd_comm_check(&checked, &c, NULL, 0), PSGD_OK);
    assert_null(checked.start_allreduce_sum);
    assert_ptr_equal(checked.context, &context);
    assert_int_equal(checked.struct_size, sizeof checked);
}

/* ---- psgd_fail ---- */

static void fail_cuts_and_tolerates_null(void **state)
{
    (void)state;
    char small_message[4] = "xyz";
    assert_int_equal(psgd_fail(PSGD_ERR_IO, small_message, sizeof small_message, "%d and more", 12), PSGD_ERR_IO);
    assert_string_equal(small_message, "12 ");
    assert_int_equal(psgd_fail(PSGD_ERR_IO, small_message, 0, "nothing"), PSGD_ERR_IO);
    assert_string_equal(small_message, "12 ");
    assert_int_equal(psgd_fail(PSGD_ERR_COMM, NULL, 10, "nothing"), PSGD_ERR_COMM);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_are_those_of_the_hook),
        cmocka_unit_test(fields_out_of_range),
        cmocka_unit_test(rate_and_epsilon_are_finite_and_not_negative),
        cmocka_unit_test(early_start_needs_both_memories_off),
        cmocka_unit_test(statistics_interval_is_at_least_one),
        cmocka_unit_test(q_source_needs_its_function),
        cmocka_unit_test(smaller_struct_takes_defaults),
        cmocka_unit_test(larger_struct_is_accepted),
        cmocka_unit_test(comm_fields),
        cmocka_unit_test(non_blocking_functions_come_together),
        cmocka_unit_test(smaller_comm_has_no_non_blocking_functions),
        cmocka_unit_test(fail_cuts_and_tolerates_null),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
