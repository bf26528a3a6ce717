/* scenario_arguments.c: arguments that an interface must refuse by name, without harm to the state (PSGD-ROB-001). */
#include "harness/scenarios_all.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* True if text holds one of the words (separated by |), in any case. */
static bool names_one(const char *text, const char *words)
{
    while (*words != '\0') {
        size_t length = strcspn(words, "|");
        for (const char *at = text; *at != '\0'; at++) {
            size_t i = 0;
            while (i < length && tolower((unsigned char)at[i]) == tolower((unsigned char)words[i]))
                i++;
            if (i == length)
                return true;
        }
        words += length + (words[length] == '|' ? 1 : 0);
    }
    return false;
}

/* ---- create ---- */

static bool create_refused(const subject *s, const psgd_config *config, const psgd_comm *comm, bool with_state,
                           const char *what, const char *words)
{
    char text[256] = "";
    psgd_state *state = NULL;
    scenario_doing(s, "create with %s", what);
    psgd_status status = s->port->create(config, comm, with_state ? &state : NULL, text, sizeof text);
    if (status == PSGD_OK) {
        if (state != NULL)
            s->port->destroy(state);
        return scenario_fail(s, "create with %s: expected an error, got PSGD_OK", what);
    }
    text[sizeof text - 1] = '\0';
    if (status != PSGD_ERR_UNSUPPORTED && !names_one(text, words))
        return scenario_fail(s, "create with %s gave %s: expected a message that names %s, got '%s'", what,
                             psgd_status_name(status), words, text);
    return true;
}

static psgd_status no_allreduce(void *context, void *data, size_t count, psgd_dtype dtype)
{
    (void)context;
    (void)data;
    (void)count;
    (void)dtype;
    return PSGD_ERR_COMM;
}

static bool comms_refused(const subject *s, const psgd_config *config)
{
    const psgd_comm good = {.struct_size = sizeof good, .rank = 0, .size = 1, .allreduce_sum = no_allreduce};
    psgd_comm bad = good;
    bad.struct_size = 0;
    if (!create_refused(s, config, &bad, true, "comm->struct_size 0", "struct_size|comm"))
        return false;
    bad = good;
    bad.size = 0;
    if (!create_refused(s, config, &bad, true, "comm->size 0", "size|comm|rank"))
        return false;
    bad = good;
    bad.rank = 1;
    if (!create_refused(s, config, &bad, true, "comm->rank 1 of 1", "rank|comm"))
        return false;
    bad = good;
    bad.rank = -1;
    if (!create_refused(s, config, &bad, true, "comm->rank -1", "rank|comm"))
        return false;
    bad = good;
    bad.allreduce_sum = NULL;
    return create_refused(s, config, &bad, true, "comm->allreduce_sum null", "allreduce|comm");
}

bool scenario_bad_create(const subject *s)
{
    const psgd_config good = session_config(s);
    if (!create_refused(s, NULL, s->comm, true, "a null config", "config") ||
        !create_refused(s, &good, NULL, true, "a null comm", "comm") ||
        !create_refused(s, &good, s->comm, false, "a null state", "state"))
        return false;
    psgd_config bad = good;
    bad.struct_size = 0;
    if (!create_refused(s, &bad, s->comm, true, "config->struct_size 0", "struct_size|config"))
        return false;
    bad = good;
    bad.variant = 99;
    if (!create_refused(s, &bad, s->comm, true, "config->variant 99", "variant") || !comms_refused(s, &good))
        return false;
    bad = good;
    bad.matrix_approximation_rank = 0;
    psgd_state *state = NULL;
    scenario_doing(s, "create with a bad rank and a null message");
    if (s->port->create(&bad, s->comm, &state, NULL, 0) == PSGD_OK)
        return scenario_fail(s, "create with matrix_approximation_rank 0 and a null message: expected an error, got "
                                "PSGD_OK");
    scenario_doing(s, "destroy of a null state");
    s->port->destroy(NULL);
    return true;
}

/* ---- step ---- */

typedef struct bad_bucket {
    const char *what;
    const char *words; /* one of them must be in the message */
    psgd_bucket bucket;
    bool with_data;
} bad_bucket;

static const size_t dims_24x40[] = {24, 40}, dims_17[] = {17}, dims_over[] = {SIZE_MAX, 2},
                    dims_wrap[] = {SIZE_MAX / 2 + 1, 2}, dims_bytes[] = {SIZE_MAX / 4 + 1, 1},
                    dims_half[] = {SIZE_MAX / 2 + 1};
static const psgd_shape good_shapes[] = {{2, dims_24x40}, {1, dims_17}}, null_dims[] = {{2, NULL}, {1, dims_17}},
                        over_shape[] = {{2, dims_over}}, wrap_shape[] = {{2, dims_wrap}},
                        bytes_shape[] = {{2, dims_bytes}}, sum_shapes[] = {{1, dims_half}, {1, dims_half}};
#define SIZES "overflow|shape|dim|size|large|big|numel|element|tensor"
static const bad_bucket bad_buckets[] = {
    {"data null", "data", {sizeof(psgd_bucket), PSGD_F32, 0, false, NULL, 2, good_shapes}, false},
    {"shapes null", "shape", {sizeof(psgd_bucket), PSGD_F32, 0, false, NULL, 2, NULL}, true},
    {"dims null", "dim|shape", {sizeof(psgd_bucket), PSGD_F32, 0, false, NULL, 2, null_dims}, true},
    {"dtype 0", "dtype|type", {sizeof(psgd_bucket), 0, 0, false, NULL, 2, good_shapes}, true},
    {"dtype 99", "dtype|type", {sizeof(psgd_bucket), 99, 0, false, NULL, 2, good_shapes}, true},
    {"struct_size 0", "struct_size|size|bucket", {0, PSGD_F32, 0, false, NULL, 2, good_shapes}, true},
    {"a shape of SIZE_MAX x 2", SIZES, {sizeof(psgd_bucket), PSGD_F32, 0, false, NULL, 1, over_shape}, true},
    {"a shape whose size wraps to 0", SIZES, {sizeof(psgd_bucket), PSGD_F32, 0, false, NULL, 1, wrap_shape}, true},
    {"a shape whose bytes wrap to 0", SIZES, {sizeof(psgd_bucket), PSGD_F32, 0, false, NULL, 1, bytes_shape}, true},
    {"shapes whose sum wraps to 0", SIZES, {sizeof(psgd_bucket), PSGD_F32, 0, false, NULL, 2, sum_shapes}, true},
};

static bool step_refused(session *e, const bad_bucket *bad, drive_buffer *buffer, const void *before)
{
    const subject *s = e->subject;
    psgd_bucket bucket = bad->bucket;
    bucket.data = bad->with_data ? drive_buffer_data(buffer) : NULL;
    scenario_doing(s, "a step (iteration %lld) with %s", (long long)e->step, bad->what);
    psgd_status status = s->port->step(e->state, &bucket);
    if (status == PSGD_OK)
        return scenario_fail(s, "a step with %s: expected an error, got PSGD_OK", bad->what);
    const char *text = session_error(e);
    if (s->port->last_error != NULL && status == PSGD_ERR_ARGUMENT && !names_one(text, bad->words))
        return scenario_fail(s, "a step with %s gave PSGD_ERR_ARGUMENT: expected a message that names %s, got '%s'",
                             bad->what, bad->words, text);
    if (s->port->last_error != NULL && text[0] == '\0')
        return scenario_fail(s, "a step with %s gave %s; expected words from last_error, got none", bad->what,
                             psgd_status_name(status));
    bool untouched = status == PSGD_ERR_ARGUMENT || status == PSGD_ERR_LAYOUT || status == PSGD_ERR_MEMORY;
    if (drive_buffer_get(buffer) != PSGD_OK || !drive_buffer_intact(buffer))
        return scenario_fail(s, "a step with %s wrote outside its bucket", bad->what);
    if (untouched && memcmp(drive_buffer_image(buffer), before, buffer->bytes) != 0)
        return scenario_fail(s, "a step with %s gave %s and yet changed the bucket's data", bad->what,
                             psgd_status_name(status));
    return true;
}

static bool steps_refused(session *e)
{
    const subject *s = e->subject;
    float values[24 * 40 + 17];
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        values[i] = (float)session_uniform(78, i, 0, 0);
    drive_buffer buffer;
    if (!drive_buffer_make(&buffer, s->port->memory, sizeof values, 0))
        return scenario_unobserved(s, "the kit had no memory for a bucket");
    bool ok = drive_buffer_put(&buffer, values) == PSGD_OK || scenario_fail(s, "the port's memory->upload failed");
    for (size_t i = 0; ok && i < sizeof bad_buckets / sizeof bad_buckets[0]; i++)
        ok = step_refused(e, &bad_buckets[i], &buffer, values);
    psgd_bucket good = {
        .struct_size = sizeof good, .dtype = PSGD_F32, .data = drive_buffer_data(&buffer), .tensor_count = 2};
    good.shapes = good_shapes;
    scenario_doing(s, "a step with a null bucket");
    if (ok && s->port->step(e->state, NULL) == PSGD_OK)
        ok = scenario_fail(s, "a step with a null bucket: expected an error, got PSGD_OK");
    scenario_doing(s, "a step with a null state");
    if (ok && s->port->step(NULL, &good) == PSGD_OK)
        ok = scenario_fail(s, "a step with a null state: expected an error, got PSGD_OK");
    drive_buffer_free(&buffer);
    return ok;
}

/* Runs refuse before steps 1 (plain) and 4 (compressed), and holds the run against an undisturbed one. */
static bool unharmed_by(const subject *s, bool (*refuse)(session *e))
{
    psgd_config config = session_config(s);
    session like = session_make(s, &config, 1), e = like;
    session_record clean = {0}, got = {0};
    scenario_doing(s, "undisturbed runs");
    bool ok = session_clean_run(s, &like, 6, &clean);
    ok = ok && session_open(&e) && session_steps(&e, 1, &got) && refuse(&e);
    ok = ok && session_steps(&e, 3, &got) && refuse(&e);
    scenario_doing(s, "steps after bad calls");
    ok = ok && session_steps(&e, 2, &got) &&
         session_same(s, &clean, &got, "after refused calls, against a run that never saw them");
    session_close(&e);
    session_record_free(&clean);
    session_record_free(&got);
    return ok;
}

bool scenario_bad_step(const subject *s)
{
    return unharmed_by(s, steps_refused);
}

/* ---- peek, statistics, save, load ---- */

typedef struct bad_peek {
    const char *what;
    unsigned part;
    size_t bucket, tensor, bytes; /* bytes: of a buffer for [24x40, 17] in f32 */
    bool null_data;
} bad_peek;

#define ERROR_BYTES sizeof(float[24 * 40 + 17])
#define P_BYTES     sizeof(float[24 * 2])
static const bad_peek bad_peeks[] = {
    {"part 0", 0, 0, 0, P_BYTES, false},
    {"part 99", 99, 0, 0, P_BYTES, false},
    {"bucket 77", PSGD_PART_ERROR, 77, 0, ERROR_BYTES, false},
    {"bucket SIZE_MAX", PSGD_PART_P, SIZE_MAX, 0, P_BYTES, false},
    {"tensor 55", PSGD_PART_P, 0, 55, P_BYTES, false},
    {"tensor SIZE_MAX", PSGD_PART_Q, 0, SIZE_MAX, sizeof(float[40 * 2]), false},
    {"a tensor that is not compressed", PSGD_PART_P, 0, 1, sizeof(float[17]), false},
    {"4 bytes too few for P", PSGD_PART_P, 0, 0, P_BYTES - 4, false},
    {"4 bytes too many for P", PSGD_PART_P, 0, 0, P_BYTES + 4, false},
    {"no bytes for P", PSGD_PART_P, 0, 0, 0, false},
    {"4 bytes too few for the error", PSGD_PART_ERROR, 0, 0, ERROR_BYTES - 4, false},
    {"4 bytes too many for the error", PSGD_PART_ERROR, 0, 0, ERROR_BYTES + 4, false},
    {"data null", PSGD_PART_ERROR, 0, 0, ERROR_BYTES, true},
};

static bool peek_refused(session *e, const bad_peek *bad)
{
    const subject *s = e->subject;
    unsigned char before[ERROR_BYTES + 64], data[ERROR_BYTES + 64];
    memset(before, 0x5a, sizeof before);
    memcpy(data, before, sizeof data);
    scenario_doing(s, "peek with %s", bad->what);
    psgd_status status = s->port->peek(e->state, (psgd_part)bad->part, bad->bucket, bad->tensor,
                                       bad->null_data ? NULL : data, bad->bytes);
    if (status == PSGD_OK)
        return scenario_fail(s, "peek with %s: expected an error, got PSGD_OK", bad->what);
    if (memcmp(data, before, sizeof data) != 0)
        return scenario_fail(s, "peek with %s gave %s and yet wrote to data", bad->what, psgd_status_name(status));
    return true;
}

static bool reads_refused(session *e)
{
    const subject *s = e->subject;
    const psgd_implementation *port = s->port;
    for (size_t i = 0; port->peek != NULL && i < sizeof bad_peeks / sizeof bad_peeks[0]; i++)
        if (!peek_refused(e, &bad_peeks[i]))
            return false;
    scenario_doing(s, "statistics with a null argument");
    if (port->statistics != NULL && port->statistics(e->state, NULL) == PSGD_OK)
        return scenario_fail(s, "statistics with a null argument: expected an error, got PSGD_OK");
    scenario_doing(s, "save with a null path");
    if (port->save != NULL && port->save(e->state, NULL) == PSGD_OK)
        return scenario_fail(s, "save with a null path: expected an error, got PSGD_OK");
    scenario_doing(s, "load with a null path");
    if (port->load != NULL && port->load(e->state, NULL) == PSGD_OK)
        return scenario_fail(s, "load with a null path: expected an error, got PSGD_OK");
    return true;
}

bool scenario_bad_peek(const subject *s)
{
    const psgd_implementation *port = s->port;
    if (port->peek == NULL && port->statistics == NULL && port->save == NULL && port->load == NULL)
        return scenario_unobserved(s, "the port offers none of peek, statistics, save and load");
    return unharmed_by(s, reads_refused);
}
