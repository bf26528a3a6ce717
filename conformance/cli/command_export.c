/* command_export.c: writes the cases as files, inputs without results, for ports that read files (`check` judges what
 * they leave) and for golden/generate.py. Read next: export_folder.c. */
#include "cli/command.h"
#include "cli/export_folder.h"
#include "cli/export_list.h"

#include <stdio.h>

static int export_plan(const options *o, const plan *p, const char *folder)
{
    char message[1200];
    size_t written;
    const export_place place = export_folder_prepare(folder, message, sizeof message);
    if (place != EXPORT_PLACE_READY || !export_folder_write(o, p, folder, &written, message, sizeof message)) {
        fprintf(stderr, "psgd-conform export: %s\n", message);
        return place == EXPORT_PLACE_TAKEN ? EXIT_USAGE : EXIT_KIT_FAILED;
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
    plan p;
    int code;
    switch (plan_make(&p, o, export_plan_claims(o))) {
    case PLAN_OK: code = export_plan(o, &p, o->positional.words[0]); break;
    case PLAN_USAGE: code = EXIT_USAGE; break;
    default:
        fprintf(stderr, "psgd-conform: out of memory\n");
        code = EXIT_KIT_FAILED;
        break;
    }
    plan_free(&p);
    return code;
}
