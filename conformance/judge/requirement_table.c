/* requirement_table.c: every requirement, one entry each, in the order of SPEC.md. The entries stand in
 * requirements_AREA.h. IDs are never renumbered or reused. A test holds this table and SPEC.md against each other, so
 * change both. */
#include "judge/requirement.h"

#define CORE        PSGD_CLAIM_CORE
#define EF          PSGD_CLAIM_ERROR_FEEDBACK
#define WARM        PSGD_CLAIM_WARM_START
#define TORCH       PSGD_CLAIM_TORCH
#define FLAT        PSGD_CLAIM_FLATTENED
#define MULTIRANK   PSGD_CLAIM_MULTIRANK
#define SUBGROUP    PSGD_CLAIM_SUBGROUP
#define CHECKPOINT  PSGD_CLAIM_CHECKPOINT
#define DETERMINISM PSGD_CLAIM_DETERMINISM
#define ALTERNATING PSGD_CLAIM_ALTERNATING
#define ASYNC       PSGD_CLAIM_ASYNC

static const char psgd_h[] = "psgd.h";
static const char hook_state[] = "powerSGD_hook.py, class PowerSGDState";
static const char hook_step[] = "powerSGD_hook.py, powerSGD_hook()";
static const char hook_select[] = "powerSGD_hook.py, _should_compress()";
static const char hook_orthogonalise[] = "powerSGD_hook.py, _orthogonalize()";
static const char hook_flat[] = "powerSGD_hook.py, batched_powerSGD_hook()";
static const char paper_step[] = "arXiv 1905.13727, Algorithm 1";
static const char paper_loop[] = "arXiv 1905.13727, Algorithm 2";

#define REQUIREMENT(...) {__VA_ARGS__},

/* One file for each area, in the order of SPEC.md, which is not that of the alphabet. */
/* clang-format off */
static const requirement table[] = {
#include "judge/requirements_config.h"
#include "judge/requirements_selection.h"
#include "judge/requirements_iteration.h"
#include "judge/requirements_aggregation.h"
#include "judge/requirements_orthogonalization.h"
#include "judge/requirements_error_feedback.h"
#include "judge/requirements_warm_start.h"
#include "judge/requirements_random_q.h"
#include "judge/requirements_batching.h"
#include "judge/requirements_flattened.h"
#include "judge/requirements_alternating.h"
#include "judge/requirements_statistics.h"
#include "judge/requirements_checkpoint.h"
#include "judge/requirements_async.h"
#include "judge/requirements_numbers.h"
#include "judge/requirements_robustness.h"
#include "judge/requirements_files.h"
};
/* clang-format on */

const requirement *requirements(size_t *count)
{
    *count = sizeof table / sizeof table[0];
    return table;
}
