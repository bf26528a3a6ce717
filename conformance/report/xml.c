/* xml.c: see xml.h. */
#include "report/xml.h"

#include <string.h>

static void put(FILE *file, unsigned char c)
{
    static const char *const names[] = {['&'] = "&amp;", ['<'] = "&lt;", ['>'] = "&gt;", ['"'] = "&quot;"};
    if (c < sizeof names / sizeof names[0] && names[c] != NULL)
        fputs(names[c], file);
    else
        fputc((c >= 0x20 && c < 0x7f) || c == '\n' ? c : c == '\t' ? ' ' : '?', file);
}

void xml_content(FILE *file, const char *text)
{
    for (size_t i = 0; text != NULL && text[i] != '\0'; i++)
        put(file, (unsigned char)text[i]);
}

void xml_attribute(FILE *file, const char *name, const char *value)
{
    fprintf(file, " %s=\"", name);
    for (size_t i = 0; value != NULL && value[i] != '\0'; i++) {
        if (value[i] == '\n')
            fputs("&#10;", file); /* a reader would take a plain one for a space */
        else
            put(file, (unsigned char)value[i]);
    }
    fputc('"', file);
}
