/* faults.c: see faults.h. Where a fault is done, the port's code says so at the line: fault_is(...). */
#include "mutants/faults.h"

#include "psgd/psgd.h"

#include <string.h>

#define FAULT_ENTRY(identifier, name, breaks, claims, what) [identifier] = {name, breaks, claims, what},
static const fault_entry entries[FAULT_COUNT] = {HONEST_VARIANTS(FAULT_ENTRY) FAULT_LISTS(FAULT_ENTRY)};

const fault_entry *fault_entry_of(fault f)
{
    return f < FAULT_COUNT ? &entries[f] : NULL;
}

bool fault_find(fault *f, const char *name)
{
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        if (strcmp(entries[i].name, name) == 0) {
            *f = (fault)i;
            return true;
        }
    }
    return false;
}

bool fault_is_honest(fault f)
{
    return f < FAULT_COUNT && entries[f].requirements[0] == '\0';
}
