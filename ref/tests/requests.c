/* requests.c: submit and wait: the same results as step, and the rules of psgd.h between the two. */
#include "support.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const psgd_implementation *ref;

enum { NUMEL = 57 };
static const size_t usual[2][2] = {{10, 5}, {7, 0}};

/* One rank, two buckets a step; bucket 1 is the last. */
typedef struct fixture {
    lone_rank lone;
    psgd_comm comm;
    psgd_config config;
    psgd_state *state;
    double data[2][NUMEL];
    test_bucket b[2];
} fixture;

static void start(fixture *f, psgd_variant variant)
{
    f->comm = lone_rank_comm(&f->lone);
    f->config = make_config(2, 1);
    f->config.variant = variant;
    f->state = make_state(&f->config, &f->comm);
    for (size_t i = 0; i < 2; i++) {
        make_bucket(&f->b[i], PSGD_F64, f->data[i], 2, usual);
        f->b[i].bucket.index = i;
        f->b[i].bucket.is_last = i == 1;
    }
}

static void fill_both(fixture *f, int t)
{
    for (size_t i = 0; i < 2; i++) {
        fill_f64(f->data[i], NUMEL, (uint64_t)t * 2 + i);
    }
}

static void run_with_step(fixture *f, int from, int to)
{
    for (int t = from; t < to; t++) {
        fill_both(f, t);
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal(ref->step(f->state, &f->b[i].bucket), PSGD_OK);
        }
    }
}

static void submit_and_wait_are_a_step(void **unused)
{
    (void)unused;
    const psgd_variant variants[] = {PSGD_LAYERWISE, PSGD_FLATTENED};
    for (int which = 0; which < 4; which++) {
        fixture stepped, submitted;
        start(&stepped, variants[which % 2]);
        start(&submitted, variants[which % 2]);
        for (int t = 0; t < 5; t++) {
            run_with_step(&stepped, t, t + 1);
            fill_both(&submitted, t);
            psgd_request *requests[2] = {NULL, NULL};
            for (size_t i = 0; i < 2; i++) {
                assert_int_equal(ref->submit(submitted.state, &submitted.b[i].bucket, &requests[i]), PSGD_OK);
                assert_non_null(requests[i]);
            }
            for (size_t i = 0; i < 2; i++) { /* in either order */
                assert_int_equal(ref->wait(submitted.state, requests[which < 2 ? i : 1 - i]), PSGD_OK);
            }
            assert_memory_equal(stepped.data, submitted.data, sizeof stepped.data);
            psgd_statistics a, b;
            assert_int_equal(ref->statistics(stepped.state, &a), PSGD_OK);
            assert_int_equal(ref->statistics(submitted.state, &b), PSGD_OK);
            assert_memory_equal(&a, &b, sizeof a);
        }
        ref->destroy(stepped.state);
        ref->destroy(submitted.state);
    }
}

/* The status, and a message that says that a request is pending. */
static void assert_pending(const fixture *f, psgd_status status, const char *named)
{
    if (status != PSGD_ERR_ARGUMENT || !strstr(ref->last_error(f->state), "pending") ||
        !strstr(ref->last_error(f->state), named)) {
        fail_msg("%s: %s", psgd_status_name(status), ref->last_error(f->state));
    }
}

static void while_a_request_is_pending(void **unused)
{
    (void)unused;
    char path[80];
    snprintf(path, sizeof path, "requests-%ld.safetensors", (long)getpid());
    fixture f, undisturbed;
    start(&f, PSGD_LAYERWISE);
    start(&undisturbed, PSGD_LAYERWISE);
    run_with_step(&f, 0, 3);
    run_with_step(&undisturbed, 0, 4);
    fill_both(&f, 3);

    psgd_request *first, *second, *refused = (psgd_request *)&f;
    assert_int_equal(ref->submit(f.state, &f.b[0].bucket, &first), PSGD_OK);
    double before[NUMEL], values[NUMEL];
    psgd_statistics statistics;
    int calls = f.lone.calls;
    memcpy(before, f.data[1], sizeof before);
    assert_pending(&f, ref->submit(f.state, &f.b[0].bucket, &refused), "bucket 0");
    assert_null(refused);
    assert_pending(&f, ref->step(f.state, &f.b[1].bucket), "step");
    assert_pending(&f, ref->peek(f.state, PSGD_PART_ERROR, 0, 0, values, sizeof values), "peek");
    assert_pending(&f, ref->statistics(f.state, &statistics), "statistics");
    assert_pending(&f, ref->save(f.state, path), "save");
    assert_null(fopen(path, "rb"));
    assert_pending(&f, ref->load(f.state, path), "load");
    assert_memory_equal(f.data[1], before, sizeof before);
    assert_int_equal(f.lone.calls, calls);

    /* Another bucket may be submitted meanwhile; the counter advances with it: bucket 0 again is the next iteration. */
    assert_int_equal(ref->submit(f.state, &f.b[1].bucket, &second), PSGD_OK);
    assert_int_equal(ref->wait(f.state, first), PSGD_OK);
    assert_pending(&f, ref->statistics(f.state, &statistics), "statistics");
    assert_memory_equal(f.data[0], undisturbed.data[0], sizeof f.data[0]);
    run_with_step(&undisturbed, 4, 5);
    fill_f64(f.data[0], NUMEL, 8);
    assert_int_equal(ref->submit(f.state, &f.b[0].bucket, &first), PSGD_OK);
    assert_int_equal(ref->wait(f.state, second), PSGD_OK);
    assert_int_equal(ref->wait(f.state, first), PSGD_OK);
    assert_memory_equal(f.data[0], undisturbed.data[0], sizeof f.data[0]);
    fill_f64(f.data[1], NUMEL, 9);
    assert_int_equal(ref->step(f.state, &f.b[1].bucket), PSGD_OK);
    assert_memory_equal(f.data, undisturbed.data, sizeof f.data);
    ref->destroy(f.state);
    ref->destroy(undisturbed.state);
}

/* With one plain step to go, submitting the last bucket ends the plain phase though nobody has waited yet. */
static void the_counter_advances_at_submit(void **unused)
{
    (void)unused;
    fixture f;
    start(&f, PSGD_LAYERWISE);
    run_with_step(&f, 0, 1);
    psgd_request *requests[3];
    fill_both(&f, 1);
    assert_int_equal(ref->submit(f.state, &f.b[0].bucket, &requests[0]), PSGD_OK);
    assert_int_equal(ref->submit(f.state, &f.b[1].bucket, &requests[1]), PSGD_OK);
    assert_int_equal(f.lone.calls, 4);
    assert_int_equal(ref->wait(f.state, requests[0]), PSGD_OK);
    assert_int_equal(ref->submit(f.state, &f.b[0].bucket, &requests[2]), PSGD_OK);
    assert_int_equal(f.lone.calls, 4 + 3); /* a compressed step */
    ref->destroy(f.state);                 /* with two pending */
}

static void bad_requests(void **unused)
{
    (void)unused;
    fixture f, other;
    start(&f, PSGD_LAYERWISE);
    start(&other, PSGD_LAYERWISE);
    fill_both(&f, 0);
    fill_both(&other, 0);
    psgd_request *own, *foreign;
    assert_int_equal(ref->wait(f.state, NULL), PSGD_ERR_ARGUMENT);
    assert_string_equal(ref->last_error(f.state), "request is null");
    assert_int_equal(ref->submit(f.state, &f.b[0].bucket, NULL), PSGD_ERR_ARGUMENT);
    assert_string_equal(ref->last_error(f.state), "request is null");
    assert_int_equal(ref->submit(f.state, NULL, &own), PSGD_ERR_ARGUMENT);
    assert_null(own);
    assert_int_equal(f.lone.calls, 0);
    assert_int_equal(ref->submit(f.state, &f.b[0].bucket, &own), PSGD_OK);
    assert_int_equal(ref->submit(other.state, &other.b[0].bucket, &foreign), PSGD_OK);
    assert_int_equal(ref->wait(f.state, foreign), PSGD_ERR_ARGUMENT);
    assert_non_null(strstr(ref->last_error(f.state), "not pending"));
    assert_int_equal(ref->wait(f.state, own), PSGD_OK);
    assert_int_equal(ref->wait(f.state, own), PSGD_ERR_ARGUMENT);
    assert_int_equal(ref->wait(other.state, foreign), PSGD_OK); /* was not harmed */
    assert_int_equal(ref->wait(NULL, own), PSGD_ERR_ARGUMENT);
    ref->destroy(f.state);
    ref->destroy(other.state);
}

static void a_broken_state_gives_requests_back(void **unused)
{
    (void)unused;
    char path[80];
    snprintf(path, sizeof path, "requests-%ld.safetensors", (long)getpid());
    fixture f;
    start(&f, PSGD_LAYERWISE);
    run_with_step(&f, 0, 3);
    assert_int_equal(ref->save(f.state, path), PSGD_OK);
    fill_both(&f, 3);
    psgd_request *pending, *failed = (psgd_request *)&f;
    assert_int_equal(ref->submit(f.state, &f.b[0].bucket, &pending), PSGD_OK);
    f.lone.fail_at = f.lone.calls + 2;
    assert_int_equal(ref->submit(f.state, &f.b[1].bucket, &failed), PSGD_ERR_COMM);
    assert_null(failed);
    assert_int_equal(ref->submit(f.state, &f.b[1].bucket, &failed), PSGD_ERR_BROKEN);
    assert_null(failed);
    assert_pending(&f, ref->load(f.state, path), "load");
    assert_int_equal(ref->wait(f.state, pending), PSGD_ERR_BROKEN);
    assert_int_equal(ref->wait(f.state, pending), PSGD_ERR_ARGUMENT);
    assert_int_equal(ref->load(f.state, path), PSGD_OK);
    run_with_step(&f, 3, 4);
    ref->destroy(f.state);
    remove(path);
}

int main(void)
{
    ref = psgd_ref();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(submit_and_wait_are_a_step),         cmocka_unit_test(while_a_request_is_pending),
        cmocka_unit_test(the_counter_advances_at_submit),     cmocka_unit_test(bad_requests),
        cmocka_unit_test(a_broken_state_gives_requests_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
