/* rows.c: how near the limits a run came, row by row of limits.h, and what passed, by type. */
#include "report/report.h"

#include <math.h>
#include <string.h>

const char *const report_types[REPORT_TYPES] = {"f32", "f64", "f16", "bf16"};

static bool is_of_type(const check *c, const char *type)
{
    return type == NULL || (c->type != NULL && strcmp(c->type, type) == 0);
}

size_t report_trusted(const verdict *v, const requirement *of, const char *type)
{
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++)
        count += v->checks[i].requirement == of && v->checks[i].state == CHECK_PASS && is_of_type(&v->checks[i], type);
    return count;
}

size_t report_row_maxima(row_maximum rows[ROW_MAXIMA], const verdict *v, const char *type)
{
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++) {
        const check *c = &v->checks[i];
        const bool numeric = isfinite(c->limit) && c->limit > 0;
        if (!numeric || !is_of_type(c, type) || c->measured == 0 || (c->state != CHECK_PASS && c->state != CHECK_FAIL))
            continue;
        size_t at = 0;
        while (at < count && strcmp(rows[at].row, c->row) != 0)
            at++;
        if (at == count) {
            if (count == ROW_MAXIMA)
                continue;
            rows[count++] = (row_maximum){.row = c->row, .ratio = -1};
        }
        rows[at].checks++;
        /* The fraction of the limit decides: limits of one row may differ from case to case. NaN is the largest of all.
         */
        const double mine = c->ratio / c->limit, largest = rows[at].ratio / rows[at].limit;
        if (rows[at].ratio < 0 || (!(mine <= largest) && !isnan(largest))) {
            rows[at].ratio = c->ratio;
            rows[at].limit = c->limit;
            rows[at].case_id = c->case_id;
        }
    }
    return count;
}
