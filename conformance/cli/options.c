/* options.c: reads the command line. A table of options; one function per kind of value. */
#include "cli/options.h"

#include "cli/suggest.h"
#include "judge/requirement.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef bool option_setter(options *o, const char *value);

typedef struct option {
    const char *name;
    const char *value_name; /* null: takes none */
    option_setter *set;
    const char *commands; /* those that take it, space-separated; null: all */
    const char *help;
} option;

static bool complain(const options *o, const char *option_name, const char *value, const char *expected)
{
    fprintf(o->errors, "psgd-conform: %s: '%s' is not %s\n", option_name, value, expected);
    return false;
}

static bool word_list_add(const options *o, word_list *list, const char *word)
{
    const char **words = realloc(list->words, (list->count + 1) * sizeof *words);
    if (words == NULL) {
        fprintf(o->errors, "psgd-conform: out of memory\n");
        return false;
    }
    list->words = words;
    list->words[list->count++] = word;
    return true;
}

static bool parse_count(int64_t *result, const char *text)
{
    if (text[0] == '\0' || text[strspn(text, "0123456789")] != '\0')
        return false;
    errno = 0;
    const long long value = strtoll(text, NULL, 10);
    if (errno != 0)
        return false;
    *result = value;
    return true;
}

static bool set_implementation(options *o, const char *value)
{
    o->implementation = value;
    return true;
}

static bool set_claims(options *o, const char *value)
{
    const char *bad = NULL;
    if (claims_parse(&o->claims, value, &bad)) {
        o->claims_given = o->claims != 0;
        return o->claims_given || complain(o, "--claims", value, "a list of claims, such as core,ef");
    }
    const size_t length = strcspn(bad, " ,");
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), bad);
    const char *near = NULL;
    for (int bit = 0; bit < 64; bit++) {
        const char *name = claim_name((uint64_t)1 << bit);
        if (claim_parse(name, strlen(name)) != 0)
            suggest(&near, word, name);
    }
    fprintf(o->errors, "psgd-conform: --claims: unknown claim '%s'", word);
    if (near != NULL)
        fprintf(o->errors, "; did you mean '%s'?", near);
    char all[256];
    claims_print(UINT64_MAX, all, sizeof all);
    fprintf(o->errors, "\nclaims are: %s\n", all);
    return false;
}

static bool set_only(options *o, const char *value)
{
    return word_list_add(o, &o->only, value);
}

static bool set_case(options *o, const char *value)
{
    return word_list_add(o, &o->cases, value);
}

static bool set_quick(options *o, const char *value)
{
    (void)value;
    o->quick = true;
    return true;
}

static bool set_quiet(options *o, const char *value)
{
    (void)value;
    o->quiet = true;
    return true;
}

static bool set_verbose(options *o, const char *value)
{
    (void)value;
    o->verbose = true;
    return true;
}

static bool set_with_q0(options *o, const char *value)
{
    (void)value;
    o->with_q0 = true;
    return true;
}

static bool set_seed(options *o, const char *value)
{
    int64_t seed;
    if (!parse_count(&seed, value))
        return complain(o, "--seed", value, "a whole number from 0 on");
    o->seed = (uint64_t)seed;
    return true;
}

static bool set_fuzz(options *o, const char *value)
{
    if (!parse_count(&o->fuzz, value) || o->fuzz > FUZZ_MOST)
        return complain(o, "--fuzz", value, "a whole number from 0 to 1000000");
    return true;
}

static bool set_ranks(options *o, const char *value)
{
    o->ranks_given = true;
    o->threads = strcmp(value, "threads") == 0;
    return o->threads || strcmp(value, "processes") == 0 || complain(o, "--ranks", value, "processes or threads");
}

static bool set_way(options *o, const char *value)
{
    static const char *const names[] = {[MUTANTS_ABI] = "abi", [MUTANTS_FILES] = "files", [MUTANTS_MPI] = "mpi"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(value, names[i]) == 0) {
            o->way = (mutants_way)i;
            return true;
        }
    return complain(o, "--way", value, "abi, files or mpi");
}

static bool set_timeout(options *o, const char *value)
{
    char *end;
    o->timeout = strtod(value, &end);
    if (end == value || *end != '\0' || !(o->timeout > 0 && o->timeout <= 86400))
        return complain(o, "--timeout", value, "a number of seconds above 0, up to 86400");
    return true;
}

static bool unknown_format(const options *o, const char *value, size_t length)
{
    char word[64];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), value);
    const char *near = NULL;
    fprintf(o->errors, "psgd-conform: --report: unknown format '%s'", word);
    for (size_t i = 0; report_format_at(i) != NULL; i++)
        suggest(&near, word, report_format_at(i)->name);
    if (near != NULL)
        fprintf(o->errors, "; did you mean '%s'?", near);
    fprintf(o->errors, "\nformats are:");
    for (size_t i = 0; report_format_at(i) != NULL; i++)
        fprintf(o->errors, " %s", report_format_at(i)->name);
    fprintf(o->errors, "\n");
    return false;
}

static bool set_report(options *o, const char *value)
{
    const size_t length = strcspn(value, "=");
    if (value[length] != '=' || value[length + 1] == '\0')
        return complain(o, "--report", value, "of the form FORMAT=FILE, such as json=report.json");
    const report_format *format = report_format_find(value, length);
    if (format == NULL)
        return unknown_format(o, value, length);
    report_file *reports = realloc(o->reports, (o->report_count + 1) * sizeof *reports);
    if (reports == NULL) {
        fprintf(o->errors, "psgd-conform: out of memory\n");
        return false;
    }
    o->reports = reports;
    const char *path = value + length + 1;
    for (size_t i = 0; i < o->report_count; i++)
        if (strcmp(o->reports[i].path, path) == 0 || o->reports[i].format == format) {
            fprintf(o->errors, "psgd-conform: --report: two %s: '%s=%s' and '%s'\n",
                    o->reports[i].format == format ? "reports of one format" : "reports into one file",
                    o->reports[i].format->name, o->reports[i].path, value);
            return false;
        }
    o->reports[o->report_count++] = (report_file){.format = format, .path = path};
    return true;
}

static bool set_exec(options *o, const char *value)
{
    o->exec = value;
    return value[strspn(value, " \t")] != '\0' || complain(o, "--exec", value, "a command");
}

static bool set_waivers(options *o, const char *value)
{
    o->waivers = value;
    return true;
}

static bool set_golden(options *o, const char *value)
{
    o->golden = value;
    return true;
}

static const option OPTIONS[] = {
    {"--impl", "NAME", set_implementation, "run",
     "the port: ref, faulty:NAME, honest:NAME, or the path of a shared object"},
    {"--exec", "COMMAND", set_exec, "run", "instead: a command that gets a folder of cases and leaves results there"},
    {"--claims", "LIST", set_claims, "run check list export", "test these claims, not those that the port makes"},
    {"--only", "GLOB", set_only, "run check list export mutants",
     "only cases or requirements (mutants: faults) of this name; repeatable"},
    {"--case", "PROBLEM", set_case, "run show export", "this problem only; repeatable"},
    {"--quick", NULL, set_quick, "run list export mutants", "a subset that touches every requirement in seconds"},
    {"--fuzz", "N", set_fuzz, "run list export",
     "add N random problems (default 50; 5 with --quick; 0 with --case and for list)"},
    {"--seed", "N", set_seed, "run list export", "seed of the random problems (default 1)"},
    {"--ranks", "KIND", set_ranks, "run", "each rank of a case is one of these: processes (default), threads"},
    {"--way", "WAY", set_way, "mutants", "judge each through: abi (--impl, the default), files (--exec), mpi (mpirun)"},
    {"--timeout", "SECONDS", set_timeout, "run mutants",
     "time limit of a case (default 60; mutants 20), or of the whole --exec command (default 600)"},
    {"--report", "FORMAT=FILE", set_report, "run check mutants",
     "write a report: json, junit, text, statement, statement-json; repeatable"},
    {"--waive", "FILE", set_waivers, "run check", "failures that are known, each with a reason and a date"},
    {"--golden", "FOLDER", set_golden, "run check list show export mutants", "where the golden files are"},
    {"--with-q0", NULL, set_with_q0, "export", "write the drawn Q into cases that test the seeding too"},
    {"--quiet", NULL, set_quiet, "run check export mutants", "print the last line only"},
    {"--verbose", NULL, set_verbose, "run check list mutants", "print every check"},
};
#define OPTION_COUNT (sizeof OPTIONS / sizeof OPTIONS[0])

static const char *const COMMANDS[][2] = {
    {"run", "--impl NAME [options]       judge an implementation of PowerSGD"},
    {"run", "--exec COMMAND [options]    the same of any program: it is given a folder of cases"},
    {"list", "[options]                  requirements, cases and scenarios, a line each"},
    {"show", "ID | --case PROBLEM        a case, scenario or requirement in detail"},
    {"explain", "REQUIREMENT | FAULT     what it means, where it comes from, what checks it; what a fault breaks"},
    {"export", "DIR [options]            write the cases as files, for a port that reads files"},
    {"check", "DIR [options]             judge the results that it left there"},
    {"mutants", "[options]               the kit judged: does it find every known fault?"},
};
#define COMMAND_COUNT (sizeof COMMANDS / sizeof COMMANDS[0])

void usage_print(void)
{
    printf("psgd-conform: is this implementation of PowerSGD right, and if not, where is it wrong?\n\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        printf("  psgd-conform %s %s\n", COMMANDS[i][0], COMMANDS[i][1]);
    printf("  mpirun -n 4 psgd-conform run ...     the same cases over real MPI ranks\n\n");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        char left[64];
        snprintf(left, sizeof left, "%s %s", OPTIONS[i].name,
                 OPTIONS[i].value_name != NULL ? OPTIONS[i].value_name : "");
        printf("  %-20s %s (%s)\n", left, OPTIONS[i].help, OPTIONS[i].commands);
    }
    printf(
        "\nExit codes: 0 conforms; 1 does not conform; 2 usage; 3 nothing was tested; 4 the port could not be loaded;\n"
        "5 the kit could not do its work. conformance/README.md has the grammar of problem strings.\n");
}

static bool takes(const option *candidate, const char *command)
{
    const size_t length = strlen(command);
    for (const char *at = candidate->commands; (at = strstr(at, command)) != NULL; at += length)
        if ((at == candidate->commands || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool parse_option(options *o, int argc, char **argv, int *at)
{
    const char *word = argv[*at];
    const size_t length = strcspn(word, "=");
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)(length < sizeof name ? length : sizeof name - 1), word);
    const char *near = NULL;
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const option *candidate = &OPTIONS[i];
        if (strlen(candidate->name) != length || strncmp(candidate->name, word, length) != 0) {
            suggest(&near, name, candidate->name);
            continue;
        }
        if (!takes(candidate, o->command)) {
            fprintf(o->errors, "psgd-conform: %s does not go with '%s' (it goes with: %s)\n", candidate->name,
                    o->command, candidate->commands);
            return false;
        }
        const char *value = word[length] == '=' ? word + length + 1 : NULL;
        if (candidate->value_name == NULL && value != NULL) {
            fprintf(o->errors, "psgd-conform: %s takes no value\n", candidate->name);
            return false;
        }
        if (candidate->value_name != NULL && value == NULL) {
            if (*at + 1 >= argc || strncmp(argv[*at + 1], "--", 2) == 0) {
                fprintf(o->errors, "psgd-conform: %s needs a value: %s\n", candidate->name, candidate->value_name);
                return false;
            }
            value = argv[++*at];
        }
        return candidate->set(o, value);
    }
    fprintf(o->errors, "psgd-conform: unknown option '%s'", name);
    if (near != NULL)
        fprintf(o->errors, "; did you mean '%s'?", near);
    fprintf(o->errors, " (psgd-conform --help lists them)\n");
    return false;
}

static bool parse_command(options *o, const char *word)
{
    const char *near = NULL;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(word, COMMANDS[i][0]) == 0) {
            o->command = COMMANDS[i][0];
            return true;
        }
        suggest(&near, word, COMMANDS[i][0]);
    }
    fprintf(o->errors, "psgd-conform: unknown command '%s'", word);
    if (near != NULL)
        fprintf(o->errors, "; did you mean '%s'?", near);
    fprintf(o->errors, " (psgd-conform --help lists them)\n");
    return false;
}

static bool takes_folder(const options *o)
{
    return strcmp(o->command, "export") == 0 || strcmp(o->command, "check") == 0;
}

/* How many words each command takes besides options. */
static bool check_positional(const options *o)
{
    const bool is_show = strcmp(o->command, "show") == 0;
    const bool wants_one = strcmp(o->command, "explain") == 0 || takes_folder(o) || (is_show && o->cases.count == 0);
    const size_t wanted = wants_one ? 1 : 0;
    if (o->positional.count > wanted) {
        fprintf(o->errors, "psgd-conform %s: unexpected word '%s'\n", o->command, o->positional.words[wanted]);
        return false;
    }
    if (o->positional.count < wanted) {
        fprintf(o->errors, "psgd-conform %s: %s is missing (psgd-conform --help)\n", o->command,
                takes_folder(o) ? "the folder" : "what to look up");
        return false;
    }
    return true;
}

static bool check_port(const options *o)
{
    if (strcmp(o->command, "run") != 0)
        return true;
    if (o->implementation == NULL && o->exec == NULL) {
        fprintf(o->errors,
                "psgd-conform run: the port is missing: --impl NAME (ref, or the path of a shared object) or "
                "--exec COMMAND\n");
        return false;
    }
    if (o->exec == NULL)
        return true;
    const char *other = o->implementation != NULL ? "--impl" : o->ranks_given ? "--ranks" : NULL;
    if (other != NULL)
        fprintf(o->errors, "psgd-conform run: --exec and %s do not go together: the command brings its own\n", other);
    return other == NULL;
}

static bool check_together(const options *o)
{
    if (o->cases.count == 0 || o->only.count == 0)
        return true;
    fprintf(o->errors, "psgd-conform: --case and --only do not go together: --case '%s' already says what is run\n",
            o->cases.words[0]);
    return false;
}

bool options_parse(options *o, int argc, char **argv, FILE *errors)
{
    *o = (options){.errors = errors, .seed = SEED_DEFAULT, .fuzz = -1, .timeout = -1};
    if (argc < 2) {
        fprintf(o->errors, "psgd-conform: a command is missing (psgd-conform --help lists them)\n");
        return false;
    }
    if (!parse_command(o, argv[1]))
        return false;
    for (int at = 2; at < argc; at++) {
        const bool is_option = argv[at][0] == '-' && argv[at][1] != '\0';
        if (is_option ? !parse_option(o, argc, argv, &at) : !word_list_add(o, &o->positional, argv[at]))
            return false;
    }
    /* Which random problems a run has depends on the port's claims: a list has them on request only. */
    if (o->fuzz < 0)
        o->fuzz = o->cases.count > 0 || strcmp(o->command, "list") == 0 ? 0 : o->quick ? FUZZ_QUICK : FUZZ_DEFAULT;
    if (o->timeout < 0)
        o->timeout = o->exec != NULL                      ? TIMEOUT_COMMAND
                     : strcmp(o->command, "mutants") == 0 ? TIMEOUT_MUTANT
                                                          : TIMEOUT_CASE;
    return check_positional(o) && check_port(o) && check_together(o);
}

void options_free(options *o)
{
    free(o->positional.words);
    free(o->only.words);
    free(o->cases.words);
    free(o->reports);
    *o = (options){0};
}
