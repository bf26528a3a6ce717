/* shell.c: see shell.h. */
#include "report/shell.h"

#include <string.h>

static const char HARMLESS[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:=,+-@%";

void shell_print(FILE *file, const char *word)
{
    const size_t length = strlen(word);
    if (length > 0 && strspn(word, HARMLESS) == length) {
        fputs(word, file);
        return;
    }
    fputc('\'', file);
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)word[i];
        if (c == '\'')
            fputs("'\\''", file);
        else
            fputc(c < 0x20 || c == 0x7f ? '?' : c, file);
    }
    fputc('\'', file);
}
