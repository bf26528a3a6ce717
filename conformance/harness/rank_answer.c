/* rank_answer.c: see rank_answer.h. */
#include "harness/rank_answer.h"

#include "harness/implementation.h"
#include "harness/loaded_blas.h"
#include "harness/message.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

char *rank_file(const char *folder, const char *name, int rank)
{
    size_t size = strlen(folder) + strlen(name) + 16;
    char *path = malloc(size);
    if (path != NULL)
        (void)snprintf(path, size, "%s/%s.k%d", folder, name, rank);
    return path;
}

rank_answer *rank_answer_open(const char *folder, int rank, char *message, size_t message_size)
{
    char *path = rank_file(folder, "answer", rank);
    int file = path != NULL ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
    free(path);
    if (file < 0) {
        (void)refuse(message, message_size, "the answer file of rank %d cannot be made in %s", rank, folder);
        return NULL;
    }
    void *mapped = MAP_FAILED;
    /* Its room on the disk at once: a write into a mapping that finds none is a SIGBUS, which would look like the
     * port's. */
    int error = posix_fallocate(file, 0, (off_t)sizeof(rank_answer));
    if (error == 0) {
        mapped = mmap(NULL, sizeof(rank_answer), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        error = errno;
    }
    (void)close(file);
    if (mapped == MAP_FAILED) {
        (void)refuse(message, message_size, "the answer file of rank %d cannot be mapped: %s", rank, strerror(error));
        return NULL;
    }
    rank_answer *answer = mapped;
    answer->step = -1;
    return answer;
}

void rank_answer_close(rank_answer *answer)
{
    if (answer != NULL)
        (void)munmap(answer, sizeof *answer);
}

bool rank_answer_read(rank_answer *answer, const char *folder, int rank)
{
    memset(answer, 0, sizeof *answer);
    answer->step = -1;
    char *path = rank_file(folder, "answer", rank);
    FILE *file = path != NULL ? fopen(path, "rb") : NULL;
    free(path);
    if (file == NULL)
        return false;
    rank_answer read;
    bool whole = fread(&read, sizeof read, 1, file) == 1;
    (void)fclose(file);
    if (!whole)
        return false;
    /* The port shares the process that wrote this: take no text on trust. */
    read.doing[sizeof read.doing - 1] = '\0';
    read.message[sizeof read.message - 1] = '\0';
    read.port.name[sizeof read.port.name - 1] = '\0';
    read.port.version[sizeof read.port.version - 1] = '\0';
    read.port.blas[sizeof read.port.blas - 1] = '\0';
    read.port.mpi[sizeof read.port.mpi - 1] = '\0';
    read.outcome.message[sizeof read.outcome.message - 1] = '\0';
    *answer = read;
    return true;
}

void rank_answer_doing(rank_answer *answer, int64_t step, size_t bucket, const char *what)
{
    answer->step = step;
    answer->bucket = bucket;
    (void)snprintf(answer->doing, sizeof answer->doing, "%s", what);
}

void rank_answer_describe(port_description *port, const psgd_implementation *table)
{
    psgd_implementation copy;
    implementation_table_copy(&copy, table);
    *port = (port_description){0};
    (void)snprintf(port->name, sizeof port->name, "%s", copy.name);
    (void)snprintf(port->version, sizeof port->version, "%s", copy.version);
    port->claims = copy.claims;
    port->has_peek = copy.peek != NULL;
    port->has_statistics = copy.statistics != NULL;
    port->has_save = copy.save != NULL;
    port->has_load = copy.load != NULL;
    port->has_submit = copy.submit != NULL && copy.wait != NULL;
    port->has_last_error = copy.last_error != NULL;
    loaded_blas(port->blas, sizeof port->blas);
}

/* How much an outcome says, for choosing among the ranks'. */
static int weight(scenario_state state)
{
    switch (state) {
    case SCENARIO_FAIL: return 3;
    case SCENARIO_SKIP: return 2;
    case SCENARIO_UNOBSERVED: return 1;
    case SCENARIO_PASS: break;
    }
    return 0;
}

void rank_answers_merge(scenario_outcome *outcome, const scenario_outcome *outcomes, const bool *peer_lost, int count)
{
    int chosen = -1;
    for (int pass = 0; pass < 2; pass++) { /* first the ranks that lost no peer, then all */
        for (int k = 0; k < count; k++)
            if ((pass == 1 || !peer_lost[k]) && weight(outcomes[k].state) > 0 &&
                (chosen < 0 || weight(outcomes[k].state) > weight(outcomes[chosen].state)))
                chosen = k;
        if (chosen >= 0)
            break;
    }
    *outcome = (scenario_outcome){.state = SCENARIO_PASS};
    if (chosen < 0)
        return;
    outcome->state = outcomes[chosen].state;
    if (count > 1)
        (void)snprintf(outcome->message, sizeof outcome->message, "rank %d: %.480s", chosen, outcomes[chosen].message);
    else
        (void)snprintf(outcome->message, sizeof outcome->message, "%s", outcomes[chosen].message);
}
