/* number.c: see number.h. */
#include "core/number.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void psgd_format_double(char *text, size_t size, double value)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
    /* A decimal point may be several bytes, as the Arabic one is in UTF-8. */
    const char *local = localeconv()->decimal_point;
    char *point = strstr(text, local);
    if (point) {
        *point = '.';
        const char *fraction = point + strlen(local);
        memmove(point + 1, fraction, strlen(fraction) + 1);
    }
}
