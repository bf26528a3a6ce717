/* workers.c: see workers.h. The jobs' numbers lie in a pipe that is filled before anybody reads; each worker takes the
 * next one, until the pipe is empty. Results come back through another. Reads and writes of that few bytes are whole.
 */
#include "cli/workers.h"

#include "harness/message.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS_MOST 64
#define JOBS_MOST    1024 /* their numbers fit into the smallest pipe: 4096 bytes */

typedef struct pipes {
    int jobs[2], results[2];
} pipes;

static void close_end(int *end)
{
    if (*end >= 0)
        (void)close(*end);
    *end = -1;
}

static void pipes_close(pipes *p)
{
    for (int i = 0; i < 2; i++) {
        close_end(&p->jobs[i]);
        close_end(&p->results[i]);
    }
}

/* One whole piece, or nothing at the end of the pipe. */
static bool read_piece(int from, void *piece, size_t size)
{
    size_t got = 0;
    while (got < size) {
        const ssize_t count = read(from, (char *)piece + got, size - got);
        if (count == 0 || (count < 0 && errno != EINTR))
            return false;
        got += count > 0 ? (size_t)count : 0;
    }
    return true;
}

static bool write_piece(int to, const void *piece, size_t size)
{
    ssize_t count;
    do
        count = write(to, piece, size);
    while (count < 0 && errno == EINTR);
    return count >= 0 && (size_t)count == size;
}

static bool fill(pipes *p, size_t jobs)
{
    bool ok = true;
    for (size_t i = 0; i < jobs && ok; i++) {
        const uint32_t job = (uint32_t)i;
        ok = write_piece(p->jobs[1], &job, sizeof job);
    }
    close_end(&p->jobs[1]);
    return ok;
}

typedef struct piece {
    uint32_t job;
    _Alignas(max_align_t) unsigned char result[WORKERS_RESULT_MOST];
} piece;
_Static_assert(sizeof(piece) <= 4096, "a piece is written whole: no larger than PIPE_BUF");

/* Does not return: what the parent would do at its end is not this process's business. */
static void worker(const workers_task *task, pipes *p)
{
#ifdef __linux__
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    close_end(&p->results[0]);
    piece out;
    bool ok = true;
    while (ok && read_piece(p->jobs[0], &out.job, sizeof out.job)) {
        memset(out.result, 0, sizeof out.result);
        task->work(task->context, out.job, out.result);
        ok = write_piece(p->results[1], &out, sizeof out);
    }
    _exit(ok ? 0 : 1);
}

static int core_count(void)
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores < 1 ? 1 : cores >= WORKERS_MOST ? WORKERS_MOST - 1 : (int)cores;
}

static bool wait_for(const pid_t *ids, int count)
{
    bool ok = true;
    for (int i = 0; i < count; i++) {
        int status = 0;
        pid_t ended;
        do
            ended = waitpid(ids[i], &status, 0);
        while (ended < 0 && errno == EINTR);
        ok = ok && ended == ids[i] && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }
    return ok;
}

static bool start(const workers_task *task, pipes *p, pid_t *ids, int *count)
{
    /* One more than cores: a run waits for its ranks now and then, and a fault that hangs does nothing else. */
    const int wanted = core_count() + 1;
    (void)fflush(NULL); /* a worker would print it again */
    for (*count = 0; *count < wanted && (size_t)*count < task->jobs; ++*count) {
        ids[*count] = fork();
        if (ids[*count] == 0)
            worker(task, p);
        if (ids[*count] < 0)
            break;
    }
    return *count > 0;
}

bool workers_run(const workers_task *task, char *message, size_t message_size)
{
    pipes p = {{-1, -1}, {-1, -1}};
    pid_t ids[WORKERS_MOST];
    int count = 0;
    if (task->jobs == 0)
        return true;
    if (task->jobs > JOBS_MOST || task->result_size > WORKERS_RESULT_MOST)
        return refuse(message, message_size, "too many jobs, or results that are too large");
    bool ok = pipe(p.jobs) == 0 && pipe(p.results) == 0 && fill(&p, task->jobs) && start(task, &p, ids, &count);
    if (!ok) {
        (void)refuse(message, message_size, "no processes to work in: %s", strerror(errno));
        pipes_close(&p);
        return false;
    }
    close_end(&p.jobs[0]);
    close_end(&p.results[1]);
    size_t came = 0;
    for (piece in; read_piece(p.results[0], &in, sizeof in); came++)
        task->done(task->context, in.job, in.result);
    pipes_close(&p);
    if (!wait_for(ids, count) || came < task->jobs)
        return refuse(message, message_size, "a process that judged ended early: %zu of %zu jobs were done", came,
                      task->jobs);
    return true;
}
