/* law_alternating.c: ALT-001. The alternating variant sends one factor a step: a left step keeps the columns that the
 * step before left and gives out = P P^T Mb, P an orthonormal basis of them; a right step keeps its rows and gives out
 * = Mb Q Q^T. Sides take turns, and either may come first: both turns are tried on the whole run, and the one that fits
 * longer is judged. The first compressed step starts from the port's own factor, so it is held against its own columns
 * or rows (row 1b); the others against the previous output's (row 6c). Not judged: steps after an output whose rank is
 * not what was asked for to working precision, because nobody can know its columns.
 *
 * Row 6c's factor: the columns of the previous output are known to u cond_r of it. What the projection keeps is blind
 * to that, what it leaves out, Mb - out, is not; in units of the previous output, which need not be of Mb's size. */
#include "judge/judging.h"

#include "judge/linalg.h"
#include "judge/memory_shown.h"

#include <math.h>
#include <stdlib.h>

typedef struct half_step {
    double ratio, unit, expected_norm;
    limit_row row;
    check_place place;
} half_step;

static void transpose(double *to, const double *from, size_t n, size_t m)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < m; k++) {
            to[k * n + i] = from[i * m + k];
        }
    }
}

/* expected[n m] = the projection of mean[n m] on the columns (left) or rows of source[n m]. False: no memory. */
static bool project(double *expected, double *condition, const double *mean, const double *source,
                    const evidence_tensor *x, bool left)
{
    size_t n = x->n, m = x->m, r = x->r, side = left ? n : m;
    double *basis = calloc(side * r, sizeof *basis), *inner = calloc((left ? m : n) * r, sizeof *inner);
    double *turned = calloc(n * m, sizeof *turned);
    bool ok = basis != NULL && inner != NULL && turned != NULL;
    if (ok && left) {
        ok = leading_columns(basis, condition, source, n, m, r);
        matmul_tn(inner, basis, mean, n, r, m);
        matmul(expected, basis, inner, n, r, m);
    } else if (ok) {
        transpose(turned, source, n, m);
        ok = leading_columns(basis, condition, turned, m, n, r);
        matmul(inner, mean, basis, n, m, r);
        matmul_nt(expected, inner, basis, n, m, r);
    }
    free(basis);
    free(inner);
    free(turned);
    return ok;
}

/* Is there something to be held against? The previous output must have the rank that was asked for. */
static bool is_judged(const judging *j, int64_t step, size_t tensor)
{
    if (!judging_is_regular(j, tensor, step)) {
        return false;
    }
    return step == j->c->config.start_iter || judging_is_regular(j, tensor, step - 1);
}

/* False: no memory, or the source has not its rank (then *known is false). */
static bool measure(half_step *h, bool *known, judging *j, int64_t step, size_t tensor, bool left)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    size_t count = x->n * x->m;
    bool first = step == j->c->config.start_iter;
    const double *out = evidence_out(&j->e, step, tensor), *mean = evidence_mean(&j->e, step, tensor);
    const double *source = first ? out : evidence_out(&j->e, step - 1, tensor);
    double s = evidence_at(&j->e, step, tensor)->scale, condition = NAN;
    *h = (half_step){.ratio = NAN,
                     .unit = NAN,
                     .expected_norm = NAN,
                     .row = first ? LIMIT_PROJECTION : LIMIT_HALF_STEP,
                     .place = place_of(j, step, tensor, STAGE_OUT)};
    *known = true;
    if (!all_finite(out, count) || !all_finite(source, count)) {
        difference_ratio(out, mean, x->n, x->m, 1, &h->place); /* NaN where none may be: show the first */
        return true;
    }
    double *expected = calloc(count, sizeof *expected);
    if (expected == NULL || !project(expected, &condition, mean, source, x, left)) {
        free(expected);
        judging_lacks_memory(j);
        return false;
    }
    check_place unused = CHECK_NOWHERE;
    double lost = difference_ratio(mean, out, x->n, x->m, s, &unused);
    double against = first ? lost : fmax(1, lost * s / norm_frobenius(source, count));
    *known = first || condition * j->e.u <= SKIP_CONDITION;
    h->unit = j->e.u * s * (1 + condition * (1 + against)); /* 1 + : Gram-Schmidt's loss of orthogonality */
    h->ratio = difference_ratio(out, expected, x->n, x->m, h->unit, &h->place);
    h->expected_norm = norm_frobenius(expected, count);
    free(expected);
    return true;
}

typedef struct probes {
    probe first, later; /* compressed step */
    memory_probes memory;
} probes;

/* left_first: left steps at the first compressed step and every second after it. Measures with p, or (null)
 * only counts the steps that fit before the first that does not. */
static int64_t run(judging *j, probes *p, size_t tensor, bool left_first)
{
    int64_t start = j->c->config.start_iter, fitting = 0;
    for (int64_t step = start; step < j->e.steps; step++) {
        half_step h;
        bool known;
        if (evidence_at(&j->e, step, tensor)->regard == REGARD_NONFINITE) {
            return fitting; /* whatever the configuration says, the side that is kept holds it from now on */
        }
        if (!is_judged(j, step, tensor)) {
            continue;
        }
        if (!measure(&h, &known, j, step, tensor, left_first == ((step - start) % 2 == 0))) {
            return fitting;
        }
        if (!known) {
            continue;
        }
        double limit = judging_limit(j, h.row);
        if (p != NULL) {
            probe_measure(j, step == start ? &p->first : &p->later, h.ratio, limit * h.unit / h.expected_norm,
                          &h.place);
        }
        if (!(h.ratio <= limit)) {
            if (p != NULL) {
                judging_stop(j, tensor, step);
            }
            return fitting;
        }
        if (p != NULL) {
            memory_shown(j, &p->memory, step, tensor, h.ratio, limit * h.unit, &h.place);
        }
        fitting++;
    }
    return fitting;
}

void judge_alternating(judging *j)
{
    if ((j->claims & PSGD_CLAIM_ALTERNATING) == 0) {
        return;
    }
    probes p = {.first = probe_for("PSGD-ALT-001", LIMIT_PROJECTION),
                .later = probe_for("PSGD-ALT-001", LIMIT_HALF_STEP),
                .memory = memory_probes_for(LIMIT_HALF_STEP)};
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        if (j->e.tensors[i].compressed && j->c->config.orthogonalization_epsilon == 0) {
            run(j, &p, i, run(j, NULL, i, true) >= run(j, NULL, i, false));
        }
    }
}
