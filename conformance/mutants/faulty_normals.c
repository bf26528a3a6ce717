/* faulty_normals.c: the seeds of a port that draws its own Q, and what it draws by them. */
#include "mutants/faulty_draw.h"

#include <math.h>

/* ---- seeds ---- */

uint32_t faulty_first_seed(const psgd_state *state)
{
    const uint32_t seed = state->config.random_seed;
    if (fault_is(state, FAULT_SEED_0_REPLACED) && seed == 0) {
        return 42;
    }
    if (fault_is(state, FAULT_SEED_BY_RANK)) {
        return seed + (uint32_t)state->comm.rank;
    }
    return fault_is(state, FAULT_SEED_IN_16_BITS) ? seed & 0xffff : seed;
}

uint32_t faulty_next_seed(psgd_state *state, const psgd_bucket_layout *l)
{
    if (fault_is(state, FAULT_SEED_NOT_DRAWN)) {
        return state->config.random_seed;
    }
    if (fault_is(state, FAULT_SAME_Q_EVERY_STEP) || fault_is(state, FAULT_FIRST_Q_REUSED) ||
        fault_is(state, FAULT_FIRST_SIDE_KEPT)) {
        psgd_mt19937_seed(&state->seeds, state->config.random_seed);
    }
    if (fault_is(state, FAULT_SEED_BELOW_2_31)) {
        return psgd_mt19937_next(&state->seeds) >> 1;
    }
    uint32_t seed = psgd_random_next_seed(&state->seeds);
    if (fault_is(state, FAULT_SEED_BY_BUCKET)) {
        seed += (uint32_t)l->index;
    }
    return fault_is(state, FAULT_SEED_BY_STEP) ? seed + (uint32_t)state->iteration : seed;
}

void faulty_seed_normals(const psgd_state *state, psgd_torch_generator *normals, uint32_t seed)
{
    const bool used = state->normals.words.next != 0;
    if (fault_is(state, FAULT_SEEDED_ONCE) && used) {
        *normals = state->normals;
    } else {
        psgd_torch_manual_seed(normals, seed);
    }
}

/* ---- normals ---- */

/* In 0 .. 1, neither included. */
static double uniform(psgd_torch_generator *generator)
{
    return (psgd_mt19937_next(&generator->words) + 0.5) * 0x1p-32;
}

static double box_muller(psgd_torch_generator *generator)
{
    const double radius = sqrt(-2 * log(uniform(generator)));
    return radius * cos(6.283185307179586 * uniform(generator));
}

static double centred(psgd_torch_generator *generator)
{
    return 2 * uniform(generator) - 1;
}

static double sign(psgd_torch_generator *generator)
{
    return copysign(1, centred(generator));
}

typedef double distribution(psgd_torch_generator *generator);

/* Null: what PyTorch draws. */
static distribution *own_distribution(const psgd_state *state)
{
    static const struct {
        fault fault;
        distribution *draw;
    } table[] = {
        {HONEST_OWN_GENERATOR, box_muller},
        {FAULT_UNIFORM_Q, uniform},
        {FAULT_CENTRED_UNIFORM_Q, centred},
        {FAULT_SIGNS_FOR_Q, sign},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (fault_is(state, table[i].fault)) {
            return table[i].draw;
        }
    }
    return NULL;
}

/* Half types have no draws of their own: f32's are rounded. */
static psgd_dtype drawn_type(const psgd_state *state, psgd_dtype dtype)
{
    return dtype == PSGD_F64 && !fault_is(state, FAULT_DRAWN_IN_F32) ? PSGD_F64 : PSGD_F32;
}

psgd_status faulty_normals(const psgd_state *state, psgd_torch_generator *normals, psgd_dtype dtype, size_t count,
                           double *q, void *wire)
{
    distribution *own = own_distribution(state);
    const psgd_dtype drawn = drawn_type(state, dtype);
    const psgd_status status = own != NULL ? PSGD_OK : psgd_torch_randn(normals, wire, count, drawn);
    if (status == PSGD_OK && own == NULL) {
        faulty_load(q, wire, count, drawn);
    }
    for (size_t i = 0; status == PSGD_OK && i < count; i++) {
        q[i] = faulty_round(state, own != NULL ? own(normals) : q[i], dtype);
    }
    return status;
}
