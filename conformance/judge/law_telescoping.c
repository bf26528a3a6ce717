/* law_telescoping.c: EF-005, row 9. Over the compressed steps, sum_t out_t + mean_k E_T = sum_t mean_k G_t: every step
 * moves what it does not send into E and nothing else. T steps make at most T roundings of the size u S, S the largest
 * of the run. Only with E shown (from outputs alone it is law_projection.c's last step). */
#include "judge/judging.h"

#include "judge/linalg.h"

#include <math.h>
#include <stdlib.h>

static void judge_tensor(judging *j, probe *p, size_t tensor)
{
    const evidence *e = &j->e;
    const evidence_tensor *x = &e->tensors[tensor];
    size_t count = x->length;
    int64_t start = j->c->config.start_iter, last = e->steps - 1;
    if (count == 0 || last <= start || !judging_may(j, tensor, last) || evidence_error(e, last, tensor) == NULL) {
        return;
    }
    double *sent = calloc(count, sizeof *sent), *given = calloc(count, sizeof *given);
    double scale = 0;
    if (sent == NULL || given == NULL) {
        judging_lacks_memory(j);
    } else {
        for (int64_t step = start; step <= last; step++) {
            scale = fmax(scale, evidence_at(e, step, tensor)->scale);
        }
        for (size_t i = 0; i < count; i++) { /* in long double: sums grow with T, and the judge must not round them */
            long double out = evidence_error(e, last, tensor)[i], mean = 0;
            for (int64_t step = start; step <= last; step++) {
                out += evidence_out(e, step, tensor)[i];
                mean += evidence_gradient(e, step, tensor)[i];
            }
            sent[i] = (double)(out - mean); /* against zero: the sums themselves may be large */
            given[i] = (double)mean;
        }
        if (all_finite(given, count) && all_finite(sent, count)) { /* NaN is the other laws' */
            check_place place = place_of(j, last, tensor, STAGE_ERROR);
            double unit = e->u * (double)(last - start + 1) * scale, off = norm_frobenius(sent, count);
            size_t worst = 0;
            for (size_t i = 1; i < count; i++) {
                worst = fabs(sent[i]) > fabs(sent[worst]) ? i : worst;
            }
            place.row = (int64_t)(worst / x->m);
            place.column = (int64_t)(worst % x->m);
            place.got = given[worst] + sent[worst];
            place.expected = given[worst];
            probe_measure(j, p, off == 0 ? 0 : off / unit,
                          judging_limit(j, LIMIT_TELESCOPING) * unit / norm_frobenius(given, count), &place);
        }
    }
    free(sent);
    free(given);
}

void judge_telescoping(judging *j)
{
    if (!j->c->config.use_error_feedback) {
        return;
    }
    probe p = probe_for("PSGD-EF-005", LIMIT_TELESCOPING);
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        judge_tensor(j, &p, i);
    }
}
