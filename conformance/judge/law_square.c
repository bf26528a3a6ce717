/* law_square.c: the flattened variant of a port that draws its own Q and shows its outputs only. The square is n x n,
 * of which results show all rows but the last ones: those of whole zero rows stay zero, and one may be cut. Three
 * things are known of it all the same.
 *
 * The whole rows that are shown have rank r at most, as the square has (row 1c): another side, that is other rows, has
 * not. The cut row is a combination of the directions that span the others' rows; its shown part says which, and so
 * what its padding is (`complete`). And with the padding of out, that of M is known: zero at the first compressed step,
 * then, with error feedback, M - out of the step before. So out is held against its own projection of M (row 1b):
 * FLT-001 at the first compressed step, EF-001 later, and FLT-003 where a memory without padding gives something else.
 *
 * What completion adds to the unit. The rows shown are off by e = u S each way. Their span, the rows of v[r n], is off
 * by e / sigma_r, sigma_r the r-th singular value of the rows shown. The cut row's coordinates c are solved for from
 * its shown columns, which multiplies errors by 1 / s, s the smallest singular value of v's shown columns: off by (e +
 * |c| e / sigma_r) / s. The padding c v' is off by that and by |c| e / sigma_r, in all at most e k, k = (1 + |c| /
 * sigma_r) (1 + 1 / s). out's errors meet the unit's factor f of row 1b once more, those of M add up from step to step,
 * one rounding each. */
#include "judge/judging.h"

#include "judge/linalg.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RARELY        0.01 /* law_projection.c: a Q that nobody knows may be this rare */
#define LEAST_SHOWN   1e-3 /* of s: below, the shown part of the cut row does not say what the rest is */
#define LEAST_REGULAR 1e3  /* of sigma_r / (u S): below, the rows shown do not say what their span is */

typedef struct probes {
    probe rank, square, wrong_scale, conserves, kept;
} probes;

typedef struct square { /* at one step; all [n n] */
    size_t n, r, length;
    double *mean, *out; /* with their padding */
    double mean_doubt;  /* of M's padding, in units of u S */
    double out_doubt;   /* k, where out's padding had to be completed */
    double scale;       /* S */
} square;

static bool finds_padding(square *q, const double *v, double sigma_r)
{
    size_t n = q->n, r = q->r, whole = q->length / n, shown = q->length % n;
    double *part = calloc(r * shown + 1, sizeof *part), *left = calloc(r * r + 1, sizeof *left);
    double *right = calloc(r * shown + 1, sizeof *right), *s = calloc(r + 1, sizeof *s), *c = calloc(r + 1, sizeof *c);
    double *row = q->out + whole * n;
    bool found = false;
    if (part != NULL && left != NULL && right != NULL && s != NULL && c != NULL && shown >= r) {
        for (size_t i = 0; i < r; i++) {
            memcpy(part + i * shown, v + i * n, shown * sizeof *part);
        }
        found = singular_vectors(part, r, shown, s, left, right) && s[r - 1] > LEAST_SHOWN;
    }
    for (size_t k = 0; found && k < r; k++) { /* c = row (right^T / s) left^T, with the shown part of the row */
        double along = 0;
        for (size_t i = 0; i < shown; i++) {
            along += row[i] * right[k * shown + i];
        }
        for (size_t i = 0; i < r; i++) {
            c[i] += along / s[k] * left[i * r + k];
        }
    }
    if (found) {
        for (size_t i = shown; i < n; i++) {
            row[i] = 0;
            for (size_t k = 0; k < r; k++) {
                row[i] += c[k] * v[k * n + i];
            }
        }
        q->out_doubt = (1 + norm_frobenius(c, r) / sigma_r) * (1 + 1 / s[r - 1]);
    }
    free(part);
    free(left);
    free(right);
    free(s);
    free(c);
    return found;
}

/* The rank of the rows shown, and the padding from them. False: nothing more is known of this square. */
static bool complete(square *q, judging *j, probe *rank, const check_place *at)
{
    size_t n = q->n, whole = q->length / n, least = whole;
    double *s = calloc(least + 1, sizeof *s), *of_mean = calloc(least + 1, sizeof *of_mean);
    double *v = calloc(least * n + 1, sizeof *v);
    bool ok = s != NULL && of_mean != NULL && v != NULL && singular_vectors(q->out, whole, n, s, NULL, v) &&
              singular_values(q->mean, whole, n, of_mean);
    if (!ok) {
        judging_lacks_memory(j);
    }
    if (ok && q->r < least) {
        check_place place = *at;
        double unit = (j->e.u + DBL_EPSILON * sqrt((double)n)) * q->scale;
        place.got = s[q->r];
        place.expected = 0;
        ok = probe_measure(j, rank, s[q->r] == 0 ? 0 : s[q->r] / unit,
                           judging_limit(j, rank->row) * unit / of_mean[q->r], &place);
    }
    ok = ok && s[q->r - 1] > LEAST_REGULAR * j->e.u * q->scale;
    q->out_doubt = 0;
    ok = ok && (q->length % n == 0 || finds_padding(q, v, s[q->r - 1]));
    free(s);
    free(of_mean);
    free(v);
    return ok;
}

/* projected[n n] = Pi mean, Pi onto out's columns, which lie in basis[n r]. */
static bool project(double *projected, const square *q, const double *basis, const double *mean)
{
    double *inner = calloc(q->r * q->n, sizeof *inner);
    if (inner == NULL) {
        return false;
    }
    matmul_tn(inner, basis, mean, q->n, q->r, q->n);
    matmul(projected, basis, inner, q->n, q->r, q->n);
    free(inner);
    return true;
}

/* c that makes c a nearest to b. */
static double multiple(const double *a, const double *b, size_t count)
{
    double up = 0, down = 0;
    for (size_t i = 0; i < count; i++) {
        up += a[i] * b[i];
        down += a[i] * a[i];
    }
    return up / down;
}

/* Row 1b, under the requirement that a failure is laid to. */
static bool judge_projected(judging *j, probes *p, square *q, double *projected, double *forgotten, double condition,
                            const check_place *at)
{
    size_t count = q->n * q->n;
    bool first = at->step == j->c->config.start_iter, feedback = j->c->config.use_error_feedback;
    check_place place = *at, unused = *at;
    double lost = difference_ratio(q->mean, q->out, q->n, q->n, q->scale, &unused);
    double loss = condition * (q->r == 1 ? 1 : sqrt((double)q->r * (double)q->n) / RARELY);
    double f = (1 + condition * lost + loss) * (1 + q->out_doubt) + q->mean_doubt;
    double unit = j->e.u * q->scale * f, most = judging_limit(j, p->square.row);
    double norm = norm_frobenius(projected, count);
    double ratio = difference_ratio(q->out, projected, q->n, q->n, unit, &place);
    double apart = difference_ratio(projected, forgotten, q->n, q->n, 1, &unused);
    double without = difference_ratio(q->out, forgotten, q->n, q->n, unit, &unused);
    if (ratio <= most) {
        probe_measure(j,
                      first      ? &p->square
                      : feedback ? &p->conserves
                                 : &p->wrong_scale,
                      ratio, most * unit / norm, &place);
        if (apart > 0) {
            probe_measure(j, &p->kept, ratio, most * unit / apart, &place);
        }
        return true;
    }
    double c = multiple(projected, q->out, count);
    for (size_t i = 0; i < count; i++) {
        forgotten[i] = c * projected[i];
    }
    bool scaled = difference_ratio(q->out, forgotten, q->n, q->n, unit, &unused) <= most;
    probe *to = scaled            ? &p->wrong_scale
                : first           ? &p->square
                : without <= most ? &p->kept
                : feedback        ? &p->conserves
                                  : &p->wrong_scale;
    return probe_measure(j, to, ratio, most * unit / norm, &place);
}

/* One step. False: judged no further. */
static bool judge_step(judging *j, probes *p, square *q, size_t tensor, int64_t step)
{
    size_t count = q->n * q->n;
    const check_place at = place_of(j, step, tensor, STAGE_OUT);
    double *basis = calloc(q->n * q->r, sizeof *basis), *projected = calloc(count, sizeof *projected);
    double *without = calloc(count, sizeof *without), *forgotten = calloc(count, sizeof *forgotten), condition;
    bool ok = basis != NULL && projected != NULL && without != NULL && forgotten != NULL;
    if (!ok) {
        judging_lacks_memory(j);
    }
    memcpy(q->mean, evidence_mean(&j->e, step, tensor), q->length * sizeof *q->mean); /* its padding is in place */
    memset(q->out, 0, count * sizeof *q->out);
    memcpy(q->out, evidence_out(&j->e, step, tensor), q->length * sizeof *q->out);
    q->scale = hypot(evidence_at(&j->e, step, tensor)->scale, norm_frobenius(q->mean + q->length, count - q->length));
    ok = ok && all_finite(q->out, count) && complete(q, j, &p->rank, &at);
    if (ok) {
        memcpy(without, q->mean, q->length * sizeof *without);
        ok = leading_columns(basis, &condition, q->out, q->n, q->n, q->r) && project(projected, q, basis, q->mean) &&
             project(forgotten, q, basis, without);
        if (!ok) {
            judging_lacks_memory(j);
        }
    }
    ok = ok && judge_projected(j, p, q, projected, forgotten, condition, &at);
    for (size_t i = q->length; ok && j->c->config.use_error_feedback && i < count; i++) {
        q->mean[i] -= q->out[i];
    }
    q->mean_doubt += j->c->config.use_error_feedback ? 1 + q->out_doubt : 0;
    free(basis);
    free(projected);
    free(without);
    free(forgotten);
    return ok;
}

/* Is there a square that only its outputs tell of, and do they show enough rows? */
static bool is_hidden(const judging *j, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    bool hidden = x->compressed && !j->q_known && x->length < x->n * x->n && x->length / x->n >= x->r;
    for (int64_t step = j->c->config.start_iter; hidden && step < j->e.steps; step++) {
        hidden = !evidence_at(&j->e, step, tensor)->knows_out;
    }
    return hidden && judging_projects(j, tensor);
}

/* Where squares of column norms leave the type's range nothing is known (law_projection.c: REGARD_EXTREME). */
static bool is_moderate(const judging *j, int64_t step, size_t tensor)
{
    double scale = evidence_at(&j->e, step, tensor)->scale * j->c->world;
    return scale < (j->c->dtype == PSGD_F16 ? 3e4 : 1e18) && scale > (j->c->dtype == PSGD_F16 ? 1e-2 : 1e-12);
}

void judge_square(judging *j)
{
    probes p = {.rank = probe_for("PSGD-FLT-001", LIMIT_RANK_TAIL),
                .square = probe_for("PSGD-FLT-001", LIMIT_PROJECTION),
                .wrong_scale = probe_for("PSGD-AGG-002", LIMIT_PROJECTION),
                .conserves = probe_for("PSGD-EF-001", LIMIT_PROJECTION),
                .kept = probe_for("PSGD-FLT-003", LIMIT_PROJECTION)};
    for (size_t i = 0; j->e.flattened && i < j->e.tensor_count; i++) {
        const evidence_tensor *x = &j->e.tensors[i];
        square q = {.n = x->n, .r = x->r, .length = x->length};
        if (!is_hidden(j, i)) {
            continue;
        }
        q.mean = calloc(x->n * x->n, sizeof *q.mean);
        q.out = calloc(x->n * x->n, sizeof *q.out);
        bool ok = q.mean != NULL && q.out != NULL;
        if (!ok) {
            judging_lacks_memory(j);
        }
        for (int64_t step = j->c->config.start_iter; ok && step < j->e.steps; step++) {
            ok = judging_is_comparable(j, i, step) && is_moderate(j, step, i) && judge_step(j, &p, &q, i, step);
        }
        free(q.mean);
        free(q.out);
    }
}
