/* scenario_checkpoint.c: checkpoints that must bring everything back (PSGD-CKP-001), and files that must be refused
 * without harm to the live state (PSGD-CKP-002).
 */
#include "harness/scenarios_all.h"

#include "harness/temp_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define PATH_SIZE 1024

static bool offered(const subject *s)
{
    if (s->port->save == NULL || s->port->load == NULL)
        return scenario_unobserved(s, "the port offers no %s", s->port->save == NULL ? "save" : "load");
    return true;
}

static bool path_of(const subject *s, char path[PATH_SIZE], const char *name)
{
    int length = snprintf(path, PATH_SIZE, "%s/%s", s->folder, name);
    return (length > 0 && length < PATH_SIZE) || scenario_unobserved(s, "the path of a file is too long");
}

static bool save(session *e, const char *path)
{
    const subject *s = e->subject;
    scenario_doing(s, "save after %lld steps", (long long)e->step);
    psgd_status status = s->port->save(e->state, path);
    if (status == PSGD_ERR_UNSUPPORTED)
        return scenario_skip(s, "save answered PSGD_ERR_UNSUPPORTED: %s", session_error(e));
    return status == PSGD_OK || scenario_fail(s, "save after %lld steps gave %s: %s", (long long)e->step,
                                              psgd_status_name(status), session_error(e));
}

/* A session with this configuration and communicator, run for some steps and saved. */
static bool saved(const session *like, int64_t steps, const char *path)
{
    session e = *like;
    bool ok = session_open(&e) && session_steps(&e, steps, NULL) && save(&e, path);
    session_close(&e);
    return ok;
}

/* ---- everything comes back ---- */

static bool peek_all(session *e, session_record *record)
{
    static const struct {
        psgd_part part;
        size_t count[2]; /* of bucket 0 and 1, tensor 0, at rank 2 */
        const char *what;
    } parts[] = {{PSGD_PART_ERROR, {24 * 40 + 17, 30 * 20 + 9}, "error"},
                 {PSGD_PART_P, {24 * 2, 30 * 2}, "P"},
                 {PSGD_PART_Q, {40 * 2, 20 * 2}, "Q"}};
    const psgd_implementation *port = e->subject->port;
    for (size_t i = 0; port->peek != NULL && i < 3; i++)
        for (size_t b = 0; b < 2; b++) {
            float seen[24 * 40 + 17];
            double values[24 * 40 + 17];
            size_t count = parts[i].count[b];
            if (port->peek(e->state, parts[i].part, b, 0, seen, count * sizeof *seen) != PSGD_OK)
                continue;
            for (size_t k = 0; k < count; k++)
                values[k] = (double)seen[k];
            if (!session_record_add(record, e->step, b, parts[i].what, values, count))
                return scenario_unobserved(e->subject, "the kit had no memory for a record");
        }
    psgd_statistics statistics;
    if (port->statistics != NULL && port->statistics(e->state, &statistics) == PSGD_OK) {
        double counts[2] = {(double)statistics.numel_before_compression, (double)statistics.numel_after_compression};
        if (!session_record_add(record, e->step, 0, "statistics", counts, 2))
            return scenario_unobserved(e->subject, "the kit had no memory for a record");
    }
    return true;
}

static bool whole_after(const subject *s, int64_t steps)
{
    char path[PATH_SIZE], text[96];
    psgd_config config = session_config(s);
    session like = session_make(s, &config, 1), first = like, second = like;
    session_record clean = {0}, got = {0}, before = {0}, after = {0};
    scenario_doing(s, "undisturbed runs");
    bool ok = path_of(s, path, "whole") && session_clean_run(s, &like, 7, &clean);
    ok = ok && session_open(&first) && session_steps(&first, steps, &got) && save(&first, path);
    ok = ok && peek_all(&first, &before);
    session_close(&first);
    ok = ok && session_open(&second);
    second.step = steps;
    if (ok) {
        scenario_doing(s, "load of what was saved after %lld steps", (long long)steps);
        psgd_status status = s->port->load(second.state, path);
        ok = status == PSGD_OK || scenario_fail(s, "load of what the port saved after %lld steps gave %s: %s",
                                                (long long)steps, psgd_status_name(status), session_error(&second));
    }
    (void)snprintf(text, sizeof text, "the state after load, against the one saved after %lld steps", (long long)steps);
    ok = ok && peek_all(&second, &after) && session_same(s, &before, &after, text);
    (void)snprintf(text, sizeof text, "steps after load, against an uninterrupted run (saved after %lld steps)",
                   (long long)steps);
    ok = ok && session_steps(&second, 7 - steps, &got) && session_same(s, &clean, &got, text);
    session_close(&second);
    session_record_free(&clean);
    session_record_free(&got);
    session_record_free(&before);
    session_record_free(&after);
    return ok;
}

bool scenario_checkpoint_whole(const subject *s)
{
    /* After two compressed steps, and one (whose turn is it?); before the first; at the very start. */
    static const int64_t steps[] = {4, 3, 2, 0, 1};
    bool ok = offered(s);
    for (size_t i = 0; ok && i < sizeof steps / sizeof steps[0]; i++)
        ok = whole_after(s, steps[i]);
    return ok;
}

/* ---- files that are no checkpoint ---- */

/* The file at path, described by what, must be refused by the live state. */
static bool load_refused(session *e, const char *path, const char *what)
{
    const subject *s = e->subject;
    scenario_doing(s, "load of %s", what);
    psgd_status status = s->port->load(e->state, path);
    if (status == PSGD_OK)
        return scenario_fail(s, "load of %s: expected an error, got PSGD_OK", what);
    if (s->port->last_error != NULL && session_error(e)[0] == '\0')
        return scenario_fail(s, "load of %s gave %s; expected words from last_error, got none", what,
                             psgd_status_name(status));
    return true;
}

static bool bytes_refused(session *e, const char *path, const void *bytes, size_t count, const char *what)
{
    if (!file_write(path, bytes, count))
        return scenario_unobserved(e->subject, "the kit cannot write %s", path);
    return load_refused(e, path, what);
}

static bool truncated_refused(session *e, const char *path, const unsigned char *bytes, size_t count)
{
    bool ok = true;
    char what[96];
    for (size_t i = 0; ok && i <= 40; i++) { /* the first bytes one by one, then in equal parts, then all but one */
        size_t length = i < 10 ? i : i < 40 ? count / 31 * (i - 9) : count - 1;
        if (length >= count)
            continue;
        (void)snprintf(what, sizeof what, "a checkpoint cut to %zu of its %zu bytes", length, count);
        ok = bytes_refused(e, path, bytes, length, what);
    }
    return ok;
}

static bool flips_refused(session *e, const char *path, unsigned char *bytes, size_t count)
{
    bool ok = true;
    char what[128];
    size_t stride = count / 250 + 1; /* every bit of the first 16 bytes, then one of each stride */
    for (size_t i = 0; ok && i < count; i += i < 16 ? 1 : stride)
        for (int bit = i < 16 ? 0 : (int)(i / stride % 8); ok && bit < 8; bit += i < 16 ? 1 : 8) {
            bytes[i] ^= (unsigned char)(1u << bit);
            (void)snprintf(what, sizeof what, "a checkpoint with bit %d of byte %zu (of %zu) flipped", bit, i, count);
            ok = bytes_refused(e, path, bytes, count, what);
            bytes[i] ^= (unsigned char)(1u << bit);
        }
    return ok;
}

static bool damaged_refused(session *e, const char *good, const char *bad)
{
    void *bytes = NULL;
    size_t count = 0;
    if (!file_read(&bytes, &count, good))
        return scenario_fail(e->subject, "save gave PSGD_OK but there is no file at its path");
    bool ok = truncated_refused(e, bad, bytes, count) && flips_refused(e, bad, bytes, count);
    unsigned char *longer = realloc(bytes, count + 8);
    if (longer != NULL) {
        bytes = longer;
        memset(longer + count, 0, 8);
        ok = ok && bytes_refused(e, bad, longer, count + 8, "a checkpoint with 8 more bytes behind it");
    }
    free(bytes);
    return ok;
}

static const char foreign_text[] = "This is a letter, not a checkpoint.\n";
/* A safetensors file of another program: length of the header, header, 4 bytes. */
static const char foreign_tensors[] =
    "\x38\0\0\0\0\0\0\0{\"w\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}  \0\0\x80\x3f";

/* Runs refuse between steps 3 and 4 of a live state, and holds the run against an undisturbed one. */
static bool undisturbed_by(const subject *s, bool (*refuse)(session *live))
{
    psgd_config config = session_config(s);
    session like = session_make(s, &config, 1), live = like;
    session_record clean = {0}, got = {0};
    scenario_doing(s, "undisturbed runs");
    bool ok = session_clean_run(s, &like, 6, &clean);
    ok = ok && session_open(&live) && session_steps(&live, 4, &got) && refuse(&live);
    scenario_doing(s, "steps after refused loads");
    ok = ok && session_steps(&live, 2, &got) &&
         session_same(s, &clean, &got, "a live state after refused loads, against one that never loaded");
    session_close(&live);
    session_record_free(&clean);
    session_record_free(&got);
    return ok;
}

static bool refuse_damaged(session *live)
{
    const subject *s = live->subject;
    char good[PATH_SIZE], bad[PATH_SIZE];
    session other = session_make(s, &live->config, 2);
    return path_of(s, good, "good") && path_of(s, bad, "damaged") && saved(&other, 5, good) &&
           damaged_refused(live, good, bad);
}

bool scenario_checkpoint_damaged(const subject *s)
{
    return offered(s) && undisturbed_by(s, refuse_damaged);
}

/* A peer that always has what this rank has: makes a group of two out of one process. */
static psgd_status twin_allreduce(void *context, void *data, size_t count, psgd_dtype dtype)
{
    (void)context;
    for (size_t i = 0; i < count; i++)
        if (dtype == PSGD_F32)
            ((float *)data)[i] *= 2;
        else if (dtype == PSGD_F64)
            ((double *)data)[i] *= 2;
    return PSGD_OK;
}

static session of_two(const subject *s, const psgd_config *config, int rank)
{
    session e = session_make(s, config, 2);
    e.comm = (psgd_comm){.struct_size = sizeof e.comm, .rank = rank, .size = 2, .allreduce_sum = twin_allreduce};
    return e;
}

/* A checkpoint of a state that differs in one member. Another rank shows in the sizes of what is saved; the others
 * change nothing there, so that only a port that compares configurations sees them. */
static bool other_configs_refused(session *live)
{
    psgd_config others[4] = {live->config, live->config, live->config, live->config};
    static const char *const what[] = {
        "a checkpoint of another matrix_approximation_rank", "a checkpoint of another start_iter",
        "a checkpoint of another orthogonalization_epsilon", "a checkpoint of another random_seed"};
    others[0].matrix_approximation_rank++;
    others[1].start_iter++;
    others[2].orthogonalization_epsilon += 0.5;
    others[3].random_seed++;
    char path[PATH_SIZE];
    bool ok = path_of(live->subject, path, "config");
    for (size_t i = 0; ok && i < sizeof others / sizeof others[0]; i++) {
        session other = session_make(live->subject, &others[i], 2);
        ok = saved(&other, 4, path) && load_refused(live, path, what[i]);
    }
    return ok;
}

static bool refuse_foreign(session *live)
{
    const subject *s = live->subject;
    char path[PATH_SIZE];
    session of_group = of_two(s, &live->config, 0);
    bool ok = path_of(s, path, "missing") && load_refused(live, path, "a file that does not exist");
    ok = ok && load_refused(live, s->folder, "a folder");
    ok = ok && path_of(s, path, "foreign") &&
         bytes_refused(live, path, foreign_text, sizeof foreign_text - 1, "a text file") &&
         bytes_refused(live, path, foreign_tensors, sizeof foreign_tensors - 1, "another program's safetensors file");
    ok = ok && other_configs_refused(live);
    return ok && path_of(s, path, "size") && saved(&of_group, 4, path) &&
           load_refused(live, path, "a checkpoint of rank 0 of 2 into a group of 1");
}

static bool wrong_rank_refused(const subject *s)
{
    char path[PATH_SIZE];
    psgd_config config = session_config(s);
    session first = of_two(s, &config, 0), second = of_two(s, &config, 1);
    bool ok = path_of(s, path, "rank") && saved(&first, 4, path) && session_open(&second) &&
              load_refused(&second, path, "a checkpoint of rank 0 into rank 1 of 2");
    session_close(&second);
    return ok;
}

bool scenario_checkpoint_foreign(const subject *s)
{
    return offered(s) && undisturbed_by(s, refuse_foreign) && wrong_rank_refused(s);
}
