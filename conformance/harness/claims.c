/* claims.c: claims by name. */
#include "harness/claims.h"

#include <stdio.h>
#include <string.h>

static const char separators[] = " ,\t\n";

/* In the order of the bits. */
static const char *const claim_names[] = {"core",      "ef",          "warm",       "torch",      "flat",
                                          "multirank", "subgroup",    "checkpoint", "f64",        "f16",
                                          "bf16",      "determinism", "async",      "alternating"};
static const size_t claim_count = sizeof claim_names / sizeof claim_names[0];

uint64_t claim_parse(const char *name, size_t length)
{
    for (size_t i = 0; i < claim_count; i++) {
        if (strlen(claim_names[i]) == length && strncmp(claim_names[i], name, length) == 0) {
            return UINT64_C(1) << i;
        }
    }
    return 0;
}

const char *claim_name(uint64_t claim)
{
    for (size_t i = 0; i < claim_count; i++) {
        if (claim == UINT64_C(1) << i) {
            return claim_names[i];
        }
    }
    return "unknown";
}

bool claims_parse(uint64_t *claims, const char *text, const char **bad)
{
    uint64_t all = 0;
    for (text += strspn(text, separators); *text != '\0'; text += strspn(text, separators)) {
        size_t length = strcspn(text, separators);
        uint64_t claim = claim_parse(text, length);
        if (claim == 0) {
            *bad = text;
            return false;
        }
        all |= claim;
        text += length;
    }
    *claims = all;
    return true;
}

void claims_print(uint64_t claims, char *text, size_t size)
{
    size_t used = 0;
    if (size > 0) {
        text[0] = '\0';
    }
    for (size_t i = 0; i < claim_count && used < size; i++) {
        if ((claims & UINT64_C(1) << i) == 0) {
            continue;
        }
        int length = snprintf(text + used, size - used, "%s%s", used == 0 ? "" : " ", claim_names[i]);
        if (length > 0) {
            used += (size_t)length;
        }
    }
}
