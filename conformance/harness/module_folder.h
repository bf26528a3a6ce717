/* module_folder.h: where the kit's own files are: modules beside the running executable, else in the folder that they
 * are installed to. That folder is known relative to the executable, so an installation may be moved as a whole. */
#ifndef CONFORMANCE_HARNESS_MODULE_FOLDER_H
#define CONFORMANCE_HARNESS_MODULE_FOLDER_H

#include <stdbool.h>
#include <stddef.h>

/* *path (malloc'ed) names the module `file`. False: message says every place that was looked at. */
bool module_folder_find(char **path, const char *file, char *message, size_t message_size);

/* The path of `relative`, seen from the running executable's folder; malloc'ed. Null: no memory, or no /proc. */
char *beside_executable(const char *relative);

#endif
