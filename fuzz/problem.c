/* problem.c: any text as a problem string. Refused with a reason and a place in it, or else: what is printed is
 * canonical, so reading it again gives the same, and so does a copy.
 */
#include "fuzz.h"

#include "harness/problem.h"

#include <string.h>

static void check_prints_as(const problem *p, const char *canonical)
{
    char *text = problem_print(p);
    fuzz_check(text && strcmp(text, canonical) == 0, canonical);
    free(text);
}

static void check_accepted(const problem *p)
{
    char *canonical = problem_print(p);
    fuzz_check(canonical, "what was read can be printed");
    problem again, copy;
    problem_error error = {0};
    const bool read_again = problem_parse(&again, canonical, &error);
    fuzz_check(read_again, canonical);
    check_prints_as(&again, canonical);
    problem_free(&again);
    fuzz_check(problem_copy(&copy, p), "what was read can be copied");
    check_prints_as(&copy, canonical);
    problem_free(&copy);
    free(canonical);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    fuzz_check(text, "memory for the text");
    if (size > 0) {
        memcpy(text, data, size);
    }
    text[size] = '\0';
    problem p;
    problem_error error = {0};
    if (problem_parse(&p, text, &error)) {
        check_accepted(&p);
    } else {
        fuzz_check(error.position <= strlen(text), "the mistake is within the text");
        fuzz_check(error.message[0] != '\0', "refused with a reason");
    }
    problem_free(&p);
    free(text);
    return 0;
}
