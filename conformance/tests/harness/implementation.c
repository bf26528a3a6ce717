/* Tests of harness/implementation.c: each way in which a file can fail to be a port has its own message. */
#include "harness/implementation.h"

#include "test_main.h"

static char text[1024];

static const char *refusal(const char *name)
{
    implementation impl;
    text[0] = '\0';
    assert_false(implementation_load(&impl, name, text, sizeof text));
    assert_null(impl.table);
    return text;
}

static void holds(const char *message, const char *part)
{
    if (strstr(message, part) == NULL)
        fail_msg("'%s' does not say '%s'", message, part);
}

static void test_loads_an_honest_port(void **state)
{
    (void)state;
    implementation impl;
    assert_true(implementation_load(&impl, PLUGINS "/honest_mean.so", text, sizeof text));
    assert_string_equal(impl.table->name, "honest_mean");
    assert_null(impl.option);
    implementation_unload(&impl);
    assert_null(impl.handle);
}

static void test_names_what_it_looked_for(void **state)
{
    (void)state;
    holds(refusal("no-such-port"), "neither one of ref, faulty:NAME, honest:NAME nor");
    holds(refusal("/nowhere/port.so"), "/nowhere/port.so");
    holds(refusal("cuda-emu"), "psgd-cuda-emu.so");
    holds(refusal("faulty"), "faulty:NAME");
    holds(refusal("faulty:"), "faulty:NAME");
    holds(refusal("ref:x"), "takes nothing after a colon");
    holds(refusal("/tmp"), "not a regular file");
}

static void test_says_why_a_file_is_no_port(void **state)
{
    (void)state;
    holds(refusal(__FILE__), "not a shared object");
    holds(refusal("/dev/null"), "not a regular file");
    holds(refusal(PLUGINS "/no_symbol.so"), "no symbol psgd_implementation_entry");
    holds(refusal(PLUGINS "/null_entry.so"), "returned null");
    holds(refusal(PLUGINS "/other_abi.so"), "ABI 42");
    holds(text, "ABI 1");
    holds(refusal(PLUGINS "/small_table.so"), "struct_size");
    holds(refusal(PLUGINS "/null_step.so"), "step is null");
    holds(refusal(PLUGINS "/null_name.so"), "name is null");
}

static void test_a_short_table_offers_nothing_optional(void **state)
{
    (void)state;
    implementation impl;
    assert_true(implementation_load(&impl, PLUGINS "/honest_mean.so", text, sizeof text));
    psgd_implementation wide = *impl.table, copy;
    wide.peek = (psgd_status(*)(const psgd_state *, psgd_part, size_t, size_t, void *, size_t))1;
    wide.statistics = (psgd_status(*)(const psgd_state *, psgd_statistics *))1;
    wide.struct_size = (uint32_t)offsetof(psgd_implementation, statistics) + 4; /* cut in the middle */
    implementation_table_copy(&copy, &wide);
    assert_non_null((void *)(uintptr_t)copy.peek);
    assert_null((void *)(uintptr_t)copy.statistics);
    assert_null((void *)(uintptr_t)copy.last_error);
    assert_null(copy.memory);
    assert_int_equal(copy.struct_size, sizeof copy);
    implementation_unload(&impl);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_loads_an_honest_port),
        cmocka_unit_test(test_names_what_it_looked_for),
        cmocka_unit_test(test_says_why_a_file_is_no_port),
        cmocka_unit_test(test_a_short_table_offers_nothing_optional),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
