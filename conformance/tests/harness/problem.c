/* problem.c: the grammar of problem strings: what it takes, what it refuses and where, and that its text and its
 * meaning are one to one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "harness/data_random.h"
#include "harness/suite.h"

#include <stdlib.h>
#include <string.h>

static void test_canonical(void **unused)
{
    (void)unused;
    static const struct {
        const char *text, *canonical;
    } table[] = {
        {"W3/r2/s2/i6/f32/ef,ws/rate2/eps0/[24x40,17,24x40]/grad=decay:0.5/seed=7",
         "W3/r2/s2/i6/f32/ef,ws/rate2/eps0/[24x40,17,24x40]/grad=decay:0.5/seed=7"},
        {"[5]/f32/r1/W1", "W1/r1/s2/i6/f32/ef,ws/rate2/eps0/[5]/grad=gauss/seed=0"},
        {"W1/r1/s5/f64/-/[5]", "W1/r1/s5/i9/f64/-/rate2/eps0/[5]/grad=gauss/seed=0"},
        {"W3of5/group=4,0,2/r1/f16/[5;6x7,scalar]",
         "W3of5/group=4,0,2/r1/s2/i6/f16/ef,ws/rate2/eps0/[5;6x7,scalar]/grad=gauss/seed=0"},
        {"W2of3/r1/bf16/[0x5]", "W2of3/group=0,1/r1/s2/i6/bf16/ef,ws/rate2/eps0/[0x5]/grad=gauss/seed=0"},
        {"W1/r3/f32/bs,ws,flat,ef/[5,6]/grad=deficient|rank",
         "W1/r3/s2/i6/f32/ef,ws,bs,flat/rate2/eps0/[5,6]/grad=deficient:2|rank:3/seed=0"},
        {"W1/r1/f32/[5,6,7]/grad=gauss|nan|inf@6",
         "W1/r1/s2/i6/f32/ef,ws/rate2/eps0/[5,6,7]/grad=gauss|nan@0|inf@6/seed=0"},
        {"W1/r1/f32/[5]/rate0.50/eps1.0e-08/grad=decay",
         "W1/r1/s2/i6/f32/ef,ws/rate0.5/eps1e-8/[5]/grad=decay:0.5/seed=0"},
        {"W1/r1/f32/async,ef/[5]", "W1/r1/s2/i6/f32/ef,async/rate2/eps0/[5]/grad=gauss/seed=0"},
        {"W1/r1/f32/[5]/eps1e-2rel/rate1e20", "W1/r1/s2/i6/f32/ef,ws/rate1e20/eps0.01rel/[5]/grad=gauss/seed=0"},
        {"W2/r1/f32/[5]/ckpt=3/stats=4/rs=4294967295/seed=18446744073709551615/rev/scale=-30/const/grad=onerow",
         "W2/r1/s2/i6/f32/ef,ws/rate2/eps0/[5]/grad=onerow/const/scale=-30/rev/seed=18446744073709551615/"
         "rs=4294967295/stats=4/ckpt=3"},
        {"W3/r2/f32/rec:digits-cnn", "W3/r2/s2/f32/ef,ws/rate2/eps0/rec:digits-cnn"},
        {"W3/r2/i7/f32/grad=rec:a_B-9", "W3/r2/s2/i7/f32/ef,ws/rate2/eps0/rec:a_B-9"},
        {"W1/r4/f32/real:gpt2x4", "W1/r4/s2/i6/f32/ef,ws/rate2/eps0/real:gpt2x4/grad=gauss/seed=0"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        problem p;
        problem_error error;
        if (!problem_parse(&p, table[i].text, &error))
            fail_msg("%s, at %zu: %s", table[i].text, error.position, error.message);
        char *text = problem_print(&p);
        assert_string_equal(text, table[i].canonical);
        free(text);
        problem_free(&p);
    }
}

static void test_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        size_t position;
        const char *message;
    } table[] = {
        {"", 0, "the problem string is empty"},
        {"W1/r1/f32/foo", 10, "unknown field 'foo'"},
        {"rabbit", 0, "unknown field 'rabbit'"},
        {"W1//r1", 3, "expected a field"},
        {"W1/r1/f32/[5]/", 14, "expected a field"},
        {"W1/r1/f32", 9, "the field for the shapes ([24x40,17]) is missing"},
        {"r1/f32/[5]", 10, "the field for the ranks (W2) is missing"},
        {"W1/f32/[5]", 10, "the field for the rank (r4) is missing"},
        {"W1/r1/[5]", 9, "the field for the type (f32) is missing"},
        {"W1/r1/r2/f32/[5]", 6, "a second field of this kind: 'r2'"},
        {"W1/r1/f32/f64/[5]", 10, "a second field of this kind: 'f64'"},
        {"W1/r1/f32/[5]/real:sq4096", 14, "a second field of this kind: 'real:sq4096'"},
        {"W0/r1/f32/[5]", 1, "W must be from 1 to 256"},
        {"W257/r1/f32/[5]", 1, "W must be from 1 to 256"},
        {"W99999999999999999999/r1/f32/[5]", 1, "W must be from 1 to 256"},
        {"W/r1/f32/[5]", 1, "expected a whole number for W"},
        {"W2x/r1/f32/[5]", 2, "unexpected 'x' at the end of a field"},
        {"W2of2/r1/f32/[5]", 4, "the whole world of a subgroup must be from 3 to 256"},
        {"W2of4/group=1/r1/f32/[5]", 6, "the group has 1 members, not W = 2"},
        {"W2of4/group=1,1/r1/f32/[5]", 14, "rank 1 is twice in the group"},
        {"W2of4/group=1,4/r1/f32/[5]", 6, "rank 4 is not in a world of 4"},
        {"W2/group=0,1/r1/f32/[5]", 3, "a group needs a larger world (W2of3)"},
        {"W1/r0/f32/[5]", 4, "r must be from 1 to 1000000"},
        {"W1/r-1/f32/[5]", 4, "expected a whole number for r"},
        {"W1/r1/f32/i0/[5]", 11, "i must be from 1 to 1000000"},
        {"W1/r1/f32/ef,xx/[5]", 13, "unknown flag 'xx' (ef, ws, bs, flat, async, or - for none)"},
        {"W1/r1/f32/ef,ef/[5]", 13, "flag 'ef' is given twice"},
        {"W1/r1/f32/-,ef/[5]", 11, "unexpected ',ef' at the end of a field"},
        {"W1/r1/f32/rate-1/[5]", 14, "expected a number, not negative, for rate"},
        {"W1/r1/f32/ratenan/[5]", 14, "expected a number, not negative, for rate"},
        {"W1/r1/f32/rate0x10/[5]", 15, "unexpected 'x10' at the end of a field"},
        {"W1/r1/f32/rate1e999/[5]", 14, "the number for rate is too large"},
        {"W1/r1/f32/eps1e-2rex/[5]", 17, "unexpected 'rex' at the end of a field"},
        {"W1/r1/f32/[]", 11, "expected a whole number for a dimension"},
        {"W1/r1/f32/[5;]", 13, "expected a whole number for a dimension"},
        {"W1/r1/f32/[5x]", 13, "expected a whole number for a dimension"},
        {"W1/r1/f32/[5", 12, "expected ',', ';' or ']' after a shape"},
        {"W1/r1/f32/[1x1x1x1x1x1x1x1x1]", 27, "a tensor has at most 8 dimensions"},
        {"W1/r1/f32/[99999999999999]", 11, "a dimension must be from 0 to 1099511627776"},
        {"W1/r1/s1000000/f32/[4]", 6, "s leaves no room for steps: there are 1000000 at most"},
        {"W1/r1/f32/[4]/scale=-", 20, "expected a whole number for scale"},
        {"W1/r1/f32/[4]/scale=-99999999999999999999", 20, "scale must be from -2000 to 2000"},
        {"W1/r1/f32/[1000000000x1000000000]", 10, "the shapes have more than 2^48 elements"},
        {"W1/r1/f32/[1000000000x0x1000000000]", 10, "the shapes have more than 2^48 elements"},
        {"W1/r1/f32/real:resnet", 15, "unknown shape set 'resnet' (resnet50, gpt2x4, sq4096, tiny200x64)"},
        {"W1/r1/f32/[5]/grad=noise", 19, "unknown kind of gradients 'noise'"},
        {"W1/r1/f32/[5]/grad=gauss|", 25, "unknown kind of gradients ''"},
        {"W1/r1/f32/[5]/grad=gauss|zero", 14, "2 kinds of gradients for 1 tensors"},
        {"W1/r1/f32/[5]/grad=decay:0", 25, "the ratio of singular values must be above 0 and at most 1"},
        {"W1/r1/f32/[5]/grad=decay:1.5", 25, "the ratio of singular values must be above 0 and at most 1"},
        {"W1/r1/f32/[5]/grad=rank:0", 24, "the rank of the gradients must be from 1 to 1000000"},
        {"W1/r1/f32/[5]/grad=gauss:1", 24, "unexpected ':1' at the end of a field"},
        {"W1/r1/f32/[5]/grad=nan@5", 14, "element 5 is outside tensor 0"},
        {"W1/r1/f32/[5]/constant", 14, "unknown field 'constant'"},
        {"W1/r1/f32/[5]/scale=2001", 20, "scale must be from -2000 to 2000"},
        {"W1/r1/f32/[5]/scale=-", 20, "expected a whole number for scale"},
        {"W1/r1/f32/[5]/seed=18446744073709551616", 19, "seed must be at most 18446744073709551615"},
        {"W1/r1/f32/[5]/rs=4294967296", 17, "rs must be at most 4294967295"},
        {"W1/r1/f32/[5]/stats=0", 20, "stats must be from 1 to 2147483647"},
        {"W1/r1/f32/[5]/ckpt=6", 14, "the checkpoint comes after the last step, 5"},
        {"W1/r1/f32/rec:a/[5]", 16, "a recording brings its own shapes"},
        {"W1/r1/f32/rec:a/seed=1", 16, "a recording has no seed"},
        {"W1/r1/f32/rec:a.b", 15, "the name of a recording has letters, digits, - and _ only"},
        {"W1/r1/f32/rec:", 14, "the name of a recording has 1 to 64 characters"},
        {"W1/r1/f32/rec:a/grad=gauss", 16, "a second field of this kind: 'grad=gauss'"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        problem p;
        problem_error error;
        if (problem_parse(&p, table[i].text, &error))
            fail_msg("%s was taken", table[i].text);
        assert_string_equal(error.message, table[i].message);
        if (error.position != table[i].position)
            fail_msg("%s: at %zu, not at %zu", table[i].text, error.position, table[i].position);
        assert_null(p.buckets);
        assert_null(p.group);
        assert_null(p.gradients);
    }
}

static bool equal_text(const char *a, const char *b)
{
    return (a == NULL) == (b == NULL) && (a == NULL || strcmp(a, b) == 0);
}

static bool equal_buckets(const problem *a, const problem *b)
{
    if (a->bucket_count != b->bucket_count)
        return false;
    for (size_t i = 0; i < a->bucket_count; i++) {
        if (a->buckets[i].tensor_count != b->buckets[i].tensor_count)
            return false;
        for (size_t j = 0; j < a->buckets[i].tensor_count; j++) {
            const psgd_shape *x = &a->buckets[i].shapes[j], *y = &b->buckets[i].shapes[j];
            if (x->ndim != y->ndim || memcmp(x->dims, y->dims, x->ndim * sizeof *x->dims) != 0)
                return false;
        }
    }
    return true;
}

static bool equal_gradients(const problem *a, const problem *b)
{
    if (a->gradient_count != b->gradient_count)
        return false;
    for (size_t i = 0; i < a->gradient_count; i++)
        if (a->gradients[i].kind != b->gradients[i].kind || a->gradients[i].parameter != b->gradients[i].parameter)
            return false;
    return true;
}

static bool equal_problems(const problem *a, const problem *b)
{
    return a->world == b->world && a->of_world == b->of_world &&
           memcmp(a->group, b->group, (size_t)a->world * sizeof *a->group) == 0 && a->r == b->r &&
           a->start == b->start && a->steps == b->steps && a->dtype == b->dtype &&
           a->error_feedback == b->error_feedback && a->warm_start == b->warm_start &&
           a->same_shape_batching == b->same_shape_batching && a->flattened == b->flattened && a->rate == b->rate &&
           a->epsilon == b->epsilon && a->epsilon_relative == b->epsilon_relative && equal_buckets(a, b) &&
           equal_text(a->shape_set, b->shape_set) && equal_gradients(a, b) && a->constant == b->constant &&
           a->scale == b->scale && a->reversed == b->reversed && a->seed == b->seed &&
           a->random_seed == b->random_seed && a->statistics_interval == b->statistics_interval &&
           a->checkpoint == b->checkpoint && equal_text(a->recording, b->recording);
}

/* parse(print(p)) equals p, and so does a copy; print(parse(text)) equals the canonical text. */
static void check_round_trip(const problem *p)
{
    problem again, copy;
    problem_error error;
    char *text = problem_print(p);
    assert_non_null(text);
    if (!problem_parse(&again, text, &error))
        fail_msg("%s, at %zu: %s", text, error.position, error.message);
    if (!equal_problems(p, &again))
        fail_msg("%s reads as another problem", text);
    assert_true(problem_copy(&copy, p));
    assert_true(equal_problems(p, &copy));
    char *text_again = problem_print(&copy);
    assert_string_equal(text, text_again);
    free(text);
    free(text_again);
    problem_free(&again);
    problem_free(&copy);
}

static void test_round_trip(void **unused)
{
    (void)unused;
    for (uint64_t i = 0; i < 10000; i++) {
        problem p;
        const uint64_t without_torch = ~(uint64_t)PSGD_CLAIM_TORCH;
        assert_true(suite_random_problem(&p, 11, i, i % 2 ? ~(uint64_t)0 : without_torch));
        check_round_trip(&p);
        problem_free(&p);
    }
}

/* Numbers of every size come back as the same double. */
static void test_numbers(void **unused)
{
    (void)unused;
    static const char start[] = "W1/r1/f32/[5]/rate2";
    const uint64_t key[] = {1};
    data_stream stream = data_stream_open(key, 1);
    for (int i = 0; i < 2000; i++) {
        problem p;
        assert_true(problem_parse(&p, start, NULL));
        const double mantissa = (double)(data_stream_next(&stream) >> 11);
        double power = 1;
        for (int64_t n = data_stream_integer(&stream, 60); n != 0; n += n > 0 ? -1 : 1)
            power *= n > 0 ? 16 : 0.0625;
        p.rate = mantissa * power;
        p.epsilon = (double)data_stream_integer(&stream, 1000) / 7 + 143;
        check_round_trip(&p);
        problem_free(&p);
    }
}

/* Whatever bytes come, the answer is a problem or an error within the text. */
static void test_any_bytes(void **unused)
{
    (void)unused;
    static const char alphabet[] = "Wrsif3264/[],;x:=.-|@efwbatgrdnulpokc1790\x80\xff";
    const uint64_t key[] = {2};
    data_stream stream = data_stream_open(key, 1);
    for (uint64_t i = 0; i < 20000; i++) {
        problem p;
        problem_error error;
        assert_true(suite_random_problem(&p, 12, i % 500, ~(uint64_t)0));
        char *text = problem_print(&p);
        problem_free(&p);
        assert_non_null(text);
        const size_t length = strlen(text);
        for (int change = 0; change < 3; change++)
            text[data_stream_next(&stream) % length] = alphabet[data_stream_next(&stream) % (sizeof alphabet - 1)];
        if (problem_parse(&p, text, &error)) {
            check_round_trip(&p);
            problem_free(&p);
        } else {
            assert_true(error.position <= strlen(text));
            assert_true(error.message[0] != '\0');
        }
        free(text);
    }
}

/* The named shapes: tensors, buckets and elements as PyTorch's models and its DDP have them. */
static void test_shape_sets(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        size_t buckets, tensors, elements, first_bucket;
    } table[] = {
        {"W1/r1/f32/real:resnet50", 5, 161, 25557032, 2},
        {"W1/r1/f32/real:gpt2x4", 5, 48, 28351488, 2},
        {"W1/r1/f32/real:sq4096", 1, 1, 16777216, 1},
        {"W1/r1/f32/real:tiny200x64", 1, 200, 819200, 200},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        problem p;
        size_t tensors = 0, elements = 0;
        assert_true(problem_parse(&p, table[i].text, NULL));
        for (size_t b = 0; b < p.bucket_count; b++)
            for (size_t j = 0; j < p.buckets[b].tensor_count; j++, tensors++) {
                size_t numel = 1;
                for (size_t d = 0; d < p.buckets[b].shapes[j].ndim; d++)
                    numel *= p.buckets[b].shapes[j].dims[d];
                elements += numel;
            }
        assert_int_equal(p.bucket_count, table[i].buckets);
        assert_int_equal(tensors, table[i].tensors);
        assert_int_equal(elements, table[i].elements);
        assert_int_equal(p.buckets[0].tensor_count, table[i].first_bucket);
        problem_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_canonical),  cmocka_unit_test(test_refused),
                                       cmocka_unit_test(test_round_trip), cmocka_unit_test(test_numbers),
                                       cmocka_unit_test(test_any_bytes),  cmocka_unit_test(test_shape_sets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
