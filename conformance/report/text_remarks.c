/* text_remarks.c: what bears on the verdict besides the failures. */
#include "report/printable.h"
#include "report/text_parts.h"

#include <string.h>

#define SKIPS_SHOWN 12 /* reasons */

/* The last words of a command that ended badly; how it ended is a requirement's failure. */
static void print_command(paper *p, const command_outcome *c)
{
    const char *at = c->error_tail != NULL ? c->error_tail : "";
    if (*at == '\0' || !(c->timed_out || c->signal != 0 || c->exit_status != 0))
        return;
    paper_line(p, TEXT_INDENT, "What the command said last on its standard error:");
    while (*at != '\0') {
        const size_t length = strcspn(at, "\n");
        char line[400], text[400];
        snprintf(line, sizeof line, "%.*s", (int)(length < sizeof line ? length : sizeof line - 1), at);
        paper_line(p, TEXT_INDENT, "  | %s", printable(text, sizeof text, line));
        at += length + (at[length] == '\n');
    }
}

static void print_waiver(paper *p, const report_waiver *w)
{
    static const char *const became[] = {
        [WAIVER_USED] = "excused",
        [WAIVER_NOT_REACHED] = "was not reached by this run",
        [WAIVER_UNMATCHED] = "is out of date: it is for no check of this run",
        [WAIVER_EXPIRED] = "is out of date: it has expired",
        [WAIVER_NEEDLESS] = "is out of date: nothing that it is for failed",
    };
    char of[128], in[256], reason[400], count[32] = "";
    if (w->state == WAIVER_USED)
        snprintf(count, sizeof count, " %zu failure%s", w->waived, w->waived == 1 ? "" : "s");
    paper_line(p, TEXT_INDENT, "%sWaiver%s of %s in %s, to %s, %s%s: %s", WAIVER_IS_STALE(w->state) ? PAPER_RED : "",
               WAIVER_IS_STALE(w->state) ? PAPER_PLAIN : "",
               printable(of, sizeof of, w->requirement != NULL ? w->requirement : "any requirement"),
               printable(in, sizeof in, w->case_id != NULL ? w->case_id : "any case"), w->expires, became[w->state],
               count, printable(reason, sizeof reason, w->reason));
}

/* One of the lines "CLAIM: REQUIREMENT REASON", or "CLAIM: REASON". */
typedef struct reason_line {
    const char *claim, *id, *reason; /* id is empty where the line has none */
    size_t claim_length, id_length, reason_length;
    const char *next; /* line; null: there is none */
} reason_line;

static reason_line split(const char *line)
{
    const size_t length = strcspn(line, "\n");
    reason_line l = {.claim = line, .claim_length = strcspn(line, ":\n")};
    l.id = line + l.claim_length + (l.claim_length + 2 <= length ? 2 : 0);
    l.id_length = strncmp(l.id, "PSGD-", strlen("PSGD-")) == 0 ? strcspn(l.id, " \n") : 0;
    l.reason = l.id + l.id_length + (l.id_length > 0 && l.id[l.id_length] == ' ');
    l.reason_length = (size_t)(line + length - l.reason);
    l.next = line[length] == '\n' && line[length + 1] != '\0' ? line + length + 1 : NULL;
    return l;
}

static bool is_alike(const reason_line *a, const reason_line *b)
{
    return a->claim_length == b->claim_length && strncmp(a->claim, b->claim, a->claim_length) == 0 &&
           a->reason_length == b->reason_length && strncmp(a->reason, b->reason, a->reason_length) == 0;
}

static bool has_come_before(const char *reasons, const reason_line *wanted)
{
    bool found = false;
    for (const char *at = reasons; at != wanted->claim && !found;) {
        const reason_line l = split(at);
        found = is_alike(&l, wanted);
        at = l.next;
    }
    return found;
}

/* Why claims fail, the requirements of one claim and reason together. That a requirement failed has been said above;
 * what is left is what no case has shown. */
static void print_reasons(paper *p, const char *reasons, bool verbose)
{
    static const char said[] = "failed";
    for (const char *at = reasons[0] != '\0' ? reasons : NULL; at != NULL;) {
        const reason_line l = split(at);
        const bool is_said = l.reason_length == strlen(said) && strncmp(l.reason, said, strlen(said)) == 0;
        at = l.next;
        if ((is_said && !verbose) || has_come_before(reasons, &l))
            continue;
        FILE *line = paper_begin(p);
        fprintf(line, "%.*s: %.*s", (int)l.claim_length, l.claim, (int)l.id_length, l.id);
        for (const char *other = l.next; other != NULL;) {
            const reason_line o = split(other);
            if (is_alike(&l, &o))
                fprintf(line, ", %.*s", (int)o.id_length, o.id);
            other = o.next;
        }
        fprintf(line, "%s%.*s", l.id_length > 0 ? " " : "", (int)l.reason_length, l.reason);
        paper_end(p, PAPER_TEXT, TEXT_INDENT);
    }
}

static bool is_shown(const verdict *v, const requirement *of)
{
    bool shown = false;
    for (size_t i = 0; i < v->count && !shown; i++) {
        const check *c = &v->checks[i];
        shown = c->requirement == of && (c->state == CHECK_PASS || c->state == CHECK_FAIL || c->state == CHECK_WAIVED);
    }
    return shown;
}

static bool has_state(const verdict *v, const requirement *of, check_state state)
{
    bool found = false;
    for (size_t i = 0; i < v->count && !found; i++)
        found = v->checks[i].requirement == of && v->checks[i].state == state;
    return found;
}

/* Has it one of the first count states? */
static bool has_any(const verdict *v, const requirement *of, const check_state *states, size_t count)
{
    bool found = false;
    for (size_t k = 0; k < count; k++)
        found = found || has_state(v, of, states[k]);
    return found;
}

/* One line of requirements, opened by the first of them. */
static void list(paper *p, FILE **line, const char *title, const char *id)
{
    const bool is_first = *line == NULL;
    if (is_first)
        *line = paper_begin(p);
    fprintf(*line, "%s%s%s", is_first ? title : ", ", is_first ? ": " : "", id);
}

/* Requirements that no check shows, kept or broken, each under the state that says most. */
static void print_not_shown(paper *p, const run_report *r)
{
    static const check_state states[] = {CHECK_NOT_RUN, CHECK_UNTRUSTED, CHECK_UNOBSERVED};
    size_t count;
    const requirement *all = requirements(&count);
    for (size_t k = 0; k < sizeof states / sizeof states[0]; k++) {
        FILE *line = NULL;
        char title[32];
        snprintf(title, sizeof title, "%s only", check_state_name(states[k]));
        for (size_t i = 0; i < count; i++)
            if (has_state(r->verdict, &all[i], states[k]) && !is_shown(r->verdict, &all[i]) &&
                !has_any(r->verdict, &all[i], states, k))
                list(p, &line, title, all[i].id);
        if (line != NULL)
            paper_end(p, PAPER_TEXT, TEXT_INDENT);
    }
    FILE *line = NULL;
    for (size_t i = 0; i < count; i++)
        if (!all[i].has_check && !all[i].unit_test_only && all[i].level == LEVEL_MUST &&
            requirement_is_tested(&all[i], r->tested))
            list(p, &line, "MUSTs without a check yet", all[i].id);
    if (line != NULL)
        paper_end(p, PAPER_TEXT, TEXT_INDENT);
}

/* How many checks were skipped with this one's words; 0: an earlier check had them. */
static size_t count_reason(const verdict *v, size_t index)
{
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++) {
        const check *c = &v->checks[i];
        if (c->state != CHECK_SKIP || c->message == NULL || strcmp(c->message, v->checks[index].message) != 0)
            continue;
        if (i < index)
            return 0;
        count++;
    }
    return count;
}

static const char claim_words[] = "claim not tested: ";

static bool is_for_claims(const check *c)
{
    return c->skipped == SKIP_CLAIM && strncmp(c->message, claim_words, strlen(claim_words)) == 0;
}

/* All those of claims in one line, with a count each where there are several: "warm (3), warm multirank (35)". */
static void print_skipped_claims(paper *p, const verdict *v)
{
    size_t all = 0, kinds = 0;
    for (size_t i = 0; i < v->count; i++) {
        const check *c = &v->checks[i];
        if (c->state != CHECK_SKIP || c->message == NULL || !is_for_claims(c))
            continue;
        all++;
        kinds += count_reason(v, i) > 0;
    }
    if (all == 0)
        return;
    FILE *line = paper_begin(p);
    fprintf(line, "%zu skipped: %s", all, claim_words);
    bool first = true;
    for (size_t i = 0; i < v->count; i++) {
        const check *c = &v->checks[i];
        const bool one = c->state == CHECK_SKIP && c->message != NULL && is_for_claims(c);
        const size_t count = one ? count_reason(v, i) : 0;
        if (count == 0)
            continue;
        fprintf(line, "%s%s", first ? "" : ", ", c->message + strlen(claim_words));
        if (kinds > 1)
            fprintf(line, " (%zu)", count);
        first = false;
    }
    paper_end(p, PAPER_TEXT, TEXT_INDENT);
}

static void print_skips(paper *p, const verdict *v)
{
    static const char *const kinds[] = {
        [SKIP_NONE] = "", [SKIP_CLAIM] = "", [SKIP_UNSUPPORTED] = "the port does not support it: ", [SKIP_RANKS] = ""};
    size_t reasons = 0, hidden = 0;
    print_skipped_claims(p, v);
    for (size_t i = 0; i < v->count; i++) {
        const check *c = &v->checks[i];
        const bool one = c->state == CHECK_SKIP && c->message != NULL && !is_for_claims(c);
        const size_t count = one ? count_reason(v, i) : 0;
        char text[200];
        if (count > 0 && ++reasons > SKIPS_SHOWN)
            hidden += count;
        else if (count > 0)
            paper_line(p, TEXT_INDENT, "%zu skipped: %s%s", count, kinds[c->skipped],
                       printable(text, sizeof text, c->message));
    }
    if (hidden > 0)
        paper_line(p, TEXT_INDENT, "%zu skipped for %zu more reasons", hidden, reasons - SKIPS_SHOWN);
}

void text_remarks(paper *p, const run_report *r, bool verbose)
{
    if (r->way == WAY_COMMAND)
        print_command(p, &r->command);
    for (size_t i = 0; i < r->waiver_count; i++)
        print_waiver(p, &r->waivers[i]);
    if (r->failed != 0 && r->reasons != NULL)
        print_reasons(p, r->reasons, verbose);
    if (r->out_of_reach != 0) {
        char names[256];
        claims_print(r->out_of_reach, names, sizeof names);
        paper_line(p, TEXT_INDENT, "Not tested, for want of ranks: %s (mpirun gave %d).", names, r->ranks);
    }
    if (r->stopped)
        paper_line(p, TEXT_INDENT, "Two cases timed out: the rest was not run.");
    if (!r->partial)
        print_not_shown(p, r);
    print_skips(p, r->verdict);
}
