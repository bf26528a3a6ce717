/* text_failures.c: what failed, requirement by requirement, the MUSTs first. A case is shown once for a requirement, by
 * the check that saw the fault first; the ratios of its other checks stand beside it. */
#include "report/areas.h"
#include "report/text_parts.h"

#include <stdlib.h>
#include <string.h>

#define CASES_SHOWN 2 /* of a requirement; --verbose shows all */

typedef struct failed_cases {
    const check **checks; /* [check_count] of all cases, case by case */
    failed_case *cases;   /* [count] */
    size_t check_count, count;
} failed_cases;

static bool is_same_case(const check *a, const check *b)
{
    return strcmp(a->case_id, b->case_id) == 0;
}

/* An earlier step shows more of what broke; without one (a crash, a refusal) the order of judging decides. */
static bool is_earlier(const check *a, const check *b)
{
    return a->place.step >= 0 && a->place.step < b->place.step;
}

/* Puts the checks of one case together, cases in the order of their first check. */
static void gather(failed_cases *f)
{
    for (size_t i = 0; i < f->check_count; f->count++) {
        failed_case *c = &f->cases[f->count];
        *c = (failed_case){.first = f->checks[i], .checks = &f->checks[i], .count = 1};
        for (size_t j = i + 1; j < f->check_count; j++) {
            const check *other = f->checks[j];
            if (!is_same_case(other, f->checks[i]))
                continue;
            memmove(&c->checks[c->count + 1], &c->checks[c->count],
                    (j - i - c->count) * sizeof(const check *)); /* the others keep their order */
            c->checks[c->count++] = other;
            c->first = is_earlier(other, c->first) ? other : c->first;
        }
        i += c->count;
    }
}

/* The cases in which the requirement failed. Consequences of other failures only where they are asked for. False: no
 * memory. */
static bool failed_cases_of(failed_cases *f, const verdict *v, const requirement *of, bool consequences)
{
    *f = (failed_cases){0};
    for (size_t i = 0; i < v->count; i++)
        f->check_count += v->checks[i].requirement == of && v->checks[i].state == CHECK_FAIL;
    if (f->check_count == 0)
        return true;
    f->checks = malloc(f->check_count * sizeof *f->checks);
    f->cases = malloc(f->check_count * sizeof *f->cases);
    if (f->checks == NULL || f->cases == NULL)
        return false;
    f->check_count = 0;
    for (size_t i = 0; i < v->count; i++) {
        const check *c = &v->checks[i];
        if (c->requirement == of && c->state == CHECK_FAIL && (consequences || !report_is_consequence(v, c)))
            f->checks[f->check_count++] = c;
    }
    gather(f);
    return true;
}

static void failed_cases_free(failed_cases *f)
{
    free(f->checks);
    free(f->cases);
}

static void print_requirement(paper *p, const run_report *r, const requirement *of, bool verbose)
{
    failed_cases f;
    if (!failed_cases_of(&f, r->verdict, of, verbose)) {
        paper_line(p, TEXT_INDENT, "%s failed; there is no memory to show how", of->id);
    } else if (f.count > 0) {
        const size_t shown = verbose || f.count < CASES_SHOWN ? f.count : CASES_SHOWN;
        paper_line(p, TEXT_INDENT, PAPER_RED "FAILED %s" PAPER_PLAIN "%s  %s", of->id,
                   of->level == LEVEL_MUST ? "" : " (SHOULD)", of->sentence);
        for (size_t i = 0; i < shown; i++)
            text_case(p, r, &f.cases[i]);
        if (f.count > shown)
            paper_line(p, TEXT_INDENT, "  and %zu more case%s of %s (--verbose prints all)", f.count - shown,
                       f.count - shown == 1 ? "" : "s", of->id);
    }
    failed_cases_free(&f);
}

/* The requirements whose cases failed by what is printed above, one line for all of them: they are where to look, not
 * what broke. */
static void print_consequences(paper *p, const verdict *v)
{
    size_t count;
    FILE *line = NULL;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++) {
        size_t failed = 0;
        for (size_t j = 0; j < v->count; j++)
            failed += v->checks[j].requirement == &all[i] && report_is_consequence(v, &v->checks[j]);
        if (failed == 0)
            continue;
        const bool first = line == NULL;
        if (first)
            line = paper_begin(p);
        fprintf(line, "%s%s (%zu)", first ? "Among the failed cases are those made for: " : ", ", all[i].id, failed);
    }
    if (line != NULL)
        paper_end(p, PAPER_TEXT, TEXT_INDENT);
}

void text_failures(paper *p, const run_report *r, bool verbose)
{
    static const requirement_level order[] = {LEVEL_MUST, LEVEL_SHOULD};
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t k = 0; k < sizeof order / sizeof order[0]; k++)
        for (size_t i = 0; i < count; i++)
            if (all[i].level == order[k])
                print_requirement(p, r, &all[i], verbose);
    if (!verbose)
        print_consequences(p, r->verdict);
}
