/* number.h: numbers as text, the same whatever the locale. */
#ifndef PSGD_CORE_NUMBER_H
#define PSGD_CORE_NUMBER_H

#include <stddef.h>

/* The shortest decimal that reads back as value, with a point whatever the locale. text: at least 32 characters. */
void psgd_format_double(char *text, size_t size, double value);

#endif
