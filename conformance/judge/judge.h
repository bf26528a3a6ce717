/* judge.h: the verdict engine. A pure function of a case and a trace; it never runs anything. */
#ifndef CONFORMANCE_JUDGE_JUDGE_H
#define CONFORMANCE_JUDGE_JUDGE_H

#include "harness/case.h"
#include "harness/suite.h"
#include "judge/model.h"
#include "judge/verdict.h"

/* Judges one run, in this order: structure, laws, golden results (c->expected), model, optimum. claims: what is tested
 * (only requirements whose claims are all in it are judged). Appends to *v one check per requirement and row that the
 * case can show. */
void judge_case(verdict *v, const test_case *c, const trace *t, uint64_t claims);

/* What the judge makes of a case alone, whoever ran it. All zeros at first; filled in as needed. */
typedef struct case_models {
    bool has_free_running, has_forgetful;
    model_run free_running, forgetful;
} case_models;
void case_models_free(case_models *models, const test_case *c);
/* judge_case, for a case that is run by many ports: models stay, for the next run of the same case. */
void judge_case_again(verdict *v, const test_case *c, const trace *t, uint64_t claims, case_models *models);

/* Holds a run against its companion's (a: as the case says; b: the companion). */
void judge_companion(verdict *v, companion kind, const test_case *case_a, const trace *a, const test_case *case_b,
                     const trace *b, uint64_t claims);

#endif
