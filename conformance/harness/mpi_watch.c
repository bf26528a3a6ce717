/* mpi_watch.c: see mpi_watch.h. */
#include "harness/mpi_watch.h"

#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define ABORT_SECONDS 5

typedef struct watch {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t thread;
    bool begun, ending, running;
    struct timespec deadline;
    double seconds;
    int rank;
    char what[1024]; /* written by the main thread only; read by a handler after a crash, whatever it then holds */
    char doing[160];
} watch;

static watch the_watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static const int fatal_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};

static void put(const char *text)
{
    size_t length = 0;
    while (length < sizeof the_watch.what && text[length] != '\0')
        length++;
    while (length > 0) {
        ssize_t written = write(STDERR_FILENO, text, length);
        if (written <= 0)
            return;
        text += written;
        length -= (size_t)written;
    }
}

/* Only calls that a signal handler may make. SA_RESETHAND has put the default action back: raising ends the process. */
static void on_fatal_signal(int number)
{
    put("psgd-conform: the port crashed in ");
    put(the_watch.what);
    put("\npsgd-conform: it was in ");
    put(the_watch.doing);
    put("\n");
    (void)raise(number);
}

static void *keep_watch(void *unused)
{
    (void)unused;
    watch *w = &the_watch;
    (void)pthread_mutex_lock(&w->lock);
    while (!w->ending) {
        if (!w->running) {
            (void)pthread_cond_wait(&w->changed, &w->lock);
            continue;
        }
        struct timespec now;
        (void)clock_gettime(CLOCK_MONOTONIC, &now);
        bool late =
            now.tv_sec > w->deadline.tv_sec || (now.tv_sec == w->deadline.tv_sec && now.tv_nsec >= w->deadline.tv_nsec);
        if (late) {
            (void)fprintf(stderr,
                          "psgd-conform: rank %d: after %g s the port had not ended %s\npsgd-conform: it was in %s\n",
                          w->rank, w->seconds, w->what, w->doing);
            (void)fflush(stderr);
            /* The main thread is inside the port, or inside MPI and never to come back: there is nothing to wait for.
             */
            /* Should MPI be past even that, the alarm ends this process, and mpirun the others. */
            (void)signal(SIGALRM, SIG_DFL);
            (void)alarm(ABORT_SECONDS);
            (void)MPI_Abort(MPI_COMM_WORLD, 1);
        }
        (void)pthread_cond_timedwait(&w->changed, &w->lock, &w->deadline);
    }
    (void)pthread_mutex_unlock(&w->lock);
    return NULL;
}

static bool monotonic_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return false;
    bool ok =
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 && pthread_cond_init(condition, &attributes) == 0;
    (void)pthread_condattr_destroy(&attributes);
    return ok;
}

bool mpi_watch_begin(int rank)
{
    watch *w = &the_watch;
    w->rank = rank;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_fatal_signal;
    action.sa_flags = (int)SA_RESETHAND;
    for (size_t i = 0; i < sizeof fatal_signals / sizeof fatal_signals[0]; i++)
        (void)sigaction(fatal_signals[i], &action, NULL);
    w->begun = monotonic_condition(&w->changed) && pthread_create(&w->thread, NULL, keep_watch, NULL) == 0;
    return w->begun;
}

void mpi_watch_end(void)
{
    watch *w = &the_watch;
    if (!w->begun)
        return;
    (void)pthread_mutex_lock(&w->lock);
    w->ending = true;
    (void)pthread_cond_signal(&w->changed);
    (void)pthread_mutex_unlock(&w->lock);
    (void)pthread_join(w->thread, NULL);
    w->begun = false;
}

void mpi_watch_start(double timeout_seconds, const char *what)
{
    watch *w = &the_watch;
    (void)pthread_mutex_lock(&w->lock);
    (void)snprintf(w->what, sizeof w->what, "%s", what);
    (void)snprintf(w->doing, sizeof w->doing, "its start");
    w->seconds = timeout_seconds;
    (void)clock_gettime(CLOCK_MONOTONIC, &w->deadline);
    w->deadline.tv_sec += (time_t)timeout_seconds;
    w->deadline.tv_nsec += (long)(1e9 * (timeout_seconds - (double)(time_t)timeout_seconds));
    if (w->deadline.tv_nsec >= 1000000000) {
        w->deadline.tv_nsec -= 1000000000;
        w->deadline.tv_sec++;
    }
    w->running = true;
    (void)pthread_cond_signal(&w->changed);
    (void)pthread_mutex_unlock(&w->lock);
}

void mpi_watch_stop(void)
{
    watch *w = &the_watch;
    (void)pthread_mutex_lock(&w->lock);
    w->running = false;
    (void)pthread_cond_signal(&w->changed);
    (void)pthread_mutex_unlock(&w->lock);
}

void mpi_watch_progress(void *context, int64_t step, size_t bucket, const char *what)
{
    (void)context;
    watch *w = &the_watch;
    (void)pthread_mutex_lock(&w->lock);
    (void)snprintf(w->doing, sizeof w->doing, "%s of step %lld, bucket %zu", what, (long long)step, bucket);
    (void)pthread_mutex_unlock(&w->lock);
}
