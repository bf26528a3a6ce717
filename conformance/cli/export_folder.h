/* export_folder.h: the cases of a plan as files in a folder, with their list (export_list.h): for `export`, and for
 * `run --exec`, whose folder is a temporary one. */
#ifndef CONFORMANCE_CLI_EXPORT_FOLDER_H
#define CONFORMANCE_CLI_EXPORT_FOLDER_H

#include "cli/plan.h"

/* Makes the folder where there is none. A folder that holds an older export or results is refused: what stays of them
 * would be judged as if it belonged to the new one. False: message names what is there. */
typedef enum export_place { EXPORT_PLACE_READY, EXPORT_PLACE_TAKEN, EXPORT_PLACE_FAILED } export_place;
export_place export_folder_prepare(const char *folder, char *message, size_t message_size);

/* Writes the list and the cases of the plan, which is made for export_plan_claims(o). *written: cases, second runs
 * included; 0: nothing of the plan can be exported, and no list is written. False: message. */
bool export_folder_write(const options *o, const plan *p, const char *folder, size_t *written, char *message,
                         size_t message_size);

#endif
