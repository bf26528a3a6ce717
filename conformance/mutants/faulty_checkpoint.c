/* faulty_checkpoint.c: save and load, in a format of its own, so that the kit is not made for one: a mark, what the
 * loader must agree with, the state, a checksum over all of it. One description, faulty_tape's, is written and read. */
#include "mutants/faulty_checkpoint.h"

#include "core/checkpoint_metadata.h"
#include "core/config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char mark[8] = "FAULTY1";

static psgd_status refuse(const psgd_state *state, psgd_status status, const char *path, const char *why)
{
    return psgd_fail(status, state->message, FAULTY_MESSAGE, "%s: %s", path, why);
}

/* ---- files ---- */

static bool write_all(const tape *t, const char *path)
{
    FILE *file = fopen(path, "wb");
    const bool written =
        file != NULL && fwrite(t->bytes, 1, t->size, file) == t->size && fflush(file) == 0 && fsync(fileno(file)) == 0;
    return file != NULL && fclose(file) == 0 && written;
}

/* The old file or the new one stands at path, whole. */
static bool replace(const tape *t, const char *path)
{
    const size_t room = strlen(path) + sizeof ".new";
    char *beside = malloc(room);
    if (beside == NULL) {
        return false;
    }
    (void)snprintf(beside, room, "%s.new", path);
    const bool ok = write_all(t, beside) && rename(beside, path) == 0;
    if (!ok) {
        (void)remove(beside);
    }
    free(beside);
    return ok;
}

static bool read_all(tape *t, const char *path)
{
    FILE *file = fopen(path, "rb");
    unsigned char block[4096];
    size_t got = 0;
    *t = (tape){.writing = true};
    while (file != NULL && !t->failed && (got = fread(block, 1, sizeof block, file)) > 0) {
        tape_move(t, block, got);
    }
    const bool ok = file != NULL && !t->failed && ferror(file) == 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    t->writing = false;
    t->at = 0;
    return ok;
}

/* ---- save and load ---- */

psgd_status faulty_save(const psgd_state *state, const char *path)
{
    tape t = {.writing = true};
    char begin[sizeof mark];
    memcpy(begin, mark, sizeof mark);
    tape_move(&t, begin, sizeof begin);
    faulty_tape_identity(&t, state);
    psgd_state *source = (psgd_state *)(uintptr_t)state; /* a tape that is written changes nothing */
    faulty_tape_state(&t, source);
    uint64_t checksum = t.failed ? 0 : psgd_crc64(t.bytes, t.size);
    tape_move(&t, &checksum, sizeof checksum);
    psgd_status status = PSGD_OK;
    if (t.failed) {
        status = refuse(state, PSGD_ERR_MEMORY, path, "no memory to save");
    } else if (!replace(&t, path)) {
        status = refuse(state, PSGD_ERR_IO, path, "cannot be written");
    }
    free(t.bytes);
    return status;
}

static bool is_whole(const tape *t)
{
    uint64_t checksum;
    if (t->size < sizeof mark + sizeof checksum) {
        return false;
    }
    memcpy(&checksum, t->bytes + t->size - sizeof checksum, sizeof checksum);
    return psgd_crc64(t->bytes, t->size - sizeof checksum) == checksum;
}

/* What is wrong with this file, for this state; null: nothing. */
static const char *fault_of_file(tape *t, const psgd_state *state)
{
    char begin[sizeof mark] = "";
    tape_move(t, begin, sizeof begin);
    if (memcmp(begin, mark, sizeof mark) != 0) {
        return "not a checkpoint";
    }
    const bool unchecked = fault_is(state, FAULT_CORRUPT_FILE_LOADED) || fault_is(state, FAULT_CUT_FILE_LOADED) ||
                           fault_is(state, FAULT_LONGER_FILE_LOADED);
    if (!is_whole(t) && !unchecked) {
        return "corrupt";
    }
    return faulty_tape_identity(t, state) ? NULL : "of another configuration or rank";
}

/* What does not come back. */
static void forget(psgd_state *state)
{
    for (faulty_bucket *bucket = state->buckets; bucket != NULL; bucket = bucket->next) {
        if (fault_is(state, FAULT_CHECKPOINT_DROPS_ERROR)) {
            memset(bucket->error, 0, bucket->layout.error_numel * sizeof *bucket->error);
        }
        if (fault_is(state, FAULT_CHECKPOINT_DROPS_FACTORS)) {
            bucket->steps = 0;
        }
    }
    switch (state->fault) {
    case FAULT_CHECKPOINT_DROPS_COUNTER: state->iteration = 0; break;
    case FAULT_CHECKPOINT_DROPS_RANDOM: psgd_mt19937_seed(&state->seeds, state->config.random_seed); break;
    case FAULT_CHECKPOINT_DROPS_STATISTICS: state->counted = (psgd_statistics){0}; break;
    case FAULT_CHECKPOINT_DROPS_REPORT: state->next_report = 0; break;
    default: break;
    }
}

/* made takes over what is in the file. */
static psgd_status take(psgd_state *state, tape *t, const char *path)
{
    psgd_state made = *state;
    made.buckets = NULL;
    made.broken = false;
    faulty_tape_state(t, &made);
    const size_t end = t->at + sizeof(uint64_t);
    const bool fits =
        end == t->size || (fault_is(state, FAULT_LONGER_FILE_LOADED) && end < t->size) || t->short_is_zeros;
    const bool ok = !t->failed && fits;
    faulty_buckets_free(ok ? state->buckets : made.buckets);
    if (!ok) {
        return refuse(state, PSGD_ERR_FORMAT, path, "its parts do not fit, or no memory for them");
    }
    *state = made;
    forget(state);
    return PSGD_OK;
}

/* What a load that failed does besides. */
static void spoil(psgd_state *state)
{
    if (fault_is(state, FAULT_FAILED_LOAD_CLEARS)) {
        faulty_buckets_free(state->buckets);
        state->buckets = NULL;
    }
    state->broken = state->broken || fault_is(state, FAULT_FAILED_LOAD_BREAKS);
    if (fault_is(state, FAULT_FAILED_LOAD_SILENT)) {
        state->message[0] = '\0';
    }
}

/* Does this port take no notice of a file that it cannot use? */
static bool ignores(const psgd_state *state, const tape *t, bool there)
{
    const bool foreign = t->size < sizeof mark || memcmp(t->bytes, mark, sizeof mark) != 0;
    return there ? foreign && fault_is(state, FAULT_FOREIGN_FILE_IGNORED) : fault_is(state, FAULT_MISSING_FILE_IGNORED);
}

psgd_status faulty_restore(psgd_state *state, const char *path)
{
    tape t;
    psgd_status status = PSGD_OK;
    const bool there = read_all(&t, path);
    t.short_is_zeros = fault_is(state, FAULT_CUT_FILE_LOADED);
    if (ignores(state, &t, there)) {
        free(t.bytes);
        return PSGD_OK;
    }
    if (!there) {
        status = refuse(state, PSGD_ERR_IO, path, "cannot be read");
    }
    const char *why = status == PSGD_OK ? fault_of_file(&t, state) : NULL;
    if (why != NULL) {
        status = refuse(state, PSGD_ERR_FORMAT, path, why);
    }
    if (status == PSGD_OK) {
        status = take(state, &t, path);
    }
    if (status != PSGD_OK) {
        spoil(state);
    }
    free(t.bytes);
    return status;
}
