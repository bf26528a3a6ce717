/* runner_mpi.c: ranks as the processes of an mpirun. Built as the module psgd-conform-mpi, the only thing of the kit
 * that is linked to MPI; runner_mpi_load.c loads it. Read next: mpi_ranks.c.
 *
 * Every process calls the same functions in the same order. A case of W ranks runs on ranks 0 to W-1 of the world, a
 * case of a subgroup (W3of5) on its members while the others run a case of their own. Results go to rank 0 as the bytes
 * of result files. There is no isolation here: a port that crashes or hangs takes the whole mpirun down, after a line
 * on standard error that says in which case and step it was.
 */
#include "harness/casefile.h"
#include "harness/implementation.h"
#include "harness/message.h"
#include "harness/mpi_module.h"
#include "harness/mpi_ranks.h"
#include "harness/mpi_watch.h"
#include "harness/others.h"
#include "harness/rank_answer.h"
#include "harness/rank_notes.h"
#include "harness/runner_drive.h"
#include "harness/temp_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct mpi_runner {
    runner base;
    int rank, size; /* in the world */
    char *implementation;
    double timeout;
    bool tried;      /* loading was tried */
    bool everywhere; /* and went well on every rank */
    implementation impl;
    char reason[1024]; /* of rank 0, or the first rank that has one */
    char *folder;      /* private, of this rank */
} mpi_runner;

/* ---- agreement ---- */

/* True if ok on all ranks of the world. */
static bool all_ok(bool ok)
{
    int mine = ok ? 1 : 0, least = 0;
    return MPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD) == MPI_SUCCESS && ok && least == 1;
}

/* The text of the lowest rank that is not ok, on every rank. Called by all, and only if some rank is not ok. */
static void share_reason(const mpi_runner *r, bool ok, char *text, size_t size)
{
    int mine = ok ? r->size : r->rank, first = 0;
    char reason[1024];
    (void)snprintf(reason, sizeof reason, "%s", text);
    (void)MPI_Allreduce(&mine, &first, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (first >= r->size)
        return;
    (void)MPI_Bcast(reason, (int)sizeof reason, MPI_CHAR, first, MPI_COMM_WORLD);
    reason[sizeof reason - 1] = '\0';
    (void)snprintf(text, size, "rank %d: %.960s", first, reason);
}

/* ---- describe ---- */

/* Loads the port once; later calls give the same answer. */
static run_result load(mpi_runner *r, char *message, size_t message_size)
{
    if (!r->tried) {
        r->tried = true;
        (void)setenv("OPENBLAS_NUM_THREADS", "1", 1);
        mpi_watch_start(r->timeout, "loading the port");
        bool ok = implementation_load(&r->impl, r->implementation, r->reason, sizeof r->reason);
        mpi_watch_stop();
        r->everywhere = all_ok(ok);
        if (!r->everywhere)
            share_reason(r, ok, r->reason, sizeof r->reason);
    }
    if (r->everywhere)
        return RUN_DONE;
    (void)refuse(message, message_size, "%s", r->reason);
    return RUN_NOT_LOADED;
}

/* Of the library's words those before the first comma or line end: name and version. */
static void describe_mpi(port_description *port)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length = 0;
    if (MPI_Get_library_version(text, &length) == MPI_SUCCESS)
        (void)snprintf(port->mpi, sizeof port->mpi, "%.*s", (int)strcspn(text, ",\n"), text);
}

static run_result describe(runner *base, port_description *port, char *message, size_t message_size)
{
    mpi_runner *r = (mpi_runner *)base;
    run_result result = load(r, message, message_size);
    if (result == RUN_DONE) {
        rank_answer_describe(port, r->impl.table);
        describe_mpi(port);
    }
    return result;
}

/* ---- the kit's own exchanges ---- */

#define EXCHANGE_SECONDS 10 /* beyond the time limit, which ranks outside of a case have to wait as well */

/* A port that has broken MPI for its process (closed its descriptors, say) hangs the kit, not itself. Until
 * mpi_watch_stop. */
static void watch_exchange(const mpi_runner *r, const char *after)
{
    char what[1024];
    (void)snprintf(what, sizeof what, "what comes after it, the kit's exchange of results over MPI: %.900s", after);
    mpi_watch_start(r->timeout + EXCHANGE_SECONDS, what);
}

/* ---- scenarios ---- */

static bool make_folder(mpi_runner *r, char *message, size_t message_size)
{
    r->folder = temp_folder_make(message, message_size);
    return r->folder != NULL;
}

static void remove_folder(mpi_runner *r)
{
    if (r->folder != NULL)
        temp_folder_remove(r->folder);
    free(r->folder);
    r->folder = NULL;
}

static run_result enough_ranks(const mpi_runner *r, int world, char *message, size_t message_size)
{
    if (world <= r->size)
        return RUN_DONE;
    (void)refuse(message, message_size, "needs %d ranks, mpirun gave %d", world, r->size);
    return RUN_NOT_ENOUGH_RANKS;
}

static bool perform(mpi_runner *r, mpi_ranks *ranks, const scenario *s, scenario_outcome *outcome, char *message,
                    size_t message_size)
{
    if (!make_folder(r, message, message_size))
        return false;
    psgd_implementation port;
    implementation_table_copy(&port, r->impl.table);
    mpi_watch_start(r->timeout, s->id);
    scenario_perform(s, &port, &ranks->comm, r->folder, outcome);
    (void)mpi_ranks_all_well(ranks, outcome->state == SCENARIO_PASS);
    mpi_watch_stop();
    remove_folder(r);
    return true;
}

static run_result run_scenario(runner *base, const scenario *s, scenario_outcome *outcome, char *message,
                               size_t message_size)
{
    mpi_runner *r = (mpi_runner *)base;
    *outcome = (scenario_outcome){.state = SCENARIO_PASS};
    run_result result = load(r, message, message_size);
    if (result == RUN_DONE)
        result = enough_ranks(r, s->world, message, message_size);
    if (result != RUN_DONE)
        return result;
    struct {
        scenario_outcome outcome;
        int lost;
    } mine = {.outcome = {.state = SCENARIO_PASS}}, *every = calloc((size_t)r->size, sizeof *every);
    mpi_ranks ranks;
    bool ok = mpi_ranks_make(&ranks, r->rank < s->world ? 0 : 1, r->rank, message, message_size) && every != NULL;
    ok = all_ok(ok);
    if (ok && r->rank < s->world)
        ok = perform(r, &ranks, s, &mine.outcome, message, message_size);
    watch_exchange(r, s->id);
    mine.lost = ranks.lost ? 1 : 0;
    mpi_ranks_free(&ranks);
    ok = all_ok(ok);
    if (ok)
        ok = MPI_Gather(&mine, (int)sizeof mine, MPI_BYTE, every, (int)sizeof mine, MPI_BYTE, 0, MPI_COMM_WORLD) ==
             MPI_SUCCESS;
    mpi_watch_stop();
    scenario_outcome outcomes[MPI_MOST_RANKS];
    bool lost[MPI_MOST_RANKS];
    for (int k = 0; ok && k < s->world; k++) {
        outcomes[k] = every[k].outcome;
        lost[k] = every[k].lost != 0;
    }
    if (ok && r->rank == 0)
        rank_answers_merge(outcome, outcomes, lost, s->world);
    free(every);
    return ok ? RUN_DONE : RUN_KIT_FAILED;
}

/* ---- cases ---- */

/* Runs the case as one of its ranks. t: empty trace of this case. */
static bool drive(mpi_runner *r, mpi_ranks *ranks, trace *t, const test_case *c, bool seeded, char *message,
                  size_t message_size)
{
    /* Only where it is needed: a crash leaves it behind. */
    if (c->problem.checkpoint >= 0 && !make_folder(r, message, message_size))
        return false;
    drive_options options = {.seeded = seeded,
                             .folder = r->folder,
                             .progress = mpi_watch_progress,
                             .all_well = mpi_ranks_all_well,
                             .context = ranks};
    mpi_watch_start(r->timeout, c->problem_text != NULL ? c->problem_text : c->id);
    bool ok = drive_case(t, c, r->impl.table, &ranks->comm, &options, message, message_size);
    mpi_watch_stop();
    remove_folder(r);
    return ok;
}

/* This rank's results as bytes: result file, then notes. */
static bool pack(void **bytes, size_t sizes[2], const test_case *c, const trace *t, int rank, char *message,
                 size_t message_size)
{
    void *result = NULL, *notes = NULL;
    bool ok = resultfile_serialize(c, t, rank, &result, &sizes[0], message, message_size);
    if (ok && !rank_notes_serialize(&notes, &sizes[1], t, rank))
        ok = refuse(message, message_size, "no memory for the results");
    *bytes = ok ? malloc(sizes[0] + sizes[1]) : NULL;
    if (ok && *bytes == NULL)
        ok = refuse(message, message_size, "no memory for the results");
    if (ok) {
        memcpy(*bytes, result, sizes[0]);
        memcpy((unsigned char *)*bytes + sizes[0], notes, sizes[1]);
    }
    free(result);
    free(notes);
    return ok;
}

static bool unpack(trace *whole, const test_case *c, int rank, const void *bytes, const size_t sizes[2], char *message,
                   size_t message_size)
{
    if (!resultfile_parse(c, &whole, rank, bytes, sizes[0], message, message_size))
        return false;
    return rank_notes_apply(whole, rank, (const unsigned char *)bytes + sizes[0], sizes[1]) ||
           refuse(message, message_size, "the notes of rank %d cannot be read", rank);
}

/* One of the groups that run at the same time. */
typedef struct part {
    const test_case *c;
    trace *whole;            /* at home */
    int who[MPI_MOST_RANKS]; /* group rank k's rank in the world */
    int my_rank;             /* in the group; -1: not in it */
} part;

/* Rank 0 takes every group rank's results in turn. mine: this rank's trace, if it is in the group. */
static bool bring_home(const mpi_runner *r, part *p, const trace *mine, char *message, size_t message_size)
{
    bool ok = true;
    for (int k = 0; k < p->c->world; k++) {
        void *bytes = NULL;
        size_t sizes[2] = {0, 0};
        if (p->my_rank == k)
            ok = pack(&bytes, sizes, p->c, mine, k, message, message_size) && ok;
        if (r->rank != 0 && p->my_rank == k)
            ok = mpi_send_bytes(bytes, sizes, 0) && ok;
        if (r->rank == 0 && p->who[k] != 0)
            ok = mpi_receive_bytes(&bytes, sizes, p->who[k]) && ok;
        if (r->rank == 0)
            ok = ok && bytes != NULL && unpack(p->whole, p->c, k, bytes, sizes, message, message_size);
        free(bytes);
    }
    return ok;
}

/* in_group: the problem names the members; else the case runs on ranks 0 to W-1. */
static bool part_make(const mpi_runner *r, part *p, const test_case *c, bool in_group)
{
    p->c = c;
    p->my_rank = -1;
    for (int k = 0; k < c->world; k++) {
        p->who[k] = in_group ? c->problem.group[k] : k;
        if (p->who[k] == r->rank)
            p->my_rank = k;
    }
    p->whole = trace_create(c->steps, c->bucket_count, c->tensor_counts, c->world);
    return p->whole != NULL;
}

/* Every part has a communicator of its own, split off the world: its collectives are its members' alone, and both parts
 * are at work at the same time. */
static bool run_parts(mpi_runner *r, part parts[2], int count, bool seeded, char *message, size_t message_size)
{
    const part *mine = parts[0].my_rank >= 0 ? &parts[0] : count > 1 && parts[1].my_rank >= 0 ? &parts[1] : NULL;
    trace *t = mine != NULL
                   ? trace_create(mine->c->steps, mine->c->bucket_count, mine->c->tensor_counts, mine->c->world)
                   : NULL;
    bool ok = mine == NULL || t != NULL || refuse(message, message_size, "no memory for a trace");
    /* A group names its members in any order: group=3,1 makes rank 3 of the world the group's rank 0. */
    const int color = mine == NULL ? 2 : mine == &parts[0] ? 0 : 1;
    mpi_ranks ranks;
    ok = mpi_ranks_make(&ranks, color, mine != NULL ? mine->my_rank : r->rank, message, message_size) && ok;
    ok = all_ok(ok);
    if (ok && mine != NULL)
        ok = drive(r, &ranks, t, mine->c, seeded, message, message_size);
    watch_exchange(r, parts[0].c->problem_text);
    mpi_ranks_free(&ranks);
    ok = all_ok(ok);
    for (int i = 0; i < count && ok; i++)
        ok = all_ok(bring_home(r, &parts[i], mine == &parts[i] ? t : NULL, message, message_size));
    mpi_watch_stop();
    trace_free(t);
    return ok;
}

/* others: null, or those of the world that are not in c's group. Both results are the caller's to free. */
static run_result run_groups(mpi_runner *r, const test_case *c, const test_case *others, bool seeded, trace **result,
                             trace **others_result, char *message, size_t message_size)
{
    part *parts = calloc(2, sizeof *parts);
    const int count = others != NULL ? 2 : 1;
    bool ok = parts != NULL && part_make(r, &parts[0], c, others != NULL) &&
              (others == NULL || part_make(r, &parts[1], others, true));
    if (!ok)
        (void)refuse(message, message_size, "no memory for a trace");
    ok = all_ok(ok) && run_parts(r, parts, count, seeded, message, message_size);
    trace **const wanted[2] = {result, others_result};
    for (int i = 0; i < 2; i++) {
        trace *whole = parts != NULL ? parts[i].whole : NULL;
        if (ok)
            *wanted[i] = whole;
        else
            trace_free(whole);
    }
    free(parts);
    return ok ? RUN_DONE : RUN_KIT_FAILED;
}

static run_result can_run(mpi_runner *r, const test_case *c, char *message, size_t message_size)
{
    run_result outcome = load(r, message, message_size);
    if (outcome != RUN_DONE)
        return outcome;
    return enough_ranks(r, c->problem.of_world > c->world ? c->problem.of_world : c->world, message, message_size);
}

static run_result run_pair(runner *base, const test_case *c, const test_case *others, bool seeded, trace **result,
                           trace **others_result, char *message, size_t message_size)
{
    mpi_runner *r = (mpi_runner *)base;
    *result = *others_result = NULL;
    run_result outcome = can_run(r, c, message, message_size);
    return outcome != RUN_DONE ? outcome
                               : run_groups(r, c, others, seeded, result, others_result, message, message_size);
}

static run_result run_case(runner *base, const test_case *c, bool seeded, trace **result, char *message,
                           size_t message_size)
{
    mpi_runner *r = (mpi_runner *)base;
    test_case others = {0};
    trace *others_result = NULL;
    *result = NULL;
    run_result outcome = can_run(r, c, message, message_size);
    if (outcome != RUN_DONE)
        return outcome;
    bool has_others = others_wanted(c);
    bool ok = !has_others || others_case(&others, c, message, message_size);
    outcome = all_ok(ok)
                  ? run_groups(r, c, has_others ? &others : NULL, seeded, result, &others_result, message, message_size)
                  : RUN_KIT_FAILED;
    trace_free(others_result);
    if (has_others && ok)
        case_free(&others);
    return outcome;
}

/* ---- the runner ---- */

static int ranks_of(const runner *base)
{
    return ((const mpi_runner *)base)->size;
}

static bool is_home(const runner *base)
{
    return ((const mpi_runner *)base)->rank == 0;
}

static int agree(runner *base, int value)
{
    (void)base;
    (void)MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return value;
}

static bool ok_everywhere(runner *base, bool ok)
{
    (void)base;
    return all_ok(ok);
}

static void free_runner(runner *base)
{
    mpi_runner *r = (mpi_runner *)base;
    mpi_watch_start(r->timeout + EXCHANGE_SECONDS, "what comes last, MPI_Finalize");
    /* The port stays loaded: nothing asks it to survive being unloaded. */
    free(r->impl.path);
    free(r->impl.option);
    free(r->implementation);
    free(r);
    (void)MPI_Finalize();
    mpi_watch_stop();
    mpi_watch_end();
}

PSGD_EXPORT runner *mpi_module_runner(const char *port, double timeout_seconds, char *message, size_t message_size)
{
    int provided = 0;
    if (MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided) != MPI_SUCCESS) {
        (void)refuse(message, message_size, "MPI_Init_thread failed");
        return NULL;
    }
    mpi_runner *r = calloc(1, sizeof *r);
    char *name = strdup(port);
    bool ok = r != NULL && name != NULL;
    if (ok) {
        r->base = (runner){.ranks = ranks_of,
                           .describe = describe,
                           .run_case = run_case,
                           .run_pair = run_pair,
                           .run_scenario = run_scenario,
                           .is_home = is_home,
                           .agree = agree,
                           .all_ok = ok_everywhere,
                           .free = free_runner};
        r->implementation = name;
        r->timeout = timeout_seconds;
        (void)MPI_Comm_rank(MPI_COMM_WORLD, &r->rank);
        (void)MPI_Comm_size(MPI_COMM_WORLD, &r->size);
        ok = mpi_watch_begin(r->rank);
    }
    if (all_ok(ok) && r->size <= MPI_MOST_RANKS)
        return &r->base;
    (void)refuse(message, message_size, "no memory for a runner on some rank, or more than %d ranks", MPI_MOST_RANKS);
    free(name);
    free(r);
    (void)MPI_Finalize();
    return NULL;
}
