/* result_folder.h: a folder of results that a port left as files: what is there, whose it is, and a case's result read
 * from it. What is wrong with a result is said in words, and kept, for the checks of PSGD-FIL. */
#ifndef CONFORMANCE_HARNESS_RESULT_FOLDER_H
#define CONFORMANCE_HARNESS_RESULT_FOLDER_H

#include "harness/case.h"

/* Claims that results in files cannot show: there is nothing to overlap between two steps of a file. */
#define CLAIMS_NOT_IN_FILES ((uint64_t)PSGD_CLAIM_ASYNC)

typedef enum result_state {
    RESULT_UNREAD,
    RESULT_WHOLE,
    RESULT_MISSING,   /* none, or not of every rank */
    RESULT_DAMAGED,   /* nothing that can be read as a result of the case */
    RESULT_MISPLACED, /* another case's or rank's than its name says, or there twice */
    RESULT_WITHHELD   /* the case file beside it is not the one that was exported: nothing was read */
} result_state;

typedef struct result_case { /* of one exported case */
    char *id;                /* owned */
    bool beside;             /* set by the caller: its case file is there */
    bool altered;            /* set by the caller: and is not the one that was exported: RESULT_WITHHELD */
    result_state state;
    char *message; /* what is wrong; null: nothing; owned */
} result_case;

typedef struct result_port {  /* what results say of who made them; equal ones once */
    char *producer, *version; /* owned */
    uint64_t claims;
    size_t files;
    const char *example; /* the first such file; a name of result_file */
} result_port;

typedef struct result_file {
    char *name;     /* owned */
    size_t of;      /* index into cases */
    int rank;       /* -1: of all */
    bool canonical; /* the rank is spelled as it should be: k1, not k01 */
    char *foreign;  /* the id in it, where that is another's; owned */
} result_file;

typedef struct result_folder {
    char *path;   /* owned */
    bool with_q0; /* set by the caller: every case file has the Q as drawn, which the port may have used */
    result_case *cases;
    size_t case_count;
    result_file *files; /* sorted by case and rank */
    size_t file_count;
    char **strays; /* files that look like cases or results, of nothing that was exported; owned */
    size_t stray_count;
    result_port *ports;
    size_t port_count;
} result_folder;

/* Looks at every file of the folder, for exported cases of these ids (no id twice). False: the folder cannot be read,
 * or no memory; message. Free in either case. */
bool result_folder_open(result_folder *f, const char *path, const char *const *ids, size_t count, char *message,
                        size_t message_size);
void result_folder_free(result_folder *f);

/* Null: none of this id was exported. */
result_case *result_folder_case(const result_folder *f, const char *id);

/* Reads the result of a case; seeded: the port draws its own Q, so that a result's word that it used the given one
 * counts only with_q0. RESULT_WHOLE: *t. Otherwise the case's message says what is wrong, or is null:
 * no memory. */
result_state result_folder_read(result_folder *f, const test_case *c, bool seeded, trace **t);

#endif
