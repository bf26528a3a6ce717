/* formats.c: the kinds of reports for programs, and where they go. Next: json.c. */
#include "harness/message.h"
#include "report/file.h"
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

static const report_format formats[] = {
    {"json", report_json},
    {"junit", report_junit},
    {"text", report_text_file},
    {"statement", report_statement},
    {"statement-json", report_statement_json},
};

const report_format *report_format_at(size_t i)
{
    return i < sizeof formats / sizeof formats[0] ? &formats[i] : NULL;
}

const report_format *report_format_find(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (strlen(formats[i].name) == length && strncmp(formats[i].name, name, length) == 0)
            return &formats[i];
    return NULL;
}

bool report_write(const run_report *r, const report_format *format, const char *path, char *message,
                  size_t message_size)
{
    char *text = format->render(r);
    if (text == NULL)
        return refuse(message, message_size, "report %s=%s: out of memory", format->name, path);
    const bool ok = report_file_write(path, text, message, message_size);
    free(text);
    return ok;
}
