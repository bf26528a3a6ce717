/* law_flattened.c: what is special about the flattened variant: the padded square.
 *
 * From a Q that is known since it was drawn, row 6 on the elements that are shown. FLT-001: zero padding, side and cut
 * (from any other Q, with the port's own P, that what was projected had zero padding: row 1).
 * FLT-002: neither epsilon (the result is not that of a step with it) nor min_compression_rate (the result is not the
 * mean) has a say. FLT-003: where E is shown with its padding, that is M - out there (row 2, out = P Q^T; row 6, out
 * the model's), and with the port's own P it has gone into M (row 1).
 *
 * What is wrong for another reason is left to the laws that say which: a first result is FLT-001's if nothing else of
 * the square is shown, or if some other padding would make it right. Whether a rank above the side is refused is
 * law_structure.c's; what outputs alone tell, from a Q that nobody knows, law_square.c's. */
#include "judge/judging.h"

#include "judge/linalg.h"
#include "judge/one_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct probes {
    probe square, square_own, ignored, kept_own, kept_model, fed_back;
} probes;

static double distance(const judging *j, const double *a, const double *b, size_t tensor)
{
    check_place unused = CHECK_NOWHERE;
    return difference_ratio_shown(j, a, b, tensor, 1, &unused);
}

/* The step with the configured epsilon, which the variant ignores. False: there is none, or no memory. */
static bool with_epsilon(model_output *model, judging *j, int64_t step, size_t tensor)
{
    evidence *e = &j->e;
    e->epsilon = j->c->config.orthogonalization_epsilon;
    bool made = e->epsilon > 0 && e->tensors[tensor].gram_schmidt &&
                one_step_model(model, j, step, tensor, ONE_STEP_DRAWN) != ONE_STEP_NONE;
    e->epsilon = 0;
    return made;
}

/* Would the layerwise rule leave this square alone? */
static bool does_not_pay(const judging *j, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    return !((double)((x->n + x->m) * x->r) * j->c->config.min_compression_rate < (double)x->length);
}

/* projected[n m] = P P^T mean with the port's own P. False: it is not shown, or not finite. */
static bool project_by_own(double *projected, double **p, judging *j, int64_t step, size_t tensor, const double *mean)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    bool lacks = false;
    *p = evidence_factor(trace_p(j->t, step, x->bucket, x->tensor), x->n * x->r, &lacks);
    double *inner = calloc(x->r * x->m, sizeof *inner);
    if (lacks || inner == NULL) {
        judging_lacks_memory(j);
    }
    bool ok = *p != NULL && inner != NULL && all_finite(*p, x->n * x->r);
    if (ok) {
        matmul_tn(inner, *p, mean, x->n, x->r, x->m);
        matmul(projected, *p, inner, x->n, x->r, x->m);
    }
    free(inner);
    return ok;
}

/* What is left of coordinates[r] without its part along the rows `from` .. n-1 of p[n r]: two rows at most. work[2 r].
 */
static double left_by_rows(double *work, const double *coordinates, const double *p, size_t from, size_t n, size_t r)
{
    double *rest = work, *row = work + r, along = 0, square = 0;
    memcpy(rest, coordinates, r * sizeof *rest);
    for (size_t i = from; i < n; i++) {
        const double *own = p + i * r;
        along = 0;
        for (size_t k = 0; i > from && k < r; k++) { /* row still holds the first one */
            along += row[k] * own[k];
        }
        for (size_t k = 0; k < r; k++) {
            row[k] = own[k] - (square > 0 ? along / square * row[k] : 0);
        }
        square = norm_frobenius(row, r) * norm_frobenius(row, r);
        along = 0;
        for (size_t k = 0; k < r; k++) {
            along += row[k] * rest[k];
        }
        for (size_t k = 0; k < r && square > 0; k++) {
            rest[k] -= along / square * row[k];
        }
    }
    return norm_frobenius(rest, r);
}

/* Is out, as a projection by the port's own P, off only by what some other padding of M would add? That is P P^T X with
 * X zero but in the padding: nothing in columns without padding, and in each of the others the best X (least squares)
 * explains all but rounding. A wrong multiple of the right result is no matter of padding. */
static bool other_padding_explains(judging *j, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    size_t n = x->n, m = x->m, r = x->r;
    double *projected = calloc(n * m, sizeof *projected), *deviation = calloc(n * m, sizeof *deviation);
    double *coordinates = calloc(m * r, sizeof *coordinates), *work = calloc(2 * r, sizeof *work), *p = NULL;
    bool made = projected != NULL && deviation != NULL && coordinates != NULL && work != NULL, explained = false;
    if (!made) {
        judging_lacks_memory(j);
    } else if (x->length < n * m && evidence_at(&j->e, step, tensor)->padding_by_factors &&
               project_by_own(projected, &p, j, step, tensor, evidence_mean(&j->e, step, tensor))) {
        const double *out = evidence_out(&j->e, step, tensor);
        double up = 0, down = 0, left = 0, left_scaled = 0;
        for (size_t i = 0; i < n * m; i++) {
            deviation[i] = out[i] - projected[i];
            up += out[i] * projected[i];
            down += projected[i] * projected[i];
        }
        for (size_t i = 0; i < n * m; i++) {
            left_scaled = hypot(left_scaled, out[i] - up / down * projected[i]);
        }
        matmul_tn(coordinates, deviation, p, n, m, r); /* row j: what P sees of column j */
        for (size_t column = 0; column < m; column++) {
            size_t from = (x->length + m - 1 - column) / m; /* the first row whose element of this column is padding */
            left = hypot(left, left_by_rows(work, coordinates + column * r, p, from, n, r));
        }
        double rounding = judging_limit(j, LIMIT_OWN_FACTORS) * j->e.u * evidence_at(&j->e, step, tensor)->scale;
        explained = norm_frobenius(deviation, n * m) > rounding && left <= rounding && left_scaled > rounding;
    }
    free(projected);
    free(deviation);
    free(coordinates);
    free(work);
    free(p);
    return explained;
}

/* Is what came out the plain mean of M, to rounding (row 4)? */
static bool is_mean(const judging *j, int64_t step, size_t tensor)
{
    double unit = j->e.u * evidence_at(&j->e, step, tensor)->scale;
    return distance(j, evidence_out(&j->e, step, tensor), evidence_mean(&j->e, step, tensor), tensor) <=
           limit_mean(j->c->world, j->c->dtype) * unit;
}

/* Was this bucket never compressed? Else compression starts late, which is law_selection.c's. */
static bool is_always_mean(const judging *j, int64_t step, size_t tensor)
{
    bool always = true;
    for (; step < j->e.steps; step++) {
        always = always && is_mean(j, step, tensor);
    }
    return always;
}

/* Why is the first result wrong? Measures under the requirement that says so; none: others will. */
static void blame(judging *j, probes *p, int64_t step, size_t tensor, double unit, const model_output *model)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const double *out = evidence_out(&j->e, step, tensor);
    check_place place = place_of(j, step, tensor, STAGE_OUT);
    model_output bent;
    bool stopped = true;
    difference_ratio_shown(j, out, model->out, tensor, 1, &place);
    if (with_epsilon(&bent, j, step, tensor)) {
        stopped = distance(j, out, bent.out, tensor) <= judging_limit(j, p->ignored.row) * unit &&
                  !probe_expect(j, &p->ignored, false, &place, "the configured epsilon was added to column norms");
        model_output_free(&bent);
        if (stopped) {
            judging_stop(j, tensor, step);
            return;
        }
    }
    bool loses_nothing =
        distance(j, model->out, evidence_mean(&j->e, step, tensor), tensor) <= judging_limit(j, p->square.row) * unit;
    if (is_mean(j, step, tensor) && !loses_nothing) {
        if (!does_not_pay(j, tensor) || !is_always_mean(j, step, tensor)) {
            return;
        }
        probe_expect(j, &p->ignored, false, &place, "the bucket was not compressed: min_compression_rate has no say");
    } else if (trace_p(j->t, step, x->bucket, x->tensor)->data == NULL && j->t->q_given) {
        probe_measure(j, &p->square, distance(j, out, model->out, tensor) / unit, 0, &place);
    } else if (other_padding_explains(j, step, tensor)) {
        place.stage = STAGE_M;
        probe_expect(j, &p->square, false, &place, "the padding was not zero");
    } else {
        return;
    }
    judging_stop(j, tensor, step);
}

/* FLT-001 and FLT-002 from a drawn Q. True: the port's step is *model, to be freed; *unit: its rounding. */
static bool judge_drawn(judging *j, probes *p, int64_t step, size_t tensor, model_output *model, double *unit)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    if (one_step_model(model, j, step, tensor, ONE_STEP_DRAWN) == ONE_STEP_NONE) {
        return false;
    }
    const double *out = evidence_out(&j->e, step, tensor);
    double most = judging_limit(j, p->square.row), g = model->gamma + (x->gram_schmidt || !j->torch ? model->kappa : 0);
    *unit = j->e.u * evidence_at(&j->e, step, tensor)->scale * g;
    check_place place = place_of(j, step, tensor, STAGE_OUT);
    bool whole = evidence_at(&j->e, step, tensor)->padding_by_factors;
    double ratio = whole ? difference_ratio(out, model->out, x->n, x->m, *unit, &place)
                         : difference_ratio_shown(j, out, model->out, tensor, *unit, &place);
    bool right = !model->reference_inaccurate && ratio <= most;
    if (right) {
        model_output bent;
        probe_measure(j, &p->square, ratio, most * *unit / norm_frobenius(model->out, x->length), &place);
        if (with_epsilon(&bent, j, step, tensor)) {
            probe_measure(j, &p->ignored, ratio, most * *unit / distance(j, bent.out, model->out, tensor), &place);
            model_output_free(&bent);
        }
        if (does_not_pay(j, tensor)) {
            double apart = distance(j, evidence_mean(&j->e, step, tensor), model->out, tensor);
            probe_measure(j, &p->ignored, ratio, most * *unit / apart, &place);
        }
        return true;
    }
    if (!model->reference_inaccurate) {
        blame(j, p, step, tensor, *unit, model);
    }
    model_output_free(model);
    return false;
}

/* FLT-001 from a Q that nobody knows, with the port's own P: it was the mean with zero padding that was projected. What
 * else may be wrong with that projection is AGG-002's. */
static void judge_own_square(judging *j, probes *p, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const double *out = evidence_out(&j->e, step, tensor), *mean = evidence_mean(&j->e, step, tensor);
    double *projected = calloc(x->n * x->m, sizeof *projected), *own = NULL;
    if (projected == NULL) {
        judging_lacks_memory(j);
        return;
    }
    if (project_by_own(projected, &own, j, step, tensor, mean)) {
        check_place place = place_of(j, step, tensor, STAGE_M);
        double unit = j->e.u * evidence_at(&j->e, step, tensor)->scale, most = judging_limit(j, p->square_own.row);
        double ratio = difference_ratio(out, projected, x->n, x->m, unit, &place);
        if (ratio <= most) {
            probe_measure(j, &p->square_own, ratio, most * unit / norm_frobenius(projected, x->length), &place);
        } else if (other_padding_explains(j, step, tensor)) {
            probe_expect(j, &p->square_own, false, &place, "the padding was not zero");
            judging_stop(j, tensor, step);
        }
    }
    free(projected);
    free(own);
}

/* FLT-003: each rank's E in the padding against M - out, out as given; they are the same on all ranks, since only what
 * is common to them ever gets there. */
static bool judge_kept(judging *j, probe *p, int64_t step, size_t tensor, const double *out, double unit)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    size_t from = x->length, count = x->n * x->m - x->length;
    const double *mean = evidence_mean(&j->e, step, tensor), *error = evidence_error(&j->e, step, tensor);
    double *expected = calloc(count, sizeof *expected);
    bool ok = true;
    if (expected == NULL) {
        judging_lacks_memory(j);
        return true;
    }
    for (size_t i = 0; i < count; i++) {
        expected[i] = mean[from + i] - out[from + i];
    }
    check_place place = place_of(j, step, tensor, STAGE_ERROR);
    double ratio = difference_ratio(error + from, expected, 1, count, unit, &place);
    place.row = (int64_t)((from + (size_t)place.column) / x->m);
    place.column = (int64_t)((from + (size_t)place.column) % x->m);
    ok = probe_measure(j, p, ratio, judging_limit(j, p->row) * unit / norm_frobenius(expected, count), &place);
    free(expected);
    return ok;
}

/* FLT-003: with the port's own P, is it M with the error of the padding that was projected? */
static bool judge_fed_back(judging *j, probes *p, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    size_t count = x->n * x->m;
    double *without = calloc(count, sizeof *without), *projected = calloc(count, sizeof *projected), *own = NULL;
    double *forgotten = calloc(count, sizeof *forgotten), *again = NULL;
    bool ok = true;
    if (without == NULL || projected == NULL || forgotten == NULL) {
        judging_lacks_memory(j);
    } else {
        const double *mean = evidence_mean(&j->e, step, tensor), *out = evidence_out(&j->e, step, tensor);
        for (size_t i = 0; i < x->length; i++) {
            without[i] = mean[i];
        }
        if (project_by_own(projected, &own, j, step, tensor, mean) &&
            project_by_own(forgotten, &again, j, step, tensor, without)) {
            check_place place = place_of(j, step, tensor, STAGE_M);
            double unit = j->e.u * evidence_at(&j->e, step, tensor)->scale, most = judging_limit(j, p->fed_back.row);
            double ratio = difference_ratio_shown(j, out, projected, tensor, unit, &place);
            double apart = distance(j, projected, forgotten, tensor);
            if (ratio <= most || distance(j, out, forgotten, tensor) <= most * unit) {
                ok = probe_measure(j, &p->fed_back, ratio, most * unit / apart, &place);
            }
        }
    }
    free(without);
    free(projected);
    free(forgotten);
    free(own);
    free(again);
    return ok;
}

static void judge_step(judging *j, probes *p, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const tensor_evidence *at = evidence_at(&j->e, step, tensor);
    bool remembers = j->c->config.use_error_feedback && x->length < x->n * x->m;
    model_output model;
    double unit = 0;
    if (remembers && at->knows_mean && step > j->c->config.start_iter && judging_may(j, tensor, step) &&
        !judge_fed_back(j, p, step, tensor)) {
        judging_stop(j, tensor, step);
        return;
    }
    bool known = judge_drawn(j, p, step, tensor, &model, &unit), ok = true;
    if (!j->q_known && step == j->c->config.start_iter && at->padding_by_factors && judging_may(j, tensor, step)) {
        judge_own_square(j, p, step, tensor);
    }
    if (remembers && at->knows_error && at->knows_mean && judging_may(j, tensor, step)) {
        if (at->padding_by_factors) {
            ok = judge_kept(j, &p->kept_own, step, tensor, evidence_out(&j->e, step, tensor), j->e.u * at->scale);
        }
        if (ok && known) {
            ok = judge_kept(j, &p->kept_model, step, tensor, model.out, unit);
        }
    }
    if (known) {
        model_output_free(&model);
    }
    if (!ok) { /* this step's output is right */
        judging_stop(j, tensor, step + 1);
    }
}

void judge_flattened(judging *j)
{
    if (!j->e.flattened) {
        return;
    }
    probes p = {.square = probe_for("PSGD-FLT-001", LIMIT_ONE_STEP),
                .square_own = probe_for("PSGD-FLT-001", LIMIT_OWN_FACTORS),
                .ignored = probe_for("PSGD-FLT-002", LIMIT_ONE_STEP),
                .kept_own = probe_for("PSGD-FLT-003", LIMIT_CONSERVATION),
                .kept_model = probe_for("PSGD-FLT-003", LIMIT_ONE_STEP),
                .fed_back = probe_for("PSGD-FLT-003", LIMIT_OWN_FACTORS)};
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        const evidence_tensor *x = &j->e.tensors[i];
        bool shown = true;
        for (int64_t step = j->c->config.start_iter; step < j->e.steps; step++) {
            shown = shown && evidence_at(&j->e, step, i)->knows_error;
            if (judging_is_comparable(j, i, step)) {
                judge_step(j, &p, step, i);
            }
        }
        if (!j->q_known) {
            probe_unobserved(j, &p.square, "the port draws its own Q, and a first step from it is nothing known");
            probe_unobserved(j, &p.ignored, "the port draws its own Q, and a first step from it is nothing known");
        }
        if (!shown && (j->torch || !j->q_known) && j->c->config.use_error_feedback && x->length < x->n * x->m) {
            probe_unobserved(j, &p.kept_own, "the port does not show E with its padding");
        }
    }
}
