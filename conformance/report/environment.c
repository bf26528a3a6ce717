/* environment.c: see environment.h. */
#include "report/environment.h"

#include "report/printable.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

const char *const ENVIRONMENT_VARIABLES[] = {"OPENBLAS_CORETYPE",
                                             "OPENBLAS_NUM_THREADS",
                                             "BLIS_NUM_THREADS",
                                             "OMP_NUM_THREADS",
                                             "MKL_NUM_THREADS",
                                             "PSGD_ISA",
                                             NULL};

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

long environment_processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? count : 0;
}

const char *environment_variable(const run_report *r, const char *name)
{
    const bool is_set_by_kit = r->way == WAY_IMPLEMENTATION && strcmp(name, "OPENBLAS_NUM_THREADS") == 0;
    return is_set_by_kit ? "1" : getenv(name);
}

const char *environment_blas(const run_report *r)
{
    return r->way == WAY_IMPLEMENTATION ? r->port.blas : NULL;
}

const char *environment_ranks_as(const run_report *r)
{
    if (r->way != WAY_IMPLEMENTATION)
        return "files";
    if (r->mpi)
        return "mpi";
    return r->threads ? "threads" : "processes";
}

/* SOURCE_DATE_EPOCH, where it is a whole number of seconds; else now. */
static time_t moment(void)
{
    const char *wanted = getenv("SOURCE_DATE_EPOCH");
    if (wanted == NULL || wanted[0] == '\0' || wanted[strspn(wanted, "0123456789")] != '\0')
        return time(NULL);
    errno = 0;
    const long long seconds = strtoll(wanted, NULL, 10);
    return errno == 0 ? (time_t)seconds : time(NULL);
}

const char *environment_date(char buffer[ENVIRONMENT_DATE])
{
    const time_t at = moment();
    struct tm parts;
    if (gmtime_r(&at, &parts) == NULL || strftime(buffer, ENVIRONMENT_DATE, "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        snprintf(buffer, ENVIRONMENT_DATE, "unknown");
    return buffer;
}
