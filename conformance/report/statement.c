/* statement.c: see statement.h. Next: statement_text.c, statement_json.c. */
#include "report/statement.h"

#include "report/printable.h"

const statement_list statement_lists[STATEMENT_LISTS] = {
    {"failed", CHECK_FAIL, SKIP_NONE},
    {"waived", CHECK_WAIVED, SKIP_NONE},
    {"unsupported", CHECK_SKIP, SKIP_UNSUPPORTED},
    {"unobserved", CHECK_UNOBSERVED, SKIP_NONE},
    {"untrusted", CHECK_UNTRUSTED, SKIP_NONE},
    {"too few ranks", CHECK_SKIP, SKIP_RANKS},
    {"not run", CHECK_NOT_RUN, SKIP_NONE},
};

size_t statement_count(const run_report *r, const statement_list *list, const requirement *of)
{
    size_t count = 0, passed = 0;
    for (size_t i = 0; i < r->verdict->count; i++) {
        const check *c = &r->verdict->checks[i];
        count += c->requirement == of && c->state == list->state &&
                 (list->state != CHECK_SKIP || c->skipped == list->skipped);
        passed += c->requirement == of && c->state == CHECK_PASS;
    }
    return list->state == CHECK_UNTRUSTED && passed > 0 ? 0 : count;
}

const char *statement_lack(const run_report *r, size_t index)
{
    const struct {
        bool lacks;
        const char *what;
    } lacks[] = {
        {r->only_count > 0, "--only chose what was run"},
        {r->case_count > 0, "--case chose what was run"},
        {r->partial && r->only_count + r->case_count == 0, "only a choice of the cases was run"},
        {r->quick, "--quick left cases out"},
        {r->fuzz < FUZZ_WHOLE && !r->quick, "--fuzz asked for fewer random problems than belong to a whole run"},
        {r->stopped, "two cases timed out, and the rest was not run"},
    };
    for (size_t i = 0; i < sizeof lacks / sizeof lacks[0]; i++)
        if (lacks[i].lacks && index-- == 0)
            return lacks[i].what;
    return NULL;
}

uint64_t statement_conforming(const run_report *r)
{
    if (r->exit_code != 0 && r->exit_code != 1)
        return 0;
    return r->tested & ~r->failed & r->shown;
}

uint64_t statement_untested(const run_report *r)
{
    return r->port.claims & ~(r->tested | r->out_of_reach);
}

void statement_sentence(FILE *file, const run_report *r)
{
    const verdict_counts counts = verdict_count(r->verdict);
    char name[128], version[64], claims[256];
    printable(name, sizeof name, r->port.name[0] != '\0' ? r->port.name : "The port");
    printable(version, sizeof version, r->port.version);
    claims_print(r->exit_code == 0 ? statement_conforming(r) : r->failed, claims, sizeof claims);
    if (r->exit_code == 3) {
        fputs("Nothing was tested: this is no statement of conformance.", file);
    } else if (r->exit_code != 0 && r->exit_code != 1) {
        fputs("The kit could not finish: this is no statement of conformance.", file);
    } else if (r->exit_code == 1) {
        fprintf(file, "%s%s%s does not conform%s%s.%s", name, version[0] != '\0' ? " " : "", version,
                claims[0] != '\0' ? ": " : "", claims, statement_lack(r, 0) != NULL ? " This was a partial run." : "");
    } else if (statement_lack(r, 0) != NULL) {
        fprintf(file,
                "This was a partial run, and is no statement of conformance. What was run of %s %s conforms%s: %s.",
                name, version, counts.by_state[CHECK_WAIVED] > 0 ? ", with waivers" : "", claims);
    } else {
        fprintf(file, "%s %s conforms to suite %d%s: %s.", name, version, SUITE_VERSION,
                counts.by_state[CHECK_WAIVED] > 0 ? ", with waivers" : "", claims);
    }
}
