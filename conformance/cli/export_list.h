/* export_list.h: psgd-export.json, the list that stands in a folder of exported cases: which kit wrote them, the
 * options that chose them, and each case with its sha256. It is what `check` judges by: not the case files, which may
 * have been changed, and not the options of that day. */
#ifndef CONFORMANCE_CLI_EXPORT_LIST_H
#define CONFORMANCE_CLI_EXPORT_LIST_H

#include "cli/plan.h"

#define EXPORT_LIST_FILE "psgd-export.json"
#define EXPORT_FORMAT    "psgd-export/1"

typedef struct export_entry {
    char *id, *problem;    /* owned */
    char sha256[65];       /* of <id>.safetensors; "": not written yet */
    const plan_item *item; /* of the plan that the list was made of; null in a list that was read */
    bool second;           /* the run that the item's case is held against (suite.h, companion) */
} export_entry;

typedef struct export_list {
    export_entry *entries;
    size_t count, capacity;
    options
        chosen; /* of a list that was read: claims, seed, fuzz, quick, with_q0, only, cases; words point into json */
    void *json; /* owned */
} export_list;

/* The claims for plan_make: --claims; else those that a port makes that says nothing of itself. (They decide the random
 * problems, and the port is not known yet.) */
uint64_t export_plan_claims(const options *o);

/* What is exported of this plan: cases within --claims, if that is given, and their second runs, each a case of its own
 * (suite_companion_id). Free in either case. False: no memory. */
bool export_list_make(export_list *l, const options *o, const plan *p);
/* Writes <folder>/psgd-export.json. False: message. */
bool export_list_write(const export_list *l, const options *o, const char *folder, char *message, size_t message_size);

/* Reads the list of a folder; refuses that of another suite or generator. Free in either case. False: message says what
 * is wrong with it. */
bool export_list_read(export_list *l, const char *folder, char *message, size_t message_size);
void export_list_free(export_list *l);

#endif
