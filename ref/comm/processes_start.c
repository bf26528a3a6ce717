/* processes_start.c: the life of a group of processes: create, start, join, fail, release. Its contract is in
 * psgd/comm.h. Read next: processes.h for how ranks meet. */
#include "processes.h"
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* 0, or the errno value of what failed. Not fork: a launcher that holds much memory would have its page tables copied
 * for each rank. segment is closed in every other program that the launcher starts; a copy onto itself keeps it open
 * here. */
static int start_program(pid_t *pid, int segment, char *const argv[], char *const environment[])
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);
    if (error != 0)
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, segment, segment);
    if (error == 0)
        error = posix_spawn(pid, argv[0], &actions, NULL, argv, environment);
    (void)posix_spawn_file_actions_destroy(&actions);
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
    int error = start_program(&child, group->descriptor, argv, environment);
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
