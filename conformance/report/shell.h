/* shell.h: words as a shell takes them, for the commands that a report offers to copy. */
#ifndef CONFORMANCE_REPORT_SHELL_H
#define CONFORMANCE_REPORT_SHELL_H

#include <stdio.h>

/* Prints the word, quoted where the shell would read it otherwise. Control characters become '?'. */
void shell_print(FILE *file, const char *word);

#endif
