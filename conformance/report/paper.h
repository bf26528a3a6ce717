/* paper.h: what a text report is written on: a stream, how wide it is, and whether it shows colours. A line is begun,
 * printed to, and ended; where it is longer than the paper is wide it goes on in further lines, indented. */
#ifndef CONFORMANCE_REPORT_PAPER_H
#define CONFORMANCE_REPORT_PAPER_H

#include <stddef.h>
#include <stdio.h>

#include "report/terminal.h"

/* In a line: what follows is red, or plain again. Never part of text that was made printable. */
#define PAPER_RED   "\001"
#define PAPER_PLAIN "\002"

typedef struct paper {
    FILE *stream;
    int width; /* 0: lines may be of any length */
    bool colour;
    FILE *line; /* the one that was begun */
    char *text;
    size_t size;
} paper;

typedef enum paper_kind {
    PAPER_TEXT,   /* goes on at a space; a word longer than the paper behind a '/', ',' or ';' in it */
    PAPER_COMMAND /* a shell's: goes on at a space, behind a backslash, so that it can be copied */
} paper_kind;

paper paper_on(FILE *stream, const terminal *t);

/* Where the line is printed to; to be ended by paper_end, which closes it. */
FILE *paper_begin(paper *p);
void paper_end(paper *p, paper_kind kind, int indent);
/* A line of text at once. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
void paper_line(paper *p, int indent, const char *format, ...);

#endif
