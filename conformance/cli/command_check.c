/* command_check.c: judges the results that a port left in an exported folder, on this machine or another. Read next:
 * check_folder.c. */
#include "cli/check_folder.h"
#include "cli/command.h"

int command_check(const options *o)
{
    const char *folder = o->positional.words[0];
    session s = {.options = o};
    s.report.way = WAY_FILES;
    s.report.implementation = folder;
    const int code = session_read_waivers(&s);
    return code == 0 ? check_folder(&s, folder) : session_finish(&s, session_complain(&s, code));
}
