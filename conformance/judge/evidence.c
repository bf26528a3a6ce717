/* evidence.c: gathers what the laws need (contract: evidence.h). It trusts nothing of a trace: arrays of another size
 * or type than the case's count as not shown. Means are summed in long double, so that the judge's own rounding stays
 * below half a unit of f64. */
#include "judge/evidence_internal.h"

#include "judge/linalg.h"
#include "judge/model.h"

#include <math.h>
#include <stdlib.h>

bool evidence_is_compressed_step(const evidence *e, int64_t step)
{
    return step >= e->c->config.start_iter;
}

bool evidence_is_fresh(const evidence *e, int64_t step)
{
    return step == e->c->config.start_iter || !e->c->config.warm_start;
}

static double *part(double *const *of, const evidence *e, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &e->tensors[tensor];
    double *bucket = of[(size_t)step * e->c->bucket_count + x->bucket];
    return bucket == NULL ? NULL : bucket + x->offset;
}

const double *evidence_out(const evidence *e, int64_t step, size_t tensor)
{
    return part(e->out, e, step, tensor);
}

const double *evidence_gradient(const evidence *e, int64_t step, size_t tensor)
{
    return part(e->gradient, e, step, tensor);
}

const double *evidence_mean(const evidence *e, int64_t step, size_t tensor)
{
    return part(e->mean, e, step, tensor);
}

const double *evidence_error(const evidence *e, int64_t step, size_t tensor)
{
    return part(e->error, e, step, tensor);
}

const tensor_evidence *evidence_at(const evidence *e, int64_t step, size_t tensor)
{
    return &e->at[(size_t)step * e->tensor_count + tensor];
}

size_t evidence_model_entry(const evidence *e, int64_t step, size_t tensor)
{
    size_t before = tensor;
    if (e->flattened) { /* the model counts tensors, and has a square's numbers at the bucket's first one */
        before = 0;
        for (size_t b = 0; b < e->tensors[tensor].bucket; b++) {
            before += e->c->tensor_counts[b];
        }
    }
    return (size_t)step * e->case_tensors + before;
}

double *evidence_part(const evidence *e, const values *bucket, size_t tensor, bool *out_of_memory)
{
    const evidence_tensor *x = &e->tensors[tensor];
    size_t numel = e->c->numel[x->bucket], count = x->n * x->m;
    bool padded = bucket != NULL && e->flattened && bucket->count == count;
    if (bucket == NULL || bucket->data == NULL || (bucket->count != numel && !padded)) {
        return NULL;
    }
    double *result = evidence_doubles(count);
    if (result == NULL) {
        *out_of_memory = true;
        return NULL;
    }
    for (size_t i = 0; i < (padded ? count : x->length); i++) {
        result[i] = values_get(bucket, x->offset + i);
    }
    return result;
}

double *evidence_factor(const values *factor, size_t count, bool *out_of_memory)
{
    if (factor == NULL || factor->data == NULL || factor->count != count) {
        return NULL;
    }
    double *result = evidence_doubles(count);
    if (result == NULL) {
        *out_of_memory = true;
        return NULL;
    }
    values_to_double(result, factor);
    return result;
}

static bool shows_out(const test_case *c, const trace *t, int64_t step, size_t bucket, int rank)
{
    const values *out = trace_out(t, step, bucket, rank);
    return out->data != NULL && out->count == c->numel[bucket] && out->dtype == c->dtype;
}

static void find_difference(evidence *e, int64_t step, size_t bucket, int rank)
{
    const values *a = trace_out(e->t, step, bucket, 0), *b = trace_out(e->t, step, bucket, rank);
    e->differ_at = step;
    e->differ_bucket = (int64_t)bucket;
    e->differ_rank = rank;
    for (size_t i = 0; i < a->count; i++) {
        double x = values_get(a, i), y = values_get(b, i);
        if (x != y && !(isnan(x) && isnan(y))) { /* bits of NaNs may be all that differs: then element 0 is shown */
            e->differ_element = i;
            return;
        }
    }
}

/* Steps that all ranks finished alike. */
static void count_steps(evidence *e)
{
    const test_case *c = e->c;
    const trace *t = e->t;
    e->differ_at = -1;
    bool fits = t->bucket_count == c->bucket_count && t->world == c->world;
    int64_t last = !fits ? 0 : t->steps < c->steps ? t->steps : c->steps;
    for (e->steps = 0; e->steps < last; e->steps++) {
        for (size_t b = 0; b < c->bucket_count; b++) {
            for (int k = 0; k < c->world; k++) {
                if (!shows_out(c, t, e->steps, b, k)) {
                    return;
                }
                if (k > 0 && !values_equal_bits(trace_out(t, e->steps, b, 0), trace_out(t, e->steps, b, k))) {
                    find_difference(e, e->steps, b, k);
                    return;
                }
            }
        }
    }
}

/* How many elements of E all ranks show: all that are stored, those of the bucket without its padding, or 0: none. */
static size_t shown_error(const evidence *e, int64_t step, size_t bucket, size_t stored)
{
    size_t shown = stored;
    for (int k = 0; k < e->c->world; k++) {
        const values *error = trace_error(e->t, step, bucket, k);
        if (error->data == NULL || (error->count != stored && error->count != e->c->numel[bucket])) {
            return 0;
        }
        shown = error->count < shown ? error->count : shown;
    }
    return shown;
}

/* One bucket's rolling memory. own[world * stored]: E_k = M_k - out, kept whatever is shown. */
typedef struct memory {
    double *own;
    double *squares;  /* [stored]: mean_k M_k^2 of this step */
    size_t stored;    /* elements of the bucket, with the flattened variant's padding */
    bool knows_own;   /* the padding of own, too */
    size_t was_shown; /* elements of E after the step before */
} memory;

/* Fills out, gradient, mean, error of one step and bucket, and moves the memory on. *known: the padding is known of
 * them. */
static bool fill_step(evidence *e, memory *mem, tensor_evidence *known, int64_t step, size_t bucket)
{
    const test_case *c = e->c;
    size_t numel = c->numel[bucket], stored = mem->stored, at = (size_t)step * c->bucket_count + bucket;
    int world = c->world;
    bool compressed = evidence_is_compressed_step(e, step);
    bool remembers = c->config.use_error_feedback && step > c->config.start_iter;
    size_t shown_before = remembers ? mem->was_shown : 0;
    size_t shown = compressed ? shown_error(e, step, bucket, stored) : 0;
    e->out[at] = evidence_doubles(stored);
    e->gradient[at] = evidence_doubles(stored);
    e->mean[at] = evidence_doubles(stored);
    e->error[at] = shown > 0 ? evidence_doubles(stored) : NULL;
    if (e->out[at] == NULL || e->gradient[at] == NULL || e->mean[at] == NULL || (shown > 0 && e->error[at] == NULL)) {
        return false;
    }
    values_to_double(e->out[at], trace_out(e->t, step, bucket, 0)); /* of numel */
    bool from_factors = false;
    if (compressed && stored > numel && !evidence_padding_from_factors(&from_factors, e->out[at], e, step, bucket)) {
        return false;
    }
    known->knows_mean = stored == numel || !remembers || shown_before == stored || mem->knows_own;
    known->knows_error = shown == stored;
    known->padding_by_factors = from_factors;
    known->knows_out = stored == numel || !compressed || from_factors || (known->knows_mean && shown == stored);
    for (size_t i = 0; i < stored; i++) {
        long double sum = 0, mean = 0, squares = 0, error = 0;
        bool padding = i >= numel;
        for (int k = 0; k < world; k++) {
            double g = padding ? 0 : values_get(case_in(c, step, bucket, k), i);
            double before = !remembers || (padding && !known->knows_mean) ? 0
                            : i < shown_before ? values_get(trace_error(e->t, step - 1, bucket, k), i)
                                               : mem->own[(size_t)k * stored + i];
            long double m = (long double)g + before;
            sum += g;
            mean += m;
            squares += m * m;
            error += i < shown ? values_get(trace_error(e->t, step, bucket, k), i) : 0;
            mem->own[(size_t)k * stored + i] = (double)(m - e->out[at][i]);
        }
        e->gradient[at][i] = (double)(sum / world);
        e->mean[at][i] = (double)(mean / world);
        mem->squares[i] = (double)(squares / world);
        if (shown > 0) {
            e->error[at][i] = (double)(error / world);
        }
        if (padding && compressed && !from_factors && known->knows_out) { /* own's padding is not used: E is shown */
            e->out[at][i] = (double)((mean - error) / world);
        }
    }
    mem->knows_own = known->knows_mean && known->knows_out;
    mem->was_shown = shown;
    return true;
}

/* The hidden E of an uncompressed tensor may be zero (other ports) or local minus mean (the hook): its mean is zero but
 * for rounding in both, so the expected output is the mean gradient. */
static void settle_uncompressed(evidence *e, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &e->tensors[tensor];
    bool remembers = e->c->config.use_error_feedback && step > e->c->config.start_iter;
    if (!remembers || x->compressed || evidence_error(e, step - 1, tensor) != NULL) {
        return;
    }
    double *mean = part(e->mean, e, step, tensor);
    const double *plain = evidence_gradient(e, step, tensor);
    for (size_t i = 0; i < x->n * x->m; i++) {
        mean[i] = plain[i];
    }
}

/* S, but no smaller than where rounding stops being relative: u S is at least the type's smallest number, times the
 * root of the count as norms go. Zero stays zero. */
static double scale_of(const evidence *e, double norm, const evidence_tensor *x)
{
    double least = type_smallest(e->c->dtype) / e->u * sqrt((double)x->n * (double)x->m);
    return norm > 0 && norm < least ? least : norm;
}

/* first_tensor, count: the tensors of this bucket. */
static bool fill_bucket(evidence *e, size_t bucket, size_t first_tensor, size_t count)
{
    const test_case *c = e->c;
    const evidence_tensor *first = &e->tensors[first_tensor];
    memory mem = {.stored = e->flattened && count > 0 ? first->n * first->m : c->numel[bucket]};
    bool ok = mem.stored == 0 || (size_t)c->world <= SIZE_MAX / mem.stored;
    mem.own = evidence_doubles(ok ? mem.stored * (size_t)c->world : 0);
    mem.squares = evidence_doubles(mem.stored);
    ok = ok && mem.own != NULL && mem.squares != NULL;
    for (int64_t step = 0; ok && step < e->steps; step++) {
        tensor_evidence known = {.regard = REGARD_FULL};
        ok = fill_step(e, &mem, &known, step, bucket);
        for (size_t i = 0; ok && i < count; i++) {
            size_t tensor = first_tensor + i;
            const evidence_tensor *x = &e->tensors[tensor];
            double *roots = mem.squares + x->offset;
            for (size_t j = 0; j < x->n * x->m; j++) {
                roots[j] = sqrt(roots[j]);
            }
            known.scale = scale_of(e, norm_frobenius(roots, x->n * x->m), x);
            e->at[(size_t)step * e->tensor_count + tensor] = known;
            settle_uncompressed(e, step, tensor);
            ok = evidence_regard(e, step, tensor);
        }
    }
    free(mem.own);
    free(mem.squares);
    return ok;
}

bool evidence_build(evidence *e, const test_case *c, const trace *t)
{
    *e = (evidence){.c = c, .t = t, .u = type_epsilon(c->dtype)};
    e->flattened = c->config.variant == PSGD_FLATTENED;
    e->epsilon = epsilon_in_use(&c->config, c->dtype);
    count_steps(e);
    bool ok = evidence_list_tensors(e);
    size_t steps = (size_t)e->steps;
    e->plain_only = e->steps <= c->config.start_iter;
    e->out = calloc(steps * c->bucket_count + 1, sizeof *e->out);
    e->gradient = calloc(steps * c->bucket_count + 1, sizeof *e->gradient);
    e->mean = calloc(steps * c->bucket_count + 1, sizeof *e->mean);
    e->error = calloc(steps * c->bucket_count + 1, sizeof *e->error);
    e->at = calloc(steps * e->tensor_count + 1, sizeof *e->at);
    ok = ok && e->out != NULL && e->gradient != NULL && e->mean != NULL && e->error != NULL && e->at != NULL;
    size_t first = 0;
    for (size_t b = 0; ok && b < c->bucket_count; b++) {
        size_t count = c->buckets[b].tensor_count;
        count = e->flattened && count > 0 ? 1 : count;
        ok = fill_bucket(e, b, first, count);
        first += count;
    }
    for (size_t i = 0; ok && i < e->tensor_count; i++) {
        e->judged_until[i] = e->steps;
    }
    if (!ok) {
        evidence_free(e);
    }
    return ok;
}

static void free_all(double **arrays, size_t count)
{
    for (size_t i = 0; arrays != NULL && i < count; i++) {
        free(arrays[i]);
    }
    free(arrays);
}

void evidence_free(evidence *e)
{
    size_t count = e->c == NULL ? 0 : (size_t)e->steps * e->c->bucket_count;
    free_all(e->out, count);
    free_all(e->gradient, count);
    free_all(e->mean, count);
    free_all(e->error, count);
    free(e->at);
    free(e->tensors);
    free(e->judged_until);
    *e = (evidence){0};
}
