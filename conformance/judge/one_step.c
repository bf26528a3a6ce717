/* one_step.c: restarts the model from the port's own state (contract: one_step.h). Where from: a drawn Q is known if
 * the case's was handed in, or if the port draws by the same chain; a kept Q if it is shown; else, with warm start, Q
 * spans the rows of the previous output, whatever the port keeps. */
#include "judge/one_step.h"

#include "judge/linalg.h"

#include <stdlib.h>

/* q[m r] spans the rows of out[n m]. */
static bool row_space(double *q, const double *out, size_t n, size_t m, size_t r)
{
    double *turned = calloc(m * n, sizeof *turned), condition;
    if (turned == NULL) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < m; k++) {
            turned[k * n + i] = out[i * m + k];
        }
    }
    bool ok = leading_columns(q, &condition, turned, m, n, r);
    free(turned);
    return ok;
}

static double *starting_q(judging *j, int64_t step, size_t tensor, one_step_source wanted, one_step_source *found)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    bool fresh = evidence_is_fresh(&j->e, step), any = wanted == ONE_STEP_ANY, lacks = false;
    double *q = NULL;
    if (fresh && j->q_known && (any || wanted == ONE_STEP_DRAWN)) {
        q = evidence_factor(case_q0(j->c, step, x->bucket, x->tensor), x->m * x->r, &lacks);
        *found = ONE_STEP_DRAWN;
    }
    if (!fresh && q == NULL && (any || wanted == ONE_STEP_STATE)) {
        q = evidence_factor(trace_q(j->t, step - 1, x->bucket, x->tensor), x->m * x->r, &lacks);
        *found = ONE_STEP_STATE;
    }
    bool kept = !fresh || (wanted == ONE_STEP_AS_IF_KEPT && step > j->c->config.start_iter);
    bool knows_out = kept && evidence_at(&j->e, step - 1, tensor)->knows_out;
    if (knows_out && q == NULL && (any || wanted == ONE_STEP_OUTPUTS || wanted == ONE_STEP_AS_IF_KEPT)) {
        const double *out = evidence_out(&j->e, step - 1, tensor);
        if (all_finite(out, x->n * x->m)) {
            q = calloc(x->m * x->r, sizeof *q);
            lacks = lacks || q == NULL || !row_space(q, out, x->n, x->m, x->r);
            *found = ONE_STEP_OUTPUTS;
        }
    }
    if (lacks) {
        judging_lacks_memory(j);
        free(q);
        q = NULL;
    }
    return q;
}

one_step_source one_step_model(model_output *model, judging *j, int64_t step, size_t tensor, one_step_source wanted)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    one_step_source found = ONE_STEP_NONE;
    const double *mean = evidence_mean(&j->e, step, tensor);
    if (!evidence_at(&j->e, step, tensor)->knows_mean) {
        return ONE_STEP_NONE;
    }
    double *q = starting_q(j, step, tensor, wanted, &found);
    if (q == NULL || !all_finite(q, x->m * x->r) || !all_finite(mean, x->n * x->m)) {
        free(q);
        return ONE_STEP_NONE;
    }
    model_input input = {.n = x->n,
                         .m = x->m,
                         .r = x->r,
                         .mbar = mean,
                         .q = q,
                         .dtype = j->c->dtype,
                         .epsilon = j->e.epsilon,
                         .world = j->c->world,
                         .q_is_orthonormal_basis = found == ONE_STEP_OUTPUTS};
    if (!model_step(model, &input)) {
        judging_lacks_memory(j);
        found = ONE_STEP_NONE;
    }
    free(q);
    return found;
}
