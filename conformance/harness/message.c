/* message.c: see message.h. */
#include "harness/message.h"

#include <stdarg.h>
#include <stdio.h>

bool refuse(char *message, size_t size, const char *format, ...)
{
    if (message != NULL && size > 0) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(message, size, format, arguments);
        va_end(arguments);
    }
    return false;
}
