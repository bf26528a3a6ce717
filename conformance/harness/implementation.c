/* implementation.c: from a name to a checked table of functions. See implementation.h for the contract.
 *
 * Every way in which a file can fail to be a port has its own sentence, because this is the first thing that the author
 * of a port sees.
 */
#include "harness/implementation.h"

#include "harness/module_folder.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENTRY_SYMBOL "psgd_implementation_entry"

typedef struct known_module {
    const char *name;
    const char *file;
    bool takes_option;
} known_module;

static const known_module known_modules[] = {
    {"ref", "psgd-ref.so", false},           {"fast", "psgd-fast.so", false},    {"cuda", "psgd-cuda.so", false},
    {"cuda-emu", "psgd-cuda-emu.so", false}, {"faulty", "psgd-faulty.so", true}, {"honest", "psgd-honest.so", true},
};

static const known_module *known_module_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof known_modules / sizeof known_modules[0]; i++)
        if (strlen(known_modules[i].name) == length && memcmp(known_modules[i].name, name, length) == 0)
            return &known_modules[i];
    return NULL;
}

static bool find_known(char **path, char **option, const known_module *known, const char *name, const char *colon,
                       char *message, size_t message_size)
{
    if (known->takes_option && (colon == NULL || colon[1] == '\0')) {
        (void)snprintf(message, message_size, "'%s' needs a name after a colon: %s:NAME", name, known->name);
        return false;
    }
    if (!known->takes_option && colon != NULL) {
        (void)snprintf(message, message_size, "'%s' takes nothing after a colon (got '%s')", known->name, name);
        return false;
    }
    if (!module_folder_find(path, known->file, message, message_size))
        return false;
    if (colon != NULL) {
        *option = strdup(colon + 1);
        if (*option == NULL) {
            free(*path);
            *path = NULL;
            (void)snprintf(message, message_size, "no memory for the name '%s'", name);
            return false;
        }
    }
    return true;
}

/* The names of the modules that are there: "ref, faulty:NAME". */
static void list_found(char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof known_modules / sizeof known_modules[0]; i++) {
        char *path, unused[256];
        if (used >= size || !module_folder_find(&path, known_modules[i].file, unused, sizeof unused))
            continue;
        free(path);
        const int length = snprintf(text + used, size - used, "%s%s%s", used > 0 ? ", " : "", known_modules[i].name,
                                    known_modules[i].takes_option ? ":NAME" : "");
        used += length > 0 ? (size_t)length : 0;
    }
    if (used == 0)
        (void)snprintf(text, size, "the kit's modules (none was found)");
}

/* A path is made absolute in form ("./port.so"): dlopen searches the system's folders for a name without a slash. */
static char *path_with_slash(const char *name)
{
    if (strchr(name, '/') != NULL)
        return strdup(name);
    size_t length = strlen(name) + 3;
    char *path = malloc(length);
    if (path != NULL)
        (void)snprintf(path, length, "./%s", name);
    return path;
}

bool implementation_find(char **path, char **option, const char *name, char *message, size_t message_size)
{
    *path = NULL;
    *option = NULL;
    const char *colon = strchr(name, ':');
    size_t length = colon != NULL ? (size_t)(colon - name) : strlen(name);
    const known_module *known = known_module_find(name, length);
    if (known != NULL)
        return find_known(path, option, known, name, colon, message, message_size);

    struct stat file;
    if (stat(name, &file) != 0) {
        char found[128];
        list_found(found, sizeof found);
        (void)snprintf(message, message_size, "'%s' is neither one of %s nor a file that exists", name, found);
        return false;
    }
    if (!S_ISREG(file.st_mode)) {
        (void)snprintf(message, message_size, "'%s' is not a regular file; a shared object is wanted", name);
        return false;
    }
    *path = path_with_slash(name);
    if (*path == NULL)
        (void)snprintf(message, message_size, "no memory for the path '%s'", name);
    return *path != NULL;
}

/* dlopen says "invalid ELF header" and the like; a script or a static archive deserves a plainer word. */
static bool is_elf(const char *path, char *message, size_t message_size)
{
    unsigned char magic[4] = {0};
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        (void)snprintf(message, message_size, "'%s' cannot be read", path);
        return false;
    }
    size_t count = fread(magic, 1, sizeof magic, file);
    (void)fclose(file);
    static const unsigned char elf[4] = {0x7f, 'E', 'L', 'F'};
    if (count != sizeof magic || memcmp(magic, elf, sizeof elf) != 0) {
        (void)snprintf(message, message_size,
                       "'%s' is not a shared object (it does not begin as an ELF file does); build the port with "
                       "-shared -fPIC",
                       path);
        return false;
    }
    return true;
}

/* The offset just behind a member: struct_size must reach it for the member to be there. */
#define END_OF(member) (offsetof(psgd_implementation, member) + sizeof(((psgd_implementation *)0)->member))

static bool check_table(const psgd_implementation *table, const char *path, char *message, size_t message_size)
{
    if (table->abi != PSGD_ABI) {
        (void)snprintf(message, message_size,
                       "'%s' was built for ABI %u, this kit speaks ABI %u: rebuild the port with this kit's psgd.h",
                       path, (unsigned)table->abi, (unsigned)PSGD_ABI);
        return false;
    }
    if (table->struct_size < END_OF(destroy)) {
        (void)snprintf(message, message_size,
                       "'%s': struct_size of its table is %u, too small to hold create, step and destroy (%zu); set "
                       "it to sizeof(psgd_implementation)",
                       path, (unsigned)table->struct_size, END_OF(destroy));
        return false;
    }
    const char *missing = table->create == NULL    ? "create"
                          : table->step == NULL    ? "step"
                          : table->destroy == NULL ? "destroy"
                                                   : NULL;
    if (missing != NULL) {
        (void)snprintf(message, message_size, "'%s': the required function %s is null in its table", path, missing);
        return false;
    }
    if (table->name == NULL || table->version == NULL) {
        (void)snprintf(message, message_size, "'%s': %s is null in its table", path,
                       table->name == NULL ? "name" : "version");
        return false;
    }
    return true;
}

static bool load_module(implementation *impl, char *message, size_t message_size)
{
    if (!is_elf(impl->path, message, message_size))
        return false;
    impl->handle = dlopen(impl->path, RTLD_NOW | RTLD_LOCAL);
    if (impl->handle == NULL) {
        const char *why = dlerror();
        (void)snprintf(message, message_size, "'%s' cannot be loaded: %s", impl->path, why != NULL ? why : "dlopen");
        return false;
    }
    const psgd_implementation *(*entry)(void) = NULL;
    void *symbol = dlsym(impl->handle, ENTRY_SYMBOL);
    if (symbol == NULL) {
        (void)snprintf(message, message_size,
                       "'%s' has no symbol " ENTRY_SYMBOL " (is it exported? see PSGD_EXPORT in psgd.h)", impl->path);
        return false;
    }
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from an object pointer to a function pointer */
    impl->table = entry();
    if (impl->table == NULL) {
        if (impl->option != NULL)
            (void)snprintf(message, message_size, "'%s' does not know the name '%s'", impl->path, impl->option);
        else
            (void)snprintf(message, message_size, "'%s': " ENTRY_SYMBOL " returned null", impl->path);
        return false;
    }
    return check_table(impl->table, impl->path, message, message_size);
}

bool implementation_load(implementation *impl, const char *name, char *message, size_t message_size)
{
    *impl = (implementation){0};
    if (!implementation_find(&impl->path, &impl->option, name, message, message_size))
        return false;
    int set = impl->option != NULL ? setenv("PSGD_FAULT", impl->option, 1) : unsetenv("PSGD_FAULT");
    if (set != 0) {
        (void)snprintf(message, message_size, "PSGD_FAULT cannot be set in the environment");
        implementation_unload(impl);
        return false;
    }
    if (!load_module(impl, message, message_size)) {
        implementation_unload(impl);
        return false;
    }
    return true;
}

void implementation_unload(implementation *impl)
{
    if (impl->handle != NULL)
        (void)dlclose(impl->handle);
    free(impl->path);
    free(impl->option);
    *impl = (implementation){0};
}

void implementation_table_copy(psgd_implementation *copy, const psgd_implementation *table)
{
    size_t bytes = table->struct_size < sizeof *copy ? table->struct_size : sizeof *copy;
    memset(copy, 0, sizeof *copy);
    memcpy(copy, table, bytes);
    /* A member that struct_size cuts in half is absent. */
    if (bytes < END_OF(submit) || bytes < END_OF(wait)) {
        copy->submit = NULL;
        copy->wait = NULL;
    }
    if (bytes < END_OF(peek))
        copy->peek = NULL;
    if (bytes < END_OF(statistics))
        copy->statistics = NULL;
    if (bytes < END_OF(save))
        copy->save = NULL;
    if (bytes < END_OF(load))
        copy->load = NULL;
    if (bytes < END_OF(last_error))
        copy->last_error = NULL;
    if (bytes < END_OF(memory))
        copy->memory = NULL;
    copy->struct_size = (uint32_t)sizeof *copy;
}
