/* safetensors.c: any bytes as a safetensors file. Refused with a reason, or else: the tensors hang together, and
 * written anew and read back they are the same.
 */
#include "fuzz.h"

#include "core/safetensors.h"

#include <string.h>

/* Its size fits its shape, it is aligned, found by its name, and all its bytes can be read. */
static void check_tensor(const psgd_safetensors *file, const psgd_tensor *t)
{
    fuzz_check(t->ndim <= PSGD_SAFETENSORS_MAX_NDIM, "at most 8 dimensions");
    size_t bytes = psgd_element_size(t->element);
    fuzz_check(bytes > 0, "the type is known");
    for (size_t d = 0; d < t->ndim; d++) {
        bytes *= t->dims[d];
    }
    fuzz_check(bytes == t->bytes, "the shape has the tensor's bytes");
    fuzz_check((uintptr_t)t->data % 8 == 0, "data is aligned to 8");
    fuzz_check(psgd_safetensors_find(file, t->name) == t, "a name finds its tensor");
    unsigned sum = 0;
    for (size_t i = 0; i < t->bytes; i++) {
        sum += ((const unsigned char *)t->data)[i];
    }
    fuzz_check(sum <= 255 * t->bytes, "bytes are bytes");
}

static void check_equal(const psgd_tensor *a, const psgd_tensor *b)
{
    fuzz_check(strcmp(a->name, b->name) == 0, "equal names");
    fuzz_check(a->element == b->element && a->ndim == b->ndim && a->bytes == b->bytes, "equal types and sizes");
    for (size_t d = 0; d < a->ndim; d++) {
        fuzz_check(a->dims[d] == b->dims[d], "equal shapes");
    }
    fuzz_check(memcmp(a->data, b->data, a->bytes) == 0, "equal bytes");
}

static void check_round_trip(const psgd_safetensors *file)
{
    const size_t count = psgd_safetensors_count(file);
    const psgd_tensor *tensors = count > 0 ? psgd_safetensors_at(file, 0) : NULL; /* [count], one after the other */
    const char *format = psgd_safetensors_metadata(file, "format");
    const psgd_metadata metadata = {"format", format};
    void *bytes = NULL;
    size_t size = 0;
    char message[200] = "";
    fuzz_check(psgd_safetensors_serialize(&bytes, &size, tensors, count, &metadata, format ? 1 : 0, message,
                                          sizeof message) == PSGD_OK,
               message);
    psgd_safetensors *again = NULL;
    fuzz_check(psgd_safetensors_parse(&again, bytes, size, message, sizeof message) == PSGD_OK, message);
    free(bytes);
    fuzz_check(psgd_safetensors_count(again) == count, "equal counts");
    for (size_t i = 0; i < count; i++) {
        check_equal(&tensors[i], psgd_safetensors_at(again, i));
    }
    const char *format_again = psgd_safetensors_metadata(again, "format");
    fuzz_check(format ? format_again && strcmp(format, format_again) == 0 : !format_again, "equal metadata");
    psgd_safetensors_close(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    psgd_safetensors *file = NULL;
    char message[200] = "";
    const psgd_status status = psgd_safetensors_parse(&file, data, size, message, sizeof message);
    if (status != PSGD_OK) {
        fuzz_check(status == PSGD_ERR_FORMAT || status == PSGD_ERR_MEMORY, "refused as not of the format");
        fuzz_check(!file && message[0] != '\0', "refused with a reason");
        return 0;
    }
    size_t total = 8; /* and the header, whose length these 8 bytes say, and all tensors: the whole file */
    for (size_t i = 0; i < 8; i++) {
        total += (size_t)data[i] << 8 * i;
    }
    for (size_t i = 0; i < psgd_safetensors_count(file); i++) {
        const psgd_tensor *t = psgd_safetensors_at(file, i);
        check_tensor(file, t);
        total += t->bytes;
    }
    fuzz_check(total == size, "every byte of the file belongs to something");
    check_round_trip(file);
    psgd_safetensors_close(file);
    return 0;
}
