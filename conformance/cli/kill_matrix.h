/* kill_matrix.h: the kit judged: which requirements failed for each port with a known fault, and for each honest
 * variant. Data and what follows from it; nothing is run here (judge_mutant.h does).
 *
 * A fault counts as found if a requirement that it breaks failed: that some other one failed is luck, and a kit that
 * lives on luck names the wrong place. */
#ifndef CONFORMANCE_CLI_KILL_MATRIX_H
#define CONFORMANCE_CLI_KILL_MATRIX_H

#include "cli/options.h"
#include "judge/requirement.h"
#include "mutants/faults.h"

#define MATRIX_REQUIREMENTS 128 /* at most */

/* What the run over one variant came to. Of fixed size: it travels through a pipe. */
typedef struct mutant_result {
    int exit_code;                          /* of its run; -1: it did not come to an end */
    bool took_down;                         /* under mpirun: it crashed or hung, and no verdict was left */
    uint16_t failures[MATRIX_REQUIREMENTS]; /* failed checks of each requirement, in the order of the table */
    double seconds;
    char message[512]; /* why nothing was judged, or the claims' reasons */
} mutant_result;

typedef enum mutant_state {
    MUTANT_KILLED,
    MUTANT_CONFORMS,  /* an honest variant, and nothing failed */
    MUTANT_SURVIVED,  /* a fault, and nothing failed */
    MUTANT_UNRELATED, /* a fault, and no requirement that it breaks is among those that failed */
    MUTANT_ACCUSED,   /* an honest variant, and something failed */
    MUTANT_UNJUDGED,  /* the run ended without a verdict */
    MUTANT_TOOK_DOWN, /* a fault that took its mpirun down, which shows no requirement */
    MUTANT_INVISIBLE  /* not judged: this way in shows no requirement that it breaks */
} mutant_state;
#define MUTANT_STATES 8

typedef struct mutant_row {
    const fault_entry *entry;
    bool invisible;
    mutant_result result;
} mutant_row;

typedef struct kill_matrix {
    mutant_row *rows; /* [count] in the order of the lists; owned */
    size_t count;
    mutants_way way;
    bool partial; /* --only chose: that a requirement lacks a mutant here says nothing */
    double seconds;
} kill_matrix;

/* A row for each variant of the lists, none judged yet. False without memory. */
bool kill_matrix_make(kill_matrix *m, mutants_way way);
void kill_matrix_free(kill_matrix *m);

bool mutant_is_honest(const fault_entry *entry);
bool mutant_breaks(const fault_entry *entry, const char *requirement_id);

mutant_state mutant_state_of(const mutant_row *row);
size_t kill_matrix_count(const kill_matrix *m, mutant_state state);

/* Can a port break it so that this way in shows it? Else why it needs no mutant here: one sentence, for people. */
bool requirement_wants_mutant(const requirement *r, mutants_way way, const char **why_not);
/* The same, and no mutant that was made to break it made it fail. Asked of the C ABI alone, which shows most, and of
 * all mutants: false where --only chose. */
bool kill_matrix_lacks(const kill_matrix *m, size_t requirement_index);
size_t kill_matrix_lacking(const kill_matrix *m);

/* 0: the kit finds every fault and accuses nobody. Else EXIT_NOT_CONFORMING, or EXIT_KIT_FAILED if some variant could
 * not be judged. */
int kill_matrix_exit_code(const kill_matrix *m);

#endif
