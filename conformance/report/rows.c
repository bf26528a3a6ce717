/* rows.c: how near the limits a run came, row by row of limits.h. */
#include "report/report.h"

#include <math.h>
#include <string.h>

size_t report_row_maxima(row_maximum rows[ROW_MAXIMA], const verdict *v)
{
    size_t count = 0;
    for (size_t i = 0; i < v->count; i++) {
        const check *c = &v->checks[i];
        const bool numeric = isfinite(c->limit) && c->limit > 0;
        if (!numeric || c->measured == 0 || (c->state != CHECK_PASS && c->state != CHECK_FAIL))
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
