/* fuzz.h: what every fuzz target has: one function that libFuzzer, or driver.c, calls with input after input. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Always 0. A finding is a crash, an abort, a sanitizer's report, or an input that takes too long. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What must hold for every input; otherwise the program aborts, which is a finding. */
static inline void fuzz_check(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "does not hold: %s\n", what);
        abort();
    }
}

#endif
