/* text_details.c: every check with its numbers, and how near the limits they came. For --verbose. */
#include "report/printable.h"
#include "report/text_parts.h"

#include <string.h>

static void print_every_check(paper *p, const verdict *v)
{
    for (size_t i = 0; i < v->count; i++) {
        const check *c = &v->checks[i];
        char text[200];
        paper_line(p, TEXT_INDENT, "  %-10s %-14s row %-10s ratio %-9.3g limit %-9.3g n %-5zu %s%s%s",
                   check_state_name(c->state), c->requirement->id, c->row, c->ratio, c->limit, c->measured, c->case_id,
                   c->state == CHECK_PASS ? "" : " ",
                   c->state == CHECK_PASS ? "" : printable(text, sizeof text, c->message));
    }
}

static void print_rows(paper *p, const verdict *v)
{
    paper_line(p, TEXT_INDENT, "largest ratio per row of limits and type (row: ratio / limit, case)");
    for (size_t t = 0; t < REPORT_TYPES; t++) {
        row_maximum rows[ROW_MAXIMA];
        const size_t count = report_row_maxima(rows, v, report_types[t]);
        for (size_t i = 0; i < count; i++)
            paper_line(p, TEXT_INDENT, "  %-4s %-10s %9.3g / %-6.3g %5zu checks   %s", report_types[t], rows[i].row,
                       rows[i].ratio, rows[i].limit, rows[i].checks, rows[i].case_id);
    }
}

/* A type without a passed check of any requirement was not part of the run. */
static void print_trusted(paper *p, const verdict *v)
{
    size_t count;
    const requirement *all = requirements(&count);
    paper_line(p, TEXT_INDENT, "passed checks per requirement and type");
    for (size_t i = 0; i < count; i++) {
        size_t passed = 0;
        char text[64] = "";
        for (size_t t = 0; t < REPORT_TYPES; t++) {
            const size_t of_type = report_trusted(v, &all[i], report_types[t]), used = strlen(text);
            snprintf(text + used, sizeof text - used, "  %s %-4zu", report_types[t], of_type);
            passed += of_type;
        }
        if (passed > 0)
            paper_line(p, TEXT_INDENT, "  %s%s", all[i].id, text);
    }
}

void text_details(paper *p, const verdict *v)
{
    print_every_check(p, v);
    print_rows(p, v);
    print_trusted(p, v);
}
