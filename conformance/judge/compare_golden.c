/* compare_golden.c: the port against what PyTorch's hook did on the same case from the same Q.
 *
 * Both the hook and the port may be off the exact result by row 8 of their own, so row 8's limit is what their
 * difference is held against; E adds up the steps before it. P and Q are compared (torch) right after a draw, where
 * both start from the same state. Statistics and seeds are exact. */
#include "judge/judging.h"

#include "harness/case_internal.h"
#include "judge/linalg.h"

#include <math.h>
#include <stdlib.h>

typedef struct probes {
    probe drawn, carried, error, p_gs, p_qr, q, dead, visible, counts;
} probes;

/* Row 10: the Q that the hook drew, as the golden file has it, is the one that the kit's chain draws from the seed. */
static void judge_seeds(judging *j)
{
    size_t total = (size_t)j->c->steps * j->e.case_tensors;
    test_case own = *j->c;
    char message[128];
    own.q0 = calloc(total + 1, sizeof *own.q0);
    if (own.q0 == NULL || !case_draw_q0(&own, message, sizeof message)) {
        judging_lacks_memory(j);
        total = own.q0 == NULL ? 0 : total;
    } else {
        probe seeds = probe_for("PSGD-RND-002", LIMIT_SEEDS);
        for (int64_t step = j->c->config.start_iter; step < j->c->steps; step++) {
            for (size_t i = 0; i < j->e.tensor_count; i++) {
                size_t bucket = j->e.tensors[i].bucket, tensor = j->e.tensors[i].tensor;
                const values *drawn = case_q0(&own, step, bucket, tensor);
                const values *hook = case_q0(j->c, step, bucket, tensor);
                check_place place = place_of(j, step, i, STAGE_Q);
                if (drawn->data != NULL && hook->data != NULL) {
                    probe_expect(j, &seeds, values_equal_bits(drawn, hook), &place,
                                 "the golden file's Q is not what the seed draws");
                }
            }
        }
    }
    for (size_t i = 0; i < total; i++) {
        values_free(&own.q0[i]);
    }
    free(own.q0);
}

/* Where the hook's result is zero or not finite throughout, so is the port's (torch). */
static void judge_pattern(judging *j, probes *p, int64_t step, size_t tensor, const double *hook)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const tensor_evidence *at = evidence_at(&j->e, step, tensor);
    const double *out = evidence_out(&j->e, step, tensor);
    check_place place = place_of(j, step, tensor, STAGE_OUT);
    for (size_t i = 0; i < x->length; i++) {
        place.row = (int64_t)(i / x->m);
        place.column = (int64_t)(i % x->m);
        place.got = out[i];
        place.expected = hook[i];
        if (at->regard == REGARD_NONFINITE && !isfinite(hook[i]) &&
            !probe_expect(j, &p->visible, !isfinite(out[i]), &place, "PyTorch's hook gives NaN here")) {
            return;
        }
        if (at->scale > 0 && all_zero(hook, x->length) &&
            !probe_expect(j, &p->dead, out[i] == 0, &place, "PyTorch's hook gives zeros here")) {
            return;
        }
    }
}

/* A factor right after its draw. */
static void judge_factor(judging *j, probe *p, const values *own, const values *hook, int64_t step, size_t tensor,
                         size_t rows, double unit, check_stage stage)
{
    size_t count = rows * j->e.tensors[tensor].r;
    bool lacks = false;
    double *a = evidence_factor(own, count, &lacks), *b = evidence_factor(hook, count, &lacks);
    if (lacks) {
        judging_lacks_memory(j);
    } else if (a != NULL && b != NULL) {
        check_place place = place_of(j, step, tensor, stage);
        probe_compare(j, p, a, b, rows, j->e.tensors[tensor].r, unit, &place);
    }
    free(a);
    free(b);
}

static bool judge_error(judging *j, probe *p, int64_t step, size_t tensor, double unit)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    bool ok = true, lacks = false;
    for (int k = 0; ok && k < j->c->world; k++) {
        double *own = evidence_part(&j->e, trace_error(j->t, step, x->bucket, k), tensor, &lacks);
        double *hook = evidence_part(&j->e, trace_error(j->c->expected, step, x->bucket, k), tensor, &lacks);
        if (lacks) {
            judging_lacks_memory(j);
        } else if (own != NULL && hook != NULL) {
            check_place place = place_of(j, step, tensor, STAGE_ERROR);
            place.rank = k;
            ok = probe_compare_shown(j, p, own, hook, tensor, unit, &place); /* padding: law_flattened.c */
        }
        free(own);
        free(hook);
    }
    return ok;
}

/* A compressed tensor of one step; *sum: K_t added up over its steps. False: what follows is spoiled. */
static bool judge_tensor(judging *j, probes *p, int64_t step, size_t tensor, const double *hook, double *sum)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    const model_run *run = j->free_running;
    size_t at = evidence_model_entry(&j->e, step, tensor);
    bool projects = judging_projects(j, tensor) || (j->torch && x->gram_schmidt);
    if (run == NULL || !projects || run->reference_inaccurate[at] ||
        !(run->amplification[at] * j->e.u <= SKIP_CONDITION)) {
        return false;
    }
    double amplification = run->amplification[at] + (x->gram_schmidt || !j->torch ? run->kappa[at] : 0);
    double unit = j->e.u * judging_scale(j, step, tensor);
    check_place place = place_of(j, step, tensor, STAGE_OUT);
    bool first = step == j->c->config.start_iter;
    *sum += amplification;
    if (!probe_compare_shown(j, first ? &p->drawn : &p->carried, evidence_out(&j->e, step, tensor), hook, tensor,
                             unit * amplification, &place)) {
        judging_stop(j, tensor, step);
        return false;
    }
    if (!j->torch) {
        return true;
    }
    if (first && run->kappa[at] * j->e.u <= SKIP_CONDITION) {
        const trace *t = j->t, *g = j->c->expected;
        judge_factor(j, x->gram_schmidt ? &p->p_gs : &p->p_qr, trace_p(t, step, x->bucket, x->tensor),
                     trace_p(g, step, x->bucket, x->tensor), step, tensor, x->n, j->e.u * run->kappa[at],
                     STAGE_P_ORTHOGONAL);
        judge_factor(j, &p->q, trace_q(t, step, x->bucket, x->tensor), trace_q(g, step, x->bucket, x->tensor), step,
                     tensor, x->m, unit * (run->kappa[at] + amplification), STAGE_NEW_Q);
    }
    if (!judge_error(j, &p->error, step, tensor, unit * *sum)) {
        judging_stop(j, tensor, step + 1);
        return false;
    }
    return true;
}

static void judge_counts(judging *j, probe *p)
{
    for (int64_t step = j->c->config.start_iter; step < j->e.steps && step < j->c->expected->steps; step++) {
        const trace_statistics *own = &j->t->statistics[step], *hook = &j->c->expected->statistics[step];
        if (!own->shown || !hook->shown) {
            continue;
        }
        check_place place = CHECK_NOWHERE;
        place.step = step;
        place.stage = STAGE_STATE;
        place.got = (double)own->value.numel_after_compression;
        place.expected = (double)hook->value.numel_after_compression;
        probe_expect(j, p,
                     own->value.numel_before_compression == hook->value.numel_before_compression &&
                         own->value.numel_after_compression == hook->value.numel_after_compression &&
                         fabs(own->value.compression_rate - hook->value.compression_rate) <=
                             0x1p-52 * fabs(hook->value.compression_rate),
                     &place, "statistics differ from PyTorch's hook's");
    }
}

void judge_golden(judging *j)
{
    if (j->c->expected == NULL) {
        return;
    }
    const psgd_config *config = &j->c->config;
    const char *carried = config->use_error_feedback ? "PSGD-EF-004"
                          : config->warm_start       ? "PSGD-WRM-001"
                                                     : "PSGD-WRM-003";
    probes p = {.drawn = probe_for(j->torch && !j->t->q_given ? "PSGD-RND-002" : "PSGD-AGG-002", LIMIT_GOLDEN),
                .carried = probe_for(carried, LIMIT_GOLDEN),
                .error = probe_for("PSGD-EF-002", LIMIT_GOLDEN),
                .p_gs = probe_for("PSGD-ORT-002", LIMIT_FACTOR),
                .p_qr = probe_for("PSGD-ORT-003", LIMIT_FACTOR),
                .q = probe_for("PSGD-WRM-002", LIMIT_FACTOR),
                .dead = probe_for("PSGD-NUM-004", LIMIT_EXACT),
                .visible = probe_for("PSGD-NUM-001", LIMIT_EXACT),
                .counts = probe_for("PSGD-STA-001", LIMIT_EXACT)};
    if (case_is_seeded(j->c)) {
        judge_seeds(j);
    }
    if (j->torch) {
        judge_counts(j, &p.counts);
    }
    for (size_t i = 0; j->q_known && i < j->e.tensor_count; i++) {
        const evidence_tensor *x = &j->e.tensors[i];
        double sum = 0;
        bool alike = x->compressed;
        for (int64_t step = config->start_iter; step < j->e.steps && step < j->c->expected->steps; step++) {
            bool lacks = false;
            double *hook = evidence_part(&j->e, trace_out(j->c->expected, step, x->bucket, 0), i, &lacks);
            if (lacks) {
                judging_lacks_memory(j);
            }
            if (hook != NULL && judging_may(j, i, step)) {
                if (j->torch) {
                    judge_pattern(j, &p, step, i, hook);
                }
                alike = alike && judging_is_comparable(j, i, step) && judge_tensor(j, &p, step, i, hook, &sum);
            }
            free(hook);
        }
    }
}
