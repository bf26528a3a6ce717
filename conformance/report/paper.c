/* paper.c: see paper.h. */
#include "report/paper.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

paper paper_on(FILE *stream, const terminal *t)
{
    return (paper){.stream = stream, .width = t->width, .colour = t->colour};
}

FILE *paper_begin(paper *p)
{
    p->line = open_memstream(&p->text, &p->size);
    return p->line != NULL ? p->line : p->stream; /* without memory as it comes */
}

/* Columns that the first length bytes take: marks take none, nor do the later bytes of a character in UTF-8. */
static int columns(const char *text, size_t length)
{
    int count = 0;
    for (size_t i = 0; i < length; i++)
        count += text[i] != PAPER_RED[0] && text[i] != PAPER_PLAIN[0] && ((unsigned char)text[i] & 0xc0) != 0x80;
    return count;
}

static void put(const paper *p, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (text[i] != PAPER_RED[0] && text[i] != PAPER_PLAIN[0])
            fputc(text[i], p->stream);
        else if (p->colour)
            fputs(text[i] == PAPER_RED[0] ? "\033[1;31m" : "\033[0m", p->stream);
    }
}

/* How much of a word that is too long for the columns that are left goes there: up to the last place where it may be
 * cut; 0: there is none. */
static size_t piece_of(const char *word, size_t length, int left)
{
    size_t best = 0;
    for (size_t i = 0; i < length && columns(word, i + 1) <= left; i++)
        if (strchr("/,;", word[i]) != NULL)
            best = i + 1;
    return best;
}

static void go_on(const paper *p, paper_kind kind, int indent)
{
    fprintf(p->stream, "%s\n%*s", kind == PAPER_COMMAND ? " \\" : "", indent, "");
}

/* One word, and the spaces before it; *column is where the line is. */
static void put_word(const paper *p, paper_kind kind, int indent, int *column, const char *word, size_t length,
                     int spaces)
{
    const int width = p->width - (kind == PAPER_COMMAND ? 2 : 0); /* room for the backslash */
    int needed = columns(word, length);
    const bool fits = *column + spaces + needed <= width;
    const bool may_be_cut = kind == PAPER_TEXT && indent + needed > width;
    if (fits || *column <= indent || (may_be_cut && piece_of(word, length, width - *column - spaces) > 0)) {
        fprintf(p->stream, "%*s", spaces, "");
        *column += spaces;
    } else {
        go_on(p, kind, indent);
        *column = indent;
    }
    while (kind == PAPER_TEXT && *column + needed > width) {
        const size_t piece = piece_of(word, length, width - *column);
        if (piece == 0 || piece == length)
            break;
        put(p, word, piece);
        go_on(p, kind, indent);
        *column = indent;
        word += piece;
        length -= piece;
        needed = columns(word, length);
    }
    put(p, word, length);
    *column += needed;
}

static void put_wrapped(const paper *p, paper_kind kind, int indent)
{
    int column = 0;
    for (size_t at = 0; at < p->size;) {
        size_t spaces = 0, length = 0;
        while (at + spaces < p->size && p->text[at + spaces] == ' ')
            spaces++;
        at += spaces;
        while (at + length < p->size && p->text[at + length] != ' ')
            length++;
        if (length > 0)
            put_word(p, kind, indent, &column, p->text + at, length, (int)spaces);
        at += length;
    }
}

void paper_end(paper *p, paper_kind kind, int indent)
{
    if (p->line != NULL) {
        const bool whole = fclose(p->line) == 0;
        if (whole && p->width > 0 && columns(p->text, p->size) > p->width)
            put_wrapped(p, kind, indent < p->width / 2 ? indent : p->width / 4);
        else
            put(p, p->text, p->size);
        free(p->text);
        p->line = NULL;
        p->text = NULL;
        p->size = 0;
    }
    fputc('\n', p->stream);
}

void paper_line(paper *p, int indent, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vfprintf(paper_begin(p), format, arguments);
    va_end(arguments);
    paper_end(p, PAPER_TEXT, indent);
}
