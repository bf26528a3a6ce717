/* report_check.c: `report_check REPORT golden MANIFEST` holds a JSON report against the golden files: each that the
 * tested claims allow was judged, and passed a check; the suite's golden cases and the manifest's files are the same.
 * `report_check REPORT ranks N` holds the report of an mpirun of N ranks against the suite: exactly the cases and
 * scenarios that need more are skipped for that. */
#include "report_claims.h"

#include "harness/problem.h"
#include "harness/scenario.h"
#include "harness/suite.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong; /* of this one-shot program */

static void expect(bool holds, const char *what, const char *name)
{
    if (holds)
        return;
    wrong++;
    printf("WRONG: %s: %s\n", name, what);
}

static const char *string_of(const json_t *object, const char *key)
{
    const char *value = json_string_value(json_object_get(object, key));
    return value != NULL ? value : "";
}

/* How many checks of this case are in the state; reason: null, or what the message must be. */
static size_t count_checks(const json_t *report, const char *case_id, const char *state, const char *reason)
{
    size_t i, found = 0;
    json_t *check;
    json_array_foreach(json_object_get(report, "checks"), i, check)
    {
        if (strcmp(string_of(check, "case"), case_id) != 0 || strcmp(string_of(check, "state"), state) != 0)
            continue;
        found += reason == NULL || strcmp(string_of(check, "message"), reason) == 0;
    }
    return found;
}

/* Ranks and claims of a case of the suite. */
static uint64_t needs(const suite_case *c, int *ranks)
{
    problem p;
    problem_error error;
    if (!problem_parse(&p, c->problem, &error)) {
        expect(false, error.message, c->id);
        *ranks = 1;
        return c->claims;
    }
    const uint64_t claims = c->claims | problem_claims(&p);
    *ranks = p.of_world;
    problem_free(&p);
    return claims;
}

static void check_golden(const json_t *report, const json_t *manifest)
{
    const uint64_t tested = tested_claims(report);
    const json_t *files = json_object_get(manifest, "files");
    const size_t count = suite_count();
    size_t golden = 0, expected = 0, listed = 0;
    for (size_t i = 0; i < count; i++) {
        if (!suite_at(i)->golden)
            continue;
        golden++;
        char name[256];
        snprintf(name, sizeof name, "%s.safetensors", suite_at(i)->id);
        expect(json_object_get(files, name) != NULL, "a golden case that the manifest does not list", suite_at(i)->id);
        int ranks;
        if ((needs(suite_at(i), &ranks) & ~tested) != 0)
            continue;
        expected++;
        expect(count_checks(report, suite_at(i)->id, "pass", NULL) > 0, "a golden case without a passed check",
               suite_at(i)->id);
        expect(count_checks(report, suite_at(i)->id, "fail", NULL) == 0, "a golden case that failed", suite_at(i)->id);
        expect(count_checks(report, suite_at(i)->id, "skip", NULL) == 0, "a golden case that was skipped",
               suite_at(i)->id);
    }
    const char *name;
    json_t *entry;
    json_object_foreach((json_t *)(uintptr_t)files, name, entry)
    {
        const bool is_case = strncmp(name, "draws-", 6) != 0 && strncmp(name, "rec-", 4) != 0;
        listed += is_case;
    }
    expect(listed == golden, "the manifest lists more or fewer cases than the suite has golden ones", "MANIFEST.json");
    expect(expected > 50, "too few golden cases", "suite");
    const json_t *counts = json_object_get(report, "counts");
    expect(json_integer_value(json_object_get(counts, "golden cases")) == (json_int_t)expected,
           "the count of golden cases is not that of the suite", "counts");
    printf("%zu golden cases, %zu of them within the tested claims\n", golden, expected);
}

static void check_item(const json_t *report, const char *id, int needed, int ranks)
{
    static const char reason[] = "more ranks needed than mpirun gave";
    const size_t skipped = count_checks(report, id, "skip", reason);
    if (needed > ranks)
        expect(skipped > 0 && count_checks(report, id, "pass", NULL) == 0, "needs more ranks but is not skipped", id);
    else
        expect(skipped == 0, "is skipped though the ranks are there", id);
}

static void check_ranks(const json_t *report, int ranks)
{
    size_t count = suite_count();
    for (size_t i = 0; i < count; i++) {
        int needed;
        needs(suite_at(i), &needed);
        check_item(report, suite_at(i)->id, needed, ranks);
    }
    const scenario *all = scenarios(&count);
    for (size_t i = 0; i < count; i++)
        check_item(report, all[i].id, all[i].world, ranks);
    const json_t *environment = json_object_get(report, "environment");
    expect(json_is_true(json_object_get(environment, "mpi")), "is no report of an mpirun", "environment");
    expect(json_integer_value(json_object_get(environment, "ranks")) == ranks, "has other ranks", "environment");
}

static json_t *load(const char *path)
{
    json_error_t error;
    json_t *root = json_load_file(path, JSON_REJECT_DUPLICATES, &error);
    expect(root != NULL, error.text, path);
    return root;
}

int main(int argc, char **argv)
{
    const bool golden = argc == 4 && strcmp(argv[2], "golden") == 0;
    if (!golden && (argc != 4 || strcmp(argv[2], "ranks") != 0)) {
        fprintf(stderr, "usage: report_check REPORT golden MANIFEST | report_check REPORT ranks N\n");
        return 2;
    }
    json_t *report = load(argv[1]);
    json_t *manifest = golden ? load(argv[3]) : NULL;
    if (report != NULL && manifest != NULL)
        check_golden(report, manifest);
    else if (report != NULL && !golden)
        check_ranks(report, (int)strtol(argv[3], NULL, 10));
    json_decref(report);
    json_decref(manifest);
    printf("%d wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
