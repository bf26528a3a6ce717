/* suite.c: the fixed cases, from one table a subject. Their order is that of reports. */
#include "harness/suite_tables.h"

static const suite_table *const tables[] = {&suite_torch,      &suite_torch_numerics, &suite_torch_sweeps,
                                            &suite_torch_half, &suite_core,           &suite_claims,
                                            &suite_flat,       &suite_half,           &suite_half_hook};

enum { TABLES = sizeof tables / sizeof tables[0] };

size_t suite_count(void)
{
    size_t count = 0;
    for (size_t t = 0; t < TABLES; t++)
        count += tables[t]->count;
    return count;
}

const suite_case *suite_at(size_t i)
{
    size_t t = 0;
    while (i >= tables[t]->count)
        i -= tables[t++]->count;
    return &tables[t]->cases[i];
}
