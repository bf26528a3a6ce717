/* exec_guard.c: see exec_guard.h. Top to bottom: what the command prints, what it leaves behind, starting it, watching
 * it.
 *
 * The command leads a process group, which gets the signals. What leaves that group, as mpirun's ranks and daemons do,
 * becomes a child of the guard when its parents are gone, where the system offers that (Linux), and is killed as such.
 */
#include "cli/exec_guard.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define TICK_MILLISECONDS 20
#define GRACE             3.0                   /* seconds from SIGTERM to SIGKILL */
#define PATIENCE          5.0                   /* seconds that processes may need to be gone after SIGKILL */
#define MOST_SHOWN        ((size_t)1024 * 1024) /* bytes of what it prints that are passed on, of each stream */

typedef struct stream { /* one that the command prints to */
    int from;           /* read end; -1: closed */
    size_t shown;
} stream;

typedef struct guard {
    exec_report report;
    pid_t command;     /* 0: not started */
    stream streams[2]; /* standard output, standard error */
    bool quiet;
} guard;

static volatile sig_atomic_t told_to_stop;

static void stop(int signal_number)
{
    (void)signal_number;
    told_to_stop = 1;
}

static double now(void)
{
    struct timespec t = {0};
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- what it prints ---- */

static void keep_tail(exec_report *r, const char *bytes, size_t count)
{
    if (count >= EXEC_TAIL_BYTES) {
        bytes += count - EXEC_TAIL_BYTES;
        count = EXEC_TAIL_BYTES;
    }
    const size_t kept = r->tail + count > EXEC_TAIL_BYTES ? EXEC_TAIL_BYTES - count : r->tail;
    memmove(r->text, r->text + r->tail - kept, kept);
    memcpy(r->text + kept, bytes, count);
    r->tail = kept + count;
}

static void show(stream *s, const char *bytes, size_t count)
{
    static const char enough[] = "\npsgd-conform: the command prints without end; no more of it is shown\n";
    if (s->shown > MOST_SHOWN)
        return;
    s->shown += count;
    if (s->shown > MOST_SHOWN) {
        bytes = enough;
        count = sizeof enough - 1;
    }
    while (count > 0) { /* what nobody can read is lost, and that is no reason to stop */
        const ssize_t written = write(STDERR_FILENO, bytes, count);
        if (written <= 0)
            return;
        bytes += written;
        count -= (size_t)written;
    }
}

/* Takes what is there; waits for it, or for a tick. */
static void listen_to(guard *g, int milliseconds)
{
    struct pollfd ready[2];
    for (int i = 0; i < 2; i++)
        ready[i] = (struct pollfd){.fd = g->streams[i].from, .events = POLLIN};
    if (poll(ready, 2, milliseconds) <= 0)
        return;
    for (int i = 0; i < 2; i++) {
        char bytes[65536];
        if (g->streams[i].from < 0 || ready[i].revents == 0)
            continue;
        const ssize_t count = read(g->streams[i].from, bytes, sizeof bytes);
        if (count > 0 && i == 1)
            keep_tail(&g->report, bytes, (size_t)count);
        if (count > 0 && !g->quiet)
            show(&g->streams[i], bytes, (size_t)count);
        if (count == 0 || (count < 0 && errno != EINTR)) {
            (void)close(g->streams[i].from);
            g->streams[i].from = -1;
        }
    }
}

/* What was printed before the end and not read yet: no more than pipes hold. */
static void listen_to_rest(guard *g)
{
    for (int i = 0; i < 64; i++)
        listen_to(g, 0);
}

/* ---- what it leaves behind ---- */

static bool is_child(const char *name, pid_t *pid)
{
    char path[64], line[512];
    char *end;
    const long number = strtol(name, &end, 10);
    if (number <= 0 || *end != '\0')
        return false;
    (void)snprintf(path, sizeof path, "/proc/%ld/stat", number);
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return false;
    const size_t count = fread(line, 1, sizeof line - 1, file);
    (void)fclose(file);
    line[count] = '\0';
    const char *after = strrchr(line, ')'); /* PID (NAME) S PARENT ...; the name may hold anything */
    *pid = (pid_t)number;
    return after != NULL && strlen(after) > 4 && strtol(after + 4, NULL, 10) == (long)getpid();
}

/* Sends SIGKILL to every child, as far as there is a /proc to find them. */
static void kill_children(void)
{
    DIR *folder = opendir("/proc");
    for (struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        pid_t pid;
        if (isdigit((unsigned char)entry->d_name[0]) && is_child(entry->d_name, &pid))
            (void)kill(pid, SIGKILL);
    }
    if (folder != NULL)
        (void)closedir(folder);
}

/* Takes leave of all children that have ended. False: there are none left. */
static bool reap(guard *g)
{
    int status;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == g->command) {
            g->report.outcome.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
            g->report.outcome.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
        }
    return pid == 0;
}

/* Kills until nothing is left: the children of what was killed come next. Nobody has waited for the command yet, so its
 * number, and its group's, cannot have been given away. */
static void clear_up(guard *g)
{
    if (g->command > 0)
        (void)kill(-g->command, SIGKILL);
    for (const double end = now() + PATIENCE; reap(g) && now() < end;) {
        kill_children();
        listen_to(g, 1);
    }
}

/* ---- starting it ---- */

_Noreturn static void become_command(const char *command, const char *folder, const int *ends)
{
    char *text = malloc(strlen(command) + sizeof " \"$@\"");
    const int nothing = open("/dev/null", O_RDONLY);
    if (text == NULL || nothing < 0)
        _exit(126);
    (void)sprintf(text, "%s \"$@\"", command);
    (void)setpgid(0, 0);
    if (dup2(nothing, STDIN_FILENO) < 0 || dup2(ends[0], STDOUT_FILENO) < 0 || dup2(ends[1], STDERR_FILENO) < 0)
        _exit(126);
    if (nothing > STDERR_FILENO)
        (void)close(nothing);
    const int defaults[] = {SIGINT, SIGTERM, SIGPIPE, SIGHUP};
    for (size_t i = 0; i < sizeof defaults / sizeof defaults[0]; i++)
        (void)signal(defaults[i], SIG_DFL);
    (void)execl("/bin/sh", "sh", "-c", text, "sh", folder, (char *)NULL);
    _exit(126);
}

static bool make_stream(stream *s, int *write_end)
{
    int ends[2];
    if (pipe(ends) != 0)
        return false;
    (void)fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    *s = (stream){.from = ends[0]};
    *write_end = ends[1];
    return true;
}

static bool start(guard *g, const char *command, const char *folder)
{
    int ends[2];
    if (!make_stream(&g->streams[0], &ends[0]) || !make_stream(&g->streams[1], &ends[1]))
        return false;
    g->command = fork();
    if (g->command == 0)
        become_command(command, folder, ends);
    if (g->command > 0)
        (void)setpgid(g->command, g->command); /* by both: before either goes on */
    (void)close(ends[0]);
    (void)close(ends[1]);
    return g->command > 0;
}

/* ---- watching it ---- */

static bool has_ended(const guard *g)
{
    siginfo_t info;
    memset(&info, 0, sizeof info);
    return waitid(P_PID, (id_t)g->command, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == g->command;
}

/* Until it has ended, or has not although it was asked to. */
static void watch(guard *g, double timeout_seconds)
{
    const double begin = now();
    double end = begin + timeout_seconds;
    bool asked = false;
    while (!has_ended(g)) {
        const bool late = now() > end;
        if (late && asked)
            break;
        if (late || (told_to_stop != 0 && !asked)) {
            g->report.outcome.timed_out = told_to_stop == 0;
            (void)kill(-g->command, SIGTERM);
            end = now() + GRACE;
            asked = true;
        }
        listen_to(g, TICK_MILLISECONDS);
    }
    g->report.outcome.seconds = now() - begin;
}

_Noreturn void exec_guard(const char *command, const char *folder, double timeout_seconds, bool quiet, pid_t kit,
                          int answer)
{
    static guard g; /* large */
    g = (guard){.quiet = quiet, .streams = {{.from = -1}, {.from = -1}}};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = stop;
    (void)sigemptyset(&action.sa_mask);
    (void)sigaction(SIGTERM, &action, NULL);
    (void)signal(SIGINT, SIG_IGN); /* a terminal's goes to the kit, which says SIGTERM */
    (void)signal(SIGPIPE, SIG_IGN);
    (void)setpgid(0, 0);
#ifdef __linux__
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1);
    (void)prctl(PR_SET_PDEATHSIG, SIGTERM);
#endif
    if (getppid() != kit) /* it died before it could be told */
        _exit(1);
    if (start(&g, command, folder))
        watch(&g, timeout_seconds);
    else
        g.report.failed = errno != 0 ? errno : EAGAIN;
    clear_up(&g);
    listen_to_rest(&g);
    if (g.report.outcome.timed_out)
        g.report.outcome.exit_status = -1;
    const char *bytes = (const char *)&g.report;
    for (size_t sent = 0; sent < sizeof g.report;) {
        const ssize_t more = write(answer, bytes + sent, sizeof g.report - sent);
        if (more < 0 && errno != EINTR)
            _exit(1);
        sent += more > 0 ? (size_t)more : 0;
    }
    _exit(0);
}
