/* command_export.c: writes the cases as files, inputs without results, for ports that read files and for
 * golden/generate.py. */
#include "cli/command.h"
#include "cli/plan.h"
#include "cli/vectors.h"
#include "harness/casefile.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Where the seeding is tested, a Q in the file would prove nothing. */
static bool shows_q0(const options *o, const test_case *c)
{
    return o->with_q0 || !case_is_seeded(c);
}

static bool export_item(const options *o, const plan_item *item, const char *folder, char *message, size_t message_size)
{
    test_case c;
    char *golden = vectors_folder(o->golden);
    const bool built =
        case_build(&c, &item->problem, item->id, item->requirements, item->claims, golden, message, message_size);
    free(golden);
    if (!built)
        return false;
    const bool ok = casefile_write(&c, folder, shows_q0(o, &c), message, message_size);
    case_free(&c);
    return ok;
}

static int export_plan(const options *o, const plan *p, uint64_t claims, const char *folder)
{
    char message[1024];
    size_t written = 0;
    for (size_t i = 0; i < p->count; i++) {
        const plan_item *item = &p->items[i];
        if (item->scenario != NULL || (item->claims & ~claims) != 0)
            continue;
        if (!export_item(o, item, folder, message, sizeof message)) {
            fprintf(stderr, "psgd-conform export: %s: %s\n", item->id, message);
            return EXIT_KIT_FAILED;
        }
        written++;
    }
    if (!o->quiet)
        printf("%zu cases written to %s\n", written, folder);
    if (written > 0)
        return EXIT_CONFORMING;
    fprintf(stderr, "psgd-conform export: no case was chosen\n");
    return EXIT_NOTHING_TESTED;
}

int command_export(const options *o)
{
    const char *folder = o->positional.words[0];
    const uint64_t claims = o->claims_given ? o->claims : UINT64_MAX;
    plan p;
    int code;
    switch (plan_make(&p, o, claims)) {
    case PLAN_OK:
        if (mkdir(folder, 0777) == 0 || errno == EEXIST) {
            code = export_plan(o, &p, claims, folder);
        } else {
            fprintf(stderr, "psgd-conform export: cannot make folder %s: %s\n", folder, strerror(errno));
            code = EXIT_KIT_FAILED;
        }
        break;
    case PLAN_USAGE: code = EXIT_USAGE; break;
    default:
        fprintf(stderr, "psgd-conform: out of memory\n");
        code = EXIT_KIT_FAILED;
        break;
    }
    plan_free(&p);
    return code;
}
