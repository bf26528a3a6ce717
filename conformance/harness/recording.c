/* recording.c: gradients recorded from a real training, <golden folder>/rec-NAME.safetensors, format psgd-recording/1:
 * metadata world, steps, dtype and buckets and tensors in/t/b/k as in a case file, nothing else of which matters here.
 * A problem may use fewer steps than were recorded, and hold f32 recordings in f64.
 */
#include "core/safetensors.h"
#include "harness/case_internal.h"
#include "harness/gradients.h"
#include "harness/tensor_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* *mistaken: the folder is there, and has no recording of this name. */
static bool open_recording(psgd_safetensors **file, const problem *p, const char *golden_folder, bool *mistaken,
                           char *message, size_t message_size)
{
    char path[4096], reason[256];
    if (golden_folder == NULL) {
        (void)snprintf(message, message_size, "recording %s: there is no folder of golden files", p->recording);
        return false;
    }
    const int length = snprintf(path, sizeof path, "%s/rec-%s.safetensors", golden_folder, p->recording);
    if (length < 0 || (size_t)length >= sizeof path) {
        (void)snprintf(message, message_size, "recording %s: the folder's path is too long", p->recording);
        return false;
    }
    if (access(golden_folder, X_OK) == 0 && access(path, F_OK) != 0) {
        (void)snprintf(message, message_size,
                       "there is no recording %s: no file %s (golden/generate.py --record makes recordings)",
                       p->recording, path);
        *mistaken = true;
        return false;
    }
    if (psgd_safetensors_open(file, path, reason, sizeof reason) != PSGD_OK) {
        (void)snprintf(message, message_size, "recording %s: %s (golden/generate.py --record makes recordings)",
                       p->recording, reason);
        return false;
    }
    const char *format = psgd_safetensors_metadata(*file, "format");
    if (format != NULL && strcmp(format, "psgd-recording/1") == 0)
        return true;
    (void)snprintf(message, message_size, "recording %s: %s is not of format psgd-recording/1", p->recording, path);
    psgd_safetensors_close(*file);
    *file = NULL;
    return false;
}

/* Type and number of ranks are the problem's own to say; they must be the recording's. */
static bool fits_recording(problem *p, int64_t world, int64_t steps, const char *dtype, char *message,
                           size_t message_size)
{
    if (world != p->world) {
        (void)snprintf(message, message_size, "recording %s has %lld ranks: write W%lld", p->recording,
                       (long long)world, (long long)world);
        return false;
    }
    const bool same = strcmp(dtype, dtype_name(p->dtype)) == 0;
    if (!same && !(strcmp(dtype, "f32") == 0 && p->dtype == PSGD_F64)) {
        (void)snprintf(message, message_size, "recording %s is of type %s: write %s", p->recording, dtype, dtype);
        return false;
    }
    if (p->steps == 0)
        p->steps = steps;
    if (p->steps > steps || p->steps < 1) {
        (void)snprintf(message, message_size, "recording %s has %lld steps", p->recording, (long long)steps);
        return false;
    }
    if (p->checkpoint >= p->steps) {
        (void)snprintf(message, message_size, "ckpt=%lld comes after the last step, %lld", (long long)p->checkpoint,
                       (long long)p->steps - 1);
        return false;
    }
    return true;
}

static bool check_problem(problem *p, const psgd_safetensors *file, bool *mistaken, char *message, size_t message_size)
{
    int64_t world, steps;
    const char *dtype = psgd_safetensors_metadata(file, "dtype");
    if (!metadata_integer(&world, file, "world") || !metadata_integer(&steps, file, "steps") || dtype == NULL) {
        (void)snprintf(message, message_size, "recording %s: metadata world, steps or dtype is missing", p->recording);
        return false;
    }
    *mistaken = !fits_recording(p, world, steps, dtype, message, message_size);
    return !*mistaken;
}

bool recording_shapes(problem *p, const char *golden_folder, bool *mistaken, char *message, size_t message_size)
{
    psgd_safetensors *file;
    if (!open_recording(&file, p, golden_folder, mistaken, message, message_size))
        return false;
    const char *buckets = psgd_safetensors_metadata(file, "buckets");
    bool ok = check_problem(p, file, mistaken, message, message_size);
    if (ok && buckets == NULL) {
        (void)snprintf(message, message_size, "recording %s: metadata buckets is missing", p->recording);
        ok = false;
    }
    if (ok && p->bucket_count == 0)
        ok = buckets_from_json(&p->buckets, &p->bucket_count, buckets, message, message_size);
    psgd_safetensors_close(file);
    return ok;
}

/* One array of the recording, scaled, in the case's type. */
static bool read_input(values *in, const test_case *c, const psgd_safetensors *file, int64_t step, size_t bucket,
                       int rank, bool *mistaken, char *message, size_t message_size)
{
    char name[TENSOR_NAME_SIZE];
    const problem *p = &c->problem;
    tensor_name_rank(name, "in", p->constant ? 0 : step, bucket, p->reversed ? p->world - 1 - rank : rank);
    const psgd_tensor *tensor = psgd_safetensors_find(file, name);
    const size_t numel = c->numel[bucket];
    const bool fits =
        tensor != NULL && tensor->ndim == 1 && tensor->dims[0] == numel &&
        (tensor->element == (psgd_element)c->dtype || (tensor->element == PSGD_ELEMENT_F32 && c->dtype == PSGD_F64));
    if (!fits) {
        (void)snprintf(message, message_size, "recording %s: tensor %s is missing, or not %zu elements of its type",
                       p->recording, name, numel);
        return false;
    }
    if (!values_allocate(in, c->dtype, numel)) {
        (void)snprintf(message, message_size, "no memory for recording %s", p->recording);
        return false;
    }
    const values recorded = {.dtype = (psgd_dtype)tensor->element, .count = numel, .data = (void *)tensor->data};
    for (size_t i = 0; i < numel; i++)
        values_set(in, i, values_get(&recorded, i));
    if (p->scale != 0 && !gradients_scale(in, p->scale)) {
        (void)snprintf(message, message_size, "scale=%lld is not exact: some gradients leave the type's range",
                       (long long)p->scale);
        *mistaken = true;
        return false;
    }
    return true;
}

bool recording_inputs(test_case *c, const char *golden_folder, char *message, size_t message_size)
{
    psgd_safetensors *file;
    if (!open_recording(&file, &c->problem, golden_folder, &c->mistaken, message, message_size))
        return false;
    bool ok = true;
    for (int64_t step = 0; ok && step < c->steps; step++)
        for (size_t b = 0; ok && b < c->bucket_count; b++)
            for (int k = 0; ok && k < c->world; k++)
                ok = read_input((values *)case_in(c, step, b, k), c, file, step, b, k, &c->mistaken, message,
                                message_size);
    psgd_safetensors_close(file);
    return ok;
}
