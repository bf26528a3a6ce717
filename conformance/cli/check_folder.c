/* check_folder.c: see check_folder.h. What is judged is what the list of the export says, and that is made anew here:
 * the list must be what its own options choose, cases are built from their problem strings, and a case file that is
 * still there must be the one that was written. */
#include "cli/check_folder.h"

#include "cli/exit_code.h"
#include "cli/export_list.h"
#include "harness/message.h"

#include <errno.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct folder_check {
    const char *folder;
    export_list list;
    options planned; /* what chose the cases; owns nothing */
    options asked;   /* the same, with what this command was given */
    result_folder results;
} folder_check;

/* ---- the plan ---- */

static bool same_entries(const export_list *a, const export_list *b)
{
    bool same = a->count == b->count;
    for (size_t i = 0; same && i < a->count; i++)
        same = strcmp(a->entries[i].id, b->entries[i].id) == 0 &&
               strcmp(a->entries[i].problem, b->entries[i].problem) == 0;
    return same;
}

/* The list must have what an export by these options writes: one that was cut would leave out what failed. */
static int hold_list(session *s, const folder_check *f)
{
    export_list expected;
    int code = 0;
    if (!export_list_make(&expected, &f->planned, &s->plan)) {
        refuse(s->message, sizeof s->message, "out of memory");
        code = EXIT_KIT_FAILED;
    } else if (!same_entries(&f->list, &expected)) {
        refuse(s->message, sizeof s->message,
               "%s/%s lists other cases than its own options choose (%zu, expected %zu): it was changed; export again",
               f->folder, EXPORT_LIST_FILE, f->list.count, expected.count);
        code = EXIT_USAGE;
    }
    export_list_free(&expected);
    return code;
}

static int make_plan(session *s, folder_check *f)
{
    f->planned = f->list.chosen;
    f->planned.errors = s->options->errors;
    plan_result result = plan_make(&s->plan, &f->planned, export_plan_claims(&f->planned));
    if (result == PLAN_OK) {
        const int code = hold_list(s, f);
        if (code != 0)
            return code;
        result = plan_narrow(&s->plan, &s->options->only, s->options->errors);
    }
    switch (result) {
    case PLAN_OK: return 0;
    case PLAN_USAGE: s->message[0] = '\0'; return EXIT_USAGE; /* it was said */
    default: refuse(s->message, sizeof s->message, "out of memory"); return EXIT_KIT_FAILED;
    }
}

/* ---- the folder ---- */

/* Is the case file that is there, if any, the one that was exported? */
static void look_at_case(const folder_check *f, const export_entry *e)
{
    result_case *of = result_folder_case(&f->results, e->id);
    const size_t size = strlen(f->folder) + strlen(e->id) + sizeof "/.safetensors";
    char *path = malloc(size), hex[SHA256_DIGEST_STRING_LENGTH];
    struct stat info;
    if (of == NULL || path == NULL) {
        free(path);
        return;
    }
    snprintf(path, size, "%s/%s.safetensors", f->folder, e->id);
    of->beside = lstat(path, &info) == 0;
    of->altered = of->beside && (stat(path, &info) != 0 || !S_ISREG(info.st_mode) || /* a pipe would be waited for */
                                 SHA256File(path, hex) == NULL || strcmp(hex, e->sha256) != 0);
    free(path);
}

static int open_results(session *s, folder_check *f)
{
    const char **ids = calloc(f->list.count, sizeof *ids);
    bool ok = ids != NULL || refuse(s->message, sizeof s->message, "out of memory");
    for (size_t i = 0; ok && i < f->list.count; i++)
        ids[i] = f->list.entries[i].id;
    ok = ok && result_folder_open(&f->results, f->folder, ids, f->list.count, s->message, sizeof s->message);
    free(ids);
    if (!ok)
        return EXIT_KIT_FAILED;
    f->results.with_q0 = f->list.chosen.with_q0;
    for (size_t i = 0; i < f->list.count; i++)
        look_at_case(f, &f->list.entries[i]);
    if (f->results.file_count > 0 || s->report.way != WAY_FILES)
        return 0;
    refuse(
        s->message, sizeof s->message,
        "there are no results in %s%s%.80s%s: run the port on the cases first; it leaves ID.result.safetensors beside "
        "each ID.safetensors (conformance/FILES.md)",
        f->folder, f->results.stray_count > 0 ? " (but a file " : "",
        f->results.stray_count > 0 ? f->results.strays[0] : "",
        f->results.stray_count > 0 ? " of no case of this export)" : "");
    return EXIT_NOTHING_TESTED;
}

/* ---- the claims ---- */

/* The claims of cases that were not exported cannot be tested. */
static int bound_claims(session *s, folder_check *f)
{
    const options *chosen = &f->list.chosen;
    const uint64_t made = f->results.port_count > 0 ? f->results.ports[0].claims : 0;
    const uint64_t wanted = f->asked.claims_given ? f->asked.claims : made != 0 ? made : CLAIMS_UNSTATED;
    const uint64_t missing = chosen->claims_given ? wanted & ~chosen->claims : 0;
    char names[256];
    claims_print(missing, names, sizeof names);
    if (missing == 0)
        return 0;
    if (f->asked.claims_given || missing == wanted) {
        refuse(s->message, sizeof s->message,
               "claim %s: its cases were not exported (the export was for fewer claims); export again", names);
        return EXIT_USAGE;
    }
    if (!s->options->quiet)
        fprintf(stderr, "psgd-conform: notice: the cases of claim %s were not exported: not tested\n", names);
    f->asked.claims = wanted & ~missing;
    f->asked.claims_given = true;
    return 0;
}

static int prepare(session *s, folder_check *f)
{
    if (!export_list_read(&f->list, f->folder, s->message, sizeof s->message))
        return EXIT_USAGE;
    int code = make_plan(s, f);
    f->asked = *s->options;
    f->asked.implementation = s->report.implementation;
    f->asked.cases = f->planned.cases;
    f->asked.only = s->options->only.count > 0 ? s->options->only : f->planned.only;
    f->asked.seed = f->planned.seed;
    f->asked.fuzz = f->planned.fuzz;
    f->asked.quick = f->planned.quick;
    code = code == 0 ? open_results(s, f) : code;
    code = code == 0 ? bound_claims(s, f) : code;
    if (code != 0)
        return code;
    s->plan.only = &f->asked.only;
    s->options = &f->asked;
    s->results = &f->results;
    s->runner = runner_files(&f->results);
    if (s->runner == NULL) {
        refuse(s->message, sizeof s->message, "out of memory");
        return EXIT_KIT_FAILED;
    }
    return session_prepare(s);
}

int check_folder(session *s, const char *folder)
{
    folder_check f = {.folder = folder};
    int code = prepare(s, &f);
    if (code == 0)
        code = session_judge(s);
    else if (s->message[0] != '\0')
        session_complain(s, code);
    code = session_finish(s, code);
    result_folder_free(&f.results);
    export_list_free(&f.list);
    return code;
}
