/* waivers.h: the list of --waive: failures that somebody knows of and answers for, each with a reason and a last day.
 * A waiver excuses failures only: what was not run stays so, and a claim of which nothing passed still fails. A waiver
 * that is out of date is an error, so that a list cannot outlive what it was written for.
 *
 * {"format": "psgd-waivers/1",
 *  "waivers": [{"requirement": GLOB, "case": GLOB, "reason": "...", "expires": "YYYY-MM-DD"}]}
 * with requirement, case or both. A case is matched by its ID, or word for word by its problem string. */
#ifndef CONFORMANCE_CLI_WAIVERS_H
#define CONFORMANCE_CLI_WAIVERS_H

#include "report/report.h"

struct json_t;

typedef struct waivers {
    report_waiver *list; /* strings belong to document */
    size_t count;
    struct json_t *document;
} waivers;

typedef enum waivers_result { WAIVERS_OK, WAIVERS_BAD, WAIVERS_NO_MEMORY } waivers_result;

/* Reads and checks the whole file. Otherwise message names the file, the place in it and what is wrong there. */
waivers_result waivers_read(waivers *w, const char *path, char *message, size_t message_size);
void waivers_free(waivers *w);

/* Once all is judged: excuses the failures that it is for, and gives every waiver its state. tested: claims. whole:
 * this run tried all that the claims have, so that a waiver that is for nothing in it is stale. today: YYYY-MM-DD. */
void waivers_apply(waivers *w, verdict *v, uint64_t tested, bool whole, const char *today);

#define DATE_SIZE 11 /* "YYYY-MM-DD" and its zero */
/* Of today, UTC. False: the clock gives none. */
bool date_today(char date[DATE_SIZE]);

#endif
