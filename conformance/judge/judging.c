/* judging.c: probes and comparisons of matrices (contract: judging.h). */
#include "judge/judging.h"

#include "judge/linalg.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

double judging_limit(const judging *j, limit_row row)
{
    return limit_for(row, j->c->dtype);
}

bool judging_tests(const judging *j, const char *requirement_id)
{
    const requirement *r = requirement_find(requirement_id);
    return r != NULL && requirement_is_tested(r, j->claims);
}

bool judging_knows_q(const judging *j)
{
    return j->t->q_given || (j->torch && !dtype_is_half(j->c->dtype));
}

void judging_lacks_memory(judging *j)
{
    j->v->out_of_memory = true;
}

/* False: not tested, or no memory. */
static bool open_probe(judging *j, probe *p)
{
    if (!p->opened) {
        p->opened = true;
        const limit_entry *l = limit_of(p->row);
        p->index = judging_tests(j, p->requirement) ? verdict_open(j->v, p->requirement, j->c->id, j->c->problem_text,
                                                                   l->row, judging_limit(j, p->row))
                                                    : SIZE_MAX;
    }
    return p->index < j->v->count;
}

bool probe_measure_limit(judging *j, probe *p, double ratio, double most, double power, const check_place *place)
{
    if (!open_probe(j, p)) {
        return ratio <= most; /* the law still tells the others to stop */
    }
    verdict_measure_limit(j->v, p->index, ratio, most, power, place);
    return ratio <= most;
}

bool probe_measure(judging *j, probe *p, double ratio, double power, const check_place *place)
{
    return probe_measure_limit(j, p, ratio, judging_limit(j, p->row), power, place);
}

bool probe_expect(judging *j, probe *p, bool holds, const check_place *place, const char *format, ...)
{
    if (!open_probe(j, p)) {
        return holds;
    }
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    verdict_expect(j->v, p->index, holds, place, "%s", text);
    return holds;
}

void probe_unobserved(judging *j, probe *p, const char *reason)
{
    if (open_probe(j, p) && j->v->checks[p->index].state == CHECK_UNOBSERVED &&
        j->v->checks[p->index].message == NULL) {
        verdict_set(j->v, p->index, CHECK_UNOBSERVED, "%s", reason);
    }
}

/* Of the first `count` elements of rows of `columns`. Deviations are divided by the largest before they are squared, so
 * that no scale overflows. */
static double ratio_of(const double *got, const double *expected, size_t count, size_t columns, double unit,
                       check_place *place)
{
    double largest = -1;
    bool unknown = false;
    size_t worst = 0;
    for (size_t i = 0; i < count && !unknown; i++) {
        double deviation = fabs(got[i] - expected[i]);
        unknown = isnan(deviation);
        if (unknown || deviation > largest) {
            largest = deviation;
            worst = i;
        }
    }
    if (count > 0) {
        place->row = (int64_t)(worst / columns);
        place->column = (int64_t)(worst % columns);
        place->got = got[worst];
        place->expected = expected[worst];
    }
    if (unknown || largest <= 0) {
        return unknown ? (double)NAN : 0;
    }
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double part = (got[i] - expected[i]) / largest;
        sum += part * part;
    }
    return largest / unit * sqrt(sum); /* infinite if unit is 0; NaN if the largest is infinite too */
}

double difference_ratio(const double *got, const double *expected, size_t n, size_t m, double unit, check_place *place)
{
    return ratio_of(got, expected, n * m, m, unit, place);
}

double difference_ratio_shown(const judging *j, const double *got, const double *expected, size_t tensor, double unit,
                              check_place *place)
{
    return ratio_of(got, expected, j->e.tensors[tensor].length, j->e.tensors[tensor].m, unit, place);
}

bool probe_compare_shown(judging *j, probe *p, const double *got, const double *expected, size_t tensor, double unit,
                         const check_place *place)
{
    check_place where = *place;
    double ratio = difference_ratio_shown(j, got, expected, tensor, unit, &where);
    double most = judging_limit(j, p->row), power = most * unit / norm_frobenius(expected, j->e.tensors[tensor].length);
    return probe_measure(j, p, ratio, power, &where);
}

bool probe_compare_limit(judging *j, probe *p, const double *got, const double *expected, size_t n, size_t m,
                         double unit, double most, const check_place *place)
{
    check_place where = *place;
    double ratio = difference_ratio(got, expected, n, m, unit, &where);
    double power = most * unit / norm_frobenius(expected, n * m);
    return probe_measure_limit(j, p, ratio, most, power, &where);
}

bool probe_compare(judging *j, probe *p, const double *got, const double *expected, size_t n, size_t m, double unit,
                   const check_place *place)
{
    return probe_compare_limit(j, p, got, expected, n, m, unit, judging_limit(j, p->row), place);
}

check_place place_of(const judging *j, int64_t step, size_t tensor, check_stage stage)
{
    check_place place = CHECK_NOWHERE;
    place.step = step;
    place.bucket = (int64_t)j->e.tensors[tensor].bucket;
    place.tensor = (int64_t)j->e.tensors[tensor].tensor;
    place.stage = stage;
    return place;
}

void judging_stop(judging *j, size_t tensor, int64_t step)
{
    if (step < j->e.judged_until[tensor]) {
        j->e.judged_until[tensor] = step;
    }
}

bool judging_may(const judging *j, size_t tensor, int64_t step)
{
    return step < j->e.judged_until[tensor];
}

bool judging_is_comparable(const judging *j, size_t tensor, int64_t step)
{
    return j->e.tensors[tensor].compressed && evidence_is_compressed_step(&j->e, step) &&
           judging_may(j, tensor, step) && evidence_at(&j->e, step, tensor)->regard == REGARD_FULL;
}

bool judging_is_regular(const judging *j, size_t tensor, int64_t step)
{
    return judging_is_comparable(j, tensor, step) && evidence_at(&j->e, step, tensor)->knows_mean &&
           evidence_at(&j->e, step, tensor)->knows_out;
}

bool judging_projects(const judging *j, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    bool plain = j->e.epsilon == 0 || (j->torch && !x->gram_schmidt);
    return plain && (j->claims & PSGD_CLAIM_ALTERNATING) == 0;
}

double judging_scale(const judging *j, int64_t step, size_t tensor)
{
    const tensor_evidence *at = evidence_at(&j->e, step, tensor);
    return at->knows_mean || j->free_running == NULL
               ? at->scale
               : j->free_running->scale[evidence_model_entry(&j->e, step, tensor)];
}

bool judging_is_fixed(const judging *j, size_t tensor)
{
    int64_t start = j->c->config.start_iter;
    size_t count = j->e.tensors[tensor].n * j->e.tensors[tensor].m;
    if (!j->c->problem.constant || j->e.steps <= start) {
        return false;
    }
    const double *first = evidence_gradient(&j->e, start, tensor);
    for (int64_t step = start + 1; step < j->e.steps; step++) {
        const double *now = evidence_gradient(&j->e, step, tensor);
        for (size_t i = 0; i < count; i++) {
            if (!(now[i] == first[i])) {
                return false;
            }
        }
    }
    return true;
}
