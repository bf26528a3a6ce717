/* text.c: the report for people. Counts per area, then each failed requirement with its worst case, then what was not
 * shown. */
#include "harness/suite.h"
#include "report/printable.h"
#include "report/report.h"
#include "report/shell.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FAILURES_SHOWN 2 /* cases per requirement; --verbose shows all */
#define AREAS          32

/* Under mpirun standard output looks like a terminal whatever it is. */
static bool has_colour(const run_report *r)
{
    const char *no_color = getenv("NO_COLOR");
    return !r->mpi && isatty(STDOUT_FILENO) && (no_color == NULL || no_color[0] == '\0');
}

static const char *red(const run_report *r)
{
    return has_colour(r) ? "\033[1;31m" : "";
}

static const char *plain(const run_report *r)
{
    return has_colour(r) ? "\033[0m" : "";
}

void report_text_header(const run_report *r)
{
    char name[128], version[64], claims[256], path[256];
    claims_print(r->tested, claims, sizeof claims);
    printf("%s %s, suite %d, vectors %lld (sha256 %.8s...)\n", KIT_NAME, PSGD_KIT_VERSION, SUITE_VERSION,
           r->vectors_version, r->vectors_sha256);
    printf("port %s \"%s %s\"   claims %s   seed %" PRIu64 "%s\n", printable(path, sizeof path, r->implementation),
           printable(name, sizeof name, r->port.name), printable(version, sizeof version, r->port.version), claims,
           r->seed,
           r->mpi       ? "   ranks over MPI"
           : r->threads ? "   ranks as threads"
                        : "");
}

/* "PSGD-AGG-001" -> "AGG" */
static void area_of(char area[8], const check *c)
{
    const char *start = c->requirement->id + strlen("PSGD-");
    snprintf(area, 8, "%.*s", (int)strcspn(start, "-"), start);
}

static void print_areas(const verdict *v)
{
    char areas[AREAS][8];
    size_t passed[AREAS] = {0}, failed[AREAS] = {0}, count = 0;
    for (size_t i = 0; i < v->count; i++) {
        char area[8];
        area_of(area, &v->checks[i]);
        size_t at = 0;
        while (at < count && strcmp(areas[at], area) != 0)
            at++;
        if (at == AREAS)
            continue;
        if (at == count)
            memcpy(areas[count++], area, sizeof area);
        passed[at] += v->checks[i].state == CHECK_PASS;
        failed[at] += v->checks[i].state == CHECK_FAIL;
    }
    for (size_t i = 0, printed = 0; i < count; i++) {
        if (passed[i] + failed[i] == 0)
            continue;
        char text[64];
        snprintf(text, sizeof text, "%-4s %4zu passed", areas[i], passed[i]);
        if (failed[i] > 0)
            snprintf(text + strlen(text), sizeof text - strlen(text), " %4zu FAILED", failed[i]);
        printf("%s  %-30s", printed % 3 == 0 && printed > 0 ? "\n" : "", text);
        printed++;
    }
    printf("\n");
}

static void print_place(const check *c)
{
    const check_place *at = &c->place;
    if (at->step < 0 && at->stage == STAGE_NONE)
        return;
    printf("  first bad  ");
    if (at->step >= 0)
        printf("step %" PRId64 ", ", at->step);
    if (at->rank >= 0)
        printf("rank %" PRId64 ", ", at->rank);
    if (at->bucket >= 0)
        printf("bucket %" PRId64 ", ", at->bucket);
    if (at->tensor >= 0)
        printf("tensor %" PRId64 ", ", at->tensor);
    printf("stage %s", check_stage_name(at->stage));
    if (at->row >= 0 && at->column >= 0)
        printf(", element [%" PRId64 ",%" PRId64 "]", at->row, at->column);
    else if (at->row >= 0)
        printf(", element [%" PRId64 "]", at->row);
    if (!isnan(at->expected))
        printf(": got %.9g, expected %.9g", at->got, at->expected);
    else if (at->row >= 0)
        printf(": got %.9g", at->got);
    printf("\n");
}

static bool is_fixed_case(const char *id)
{
    const size_t count = suite_count();
    for (size_t i = 0; i < count; i++)
        if (strcmp(suite_at(i)->id, id) == 0)
            return true;
    return false;
}

static void print_argument(const char *name, const char *value)
{
    printf(" %s ", name);
    shell_print(stdout, value);
}

/* The command that runs this check once more. */
static void print_again(const run_report *r, const check *c)
{
    printf("  again      ");
    if (r->mpi)
        printf("mpirun -n %d ", r->ranks);
    printf("%s run", KIT_NAME);
    print_argument("--impl", r->implementation);
    if (r->claims_given) {
        char claims[256];
        claims_print(r->tested, claims, sizeof claims);
        print_argument("--claims", claims);
    }
    if (r->threads)
        print_argument("--ranks", "threads");
    if (r->golden != NULL)
        print_argument("--golden", r->golden);
    /* Random problems, and those of --case, have no name that lasts. */
    if (c->problem != NULL && !is_fixed_case(c->case_id))
        print_argument("--case", c->problem);
    else
        print_argument("--only", c->case_id);
    printf("\n");
}

static void print_failure(const run_report *r, const check *c)
{
    char text[600];
    printf("  case       %s", c->case_id);
    if (c->problem != NULL)
        printf("  %s", c->problem);
    printf("\n");
    print_place(c);
    if (c->limit > 0)
        printf("  ratio      %.3g (limit %.3g, row %s)\n", c->ratio, c->limit, c->row);
    if (c->message != NULL && c->message[0] != '\0')
        printf("  because    %s\n", printable(text, sizeof text, c->message));
    print_again(r, c);
}

/* A requirement without a law of its own is judged by everything in the cases that were made for it. */
static bool is_by_case(const check *c)
{
    return strcmp(c->row, "case") == 0;
}

/* This requirement's failures, the first few cases. Those judged by their cases only are left out unless verbose. */
static void print_failures_of(const run_report *r, const requirement *wanted, bool verbose)
{
    size_t shown = 0, failed = 0;
    for (size_t i = 0; i < r->verdict->count; i++) {
        const check *c = &r->verdict->checks[i];
        if (c->requirement != wanted || c->state != CHECK_FAIL || (is_by_case(c) && !verbose))
            continue;
        if (failed++ == 0)
            printf("%sFAILED %s%s  %s\n", red(r), wanted->id, plain(r), wanted->sentence);
        if (verbose || shown < FAILURES_SHOWN) {
            print_failure(r, c);
            shown++;
        }
    }
    if (failed > shown)
        printf("  and %zu more cases of %s (--verbose prints all)\n", failed - shown, wanted->id);
}

/* The requirements whose cases failed by what is printed above, one line for all of them: they are where to look, not
 * what broke. */
static void print_failures_by_case(const run_report *r)
{
    size_t count, listed = 0;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++) {
        size_t failed = 0;
        for (size_t j = 0; j < r->verdict->count; j++) {
            const check *c = &r->verdict->checks[j];
            failed += c->requirement == &all[i] && c->state == CHECK_FAIL && is_by_case(c);
        }
        if (failed > 0)
            printf("%s%s (%zu)", listed++ == 0 ? "Among the failed cases are those made for: " : ", ", all[i].id,
                   failed);
    }
    if (listed > 0)
        printf("\n");
}

static void print_failures(const run_report *r, bool verbose)
{
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++)
        print_failures_of(r, &all[i], verbose);
    if (!verbose)
        print_failures_by_case(r);
}

/* Why claims fail, a line each. That a requirement failed has been said above; what is left is what no case has shown.
 */
static void print_reasons(const char *reasons, bool verbose)
{
    static const char said[] = " failed";
    for (size_t length; *reasons != '\0'; reasons += length + (reasons[length] == '\n')) {
        length = strcspn(reasons, "\n");
        const bool is_said =
            length >= strlen(said) && strncmp(reasons + length - strlen(said), said, strlen(said)) == 0;
        if (verbose || !is_said)
            printf("%.*s\n", (int)length, reasons);
    }
}

static void print_every_check(const verdict *v)
{
    for (size_t i = 0; i < v->count; i++) {
        const check *c = &v->checks[i];
        char text[200];
        printf("  %-10s %-14s row %-10s ratio %-9.3g limit %-9.3g n %-5zu %s %s\n", check_state_name(c->state),
               c->requirement->id, c->row, c->ratio, c->limit, c->measured, c->case_id,
               c->state == CHECK_PASS ? "" : printable(text, sizeof text, c->message));
    }
}

static void print_rows(const verdict *v)
{
    printf("largest ratio per row of limits and type (row: ratio / limit, case)\n");
    for (size_t t = 0; t < REPORT_TYPES; t++) {
        row_maximum rows[ROW_MAXIMA];
        const size_t count = report_row_maxima(rows, v, report_types[t]);
        for (size_t i = 0; i < count; i++)
            printf("  %-4s %-10s %9.3g / %-6.3g %5zu checks   %s\n", report_types[t], rows[i].row, rows[i].ratio,
                   rows[i].limit, rows[i].checks, rows[i].case_id);
    }
}

/* A type without a passed check of any requirement was not part of the run. */
static void print_trusted(const verdict *v)
{
    size_t count;
    const requirement *all = requirements(&count);
    printf("passed checks per requirement and type\n");
    for (size_t i = 0; i < count; i++) {
        size_t passed = 0;
        char text[64] = "";
        for (size_t t = 0; t < REPORT_TYPES; t++) {
            const size_t of_type = report_trusted(v, &all[i], report_types[t]), used = strlen(text);
            snprintf(text + used, sizeof text - used, "  %s %-4zu", report_types[t], of_type);
            passed += of_type;
        }
        if (passed > 0)
            printf("  %s%s\n", all[i].id, text);
    }
}

/* Requirements that no passing check shows: without a check, unobserved, untrusted. */
static void print_not_shown(const run_report *r)
{
    size_t count;
    const requirement *all = requirements(&count);
    static const check_state states[] = {CHECK_UNOBSERVED, CHECK_UNTRUSTED, CHECK_NOT_RUN};
    for (size_t k = 0; k < sizeof states / sizeof states[0]; k++) {
        bool first = true;
        for (size_t i = 0; i < count; i++) {
            bool in_state = false, shown = false;
            for (size_t j = 0; j < r->verdict->count; j++) {
                const check *c = &r->verdict->checks[j];
                if (c->requirement != &all[i])
                    continue;
                in_state = in_state || c->state == states[k];
                shown = shown || c->state == CHECK_PASS || c->state == CHECK_FAIL;
            }
            if (!in_state || shown)
                continue;
            printf("%s%s %s", first ? check_state_name(states[k]) : "", first ? " only:" : ",", all[i].id);
            first = false;
        }
        if (!first)
            printf("\n");
    }
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        const bool wanted = (all[i].claims & ~r->tested) == 0 && all[i].level == LEVEL_MUST;
        if (all[i].has_check || all[i].unit_test_only || !wanted)
            continue;
        printf("%s%s", first ? "MUSTs without a check yet: " : ", ", all[i].id);
        first = false;
    }
    if (!first)
        printf("\n");
}

static void print_skips(const verdict *v)
{
    const char *seen[16];
    size_t counts[16] = {0}, count = 0;
    for (size_t i = 0; i < v->count; i++) {
        if (v->checks[i].state != CHECK_SKIP || v->checks[i].message == NULL)
            continue;
        size_t at = 0;
        while (at < count && strcmp(seen[at], v->checks[i].message) != 0)
            at++;
        if (at == sizeof seen / sizeof seen[0])
            continue;
        if (at == count)
            seen[count++] = v->checks[i].message;
        counts[at]++;
    }
    for (size_t i = 0; i < count; i++) {
        char text[200];
        printf("skipped %zu: %s\n", counts[i], printable(text, sizeof text, seen[i]));
    }
}

static const char *why_nothing(const run_report *r)
{
    if (r->cases_run == 0)
        return "no case was run";
    return r->cases_compressed == 0 ? "no case compressed anything" : "no check was passed or failed";
}

static void print_last_line(const run_report *r)
{
    const verdict_counts counts = verdict_count(r->verdict);
    const size_t judged = counts.by_state[CHECK_PASS] + counts.by_state[CHECK_FAIL];
    char failed[256], tested[256];
    claims_print(r->failed, failed, sizeof failed);
    claims_print(r->tested, tested, sizeof tested);
    printf("%zu of %zu checks passed, %zu failed, %zu skipped, %zu unobserved, %zu untrusted, %zu not run; %zu cases, "
           "%zu scenarios, %.1f s. ",
           counts.by_state[CHECK_PASS], judged, counts.by_state[CHECK_FAIL], counts.by_state[CHECK_SKIP],
           counts.by_state[CHECK_UNOBSERVED], counts.by_state[CHECK_UNTRUSTED], counts.by_state[CHECK_NOT_RUN],
           r->cases_run, r->scenarios_run, r->seconds);
    switch (r->exit_code) {
    case 0:
        printf("Conforms%s: %s%s.\n", r->partial ? " as far as was asked" : "", tested,
               counts.by_state[CHECK_FAIL] > 0 ? " (only SHOULDs failed)" : "");
        break;
    case 1: printf("%sDoes not conform%s: %s.\n", red(r), plain(r), failed[0] != '\0' ? failed : tested); break;
    case 3: printf("Nothing was tested: %s.\n", why_nothing(r)); break;
    default: printf("The kit could not finish.\n"); break;
    }
}

bool report_text(const run_report *r, bool verbose, bool quiet)
{
    if (!quiet) {
        print_areas(r->verdict);
        if (verbose) {
            print_every_check(r->verdict);
            print_rows(r->verdict);
            print_trusted(r->verdict);
        }
        print_failures(r, verbose);
        if (r->failed != 0 && r->reasons != NULL)
            print_reasons(r->reasons, verbose);
        if (r->out_of_reach != 0) {
            char names[256];
            claims_print(r->out_of_reach, names, sizeof names);
            printf("Not tested, for want of ranks: %s (mpirun gave %d).\n", names, r->ranks);
        }
        if (r->stopped)
            printf("Two cases timed out: the rest was not run.\n");
        if (!r->partial)
            print_not_shown(r);
        print_skips(r->verdict);
    }
    print_last_line(r);
    return fflush(stdout) == 0 && !ferror(stdout);
}
