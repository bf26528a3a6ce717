/* signal_name.c: see signal_name.h. */
#include "harness/signal_name.h"

#include <signal.h>
#include <stdio.h>

const char *signal_name(char *text, size_t size, int number)
{
    static const struct {
        int number;
        const char *name;
    } names[] = {{SIGSEGV, "SIGSEGV"}, {SIGABRT, "SIGABRT"}, {SIGFPE, "SIGFPE"},   {SIGILL, "SIGILL"},
                 {SIGBUS, "SIGBUS"},   {SIGKILL, "SIGKILL"}, {SIGTERM, "SIGTERM"}, {SIGINT, "SIGINT"},
                 {SIGPIPE, "SIGPIPE"}, {SIGALRM, "SIGALRM"}, {SIGTRAP, "SIGTRAP"}, {SIGXCPU, "SIGXCPU"}};
    (void)snprintf(text, size, "signal %d", number);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].number == number)
            (void)snprintf(text, size, "signal %s", names[i].name);
    return text;
}
