/* sum.c: the sum over ranks in a fixed order, in double and rounded once. Its contract is in sum.h.
 *
 * The first term is loaded, not added to zero: 0 + (-0) would lose the sign of a sum of negative zeros. Of f16, a
 * double holds the sum of some thousand ranks exactly: what is rounded is then the true sum, whatever the order. */
#include "sum.h"

void psgd_sum(void *result, const void *terms, const psgd_value_type *type, size_t count, size_t ranks, size_t stride)
{
    enum { BLOCK = 512 }; /* elements at a time: two blocks of doubles stay in the first-level cache */
    const size_t size = psgd_dtype_size((uint32_t)type->dtype);
    double sum[BLOCK];
    double term[BLOCK];
    for (size_t first = 0; first < count; first += BLOCK) {
        size_t n = count - first < BLOCK ? count - first : BLOCK;
        const unsigned char *source = (const unsigned char *)terms + first * size;
        type->load(sum, source, n);
        for (size_t rank = 1; rank < ranks; rank++) {
            type->load(term, source + rank * stride, n);
            for (size_t i = 0; i < n; i++)
                sum[i] += term[i];
        }
        type->store((unsigned char *)result + first * size, sum, n);
    }
}
