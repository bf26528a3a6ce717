/* place.c: see place.h. */
#include "report/place.h"

#include <inttypes.h>
#include <math.h>

bool place_is_known(const check_place *at)
{
    return at->step >= 0 || at->stage != STAGE_NONE;
}

static void print_count(FILE *file, const char *name, int64_t value)
{
    if (value >= 0)
        fprintf(file, "%s %" PRId64 ", ", name, value);
}

void place_print(FILE *file, const check_place *at)
{
    print_count(file, "step", at->step);
    print_count(file, "rank", at->rank);
    print_count(file, "bucket", at->bucket);
    print_count(file, "tensor", at->tensor);
    fprintf(file, "stage %s", check_stage_name(at->stage));
    if (at->row >= 0 && at->column >= 0)
        fprintf(file, ", element [%" PRId64 ",%" PRId64 "]", at->row, at->column);
    else if (at->row >= 0)
        fprintf(file, ", element [%" PRId64 "]", at->row);
    if (!isnan(at->expected))
        fprintf(file, ": got %.9g, expected %.9g", at->got, at->expected);
    else if (at->row >= 0)
        fprintf(file, ": got %.9g", at->got);
}
