/* driver.c: runs a fuzz target without libFuzzer, for compilers that have none and for every test run.
 *
 * usage: TARGET [--every N] FOLDER|FILE ...
 *
 * Each file goes to the target as it is, cut after each of its bytes, and with each of its bits flipped, in the same
 * order every time; --every N, for targets that take long: of what is cut or flipped, only every N-th. It finds little
 * that is new; it keeps what was found from coming back. No input at all is an error.
 */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

enum { largest = 1 << 16 }; /* bytes: seeds are small */

typedef struct counts {
    size_t files, inputs;
    size_t every;
} counts;

/* Each input lies in memory of just its size, so that a sanitizer sees a read beyond its end. */
static bool run(const unsigned char *data, size_t size, counts *c)
{
    unsigned char *exact = malloc(size > 0 ? size : 1);
    if (!exact) {
        return false;
    }
    if (size > 0) {
        memcpy(exact, data, size);
    }
    (void)LLVMFuzzerTestOneInput(exact, size);
    free(exact);
    c->inputs++;
    return true;
}

static bool run_variants(unsigned char *data, size_t size, counts *c)
{
    bool good = run(data, size, c);
    for (size_t cut = 0; good && cut < size; cut += c->every) {
        good = run(data, cut, c);
    }
    for (size_t bit = 0; good && bit < 8 * size; bit += c->every) {
        const unsigned char mask = (unsigned char)(1u << bit % 8);
        data[bit / 8] ^= mask;
        good = run(data, size, c);
        data[bit / 8] ^= mask;
    }
    return good;
}

static bool run_file(const char *path, counts *c)
{
    static unsigned char data[largest + 1]; /* the program is single-threaded, and this too large for a stack */
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    const size_t size = fread(data, 1, sizeof data, file);
    const bool read = !ferror(file) && size <= largest;
    (void)fclose(file);
    if (!read) {
        fprintf(stderr, "%s: not readable, or above %d bytes\n", path, (int)largest);
        return false;
    }
    c->files++;
    printf("%s, %zu bytes\n", path, size);
    (void)fflush(stdout); /* so that the last line names the culprit of a crash */
    return run_variants(data, size, c);
}

static bool run_folder(const char *path, counts *c)
{
    DIR *folder = opendir(path);
    if (!folder) {
        fprintf(stderr, "%s: %s\n", path, strerror(errno));
        return false;
    }
    bool good = true;
    for (const struct dirent *entry; good && (entry = readdir(folder)) != NULL;) {
        char name[4096];
        struct stat info;
        const int length = snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
        good = length > 0 && (size_t)length < sizeof name && stat(name, &info) == 0;
        if (good && S_ISREG(info.st_mode)) {
            good = run_file(name, c);
        }
    }
    (void)closedir(folder);
    return good;
}

int main(int argc, char **argv)
{
    counts c = {.every = 1};
    bool good = true;
    int first = 1;
    if (argc > 2 && strcmp(argv[1], "--every") == 0) {
        char *end;
        c.every = strtoul(argv[2], &end, 10);
        good = c.every > 0 && *end == '\0';
        first = 3;
    }
    for (int i = first; good && i < argc; i++) {
        struct stat info;
        good = stat(argv[i], &info) == 0;
        if (!good) {
            fprintf(stderr, "%s: %s\n", argv[i], strerror(errno));
        } else {
            good = S_ISDIR(info.st_mode) ? run_folder(argv[i], &c) : run_file(argv[i], &c);
        }
    }
    printf("%zu files, %zu inputs\n", c.files, c.inputs);
    return good && c.files > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
