/* requirement.c: looking requirements up. The table itself is in requirement_table.c. */
#include "judge/requirement.h"

#include <string.h>

const requirement *requirement_find(const char *id)
{
    size_t count;
    const requirement *table = requirements(&count);
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].id, id) == 0) {
            return &table[i];
        }
    }
    return NULL;
}

bool requirement_is_tested(const requirement *r, uint64_t claims)
{
    const bool replaced = r->layerwise_only && (claims & PSGD_CLAIM_ALTERNATING) != 0;
    return (r->claims & ~claims) == 0 && !replaced;
}
