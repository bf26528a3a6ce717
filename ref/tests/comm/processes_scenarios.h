/* processes_scenarios.h: what the ranks of the processes test do. The test program starts itself anew as each rank,
 * with "rank" and a scenario's name as arguments; how the rank ended is its exit code. */
#ifndef TESTS_COMM_PROCESSES_SCENARIOS_H
#define TESTS_COMM_PROCESSES_SCENARIOS_H

enum {
    RANK_OK = 0,         /* everything came out as the scenario says, the group is whole */
    RANK_GROUP_FAILED,   /* as the scenario says, and the group has failed: PSGD_ERR_COMM, then and ever after */
    RANK_WRONG,          /* something came out otherwise; standard error says what */
    RANK_LEAVES_ON_ERROR /* the scenario makes this rank end without success */
};

int run_scenario(const char *name);

#endif
