/* areas.c: see areas.h. */
#include "report/areas.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static bool is_by_case(const check *c)
{
    return strcmp(c->row, "case") == 0;
}

bool report_is_consequence(const verdict *v, const check *c)
{
    bool found = false;
    for (size_t i = 0; i < v->count && c->state == CHECK_FAIL && is_by_case(c) && !found; i++) {
        const check *other = &v->checks[i];
        found = other->state == CHECK_FAIL && !is_by_case(other) && strcmp(other->case_id, c->case_id) == 0;
    }
    return found;
}

void area_name(char name[8], const requirement *of)
{
    const char *start = of->id + strlen("PSGD-");
    snprintf(name, 8, "%.*s", (int)strcspn(start, "-"), start);
}

static area_counts *area_find(area_counts *areas, size_t *count, const requirement *of)
{
    char name[8];
    area_name(name, of);
    for (size_t i = 0; i < *count; i++)
        if (strcmp(areas[i].name, name) == 0)
            return &areas[i];
    assert(*count < AREAS_MOST);
    areas[*count] = (area_counts){0};
    memcpy(areas[*count].name, name, sizeof name);
    return &areas[(*count)++];
}

size_t areas_count(area_counts areas[AREAS_MOST], const verdict *v)
{
    size_t requirement_count, count = 0;
    const requirement *all = requirements(&requirement_count);
    for (size_t i = 0; i < requirement_count; i++)
        (void)area_find(areas, &count, &all[i]);
    for (size_t i = 0; i < v->count; i++) {
        const check *c = &v->checks[i];
        area_counts *a = area_find(areas, &count, c->requirement);
        a->by_state[c->state]++;
        a->consequences += report_is_consequence(v, c);
        a->checks++;
    }
    return count;
}
