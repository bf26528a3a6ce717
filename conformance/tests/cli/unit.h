/* unit.h: what the unit tests of cli/ and report/ share: cmocka, and a stream whose text can be read back. */
#ifndef CONFORMANCE_TESTS_CLI_UNIT_H
#define CONFORMANCE_TESTS_CLI_UNIT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct caught {
    FILE *stream;
    char *text;
    size_t size;
} caught;

static inline caught *catch_open(void)
{
    caught *c = calloc(1, sizeof *c);
    assert_non_null(c);
    c->stream = open_memstream(&c->text, &c->size);
    assert_non_null(c->stream);
    return c;
}

/* The fragment is in what was written; "": nothing was written. Ends the catching. */
static inline void catch_expect(caught *c, const char *fragment)
{
    assert_int_equal(fclose(c->stream), 0);
    const bool found = fragment[0] == '\0' ? c->size == 0 : strstr(c->text, fragment) != NULL;
    if (!found)
        print_error("'%s' is not in: %s\n", fragment, c->text);
    free(c->text);
    free(c);
    assert_true(found);
}

#endif
