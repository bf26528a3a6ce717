#!/bin/sh
# hidden.sh: a port that draws its own Q and shows its outputs only. It is not accused, and what is wrong with it is found
# all the same, by the requirement that it breaks. (tests/plugins/hidden.c hides any variant of the faulty port.)
. "$(dirname "$0")/lib.sh"

# hidden FAULT CODE FRAGMENT OPTION...
hidden()
{
    fault=$1
    wanted=$2
    said=$3
    shift 3
    expect "$wanted" "$said" env HIDDEN="$fault" "$KIT" run --impl "$PLUGINS/hidden.so" --claims core,ef,warm,flat,multirank "$@"
}

hidden none 0 'Conforms' --quick --fuzz 10
hidden householder 0 'Conforms' --quick --fuzz 0
hidden columns-reversed 0 'Conforms' --only 'flat-*' --only 'core-*'

# The flattened variant: rank completes the square.
hidden flat-padding-not-zeroed 1 'FAILED PSGD-FLT-001' --only flat-r1-w2
hidden flat-side-by-floor 1 'FAILED PSGD-FLT-001' --only flat-r2-w1
hidden flat-padding-error-dropped 1 'FAILED PSGD-FLT-003' --only flat-r1-w2
hidden flat-padding-error-not-added 1 'FAILED PSGD-FLT-003' --only flat-r1-w2
hidden error-from-raw-gradient 1 'FAILED PSGD-EF-001' --only flat-r1-w2
hidden q-divided-twice 1 'FAILED PSGD-AGG-002' --only flat-r1-w2
refute 'FAILED PSGD-FLT'

# Tensor by tensor.
hidden error-from-raw-gradient 1 'FAILED PSGD-EF-001' --only core-long
hidden q-divided-twice 1 'FAILED PSGD-AGG-002' --only core-long
hidden warm-start-defeated 1 'FAILED PSGD-WRM-001' --only core-long
hidden always-warm 1 'FAILED PSGD-WRM-003' --only core-cold-const
hidden memory-of-all-states 1 'FAILED PSGD-ITR-006' --claims core,determinism --only scenario/two-states
hidden nan 1 'FAILED PSGD-AGG-002' --only core-long

# What no output can tell: whose part of the error a rank keeps, since only the mean over the ranks is ever sent.
hidden error-from-local-approximation 0 'Conforms' --only core-long

finish
