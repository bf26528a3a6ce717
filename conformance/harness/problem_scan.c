/* problem_scan.c: see problem_scan.h. problem_parse.c, the grammar, is next. */
#include "harness/problem_scan.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool scan_fail(scanner *s, size_t position, const char *format, ...)
{
    s->error->position = position;
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(s->error->message, sizeof s->error->message, format, arguments);
    va_end(arguments);
    return false;
}

static bool digit_at(const scanner *s, size_t at)
{
    return isdigit((unsigned char)s->text[at]) != 0;
}

bool scan_unsigned(scanner *s, uint64_t *value, uint64_t max, const char *what)
{
    const size_t start = s->at;
    if (!digit_at(s, s->at))
        return scan_fail(s, start, "expected a whole number for %s", what);
    uint64_t sum = 0;
    bool above = false;
    for (; digit_at(s, s->at); s->at++) {
        const uint64_t digit = (uint64_t)(s->text[s->at] - '0');
        above = above || sum > (UINT64_MAX - digit) / 10;
        if (!above)
            sum = 10 * sum + digit;
    }
    if (above || sum > max)
        return scan_fail(s, start, "%s must be at most %" PRIu64, what, max);
    *value = sum;
    return true;
}

bool scan_integer(scanner *s, int64_t *value, int64_t min, int64_t max, const char *what)
{
    const size_t start = s->at;
    const bool negative = min < 0 && scan_char(s, '-');
    uint64_t magnitude = 0;
    if (!digit_at(s, s->at))
        return scan_fail(s, start, "expected a whole number for %s", what);
    const bool fits = scan_unsigned(s, &magnitude, INT64_MAX, what);
    const int64_t result = !fits ? 0 : negative ? -(int64_t)magnitude : (int64_t)magnitude;
    if (!fits || result < min || result > max)
        return scan_fail(s, start, "%s must be from %" PRId64 " to %" PRId64, what, min, max);
    *value = result;
    return true;
}

bool scan_number(scanner *s, double *value, const char *what)
{
    const size_t start = s->at;
    size_t at = start;
    if (!digit_at(s, at))
        return scan_fail(s, start, "expected a number, not negative, for %s", what);
    while (digit_at(s, at))
        at++;
    if (s->text[at] == '.' && digit_at(s, at + 1))
        for (at++; digit_at(s, at);)
            at++;
    if (s->text[at] == 'e') {
        const size_t exponent = at + (s->text[at + 1] == '-' || s->text[at + 1] == '+' ? 2 : 1);
        if (digit_at(s, exponent))
            for (at = exponent; digit_at(s, at);)
                at++;
    }
    char word[64];
    const size_t length = at - start;
    if (length >= sizeof word)
        return scan_fail(s, start, "the number for %s has too many digits", what);
    memcpy(word, s->text + start, length); /* a copy: strtod would read 0x10, too */
    word[length] = '\0';
    *value = strtod(word, NULL);
    if (!isfinite(*value))
        return scan_fail(s, start, "the number for %s is too large", what);
    s->at = at;
    return true;
}

bool scan_char(scanner *s, char c)
{
    if (s->text[s->at] != c)
        return false;
    s->at++;
    return true;
}

size_t scan_word(const scanner *s, const char *stop)
{
    return strcspn(s->text + s->at, stop);
}

int scan_shown(size_t length)
{
    return length < 40 ? (int)length : 40;
}
