/* file_checks.c: see file_checks.h. What is wrong with a result was found when it was read (result_folder_read.c); here
 * it becomes checks, for each case one of each requirement that can be told of it. */
#include "cli/file_checks.h"

#include "harness/message.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define IS_THERE   "PSGD-FIL-001"
#define IS_ITS_OWN "PSGD-FIL-002"
#define IS_OF_ONE  "PSGD-FIL-003"
#define IS_OF_IT   "PSGD-FIL-004"

#define THE_FOLDER "(folder)" /* in place of a case */

static void expect(session *s, const char *requirement_id, const char *id, const char *problem_text, bool holds,
                   const char *message)
{
    const check_place nowhere = CHECK_NOWHERE;
    const size_t index = verdict_open(&s->verdict, requirement_id, id, problem_text, "structure", 0);
    verdict_expect(&s->verdict, index, holds, &nowhere, "%s", message != NULL ? message : "");
}

/* One of a case's runs: its own, or the second one, whose file the message names. */
static void add_run(session *s, const plan_item *item, const char *problem_text, const char *id)
{
    const result_case *of = result_folder_case(s->results, id);
    if (of == NULL || of->state == RESULT_UNREAD) /* the first run is missing: there is nothing to hold it against */
        return;
    const bool whole = of->state == RESULT_WHOLE;
    if (whole || of->state == RESULT_MISSING || of->state == RESULT_DAMAGED)
        expect(s, IS_THERE, item->id, problem_text, whole, of->message);
    if (whole || of->state == RESULT_MISPLACED)
        expect(s, IS_ITS_OWN, item->id, problem_text, whole, of->message);
    if (of->beside)
        expect(s, IS_OF_IT, item->id, problem_text, !of->altered, of->message);
}

static bool add_item(session *s, const plan_item *item)
{
    char *text = problem_print(&item->problem), *second = suite_companion_id(item->id);
    const bool ok = text != NULL && second != NULL;
    if (ok) {
        add_run(s, item, text, item->id);
        add_run(s, item, text, second);
    }
    free(text);
    free(second);
    return ok;
}

static void add_strays(session *s)
{
    char message[400];
    for (size_t i = 0; i < s->results->stray_count; i++) {
        snprintf(message, sizeof message, "%.300s is neither a case of this export nor a result of one",
                 s->results->strays[i]);
        expect(s, IS_ITS_OWN, THE_FOLDER, NULL, false, message);
    }
}

static void add_ports(session *s)
{
    const result_folder *f = s->results;
    char message[1200] = "";
    size_t used = 0;
    for (size_t i = 0; f->port_count > 1 && i < f->port_count && used < sizeof message; i++) {
        const result_port *port = &f->ports[i];
        char claims[256];
        claims_print(port->claims, claims, sizeof claims);
        const int length = snprintf(message + used, sizeof message - used, "%s%zu of \"%.80s %.40s\", claims '%s' (%s)",
                                    i == 0 ? "results of several ports: " : "; ", port->files, port->producer,
                                    port->version, claims, port->example);
        used += length > 0 ? (size_t)length : 0;
    }
    if (f->port_count > 0)
        expect(s, IS_OF_ONE, THE_FOLDER, NULL, f->port_count == 1, message);
}

bool file_checks_add(session *s)
{
    bool ok = true;
    for (size_t i = 0; i < s->plan.count && ok; i++)
        if (s->plan.items[i].scenario == NULL)
            ok = add_item(s, &s->plan.items[i]);
    if (!ok)
        return refuse(s->message, sizeof s->message, "out of memory");
    add_strays(s);
    add_ports(s);
    return true;
}
