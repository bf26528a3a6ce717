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
    char *point = strchr(text, localeconv()->decimal_point[0]);
    if (point) {
        *point = '.';
    }
}
