/* printable.c: see printable.h. */
#include "report/printable.h"

const char *printable(char *buffer, size_t size, const char *text)
{
    size_t length = 0;
    for (; text != NULL && text[length] != '\0' && length + 1 < size; length++) {
        const char c = text[length];
        const char other = c == '\n' || c == '\t' || c == '\r' ? ' ' : '?';
        buffer[length] = c >= 0x20 && c < 0x7f ? c : other;
    }
    buffer[length] = '\0';
    return buffer;
}
