/* check_folder.h: judges the results in an exported folder: for `check`, and for `run --exec`. */
#ifndef CONFORMANCE_CLI_CHECK_FOLDER_H
#define CONFORMANCE_CLI_CHECK_FOLDER_H

#include "cli/session.h"

/* s->options: what the command was given; what is judged is what the folder's list says, less what --only and --claims
 * leave out. s->report.way, implementation and command, and the waivers (session_read_waivers) are the caller's. Runs
 * the session from session_prepare to session_finish; nothing of s may be used after it but the report's numbers.
 * Returns the exit code; what went wrong was said. */
int check_folder(session *s, const char *folder);

#endif
