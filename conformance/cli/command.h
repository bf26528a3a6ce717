/* command.h: the commands of psgd-conform; each returns the program's exit code. */
#ifndef CONFORMANCE_CLI_COMMAND_H
#define CONFORMANCE_CLI_COMMAND_H

#include "cli/exit_code.h"
#include "cli/options.h"

int command_run(const options *o, const char *kit_path);
int command_mutants(const options *o, const char *kit_path);
int command_list(const options *o);
int command_show(const options *o);
int command_explain(const options *o);
int command_export(const options *o);
int command_check(const options *o);

#endif
