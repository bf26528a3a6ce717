/* terminal.h: what stands behind a stream of the program: a person's terminal, with a width and maybe colours, or
 * anything else, which gets plain lines of any length. */
#ifndef CONFORMANCE_REPORT_TERMINAL_H
#define CONFORMANCE_REPORT_TERMINAL_H

#include <stdbool.h>

typedef struct terminal {
    int width;         /* columns; 0: no terminal, lines may be of any length */
    bool moves_cursor; /* it understands escape sequences: TERM is set, and is not "dumb" */
    bool colour;       /* it does, and NO_COLOR is not set, or empty */
} terminal;

/* The width is COLUMNS where that is a sensible number, else what the terminal says, else 80. */
terminal terminal_of(int descriptor);

#endif
