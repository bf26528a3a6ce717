/* layout_made.h: buckets of given shapes, and their layouts, in a line each. For tests; after cmocka. */
#ifndef PSGD_CORE_TESTS_LAYOUT_MADE_H
#define PSGD_CORE_TESTS_LAYOUT_MADE_H

#include "core/layout.h"

enum { message_size = 200 };

static double some_data[1]; /* stands for the gradients, which a layout does not look at */

static inline psgd_bucket bucket_of(const psgd_shape *shapes, size_t count)
{
    return (psgd_bucket){.struct_size = sizeof(psgd_bucket),
                         .dtype = PSGD_F64,
                         .index = 3,
                         .data = some_data,
                         .tensor_count = count,
                         .shapes = shapes};
}

static inline psgd_bucket_layout made(const psgd_shape *shapes, size_t count, int64_t rank, double rate)
{
    const psgd_bucket bucket = bucket_of(shapes, count);
    psgd_bucket_layout layout;
    char message[message_size] = "";
    assert_int_equal(psgd_bucket_layout_make(&layout, &bucket, rank, rate, message, sizeof message), PSGD_OK);
    assert_string_equal(message, "");
    return layout;
}

/* A psgd_shape of these dimensions. */
#define SHAPE(...)                                                                                                     \
    {                                                                                                                  \
        sizeof((size_t[]){__VA_ARGS__}) / sizeof(size_t), (size_t[])                                                   \
        {                                                                                                              \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

#endif
