/* runner_drive.c: see runner_drive.h. Top to bottom: what is said of a rank, what the port calls back, creating a
 * state, save and load, the loop over steps. Read next: drive_step.c.
 */
#include "harness/runner_drive.h"

#include "harness/drive_internal.h"
#include "harness/implementation.h"
#include "harness/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- what is said of this rank ---- */

void drive_at(drive *d, const char *what)
{
    d->at = what;
    if (d->options->progress != NULL)
        d->options->progress(d->options->context, d->step, d->bucket, what);
}

/* A call into the communicator, or (null) back in the port's own code. */
static void comm_doing(void *context, const char *what)
{
    drive *d = context;
    if (d->options->progress != NULL)
        d->options->progress(d->options->context, d->step, d->bucket, what != NULL ? what : d->at);
}

bool drive_all_well(drive *d, bool ok)
{
    return d->options->all_well != NULL ? d->options->all_well(d->options->context, ok) : ok;
}

bool drive_kit_failed(drive *d, const char *why)
{
    d->kit_failed = true;
    return refuse(d->message, d->message_size, "%s (step %lld, bucket %zu)", why, (long long)d->step, d->bucket);
}

/* Ends this rank's run. The first reason stands. */
bool drive_rank_fails(drive *d, psgd_status status, const char *format, ...)
{
    trace_rank *rank = &d->t->ranks[d->rank];
    if (rank->message != NULL)
        return false;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    rank->outcome = status == PSGD_ERR_UNSUPPORTED ? RANK_UNSUPPORTED : RANK_ERROR;
    rank->status = status;
    rank->message = strdup(text);
    if (rank->message == NULL)
        return drive_kit_failed(d, "no memory for a message");
    return false;
}

/* The same for a failed call: adds the port's own words, and what the port asked of the case in vain. */
bool drive_call_fails(drive *d, psgd_status status, const char *call)
{
    const char *words = d->port.last_error != NULL && d->state != NULL ? d->port.last_error(d->state) : NULL;
    return drive_rank_fails(d, status, "%s returned %s in step %lld, bucket %zu%s%s%s%s", call,
                            psgd_status_name(status), (long long)d->step, d->bucket,
                            words != NULL && words[0] != '\0' ? ": " : "", words != NULL ? words : "",
                            d->q.refusal[0] != '\0' ? "; " : "", d->q.refusal);
}

/* ---- what the port calls back ---- */

static void log_line(void *context, const char *line)
{
    drive *d = context;
    trace *t = d->t;
    char **more = realloc(t->log, (t->log_count + 1) * sizeof *more);
    if (more != NULL)
        t->log = more;
    size_t size = strlen(line) + 24;
    char *copy = more != NULL ? malloc(size) : NULL;
    if (copy == NULL) {
        d->log_lost = true; /* reported after the call: a port's callback is no place to give up */
        return;
    }
    (void)snprintf(copy, size, "%lld\t%s", (long long)d->step, line);
    t->log[t->log_count++] = copy;
}

/* ---- creating a state ---- */

/* Who claims async and lacks one half of it is wrong; who does not claim it may be asked all the same. */
static bool offers_what_is_asked(drive *d)
{
    if (!d->c->problem.async)
        return true;
    if (d->port.submit != NULL && d->port.wait != NULL)
        return drive_flights_make(d);
    const char *missing = d->port.submit == NULL ? "submit" : "wait";
    if ((d->port.claims & PSGD_CLAIM_ASYNC) == 0)
        return drive_rank_fails(d, PSGD_ERR_UNSUPPORTED, "the port offers no %s", missing);
    return drive_rank_fails(d, PSGD_ERR_ARGUMENT, "the port claims async, and offers no %s", missing);
}

/* One call of create, with the case's Q or the port's own. text[size]: what the port says. */
static psgd_status call_create(drive *d, char *text, size_t size)
{
    d->config = d->c->config;
    d->config.struct_size = (uint32_t)sizeof d->config;
    d->config.q_source = d->t->q_given ? drive_q_source(&d->q) : NULL;
    d->config.log = d->rank == 0 ? log_line : NULL;
    d->config.log_context = d;
    d->given = d->outer;
    text[0] = '\0';
    d->state = NULL;
    psgd_status status = d->port.create(&d->config, &d->given, &d->state, text, size);
    memset(&d->config, 0xa5, sizeof d->config);
    memset(&d->given, 0xa5, sizeof d->given);
    text[size - 1] = '\0';
    return status;
}

static bool create(drive *d)
{
    char text[512];
    drive_at(d, "create");
    psgd_status status = call_create(d, text, sizeof text);
    if (status == PSGD_ERR_UNSUPPORTED && d->t->q_given) { /* a port that cannot take a Q is judged by its own */
        d->t->q_given = false;
        status = call_create(d, text, sizeof text);
    }
    if (status == PSGD_OK && d->state == NULL)
        return drive_rank_fails(d, PSGD_ERR_ARGUMENT, "create returned PSGD_OK and a null state");
    if (status != PSGD_OK) {
        d->state = NULL;
        return drive_rank_fails(d, status, "create returned %s%s%s", psgd_status_name(status),
                                text[0] != '\0' ? ": " : "", text);
    }
    return true;
}

/* ---- save and load ---- */

static bool checkpoint_to(drive *d, const char *path)
{
    drive_at(d, "save");
    psgd_status status = d->port.save(d->state, path);
    if (status != PSGD_OK)
        return drive_call_fails(d, status, "save");
    d->port.destroy(d->state);
    d->state = NULL;
    if (!create(d))
        return false;
    drive_at(d, "load");
    status = d->port.load(d->state, path);
    return status == PSGD_OK || drive_call_fails(d, status, "load");
}

static bool checkpoint(drive *d)
{
    if (d->port.save == NULL || d->port.load == NULL)
        return drive_rank_fails(d, PSGD_ERR_UNSUPPORTED, "the port offers no %s",
                                d->port.save == NULL ? "save" : "load");
    size_t size = strlen(d->options->folder) + 48;
    char *path = malloc(size);
    if (path == NULL)
        return drive_kit_failed(d, "no memory for a path");
    (void)snprintf(path, size, "%s/checkpoint.k%d", d->options->folder, d->rank);
    bool ok = checkpoint_to(d, path);
    (void)remove(path);
    free(path);
    return ok;
}

/* ---- the loop ---- */

static bool do_step(drive *d)
{
    if (!drive_step(d))
        return false;
    if (d->c->problem.checkpoint == d->step && !drive_all_well(d, checkpoint(d)))
        return false;
    d->t->ranks[d->rank].steps_done = d->step + 1;
    return true;
}

static void drive_all(drive *d)
{
    bool well = drive_all_well(d, offers_what_is_asked(d) && create(d));
    while (well && d->step < d->c->steps) {
        well = do_step(d);
        if (well)
            d->step++;
    }
    if (!well && !d->kit_failed)
        (void)drive_rank_fails(d, PSGD_ERR_COMM, "stopped in step %lld because another rank failed",
                               (long long)d->step);
    drive_at(d, "destroy");
    if (d->state != NULL)
        d->port.destroy(d->state);
    drive_flights_free(d); /* after destroy: it completes what is pending */
}

bool drive_case(trace *t, const test_case *c, const psgd_implementation *table, const psgd_comm *comm,
                const drive_options *options, char *message, size_t message_size)
{
    drive d = {.t = t, .c = c, .options = options, .rank = comm->rank, .at = ""};
    d.message = message;
    d.message_size = message_size;
    implementation_table_copy(&d.port, table);
    watched_comm_init(&d.comm, comm);
    d.comm.doing = comm_doing;
    d.comm.doing_context = &d;
    d.outer = watched_comm_outer(&d.comm);
    drive_q_init(&d.q, c);
    if (comm->size != c->world)
        return refuse(message, message_size, "the case has %d ranks, the group %d", c->world, comm->size);

    free(t->producer);
    free(t->version);
    t->producer = strdup(d.port.name);
    t->version = strdup(d.port.version);
    if (t->producer == NULL || t->version == NULL)
        return refuse(message, message_size, "no memory for the port's name");
    t->claims = d.port.claims;
    t->q_given = !options->seeded;
    t->has_log = d.rank == 0;
    t->ranks[d.rank] = (trace_rank){
        .outcome = RANK_OK, .status = PSGD_OK, .message = NULL, .guard_bytes_intact = true, .reports_guard = true};
    drive_all(&d);
    return !d.kit_failed;
}
