/* Tests of harness/runner_drive.c: what a port gets to see, and what is written down of it. The port is this file. */
#include "test_main.h"

#include "harness/runner_drive.h"
#include "psgd/comm.h"

typedef struct seen { /* what the port below was given; reset by each test */
    uintptr_t addresses[32];
    size_t calls;
    size_t creates, destroys, saves, loads;
    bool q_source_given;
    double q_sum;
    int fail_peek;   /* a psgd_status that peek returns */
    int fail_create; /* a psgd_status that create returns while a q_source is given */
} seen;

static seen the_seen;

struct psgd_state {
    psgd_config config;
    int64_t step;
};

static psgd_status port_create(const psgd_config *config, const psgd_comm *comm, psgd_state **state, char *message,
                               size_t message_size)
{
    (void)comm;
    (void)message;
    (void)message_size;
    the_seen.creates++;
    if (the_seen.fail_create != 0 && config->q_source != NULL)
        return (psgd_status)the_seen.fail_create;
    the_seen.q_source_given = config->q_source != NULL;
    *state = calloc(1, sizeof **state);
    (*state)->config = *config;
    return PSGD_OK;
}

static psgd_status port_step(psgd_state *state, const psgd_bucket *bucket)
{
    if (the_seen.calls < 32)
        the_seen.addresses[the_seen.calls] = (uintptr_t)bucket->data;
    the_seen.calls++;
    const psgd_q_source *q = state->config.q_source;
    float drawn[8];
    if (q != NULL && state->step == 2 && bucket->shapes[0].dims[0] == 9) {
        psgd_status status = q->draw(q->context, 2, 0, 0, PSGD_F32, 4, 2, drawn);
        if (status != PSGD_OK)
            return status;
        for (int i = 0; i < 8; i++)
            the_seen.q_sum += (double)drawn[i];
    }
    if (state->config.log != NULL && bucket->is_last)
        state->config.log(state->config.log_context, "a line");
    state->step += bucket->is_last ? 1 : 0;
    return PSGD_OK;
}

static void port_destroy(psgd_state *state)
{
    the_seen.destroys += state != NULL ? 1 : 0;
    free(state);
}

/* Says OK and writes nothing, or what the test wants. */
static psgd_status port_peek(const psgd_state *state, psgd_part part, size_t bucket, size_t tensor, void *data,
                             size_t bytes)
{
    (void)state;
    (void)part;
    (void)bucket;
    (void)tensor;
    (void)data;
    (void)bytes;
    return (psgd_status)the_seen.fail_peek;
}

static psgd_status port_save(const psgd_state *state, const char *path)
{
    (void)state;
    (void)path;
    the_seen.saves++;
    return PSGD_OK;
}

static psgd_status port_load(psgd_state *state, const char *path)
{
    (void)path;
    the_seen.loads++;
    state->step = 4;
    return PSGD_OK;
}

static const psgd_implementation port = {.struct_size = sizeof port,
                                         .abi = PSGD_ABI,
                                         .name = "port",
                                         .version = "1",
                                         .create = port_create,
                                         .step = port_step,
                                         .destroy = port_destroy,
                                         .peek = port_peek,
                                         .save = port_save,
                                         .load = port_load};

static trace *drive(const char *text, test_case *c, problem *p, bool seeded)
{
    problem_error error;
    char message[256] = "";
    assert_true(problem_parse(p, text, &error));
    assert_true(case_build(c, p, "test", "", 0, NULL, message, sizeof message));
    trace *t = trace_create(c->steps, c->bucket_count, c->tensor_counts, c->world);
    psgd_comm comm = psgd_comm_self();
    drive_options options = {.seeded = seeded, .folder = "."};
    if (!drive_case(t, c, &port, &comm, &options, message, sizeof message))
        fail_msg("%s", message);
    return t;
}

static void end(trace *t, test_case *c, problem *p)
{
    assert_int_equal(the_seen.destroys, the_seen.creates - (the_seen.fail_create != 0 ? 1 : 0));
    trace_free(t);
    case_free(c);
    problem_free(p);
}

static int reset(void **state)
{
    (void)state;
    the_seen = (seen){.fail_peek = PSGD_ERR_ARGUMENT};
    return 0;
}

static void test_buckets_are_misaligned_in_turn(void **state)
{
    (void)state;
    test_case c;
    problem p;
    trace *t = drive("W1/r2/i4/f64/[24x40;17]", &c, &p, false);
    size_t aligned = 0, element_only = 0;
    for (size_t i = 0; i < the_seen.calls; i++) {
        aligned += the_seen.addresses[i] % 64 == 0;
        element_only += the_seen.addresses[i] % 16 == 8;
    }
    assert_int_equal(the_seen.calls, 8);
    assert_int_equal(aligned + element_only, 8);
    assert_true(aligned > 0 && element_only > 0);
    end(t, &c, &p);
}

static void test_hands_out_the_cases_q(void **state)
{
    (void)state;
    test_case c;
    problem p;
    trace *t = drive("W1/r2/i4/f32/rate0/[9x4]", &c, &p, false);
    assert_int_equal(t->ranks[0].outcome, RANK_OK);
    const values *q = case_q0(&c, 2, 0, 0);
    double sum = 0;
    for (size_t i = 0; i < q->count; i++)
        sum += values_get(q, i);
    assert_int_equal(q->count, 8);
    assert_true(sum == the_seen.q_sum);
    end(t, &c, &p);
    (void)reset(NULL);
    t = drive("W1/r2/i4/f32/rate0/[9x4]", &c, &p, true);
    assert_false(the_seen.q_source_given);
    assert_false(t->q_given);
    end(t, &c, &p);
}

static void test_tries_without_q(void **state)
{
    (void)state;
    test_case c;
    problem p;
    the_seen.fail_create = PSGD_ERR_UNSUPPORTED;
    trace *t = drive("W1/r2/i4/f32/[24x40]", &c, &p, false);
    assert_int_equal(t->ranks[0].outcome, RANK_OK);
    assert_false(t->q_given);
    assert_int_equal(the_seen.creates, 2);
    end(t, &c, &p);
}

static void test_peeks_are_kept_or_not(void **state)
{
    (void)state;
    test_case c;
    problem p;
    trace *t = drive("W1/r2/i4/f32/[24x40]", &c, &p, false);
    assert_int_equal(t->ranks[0].outcome, RANK_OK);
    assert_null(trace_error(t, 2, 0, 0)->data); /* PSGD_ERR_ARGUMENT: not shown */
    end(t, &c, &p);
    (void)reset(NULL);
    the_seen.fail_peek = PSGD_OK;
    t = drive("W1/r2/i4/f32/[24x40]", &c, &p, false);
    assert_null(trace_error(t, 1, 0, 0)->data); /* a plain step */
    assert_int_equal(trace_error(t, 2, 0, 0)->count, 960);
    assert_int_equal(trace_p(t, 2, 0, 0)->count, 48);
    assert_int_equal(trace_q(t, 2, 0, 0)->count, 80);
    double nothing = values_get(trace_p(t, 2, 0, 0), 5);
    assert_true(nothing != nothing); /* an answer that wrote nothing is NaN */
    end(t, &c, &p);
    (void)reset(NULL);
    the_seen.fail_peek = PSGD_ERR_DEVICE;
    t = drive("W1/r2/i4/f32/[24x40]", &c, &p, false);
    assert_int_equal(t->ranks[0].outcome, RANK_ERROR);
    assert_int_equal(t->ranks[0].status, PSGD_ERR_DEVICE);
    assert_int_equal(t->ranks[0].steps_done, 2);
    end(t, &c, &p);
}

static void test_saves_and_loads_once(void **state)
{
    (void)state;
    test_case c;
    problem p;
    trace *t = drive("W1/r2/i6/f32/[24x40]/ckpt=3", &c, &p, true);
    assert_int_equal(the_seen.saves, 1);
    assert_int_equal(the_seen.loads, 1);
    assert_int_equal(the_seen.creates, 2);
    assert_int_equal(t->ranks[0].steps_done, 6);
    end(t, &c, &p);
}

static void test_log_lines_carry_their_step(void **state)
{
    (void)state;
    test_case c;
    problem p;
    trace *t = drive("W1/r2/i4/f32/[24x40;17]", &c, &p, true);
    assert_true(t->has_log);
    assert_int_equal(t->log_count, 4);
    assert_string_equal(t->log[3], "3\ta line");
    end(t, &c, &p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_buckets_are_misaligned_in_turn, reset),
        cmocka_unit_test_setup(test_hands_out_the_cases_q, reset),
        cmocka_unit_test_setup(test_tries_without_q, reset),
        cmocka_unit_test_setup(test_peeks_are_kept_or_not, reset),
        cmocka_unit_test_setup(test_saves_and_loads_once, reset),
        cmocka_unit_test_setup(test_log_lines_carry_their_step, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
