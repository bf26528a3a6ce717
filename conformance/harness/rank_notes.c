/* rank_notes.c: see rank_notes.h. Layout: the head, int64_t wire[steps], then each log line with its final zero. */
#include "harness/rank_notes.h"

#include <stdlib.h>
#include <string.h>

typedef struct notes_head {
    int64_t steps;
    int32_t rank, outcome, status;
    uint8_t guard_bytes_intact, q_given, has_log, unused;
    int64_t steps_done;
    uint64_t claims;
    uint64_t log_count, log_bytes;
} notes_head;

bool rank_notes_serialize(void **bytes, size_t *count, const trace *t, int rank)
{
    const trace_rank *r = &t->ranks[rank];
    notes_head head = {.steps = t->steps,
                       .rank = rank,
                       .outcome = (int32_t)r->outcome,
                       .status = (int32_t)r->status,
                       .guard_bytes_intact = r->guard_bytes_intact,
                       .q_given = t->q_given,
                       .has_log = t->has_log,
                       .steps_done = r->steps_done,
                       .claims = t->claims,
                       .log_count = t->log_count};
    for (size_t i = 0; i < t->log_count; i++)
        head.log_bytes += strlen(t->log[i]) + 1;
    size_t wire_bytes = (size_t)t->steps * sizeof(int64_t);
    *count = sizeof head + wire_bytes + (size_t)head.log_bytes;
    unsigned char *to = malloc(*count);
    *bytes = to;
    if (to == NULL)
        return false;
    memcpy(to, &head, sizeof head);
    to += sizeof head;
    for (int64_t step = 0; step < t->steps; step++, to += sizeof(int64_t))
        memcpy(to, &t->wire[step * t->world + rank], sizeof(int64_t));
    for (size_t i = 0; i < t->log_count; i++) {
        size_t size = strlen(t->log[i]) + 1;
        memcpy(to, t->log[i], size);
        to += size;
    }
    return true;
}

static bool apply_log(trace *t, const char *text, size_t bytes, size_t lines)
{
    if (lines > bytes || t->log != NULL)
        return false;
    t->log = calloc(lines, sizeof *t->log);
    if (t->log == NULL)
        return lines == 0;
    while (t->log_count < lines) {
        const char *end = memchr(text, '\0', bytes);
        if (end == NULL)
            return false;
        t->log[t->log_count] = strdup(text);
        if (t->log[t->log_count] == NULL)
            return false;
        t->log_count++;
        bytes -= (size_t)(end - text) + 1;
        text = end + 1;
    }
    return true;
}

bool rank_notes_apply(trace *t, int rank, const void *bytes, size_t count)
{
    notes_head head;
    if (count < sizeof head)
        return false;
    memcpy(&head, bytes, sizeof head);
    size_t wire_bytes = (size_t)t->steps * sizeof(int64_t);
    size_t rest = count - sizeof head;
    if (head.steps != t->steps || head.rank != rank || head.steps_done < 0 || head.steps_done > t->steps ||
        rest < wire_bytes || rest - wire_bytes != head.log_bytes || head.outcome < RANK_OK ||
        head.outcome > RANK_ABSENT)
        return false;
    const unsigned char *from = (const unsigned char *)bytes + sizeof head;
    for (int64_t step = 0; step < t->steps; step++, from += sizeof(int64_t))
        memcpy(&t->wire[step * t->world + rank], from, sizeof(int64_t));
    trace_rank *r = &t->ranks[rank];
    r->outcome = (rank_outcome)head.outcome;
    r->status = (psgd_status)head.status;
    r->guard_bytes_intact = head.guard_bytes_intact != 0;
    r->reports_guard = true;
    r->steps_done = head.steps_done;
    t->q_given = head.q_given != 0;
    t->claims = head.claims;
    if (head.has_log == 0)
        return true;
    t->has_log = true;
    return apply_log(t, (const char *)from, (size_t)head.log_bytes, (size_t)head.log_count);
}
