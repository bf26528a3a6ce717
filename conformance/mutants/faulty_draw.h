/* faulty_draw.h: seeds and normals of a port that draws its own Q (faulty_normals.c). */
#ifndef CONFORMANCE_MUTANTS_FAULTY_DRAW_H
#define CONFORMANCE_MUTANTS_FAULTY_DRAW_H

#include "mutants/faulty.h"

/* What the state's generator is made from. */
uint32_t faulty_first_seed(const psgd_state *state);
/* The seed of this bucket's normals. */
uint32_t faulty_next_seed(psgd_state *state, const psgd_bucket_layout *l);
void faulty_seed_normals(const psgd_state *state, psgd_torch_generator *normals, uint32_t seed);
/* q[count], as the type holds them. wire: room for as many doubles. */
psgd_status faulty_normals(const psgd_state *state, psgd_torch_generator *normals, psgd_dtype dtype, size_t count,
                           double *q, void *wire);

#endif
