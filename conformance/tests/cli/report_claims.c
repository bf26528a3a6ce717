/* report_claims.c: see report_claims.h. */
#include "report_claims.h"

#include "harness/claims.h"

#include <string.h>

uint64_t tested_claims(const json_t *report)
{
    uint64_t claims = 0;
    size_t i;
    json_t *name;
    json_array_foreach(json_object_get(report, "tested"), i, name)
    {
        const char *text = json_string_value(name);
        claims |= text != NULL ? claim_parse(text, strlen(text)) : 0;
    }
    return claims;
}
