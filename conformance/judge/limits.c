/* limits.c: the table of limits (contract: limits.h). */
#include "judge/limits.h"

#include "harness/trace.h"

#include <math.h>

static const limit_entry table[LIMIT_COUNT] = {
    [LIMIT_OWN_FACTORS] = {"1", 10, 1.8, 2, 0.9, "||out - P (P^T Mb)||_F / (u S), P the port's own"},
    [LIMIT_PROJECTION] =
        {"1b", 30, 9.4, 2, 0.88,
         "||out - Pi Mb||_F / (u S f), Pi onto out's columns, f = 1 + cond_r(out) ||Mb - out||_F / S, + "
         "kappa for Gram-Schmidt"},
    [LIMIT_RANK_TAIL] = {"1c", 10, 2.5, 0.8, 0.23, "sigma_{r'+1}(out) / ((u + sqrt(max(n, m)) 2^-52) S)"},
    [LIMIT_CONSERVATION] = {"2", 10, 1, 1.5, 0.45, "||out + mean E - Mb||_F / (u S)"},
    [LIMIT_LOCAL_ERROR] = {"3", 2, 1, 1, 0, "||E_k - (M_k - out)||_F / (u (||M_k||_F + ||out||_F))"},
    [LIMIT_MEAN] = {"4", 4, 1.2, 2, 0.65, "||out - Mb||_F / (u S); the limit is max(4, W), half types max(2, W/2)"},
    [LIMIT_ORTHONORMAL] = {"5", 10, 2.5, 4, 1.4, "||I - P^T P||_F / (u r'), or / (u max(1, kappa)) for Gram-Schmidt"},
    [LIMIT_ONE_STEP] = {"6", 10, 2.0, 1.5, 0.59,
                        "||out - model||_F / (u S g), g = gamma, + kappa for Gram-Schmidt, "
                        "+ the condition of the columns of a kept Q"},
    [LIMIT_FROM_OUTPUTS] =
        {"6b", 10, 1.5, 1, 0.34,
         "||out - model||_F / (u S g'), g' = gamma + cond_r(previous out), + kappa for Gram-Schmidt"},
    [LIMIT_HALF_STEP] =
        {"6c", 10, 2.4, 10, 2.4,
         "||out - model||_F / (u S (1 + c + c max(1, ||Mb - out||_F / ||previous out||_F))), c = cond_r(previous out); "
         "the alternating variant"},
    [LIMIT_FACTOR] = {"7", 20, 2.6, 4, 1.3,
                      "||P - model P||_F / (u kappa S / ||Mb||_F), signs of columns included; under torch"},
    [LIMIT_FREE_RUNNING] = {"8", 30, 6.6, 2, 0.57, "||out_t - model_t||_F / (u S (K_t, + max kappa for Gram-Schmidt))"},
    [LIMIT_GOLDEN] = {"golden", 30, 2.4, 2, 0.21, "as row 8, against PyTorch's results instead of the model's"},
    [LIMIT_TELESCOPING] = {"9", 4, 0.6, 0.8, 0.2, "||sum_t out_t + mean E_T - sum_t mean G_t||_F / (u T S)"},
    [LIMIT_SEEDS] = {"10", 0, 0, 0, 0, "seeds and draws, bit for bit"},
    [LIMIT_OPTIMUM] = {"11", 10, 1, 1, 0.02,
                       "(||M - out||_F^2 - tail^2 - (rho^{2t-1} tan theta)^2 ||M_r||_F^2) / (u S ||M||_F)"},
    [LIMIT_NO_RISE] = {"12", 10, 1, 1, 0.04, "(||M - out_t||_F - ||M - out_{t-1}||_F) / (u S gamma)"},
    [LIMIT_LONG_RUN] = {"13", 3, 1.2, 3, 1.2, "T ||mean of T outputs - Mbar||_F, divided by its value at T/10"},
    [LIMIT_EXACT] = {"exact", 0, 0, 0, 0, "equality"},
    [LIMIT_STRUCTURE] = {"structure", 0, 0, 0, 0, "holds or does not"},
    [LIMIT_CASE] = {"case", 0, 0, 0, 0, "all other checks of the case"},
};

const limit_entry *limit_of(limit_row row)
{
    return &table[row];
}

double limit_for(limit_row row, psgd_dtype dtype)
{
    return dtype_is_half(dtype) ? table[row].half : table[row].limit;
}

double limit_mean(int world, psgd_dtype dtype)
{
    /* In half types nothing is rounded but sums and the division: W roundings of u/2. */
    const bool half = dtype_is_half(dtype);
    return fmax(limit_for(LIMIT_MEAN, dtype), half ? 0.5 * world : world);
}
