/* leave_results.c: a port that reads and writes files, for the tests of `check`:
 * `leave_results KIT IMPLEMENTATION FOLDER whole|ranks [GLOB]` runs an implementation on every case file of the folder
 * (whose id matches) and leaves a result of all ranks, or one of each, beside it. */
#include "harness/casefile.h"
#include "harness/runner.h"
#include "harness/temp_folder.h"

#include <dirent.h>
#include <fnmatch.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char message[600];

static bool write_result(const test_case *c, const trace *t, int rank, const char *folder)
{
    void *bytes;
    size_t count;
    char path[4096], part[32] = "";
    if (rank >= 0)
        snprintf(part, sizeof part, ".k%d", rank);
    snprintf(path, sizeof path, "%s/%s.result%s.safetensors", folder, c->id, part);
    if (!resultfile_serialize(c, t, rank, &bytes, &count, message, sizeof message))
        return false;
    const bool ok = file_write(path, bytes, count);
    free(bytes);
    return ok;
}

/* A case's own Q is handed in where the file has it. */
static bool has_q0(const test_case *c)
{
    size_t tensors = 0;
    for (size_t b = 0; b < c->bucket_count; b++)
        tensors += c->tensor_counts[b];
    for (size_t i = 0; i < tensors * (size_t)c->steps; i++)
        if (c->q0[i].data != NULL)
            return true;
    return false;
}

static bool run_one(runner *r, const port_description *port, const char *path, const char *folder, bool ranks)
{
    test_case c;
    trace *t = NULL;
    if (!casefile_read(&c, path, message, sizeof message))
        return false;
    bool ok = r->run_case(r, &c, !has_q0(&c), &t, message, sizeof message) == RUN_DONE;
    if (ok) {
        free(t->producer);
        free(t->version);
        t->producer = strdup(port->name);
        t->version = strdup(port->version);
        t->claims = port->claims;
    }
    for (int k = ranks ? 0 : -1; ok && k < (ranks ? c.world : 0); k++)
        ok = write_result(&c, t, k, folder);
    trace_free(t);
    case_free(&c);
    return ok;
}

static bool is_case(const char *name, const char *glob)
{
    static const char ending[] = ".safetensors";
    char id[256];
    const size_t length = strlen(name), end = strlen(ending);
    if (length <= end || length - end >= sizeof id || strcmp(name + length - end, ending) != 0 ||
        strstr(name, ".result.") != NULL)
        return false;
    snprintf(id, sizeof id, "%.*s", (int)(length - end), name);
    return fnmatch(glob, id, 0) == 0;
}

int main(int argc, char **argv)
{
    if (argc < 5 || argc > 6) {
        fprintf(stderr, "usage: leave_results KIT IMPLEMENTATION FOLDER whole|ranks [GLOB]\n");
        return 2;
    }
    const char *folder = argv[3], *glob = argc > 5 ? argv[5] : "*";
    runner *r = runner_threads(argv[1], argv[2], 60);
    port_description port;
    DIR *entries = opendir(folder);
    bool ok = r != NULL && entries != NULL && r->describe(r, &port, message, sizeof message) == RUN_DONE;
    const struct dirent *entry;
    size_t done = 0;
    while (ok && (entry = readdir(entries)) != NULL) {
        char path[4096];
        if (!is_case(entry->d_name, glob))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        ok = run_one(r, &port, path, folder, strcmp(argv[4], "ranks") == 0);
        done++;
    }
    if (entries != NULL)
        closedir(entries);
    if (r != NULL)
        r->free(r);
    if (!ok)
        fprintf(stderr, "leave_results: %s\n", message);
    return ok && done > 0 ? 0 : 1;
}
