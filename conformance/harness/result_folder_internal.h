/* result_folder_internal.h: what the index of a folder of results and its reader share. */
#ifndef CONFORMANCE_HARNESS_RESULT_FOLDER_INTERNAL_H
#define CONFORMANCE_HARNESS_RESULT_FOLDER_INTERNAL_H

#include "harness/result_folder.h"

#define RESULT_PATH_SIZE 4608

/* False: too long. */
bool result_path(char path[RESULT_PATH_SIZE], const result_folder *f, const char *name);

#endif
