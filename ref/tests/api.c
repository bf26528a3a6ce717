/* api.c: the table itself, and what create refuses. */
#include "support.h"

#include <locale.h>
#include <math.h>
#include <string.h>

#include "core/number.h"

static void the_table(void **unused)
{
    (void)unused;
    const psgd_implementation *ref = psgd_ref();
    assert_int_equal(ref->struct_size, sizeof *ref);
    assert_int_equal(ref->abi, PSGD_ABI);
    assert_string_equal(ref->name, "ref");
    assert_true(strlen(ref->version) > 0);
    assert_non_null(ref->submit);
    assert_non_null(ref->wait);
    assert_null(ref->memory);
    assert_int_equal(ref->claims, (PSGD_CLAIM_ALTERNATING - 1)); /* all but that one */
}

static void null_states(void **unused)
{
    (void)unused;
    const psgd_implementation *ref = psgd_ref();
    psgd_statistics statistics;
    double value;
    assert_int_equal(ref->step(NULL, NULL), PSGD_ERR_ARGUMENT);
    assert_int_equal(ref->peek(NULL, PSGD_PART_P, 0, 0, &value, 8), PSGD_ERR_ARGUMENT);
    assert_int_equal(ref->statistics(NULL, &statistics), PSGD_ERR_ARGUMENT);
    assert_int_equal(ref->save(NULL, "x"), PSGD_ERR_ARGUMENT);
    assert_int_equal(ref->load(NULL, "x"), PSGD_ERR_ARGUMENT);
    psgd_request *request = (psgd_request *)&value;
    assert_int_equal(ref->submit(NULL, NULL, &request), PSGD_ERR_ARGUMENT);
    assert_null(request);
    assert_int_equal(ref->wait(NULL, (psgd_request *)&value), PSGD_ERR_ARGUMENT);
    assert_non_null(ref->last_error(NULL));
    ref->destroy(NULL);
}

static void null_arguments(void **unused)
{
    (void)unused;
    const psgd_implementation *ref = psgd_ref();
    lone_rank lone;
    psgd_comm comm = lone_rank_comm(&lone);
    psgd_config config = psgd_config_default();
    psgd_state *state = make_state(&config, &comm);
    assert_string_equal(ref->last_error(state), "");
    assert_int_equal(ref->statistics(state, NULL), PSGD_ERR_ARGUMENT);
    assert_string_equal(ref->last_error(state), "statistics is null");
    assert_int_equal(ref->save(state, NULL), PSGD_ERR_ARGUMENT);
    assert_string_equal(ref->last_error(state), "path is null");
    assert_int_equal(ref->load(state, NULL), PSGD_ERR_ARGUMENT);
    ref->destroy(state);
}

static void create_refuses(void **unused)
{
    (void)unused;
    const psgd_implementation *ref = psgd_ref();
    const psgd_config good = make_config(1, 2);
    lone_rank lone;
    const psgd_comm group = lone_rank_comm(&lone);
    const psgd_q_source empty = {NULL, NULL};
    for (int which = 0; which < 15; which++) {
        psgd_config config = good;
        psgd_comm comm = group;
        psgd_status expected = PSGD_ERR_ARGUMENT;
        const char *named = "";
        switch (which) {
        case 0: config.matrix_approximation_rank = 0, named = "matrix_approximation_rank"; break;
        case 1: config.min_compression_rate = NAN, named = "min_compression_rate"; break;
        case 2: config.min_compression_rate = -1, named = "min_compression_rate"; break;
        case 3: config.orthogonalization_epsilon = INFINITY, named = "orthogonalization_epsilon"; break;
        case 4: config.orthogonalization_epsilon = -1e-8, named = "orthogonalization_epsilon"; break;
        case 5: config.start_iter = -1, named = "start_iter"; break;
        case 6: config.start_iter = 1, named = "start_iter", expected = PSGD_ERR_CONFIG; break;
        case 7: config.variant = 3, named = "variant"; break;
        case 8: config.variant = 0, named = "variant"; break;
        case 9: config.q_source = &empty, named = "q_source"; break;
        case 10: comm.rank = 1, named = "rank"; break;
        case 11: comm.size = 0, named = "size"; break;
        case 12: comm.allreduce_sum = NULL, named = "allreduce_sum"; break;
        case 13: comm.flags = PSGD_COMM_DEVICE, named = "flags", expected = PSGD_ERR_UNSUPPORTED; break;
        default: config.struct_size = 0, named = "struct_size"; break;
        }
        psgd_state *state = (psgd_state *)&comm;
        char message[128] = "";
        assert_int_equal(ref->create(&config, &comm, &state, message, sizeof message), expected);
        assert_null(state);
        assert_non_null(strstr(message, named));
        assert_int_equal(ref->create(&config, &comm, &state, NULL, 0), expected);
    }
    psgd_state *state;
    char message[128] = "";
    assert_int_equal(ref->create(NULL, &group, &state, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "config"));
    assert_int_equal(ref->create(&good, NULL, &state, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(message, "comm"));
    assert_int_equal(ref->create(&good, &group, NULL, message, sizeof message), PSGD_ERR_ARGUMENT);
    assert_string_equal(message, "state is null");
}

/* An older caller's configuration ends before q_source: the rest takes its defaults, whatever lies behind it. */
static void shorter_structs_are_honoured(void **unused)
{
    (void)unused;
    lone_rank lone;
    psgd_comm comm = lone_rank_comm(&lone);
    psgd_config config = make_config(1, 2);
    config.struct_size = (uint32_t)offsetof(psgd_config, q_source);
    config.q_source = (const psgd_q_source *)1;
    psgd_state *state = make_state(&config, &comm);
    double data[50];
    test_bucket b;
    make_bucket(&b, PSGD_F64, data, 1, (const size_t[][2]){{10, 5}});
    for (uint64_t t = 0; t < 3; t++) {
        fill_f64(data, 50, t);
        assert_int_equal(psgd_ref()->step(state, &b.bucket), PSGD_OK);
    }
    psgd_ref()->destroy(state);
}

static void doubles_as_text(void **unused)
{
    (void)unused;
    char text[32];
    const struct {
        double value;
        const char *expected;
    } cases[] = {
        {2, "2"}, {0.1, "0.1"}, {1. / 3, "0.3333333333333333"}, {1e-8, "1e-08"}, {0.1 + 0.2, "0.30000000000000004"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        psgd_format_double(text, sizeof text, cases[i].value);
        assert_string_equal(text, cases[i].expected);
    }
    /* Where they are installed: a comma, and a decimal point of two bytes. */
    const char *const locales[] = {"de_DE.UTF-8", "ps_AF.UTF-8"};
    for (size_t i = 0; i < sizeof locales / sizeof locales[0]; i++) {
        if (setlocale(LC_NUMERIC, locales[i])) {
            psgd_format_double(text, sizeof text, 0.1);
            setlocale(LC_NUMERIC, "C");
            assert_string_equal(text, "0.1");
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table),       cmocka_unit_test(null_states),
        cmocka_unit_test(null_arguments),  cmocka_unit_test(create_refuses),
        cmocka_unit_test(doubles_as_text), cmocka_unit_test(shorter_structs_are_honoured),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
