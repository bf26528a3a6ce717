/* law_exactness.c: input that low rank loses nothing of comes out as the mean. SEL-002: r' = min(n, m), so that P spans
 * everything. AGG-005: Mb has rank exactly r' (its singular values after the r'-th are below the rounding of its
 * elements); under torch, on the QR path, also below r'. The limit is row 6's, 10 u S g: P = Mb Q is a basis of all of
 * Mb's columns, and what rounding does to it is g, the model's own number. From an unknown first Q nothing is judged.
 */
#include "judge/judging.h"

#include "judge/linalg.h"
#include "judge/one_step.h"

#include <stdlib.h>

static bool loses_nothing(const judging *j, int64_t step, size_t tensor, bool *clipped)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const tensor_evidence *at = evidence_at(&j->e, step, tensor);
    size_t least = x->n < x->m ? x->n : x->m;
    *clipped = x->r == least;
    bool has_rank = at->sigma_r > 10 * j->e.u * at->scale;
    bool below = j->torch && !x->gram_schmidt;
    return *clipped || (at->sigma_next <= j->e.u * at->scale && (has_rank || below));
}

static bool judge_tensor(judging *j, probe *clip, probe *low, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    bool clipped, ok = true;
    if (!loses_nothing(j, step, tensor, &clipped)) {
        return true;
    }
    model_output model;
    one_step_source from = one_step_model(&model, j, step, tensor, ONE_STEP_ANY);
    if (from == ONE_STEP_NONE) {
        return true;
    }
    double g = model.gamma + (x->gram_schmidt || !j->torch ? model.kappa : 0);
    if (from == ONE_STEP_OUTPUTS) { /* Q is known only as well as the previous output's rows are: row 6b */
        double *basis = calloc(x->n * x->r, sizeof *basis), condition = 0;
        if (basis == NULL ||
            !leading_columns(basis, &condition, evidence_out(&j->e, step - 1, tensor), x->n, x->m, x->r)) {
            judging_lacks_memory(j);
        }
        free(basis);
        g += condition;
    }
    if (!model.reference_inaccurate) {
        check_place place = place_of(j, step, tensor, STAGE_OUT);
        bool by_clipping = clipped && !j->e.flattened; /* the flattened variant clips nothing: there r is the side */
        ok = probe_compare(j, by_clipping ? clip : low, evidence_out(&j->e, step, tensor),
                           evidence_mean(&j->e, step, tensor), x->n, x->m,
                           j->e.u * evidence_at(&j->e, step, tensor)->scale * g, &place);
    }
    model_output_free(&model);
    return ok;
}

void judge_exactness(judging *j)
{
    probe clip = probe_for("PSGD-SEL-002", LIMIT_ONE_STEP), low = probe_for("PSGD-AGG-005", LIMIT_ONE_STEP);
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        for (int64_t step = j->c->config.start_iter; step < j->e.steps; step++) {
            if (judging_is_regular(j, i, step) && judging_projects(j, i) && !judge_tensor(j, &clip, &low, step, i)) {
                judging_stop(j, i, step);
            }
        }
    }
}
