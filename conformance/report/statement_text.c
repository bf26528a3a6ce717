/* statement_text.c: the statement of conformance for people, in lines of any length. */
#include "report/command_line.h"
#include "report/environment.h"
#include "report/printable.h"
#include "report/statement.h"

#include <stdlib.h>
#include <string.h>

static void print_entry(FILE *file, const char *name, const char *value)
{
    char text[512];
    fprintf(file, "%-16s%s\n", name, value != NULL && value[0] != '\0' ? printable(text, sizeof text, value) : "-");
}

static void print_claims(FILE *file, const char *name, uint64_t claims)
{
    char names[256];
    claims_print(claims, names, sizeof names);
    print_entry(file, name, names);
}

static void print_who(FILE *file, const run_report *r)
{
    static const char *const ways[] = {[WAY_IMPLEMENTATION] = "C ABI, a shared object in the kit's processes",
                                       [WAY_FILES] = "files, made elsewhere",
                                       [WAY_COMMAND] = "files, made by a command that the kit ran"};
    char text[400], date[ENVIRONMENT_DATE];
    snprintf(text, sizeof text, "%s %s", r->port.name, r->port.version);
    print_entry(file, "port", text);
    print_entry(file, "found at", r->implementation);
    print_entry(file, "way in", ways[r->way]);
    print_entry(file, "date", environment_date(date));
    snprintf(text, sizeof text, "%s %s, suite %d", KIT_NAME, PSGD_KIT_VERSION, SUITE_VERSION);
    print_entry(file, "kit", text);
    snprintf(text, sizeof text, "version %lld, sha256 %s", r->vectors_version, r->vectors_sha256);
    print_entry(file, "vectors", text);
}

static void print_all_claims(FILE *file, const run_report *r)
{
    fputs("\nclaims\n", file);
    print_claims(file, "  made", r->port.claims);
    print_claims(file, "  tested", r->tested);
    print_claims(file, "  conforming", statement_conforming(r));
    print_claims(file, "  failed", r->failed);
    print_claims(file, "  not tested", statement_untested(r));
    print_claims(file, "  out of reach", r->out_of_reach);
}

static void print_list(FILE *file, const run_report *r, const statement_list *list)
{
    size_t count, listed = 0;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++) {
        const size_t checks = statement_count(r, list, &all[i]);
        if (checks == 0)
            continue;
        if (listed++ == 0)
            fprintf(file, "  %-14s", list->name);
        fprintf(file, "%s%s (%zu)", listed == 1 ? "" : ", ", all[i].id, checks);
    }
    if (listed > 0)
        fputc('\n', file);
}

static void print_counts(FILE *file, const run_report *r)
{
    const verdict_counts counts = verdict_count(r->verdict);
    fputs("\nchecks\n ", file);
    for (int state = CHECK_PASS; state < CHECK_STATES; state++)
        fprintf(file, " %zu %s%s", counts.by_state[state], check_state_name((check_state)state),
                state + 1 < CHECK_STATES ? "," : "\n");
    fprintf(file, "  %zu cases, %zu of them with PyTorch's results, %zu scenarios\n", r->cases_run, r->golden_run,
            r->scenarios_run);
    for (size_t i = 0; i < STATEMENT_LISTS; i++)
        print_list(file, r, &statement_lists[i]);
}

static void print_waivers(FILE *file, const run_report *r)
{
    fprintf(file, "\nwaivers%s\n", r->waiver_count == 0 ? "         none" : "");
    for (size_t i = 0; i < r->waiver_count; i++) {
        const report_waiver *w = &r->waivers[i];
        char of[128], in[256], reason[400];
        fprintf(file, "  %s in %s, to %s, %zu failures%s: %s\n",
                printable(of, sizeof of, w->requirement != NULL ? w->requirement : "any requirement"),
                printable(in, sizeof in, w->case_id != NULL ? w->case_id : "any case"), w->expires, w->waived,
                WAIVER_IS_STALE(w->state) ? " (out of date)" : "", printable(reason, sizeof reason, w->reason));
    }
}

static void print_environment(FILE *file, const run_report *r)
{
    char text[400];
    const char *blas = environment_blas(r);
    fputs("\nenvironment\n", file);
    print_entry(file, "  processor", environment_processor(text, sizeof text));
    snprintf(text, sizeof text, "%ld", environment_processors());
    print_entry(file, "  processors", text);
    print_entry(file, "  system", environment_system(text, sizeof text));
    print_entry(file, "  BLAS", blas == NULL ? "not known" : blas[0] == '\0' ? "no shared library" : blas);
    if (r->way == WAY_IMPLEMENTATION) {
        print_entry(file, "  MPI", r->mpi ? r->port.mpi : "not used");
        snprintf(text, sizeof text, "%s, up to %d", environment_ranks_as(r), r->ranks);
    } else {
        print_entry(file, "  MPI", "not known");
        snprintf(text, sizeof text, "the port's own");
    }
    print_entry(file, "  ranks", text);
    for (size_t i = 0; ENVIRONMENT_VARIABLES[i] != NULL; i++) {
        const char *value = environment_variable(r, ENVIRONMENT_VARIABLES[i]);
        if (value == NULL)
            continue;
        snprintf(text, sizeof text, "%s=%.300s", ENVIRONMENT_VARIABLES[i], value);
        print_entry(file, "  variable", text);
    }
}

static void print_statement(FILE *file, const run_report *r)
{
    fputs("Statement of conformance to PowerSGD\n\n", file);
    statement_sentence(file, r);
    fputc('\n', file);
    for (size_t i = 0; statement_lack(r, i) != NULL; i++)
        fprintf(file, "  %s\n", statement_lack(r, i));
    fputc('\n', file);
    print_who(file, r);
    print_all_claims(file, r);
    print_counts(file, r);
    print_waivers(file, r);
    print_environment(file, r);
    fputs("\ncommand\n  ", file);
    command_line_print(file, r);
}

char *report_statement(const run_report *r)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    if (file == NULL)
        return NULL;
    print_statement(file, r);
    const bool whole = !ferror(file);
    if (fclose(file) == 0 && whole)
        return text;
    free(text);
    return NULL;
}
