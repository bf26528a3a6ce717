/* report_claims.h: what the programs that check JSON reports share. */
#ifndef CONFORMANCE_TESTS_CLI_REPORT_CLAIMS_H
#define CONFORMANCE_TESTS_CLI_REPORT_CLAIMS_H

#include <jansson.h>
#include <stdint.h>

/* The claims that the run of this report has tested. */
uint64_t tested_claims(const json_t *report);

#endif
