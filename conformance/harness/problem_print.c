/* problem_print.c: the canonical problem string. What problem_parse.c reads, this writes; each number in the shortest
 * decimal form that reads back as the same double. Assumes the C locale's decimal point, as every program here has it.
 */
#include "harness/gradient_kinds.h"
#include "harness/problem.h"
#include "harness/tensor_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* 1e-08 and 1e+20 are written 1e-8 and 1e20. */
static void print_number(FILE *f, double x)
{
    char text[40];
    for (int digits = 1; digits <= 17; digits++) {
        (void)snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x)
            break;
    }
    const char *e = strchr(text, 'e');
    if (e == NULL)
        (void)fputs(text, f);
    else
        (void)fprintf(f, "%.*se%ld", (int)(e - text), text, strtol(e + 1, NULL, 10));
}

static void print_flags(FILE *f, const problem *p)
{
    const struct {
        bool on;
        const char *name;
    } flags[] = {{p->error_feedback, "ef"},
                 {p->warm_start, "ws"},
                 {p->same_shape_batching, "bs"},
                 {p->flattened, "flat"},
                 {p->async, "async"}};
    bool any = false;
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (flags[i].on) {
            (void)fprintf(f, "%c%s", any ? ',' : '/', flags[i].name);
            any = true;
        }
    if (!any)
        (void)fputs("/-", f);
}

static void print_shape(FILE *f, const psgd_shape *shape)
{
    if (shape->ndim == 0)
        (void)fputs("scalar", f);
    for (size_t d = 0; d < shape->ndim; d++)
        (void)fprintf(f, "%s%zu", d > 0 ? "x" : "", shape->dims[d]);
}

static void print_shapes(FILE *f, const problem *p)
{
    if (p->recording != NULL)
        return;
    if (p->shape_set != NULL) {
        (void)fprintf(f, "/real:%s", p->shape_set);
        return;
    }
    for (size_t b = 0; b < p->bucket_count; b++)
        for (size_t i = 0; i < p->buckets[b].tensor_count; i++) {
            (void)fputs(i > 0 ? "," : b > 0 ? ";" : "/[", f);
            print_shape(f, &p->buckets[b].shapes[i]);
        }
    (void)fputc(']', f);
}

static void print_gradients(FILE *f, const problem *p)
{
    if (p->recording != NULL) {
        (void)fprintf(f, "/rec:%s", p->recording);
        return;
    }
    for (size_t i = 0; i < p->gradient_count; i++) {
        const gradient_kind_name *kind = gradient_kind_describe((size_t)p->gradients[i].kind);
        (void)fprintf(f, "%s%s", i > 0 ? "|" : "/grad=", kind->name);
        if (kind->parameter != PARAMETER_NONE)
            (void)fputc(kind->parameter == PARAMETER_ELEMENT ? '@' : ':', f);
        if (kind->parameter == PARAMETER_RATIO)
            print_number(f, p->gradients[i].parameter);
        else if (kind->parameter != PARAMETER_NONE)
            (void)fprintf(f, "%.0f", p->gradients[i].parameter); /* whole and below 2^53 */
    }
}

static void print_run(FILE *f, const problem *p)
{
    (void)fprintf(f, "W%d", p->world);
    if (p->of_world != p->world) {
        (void)fprintf(f, "of%d/group=", p->of_world);
        for (int k = 0; k < p->world; k++)
            (void)fprintf(f, "%s%d", k > 0 ? "," : "", p->group[k]);
    }
    (void)fprintf(f, "/r%" PRId64 "/s%" PRId64, p->r, p->start);
    if (p->steps > 0) /* 0: a recording's own number */
        (void)fprintf(f, "/i%" PRId64, p->steps);
    (void)fprintf(f, "/%s", dtype_name(p->dtype));
    print_flags(f, p);
    (void)fputs("/rate", f);
    print_number(f, p->rate);
    (void)fputs("/eps", f);
    print_number(f, p->epsilon);
    if (p->epsilon_relative)
        (void)fputs("rel", f);
}

static void print_data(FILE *f, const problem *p)
{
    print_shapes(f, p);
    print_gradients(f, p);
    if (p->constant)
        (void)fputs("/const", f);
    if (p->scale != 0)
        (void)fprintf(f, "/scale=%" PRId64, p->scale);
    if (p->reversed)
        (void)fputs("/rev", f);
    if (p->recording == NULL)
        (void)fprintf(f, "/seed=%" PRIu64, p->seed);
    if (p->random_seed != 0)
        (void)fprintf(f, "/rs=%" PRIu32, p->random_seed);
    if (p->statistics_interval != 10000)
        (void)fprintf(f, "/stats=%" PRId64, p->statistics_interval);
    if (p->checkpoint >= 0)
        (void)fprintf(f, "/ckpt=%" PRId64, p->checkpoint);
}

char *problem_print(const problem *p)
{
    char *text = NULL;
    size_t length = 0;
    FILE *f = open_memstream(&text, &length);
    if (f == NULL)
        return NULL;
    print_run(f, p);
    print_data(f, p);
    const bool failed = ferror(f) != 0;
    if (fclose(f) != 0 || failed) {
        free(text);
        return NULL;
    }
    return text;
}
