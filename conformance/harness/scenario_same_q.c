/* scenario_same_q.c: every rank must start from the same Q (PSGD-RND-001), and that shows without knowing Q.
 *
 * Rank k's gradient is B + c_k A with sum_k c_k = 0, where B has rank r in the lower rows of the matrix and A full rank
 * in the upper ones. So Mbar = B, and as Mbar has rank exactly r, out = Mbar for any common Q. If the ranks' Qs differ,
 * sum_k M_k Q_k keeps a part of A, P leans out of B's column space, and out misses B by far.
 */
#include "harness/scenarios_all.h"

#include <math.h>
#include <stdlib.h>

#define ROWS    24
#define COLUMNS 40
#define COUNT   ((size_t)ROWS * COLUMNS)
#define START   2
#define LIMIT   1e-2 /* of B's norm; another Q on another rank: about 1; rounding: about 1e-6 */

static double mean_element(const session *e, size_t i)
{
    size_t row = i / COLUMNS, column = i % COLUMNS;
    if (row < ROWS / 2)
        return 0;
    double sum = 0;
    for (uint64_t j = 0; j < 2; j++)
        sum += session_uniform(e->seed, 900 + j, row, 0) * session_uniform(e->seed, 910 + j, column, 0);
    return sum;
}

static double opposed_gradient(const session *e, int64_t step, int rank, size_t i)
{
    (void)step;
    size_t row = i / COLUMNS;
    if (row >= ROWS / 2)
        return mean_element(e, i);
    int pair = rank / 2, paired = e->comm.size / 2; /* ranks 2 j and 2 j + 1 cancel; a lone last rank has no A */
    double sign = pair >= paired ? 0 : rank % 2 == 0 ? 1 : -1;
    return 4 * sign * session_uniform(e->seed, 920, i, 0);
}

/* Puts every rank's values side by side, gathered[rank][count], by sums in which all other terms are zero: exact. */
static bool gather(const subject *s, double *gathered, const double *values, size_t count)
{
    size_t size = (size_t)s->comm->size, rank = (size_t)s->comm->rank;
    for (size_t i = 0; i < size * count; i++)
        gathered[i] = i / count == rank ? values[i % count] : 0;
    psgd_status status = s->comm->allreduce_sum(s->comm->context, gathered, size * count, PSGD_F64);
    return status == PSGD_OK || scenario_fail(s, "the ranks could not be compared: another rank has failed");
}

static bool equal_on_ranks(const subject *s, const double *values, size_t count, const char *what)
{
    double *all = malloc((size_t)s->comm->size * count * sizeof *all + 1);
    if (all == NULL)
        return scenario_unobserved(s, "the kit had no memory to compare ranks");
    bool ok = gather(s, all, values, count);
    for (size_t i = 0; ok && i < (size_t)s->comm->size * count; i++)
        if (all[i] != all[i % count] && !(isnan(all[i]) && isnan(all[i % count])))
            ok = scenario_fail(
                s, "with the port's own Q %s differs between ranks: element %zu is %.9g on rank 0, %.9g on rank %zu",
                what, i % count, all[i % count], all[i], i / count);
    free(all);
    return ok;
}

/* P after the first compressed step, where it is shown. */
static bool equal_p(session *e)
{
    const psgd_implementation *port = e->subject->port;
    float p[ROWS * 2];
    double values[ROWS * 2];
    if (port->peek == NULL || port->peek(e->state, PSGD_PART_P, 0, 0, p, sizeof p) != PSGD_OK)
        return true; /* a port shows it on every rank or on none */
    for (size_t i = 0; i < (size_t)ROWS * 2; i++)
        values[i] = (double)p[i];
    return equal_on_ranks(e->subject, values, (size_t)ROWS * 2, "P");
}

static bool is_mean(session *e, const session_record *record)
{
    const struct session_segment *last = &record->segments[0];
    for (size_t i = 0; i < record->segment_count; i++)
        if (record->segments[i].what[0] == 'o') /* "output" */
            last = &record->segments[i];
    double distance = 0, norm = 0, along = 0, across = 0;
    for (size_t i = 0; i < COUNT; i++) {
        double expected = mean_element(e, i), got = record->values[last->first + i];
        distance += (got - expected) * (got - expected);
        norm += expected * expected;
        along += got * expected;
    }
    for (size_t i = 0; i < COUNT; i++) {
        double d = record->values[last->first + i] - along / norm * mean_element(e, i);
        across += d * d;
    }
    bool ok = sqrt(distance) <= LIMIT * sqrt(norm);
    if (!ok && sqrt(across) <= LIMIT * fabs(along) / sqrt(norm))
        return scenario_unobserved(e->subject,
                                   "the output is %.3g times the mean: its scale is wrong, which is another "
                                   "requirement's matter (PSGD-AGG-002), and Q cannot be told from it",
                                   along / norm);
    return ok ||
           scenario_fail(e->subject,
                         "gradients whose mean has rank exactly r, while the ranks' own parts cancel: expected "
                         "the mean (any Q that all ranks share gives it), got %.3g of its norm away: the ranks' Qs "
                         "differ",
                         sqrt(distance / norm));
}

bool scenario_same_q(const subject *s)
{
    static const size_t dims[] = {ROWS, COLUMNS};
    static const psgd_shape shape = {2, dims};
    static const psgd_bucket bucket = {.index = 0, .tensor_count = 1, .shapes = &shape};
    static const session_layout layout = {1, &bucket};
    psgd_config config = session_config(s);
    config.start_iter = START;
    session e = session_make(s, &config, 1);
    e.layout = &layout;
    e.own_q = true;
    e.gradient = opposed_gradient;
    session_record record = {0};
    scenario_doing(s, "%d plain steps and one compressed one with the port's own Q", START);
    bool ok = session_open(&e) && session_steps(&e, START + 1, &record);
    for (size_t i = 0; ok && i < record.segment_count; i++)
        if (record.segments[i].what[0] == 'o')
            ok = equal_on_ranks(s, record.values + record.segments[i].first, COUNT, "the output");
    ok = ok && equal_p(&e);
    /* The alternating variant's first step projects on a side of its own: nothing is exact there. */
    if (ok && !scenario_claims(s, PSGD_CLAIM_ALTERNATING))
        ok = is_mean(&e, &record);
    session_close(&e);
    session_record_free(&record);
    return ok;
}
