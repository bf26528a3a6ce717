/* verdict_claims.c: which claims fail, and why (contract: verdict.h). Counts checks; knows nothing of ratios. */
#include "judge/verdict.h"

#include <stdio.h>
#include <string.h>

/* One requirement over the whole verdict. Types are sets of their claims; f32, which nobody claims, and scenarios,
 * which have no type, have none. */
typedef struct summary {
    size_t by_state[CHECK_STATES];
    size_t checks;
    bool failed_in_none; /* some failure is of f32 or of no type */
    uint64_t failed_types, shown_types, unsupported_types;
} summary;

static summary summarise(const verdict *v, const requirement *of)
{
    summary s = {0};
    for (size_t i = 0; i < v->count; i++) {
        const check *c = &v->checks[i];
        if (c->requirement != of) {
            continue;
        }
        const uint64_t type = c->type != NULL ? claim_parse(c->type, strlen(c->type)) : 0;
        s.checks++;
        s.by_state[c->state]++;
        s.failed_in_none = s.failed_in_none || (c->state == CHECK_FAIL && type == 0);
        s.failed_types |= c->state == CHECK_FAIL ? type : 0;
        s.shown_types |= c->state == CHECK_PASS || c->state == CHECK_FAIL || c->state == CHECK_WAIVED ? type : 0;
        s.unsupported_types |= c->state == CHECK_SKIP && c->skipped == SKIP_UNSUPPORTED ? type : 0;
    }
    return s;
}

/* Why a MUST makes its claims fail; null: it does not. */
static const char *failure_of(const requirement *r, const summary *s, bool partial)
{
    if (s->by_state[CHECK_FAIL] > 0) {
        return "failed";
    }
    if (s->by_state[CHECK_NOT_RUN] > 0) {
        return "was not run";
    }
    if (partial || s->by_state[CHECK_PASS] + s->by_state[CHECK_WAIVED] > 0 || !r->has_check || r->unit_test_only) {
        return NULL;
    }
    if (s->by_state[CHECK_UNTRUSTED] > 0) {
        return "has no trusted case";
    }
    if (s->checks == 0) {
        return r->c_abi_only || r->files_only ? NULL : "was judged by no case";
    }
    if (s->by_state[CHECK_UNOBSERVED] > 0 && (r->claims & PSGD_CLAIM_TORCH) != 0 && !r->c_abi_only) {
        return "could not be observed, and under torch everything must be shown";
    }
    return NULL; /* skipped or unobserved: listed, no failure */
}

/* Text grows while there is room; what does not fit is cut. */
static void append_text(char *text, size_t size, size_t *used, const char *claim, const char *id, const char *reason)
{
    if (*used >= size) {
        return;
    }
    int length = snprintf(text + *used, size - *used, "%s: %s%s%s\n", claim, id, id[0] == '\0' ? "" : " ", reason);
    if (length > 0) {
        *used += (size_t)length;
    }
}

/* Fails these claims, each for this reason. */
static uint64_t fail_each(uint64_t claims, const char *id, const char *reason, char *text, size_t size, size_t *used)
{
    for (uint64_t claim = 1; claim != 0 && claim <= claims; claim <<= 1) {
        if ((claims & claim) != 0) {
            append_text(text, size, used, claim_name(claim), id, reason);
        }
    }
    return claims;
}

uint64_t verdict_shown_claims(const verdict *v)
{
    uint64_t shown = 0;
    for (size_t i = 0; i < v->count; i++) {
        const check *c = &v->checks[i];
        shown |= c->state == CHECK_PASS && !c->requirement->files_only ? c->requirement->claims : 0;
    }
    return shown;
}

uint64_t verdict_claims_of_cases(uint64_t claims)
{
    size_t count;
    const requirement *table = requirements(&count);
    for (size_t i = 0; i < count; i++) {
        claims &= table[i].has_check ? ~table[i].claims : UINT64_MAX;
    }
    return claims;
}

uint64_t verdict_failed_claims(const verdict *v, uint64_t tested, bool partial, char *text, size_t size)
{
    uint64_t failed = 0, by_failure = 0, by_refusal = 0; /* the last two of types: the first reason stands for all */
    size_t used = 0, count;
    if (size > 0) {
        text[0] = '\0';
    }
    const requirement *table = requirements(&count);
    for (size_t i = 0; i < count; i++) {
        const requirement *r = &table[i];
        if (r->level != LEVEL_MUST || !requirement_is_tested(r, tested)) {
            continue;
        }
        const summary s = summarise(v, r);
        const char *reason = failure_of(r, &s, partial);
        if (reason != NULL) {
            failed |= fail_each(r->claims, r->id, reason, text, size, &used);
        }
        if (!s.failed_in_none) { /* f32, which nobody claims, has it not */
            const uint64_t types = s.failed_types & tested & ~by_failure;
            by_failure |= fail_each(types, r->id, "failed, and only in claimed types", text, size, &used);
        }
        if (!partial && s.by_state[CHECK_PASS] > 0) { /* what is known to work in another type */
            const uint64_t types = s.unsupported_types & ~s.shown_types & tested & ~by_refusal;
            by_refusal |=
                fail_each(types, r->id, "is supported in no case of this type (the first of such)", text, size, &used);
        }
    }
    failed |= by_failure | by_refusal;
    if (!partial) { /* a claim for which nothing passed was not tested at all */
        const uint64_t judged = tested & ~verdict_claims_of_cases(tested);
        failed |= fail_each(judged & ~failed & ~verdict_shown_claims(v), "",
                            "no case of this claim was executed and passed", text, size, &used);
    }
    return failed;
}
