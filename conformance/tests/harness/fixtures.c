/* fixtures.c: see fixtures.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "fixtures.h"
#include "harness/file_parts.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void build_case(test_case *c, const char *problem_text)
{
    problem p;
    problem_error error;
    char message[400];
    if (!problem_parse(&p, problem_text, &error))
        fail_msg("%s, at %zu: %s", problem_text, error.position, error.message);
    if (!case_build(c, &p, "fixture", "PSGD-EF-001", problem_claims(&p), NULL, message, sizeof message))
        fail_msg("%s: %s", problem_text, message);
    problem_free(&p);
}

static void fill(values *v, psgd_dtype dtype, size_t count, int number)
{
    assert_true(values_allocate(v, dtype, count));
    for (size_t i = 0; i < count; i++)
        values_set(v, i, number + (double)i / 16);
}

static void fill_factors(trace *t, const test_case *c, int64_t step)
{
    factor_shape *shapes = factor_shapes(c);
    assert_non_null(shapes);
    for (size_t b = 0, first = 0; b < c->bucket_count; first += c->tensor_counts[b++])
        for (size_t i = 0; i < c->tensor_counts[b]; i++) {
            const factor_shape *s = &shapes[first + i];
            if (s->r == 0)
                continue;
            fill(trace_p(t, step, b, i), c->dtype, s->n * s->r, 50 + (int)step);
            fill(trace_q(t, step, b, i), c->dtype, s->m * s->r, 70 + (int)step);
        }
    free(shapes);
}

trace *full_trace(const test_case *c)
{
    trace *t = trace_create(c->steps, c->bucket_count, c->tensor_counts, c->world);
    assert_non_null(t);
    t->producer = strdup("a port");
    t->version = strdup("0.3");
    t->claims = PSGD_CLAIM_CORE | PSGD_CLAIM_MULTIRANK;
    t->q_given = true;
    for (int k = 0; k < c->world; k++) {
        t->ranks[k].outcome = RANK_OK;
        t->ranks[k].steps_done = c->steps;
        t->ranks[k].message = strdup("");
    }
    for (int64_t step = 0; step < c->steps; step++) {
        const bool compressed = step >= c->config.start_iter;
        for (size_t b = 0; b < c->bucket_count; b++)
            for (int k = 0; k < c->world; k++) {
                fill(trace_out(t, step, b, k), c->dtype, c->numel[b], 10 * k + (int)step);
                if (compressed)
                    fill(trace_error(t, step, b, k), c->dtype, error_numel(c, b), 30 + k);
            }
        if (!compressed)
            continue;
        fill_factors(t, c, step);
        t->statistics[step] = (trace_statistics){true, {1.25 * (double)step, 100 + (uint64_t)step, 80}};
    }
    return t;
}

uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    if (hash == 0)
        hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(0x100000001b3);
    return hash;
}

char *make_folder(void)
{
    char *folder = strdup("/tmp/psgd-test-XXXXXX");
    assert_non_null(folder);
    assert_non_null(mkdtemp(folder));
    return folder;
}

void remove_folder(char *folder)
{
    DIR *d = opendir(folder);
    assert_non_null(d);
    for (struct dirent *entry; (entry = readdir(d)) != NULL;) {
        char path[1024];
        (void)snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (entry->d_name[0] != '.')
            (void)unlink(path);
    }
    (void)closedir(d);
    assert_int_equal(rmdir(folder), 0);
    free(folder);
}
