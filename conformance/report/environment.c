/* environment.c: see environment.h. */
#include "report/environment.h"

#include "report/printable.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>

const char *const ENVIRONMENT_VARIABLES[] = {
    "OPENBLAS_CORETYPE", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "PSGD_ISA", NULL};

const char *environment_processor(char *buffer, size_t size)
{
    snprintf(buffer, size, "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    if (file == NULL)
        return buffer;
    char line[512];
    while (fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) == 0 && colon != NULL && colon[1] == ' ') {
            line[strcspn(line, "\n")] = '\0';
            printable(buffer, size, colon + 2);
            break;
        }
    }
    fclose(file);
    return buffer;
}

const char *environment_system(char *buffer, size_t size)
{
    struct utsname name;
    if (uname(&name) < 0)
        snprintf(buffer, size, "unknown");
    else
        snprintf(buffer, size, "%s %s %s", name.sysname, name.release, name.machine);
    return buffer;
}
