/* report.h: a whole run as the reports tell it. Text for people, JSON for programs; both from this one structure. */
#ifndef CONFORMANCE_REPORT_REPORT_H
#define CONFORMANCE_REPORT_REPORT_H

#include "harness/runner.h"
#include "judge/verdict.h"

#define KIT_NAME      "psgd-conform"
#define SUITE_VERSION 2  /* of the fixed cases and requirements: rises when a verdict could change */
#define FUZZ_WHOLE    50 /* random problems that belong to a whole run */

typedef enum way_in { WAY_IMPLEMENTATION, WAY_FILES, WAY_COMMAND } way_in; /* --impl, check, --exec */

typedef struct command_outcome { /* of --exec */
    double seconds;
    bool timed_out;
    int exit_status;  /* -1: ended by a signal, or timed out */
    int signal;       /* 0: none */
    char *error_tail; /* the last lines of its standard error; owned by the session; may be null */
} command_outcome;

/* A waiver of --waive, and what became of it. The last three are errors: the list is out of date. */
typedef enum waiver_state {
    WAIVER_USED,        /* it excused failures */
    WAIVER_NOT_REACHED, /* nothing that it is for was judged in this run, which was partial or lacked what it needs */
    WAIVER_UNMATCHED,   /* no check of this run, which was whole, is what it is for */
    WAIVER_EXPIRED,
    WAIVER_NEEDLESS /* what it is for was judged, and nothing failed */
} waiver_state;
#define WAIVER_IS_STALE(state) ((state) >= WAIVER_UNMATCHED)

typedef struct report_waiver {
    const char *requirement; /* glob; null: any */
    const char *case_id;     /* glob of IDs, or a problem string; null: any */
    const char *reason;
    const char *expires; /* the last day that it counts on, YYYY-MM-DD, UTC */
    size_t matched;      /* checks of this run that it is for, whatever came of them */
    size_t waived;       /* those that failed, and are excused by it */
    waiver_state state;
} report_waiver;

typedef struct run_report {
    way_in way;
    const char *implementation; /* as named on the command line: --impl's, the folder of check, the command of --exec */
    command_outcome command;    /* WAY_COMMAND only */
    port_description port;
    long long vectors_version;
    const char *vectors_sha256;
    uint64_t tested, failed; /* claims */
    uint64_t shown;          /* claims of which some check passed */
    uint64_t out_of_reach;   /* claims that need more ranks than mpirun gave: not among those tested */
    const char *reasons;     /* why claims failed, one a line */
    bool partial;            /* --only or --case chose */
    const char *const *only; /* [only_count] as on the command line */
    size_t only_count;
    const char *const *cases; /* [case_count] --case */
    size_t case_count;
    bool verbose;
    bool claims_given;  /* tested is what --claims says */
    const char *golden; /* --golden, or null */
    bool quick;
    uint64_t seed;
    int64_t fuzz;
    double timeout;
    int ranks; /* the most ranks a case could have */
    bool mpi;
    bool threads; /* the ranks of a case were threads of one process */
    size_t cases_run, cases_compressed, scenarios_run, golden_run;
    bool stopped; /* two cases timed out: the rest was not run */
    double seconds;
    int exit_code;
    const verdict *verdict;
    const char *waiver_file;      /* null: no --waive */
    const report_waiver *waivers; /* [waiver_count], in the order of the file */
    size_t waiver_count;
} run_report;

/* The whole text report, without the header line. verbose: every check. False if standard output failed. */
bool report_text(const run_report *r, bool verbose, bool quiet);
/* The header line: kit, versions, port, claims. */
void report_text_header(const run_report *r);

/* A kind of report that --report writes. */
typedef struct report_format {
    const char *name;
    /* The whole report, malloc'ed; null without memory. */
    char *(*render)(const run_report *r);
} report_format;
const report_format *report_format_at(size_t i); /* null: there are no more */
const report_format *report_format_find(const char *name, size_t length);
/* Writes the report to path; a regular file is replaced whole or stays as it was. False: message says why. */
bool report_write(const run_report *r, const report_format *format, const char *path, char *message,
                  size_t message_size);

/* The renderers, a file each. */
char *report_json(const run_report *r);
char *report_junit(const run_report *r);
char *report_text_file(const run_report *r);
char *report_statement(const run_report *r);
char *report_statement_json(const run_report *r);

/* The largest ratio per row of limits.h among passing and failing checks of this type; type null: of all. */
typedef struct row_maximum {
    const char *row;
    double ratio, limit;
    const char *case_id;
    size_t checks;
} row_maximum;
#define ROW_MAXIMA 64
size_t report_row_maxima(row_maximum rows[ROW_MAXIMA], const verdict *v, const char *type);

/* The types that a check can have: "f32" ... */
#define REPORT_TYPES 4
extern const char *const report_types[REPORT_TYPES];
/* Checks of this requirement that passed on a case of this type; untrusted ones are none. Scenarios have no type. */
size_t report_trusted(const verdict *v, const requirement *of, const char *type);

#endif
