/* file.c: see file.h. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "report/file.h"

#include "harness/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool failed(const char *path, int reason, char *message, size_t message_size)
{
    return refuse(message, message_size, "report %s cannot be written: %s", path, strerror(reason));
}

/* /dev/stdout may lead to a regular file. What was printed is there already, and must stay. */
static bool is_standard_output(const struct stat *status)
{
    struct stat output;
    return fstat(STDOUT_FILENO, &output) == 0 && output.st_dev == status->st_dev && output.st_ino == status->st_ino;
}

bool report_file_check(const char *path, char *message, size_t message_size)
{
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return failed(path, EISDIR, message, message_size);
    if (exists && is_standard_output(&status))
        return true;
    if (exists && !S_ISREG(status.st_mode))
        return access(path, W_OK) == 0 || failed(path, errno, message, message_size);

    char *folder = exists ? realpath(path, NULL) : strdup(path);
    if (folder == NULL)
        return failed(path, errno, message, message_size);
    char *slash = strrchr(folder, '/');
    if (slash != NULL)
        slash[slash == folder] = '\0';
    const char *place = slash != NULL ? folder : ".";
    int reason = 0;
    if (stat(place, &status) != 0)
        reason = errno;
    else if (!S_ISDIR(status.st_mode))
        reason = ENOTDIR;
    else if (access(place, W_OK | X_OK) != 0)
        reason = errno;
    free(folder);
    return reason == 0 || failed(path, reason, message, message_size);
}

static bool write_all(FILE *file, const char *text)
{
    const bool written = fputs(text, file) >= 0 && fputc('\n', file) >= 0;
    return (fclose(file) == 0) && written;
}

/* A pipe that nobody reads is an error: opened as usual it would be waited for. */
static bool write_special(const char *path, const char *text)
{
    const int opened = open(path, O_WRONLY | O_NONBLOCK);
    if (opened < 0)
        return false;
    FILE *file = fcntl(opened, F_SETFL, 0) == 0 ? fdopen(opened, "w") : NULL;
    if (file == NULL)
        close(opened);
    return file != NULL && write_all(file, text);
}

static bool write_standard_output(const char *text)
{
    return fputs(text, stdout) >= 0 && fputc('\n', stdout) >= 0 && fflush(stdout) == 0;
}

/* By a temporary name beside it, which no run at the same time has. */
static bool write_regular(const char *path, const char *text)
{
    const size_t size = strlen(path) + 40;
    char *temporary = malloc(size);
    if (temporary == NULL)
        return false;
    snprintf(temporary, size, "%s.%ld.partial", path, (long)getpid());
    FILE *file = fopen(temporary, "w");
    const bool ok = file != NULL && write_all(file, text) && rename(temporary, path) == 0;
    if (file != NULL && !ok) {
        const int reason = errno;
        unlink(temporary);
        errno = reason;
    }
    free(temporary);
    return ok;
}

bool report_file_write(const char *path, const char *text, char *message, size_t message_size)
{
    struct stat status;
    const bool exists = stat(path, &status) == 0;
    bool ok;
    errno = 0;
    if (exists && is_standard_output(&status)) {
        ok = write_standard_output(text);
    } else if (exists && !S_ISREG(status.st_mode)) {
        ok = write_special(path, text);
    } else {
        char *target = exists ? realpath(path, NULL) : strdup(path);
        ok = target != NULL && write_regular(target, text);
        free(target);
    }
    return ok || failed(path, errno, message, message_size);
}
