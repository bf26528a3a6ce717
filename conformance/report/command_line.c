/* command_line.c: see command_line.h. */
#include "report/command_line.h"

#include "harness/suite.h"
#include "report/shell.h"

#include <inttypes.h>
#include <string.h>

static void print_option(FILE *file, const char *name, const char *value)
{
    fprintf(file, " %s ", name);
    shell_print(file, value);
}

/* The program, the port, and how it is run. */
static void print_start(FILE *file, const run_report *r)
{
    if (r->mpi)
        fprintf(file, "mpirun -n %d ", r->ranks);
    fputs(KIT_NAME, file);
    switch (r->way) {
    case WAY_IMPLEMENTATION:
        fputs(" run", file);
        print_option(file, "--impl", r->implementation);
        break;
    case WAY_COMMAND:
        fputs(" run", file);
        print_option(file, "--exec", r->implementation);
        break;
    case WAY_FILES:
        fputs(" check ", file);
        shell_print(file, r->implementation);
        break;
    }
    if (r->claims_given) {
        char claims[256];
        claims_print(r->tested, claims, sizeof claims);
        print_option(file, "--claims", claims);
    }
    if (r->threads)
        print_option(file, "--ranks", "threads");
    if (r->golden != NULL)
        print_option(file, "--golden", r->golden);
}

static bool is_fixed_case(const char *id)
{
    const size_t count = suite_count();
    for (size_t i = 0; i < count; i++)
        if (strcmp(suite_at(i)->id, id) == 0)
            return true;
    return false;
}

void command_line_again(FILE *file, const run_report *r, const check *c)
{
    if (c->case_id[0] == '(') { /* of no case, but of all files, or of the command */
        command_line_print(file, r);
        return;
    }
    print_start(file, r);
    /* Random problems, and those of --case, have no name that lasts, but in a folder of files. */
    if (c->problem != NULL && !is_fixed_case(c->case_id) && r->way != WAY_FILES)
        print_option(file, "--case", c->problem);
    else
        print_option(file, "--only", c->case_id);
}

void command_line_print(FILE *file, const run_report *r)
{
    print_start(file, r);
    for (size_t i = 0; i < r->only_count; i++)
        print_option(file, "--only", r->only[i]);
    for (size_t i = 0; i < r->case_count; i++)
        print_option(file, "--case", r->cases[i]);
    if (r->waiver_file != NULL)
        print_option(file, "--waive", r->waiver_file);
    if (r->way == WAY_FILES)
        return; /* the rest was said to `export` */
    if (r->quick)
        fputs(" --quick", file);
    fprintf(file, " --fuzz %" PRId64 " --seed %" PRIu64 " --timeout %g", r->fuzz, r->seed, r->timeout);
}
