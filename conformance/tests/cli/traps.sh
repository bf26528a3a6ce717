#!/bin/sh
# traps.sh: ways in which a kit is led to say "conforms" of something that it has not seen work, or "does not" of something
# that it has not seen at all. Each has its exit code and the sentence that a user reads.
. "$(dirname "$0")/lib.sh"

case='W3/r2/s2/i5/f32/ef,ws/rate2/eps0/[24x40,17]'
usual='core ef warm multirank'
run()
{
    expect "$@"
    [ "$1" -eq 0 ] || refute 'Conforms'
}

# Nothing was chosen.
run 2 "--only 'core-nothing' matches no requirement, case or scenario" "$KIT" run --impl ref --only core-nothing
run 2 "--only 'fuzz-*' matches no" "$KIT" run --impl ref --fuzz 0 --only 'fuzz-*'
run 2 "--only '' matches no" "$KIT" run --impl ref --only ''
run 2 'bad problem string' "$KIT" run --impl ref --case ''

# What was chosen was skipped, unsupported, or proves nothing.
run 3 'claim not tested: ef warm' "$KIT" run --impl ref --claims core --only core-long
run 3 'unsupported by the port: create returned PSGD_ERR_UNSUPPORTED: not today' \
    "$KIT" run --impl "$PLUGINS/unsupported.so" --quick
grep -qF 'Nothing was tested: no case was run' "$TMP/output" || fail 'it is not said that no case was run'
run 1 'unsupported by the port' "$KIT" run --impl "$PLUGINS/unsupported.so" --claims "$usual torch" --case "$case"
run 3 'Nothing was tested: no case compressed anything' "$KIT" run --impl ref --case 'W2/r2/f32/[17,5]'
run 3 'Nothing was tested: no case compressed anything' "$KIT" run --impl ref --case 'W2/r2/s5/i4/f32/[24x40]'

# Zeros show that zeros do no harm, and nothing of what the ranks' means are.
expect 0 'Conforms as far as was asked: core.' "$KIT" run --impl ref --claims core,multirank --quiet --case 'W1/r1/i4/f32/-/[24x40]/grad=zero'

# Whoever claims a type and supports (nearly) none of its cases has not shown it; what no case is for is not said to conform.
run 1 'Does not conform: f16.' "$KIT" run --impl "$PLUGINS/no_half.so" --fuzz 0 --quiet
run 1 'Does not conform: f16.' "$KIT" run --impl "$PLUGINS/one_half.so" --fuzz 0
refute 'FAILED'
grep -qF 'f16: PSGD-SEL-002 is supported in no case of this type' "$TMP/output" || fail 'it is not said what f16 lacks'
expect 0 'Conforms: core.' "$KIT" run --impl ref --claims 'core bf16' --quick --fuzz 0 --quiet
expect 0 'no case of this run is for bf16: not tested' "$KIT" run --impl ref --claims 'core bf16' --quick --fuzz 0

# "Unsupported" is no way out of a run that had begun.
run 1 'rank 0 answered unsupported in step 3' "$KIT" run --impl "$PLUGINS/gives_up.so" --case "$case"

# One rank fails alone.
run 1 'rank 1 returned an error in step 2: PSGD_ERR_DEVICE' "$KIT" run --impl "$PLUGINS/error_on_rank_1.so" --claims "$usual" --case "$case"
run 1 'rank 1 crashed in step 1: ended by signal SIGABRT' "$KIT" run --impl "$PLUGINS/crash_on_rank_1.so" --claims "$usual" --case "$case"

run 1 'rank 2 returned an error in step 2: PSGD_ERR_DEVICE' "$KIT" run --impl faulty:last-rank-fails --claims "$usual" --case "$case"
run 1 'FAILED PSGD-AGG-001' "$KIT" run --impl faulty:last-rank-wrong --claims "$usual" --case "$case"

# Results that are no numbers, only a mean, or another's.
twins='W2/r2/s2/i9/f32/ef,ws/rate2/eps0/[24x40,24x40,17]'
run 1 'ratio      nan' "$KIT" run --impl faulty:nan --claims "$usual" --case "$case"
run 1 'FAILED PSGD-ITR-004' "$KIT" run --impl "$PLUGINS/honest_mean.so" --case 'W3/r2/s2/i5/f32/-/[24x40,17]'
run 1 'FAILED PSGD-ITR-004' "$KIT" run --impl faulty:never-compresses --claims "$usual" --case "$case"
for fault in all-zeros returns-input previous-result another-tensors-result one-element-wrong; do
    run 1 'FAILED PSGD-' "$KIT" run --impl "faulty:$fault" --claims "$usual" --case "$twins"
done

finish
