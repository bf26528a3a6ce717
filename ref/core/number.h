/* number.h: numbers as text, the same whatever the locale. */
#ifndef PSGD_CORE_NUMBER_H
#define PSGD_CORE_NUMBER_H

#include <stddef.h>

/* value with 15 significant digits if that reads back as it, else with 16, else 17; zeros at the end cut off, a point
 * whatever the locale (CHECKPOINT.md). text: at least 32 characters. */
void psgd_format_double(char *text, size_t size, double value);

#endif
