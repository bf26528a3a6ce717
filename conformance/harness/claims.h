/* claims.h: what a port may claim (psgd_claim), by name, as in options, files and reports. */
#ifndef CONFORMANCE_HARNESS_CLAIMS_H
#define CONFORMANCE_HARNESS_CLAIMS_H

#include "psgd/psgd.h"

/* Claims by name: "core", "ef", ... PSGD_CLAIM_CORE ...; 0 for an unknown name. */
uint64_t claim_parse(const char *name, size_t length);
const char *claim_name(uint64_t claim); /* of a single bit */
/* Space- or comma-separated names. False: *bad points to the name that is unknown. */
bool claims_parse(uint64_t *claims, const char *text, const char **bad);
void claims_print(uint64_t claims, char *text, size_t size); /* space-separated, in the order of the bits */

#endif
