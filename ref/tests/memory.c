/* memory.c: every allocation of create, step, submit, save and load, in both variants, fails in turn: PSGD_ERR_MEMORY,
 * nothing changed, nothing lost. Linked with -Wl,--wrap=malloc and so on: the library's own calls come here. */
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

static long countdown; /* allocations until one fails; 0: none will */
static long live;      /* blocks that came from here and are not freed */
static void *blocks_of_ours[4096];

static bool fails_now(void)
{
    return countdown > 0 && --countdown == 0;
}

/* Replaces old (null: a free place) by block in the table. What jansson allocated itself and the library frees isn't in
 * it. */
static void note(const void *old, void *block)
{
    for (size_t i = 0; i < sizeof blocks_of_ours / sizeof blocks_of_ours[0]; i++) {
        if (blocks_of_ours[i] == old) {
            blocks_of_ours[i] = block;
            live += (block != NULL) - (old != NULL);
            return;
        }
    }
}

void *__wrap_malloc(size_t size)
{
    void *block = fails_now() ? NULL : __real_malloc(size);
    note(NULL, block);
    return block;
}

void *__wrap_calloc(size_t count, size_t size)
{
    void *block = fails_now() ? NULL : __real_calloc(count, size);
    note(NULL, block);
    return block;
}

void *__wrap_realloc(void *old, size_t size)
{
    if (fails_now()) {
        return NULL;
    }
    uintptr_t place = (uintptr_t)old; /* the pointer itself is of no use once realloc is through */
    void *block = __real_realloc(old, size);
    if (block) {
        note((const void *)place, block);
    }
    return block;
}

void __wrap_free(void *block)
{
    if (block) {
        note(block, NULL);
    }
    __real_free(block);
}

static const psgd_implementation *ref;
static char path[64];
static lone_rank lone;
static double data[57];
static test_bucket b;
static psgd_variant variant;
static psgd_dtype dtype;
static psgd_request *request;

static psgd_status do_create(psgd_state **state)
{
    static psgd_comm comm;
    psgd_config config = make_config(3, 1);
    config.variant = variant;
    comm = lone_rank_comm(&lone);
    return ref->create(&config, &comm, state, NULL, 0);
}

static psgd_status do_step(psgd_state **state)
{
    return ref->step(*state, &b.bucket);
}

static psgd_status do_submit(psgd_state **state)
{
    return ref->submit(*state, &b.bucket, &request);
}

static psgd_status do_save(psgd_state **state)
{
    return ref->save(*state, path);
}

static psgd_status do_load(psgd_state **state)
{
    return ref->load(*state, path);
}

/* Repeats the call with its first, second, ... allocation failing until it succeeds. Allocations that are jansson's own
 * don't come through here; FORMAT and others would be a failure too. */
static void fail_in_turn(psgd_state **state, psgd_status (*call)(psgd_state **state), int at_least)
{
    double before[57];
    memcpy(before, data, sizeof before);
    for (long n = 1;; n++) {
        long blocks = live;
        int calls = lone.calls;
        countdown = n;
        psgd_status status = call(state);
        bool spent = countdown == 0;
        countdown = 0;
        if (!spent) {
            assert_int_equal(status, PSGD_OK);
            assert_true(n > at_least);
            return;
        }
        assert_int_equal(status, PSGD_ERR_MEMORY);
        assert_int_equal(live, blocks);
        assert_int_equal(lone.calls, call == do_create ? 0 : calls);
        assert_memory_equal(data, before, sizeof before);
    }
}

static void fill_bucket(uint64_t t)
{
    fill(data, dtype, 57, t);
    make_bucket(&b, dtype, data, 2, (const size_t[][2]){{10, 5}, {7, 0}});
}

static void fail_throughout(void)
{
    psgd_state *state = NULL, *undisturbed = NULL;
    double expected[57];
    long blocks = live;

    assert_int_equal(do_create(&undisturbed), PSGD_OK);
    for (uint64_t t = 0; t < 6; t++) {
        fill_bucket(t);
        assert_int_equal(do_step(&undisturbed), PSGD_OK);
    }
    memcpy(expected, data, sizeof expected);
    ref->destroy(undisturbed);

    fail_in_turn(&state, do_create, 1);
    for (uint64_t t = 0; t < 6; t++) {
        fill_bucket(t);
        if (t % 2 == 0) {
            fail_in_turn(&state, do_step, 8);
        } else {
            fail_in_turn(&state, do_submit, 9);
            assert_int_equal(ref->wait(state, request), PSGD_OK);
        }
        if (t == 3) {
            fail_in_turn(&state, do_save, 5);
            fail_in_turn(&state, do_load, 5);
        }
    }
    assert_memory_equal(data, expected, 57 * psgd_dtype_size(dtype));
    ref->destroy(state);
    assert_int_equal(live, blocks);
}

static void every_allocation_fails_once(void **unused)
{
    (void)unused;
    const psgd_variant variants[] = {PSGD_LAYERWISE, PSGD_FLATTENED};
    const psgd_dtype dtypes[] = {PSGD_F64, PSGD_F16};
    for (int which = 0; which < 4; which++) {
        variant = variants[which / 2];
        dtype = dtypes[which % 2];
        fail_throughout();
    }
}

/* A request that nobody waited for is destroy's to free. */
static void destroy_frees_what_is_pending(void **unused)
{
    (void)unused;
    psgd_state *state = NULL;
    long blocks = live;
    variant = PSGD_LAYERWISE, dtype = PSGD_F32;
    assert_int_equal(do_create(&state), PSGD_OK);
    fill_bucket(0);
    assert_int_equal(do_submit(&state), PSGD_OK);
    ref->destroy(state);
    assert_int_equal(live, blocks);
}

int main(void)
{
    ref = psgd_ref();
    snprintf(path, sizeof path, "memory-%ld.safetensors", (long)getpid());
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_allocation_fails_once),
                                       cmocka_unit_test(destroy_frees_what_is_pending)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    remove(path);
    return failed;
}
