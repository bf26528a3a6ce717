/* list_honest.h: no faults: other ways of being right. faults.h says what the columns are. */
#ifndef CONFORMANCE_MUTANTS_LIST_HONEST_H
#define CONFORMANCE_MUTANTS_LIST_HONEST_H

#define HONEST_VARIANTS(X)                                                                                             \
    X(FAULT_NONE, "none", "", ALL_CLAIMS, "No fault: the implementation that the others are made from.")               \
    X(HONEST_WIDE_FACTORS, "half-wide-factors", "", ALL_CLAIMS, "P and Q of half types are kept and summed in f32.")   \
    X(HONEST_FLOAT_SUMS, "float-sums", "", ALL_CLAIMS, "Products of matrices are summed in f32.")

#endif
