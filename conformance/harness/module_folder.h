/* module_folder.h: where the kit's own modules are: beside the running executable, else in the folder that they are
 * installed to. */
#ifndef CONFORMANCE_HARNESS_MODULE_FOLDER_H
#define CONFORMANCE_HARNESS_MODULE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* *path (malloc'ed) names the module `file`. False: message says every place that was looked at. */
bool module_folder_find(char **path, const char *file, char *message, size_t message_size);

#endif
