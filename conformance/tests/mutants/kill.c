/* kill.c: `kill KIT FAULT REPORT` runs psgd-conform on one faulty implementation and holds the verdict against the
 * table of faults: it must not conform, and one of the requirements that the fault breaks must be among the failed
 * ones. "none", and variants that break no requirement, must conform. */
#include "mutants/faults.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int run_kit(char *kit, const char *fault_name, bool honest, const char *report)
{
    char implementation[128], report_option[4096];
    snprintf(implementation, sizeof implementation, "%s:%s", honest ? "honest" : "faulty", fault_name);
    snprintf(report_option, sizeof report_option, "--report=json=%s", report);
    char *const arguments[] = {kit,      "run", "--impl",  implementation, "--quick",
                               "--fuzz", "0",   "--quiet", report_option,  NULL};
    const pid_t child = fork();
    if (child == 0) {
        execv(kit, arguments);
        _exit(127);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status)) {
        return -1;
    }
    return WEXITSTATUS(status);
}

/* Is one of the space-separated requirements failed in the report? Prints what failed. */
static bool killed_by(const char *report, const char *requirements)
{
    json_error_t error;
    json_t *root = json_load_file(report, 0, &error);
    if (root == NULL) {
        fprintf(stderr, "%s: %s\n", report, error.text);
        return false;
    }
    bool found = false;
    size_t index;
    json_t *check;
    json_array_foreach(json_object_get(root, "checks"), index, check)
    {
        const char *id = json_string_value(json_object_get(check, "requirement"));
        const char *state = json_string_value(json_object_get(check, "state"));
        if (id == NULL || state == NULL || strcmp(state, "fail") != 0) {
            continue;
        }
        const char *row = json_string_value(json_object_get(check, "row"));
        printf("failed: %s (row %s) in %s\n", id, row, json_string_value(json_object_get(check, "case")));
        found = found || strstr(requirements, id) != NULL;
    }
    json_decref(root);
    return found;
}

int main(int argc, char **argv)
{
    fault f;
    if (argc != 4 || !fault_find(&f, argv[2])) {
        fprintf(stderr, "usage: kill KIT FAULT REPORT\n");
        return 2;
    }
    const fault_entry *entry = fault_entry_of(f);
    const int code = run_kit(argv[1], entry->name, fault_is_honest(f), argv[3]);
    const bool killed = killed_by(argv[3], entry->requirements);
    const bool ok = fault_is_honest(f) ? code == 0 : code == 1 && killed;
    printf("%s: exit code %d, %s by %s: %s\n", entry->name, code, killed ? "killed" : "not killed", entry->requirements,
           ok ? "as it should be" : "WRONG");
    return ok ? 0 : 1;
}
