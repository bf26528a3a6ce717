/* memory_shown.c: see memory_shown.h. A step tells of memory only if the memory is big enough to be seen in it: the
 * check is trusted by the norm of what the step before left out, not by that of its own result. */
#include "judge/memory_shown.h"

#include "judge/linalg.h"

memory_probes memory_probes_for(limit_row row)
{
    return (memory_probes){.untouched = probe_for("PSGD-ITR-003", LIMIT_PROJECTION),
                           .no_memory = probe_for("PSGD-EF-007", row),
                           .conserves = probe_for("PSGD-EF-001", row),
                           .overwrites = probe_for("PSGD-EF-004", row),
                           .telescopes = probe_for("PSGD-EF-005", row)};
}

static double left_out(const judging *j, int64_t step, size_t tensor)
{
    const evidence_tensor *x = &j->e.tensors[tensor];
    check_place unused = CHECK_NOWHERE;
    return difference_ratio(evidence_mean(&j->e, step, tensor), evidence_out(&j->e, step, tensor), x->n, x->m, 1,
                            &unused);
}

void memory_shown(judging *j, memory_probes *p, int64_t step, size_t tensor, double ratio, double most,
                  const check_place *place)
{
    const evidence *e = &j->e;
    const int64_t start = j->c->config.start_iter;
    if (step == start) {
        if (start > 0) {
            probe_measure(j, &p->untouched, ratio, most / evidence_at(e, start - 1, tensor)->norm, place);
        }
        return;
    }
    const double power = most / left_out(j, step - 1, tensor);
    if (!j->c->config.use_error_feedback) {
        probe_measure(j, &p->no_memory, ratio, power, place);
        return;
    }
    if (evidence_error(e, step, tensor) != NULL) {
        return; /* law_conservation.c judges what is shown */
    }
    probe_measure(j, &p->conserves, ratio, power, place);
    if (step > start + 1) {
        probe_measure(j, &p->overwrites, ratio, power, place);
    }
    if (step == e->steps - 1) {
        probe_measure(j, &p->telescopes, ratio, power, place);
    }
}
