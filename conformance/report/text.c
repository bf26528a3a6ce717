/* text.c: the report for people: a header, counts per area, what failed, what was not shown, and one line that sums it
 * up. The same on a terminal and as a file, which has neither colours nor a width. */
#include "report/printable.h"
#include "report/text_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

/* Standard output. Under mpirun it looks like a terminal whatever it is. */
static paper standard_output(const run_report *r)
{
    const terminal t = r->mpi ? (terminal){0} : terminal_of(STDOUT_FILENO);
    return paper_on(stdout, &t);
}

static void print_header(paper *p, const run_report *r)
{
    char name[128], version[64], claims[256], path[256];
    const bool is_named = r->port.name[0] != '\0'; /* a command that left no result is not */
    claims_print(r->tested, claims, sizeof claims);
    paper_line(p, TEXT_INDENT, "%s %s, suite %d, vectors %lld (sha256 %.8s...)", KIT_NAME, PSGD_KIT_VERSION,
               SUITE_VERSION, r->vectors_version, r->vectors_sha256);
    paper_line(p, TEXT_INDENT, "port %s%s%s%s%s%s   claims %s   seed %" PRIu64 "%s",
               printable(path, sizeof path, r->implementation), is_named ? " \"" : "",
               printable(name, sizeof name, r->port.name), is_named ? " " : "",
               printable(version, sizeof version, r->port.version), is_named ? "\"" : "", claims, r->seed,
               r->mpi       ? "   ranks over MPI"
               : r->threads ? "   ranks as threads"
                            : "");
}

void report_text_header(const run_report *r)
{
    paper p = standard_output(r);
    print_header(&p, r);
}

static const char *why_nothing(const run_report *r)
{
    if (r->cases_run == 0)
        return "no case was run";
    return r->cases_compressed == 0 ? "no case compressed anything" : "no check was passed or failed";
}

static void print_counts(FILE *line, const run_report *r)
{
    const verdict_counts counts = verdict_count(r->verdict);
    const size_t *of = counts.by_state;
    fprintf(line, "%zu of %zu checks passed, %zu failed, ", of[CHECK_PASS],
            of[CHECK_PASS] + of[CHECK_FAIL] + of[CHECK_WAIVED], of[CHECK_FAIL]);
    if (of[CHECK_WAIVED] > 0)
        fprintf(line, "%zu waived, ", of[CHECK_WAIVED]);
    fprintf(line, "%zu skipped, %zu unobserved, %zu untrusted, %zu not run; %zu cases, %zu scenarios, %.1f s. ",
            of[CHECK_SKIP], of[CHECK_UNOBSERVED], of[CHECK_UNTRUSTED], of[CHECK_NOT_RUN], r->cases_run,
            r->scenarios_run, r->seconds);
}

static bool waivers_are_stale(const run_report *r)
{
    bool found = false;
    for (size_t i = 0; i < r->waiver_count; i++)
        found = found || WAIVER_IS_STALE(r->waivers[i].state);
    return found;
}

/* A choice of cases says nothing of claims of which nothing passed. */
static void print_conforming(FILE *line, const run_report *r, const verdict_counts *counts)
{
    char claims[256];
    claims_print(r->partial ? r->shown & r->tested : r->tested, claims, sizeof claims);
    fprintf(line, "Conforms%s%s: %s%s.", r->partial ? " as far as was asked" : "",
            counts->by_state[CHECK_WAIVED] > 0 ? ", with waivers" : "", claims,
            counts->by_state[CHECK_FAIL] > 0 ? " (only SHOULDs failed)" : "");
}

static void print_not_conforming(FILE *line, const run_report *r)
{
    const bool stale = waivers_are_stale(r);
    char claims[256];
    claims_print(r->failed != 0 || stale ? r->failed : r->tested, claims, sizeof claims);
    fprintf(line, PAPER_RED "Does not conform" PAPER_PLAIN ": %s%s%s.", claims, claims[0] != '\0' && stale ? "; " : "",
            stale ? "waivers are out of date" : "");
}

void text_last_line(paper *p, const run_report *r)
{
    const verdict_counts counts = verdict_count(r->verdict);
    FILE *line = paper_begin(p);
    print_counts(line, r);
    switch (r->exit_code) {
    case 0: print_conforming(line, r, &counts); break;
    case 1: print_not_conforming(line, r); break;
    case 3: fprintf(line, "Nothing was tested: %s.", why_nothing(r)); break;
    default: fprintf(line, "The kit could not finish."); break;
    }
    paper_end(p, PAPER_TEXT, TEXT_INDENT);
}

static void print_report(paper *p, const run_report *r, bool verbose)
{
    text_areas(p, r->verdict);
    if (verbose)
        text_details(p, r->verdict);
    text_failures(p, r, verbose);
    text_remarks(p, r, verbose);
}

bool report_text(const run_report *r, bool verbose, bool quiet)
{
    paper p = standard_output(r);
    if (!quiet)
        print_report(&p, r, verbose);
    text_last_line(&p, r);
    return fflush(stdout) == 0 && !ferror(stdout);
}

char *report_text_file(const run_report *r)
{
    static const terminal no_terminal = {0};
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return NULL;
    paper p = paper_on(stream, &no_terminal);
    print_header(&p, r);
    print_report(&p, r, r->verbose);
    text_last_line(&p, r);
    const bool whole = !ferror(stream);
    if (fclose(stream) != 0 || !whole) {
        free(text);
        return NULL;
    }
    if (size > 0 && text[size - 1] == '\n')
        text[size - 1] = '\0'; /* whoever writes the file ends the last line */
    return text;
}
