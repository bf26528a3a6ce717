/* implementation.h: finding and loading a port. */
#ifndef CONFORMANCE_HARNESS_IMPLEMENTATION_H
#define CONFORMANCE_HARNESS_IMPLEMENTATION_H

#include "psgd/psgd.h"

typedef struct implementation {
    const psgd_implementation *table;
    char *path;   /* the module's file */
    char *option; /* what stands after the colon in faulty:NAME; null else */
    void *handle;
} implementation;

/* name: ref | fast | cuda | cuda-emu | faulty:NAME | honest:NAME (modules beside the kit) or the path of a shared
 * object. Gives the path of the module; false: message says what was looked for. */
bool implementation_find(char **path, char **option, const char *name, char *message, size_t message_size);

/* Loads (RTLD_NOW | RTLD_LOCAL) and checks the symbol, the ABI number, struct_size and the required functions. Called
 * in the process that runs the port only. The variant name of faulty:NAME is handed to the module through the
 * environment variable PSGD_FAULT; a module that does not know it has a null entry. */
bool implementation_load(implementation *impl, const char *name, char *message, size_t message_size);
void implementation_unload(implementation *impl);

/* Copies what the table says of itself, with absent optional functions read as null whatever struct_size is. */
void implementation_table_copy(psgd_implementation *copy, const psgd_implementation *table);

#endif
