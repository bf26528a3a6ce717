/* recording.c: what a problem may ask of a recording, and what the recordings in the golden folder prove: a training
 * under DistributedDataParallel got, bit for bit, the outputs that the golden case of the same configuration holds. The
 * golden case comes from the hook driven by the kit's own generator: so driving it that way is no other thing than
 * training with it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/safetensors.h"
#include "harness/casefile.h"
#include "harness/file_parts.h"
#include "harness/suite.h"
#include "harness/tensor_names.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static bool make(test_case *c, const char *text, char *message, size_t message_size)
{
    problem p;
    assert_true(problem_parse(&p, text, NULL));
    const bool made = case_build(c, &p, "x", "", 0, GOLDEN_FOLDER, message, message_size);
    problem_free(&p);
    return made;
}

static void test_refusals(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *message;
    } table[] = {
        {"W2/r2/f32/rec:digits-cnn", "recording digits-cnn has 3 ranks: write W3"},
        {"W3/r2/f16/rec:digits-cnn", "recording digits-cnn is of type f32: write f32"},
        {"W3/r2/i11/f32/rec:digits-cnn", "recording digits-cnn has 10 steps"},
        {"W3/r2/f32/rec:digits-cnn/ckpt=10", "ckpt=10 comes after the last step, 9"},
        {"W3/r2/f32/rec:digits-cnn/scale=160", "scale=160 is not exact: some gradients leave the type's range"},
        {"W3/r2/f32/rec:no-such", "golden/generate.py --record makes recordings"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        test_case c;
        char message[400] = "";
        assert_false(make(&c, table[i].text, message, sizeof message));
        if (strstr(message, table[i].message) == NULL)
            fail_msg("%s: %s", table[i].text, message);
    }
}

/* Fewer steps, a wider type, another scale, other ranks, the same step again: the same numbers. */
static void test_ways_to_read(void **unused)
{
    (void)unused;
    static const char *const texts[] = {"W3/r2/f32/rec:digits-cnn", "W3/r2/i4/f64/rec:digits-cnn",
                                        "W3/r2/i4/f32/rec:digits-cnn/scale=3/rev", "W3/r2/i4/f32/rec:digits-cnn/const"};
    test_case c[4];
    char message[400] = "";
    for (size_t i = 0; i < 4; i++)
        if (!make(&c[i], texts[i], message, sizeof message))
            fail_msg("%s: %s", texts[i], message);
    assert_int_equal(c[0].steps, 10);
    assert_int_equal(c[1].steps, 4);
    for (int k = 0; k < 3; k++)
        for (size_t i = 0; i < c[0].numel[0]; i++) {
            const double x = values_get(case_in(&c[0], 3, 0, k), i);
            assert_true(values_get(case_in(&c[1], 3, 0, k), i) == x);
            assert_true(values_get(case_in(&c[2], 3, 0, 2 - k), i) == 8 * x);
            assert_true(values_get(case_in(&c[3], 3, 0, k), i) == values_get(case_in(&c[0], 0, 0, k), i));
        }
    for (size_t i = 0; i < 4; i++)
        case_free(&c[i]);
}

/* Was this (plain) step's bucket laid out in another order when its sum was taken? */
static bool is_reordered(const psgd_safetensors *file, int64_t step)
{
    const char *text = psgd_safetensors_metadata(file, "reordered");
    assert_non_null(text);
    json_t *steps = json_loads(text, 0, NULL), *each;
    size_t index;
    bool found = false;
    assert_true(json_is_array(steps));
    json_array_foreach(steps, index, each) found = found || json_integer_value(each) == step;
    json_decref(steps);
    return found;
}

/* Steps at which the case's output has the bits of the recording's. */
static size_t equal_steps(const test_case *c, const psgd_safetensors *file)
{
    size_t equal = 0;
    for (int64_t step = 0; step < c->steps; step++) {
        char name[32];
        (void)snprintf(name, sizeof name, "out/t%d/b0", (int)step);
        const psgd_tensor *recorded = psgd_safetensors_find(file, name);
        const values *out = trace_out(c->expected, step, 0, 0);
        assert_non_null(recorded);
        assert_int_equal(recorded->element, PSGD_ELEMENT_F32);
        assert_int_equal(recorded->bytes, c->numel[0] * sizeof(float));
        equal += out->dtype == PSGD_F32 && memcmp(out->data, recorded->data, recorded->bytes) == 0;
    }
    return equal;
}

/* A case on the recording holds its outputs if it has its configuration, and not all of them if it has another. True:
 * it has, and compressed steps were among those compared. */
static bool check_case(const suite_case *entry, const problem *p)
{
    char path[1024], message[400];
    test_case c;
    psgd_safetensors *file;
    psgd_config recorded;
    (void)snprintf(path, sizeof path, "%s/%s.safetensors", GOLDEN_FOLDER, entry->id);
    if (!casefile_read(&c, path, message, sizeof message))
        fail_msg("%s", message);
    (void)snprintf(path, sizeof path, "%s/rec-%s.safetensors", GOLDEN_FOLDER, p->recording);
    if (psgd_safetensors_open(&file, path, message, sizeof message) != PSGD_OK)
        fail_msg("%s: %s", path, message);
    const char *config = psgd_safetensors_metadata(file, "config");
    if (config == NULL || !config_from_json(&recorded, config, message, sizeof message))
        fail_msg("%s: %s", path, config == NULL ? "no configuration" : message);
    const bool same = c.dtype == PSGD_F32 && config_equal(&c.config, &recorded, true);
    size_t plain = 0, comparable = 0;
    for (int64_t step = 0; step < c.steps; step++) {
        plain += step < c.config.start_iter;
        comparable += !is_reordered(file, step);
    }
    const size_t equal = equal_steps(&c, file);
    if (c.dtype == PSGD_F32 && same != (equal == comparable))
        fail_msg("%s, of %s configuration: its outputs are the training's at %zu steps of %zu", entry->id,
                 same ? "the same" : "another", equal, comparable);
    const bool proof = same && comparable > plain;
    psgd_safetensors_close(file);
    case_free(&c);
    return proof;
}

static void test_training_got_the_same(void **unused)
{
    (void)unused;
    static const char *const names[] = {"digits-cnn", "digits-transformer"};
    bool proved[2] = {false, false};
    for (size_t i = 0; i < suite_count(); i++) {
        const suite_case *entry = suite_at(i);
        problem p;
        assert_true(problem_parse(&p, entry->problem, NULL));
        for (size_t j = 0; j < 2; j++)
            if (entry->golden && p.recording != NULL && strcmp(p.recording, names[j]) == 0)
                proved[j] = check_case(entry, &p) || proved[j];
        problem_free(&p);
    }
    for (size_t j = 0; j < 2; j++)
        if (!proved[j])
            fail_msg("no golden case has the configuration of recording %s", names[j]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_refusals), cmocka_unit_test(test_ways_to_read),
                                       cmocka_unit_test(test_training_got_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
