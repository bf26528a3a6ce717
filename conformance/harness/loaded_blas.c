/* loaded_blas.c: see loaded_blas.h. Reads the list of mapped files that Linux keeps of a process. */
#include "harness/loaded_blas.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Parts of file names: BLAS and LAPACK of every maker (OpenBLAS, cuBLAS, FlexiBLAS, ...), and those named otherwise. */
static const char *const parts[] = {"blas", "lapack", "mkl_", "blis", "atlas", "armpl", "magma"};

static bool is_one(const char *name)
{
    bool found = false;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        found = found || strstr(name, parts[i]) != NULL;
    return found && strncmp(name, "libgslcblas", strlen("libgslcblas")) != 0 && strstr(name, ".so") != NULL;
}

/* Is it among the space-separated names? */
static bool is_listed(const char *names, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = names; (at = strstr(at, name)) != NULL; at += length)
        if ((at == names || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

void loaded_blas(char *names, size_t size)
{
    if (size == 0)
        return;
    names[0] = '\0';
    FILE *maps = fopen("/proc/self/maps", "r");
    if (maps == NULL)
        return;
    char line[1024];
    while (fgets(line, sizeof line, maps) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        const char *slash = strrchr(line, '/');
        const char *name = slash != NULL ? slash + 1 : "";
        const size_t used = strlen(names);
        if (is_one(name) && !is_listed(names, name) && used + 1 + strlen(name) < size)
            (void)snprintf(names + used, size - used, "%s%s", used > 0 ? " " : "", name);
    }
    (void)fclose(maps);
}
