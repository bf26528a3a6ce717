#!/bin/sh
# examples.sh: the minimal port conforms in every way in: as a plug-in over processes, threads and MPI, and by files, over threads
# and over MPI, started by hand and by the kit. EXAMPLES: their folder; MPIRUN: how to start 3 ranks.
. "$(dirname "$0")/lib.sh"
: "${EXAMPLES:?}" "${MPIRUN:?}"

claims='core ef warm multirank subgroup f64 f16 bf16 determinism'
plugin=$EXAMPLES/example-minimal.so

# passed MINIMUM: the last report says so of as many cases at least.
passed()
{
    cases=$(sed -n 's/.*"cases": \([0-9]*\).*/\1/p' "$TMP/report")
    [ "${cases:-0}" -ge "$1" ] || fail "only ${cases:-no} cases were run, expected $1"
}

expect 0 "Conforms: $claims." "$KIT" run --impl "$plugin" --quiet --report "json=$TMP/report"
passed 200
expect 0 "Conforms: $claims." "$KIT" run --impl "$plugin" --ranks threads --quick --quiet --report "json=$TMP/report"
passed 50
# (Subgroups are of 5 ranks there.)
expect 0 'Conforms: core ef warm multirank f64 f16 bf16 determinism.' \
    $MPIRUN "$KIT" run --impl "$plugin" --quick --quiet --report "json=$TMP/report"
passed 45

# By hand.
expect 0 'cases written' "$KIT" export "$TMP/cases"
expect 0 '' "$EXAMPLES/example-minimal-files" "$TMP/cases"
expect 0 "Conforms: $claims." "$KIT" check "$TMP/cases" --quiet --report "json=$TMP/report"
passed 200

# By the kit.
expect 0 "Conforms: $claims." "$KIT" run --exec "$EXAMPLES/example-minimal-files" --quick --quiet --report "json=$TMP/report"
passed 50
expect 0 "Conforms: $claims." \
    "$KIT" run --exec "$MPIRUN $EXAMPLES/example-minimal-mpi-files" --quick --quiet --report "json=$TMP/report"
passed 45

# The same program with the reference shows all that files can: E, P, Q, statistics, checkpoints.
expect 0 'Conforms: core ef warm torch flat multirank subgroup checkpoint f64 f16 bf16 determinism.' \
    "$KIT" run --exec "$EXAMPLES/psgd-ref-files" --quick --quiet

# What the program cannot do it says.
expect 2 'usage' "$EXAMPLES/example-minimal-files"
expect 1 'nowhere' "$EXAMPLES/example-minimal-files" "$TMP/nowhere"
mkdir "$TMP/bad"
head -c 100 /dev/urandom >"$TMP/bad/x.safetensors"
expect 1 'x.safetensors' "$EXAMPLES/example-minimal-files" "$TMP/bad"

finish
