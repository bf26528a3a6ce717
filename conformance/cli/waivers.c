/* waivers.c: what each waiver of the list is for in this run, and whether it is still needed. See waivers.h. */
#include "cli/waivers.h"

#include <fnmatch.h>
#include <string.h>
#include <time.h>

/* A glob that can mean one thing only. A problem string is one: its brackets are those of shapes. */
static bool is_one_name(const char *glob)
{
    return glob != NULL && strpbrk(glob, "*?") == NULL && (strchr(glob, '/') != NULL || strchr(glob, '[') == NULL);
}

/* That results came back whole, and that the command which left them ended well, is not for anybody to answer for. */
static bool is_for_requirement(const report_waiver *w, const requirement *r)
{
    return !r->files_only && (w->requirement == NULL || fnmatch(w->requirement, r->id, 0) == 0);
}

static bool is_for_case(const report_waiver *w, const check *c)
{
    return w->case_id == NULL || fnmatch(w->case_id, c->case_id, 0) == 0 ||
           (c->problem != NULL && strcmp(w->case_id, c->problem) == 0);
}

static bool was_judged(const check *c)
{
    return c->state == CHECK_PASS || c->state == CHECK_FAIL || c->state == CHECK_WAIVED;
}

static bool is_of_tested_claims(const report_waiver *w, uint64_t tested)
{
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t i = 0; i < count; i++)
        if (requirement_is_tested(&all[i], tested) && is_for_requirement(w, &all[i]))
            return true;
    return false;
}

/* Its case is part of the run, but nothing of it could be judged: skipped, or not run. */
static bool case_was_left_out(const report_waiver *w, const verdict *v)
{
    bool left_out = false;
    for (size_t i = 0; i < v->count; i++) {
        if (!is_for_case(w, &v->checks[i]))
            continue;
        if (was_judged(&v->checks[i]))
            return false;
        left_out = true;
    }
    return left_out;
}

static void excuse(report_waiver *w, verdict *v, bool expired, size_t *judged)
{
    for (size_t i = 0; i < v->count; i++) {
        check *c = &v->checks[i];
        if (!is_for_requirement(w, c->requirement) || !is_for_case(w, c))
            continue;
        w->matched++;
        *judged += was_judged(c);
        /* Of two that are for one failure both are needed: either may go. */
        w->waived += c->state == CHECK_FAIL || c->state == CHECK_WAIVED;
        if (c->state == CHECK_FAIL && !expired) {
            c->state = CHECK_WAIVED;
            c->waiver = w->reason;
        }
    }
}

static waiver_state state_of(const report_waiver *w, const verdict *v, uint64_t tested, bool whole, bool expired,
                             size_t judged)
{
    if (expired)
        return WAIVER_EXPIRED;
    if (w->waived > 0)
        return WAIVER_USED;
    /* What a partial run leaves out may be just what fails; one requirement in one case is run whole or not at all. */
    if (judged > 0)
        return whole || (is_one_name(w->requirement) && is_one_name(w->case_id)) ? WAIVER_NEEDLESS : WAIVER_NOT_REACHED;
    if (!whole || w->matched > 0 || !is_of_tested_claims(w, tested) || case_was_left_out(w, v))
        return WAIVER_NOT_REACHED;
    return WAIVER_UNMATCHED;
}

void waivers_apply(waivers *w, verdict *v, uint64_t tested, bool whole, const char *today)
{
    for (size_t i = 0; i < w->count; i++) {
        report_waiver *one = &w->list[i];
        const bool expired = strcmp(one->expires, today) < 0;
        size_t judged = 0;
        one->matched = one->waived = 0;
        excuse(one, v, expired, &judged);
        one->state = state_of(one, v, tested, whole, expired, judged);
        if (expired)
            one->waived = 0;
    }
}

bool date_today(char date[DATE_SIZE])
{
    const time_t now = time(NULL);
    struct tm utc;
    return now != (time_t)-1 && gmtime_r(&now, &utc) != NULL && strftime(date, DATE_SIZE, "%Y-%m-%d", &utc) > 0;
}
