/* Tests of comm/self.c: a group of one leaves data as they are and refuses what a larger group refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "psgd/comm.h"

static void the_sum_of_one_is_itself(void **state)
{
    (void)state;
    psgd_comm comm = psgd_comm_self();
    assert_int_equal(comm.struct_size, sizeof comm);
    assert_int_equal(comm.flags, 0);
    assert_int_equal(comm.rank, 0);
    assert_int_equal(comm.size, 1);
    float f32[3] = {1.5f, -0.0f, 3e38f};
    const float before[3] = {1.5f, -0.0f, 3e38f};
    assert_int_equal(comm.allreduce_sum(comm.context, f32, 3, PSGD_F32), PSGD_OK);
    assert_memory_equal(f32, before, sizeof before);
    uint16_t half[2] = {0x3c00, 0xfc00};
    assert_int_equal(comm.allreduce_sum(comm.context, half, 2, PSGD_F16), PSGD_OK);
    assert_int_equal(comm.allreduce_sum(comm.context, half, 2, PSGD_BF16), PSGD_OK);
    assert_int_equal(half[0], 0x3c00);
    assert_int_equal(half[1], 0xfc00);
    assert_int_equal(comm.allreduce_sum(comm.context, NULL, 0, PSGD_F64), PSGD_OK);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    psgd_comm comm = psgd_comm_self();
    float value = 1;
    assert_int_equal(comm.allreduce_sum(comm.context, NULL, 1, PSGD_F32), PSGD_ERR_ARGUMENT);
    assert_int_equal(comm.allreduce_sum(comm.context, &value, 1, (psgd_dtype)0), PSGD_ERR_ARGUMENT);
    assert_int_equal(comm.allreduce_sum(comm.context, &value, 1, (psgd_dtype)99), PSGD_ERR_ARGUMENT);
}

static void non_blocking_calls_are_not_offered(void **state)
{
    (void)state;
    psgd_comm comm = psgd_comm_self();
    assert_null(comm.start_allreduce_sum);
    assert_null(comm.test);
    assert_null(comm.wait);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sum_of_one_is_itself),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(non_blocking_calls_are_not_offered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
