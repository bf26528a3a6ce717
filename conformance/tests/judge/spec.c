/* Holds conformance/SPEC.md against requirement_table.c: the same IDs in the same order, each with the same level,
 * claims, marks, sentence, source and rationale; and its table of limits against limits.c. The path of SPEC.md is
 * SPEC_FILE. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "judge/limits.h"
#include "judge/requirement.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *read_spec(void)
{
    FILE *file = fopen(SPEC_FILE, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    char *text = malloc((size_t)size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)size, file), (size_t)size);
    text[size] = '\0';
    fclose(file);
    return text;
}

/* The entry as SPEC.md must have it, heading included. */
static void print_entry(char *text, size_t size, const requirement *r)
{
    char claims[200];
    claims_print(r->claims, claims, sizeof claims);
    int length =
        snprintf(text, size, "### %s\n\n%s. Claims: %s.%s%s%s%s%s\n\n%s\n\nSource: %s. Why: %s\n", r->id,
                 r->level == LEVEL_MUST ? "MUST" : "SHOULD", claims,
                 r->layerwise_only ? " Not under `alternating`." : "", r->c_abi_only ? " C ABI only." : "",
                 r->files_only ? " Files only." : "", r->unit_test_only ? " Of `psgd.h` itself, by a unit test." : "",
                 r->has_check ? "" : " No check yet.", r->sentence, r->source, r->rationale);
    assert_true(length > 0 && (size_t)length < size);
}

static void entries_are_the_same(void **state)
{
    (void)state;
    char *text = read_spec();
    size_t count;
    const requirement *table = requirements(&count);
    const char *at = text;
    for (size_t i = 0; i < count; i++) {
        char entry[2048];
        at = strstr(at, "### ");
        if (at == NULL) {
            fail_msg("SPEC.md ends before %s", table[i].id);
        }
        print_entry(entry, sizeof entry, &table[i]);
        if (strncmp(at, entry, strlen(entry)) != 0) {
            fail_msg("SPEC.md has\n%.*s\nwhere the table has\n%s", (int)strlen(entry), at, entry);
        }
        at += strlen(entry);
    }
    if (strstr(at, "### ") != NULL) {
        fail_msg("SPEC.md has an entry that the table has not: %.40s", strstr(at, "### "));
    }
    free(text);
}

static void table_is_sound(void **state)
{
    (void)state;
    size_t count;
    const requirement *table = requirements(&count);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(requirement_find(table[i].id), &table[i]); /* no ID twice */
        assert_true(table[i].claims != 0);
        assert_true(strlen(table[i].sentence) > 20 && strlen(table[i].source) > 3 && strlen(table[i].rationale) > 10);
        size_t length = strlen(table[i].sentence);
        assert_int_equal(table[i].sentence[length - 1], '.');
    }
    assert_null(requirement_find("PSGD-XXX-001"));
}

/* A line of the table of limits, with the bars of its formula escaped as Markdown wants them. */
static void print_limit(char *line, size_t size, const limit_entry *entry)
{
    char formula[512];
    size_t length = 0;
    for (const char *at = entry->formula; *at != '\0'; at++) {
        assert_true(length + 3 < sizeof formula);
        if (*at == '|') {
            formula[length++] = '\\';
        }
        formula[length++] = *at;
    }
    formula[length] = '\0';
    (void)snprintf(line, size, "| %s | %s |", entry->row, formula);
}

static void limits_are_the_same(void **state)
{
    (void)state;
    char *text = read_spec(), line[700], numbers[64];
    for (int row = 0; row < LIMIT_COUNT; row++) {
        const limit_entry *entry = limit_of((limit_row)row);
        print_limit(line, sizeof line, entry);
        const char *found = strstr(text, line);
        if (found == NULL) {
            fail_msg("SPEC.md lacks the limit: %s", line);
            return;
        }
        double measured, limit, half_measured, half;
        (void)snprintf(numbers, sizeof numbers, "%.40s", found + strlen(line));
        if (entry->limit > 0) {
            assert_int_equal(sscanf(numbers, "%lf | %lf | %lf | %lf |", &measured, &limit, &half_measured, &half), 4);
            assert_true(measured == entry->measured && limit == entry->limit);
            assert_true(half_measured == entry->half_measured && half == entry->half);
        }
    }
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(entries_are_the_same), cmocka_unit_test(table_is_sound),
                                       cmocka_unit_test(limits_are_the_same)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
