/* law_placement.c: SEL-007 at the first compressed step, where the bucket's compressed results are known (Q is): if all
 * values are there, and many not where they belong, then results were laid out in one order and cut up in another. This
 * only names such a fault, before each tensor on its own would be taken for a wrong projection; that results lie where
 * they should is what all other comparisons with the model say. Two tensors at least: within one it is its shape. */
#include "judge/judging.h"

#include "judge/linalg.h"
#include "judge/one_step.h"

#include <gsl/gsl_sort.h>
#include <stdlib.h>
#include <string.h>

/* Parts of the norm: values that are elsewhere differ by about all of it; rounding, by less than this; the sorted
 * values of two different matrices of some thousand elements, by more. */
#define DIFFERENT   0.1
#define SAME_VALUES 1e-4

static double part_of_norm(const double *got, const double *expected, size_t count)
{
    check_place unused = CHECK_NOWHERE;
    return difference_ratio(got, expected, 1, count, norm_frobenius(expected, count), &unused);
}

/* got[count], expected[count]: the compressed tensors of a bucket, one after the other. False: not known. */
static bool gather(double *got, double *expected, judging *j, size_t bucket)
{
    int64_t step = j->c->config.start_iter;
    size_t filled = 0;
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        const evidence_tensor *x = &j->e.tensors[i];
        size_t count = x->n * x->m;
        model_output model;
        if (x->bucket != bucket || !x->compressed) {
            continue;
        }
        if (!judging_is_regular(j, i, step) || !all_finite(evidence_out(&j->e, step, i), count) ||
            one_step_model(&model, j, step, i, ONE_STEP_DRAWN) == ONE_STEP_NONE) {
            return false;
        }
        memcpy(got + filled, evidence_out(&j->e, step, i), count * sizeof *got);
        memcpy(expected + filled, model.out, count * sizeof *expected);
        filled += count;
        model_output_free(&model);
    }
    return true;
}

/* The tensors that are not what they should be: the first is where, all are stopped. */
static void blame(judging *j, probe *p, size_t bucket, const double *got, const double *expected)
{
    int64_t step = j->c->config.start_iter;
    size_t at = 0;
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        const evidence_tensor *x = &j->e.tensors[i];
        if (x->bucket != bucket || !x->compressed) {
            continue;
        }
        if (part_of_norm(got + at, expected + at, x->n * x->m) > DIFFERENT) {
            check_place place = place_of(j, step, i, STAGE_OUT);
            difference_ratio(got + at, expected + at, x->n, x->m, 1, &place);
            probe_expect(j, p, false, &place, "the values of this bucket's results are right, but not their places");
            judging_stop(j, i, step);
        }
        at += x->n * x->m;
    }
}

static void judge_bucket(judging *j, probe *p, size_t bucket)
{
    size_t count = 0, tensors = 0;
    for (size_t i = 0; i < j->e.tensor_count; i++) {
        const evidence_tensor *x = &j->e.tensors[i];
        if (x->bucket == bucket && x->compressed) {
            count += x->n * x->m;
            tensors++;
        }
    }
    if (tensors < 2) {
        return;
    }
    double *got = calloc(2 * count, sizeof *got), *expected = calloc(2 * count, sizeof *expected);
    if (got == NULL || expected == NULL) {
        judging_lacks_memory(j);
    } else if (gather(got, expected, j, bucket) && part_of_norm(got, expected, count) > DIFFERENT) {
        double *got_sorted = got + count, *expected_sorted = expected + count;
        memcpy(got_sorted, got, count * sizeof *got);
        memcpy(expected_sorted, expected, count * sizeof *expected);
        gsl_sort(got_sorted, 1, count);
        gsl_sort(expected_sorted, 1, count);
        if (part_of_norm(got_sorted, expected_sorted, count) <= SAME_VALUES) {
            blame(j, p, bucket, got, expected);
        }
    }
    free(got);
    free(expected);
}

void judge_placement(judging *j)
{
    if (!j->torch || j->c->problem.flattened || j->e.steps <= j->c->config.start_iter) {
        return;
    }
    probe p = probe_for("PSGD-SEL-007", LIMIT_STRUCTURE);
    for (size_t b = 0; b < j->c->bucket_count; b++) {
        judge_bucket(j, &p, b);
    }
}
