/* text_areas.c: counts per area, several areas a line. */
#include "report/areas.h"
#include "report/text_parts.h"

#include <string.h>

#define CELL_TEXT    80
#define GAP          4 /* columns between two areas */
#define USUAL_IN_ROW 3 /* areas a line where there is no width */

/* "EF    2806 passed  2 FAILED  1 waived"; a star: all of its failures are of cases that were made for it. */
static void print_cell(char text[CELL_TEXT], const area_counts *a)
{
    const size_t failed = a->by_state[CHECK_FAIL], waived = a->by_state[CHECK_WAIVED];
    int used = snprintf(text, CELL_TEXT, "%-4s%5zu passed", a->name, a->by_state[CHECK_PASS]);
    if (failed > 0)
        used += snprintf(text + used, CELL_TEXT - (size_t)used, "%5zu FAILED%s", failed,
                         failed == a->consequences ? "*" : "");
    if (waived > 0)
        snprintf(text + used, CELL_TEXT - (size_t)used, "%5zu waived", waived);
}

static bool is_shown(const area_counts *a)
{
    return a->by_state[CHECK_PASS] + a->by_state[CHECK_FAIL] + a->by_state[CHECK_WAIVED] > 0;
}

void text_areas(paper *p, const verdict *v)
{
    area_counts areas[AREAS_MOST];
    char cells[AREAS_MOST][CELL_TEXT];
    const size_t all = areas_count(areas, v);
    size_t count = 0, widest = 0, star = 0;
    for (size_t i = 0; i < all; i++) {
        if (!is_shown(&areas[i]))
            continue;
        print_cell(cells[count], &areas[i]);
        widest = strlen(cells[count]) > widest ? strlen(cells[count]) : widest;
        star += areas[i].consequences > 0 && areas[i].consequences == areas[i].by_state[CHECK_FAIL];
        count++;
    }
    size_t in_row = USUAL_IN_ROW;
    if (p->width > 0)
        in_row = ((size_t)p->width + GAP - 2) / (widest + GAP); /* 2: the indent */
    if (in_row == 0)
        in_row = 1;
    for (size_t i = 0; i < count; i += in_row) {
        FILE *line = paper_begin(p);
        for (size_t k = i; k < count && k < i + in_row; k++) {
            const bool last = k + 1 == count || k + 1 == i + in_row;
            fprintf(line, "%*s%-*s", k == i ? 2 : GAP, "", last ? 0 : (int)widest, cells[k]);
        }
        paper_end(p, PAPER_TEXT, TEXT_INDENT);
    }
    if (star > 0)
        paper_line(p, TEXT_INDENT,
                   "  * in cases made for this area, by a failure that is listed under another requirement");
}
