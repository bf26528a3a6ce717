/* Tests of harness/rank_arguments.c: what the launcher writes is what the rank reads; nothing else is. */
#include "test_main.h"

#include "harness/rank_arguments.h"

static void read_back(const rank_arguments *written)
{
    char kit[] = "kit", numbers[RANK_ARGUMENTS_NUMBERS];
    char *words[RANK_ARGUMENTS_WORDS];
    rank_arguments got;
    rank_arguments_write(words, numbers, kit, written);
    int count = 0;
    while (words[count] != NULL)
        count++;
    assert_true(count < RANK_ARGUMENTS_WORDS);
    assert_true(rank_arguments_read(&got, count, words));
    assert_string_equal(got.implementation, written->implementation);
    assert_string_equal(got.folder, written->folder);
    assert_int_equal(got.rank, written->rank);
    assert_int_equal(got.limit, written->limit);
    assert_int_equal(got.threads, written->threads);
    assert_int_equal(got.others, written->others);
    assert_true(got.case_file == written->case_file && got.scenario_name == written->scenario_name);
    assert_true(got.others_folder == written->others_folder && got.others_case == written->others_case);
    assert_int_equal(got.seeded, written->seeded);
}

static void test_every_word_comes_back(void **state)
{
    (void)state;
    read_back(&(rank_arguments){.implementation = "ref", .folder = "dir", .rank = 3, .limit = 90});
    read_back(&(rank_arguments){
        .implementation = "ref", .folder = "dir", .rank = 3, .limit = 90, .case_file = "case", .seeded = true});
    read_back(&(rank_arguments){
        .implementation = "ref", .folder = "dir", .limit = 90, .scenario_name = "scenario/x", .threads = 2});
    read_back(&(rank_arguments){.implementation = "ref",
                                .folder = "dir",
                                .limit = 90,
                                .case_file = "case",
                                .seeded = true,
                                .threads = 3,
                                .others = 2,
                                .others_folder = "other",
                                .others_case = "othercase"});
}

static bool accepted(char *const *words)
{
    rank_arguments got;
    int count = 0;
    while (words[count] != NULL)
        count++;
    char *copy[16];
    memcpy(copy, words, (size_t)count * sizeof *copy);
    return rank_arguments_read(&got, count, copy);
}

#define WORDS(...) ((char *[]){"kit", "rank", "--impl", "ref", "--folder", "dir", __VA_ARGS__, NULL})

static void test_other_words_are_refused(void **state)
{
    (void)state;
    assert_true(accepted(WORDS("--rank", "0")));
    assert_false(accepted(WORDS("--rank")));
    assert_false(accepted(WORDS("--rank", "-1")));
    assert_false(accepted(WORDS("--rank", "0", "--colour", "red")));
    assert_true(accepted(WORDS("--rank", "0", "--threads", "2")));
    assert_false(accepted(WORDS("--rank", "1", "--threads", "2")));
    assert_false(accepted(WORDS("--rank", "0", "--threads", "many")));
    assert_false(accepted(WORDS("--rank", "0", "--threads", "2", "--others", "1")));
    assert_false(accepted(WORDS("--rank", "0", "--others", "1", "--others-folder", "d", "--others-case", "c")));
    assert_false(accepted(WORDS("--rank", "0", "--case", "c", "--scenario", "s")));
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(test_every_word_comes_back),
    cmocka_unit_test(test_other_words_are_refused),
};

TEST_MAIN(tests)
