/* type_coverage.c: `type_coverage REPORT` holds the report of a whole run against the table of requirements: every MUST
 * that was tested has a passed, trusted check on a case of every type that was tested, or stands below with the reason
 * why it has none. A reason that is no longer needed is wrong as well. Requirements of the C ABI alone are shown by
 * scenarios: calls and their refusals, in which no value is computed that a type could spoil; those of files are not in
 * a run without files. */
#include "report_claims.h"

#include "judge/requirement.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    uint64_t claim; /* 0: tested in every run */
} types[] = {{"f32", 0}, {"f64", PSGD_CLAIM_F64}, {"f16", PSGD_CLAIM_F16}, {"bf16", PSGD_CLAIM_BF16}};

enum { TYPES = sizeof types / sizeof types[0] };

static const struct {
    const char *id, *types, *reason;
} exceptions[] = {
    {"PSGD-ORT-003", "f16 bf16", "Householder QR is of f32 and f64: the hook takes Gram-Schmidt in half types"},
    {"PSGD-RND-002", "f16 bf16", "PyTorch's draws of half types have changed: Q is always handed in"},
    {"PSGD-EF-008", "f16 bf16",
     "what the least long run may round away, u T S, is no smaller than what it holds back; EF-001 and EF-005 hold it"},
};

enum { EXCEPTIONS = sizeof exceptions / sizeof exceptions[0] };

/* Is this type among the space-separated ones? "f16" is no part of "bf16". */
static bool lists(const char *list, const char *type)
{
    const size_t length = strlen(type);
    for (const char *at = list; (at = strstr(at, type)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static const char *excused(const char *id, const char *type)
{
    for (size_t i = 0; i < EXCEPTIONS; i++)
        if (strcmp(exceptions[i].id, id) == 0 && lists(exceptions[i].types, type))
            return exceptions[i].reason;
    return NULL;
}

/* How many of the types this requirement is wrong in. */
static int check_requirement(const requirement *r, const json_t *passed, uint64_t tested)
{
    int wrong = 0;
    for (size_t t = 0; t < TYPES; t++) {
        if ((types[t].claim & ~tested) != 0)
            continue;
        const json_t *count = json_object_get(passed, types[t].name);
        const char *reason = excused(r->id, types[t].name);
        const bool shown = json_integer_value(count) > 0;
        if (!json_is_integer(count) || shown == (reason != NULL)) {
            printf("WRONG: %s, %s: %s\n", r->id, types[t].name,
                   shown ? "has a trusted check, and a reason why it has none" : "has no passed, trusted check");
            wrong++;
        }
    }
    return wrong;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: type_coverage REPORT\n");
        return 2;
    }
    json_error_t error;
    json_t *report = json_load_file(argv[1], JSON_REJECT_DUPLICATES, &error);
    if (report == NULL) {
        printf("%s: %s\n", argv[1], error.text);
        return 1;
    }
    const uint64_t tested = tested_claims(report);
    size_t count, held = 0;
    int wrong = 0;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++) {
        const requirement *r = &all[i];
        const bool by_cases = r->has_check && !r->c_abi_only && !r->files_only && !r->unit_test_only;
        if (r->level != LEVEL_MUST || !by_cases || (r->claims & ~tested) != 0)
            continue;
        wrong += check_requirement(r, json_object_get(json_object_get(report, "trusted"), r->id), tested);
        held++;
    }
    json_decref(report);
    printf("%zu MUSTs by type, %d wrong\n", held, wrong);
    return wrong == 0 && held > 20 ? 0 : 1;
}
