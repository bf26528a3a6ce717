/* scenarios_all.h: the scenarios, for the table in scenario.c. Each is explained where it is defined. */
#ifndef CONFORMANCE_HARNESS_SCENARIOS_ALL_H
#define CONFORMANCE_HARNESS_SCENARIOS_ALL_H

#include "harness/scenario_session.h"

/* scenario_config.c */
bool scenario_start_iter(const subject *s);
bool scenario_bad_numbers(const subject *s);
bool scenario_interval(const subject *s);
bool scenario_rate_zero(const subject *s);
/* scenario_layout.c */
bool scenario_layout_rebuilt(const subject *s);
bool scenario_layout_changed(const subject *s);
bool scenario_empty_tensors(const subject *s);
bool scenario_layout_free(const subject *s);
/* scenario_bucket_order.c */
bool scenario_bucket_order(const subject *s);
/* scenario_flattened.c */
bool scenario_flat_rank(const subject *s);
bool scenario_flat_layout(const subject *s);
/* scenario_states.c */
bool scenario_two_states(const subject *s);
bool scenario_callers_random(const subject *s);
bool scenario_guards(const subject *s);
/* scenario_statistics.c */
bool scenario_reports(const subject *s);
bool scenario_checkpoint_reports(const subject *s);
/* scenario_checkpoint.c */
bool scenario_checkpoint_whole(const subject *s);
bool scenario_checkpoint_damaged(const subject *s);
bool scenario_checkpoint_foreign(const subject *s);
/* scenario_arguments.c */
bool scenario_bad_create(const subject *s);
bool scenario_bad_step(const subject *s);
bool scenario_bad_peek(const subject *s);
/* scenario_async.c */
bool scenario_pending(const subject *s);
bool scenario_submit_ahead(const subject *s);
bool scenario_destroy_pending(const subject *s);
/* scenario_collectives.c */
bool scenario_failing_collective(const subject *s);
bool scenario_lost_rank(const subject *s);
bool scenario_failing_halves(const subject *s);
bool scenario_lost_rank_halves(const subject *s);
bool scenario_same_q(const subject *s);
/* scenario_new_q.c */
bool scenario_new_q(const subject *s);
bool scenario_given_q(const subject *s);
/* scenario_normal_q.c */
bool scenario_normal_q(const subject *s);

#endif
