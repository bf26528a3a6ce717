/* options.h: the command line as data. Parsing refuses what it does not know, with the nearest word that it does. */
#ifndef CONFORMANCE_CLI_OPTIONS_H
#define CONFORMANCE_CLI_OPTIONS_H

#include "report/report.h"

#include <stdio.h>

#define FUZZ_DEFAULT FUZZ_WHOLE
#define FUZZ_QUICK   5
#define FUZZ_MOST    1000000

/* What a port claims that says nothing of itself. */
#define CLAIMS_UNSTATED                                                                                                \
    ((uint64_t)(PSGD_CLAIM_CORE | PSGD_CLAIM_ERROR_FEEDBACK | PSGD_CLAIM_WARM_START | PSGD_CLAIM_MULTIRANK))
#define SEED_DEFAULT 1

#define TIMEOUT_CASE    60  /* seconds */
#define TIMEOUT_MUTANT  20  /* seconds: of a case; faults that hang are waited for, and cases take milliseconds */
#define TIMEOUT_COMMAND 600 /* seconds: of --exec, for all cases together */

typedef enum mutants_way {                /* --way: how the command mutants has each variant judged */
                           MUTANTS_ABI,   /* as run --impl does */
                           MUTANTS_FILES, /* as run --exec does */
                           MUTANTS_MPI    /* as mpirun ... run --impl does */
} mutants_way;

typedef struct word_list {
    const char **words; /* point into argv; the array is owned */
    size_t count;
} word_list;

typedef struct report_file { /* --report FORMAT=FILE */
    const report_format *format;
    const char *path;
} report_file;

typedef struct options {
    FILE *errors;               /* where the commands complain about usage */
    const char *command;        /* "run", ... */
    const char *implementation; /* --impl */
    const char *exec;           /* --exec: a shell command that judges itself by files */
    const char *waivers;        /* --waive: path */
    word_list positional;       /* DIR, ID */
    word_list only, cases;
    uint64_t claims;
    bool claims_given;
    bool quick, quiet, verbose, with_q0;
    bool ranks_given; /* --ranks */
    bool threads;     /* and it says threads */
    mutants_way way;  /* --way */
    uint64_t seed;
    int64_t fuzz;         /* resolved: the default depends on --quick */
    double timeout;       /* resolved: the default depends on what it limits */
    report_file *reports; /* [report_count] */
    size_t report_count;
    const char *golden; /* folder of golden files */
} options;

/* False: a message that names what is wrong was written to errors. Free in either case. */
bool options_parse(options *o, int argc, char **argv, FILE *errors);
void options_free(options *o);

void usage_print(void); /* to standard output */

#endif
