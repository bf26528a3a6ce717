/* command_line.h: commands that a report offers to copy, quoted for a shell. */
#ifndef CONFORMANCE_REPORT_COMMAND_LINE_H
#define CONFORMANCE_REPORT_COMMAND_LINE_H

#include "report/report.h"

#include <stdio.h>

/* The command that judges this check once more. */
void command_line_again(FILE *file, const run_report *r, const check *c);
/* The command of this run, with every option that bears on the verdict, defaults included. */
void command_line_print(FILE *file, const run_report *r);

#endif
