/* one_step.h: the model's next step from a state that the port is known to be in. */
#ifndef CONFORMANCE_JUDGE_ONE_STEP_H
#define CONFORMANCE_JUDGE_ONE_STEP_H

#include "judge/judging.h"

typedef enum one_step_source {
    ONE_STEP_NONE,      /* Q is not known */
    ONE_STEP_DRAWN,     /* the case's q0: drawn afresh in this step */
    ONE_STEP_STATE,     /* the Q that the port shows after the step before */
    ONE_STEP_OUTPUTS,   /* the row space of the port's output of the step before (warm start) */
    ONE_STEP_ANY,       /* asked for: whichever is known, in this order */
    ONE_STEP_AS_IF_KEPT /* asked for: as ONE_STEP_OUTPUTS, though there is no warm start */
} one_step_source;

/* Makes one step of the model from Mb as evidence has it. wanted: one source, or ONE_STEP_ANY. Gives the source, and
 * *model, to be freed by model_output_free; ONE_STEP_NONE (nothing to free) if it is not known, Mb or Q is not finite,
 * or memory is lacking (which is noted). */
one_step_source one_step_model(model_output *model, judging *j, int64_t step, size_t tensor, one_step_source wanted);

#endif
