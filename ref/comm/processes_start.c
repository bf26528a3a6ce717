/* processes_start.c: the life of a group of processes: create, start, join, fail, release. Its contract is in
 * psgd/comm.h. Read next: processes.h for how ranks meet. */
#include "processes.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

psgd_status psgd_processes_create(psgd_processes **group, int32_t size, double timeout_seconds, char *message,
                                  size_t message_size)
{
    if (group == NULL) {
        psgd_group_explain(message, message_size, "group is null");
        return PSGD_ERR_ARGUMENT;
    }
    *group = NULL;
    int64_t timeout = 0;
    psgd_status status = psgd_group_check(&timeout, size, timeout_seconds, message, message_size);
    if (status != PSGD_OK)
        return status;

    psgd_processes *made = calloc(1, sizeof *made);
    bool *started = calloc((size_t)size, sizeof *started);
    if (made == NULL || started == NULL) {
        psgd_group_explain(message, message_size, "no memory for a group of %ld ranks", (long)size);
        free(started);
        free(made);
        return PSGD_ERR_MEMORY;
    }
    status = psgd_segment_make(&made->segment, &made->descriptor, size, timeout, message, message_size);
    if (status != PSGD_OK) {
        free(started);
        free(made);
        return status;
    }
    made->rank = -1;
    made->started = started;
    *group = made;
    return PSGD_OK;
}

/* The environment with PSGD_PROCESSES replaced by variable, for one execve: an array to be freed, its strings not. */
static char **environment_with(char *variable)
{
    const size_t name_length = strlen(PSGD_PROCESSES_VARIABLE "=");
    size_t count = 0;
    while (environ != NULL && environ[count] != NULL)
        count++;
    char **result = calloc(count + 2, sizeof *result);
    if (result == NULL)
        return NULL;
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], PSGD_PROCESSES_VARIABLE "=", name_length) != 0)
            result[kept++] = environ[i];
    result[kept] = variable;
    return result;
}

/* In the forked child. The launcher may have threads, so only calls that are safe in a signal handler. */
static void become_program(int segment, int report, char *const argv[], char *const environment[])
{
    if (fcntl(segment, F_SETFD, 0) == 0)
        (void)execve(argv[0], argv, environment);
    int error = errno;
    ssize_t written = write(report, &error, sizeof error); /* fewer bytes than a pipe writes in one piece */
    _exit(written == (ssize_t)sizeof error ? 127 : 126);
}

static bool make_report_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    if (fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFD, FD_CLOEXEC) == 0)
        return true;
    int error = errno;
    (void)close(ends[0]);
    (void)close(ends[1]);
    errno = error;
    return false;
}

/* Why the child could not become the program, or 0: a successful exec closes the pipe with nothing in it. */
static int exec_error(int report)
{
    int error = 0;
    ssize_t got;
    do
        got = read(report, &error, sizeof error);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return errno;
    return got == (ssize_t)sizeof error ? error : 0;
}

/* fork + exec; 0, or the errno value of what failed. */
static int fork_and_exec(pid_t *pid, int segment, char *const argv[], char *const environment[])
{
    int report[2];
    if (!make_report_pipe(report))
        return errno;
    pid_t child = fork();
    if (child == 0)
        become_program(segment, report[1], argv, environment);
    int error = child < 0 ? errno : 0;
    (void)close(report[1]);
    if (child > 0) {
        error = exec_error(report[0]);
        if (error != 0)
            while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
                ;
    }
    (void)close(report[0]);
    *pid = child;
    return error;
}

psgd_status psgd_processes_start(psgd_processes *group, int32_t rank, char *const argv[], int64_t *pid, char *message,
                                 size_t message_size)
{
    const char *fault = NULL;
    if (group == NULL || group->started == NULL)
        fault = "group is not a launcher's";
    else if (rank < 0 || rank >= group->segment.head->size)
        fault = "rank is not of this group";
    else if (group->started[rank])
        fault = "rank was started already";
    else if (argv == NULL || argv[0] == NULL)
        fault = "argv is empty";
    else if (pid == NULL)
        fault = "pid is null";
    if (fault != NULL) {
        psgd_group_explain(message, message_size, "%s (rank %ld)", fault, (long)rank);
        return PSGD_ERR_ARGUMENT;
    }
    char variable[64];
    (void)snprintf(variable, sizeof variable, "%s=%d:%ld", PSGD_PROCESSES_VARIABLE, group->descriptor, (long)rank);
    char **environment = environment_with(variable);
    if (environment == NULL) {
        psgd_group_explain(message, message_size, "no memory for the environment of rank %ld", (long)rank);
        return PSGD_ERR_MEMORY;
    }
    pid_t child = -1;
    int error = fork_and_exec(&child, group->descriptor, argv, environment);
    free(environment);
    if (error != 0) {
        char what[512];
        (void)snprintf(what, sizeof what, "%.400s can't be started as rank %ld", argv[0], (long)rank);
        psgd_processes_explain_errno(message, message_size, what, error);
        return PSGD_ERR_IO;
    }
    group->started[rank] = true;
    *pid = (int64_t)child;
    return PSGD_OK;
}

void psgd_processes_fail(psgd_processes *group)
{
    if (group != NULL)
        psgd_segment_fail(&group->segment);
}

/* Takes FD:RANK apart; both are plain decimal numbers of an int. */
static bool parse_variable(int *descriptor, int32_t *rank, const char *text)
{
    int *const targets[2] = {descriptor, rank};
    const char ends[2] = {':', '\0'};
    for (int i = 0; i < 2; i++) {
        if (*text < '0' || *text > '9')
            return false;
        char *end = NULL;
        errno = 0;
        long value = strtol(text, &end, 10);
        if (errno != 0 || value > INT_MAX || *end != ends[i])
            return false;
        *targets[i] = (int)value;
        text = end + 1;
    }
    return true;
}

psgd_status psgd_processes_join(psgd_processes **group, psgd_comm *comm, char *message, size_t message_size)
{
    if (group == NULL || comm == NULL) {
        psgd_group_explain(message, message_size, "%s is null", group == NULL ? "group" : "comm");
        return PSGD_ERR_ARGUMENT;
    }
    *group = NULL;
    const char *text = getenv(PSGD_PROCESSES_VARIABLE);
    int descriptor = -1;
    int32_t rank = -1;
    if (text == NULL || !parse_variable(&descriptor, &rank, text)) {
        psgd_group_explain(message, message_size, "%s is %.64s: this process was not started as a rank",
                           PSGD_PROCESSES_VARIABLE, text == NULL ? "not set" : text);
        return PSGD_ERR_IO;
    }
    psgd_processes *made = calloc(1, sizeof *made);
    if (made == NULL) {
        psgd_group_explain(message, message_size, "no memory");
        return PSGD_ERR_MEMORY;
    }
    psgd_status status = psgd_segment_map(&made->segment, descriptor, message, message_size);
    if (status != PSGD_OK) {
        free(made);
        return status;
    }
    if (rank >= made->segment.head->size ||
        atomic_exchange(&psgd_segment_rank_at(&made->segment, rank)->joined, 1) != 0) {
        psgd_group_explain(message, message_size, "rank %ld %s", (long)rank,
                           rank >= made->segment.head->size ? "is not of this group" : "has joined already");
        psgd_segment_unmap(&made->segment);
        free(made);
        return PSGD_ERR_IO;
    }
    (void)close(descriptor); /* the mapping stays; programs that this one starts don't get at the group */
    made->descriptor = -1;
    made->rank = rank;
    *comm = (psgd_comm){0};
    comm->struct_size = (uint32_t)sizeof *comm;
    comm->context = made;
    comm->rank = rank;
    comm->size = made->segment.head->size;
    comm->allreduce_sum = psgd_processes_allreduce_sum;
    *group = made;
    return PSGD_OK;
}

void psgd_processes_release(psgd_processes *group)
{
    if (group == NULL)
        return;
    if (group->rank >= 0) /* a rank that leaves takes part in nothing any more: whoever waits for it must know */
        psgd_segment_fail(&group->segment);
    if (group->descriptor >= 0)
        (void)close(group->descriptor);
    psgd_segment_unmap(&group->segment);
    free(group->started);
    free(group);
}
