/* Tests of cli/options.c: every option, good and bad, in both ways of writing it. */
#include "unit.h"

#include "cli/options.h"
#include "harness/claims.h"

#define MOST_WORDS 12

/* Parses the words (the last is null) and holds the outcome and the complaint against what is expected. */
static void parse(options *o, bool good, const char *complaint, const char *const *words)
{
    static char copies[MOST_WORDS][64]; /* the options point into them after this function has ended */
    char *argv[MOST_WORDS + 1] = {(char[]){"psgd-conform"}};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++) {
        assert_in_range(argc, 1, MOST_WORDS - 1);
        assert_in_range(strlen(words[argc - 1]), 0, sizeof copies[0] - 1);
        argv[argc] = strcpy(copies[argc], words[argc - 1]);
    }
    caught *c = catch_open();
    const bool parsed = options_parse(o, argc, argv, c->stream);
    catch_expect(c, complaint);
    assert_int_equal(parsed, good);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void refused(const char *complaint, const char *const *words)
{
    options o;
    parse(&o, false, complaint, words);
    options_free(&o);
}

static void test_defaults(void **state)
{
    (void)state;
    options o;
    parse(&o, true, "", WORDS("run", "--impl", "ref"));
    assert_string_equal(o.command, "run");
    assert_true(o.seed == 1 && o.fuzz == FUZZ_DEFAULT && o.timeout == 60);
    assert_false(o.claims_given || o.quick || o.quiet || o.verbose || o.with_q0 || o.ranks_given || o.threads);
    assert_int_equal(o.report_count, 0);
    assert_null(o.golden);
    options_free(&o);
}

static void test_fuzz_follows_the_command(void **state)
{
    (void)state;
    options o;
    parse(&o, true, "", WORDS("run", "--impl", "ref", "--quick"));
    assert_int_equal(o.fuzz, FUZZ_QUICK);
    options_free(&o);
    parse(&o, true, "", WORDS("run", "--fuzz=7", "--impl", "ref", "--quick"));
    assert_int_equal(o.fuzz, 7);
    options_free(&o);
    parse(&o, true, "", WORDS("run", "--impl", "ref", "--case", "W1/r1/f32/[9x9]"));
    assert_int_equal(o.fuzz, 0);
    options_free(&o);
    parse(&o, true, "", WORDS("list"));
    assert_int_equal(o.fuzz, 0);
    options_free(&o);
}

static void expect_all(const options *o)
{
    assert_true(o->claims_given);
    assert_true(o->claims == (PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK));
    assert_int_equal(o->only.count, 2);
    assert_string_equal(o->only.words[1], "torch-*");
    assert_true(o->seed == 12 && o->fuzz == 3 && o->timeout == 0.5);
    assert_int_equal(o->report_count, 1);
    assert_string_equal(o->reports[0].format->name, "json");
    assert_string_equal(o->reports[0].path, "f=g");
    assert_string_equal(o->golden, "folder");
}

static void test_both_ways_of_writing(void **state)
{
    (void)state;
    options o;
    parse(&o, true, "",
          WORDS("run", "--impl=ref", "--claims=core,ef", "--only=a", "--only=torch-*", "--seed=12", "--fuzz=3",
                "--timeout=0.5", "--report=json=f=g", "--golden=folder"));
    expect_all(&o);
    options_free(&o);
    parse(&o, true, "", WORDS("run", "--impl", "ref", "--seed", "12", "--fuzz", "3", "--timeout", "5e-1", "--quiet"));
    assert_true(o.seed == 12 && o.fuzz == 3 && o.timeout == 0.5 && o.quiet);
    options_free(&o);
    parse(&o, true, "", WORDS("export", "--with-q0", "folder", "--claims", "core ef"));
    assert_true(o.with_q0);
    assert_string_equal(o.positional.words[0], "folder");
    options_free(&o);
}

static void test_ranks(void **state)
{
    (void)state;
    options o;
    parse(&o, true, "", WORDS("run", "--impl", "ref", "--ranks", "threads"));
    assert_true(o.ranks_given && o.threads);
    options_free(&o);
    parse(&o, true, "", WORDS("run", "--impl", "ref", "--ranks=processes"));
    assert_true(o.ranks_given && !o.threads);
    options_free(&o);
    static const char *const others[] = {"", "thread", "Threads", "mpi", "3"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        refused("is not processes or threads", WORDS("run", "--impl", "ref", "--ranks", others[i]));
    refused("--ranks does not go with 'list'", WORDS("list", "--ranks", "threads"));
}

static void test_bad_commands(void **state)
{
    (void)state;
    options o;
    caught *c = catch_open();
    char *argv[] = {(char[]){"psgd-conform"}, NULL};
    assert_false(options_parse(&o, 1, argv, c->stream));
    catch_expect(c, "a command is missing");
    options_free(&o);
    refused("unknown command 'rnu'; did you mean 'run'?", WORDS("rnu"));
    refused("unexpected word 'b'", WORDS("explain", "a", "b"));
    refused("unexpected word 'a'", WORDS("list", "a"));
    refused("what to look up", WORDS("show"));
    refused("unexpected word 'a'", WORDS("show", "a", "--case", "W1/r1/f32/[9x9]"));
}

static void test_bad_options(void **state)
{
    (void)state;
    refused("unknown option '--quik'; did you mean '--quick'?", WORDS("run", "--impl", "ref", "--quik"));
    refused("did you mean '--seed'?", WORDS("run", "--impl", "ref", "--sed=12345678901234567890"));
    refused("unknown option '-x'", WORDS("run", "-x"));
    refused("--with-q0 does not go with 'run'", WORDS("run", "--impl", "ref", "--with-q0"));
    refused("--verbose takes no value", WORDS("run", "--impl", "ref", "--verbose=1"));
    refused("--golden needs a value: FOLDER", WORDS("run", "--impl", "ref", "--golden"));
    refused("--seed needs a value: N", WORDS("run", "--impl", "ref", "--seed", "--quick"));
    refused("two reports of one format: 'json=a' and 'json=b'",
            WORDS("run", "--impl", "ref", "--report=json=a", "--report=json=b"));
    refused("--exec and --impl do not go together", WORDS("run", "--impl", "ref", "--exec", "a"));
    refused("--exec and --ranks do not go together", WORDS("run", "--exec", "a", "--ranks", "threads"));
    refused("the port is missing", WORDS("run", "--quick"));
    refused("do not go together", WORDS("run", "--impl", "ref", "--case", "W1/r1/f32/[9x9]", "--only", "a"));
}

static void test_bad_values(void **state)
{
    (void)state;
    static const char *const counts[] = {"", "-1", "+1", " 1", "1 ", "1.0", "0x1", "one", "9223372036854775808"};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        refused("--seed: '", WORDS("run", "--impl", "ref", "--seed", counts[i]));
        refused("--fuzz: '", WORDS("run", "--impl", "ref", "--fuzz", counts[i]));
    }
    refused("--fuzz: '1000001'", WORDS("run", "--impl", "ref", "--fuzz", "1000001"));
    static const char *const times[] = {"", "0", "-1", "nan", "inf", "86401", "1s"};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        refused("--timeout: '", WORDS("run", "--impl", "ref", "--timeout", times[i]));
    static const char *const reports[] = {"", "json", "json=", "f"};
    for (size_t i = 0; i < sizeof reports / sizeof reports[0]; i++)
        refused("--report: '", WORDS("run", "--impl", "ref", "--report", reports[i]));
    refused("unknown format 'jsn'; did you mean 'json'?", WORDS("run", "--impl", "ref", "--report", "jsn=f"));
    refused("unknown claim 'wram'; did you mean 'warm'?", WORDS("run", "--impl", "ref", "--claims", "core,wram,ef"));
    refused("is not a list of claims", WORDS("run", "--impl", "ref", "--claims", " , "));
    refused("is not a list of claims", WORDS("run", "--impl", "ref", "--claims", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_fuzz_follows_the_command),
        cmocka_unit_test(test_both_ways_of_writing),
        cmocka_unit_test(test_ranks),
        cmocka_unit_test(test_bad_commands),
        cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_bad_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
