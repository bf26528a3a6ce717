/* draws.c: the seeded Q against the generators themselves: every draws-*.safetensors of the folder given as argument,
 * seeds and normals, bit for bit. f64 normals rest on the C library's log, sin and cos: on a machine with another one
 * they may differ by 4e-15 (relative to a standard normal), and no more.
 */
#include "core/random.h"
#include "core/safetensors.h"

#include <dirent.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define OTHER_LIBM 4e-15
#define MAX_COUNT  8192

typedef struct folder {
    const char *path;
} folder;

static uint64_t metadata_number(const psgd_safetensors *file, const char *key)
{
    const char *text = psgd_safetensors_metadata(file, key);
    char *end = NULL;
    assert_non_null(text);
    const unsigned long long number = strtoull(text, &end, 10);
    assert_true(end != text && *end == '\0');
    return number;
}

static void check_seeds(const psgd_safetensors *file, const char *name)
{
    const psgd_tensor *seeds = psgd_safetensors_find(file, "seeds");
    assert_non_null(seeds);
    assert_int_equal(seeds->element, PSGD_ELEMENT_U32);
    assert_true(seeds->ndim == 1 && seeds->dims[0] > 0);
    psgd_mt19937 generator;
    psgd_mt19937_seed(&generator, (uint32_t)metadata_number(file, "seed"));
    const uint32_t *expected = seeds->data;
    for (size_t i = 0; i < seeds->dims[0]; i++) {
        const uint32_t got = psgd_random_next_seed(&generator);
        if (got != expected[i])
            fail_msg("%s: seed %zu is %u, expected %u", name, i, (unsigned)got, (unsigned)expected[i]);
    }
}

static bool same_normal(const void *got, const void *expected, size_t i, bool is_double)
{
    if (!is_double)
        return memcmp((const float *)got + i, (const float *)expected + i, sizeof(float)) == 0;
    return fabs(((const double *)got)[i] - ((const double *)expected)[i]) <= OTHER_LIBM;
}

/* Counts the elements compared, and of the f64 ones those that differ in bits. */
static void check_normals(size_t *compared, size_t *inexact, const psgd_safetensors *file, const char *name)
{
    static double got[MAX_COUNT]; /* room for either type */
    psgd_torch_generator generator;
    psgd_torch_manual_seed(&generator, metadata_number(file, "torch_seed"));
    const psgd_tensor *drawn;
    for (size_t j = 0;; j++) {
        char key[32];
        snprintf(key, sizeof key, "d/%zu", j);
        if ((drawn = psgd_safetensors_find(file, key)) == NULL)
            return;
        const bool is_double = drawn->element == PSGD_ELEMENT_F64;
        assert_true(drawn->ndim == 1 && drawn->dims[0] <= MAX_COUNT);
        assert_true(is_double || drawn->element == PSGD_ELEMENT_F32);
        assert_int_equal(psgd_torch_randn(&generator, got, drawn->dims[0], is_double ? PSGD_F64 : PSGD_F32), PSGD_OK);
        for (size_t i = 0; i < drawn->dims[0]; i++)
            if (!same_normal(got, drawn->data, i, is_double))
                fail_msg("%s: element %zu of draw %zu differs", name, i, j);
        for (size_t i = 0; is_double && i < drawn->dims[0]; i++)
            *inexact += memcmp(&got[i], (const double *)drawn->data + i, sizeof(double)) != 0;
        *compared += drawn->dims[0];
    }
}

static void test_every_draw_is_that_of_the_generators(void **state)
{
    const char *path = ((const folder *)*state)->path;
    DIR *entries = opendir(path);
    assert_non_null(entries);
    size_t files = 0, elements = 0, inexact = 0;
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (strncmp(entry->d_name, "draws-", 6) != 0)
            continue;
        char name[4096], message[256];
        snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        psgd_safetensors *file;
        if (psgd_safetensors_open(&file, name, message, sizeof message) != PSGD_OK)
            fail_msg("%s: %s", name, message);
        check_seeds(file, name);
        check_normals(&elements, &inexact, file, name);
        psgd_safetensors_close(file);
        files++;
    }
    closedir(entries);
    assert_true(files > 0 && elements > 0);
    print_message("%zu files, %zu normals, %zu of type f64 differ in bits\n", files, elements, inexact);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
        return 2;
    }
    folder golden = {argv[1]};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_every_draw_is_that_of_the_generators, &golden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
