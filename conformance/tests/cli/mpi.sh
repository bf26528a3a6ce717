#!/bin/sh
# mpi.sh: under mpirun a mistake is said once, all processes end with the same code, and nothing but text comes out. MPIRUN
# is the command that starts three ranks.
. "$(dirname "$0")/lib.sh"
: "${MPIRUN:?}"

# started ARGUMENTS...: the kit on three ranks. MPIRUN is a command with options: split on purpose.
started()
{
    $MPIRUN "$KIT" "$@"
}

once()
{
    [ "$(grep -cF -e "$1" "$TMP/output")" -eq 1 ] || {
        fail "not said once: $1"
        cat "$TMP/output"
    }
}

expect 2 'unknown option' started run --impl ref --sed 5
once 'unknown option'
expect 2 'bad problem string' started run --impl ref --case 'W2/r2/f32/[24x40'
once 'bad problem string'
expect 2 'matches no requirement' started run --impl ref --only 'nothing-*'
once 'matches no requirement'
expect 2 '--ranks: under mpirun the ranks are its processes' started run --impl ref --ranks threads
once 'under mpirun'
expect 4 'nor a file that exists' started run --impl "$TMP/nowhere.so" --quick
once 'nor a file that exists'
expect 5 'cannot read golden file' started run --impl ref --golden "$TMP/nowhere"
once 'cannot read golden file'
expect 0 'PSGD-EF-001' started explain PSGD-EF-001
once 'Source:'

expect 0 'ranks over MPI' started run --impl ref --case 'W3/r2/f32/[24x40]'
once 'Conforms'
# A group's ranks are in the order of its members, not of the world.
expect 0 'Conforms' started run --impl ref --case 'W2of3/group=2,0/r2/f32/[24x40]'
expect 3 'more ranks needed than mpirun gave' started run --impl ref --case 'W4/r2/f32/[24x40]'
once 'Nothing was tested'
expect 1 'again      mpirun -n 3 psgd-conform run' \
    started run --impl "$PLUGINS/honest_mean.so" --claims core,multirank --case 'W3/r2/f32/-/[24x40]'
refute "$(printf '\033')" # rank 0's output looks like a terminal to the kit

# What only one rank cannot do, no rank goes on without: no process waits for ever.
alone="run --impl ref --case W2/r2/f32/[24x40]"
# shellcheck disable=SC2086 # split on purpose
expect 5 'another rank could not do its work' \
    $MPIRUN "$KIT" $alone : -n 1 "$KIT" $alone --golden "$TMP/nowhere"
once 'on another rank than the first: '

finish
