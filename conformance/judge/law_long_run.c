/* law_long_run.c: EF-008, row 13. Under constant local gradients the running mean of the outputs tends to Mbar like
 * 1/T: D(T) = T ||mean out - Mbar||_F, which is the norm of the mean error, stays bounded. D(T) / D(T/10) is about 1
 * then, and 10 where what is left out is never sent. Only for runs of at least 50 compressed steps. */
#include "judge/judging.h"

#include "judge/linalg.h"

#include <math.h>
#include <stdlib.h>

#define LONG_RUN 50

/* D of the first `steps` compressed steps. */
static double left_out(judging *j, size_t tensor, int64_t steps)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    size_t count = x->length;
    int64_t start = j->c->config.start_iter;
    double *rest = calloc(count, sizeof *rest), norm = NAN;
    if (rest == NULL) {
        judging_lacks_memory(j);
        return NAN;
    }
    for (size_t i = 0; i < count; i++) {
        long double sum = 0;
        for (int64_t step = start; step < start + steps; step++) {
            sum += (long double)evidence_gradient(&j->e, step, tensor)[i] - evidence_out(&j->e, step, tensor)[i];
        }
        rest[i] = (double)sum;
    }
    norm = norm_frobenius(rest, count);
    free(rest);
    return norm;
}

void judge_long_run(judging *j)
{
    int64_t start = j->c->config.start_iter, steps = j->e.steps - start;
    if (!j->c->config.use_error_feedback || steps < LONG_RUN) {
        return;
    }
    probe p = probe_for("PSGD-EF-008", LIMIT_LONG_RUN);
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        /* inputs and outputs alone: what failed before does not excuse this */
        if (!j->e.tensors[i].compressed || !judging_is_fixed(j, i) ||
            evidence_at(&j->e, j->e.steps - 1, i)->regard != REGARD_FULL) {
            continue;
        }
        double early = left_out(j, i, steps / 10), late = left_out(j, i, steps);
        double rounding = j->e.u * (double)steps * evidence_at(&j->e, j->e.steps - 1, i)->scale;
        check_place place = place_of(j, j->e.steps - 1, i, STAGE_OUT);
        place.got = late;
        place.expected = early;
        /* Rounding alone may leave out anything, nothing too: early counts as no less. Trusted if what is left out is
         * far above rounding; outputs of zeros leave out ten times as much. */
        probe_measure(j, &p, late / fmax(early, rounding), judging_limit(j, LIMIT_LONG_RUN) * rounding / early, &place);
    }
}
