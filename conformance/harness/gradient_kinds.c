/* gradient_kinds.c: the table of gradient_kinds.h. What the kinds mean is in problem.h; gradients.c makes them. */
#include "harness/gradient_kinds.h"

const gradient_kind_name *gradient_kind_describe(size_t kind)
{
    static const gradient_kind_name kinds[GRADIENT_KIND_COUNT] = {
        [GRADIENT_GAUSS] = {"gauss", PARAMETER_NONE},     [GRADIENT_DECAY] = {"decay", PARAMETER_RATIO},
        [GRADIENT_POWER] = {"power", PARAMETER_NONE},     [GRADIENT_GAP] = {"gap", PARAMETER_NONE},
        [GRADIENT_FLAT] = {"flat", PARAMETER_NONE},       [GRADIENT_DEFICIENT] = {"deficient", PARAMETER_RANK},
        [GRADIENT_RANK] = {"rank", PARAMETER_RANK},       [GRADIENT_ZERO] = {"zero", PARAMETER_NONE},
        [GRADIENT_ZEROCOL] = {"zerocol", PARAMETER_NONE}, [GRADIENT_DUPCOL] = {"dupcol", PARAMETER_NONE},
        [GRADIENT_DEAD] = {"dead", PARAMETER_NONE},       [GRADIENT_ONEROW] = {"onerow", PARAMETER_NONE},
        [GRADIENT_INTS] = {"ints", PARAMETER_NONE},       [GRADIENT_HUGE] = {"huge", PARAMETER_NONE},
        [GRADIENT_TINY] = {"tiny", PARAMETER_NONE},       [GRADIENT_BITS40] = {"bits40", PARAMETER_NONE},
        [GRADIENT_NAN] = {"nan", PARAMETER_ELEMENT},      [GRADIENT_INF] = {"inf", PARAMETER_ELEMENT},
        [GRADIENT_UNEVEN] = {"uneven", PARAMETER_NONE},
    };
    return kind < GRADIENT_KIND_COUNT ? &kinds[kind] : 0;
}
