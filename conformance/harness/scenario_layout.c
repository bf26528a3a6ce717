/* scenario_layout.c: buckets whose layout changes (PSGD-ITR-005), and tensors without elements or dimensions
 * (PSGD-SEL-006).
 */
#include "harness/scenarios_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The layout before a framework rebuilds its buckets: three buckets, cut elsewhere. */
static const size_t dims_10x11[] = {10, 11}, dims_17[] = {17}, dims_24x40[] = {24, 40}, dims_40x24[] = {40, 24},
                    dims_30x21[] = {30, 21};
static const psgd_shape early_a[] = {{1, dims_17}}, early_b[] = {{2, dims_24x40}, {2, dims_10x11}},
                        early_c[] = {{2, dims_30x21}};
static const psgd_bucket early_buckets[] = {{.index = 0, .tensor_count = 1, .shapes = early_a},
                                            {.index = 1, .tensor_count = 2, .shapes = early_b},
                                            {.index = 2, .tensor_count = 1, .shapes = early_c}};
static const session_layout early = {3, early_buckets};

bool scenario_layout_rebuilt(const subject *s)
{
    psgd_config config = session_config(s);
    session like = session_make(s, &config, 1), e = like;
    session_record clean = {0}, rebuilt = {0}, ignored = {0};
    scenario_doing(s, "undisturbed runs");
    bool ok = session_clean_run(s, &like, 5, &clean);
    scenario_doing(s, "another bucket layout in iteration 0 of a plain phase of 2");
    e.layout = &early;
    ok = ok && session_open(&e) && session_step(&e, &ignored);
    e.layout = &session_ordinary;
    ok = ok && session_steps(&e, 4, &rebuilt);
    session_close(&e);
    /* The first iteration's outputs are not those of the clean run: drop its segments from both. */
    session_record later = {0};
    for (size_t i = 0; ok && i < clean.segment_count; i++) {
        const struct session_segment *g = &clean.segments[i];
        size_t last = i + 1 < clean.segment_count ? clean.segments[i + 1].first : clean.count;
        if (g->step > 0 &&
            !session_record_add(&later, g->step, g->bucket, g->what, clean.values + g->first, last - g->first))
            ok = scenario_unobserved(s, "the kit had no memory for the comparison");
    }
    ok = ok && session_same(s, &later, &rebuilt, "after other buckets in iteration 0 of the plain phase");
    session_record_free(&clean);
    session_record_free(&rebuilt);
    session_record_free(&ignored);
    session_record_free(&later);
    return ok;
}

typedef struct bad_layout {
    const char *what;
    psgd_dtype dtype;
    size_t tensor_count;
    const psgd_shape *shapes;
} bad_layout;

static const psgd_shape swapped[] = {{2, dims_40x24}, {1, dims_17}}, longer[] = {{2, dims_24x40}, {2, dims_10x11}},
                        reordered[] = {{1, dims_17}, {2, dims_24x40}}, unchanged[] = {{2, dims_24x40}, {1, dims_17}};
static const bad_layout bad_layouts[] = {
    {"24x40 became 40x24", PSGD_F32, 2, swapped},
    {"the tensor of 17 elements became 10x11", PSGD_F32, 2, longer},
    {"the two tensors changed places", PSGD_F32, 2, reordered},
    {"the second tensor was left out", PSGD_F32, 1, unchanged},
    {"f32 became f64", PSGD_F64, 2, unchanged},
};

/* One step of bucket 0 in another layout, which must be refused, and whose data must stay as it is. */
static bool refuses(session *e, const bad_layout *bad)
{
    const subject *s = e->subject;
    double values[24 * 40 + 10 * 11], before[24 * 40 + 10 * 11]; /* room for each of them, in either type */
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        values[i] = before[i] = session_uniform(77, i, 0, 0);
    drive_buffer buffer;
    if (!drive_buffer_make(&buffer, s->port->memory, sizeof values, 0))
        return scenario_unobserved(s, "the kit had no memory for a bucket");
    bool ok = drive_buffer_put(&buffer, values) == PSGD_OK || scenario_fail(s, "the port's memory->upload failed");
    psgd_bucket bucket = {.struct_size = sizeof bucket,
                          .dtype = bad->dtype,
                          .index = 0,
                          .data = drive_buffer_data(&buffer),
                          .tensor_count = bad->tensor_count,
                          .shapes = bad->shapes};
    scenario_doing(s, "a step in which %s after the first compressed step", bad->what);
    psgd_status status = ok ? s->port->step(e->state, &bucket) : PSGD_OK;
    if (ok && status == PSGD_OK)
        ok = scenario_fail(s, "a step in which %s after the first compressed step: expected an error, got PSGD_OK",
                           bad->what);
    bool untouched = status == PSGD_ERR_LAYOUT || status == PSGD_ERR_ARGUMENT;
    if (ok && untouched && drive_buffer_get(&buffer) == PSGD_OK &&
        memcmp(drive_buffer_image(&buffer), before, sizeof before) != 0)
        ok = scenario_fail(s, "a step in which %s gave %s and yet changed the bucket's data", bad->what,
                           psgd_status_name(status));
    if (ok && s->port->last_error != NULL && session_error(e)[0] == '\0')
        ok = scenario_fail(s, "a step in which %s gave %s; expected words from last_error, got none", bad->what,
                           psgd_status_name(status));
    drive_buffer_free(&buffer);
    return ok;
}

static bool refuses_all(session *e)
{
    bool ok = true;
    for (size_t i = 0; ok && i < sizeof bad_layouts / sizeof bad_layouts[0]; i++)
        ok = refuses(e, &bad_layouts[i]);
    return ok;
}

bool scenario_layout_changed(const subject *s)
{
    const psgd_config config = session_config(s);
    return session_keeps_layout(s, &config, refuses_all, "layouts");
}

/* ---- where nothing is remembered ---- */

static const psgd_bucket other_buckets[] = {{.index = 0, .tensor_count = 2, .shapes = swapped},
                                            {.index = 1, .tensor_count = 2, .shapes = longer}};
static const session_layout other = {2, other_buckets};

/* Steps of both layouts in turn, as `turns` says, one letter a step. */
static bool run_in_turns(session *e, const char *turns, session_record *record)
{
    for (const char *turn = turns; *turn != '\0'; turn++) {
        e->layout = *turn == 'o' ? &other : &session_ordinary;
        scenario_doing(e->subject, "compressed step %d of layouts in turn, with both memories off",
                       (int)(turn - turns));
        if (!session_step(e, record))
            return false;
    }
    return true;
}

/* Each step is what it is in a run of its layout alone, where Q is handed in; of a port's own Q nothing is compared. */
static bool same_as_alone(session *e, const session_record *mixed, const char *turns)
{
    const subject *s = e->subject;
    session_record alone = {0}, expected = {0};
    const char *const all[] = {"ooooo", "-----"};
    bool ok = true;
    for (size_t i = 0; ok && i < 2; i++) {
        session again = *e;
        again.step = 0;
        ok = session_open(&again) && run_in_turns(&again, all[i], &alone);
        session_close(&again);
    }
    for (size_t t = 0; ok && turns[t] != '\0'; t++)
        for (size_t i = 0; ok && i < alone.segment_count; i++) {
            const struct session_segment *g = &alone.segments[i];
            const size_t end = i + 1 < alone.segment_count ? alone.segments[i + 1].first : alone.count;
            const bool is_other = i < alone.segment_count / 2;
            if (g->step == (int64_t)t && is_other == (turns[t] == 'o') &&
                !session_record_add(&expected, g->step, g->bucket, g->what, alone.values + g->first, end - g->first))
                ok = scenario_unobserved(s, "the kit had no memory for the comparison");
        }
    ok = ok && session_same(s, &expected, mixed, "layouts in turn, with both memories off, against each on its own");
    session_record_free(&alone);
    session_record_free(&expected);
    return ok;
}

bool scenario_layout_free(const subject *s)
{
    static const char turns[] = "-o-o-";
    psgd_config config = session_config(s);
    config.use_error_feedback = config.warm_start = false;
    config.start_iter = 0;
    session e = session_make(s, &config, 1);
    e.outputs_only = true;
    session_record mixed = {0};
    bool ok = session_open(&e) && run_in_turns(&e, turns, &mixed);
    session_close(&e);
    const bool forgets = !scenario_claims(s, PSGD_CLAIM_ALTERNATING); /* that variant keeps a side all the same */
    ok = ok && (e.own_q || !forgets || same_as_alone(&e, &mixed, turns));
    session_record_free(&mixed);
    return ok;
}

/* ---- tensors without elements ---- */

static const size_t dims_9[] = {9}, dims_5x0[] = {5, 0}, dims_0x5[] = {0, 5}, dims_0[] = {0}, dims_1[] = {1};
static const psgd_shape without[] = {{2, dims_24x40}, {1, dims_9}},
                        with_empty_rows[] = {{2, dims_24x40}, {2, dims_5x0}, {1, dims_9}},
                        with_no_rows[] = {{2, dims_24x40}, {2, dims_0x5}, {1, dims_0}, {1, dims_9}},
                        with_one[] = {{2, dims_24x40}, {1, dims_9}, {1, dims_1}},
                        with_scalar[] = {{2, dims_24x40}, {1, dims_9}, {0, NULL}};

/* The matrix stays tensor 0, so that the Q handed in, and every gradient, is the same with and without the others. */
static bool run_shapes(const subject *s, const psgd_shape *shapes, size_t count, session_record *record,
                       psgd_status *status)
{
    const psgd_bucket bucket = {.index = 0, .tensor_count = count, .shapes = shapes};
    const session_layout layout = {1, &bucket};
    psgd_config config = session_config(s);
    session e = session_make(s, &config, 1);
    e.layout = &layout;
    bool ok = session_open(&e);
    *status = PSGD_OK;
    for (int i = 0; ok && i < 5 && *status == PSGD_OK; i++)
        *status = session_attempt(&e, 0, record);
    session_close(&e);
    return ok && s->outcome->state == SCENARIO_PASS;
}

static bool same_as(const subject *s, const char *what, const psgd_shape *plain, size_t plain_count,
                    const psgd_shape *shapes, size_t count, bool may_refuse)
{
    psgd_status plain_status = PSGD_OK, status = PSGD_OK;
    session_record expected = {0}, got = {0};
    scenario_doing(s, "5 steps of a bucket with %s", what);
    bool ok =
        run_shapes(s, plain, plain_count, &expected, &plain_status) && run_shapes(s, shapes, count, &got, &status);
    char text[128];
    (void)snprintf(text, sizeof text, "a bucket with %s, against the same without", what);
    if (ok && plain_status != PSGD_OK)
        ok = scenario_fail(s, "a bucket of a matrix and vectors gave %s", psgd_status_name(plain_status));
    else if (ok && status != PSGD_OK)
        ok = may_refuse ||
             scenario_fail(s, "a bucket with %s: expected it to pass through, got %s", what, psgd_status_name(status));
    else if (ok)
        ok = session_same(s, &expected, &got, text);
    session_record_free(&expected);
    session_record_free(&got);
    return ok;
}

bool scenario_empty_tensors(const subject *s)
{
    return same_as(s, "a 5x0 tensor", without, 2, with_empty_rows, 3, false) &&
           same_as(s, "a 0x5 and a 0-element tensor", without, 2, with_no_rows, 4, false) &&
           same_as(s, "a 0-dimensional tensor (one element, or a clear error)", with_one, 3, with_scalar, 3, true);
}
