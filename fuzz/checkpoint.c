/* checkpoint.c: any bytes as a checkpoint, loaded into states of every variant and type. The file is taken as it is
 * and, since a checksum hides all that comes behind it, once more with the checksum that belongs to what it says. A
 * load that fails gives a reason and leaves the state as it was; one that succeeds gives a state that saves, loads what
 * it saved, and steps on. Afterwards the state's own checkpoint brings it back, to the bit.
 *
 * To the bit: what a state saves is compared, which is all that it remembers. Read next: ref/core/CHECKPOINT.md.
 */
#include "fuzz.h"

#include "core/checkpoint_metadata.h"
#include "harness/temp_folder.h"
#include "psgd/ref.h"

#include <string.h>
#include <unistd.h>

/* ---- the states ---- */

enum { BUCKETS = 2, MOST_BYTES = 8 * 120 };

/* What a state is made with, and stepped with before anything is loaded into it. */
typedef struct kind {
    psgd_variant variant;
    bool memories, batching;
    double epsilon;
    int32_t rank, size;
    int steps;
    size_t bucket_count;
    struct kind_bucket {
        psgd_dtype dtype;
        size_t index, tensor_count;
        size_t dims[3][2]; /* n, m; m 0: a vector */
    } buckets[BUCKETS];
} kind;

/* The first two are those of ref/tests/data/checkpoint-1. */
static const kind kinds[] = {
    {.variant = PSGD_LAYERWISE,
     .memories = true,
     .rank = 1,
     .size = 2,
     .steps = 4,
     .bucket_count = 2,
     .buckets = {{PSGD_F32, 0, 2, {{9, 8}, {3, 0}}}, {PSGD_F32, 7, 1, {{12, 10}}}}},
    {.variant = PSGD_LAYERWISE,
     .epsilon = 1e-8,
     .size = 1,
     .steps = 3,
     .bucket_count = 1,
     .buckets = {{PSGD_F64, 5, 3, {{8, 9}, {4, 0}, {6, 5}}}}},
    {.variant = PSGD_LAYERWISE,
     .memories = true,
     .batching = true,
     .size = 1,
     .steps = 5,
     .bucket_count = 2,
     .buckets = {{PSGD_BF16, 0, 2, {{8, 9}, {8, 9}}}, {PSGD_F16, 1, 2, {{6, 7}, {5, 0}}}}},
    {.variant = PSGD_FLATTENED,
     .memories = true,
     .size = 1,
     .steps = 4,
     .bucket_count = 2,
     .buckets = {{PSGD_F32, 0, 2, {{9, 8}, {3, 0}}}, {PSGD_F16, 3, 1, {{5, 0}}}}},
    {.variant = PSGD_FLATTENED,
     .rank = 2,
     .size = 3,
     .steps = 3,
     .bucket_count = 1,
     .buckets = {{PSGD_F64, 0, 1, {{7, 7}}}}},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The rank's peers have what it has; what is summed does not matter here. */
static psgd_status sum_of_equals(void *context, void *data, size_t count, psgd_dtype dtype)
{
    (void)context;
    for (size_t i = 0; dtype == PSGD_F32 && i < count; i++)
        ((float *)data)[i] *= 2;
    return PSGD_OK;
}

static psgd_state *new_state(const kind *k)
{
    psgd_config config = psgd_config_default();
    config.variant = k->variant;
    config.matrix_approximation_rank = 2;
    config.start_iter = 2;
    config.min_compression_rate = 1;
    config.orthogonalization_epsilon = k->epsilon;
    config.use_error_feedback = config.warm_start = k->memories;
    config.batch_tensors_with_same_shape = k->batching;
    config.random_seed = 42;
    const psgd_comm comm = {
        .struct_size = (uint32_t)sizeof comm, .rank = k->rank, .size = k->size, .allreduce_sum = sum_of_equals};
    psgd_state *state = NULL;
    char message[256] = "";
    fuzz_check(psgd_ref()->create(&config, &comm, &state, message, sizeof message) == PSGD_OK, message);
    return state;
}

/* One bucket of bytes that are small finite numbers in every type. The status is for the caller to judge. */
static psgd_status step(psgd_state *state, const kind *k, size_t i)
{
    const struct kind_bucket *b = &k->buckets[i];
    _Alignas(8) unsigned char data[MOST_BYTES];
    psgd_shape shapes[3];
    for (size_t t = 0; t < b->tensor_count; t++)
        shapes[t] = (psgd_shape){b->dims[t][1] > 0 ? 2 : 1, b->dims[t]};
    for (size_t j = 0; j < sizeof data; j++)
        data[j] = (unsigned char)(0x30 + (j * j + i) % 11);
    const psgd_bucket bucket = {.struct_size = (uint32_t)sizeof bucket,
                                .dtype = b->dtype,
                                .index = b->index,
                                .is_last = i == k->bucket_count - 1,
                                .data = data,
                                .tensor_count = b->tensor_count,
                                .shapes = shapes};
    return psgd_ref()->step(state, &bucket);
}

/* ---- files ---- */

typedef struct bytes {
    void *data;
    size_t size;
} bytes;

/* A state, what it saves, and the files that it and the fuzzer write. Made once, used for every input. */
typedef struct subject {
    const kind *k;
    psgd_state *state;
    bytes own;
    char *good, *bad; /* paths */
} subject;

static char *path_in(const char *folder, const char *name)
{
    const size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    fuzz_check(path, "memory for a path");
    (void)snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static bytes saved(const subject *s, const psgd_state *state)
{
    bytes b;
    fuzz_check(psgd_ref()->save(state, s->good) == PSGD_OK, psgd_ref()->last_error(state));
    fuzz_check(file_read(&b.data, &b.size, s->good), "what was saved can be read");
    return b;
}

static bool saves_same(const subject *s, const psgd_state *state, bytes expected)
{
    const bytes now = saved(s, state);
    const bool same = now.size == expected.size && memcmp(now.data, expected.data, now.size) == 0;
    free(now.data);
    return same;
}

/* The same file with the checksum that belongs to it. Null data: it is no file that could have one. */
static bytes with_checksum(const void *data, size_t size)
{
    psgd_safetensors *file;
    psgd_text values[PSGD_KEY_COUNT];
    psgd_metadata metadata[PSGD_KEY_COUNT];
    bytes mended = {0};
    if (psgd_safetensors_parse(&file, data, size, NULL, 0) != PSGD_OK)
        return mended;
    const size_t count = psgd_safetensors_count(file);
    const psgd_tensor *tensors = count > 0 ? psgd_safetensors_at(file, 0) : NULL; /* [count], one after the other */
    bool complete = true;
    for (int key = 0; complete && key < PSGD_KEY_COUNT; key++) {
        const char *value = psgd_safetensors_metadata(file, psgd_checkpoint_keys[key]);
        complete = value && strlen(value) < sizeof values[key];
        (void)snprintf(values[key], sizeof values[key], "%s", complete ? value : "");
        metadata[key] = (psgd_metadata){psgd_checkpoint_keys[key], values[key]};
    }
    if (complete) {
        fuzz_check(psgd_checkpoint_checksum(values, tensors, count, NULL, 0) == PSGD_OK, "a checksum");
        fuzz_check(psgd_safetensors_serialize(&mended.data, &mended.size, tensors, count, metadata, PSGD_KEY_COUNT,
                                              NULL, 0) == PSGD_OK,
                   "what was parsed can be written");
    }
    psgd_safetensors_close(file);
    return mended;
}

/* ---- what must hold ---- */

/* What a file said is in the state: it is saved and loaded as well as any other, and nothing it holds is dangerous. */
static void check_loaded(const subject *s)
{
    const psgd_implementation *ref = psgd_ref();
    const bytes first = saved(s, s->state);
    psgd_state *other = new_state(s->k);
    fuzz_check(ref->load(other, s->good) == PSGD_OK, ref->last_error(other));
    fuzz_check(saves_same(s, other, first), "a loaded checkpoint is saved as it was");
    for (size_t i = 0; i < 2 * s->k->bucket_count; i++) {
        const psgd_status status = step(other, s->k, i % s->k->bucket_count);
        fuzz_check(status == PSGD_OK || status == PSGD_ERR_LAYOUT, "a loaded state steps on, or sees another layout");
    }
    ref->destroy(other);
    free(first.data);
}

static void load(const subject *s, const void *data, size_t size)
{
    const psgd_implementation *ref = psgd_ref();
    fuzz_check(file_write(s->bad, data, size), "a file can be written");
    const psgd_status status = ref->load(s->state, s->bad);
    if (status != PSGD_OK) {
        fuzz_check(status == PSGD_ERR_FORMAT || status == PSGD_ERR_MEMORY, "refused as no checkpoint of this state");
        fuzz_check(ref->last_error(s->state)[0] != '\0', "refused with a reason");
        fuzz_check(saves_same(s, s->state, s->own), "a refused file leaves the state as it was");
        return;
    }
    check_loaded(s);
    fuzz_check(file_write(s->bad, s->own.data, s->own.size), "a file can be written");
    fuzz_check(ref->load(s->state, s->bad) == PSGD_OK, ref->last_error(s->state));
    fuzz_check(saves_same(s, s->state, s->own), "its own checkpoint brings a state back");
}

/* ---- the target ---- */

static subject subjects[KINDS]; /* libFuzzer hands nothing from input to input */
static char *folder;

static void clean_up(void)
{
    for (size_t i = 0; i < KINDS; i++) {
        psgd_ref()->destroy(subjects[i].state);
        free(subjects[i].own.data);
        free(subjects[i].good);
        free(subjects[i].bad);
    }
    temp_folder_remove(folder);
    free(folder);
}

/* The states, stepped. A save is flushed to the disk, which takes long where there is one. */
static void set_up(void)
{
    char message[256] = "";
    if (access("/dev/shm", W_OK) == 0)
        (void)setenv("TMPDIR", "/dev/shm", 0);
    folder = temp_folder_make(message, sizeof message);
    fuzz_check(folder, message);
    for (size_t i = 0; i < KINDS; i++) {
        subject *s = &subjects[i];
        *s = (subject){.k = &kinds[i], .state = new_state(&kinds[i])};
        s->good = path_in(folder, "good");
        s->bad = path_in(folder, "bad");
        for (int t = 0; t < s->k->steps; t++)
            for (size_t b = 0; b < s->k->bucket_count; b++)
                fuzz_check(step(s->state, s->k, b) == PSGD_OK, psgd_ref()->last_error(s->state));
        s->own = saved(s, s->state);
        fuzz_check(saves_same(s, s->state, s->own), "a state saves the same twice");
    }
    fuzz_check(atexit(clean_up) == 0, "a way to clean up");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!folder)
        set_up();
    const bytes mended = with_checksum(data, size);
    for (size_t i = 0; i < KINDS; i++) {
        load(&subjects[i], data, size);
        if (mended.data)
            load(&subjects[i], mended.data, mended.size);
    }
    free(mended.data);
    return 0;
}
