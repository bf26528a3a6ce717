/* text_case.c: one case in which a requirement failed: where it went wrong first, by how much, and how to see it again.
 */
#include "report/command_line.h"
#include "report/place.h"
#include "report/printable.h"
#include "report/text_parts.h"

#define VALUE_INDENT 13 /* where the values of a case begin */

static void print_ratios(paper *p, const failed_case *of)
{
    FILE *line = NULL;
    for (size_t i = 0; i < of->count; i++) {
        const check *c = of->checks[i];
        if (!(c->limit > 0))
            continue;
        const bool is_first = line == NULL;
        if (is_first)
            line = paper_begin(p);
        fprintf(line, "%s%.3g (limit %.3g, row %s)", is_first ? "  ratio      " : "; ", c->ratio, c->limit, c->row);
    }
    if (line != NULL)
        paper_end(p, PAPER_TEXT, VALUE_INDENT);
}

void text_case(paper *p, const run_report *r, const failed_case *of)
{
    const check *c = of->first;
    char text[600];
    paper_line(p, VALUE_INDENT, "  case       %s%s%s", c->case_id, c->problem != NULL ? "  " : "",
               c->problem != NULL ? c->problem : "");
    if (place_is_known(&c->place)) {
        FILE *line = paper_begin(p);
        fprintf(line, "  first bad  ");
        place_print(line, &c->place);
        paper_end(p, PAPER_TEXT, VALUE_INDENT);
    }
    print_ratios(p, of);
    if (c->message != NULL && c->message[0] != '\0')
        paper_line(p, VALUE_INDENT, "  because    %s", printable(text, sizeof text, c->message));
    FILE *line = paper_begin(p);
    fprintf(line, "  again      ");
    command_line_again(line, r, c);
    paper_end(p, PAPER_COMMAND, VALUE_INDENT);
}
