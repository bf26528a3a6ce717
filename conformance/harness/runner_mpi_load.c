/* runner_mpi_load.c: loads the module that is linked to MPI, so that the kit itself is not. */
#include "harness/message.h"
#include "harness/module_folder.h"
#include "harness/mpi_module.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

runner *runner_mpi(const char *implementation, double timeout_seconds, char *message, size_t message_size)
{
    char *path = NULL;
    if (!module_folder_find(&path, MPI_MODULE_FILE, message, message_size))
        return NULL;
    /* Global: OpenMPI's own components look their symbols up in what the process has loaded. Never closed: MPI does not
     * survive it. */
    void *handle = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    free(path);
    void *symbol = handle != NULL ? dlsym(handle, MPI_MODULE_SYMBOL) : NULL;
    if (symbol == NULL) {
        const char *why = dlerror();
        (void)refuse(message, message_size, "the module " MPI_MODULE_FILE " cannot be used: %s",
                     why != NULL ? why : "no reason given");
        return NULL;
    }
    mpi_module_function *make = NULL;
    memcpy(&make, &symbol, sizeof make); /* ISO C has no cast from an object pointer to a function pointer */
    return make(implementation, timeout_seconds, message, message_size);
}
