/* tensor_names.c: see tensor_names.h. */
#include "harness/tensor_names.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void tensor_name_rank(char name[TENSOR_NAME_SIZE], const char *kind, int64_t step, size_t bucket, int rank)
{
    (void)snprintf(name, TENSOR_NAME_SIZE, "%s/t%" PRId64 "/b%zu/k%d", kind, step, bucket, rank);
}

void tensor_name_factor(char name[TENSOR_NAME_SIZE], const char *kind, int64_t step, size_t bucket, size_t tensor)
{
    (void)snprintf(name, TENSOR_NAME_SIZE, "%s/t%" PRId64 "/b%zu/i%zu", kind, step, bucket, tensor);
}

/* Decimal without sign, space or leading zero, below 2^48. */
static bool read_number(const char **at, uint64_t *value)
{
    uint64_t sum = 0;
    const char *start = *at;
    for (; **at >= '0' && **at <= '9'; (*at)++) {
        sum = 10 * sum + (uint64_t)(**at - '0');
        if (sum >= (uint64_t)1 << 48)
            return false;
    }
    *value = sum;
    return *at > start && (*start != '0' || *at == start + 1);
}

static bool read_part(const char **at, char letter, uint64_t *value)
{
    if ((*at)[0] != '/' || (*at)[1] != letter)
        return false;
    *at += 2;
    return read_number(at, value);
}

bool tensor_name_parse(tensor_place *place, const char *name)
{
    *place = (tensor_place){.part = 0};
    const size_t length = strcspn(name, "/");
    if (length == 0 || length >= sizeof place->kind)
        return false;
    memcpy(place->kind, name, length);
    const char *at = name + length;
    uint64_t step, bucket, number = 0;
    if (!read_part(&at, 't', &step) || !read_part(&at, 'b', &bucket))
        return false;
    if (*at != '\0') {
        place->part = at[0] == '/' && (at[1] == 'k' || at[1] == 'i') ? at[1] : '?';
        if (!read_part(&at, place->part, &number) || *at != '\0')
            return false;
    }
    place->step = (int64_t)step;
    place->bucket = (size_t)bucket;
    place->number = (size_t)number;
    return true;
}

const char *dtype_name(psgd_dtype dtype)
{
    switch (dtype) {
    case PSGD_F32: return "f32";
    case PSGD_F64: return "f64";
    case PSGD_F16: return "f16";
    case PSGD_BF16: return "bf16";
    }
    return "?";
}

bool dtype_parse(psgd_dtype *dtype, const char *name)
{
    static const psgd_dtype types[] = {PSGD_F32, PSGD_F64, PSGD_F16, PSGD_BF16};
    for (size_t i = 0; i < 4; i++)
        if (strcmp(name, dtype_name(types[i])) == 0) {
            *dtype = types[i];
            return true;
        }
    return false;
}

bool metadata_integer(int64_t *value, const psgd_safetensors *file, const char *key)
{
    const char *text = psgd_safetensors_metadata(file, key);
    uint64_t number;
    if (text == NULL || !read_number(&text, &number) || *text != '\0')
        return false;
    *value = (int64_t)number;
    return true;
}
