/* Tests of cli/kill_matrix.c: what makes the kit sharp, and what does not. Each way of being neither sharp nor fair
 * must make the command fail. */
#include "unit.h"

#include "cli/exit_code.h"
#include "cli/kill_matrix.h"

static const fault_entry fault_of_two = {.name = "of-two", .requirements = "PSGD-EF-001 PSGD-EF-002", .what = "."};
static const fault_entry fault_of_should = {.name = "of-should", .requirements = "PSGD-ORT-006", .what = "."};
static const fault_entry honest = {.name = "honest", .requirements = "", .what = "."};

static size_t index_of(const char *id)
{
    size_t count;
    const requirement *all = requirements(&count);
    const requirement *found = requirement_find(id);
    assert_non_null(found);
    return (size_t)(found - all);
}

/* A row whose run ended with this code; failed: a requirement that failed in it, or null. */
static mutant_row row_of(const fault_entry *entry, int code, const char *failed)
{
    mutant_row row = {.entry = entry, .result = {.exit_code = code}};
    if (failed != NULL)
        row.result.failures[index_of(failed)] = 3;
    return row;
}

static void test_states(void **state)
{
    (void)state;
    const struct {
        const fault_entry *entry;
        int exit_code;
        const char *failed;
        mutant_state expected;
    } rows[] = {
        {&fault_of_two, EXIT_NOT_CONFORMING, "PSGD-EF-002", MUTANT_KILLED},
        {&fault_of_two, EXIT_NOT_CONFORMING, "PSGD-EF-003", MUTANT_UNRELATED},
        {&fault_of_two, EXIT_NOT_CONFORMING, NULL, MUTANT_UNRELATED}, /* a claim without a passing case */
        {&fault_of_two, EXIT_CONFORMING, NULL, MUTANT_SURVIVED},
        {&fault_of_two, EXIT_CONFORMING, "PSGD-ORT-006", MUTANT_UNRELATED},
        {&fault_of_should, EXIT_CONFORMING, "PSGD-ORT-006", MUTANT_KILLED}, /* a SHOULD fails no claim */
        {&honest, EXIT_CONFORMING, NULL, MUTANT_CONFORMS},
        {&honest, EXIT_NOT_CONFORMING, "PSGD-EF-002", MUTANT_ACCUSED},
        {&honest, EXIT_NOT_CONFORMING, NULL, MUTANT_ACCUSED},
        {&honest, EXIT_CONFORMING, "PSGD-ORT-006", MUTANT_ACCUSED},
        /* Nobody judged: neither found nor cleared. */
        {&fault_of_two, EXIT_NOTHING_TESTED, NULL, MUTANT_UNJUDGED},
        {&fault_of_two, EXIT_NOT_LOADED, NULL, MUTANT_UNJUDGED},
        {&fault_of_two, EXIT_KIT_FAILED, "PSGD-EF-002", MUTANT_UNJUDGED},
        {&fault_of_two, EXIT_USAGE, NULL, MUTANT_UNJUDGED},
        {&fault_of_two, -1, NULL, MUTANT_UNJUDGED},
        {&honest, EXIT_NOTHING_TESTED, NULL, MUTANT_UNJUDGED},
        {&honest, -1, NULL, MUTANT_UNJUDGED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const mutant_row row = row_of(rows[i].entry, rows[i].exit_code, rows[i].failed);
        assert_int_equal(mutant_state_of(&row), rows[i].expected);
    }
    mutant_row unseen = row_of(&fault_of_two, EXIT_NOT_CONFORMING, "PSGD-EF-002");
    unseen.invisible = true;
    assert_int_equal(mutant_state_of(&unseen), MUTANT_INVISIBLE);

    /* An mpirun that was taken down: by a fault, as it should be; by an honest variant, never. */
    mutant_row fallen = row_of(&fault_of_two, 139, NULL), honest_fallen = row_of(&honest, 139, NULL);
    assert_int_equal(mutant_state_of(&fallen), MUTANT_UNJUDGED);
    fallen.result.took_down = honest_fallen.result.took_down = true;
    assert_int_equal(mutant_state_of(&fallen), MUTANT_TOOK_DOWN);
    assert_int_equal(mutant_state_of(&honest_fallen), MUTANT_UNJUDGED);
}

/* The code of a choice of two rows; --only made it, so that requirements without a fault do not count. */
static int code_of(mutant_row first, mutant_row second)
{
    mutant_row rows[] = {first, second};
    const kill_matrix m = {.rows = rows, .count = 2, .partial = true};
    return kill_matrix_exit_code(&m);
}

static void test_exit_code(void **state)
{
    (void)state;
    const mutant_row killed = row_of(&fault_of_two, EXIT_NOT_CONFORMING, "PSGD-EF-002");
    const mutant_row conforms = row_of(&honest, EXIT_CONFORMING, NULL);
    assert_int_equal(code_of(killed, conforms), EXIT_CONFORMING);
    assert_int_equal(code_of(killed, row_of(&fault_of_two, EXIT_CONFORMING, NULL)), EXIT_NOT_CONFORMING);
    assert_int_equal(code_of(row_of(&fault_of_two, EXIT_NOT_CONFORMING, "PSGD-EF-003"), conforms), EXIT_NOT_CONFORMING);
    assert_int_equal(code_of(killed, row_of(&honest, EXIT_NOT_CONFORMING, "PSGD-EF-003")), EXIT_NOT_CONFORMING);
    for (int code = -1; code <= EXIT_KIT_FAILED; code++)
        if (code != EXIT_CONFORMING && code != EXIT_NOT_CONFORMING)
            assert_int_equal(code_of(row_of(&fault_of_two, code, NULL), conforms), EXIT_KIT_FAILED);
    mutant_row unseen = killed;
    unseen.invisible = true;
    assert_int_equal(code_of(killed, unseen), EXIT_CONFORMING);
}

/* Every requirement that a port can break has a fault of its own that made it fail, but for one. */
static void test_a_requirement_without_a_fault(void **state)
{
    (void)state;
    size_t count;
    const requirement *all = requirements(&count);
    assert_true(count <= MATRIX_REQUIREMENTS);
    fault_entry entries[MATRIX_REQUIREMENTS];
    mutant_row rows[MATRIX_REQUIREMENTS];
    for (size_t i = 0; i < count; i++) {
        entries[i] = (fault_entry){.name = all[i].id, .requirements = all[i].id, .what = "."};
        rows[i] = row_of(&entries[i], EXIT_NOT_CONFORMING, all[i].id);
    }
    kill_matrix m = {.rows = rows, .count = count};
    assert_int_equal(kill_matrix_exit_code(&m), EXIT_CONFORMING);

    const size_t at = index_of("PSGD-AGG-003");
    rows[at].entry = &fault_of_two; /* which fails by another, and AGG-003 only along with it */
    rows[at].result.failures[index_of("PSGD-EF-001")] = 1;
    assert_int_equal(kill_matrix_lacking(&m), 1);
    assert_true(kill_matrix_lacks(&m, at));
    assert_int_equal(kill_matrix_exit_code(&m), EXIT_NOT_CONFORMING);
    m.way = MUTANTS_FILES;
    assert_int_equal(kill_matrix_lacking(&m), 0);
    m.way = MUTANTS_ABI;
    m.partial = true;
    assert_int_equal(kill_matrix_exit_code(&m), EXIT_CONFORMING);
}

/* By files those faults are left out, by name, that only the C ABI shows. */
static void test_invisible(void **state)
{
    (void)state;
    kill_matrix m;
    assert_true(kill_matrix_make(&m, MUTANTS_FILES));
    fault unchecked, shown;
    assert_true(fault_find(&unchecked, "start-iter-unchecked") && fault_find(&shown, "p-not-reduced"));
    assert_true(m.rows[unchecked].invisible);
    assert_false(m.rows[shown].invisible);
    assert_false(m.rows[FAULT_NONE].invisible);
    kill_matrix_free(&m);
    assert_true(kill_matrix_make(&m, MUTANTS_MPI));
    assert_int_equal(kill_matrix_count(&m, MUTANT_INVISIBLE), 0);
    kill_matrix_free(&m);
}

static void test_what_needs_no_fault(void **state)
{
    (void)state;
    const char *why_not;
    assert_false(requirement_wants_mutant(requirement_find("PSGD-CFG-001"), MUTANTS_ABI, &why_not));
    assert_non_null(why_not);
    assert_true(requirement_wants_mutant(requirement_find("PSGD-ROB-001"), MUTANTS_ABI, &why_not));
    assert_false(requirement_wants_mutant(requirement_find("PSGD-ROB-001"), MUTANTS_FILES, &why_not)); /* C ABI only */
    assert_false(requirement_wants_mutant(requirement_find("PSGD-FIL-001"), MUTANTS_ABI, &why_not));
    assert_true(requirement_wants_mutant(requirement_find("PSGD-FIL-001"), MUTANTS_FILES, &why_not));
}

/* What the lists say of themselves: every name once, and what a fault breaks are requirements that a port can break. */
static void test_lists(void **state)
{
    (void)state;
    kill_matrix m;
    assert_true(kill_matrix_make(&m, MUTANTS_ABI));
    assert_int_equal(m.count, FAULT_COUNT);
    for (size_t i = 0; i < m.count; i++) {
        const fault_entry *entry = m.rows[i].entry;
        fault found;
        assert_true(fault_find(&found, entry->name));
        assert_int_equal(found, i);
        assert_true(strlen(entry->what) > 10 && entry->what[strlen(entry->what) - 1] == '.');
        assert_int_equal(mutant_state_of(&m.rows[i]), MUTANT_UNJUDGED);
        char *list = strdup(entry->requirements), *rest = NULL;
        assert_non_null(list);
        for (char *id = strtok_r(list, " ", &rest); id != NULL; id = strtok_r(NULL, " ", &rest)) {
            const char *why_not;
            const requirement *broken = requirement_find(id);
            if (broken == NULL)
                fail_msg("%s breaks '%s', which is no requirement", entry->name, id);
            assert_true(requirement_wants_mutant(broken, broken->files_only ? MUTANTS_FILES : MUTANTS_ABI, &why_not));
        }
        free(list);
    }
    kill_matrix_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_states),
                                       cmocka_unit_test(test_exit_code),
                                       cmocka_unit_test(test_a_requirement_without_a_fault),
                                       cmocka_unit_test(test_invisible),
                                       cmocka_unit_test(test_what_needs_no_fault),
                                       cmocka_unit_test(test_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
