/* verdict.c: checks and what came of them. Holds ratios against limits and counts; knows nothing of cases, traces or
 * PowerSGD. Read requirement.h next, then judge.c, which asks for the comparisons. */
#include "judge/verdict.h"

#include <assert.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* SPEC.md, untrusted: a limit above this part of the expected value's norm would pass an all-zero output. */
#define MOST_POWER 0.1

static char *format_text(const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (length < 0) {
        return NULL;
    }
    char *text = malloc((size_t)length + 1);
    if (text != NULL) {
        vsnprintf(text, (size_t)length + 1, format, arguments);
    }
    return text;
}

/* The type that a problem string names; null: none. Its fields stand between slashes, in any order. */
static const char *type_of(const char *problem)
{
    static const char *const types[] = {"f32", "f64", "f16", "bf16"};
    for (const char *field = problem; field != NULL; field = strchr(field, '/')) {
        field += *field == '/';
        const size_t length = strcspn(field, "/");
        for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
            if (length == strlen(types[i]) && strncmp(field, types[i], length) == 0) {
                return types[i];
            }
        }
    }
    return NULL;
}

static void check_free(check *c)
{
    free(c->case_id);
    free(c->problem);
    free(c->message);
}

void verdict_free(verdict *v)
{
    for (size_t i = 0; i < v->count; i++) {
        check_free(&v->checks[i]);
    }
    free(v->checks);
    *v = (verdict){0};
}

static bool make_room(verdict *v)
{
    if (v->count < v->capacity) {
        return true;
    }
    size_t capacity = v->capacity == 0 ? 64 : v->capacity * 2;
    if (capacity > SIZE_MAX / sizeof(check)) {
        return false;
    }
    check *checks = realloc(v->checks, capacity * sizeof *checks);
    if (checks == NULL) {
        return false;
    }
    v->checks = checks;
    v->capacity = capacity;
    return true;
}

size_t verdict_open(verdict *v, const char *requirement_id, const char *case_id, const char *problem, const char *row,
                    double limit)
{
    const requirement *found = requirement_find(requirement_id);
    assert(found != NULL);
    check c = {.requirement = found, .row = row, .state = CHECK_UNOBSERVED, .limit = limit, .place = CHECK_NOWHERE};
    c.case_id = strdup(case_id);
    c.problem = problem == NULL ? NULL : strdup(problem);
    c.type = type_of(problem);
    if (found == NULL || c.case_id == NULL || (problem != NULL && c.problem == NULL) || !make_room(v)) {
        check_free(&c);
        v->out_of_memory = true;
        return SIZE_MAX; /* no such check: what is measured there is lost, and out_of_memory says so */
    }
    v->checks[v->count] = c;
    return v->count++;
}

static check *check_at(verdict *v, size_t index)
{
    return index < v->count ? &v->checks[index] : NULL;
}

/* How much of its limit a ratio uses up; what an exact comparison has is 0 or infinite already. */
static double used_up(double ratio, double limit)
{
    return limit > 0 ? ratio / limit : ratio;
}

void verdict_measure_limit(verdict *v, size_t index, double ratio, double limit, double power, const check_place *place)
{
    check *c = check_at(v, index);
    if (c == NULL) {
        return;
    }
    bool ok = ratio <= limit; /* false for NaN, in either */
    bool first = c->measured == 0;
    c->measured++;
    if (c->state == CHECK_FAIL || c->state == CHECK_SKIP || c->state == CHECK_NOT_RUN) {
        return; /* the first failure stands */
    }
    if (!ok) {
        c->state = CHECK_FAIL;
    } else {
        bool trusted = power <= MOST_POWER;
        if (trusted) {
            c->state = CHECK_PASS;
        } else if (c->state == CHECK_UNOBSERVED) {
            c->state = CHECK_UNTRUSTED;
        }
    }
    if (!ok || first || used_up(ratio, limit) > used_up(c->ratio, c->limit)) {
        c->ratio = ratio;
        c->limit = limit;
        c->place = *place;
    }
}

void verdict_measure(verdict *v, size_t index, double ratio, double power, const check_place *place)
{
    check *c = check_at(v, index);
    if (c != NULL) {
        verdict_measure_limit(v, index, ratio, c->limit, power, place);
    }
}

void verdict_expect(verdict *v, size_t index, bool holds, const check_place *place, const char *format, ...)
{
    check *c = check_at(v, index);
    if (c == NULL) {
        return;
    }
    bool failed_before = c->state == CHECK_FAIL;
    verdict_measure(v, index, holds ? 0 : (double)INFINITY, 0, place);
    if (c->state != CHECK_FAIL || failed_before || holds) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    free(c->message);
    c->message = format_text(format, arguments);
    va_end(arguments);
    if (c->message == NULL) {
        v->out_of_memory = true;
    }
}

/* The state with its reason in words, whatever was measured. */
static void set_state(verdict *v, check *c, check_state state, const char *format, va_list arguments)
{
    c->state = state;
    free(c->message);
    c->message = format_text(format, arguments);
    if (c->message == NULL) {
        v->out_of_memory = true;
    }
}

void verdict_set(verdict *v, size_t index, check_state state, const char *format, ...)
{
    check *c = check_at(v, index);
    if (c == NULL) {
        return;
    }
    va_list arguments;
    va_start(arguments, format);
    set_state(v, c, state, format, arguments);
    va_end(arguments);
}

void verdict_skip(verdict *v, size_t index, skip_reason reason, const char *format, ...)
{
    check *c = check_at(v, index);
    if (c == NULL) {
        return;
    }
    c->skipped = reason;
    va_list arguments;
    va_start(arguments, format);
    set_state(v, c, CHECK_SKIP, format, arguments);
    va_end(arguments);
}

const char *check_state_name(check_state state)
{
    static const char *const names[] = {"pass", "fail", "skip", "unobserved", "untrusted", "not run", "waived"};
    return (size_t)state < sizeof names / sizeof names[0] ? names[state] : "unknown";
}

const char *check_stage_name(check_stage stage)
{
    static const char *const names[] = {"", "M", "Q", "P", "orthogonalised P", "new Q", "out", "E", "state"};
    return (size_t)stage < sizeof names / sizeof names[0] ? names[stage] : "unknown";
}

verdict_counts verdict_count(const verdict *v)
{
    verdict_counts counts = {.checks = v->count};
    for (size_t i = 0; i < v->count; i++) {
        counts.by_state[v->checks[i].state]++;
    }
    return counts;
}
