/* model_run.c: the model over a whole case: plain phase, buckets, error feedback, warm start (contract: model.h).
 *
 * Everything happens on means over the ranks: Mbar = Gbar + Ebar, and Ebar = Mbar - out afterwards, for uncompressed
 * tensors too (there it is zero, or NaN where the input was not finite, as in the hook). Layerwise and flattened
 * variants differ in the plan of model_case.c only. Next: amplification.c. */
#include "judge/linalg.h"
#include "judge/model_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is kept from step to step. */
typedef struct memory {
    double **error; /* [bucket_count][stored]: the mean error; zero at first */
    double **q;     /* [tensor_count]: the averaged Q of the last step, null: none yet */
} memory;

static void memory_free(memory *kept, const model_case *mc)
{
    for (size_t b = 0; kept->error != NULL && b < mc->bucket_count; b++) {
        free(kept->error[b]);
    }
    for (size_t i = 0; kept->q != NULL && i < mc->tensor_count; i++) {
        free(kept->q[i]);
    }
    free(kept->error);
    free(kept->q);
}

static bool memory_make(memory *kept, const model_case *mc)
{
    *kept = (memory){.error = calloc(mc->bucket_count + 1, sizeof *kept->error),
                     .q = calloc(mc->tensor_count + 1, sizeof *kept->q)};
    bool ok = kept->error != NULL && kept->q != NULL;
    for (size_t b = 0; ok && b < mc->bucket_count; b++) {
        kept->error[b] = model_doubles(mc->buckets[b].stored, 1);
        ok = kept->error[b] != NULL;
    }
    return ok;
}

/* q[m r]: the Q that this step starts from. */
static void starting_q(double *q, const memory *kept, const model_case *mc, const model_matrix *matrix, size_t step,
                       size_t bucket, size_t tensor)
{
    size_t count = matrix->m * matrix->r;
    const double *warm = kept->q[mc->buckets[bucket].first_tensor + tensor];
    if (mc->source->config.warm_start && warm != NULL) {
        memcpy(q, warm, count * sizeof *q);
        return;
    }
    const values *drawn = case_q0(mc->source, (int64_t)step, bucket, tensor);
    if (drawn != NULL && drawn->data != NULL && drawn->count == count) {
        values_to_double(q, drawn);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        q[i] = NAN; /* the case does not say: nothing can be known */
    }
}

/* Moves a step's p, q and verdicts to where they are wanted. */
static bool keep_step(model_pass *pass, memory *kept, model_output *step, size_t entry, size_t tensor, size_t previous,
                      size_t q_count)
{
    free(kept->q[tensor]);
    kept->q[tensor] = step->q;
    step->q = NULL;
    if (pass->p != NULL) {
        pass->p[entry] = step->p;
        step->p = NULL;
    }
    if (pass->q != NULL) {
        pass->q[entry] = model_doubles(q_count, 1);
        if (pass->q[entry] == NULL) {
            return false;
        }
        memcpy(pass->q[entry], kept->q[tensor], q_count * sizeof **pass->q);
    }
    if (pass->kappa != NULL) {
        double before = pass->kappa[previous];
        pass->kappa[entry] = isnan(step->kappa) || step->kappa > before ? step->kappa : before;
    }
    if (pass->reference_inaccurate != NULL) {
        pass->reference_inaccurate[entry] = step->reference_inaccurate || pass->reference_inaccurate[previous];
    }
    return true;
}

static bool compress(model_pass *pass, memory *kept, double *out, const double *mbar, const model_case *mc, size_t step,
                     size_t bucket, size_t tensor, noise *z)
{
    const model_bucket *plan = &mc->buckets[bucket];
    const model_matrix *matrix = &plan->matrices[tensor];
    const psgd_config *config = &mc->source->config;
    size_t index = plan->first_tensor + tensor, entry = step * mc->tensor_count + index;
    size_t previous = step == 0 ? entry : entry - mc->tensor_count;
    double *q = model_doubles(matrix->m, matrix->r);
    if (q == NULL) {
        return false;
    }
    starting_q(q, kept, mc, matrix, step, bucket, tensor);
    model_input input = {.n = matrix->n,
                         .m = matrix->m,
                         .r = matrix->r,
                         .mbar = mbar + matrix->offset,
                         .q = q,
                         .dtype = mc->source->dtype,
                         .epsilon = epsilon_in_use(config, mc->source->dtype),
                         .world = mc->source->world};
    model_output result;
    bool ok = model_step_noisy(&result, &input, z, pass->kappa != NULL);
    free(q);
    if (ok) {
        memcpy(out + matrix->offset, result.out, matrix->n * matrix->m * sizeof *out);
        ok = keep_step(pass, kept, &result, entry, index, previous, matrix->m * matrix->r);
        model_output_free(&result);
    }
    return ok;
}

static bool run_bucket(model_pass *pass, memory *kept, const model_case *mc, size_t step, size_t bucket, noise *z)
{
    const model_bucket *plan = &mc->buckets[bucket];
    size_t at = step * mc->bucket_count + bucket, stored = plan->stored;
    bool remembers = mc->source->config.use_error_feedback && mc->compresses[at];
    double *mbar = model_doubles(stored, 1), *out = model_doubles(stored, 1), *error = kept->error[bucket];
    bool ok = mbar != NULL && out != NULL;
    for (size_t i = 0; ok && i < stored; i++) {
        mbar[i] = mc->mean[at][i] + (remembers ? error[i] : 0);
    }
    if (ok) {
        noise_apply_mean(z, mbar, mc->spread[at], stored);
        memcpy(out, mbar, stored * sizeof *out); /* whatever is not compressed: the mean */
    }
    for (size_t i = 0; ok && mc->compresses[at] && i < plan->matrix_count; i++) {
        if (plan->matrices[i].compressed) {
            ok = compress(pass, kept, out, mbar, mc, step, bucket, i, z);
        }
    }
    for (size_t i = 0; ok && mc->compresses[at] && plan->refused && i < stored; i++) {
        out[i] = NAN;
    }
    if (ok && remembers) {
        for (size_t i = 0; i < stored; i++) {
            error[i] = mc->forgets_padding && i >= plan->numel ? 0 : mbar[i] - out[i];
        }
        noise_apply_mean(z, error, mc->spread[at], stored);
    }
    pass->out[at] = out;
    if (pass->mbar != NULL) {
        pass->mbar[at] = mbar;
    } else {
        free(mbar);
    }
    return ok;
}

bool model_pass_run(model_pass *pass, const model_case *mc, noise *z)
{
    memory kept;
    bool ok = memory_make(&kept, mc);
    for (size_t t = 0; ok && t < mc->steps; t++) {
        for (size_t b = 0; ok && b < mc->bucket_count; b++) {
            ok = run_bucket(pass, &kept, mc, t, b, z);
        }
    }
    memory_free(&kept, mc);
    return ok;
}

/* scale[steps * tensors]: S = sqrt(mean_k ||M_k||_F^2) of every tensor, from Mbar and the spread. */
static void find_scales(double *scale, const model_case *mc, const model_pass *pass)
{
    for (size_t t = 0; t < mc->steps; t++) {
        for (size_t b = 0; b < mc->bucket_count; b++) {
            const model_bucket *plan = &mc->buckets[b];
            size_t at = t * mc->bucket_count + b;
            for (size_t i = 0; i < plan->matrix_count; i++) {
                const model_matrix *matrix = &plan->matrices[i];
                size_t count = matrix->n * matrix->m;
                double spread = 0;
                for (size_t j = 0; j < count; j++) {
                    spread += mc->spread[at][matrix->offset + j];
                }
                scale[t * mc->tensor_count + plan->first_tensor + i] =
                    hypot(norm_frobenius(pass->mbar[at] + matrix->offset, count), sqrt(spread));
            }
        }
    }
}

bool model_run_case(model_run *run, const test_case *c, int noise_runs)
{
    *run = (model_run){0};
    model_case mc;
    if (!model_case_make(&mc, c)) {
        return false;
    }
    size_t buckets = mc.steps * mc.bucket_count, tensors = mc.steps * mc.tensor_count;
    double **mbar = calloc(buckets + 1, sizeof *mbar);
    run->out = calloc(buckets + 1, sizeof *run->out);
    run->p = calloc(tensors + 1, sizeof *run->p);
    run->q = calloc(tensors + 1, sizeof *run->q);
    run->kappa = model_doubles(tensors, 1);
    run->amplification = model_doubles(tensors, 1);
    run->scale = model_doubles(tensors, 1);
    run->reference_inaccurate = calloc(tensors + 1, sizeof *run->reference_inaccurate);
    bool ok = mbar != NULL && run->out != NULL && run->p != NULL && run->q != NULL && run->kappa != NULL &&
              run->amplification != NULL && run->scale != NULL && run->reference_inaccurate != NULL;
    if (ok) {
        model_pass pass = {.out = run->out,
                           .p = run->p,
                           .q = run->q,
                           .mbar = mbar,
                           .kappa = run->kappa,
                           .reference_inaccurate = run->reference_inaccurate};
        ok = model_pass_run(&pass, &mc, NULL);
        if (ok) {
            find_scales(run->scale, &mc, &pass);
            ok = model_amplification(run->amplification, &mc, &pass, run->scale, noise_runs);
        }
    }
    for (size_t i = 0; mbar != NULL && i < buckets; i++) {
        free(mbar[i]);
    }
    free(mbar);
    model_case_free(&mc);
    if (!ok) {
        model_run_free(run, c);
    }
    return ok;
}

bool model_run_forgetful(model_run *run, const test_case *c)
{
    *run = (model_run){0};
    model_case mc;
    if (!model_case_make(&mc, c)) {
        return false;
    }
    mc.forgets_padding = true;
    run->out = calloc(mc.steps * mc.bucket_count + 1, sizeof *run->out);
    model_pass pass = {.out = run->out};
    bool ok = run->out != NULL && model_pass_run(&pass, &mc, NULL);
    model_case_free(&mc);
    if (!ok) {
        model_run_free(run, c);
    }
    return ok;
}

void model_run_free(model_run *run, const test_case *c)
{
    size_t buckets = (size_t)c->steps * c->bucket_count, tensors = 0;
    for (size_t b = 0; b < c->bucket_count; b++) {
        tensors += (size_t)c->steps * c->tensor_counts[b];
    }
    for (size_t i = 0; run->out != NULL && i < buckets; i++) {
        free(run->out[i]);
    }
    for (size_t i = 0; i < tensors; i++) {
        if (run->p != NULL) {
            free(run->p[i]);
        }
        if (run->q != NULL) {
            free(run->q[i]);
        }
    }
    free(run->out);
    free(run->p);
    free(run->q);
    free(run->kappa);
    free(run->amplification);
    free(run->scale);
    free(run->reference_inaccurate);
    *run = (model_run){0};
}
