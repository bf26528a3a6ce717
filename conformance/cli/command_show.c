/* command_show.c: a case, a scenario or a requirement in detail. */
#include "cli/command.h"
#include "cli/lookup.h"
#include "cli/plan.h"
#include "core/layout.h"
#include "harness/case.h"

#include <stdio.h>
#include <stdlib.h>

static void show_requirements(const char *list)
{
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++)
        if (has_word(list, all[i].id))
            printf("  for      %s  %s\n", all[i].id, all[i].sentence);
}

/* Each tensor as a matrix, and whether the hook's rule compresses it. */
static void show_bucket(const problem *p, size_t index)
{
    double anywhere;
    const psgd_bucket bucket = {.struct_size = sizeof bucket,
                                .dtype = (uint32_t)p->dtype,
                                .index = index,
                                .data = &anywhere, /* the layout looks at no element */
                                .tensor_count = p->buckets[index].tensor_count,
                                .shapes = p->buckets[index].shapes};
    psgd_bucket_layout layout;
    char message[256];
    if (psgd_bucket_layout_make(&layout, &bucket, p->r, p->rate, message, sizeof message) != PSGD_OK) {
        printf("  bucket %zu: %s\n", index, message);
        return;
    }
    if (p->flattened && psgd_bucket_layout_flatten(&layout, p->r, message, sizeof message) != PSGD_OK) {
        printf("  bucket %zu: %zu elements, %s\n", index, layout.numel, message);
        psgd_bucket_layout_free(&layout);
        return;
    }
    printf("  bucket %zu: %zu elements; P and Q take %zu\n", index, layout.numel, layout.p_numel + layout.q_numel);
    for (size_t i = 0; i < layout.tensor_count; i++) {
        const psgd_matrix_layout *m = &layout.tensors[i];
        printf("    %s %zu: %zu x %zu, ", p->flattened ? "square" : "tensor", i, m->n, m->m);
        if (m->compressed)
            printf("compressed at rank %zu\n", m->r);
        else
            printf("not compressed\n");
    }
    psgd_bucket_layout_free(&layout);
}

static void show_problem(const problem *p, uint64_t claims)
{
    char *text = problem_print(p);
    char names[128];
    claims_print(claims, names, sizeof names);
    printf("  problem  %s\n  claims   %s\n", text != NULL ? text : "(no memory)", names);
    free(text);
    printf("  ranks    %d of %d\n  steps    %lld, the first %lld plain\n", p->world, p->of_world, (long long)p->steps,
           (long long)p->start);
    for (size_t b = 0; b < p->bucket_count; b++)
        show_bucket(p, b);
}

static int show_text(FILE *errors, const char *id, const char *text, const char *wanted_for, uint64_t claims)
{
    problem p;
    if (!plan_parse_problem(&p, text, errors))
        return EXIT_USAGE;
    printf("%s\n", id);
    show_problem(&p, claims | problem_claims(&p));
    show_requirements(wanted_for);
    printf("  run      psgd-conform run --impl NAME --case '%s'\n", text);
    problem_free(&p);
    return EXIT_CONFORMING;
}

int command_show(const options *o)
{
    if (o->positional.count == 0) {
        int code = EXIT_CONFORMING;
        for (size_t i = 0; i < o->cases.count && code == EXIT_CONFORMING; i++)
            code = show_text(o->errors, "case", o->cases.words[i], "", PSGD_CLAIM_CORE);
        return code;
    }
    const char *id = o->positional.words[0];
    const requirement *required = requirement_find(id);
    if (required != NULL) {
        requirement_print(required);
        return EXIT_CONFORMING;
    }
    const suite_case *found = suite_find(id);
    if (found != NULL)
        return show_text(o->errors, id, found->problem, found->requirements, found->claims);
    const scenario *played = scenario_find(id);
    if (played != NULL) {
        printf("%s\n  %s\n  ranks    %d\n", id, played->does, played->world);
        show_requirements(played->requirement);
        printf("  run      psgd-conform run --impl NAME --only '%s'\n", id);
        return EXIT_CONFORMING;
    }
    return lookup_failed(o->errors, "case, scenario or requirement", id);
}
