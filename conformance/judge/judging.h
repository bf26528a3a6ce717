/* judging.h: what the judge's files share: one run under judgement, and probes, which are checks that open themselves
 * when first measured. A requirement whose claims are not tested opens no check, so laws need not ask. */
#ifndef CONFORMANCE_JUDGE_JUDGING_H
#define CONFORMANCE_JUDGE_JUDGING_H

#include "judge/evidence.h"
#include "judge/limits.h"
#include "judge/model.h"
#include "judge/verdict.h"

#define NOISE_RUNS 6 /* SPEC.md, the limits: K_t */

typedef struct judging {
    verdict *v;
    const test_case *c;
    const trace *t;
    uint64_t claims;
    bool torch;
    bool selection_known; /* which tensors are compressed: the hook's rule, or shapes that every rule treats alike */
    bool q_known;         /* the port started from the case's q0: handed in, or drawn by the same chain under torch */
    size_t first_check;
    evidence e;
    model_run *free_running; /* null: not made */
    model_run *forgetful;    /* the same of a flattened variant that forgets the error of the padding; null: not made */
} judging;

typedef struct probe {
    const char *requirement;
    limit_row row;
    bool opened;
    size_t index;
} probe;

static inline probe probe_for(const char *requirement_id, limit_row row)
{
    return (probe){.requirement = requirement_id, .row = row};
}

double judging_limit(const judging *j, limit_row row);            /* for the type of the case */
bool judging_tests(const judging *j, const char *requirement_id); /* are its claims tested? */
void judging_lacks_memory(judging *j);
/* For q_known: handed in, or drawn by the seeded chain, which half types have none of. */
bool judging_knows_q(const judging *j);

/* One comparison; true if it passed, or was not tested. power as in verdict_measure: of the row's limit. */
bool probe_measure(judging *j, probe *p, double ratio, double power, const check_place *place);
bool probe_measure_limit(judging *j, probe *p, double ratio, double most, double power, const check_place *place);
#if defined(__GNUC__)
__attribute__((format(printf, 5, 6)))
#endif
bool probe_expect(judging *j, probe *p, bool holds, const check_place *place, const char *format, ...);
/* The port does not show what this check needs: said once, if nothing else of the check was measured. */
void probe_unobserved(judging *j, probe *p, const char *reason);

/* Two matrices of n x m, their distance in units of `unit` (u S and so on): ratio = ||got - expected||_F / unit. The
 * place's row, column, got and expected become those of the largest deviation. power: limit * unit / ||expected||.
 * A NaN in either fails. */
bool probe_compare(judging *j, probe *p, const double *got, const double *expected, size_t n, size_t m, double unit,
                   const check_place *place);
bool probe_compare_limit(judging *j, probe *p, const double *got, const double *expected, size_t n, size_t m,
                         double unit, double most, const check_place *place);

/* The same of the elements of a tensor that results show: all, but for the flattened variant's padding. */
bool probe_compare_shown(judging *j, probe *p, const double *got, const double *expected, size_t tensor, double unit,
                         const check_place *place);

/* ||a - b||_F / unit, 0 if they are equal whatever the unit; and where they differ most. */
double difference_ratio(const double *got, const double *expected, size_t n, size_t m, double unit, check_place *place);
/* The same of a tensor's shown elements. */
double difference_ratio_shown(const judging *j, const double *got, const double *expected, size_t tensor, double unit,
                              check_place *place);

/* Step, bucket and tensor filled in. */
check_place place_of(const judging *j, int64_t step, size_t tensor, check_stage stage);

/* No stateful check may judge this tensor from this step on: what follows is spoiled. */
void judging_stop(judging *j, size_t tensor, int64_t step);
/* May a stateful check look at this tensor at this step? */
bool judging_may(const judging *j, size_t tensor, int64_t step);
/* The same, and it is compressed in this step and what went in is regular: its shown elements can be held against
 * known ones. */
bool judging_is_comparable(const judging *j, size_t tensor, int64_t step);
/* The same, and M and out are known as whole matrices (all but some of the flattened variant's are). */
bool judging_is_regular(const judging *j, size_t tensor, int64_t step);
/* Laws of a projection hold for any port here: epsilon 0, or QR under torch; not the alternating variant. */
bool judging_projects(const judging *j, size_t tensor);

/* S; where the flattened variant's padding is not known, the free-running model's. */
double judging_scale(const judging *j, int64_t step, size_t tensor);

/* Is the mean gradient the same in all compressed steps? (A constant case may begin with a zero matrix.) */
bool judging_is_fixed(const judging *j, size_t tensor);

/* The laws and comparisons, one function a file. Order of calling: judge.c. */
bool judge_structure(judging *j); /* false: the run ended badly and nothing of it may be judged */
void judge_selection(judging *j);
void judge_mean(judging *j);
void judge_conservation(judging *j);
void judge_placement(judging *j);
void judge_flattened(judging *j);
void judge_square(judging *j);
void judge_projection(judging *j);
void judge_alternating(judging *j);
void judge_degenerate(judging *j);
void judge_exactness(judging *j);
void judge_telescoping(judging *j);
void judge_long_run(judging *j);
void judge_statistics(judging *j);
void judge_golden(judging *j);
void judge_one_step(judging *j);
void judge_free_running(judging *j);
void judge_optimum(judging *j);

#endif
