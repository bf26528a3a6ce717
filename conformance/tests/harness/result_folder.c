/* Tests of harness/result_folder.c and result_folder_read.c: what the names in a folder are taken for, whose results
 * they are, and what is said of each that is not whole. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures.h"
#include "harness/casefile.h"
#include "harness/result_folder.h"
#include "harness/temp_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const ids[] = {"other", "fixture", "fixture+again"};

typedef struct scene {
    char *path;
    test_case c; /* "fixture", two ranks */
    trace *t;
} scene;

static scene scene_make(void)
{
    scene s = {.path = make_folder()};
    build_case(&s.c, "W2/r1/s2/i4/f32/[6x8]/seed=3");
    s.t = full_trace(&s.c);
    return s;
}

static void scene_end(scene *s)
{
    trace_free(s->t);
    case_free(&s->c);
    remove_folder(s->path);
}

/* The result of a rank, or of all (-1), under this name. */
static void leave(const scene *s, int rank, const char *name)
{
    char message[200], path[600];
    void *bytes;
    size_t count;
    assert_true(resultfile_serialize(&s->c, s->t, rank, &bytes, &count, message, sizeof message));
    (void)snprintf(path, sizeof path, "%s/%s", s->path, name);
    assert_true(file_write(path, bytes, count));
    free(bytes);
}

static void leave_text(const scene *s, const char *name, const char *text)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/%s", s->path, name);
    assert_true(file_write(path, text, strlen(text)));
}

static void take_away(const scene *s, const char *name)
{
    char path[600];
    (void)snprintf(path, sizeof path, "%s/%s", s->path, name);
    assert_int_equal(unlink(path), 0);
}

static result_folder look(const scene *s)
{
    result_folder f;
    char message[200];
    assert_true(result_folder_open(&f, s->path, ids, 3, message, sizeof message));
    return f;
}

/* The case's result is in this state, and its message has the fragment. */
static void expect(const scene *s, result_state state, const char *fragment)
{
    result_folder f = look(s);
    trace *t;
    assert_int_equal(result_folder_read(&f, &s->c, false, &t), state);
    assert_true((t != NULL) == (state == RESULT_WHOLE));
    const char *message = result_folder_case(&f, "fixture")->message;
    if (state == RESULT_WHOLE)
        assert_null(message);
    else if (message == NULL || strstr(message, fragment) == NULL)
        fail_msg("'%s' is not in '%s'", fragment, message != NULL ? message : "");
    trace_free(t);
    result_folder_free(&f);
}

static void test_names(void **state)
{
    (void)state;
    scene s = scene_make();
    /* Neither results nor cases: not ours. */
    leave_text(&s, "psgd-export.json", "{}");
    leave_text(&s, "fixture.result.safetensors.part", "");
    leave_text(&s, "log.txt", "");
    leave_text(&s, ".safetensors-notes", "");
    /* Cases of the export, whatever is in them. */
    leave_text(&s, "fixture.safetensors", "");
    leave_text(&s, "fixture+again.safetensors", "");
    result_folder f = look(&s);
    assert_int_equal(f.file_count + f.stray_count + f.port_count, 0);
    assert_int_equal(f.case_count, 3);
    assert_null(result_folder_case(&f, "fixture+"));
    result_folder_free(&f);

    static const char *const strays[] = {
        ".result.safetensors",
        ".safetensors",
        "fixture.k0.safetensors",

        "fixture.result.k-1.safetensors",
        "fixture.result.k.safetensors",
        "fixture.result.kk1.safetensors",
        "fixture.results.safetensors",
        "fixture2.result.safetensors",
        "fixture2.safetensors",
    };
    for (size_t i = 0; i < sizeof strays / sizeof strays[0]; i++)
        leave_text(&s, strays[i], "");
    static const char *const results[] = {"fixture.result.safetensors",     "fixture.result.k0.safetensors",
                                          "fixture.result.k00.safetensors", "fixture.result.k17.safetensors",
                                          "other.result.safetensors",       "fixture.result.k4294967297.safetensors"};
    for (size_t i = 0; i < sizeof results / sizeof results[0]; i++)
        leave_text(&s, results[i], "");
    f = look(&s);
    assert_int_equal(f.stray_count, sizeof strays / sizeof strays[0]);
    for (size_t i = 0; i < f.stray_count; i++)
        assert_string_equal(f.strays[i], strays[i]); /* sorted */
    assert_int_equal(f.file_count, sizeof results / sizeof results[0]);
    result_folder_free(&f);
    take_away(&s, ".result.safetensors");
    take_away(&s, ".safetensors");
    take_away(&s, ".safetensors-notes");
    scene_end(&s);
}

static void test_ports(void **state)
{
    (void)state;
    scene s = scene_make();
    leave(&s, 0, "fixture.result.k0.safetensors");
    leave(&s, 1, "fixture.result.k1.safetensors");
    leave_text(&s, "other.result.safetensors", "no result");
    result_folder f = look(&s);
    assert_int_equal(f.port_count, 1);
    assert_string_equal(f.ports[0].producer, "a port");
    assert_string_equal(f.ports[0].version, "0.3");
    assert_int_equal(f.ports[0].claims, PSGD_CLAIM_CORE | PSGD_CLAIM_MULTIRANK);
    assert_int_equal(f.ports[0].files, 2);
    result_folder_free(&f);
    s.t->claims |= PSGD_CLAIM_TORCH; /* claims alone make another */
    leave(&s, 1, "fixture.result.k1.safetensors");
    f = look(&s);
    assert_int_equal(f.port_count, 2);
    assert_string_equal(f.ports[1].example, "fixture.result.k1.safetensors");
    result_folder_free(&f);
    scene_end(&s);
}

static void test_whole(void **state)
{
    (void)state;
    scene s = scene_make();
    leave(&s, -1, "fixture.result.safetensors");
    expect(&s, RESULT_WHOLE, "");
    take_away(&s, "fixture.result.safetensors");
    expect(&s, RESULT_MISSING, "there is no fixture.result.safetensors");
    leave(&s, 1, "fixture.result.k1.safetensors");
    expect(&s, RESULT_MISSING, "fixture.result.k0.safetensors is missing");
    leave(&s, 0, "fixture.result.k0.safetensors");
    expect(&s, RESULT_WHOLE, "");
    leave(&s, -1, "fixture.result.safetensors");
    expect(&s, RESULT_MISPLACED, "twice: fixture.result.safetensors and fixture.result.k0.safetensors");
    scene_end(&s);
}

static void test_not_whole(void **state)
{
    (void)state;
    scene s = scene_make();
    s.t->ranks[1].outcome = RANK_ABSENT; /* of a file of all ranks */
    s.t->ranks[1].steps_done = 0;
    leave(&s, -1, "fixture.result.safetensors");
    expect(&s, RESULT_MISSING, "does not tell of rank 1");
    s.t->ranks[1].outcome = RANK_OK;
    s.t->ranks[1].steps_done = s.c.steps;
    values_free(trace_out(s.t, 3, 0, 1));
    leave(&s, -1, "fixture.result.safetensors");
    expect(&s, RESULT_DAMAGED, "tensor out/t3/b0/k1 is missing");
    s.t->ranks[1].outcome = RANK_ERROR; /* but one that failed there has none of it */
    s.t->ranks[1].steps_done = 3;
    values_free(trace_error(s.t, 3, 0, 1));
    leave(&s, -1, "fixture.result.safetensors");
    expect(&s, RESULT_WHOLE, "");
    scene_end(&s);
}

/* What a result says of its Q counts only where the case shows one. */
static void test_given_q(void **state)
{
    (void)state;
    scene s = scene_make();
    leave(&s, -1, "fixture.result.safetensors");
    for (int i = 0; i < 4; i++) {
        const bool seeded = (i & 1) != 0;
        result_folder f = look(&s);
        f.with_q0 = (i & 2) != 0;
        trace *t;
        assert_int_equal(result_folder_read(&f, &s.c, seeded, &t), RESULT_WHOLE);
        assert_int_equal(t->q_given, !seeded || f.with_q0);
        trace_free(t);
        result_folder_free(&f);
    }
    scene_end(&s);
}

static void test_altered(void **state)
{
    (void)state;
    scene s = scene_make();
    leave(&s, -1, "fixture.result.safetensors");
    result_folder f = look(&s);
    trace *t;
    result_folder_case(&f, "fixture")->altered = true;
    assert_int_equal(result_folder_read(&f, &s.c, false, &t), RESULT_WITHHELD);
    assert_null(t);
    result_folder_free(&f);
    char message[300];
    assert_false(result_folder_open(&f, "/nonexistent/folder", ids, 3, message, sizeof message));
    assert_non_null(strstr(message, "/nonexistent/folder cannot be read"));
    result_folder_free(&f);
    scene_end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names),   cmocka_unit_test(test_ports),
                                       cmocka_unit_test(test_whole),   cmocka_unit_test(test_not_whole),
                                       cmocka_unit_test(test_given_q), cmocka_unit_test(test_altered)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
