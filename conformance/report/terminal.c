/* terminal.c: see terminal.h. */
#include "report/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h> /* not of POSIX 2008, which has no way to ask for the width; every Unix has it */
#include <unistd.h>

#define USUAL_WIDTH   80
#define LEAST_WIDTH   20
#define LARGEST_WIDTH 10000

static bool is_sensible(long width)
{
    return width >= LEAST_WIDTH && width <= LARGEST_WIDTH;
}

static int width_of(int descriptor)
{
    const char *columns = getenv("COLUMNS");
    const long wanted = columns != NULL ? strtol(columns, NULL, 10) : 0;
    if (is_sensible(wanted))
        return (int)wanted;
#ifdef TIOCGWINSZ
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) == 0 && is_sensible(size.ws_col))
        return size.ws_col;
#else
    (void)descriptor;
#endif
    return USUAL_WIDTH;
}

terminal terminal_of(int descriptor)
{
    const char *kind = getenv("TERM"), *no_color = getenv("NO_COLOR");
    terminal t = {0};
    if (!isatty(descriptor))
        return t;
    t.width = width_of(descriptor);
    t.moves_cursor = kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
    t.colour = t.moves_cursor && (no_color == NULL || no_color[0] == '\0');
    return t;
}
