/* exit_code.h: how psgd-conform ends. When several apply, the first of this list wins. */
#ifndef CONFORMANCE_CLI_EXIT_CODE_H
#define CONFORMANCE_CLI_EXIT_CODE_H

#include "report/report.h"

typedef enum exit_code {
    EXIT_USAGE = 2,          /* unknown option, claim, requirement or case; a bad problem string or list of waivers */
    EXIT_NOT_LOADED = 4,     /* the port could not be loaded or started */
    EXIT_KIT_FAILED = 5,     /* the kit could not do its work: golden files, reports, memory */
    EXIT_NOT_CONFORMING = 1, /* includes cases that crashed or timed out, and waivers out of date */
    EXIT_NOTHING_TESTED = 3, /* no case was run, or none compressed anything in the whole run */
    EXIT_CONFORMING = 0
} exit_code;

/* Of a run that came to its end. r: everything but its exit_code is known. */
exit_code exit_code_of(const run_report *r);

#endif
