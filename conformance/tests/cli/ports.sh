#!/bin/sh
# ports.sh: ports that cannot be loaded end with 4 and the reason; ports that crash, hang or do nothing get a verdict, and the
# kit survives them.
. "$(dirname "$0")/lib.sh"

echo 'an older report' >"$TMP/report"

# refused NAME REASON
refused()
{
    expect 4 "$2" "$KIT" run --impl "$1" --quick --timeout 2 --report "json=$TMP/report"
    [ "$(cat "$TMP/report")" = 'an older report' ] || fail "$1: the older report was touched"
}
refused "$TMP/nowhere.so" 'nor a file that exists'
refused nonsense 'nor a file that exists'
refused faulty:nonsense "does not know the name 'nonsense'"
refused '' "nor a file that exists"
echo 'text' >"$TMP/text.so"
refused "$TMP/text.so" 'text.so'
refused "$TMP" "$TMP"
refused "$PLUGINS/no_symbol.so" 'has no symbol psgd_implementation_entry'
refused "$PLUGINS/other_abi.so" 'ABI 42, this kit speaks ABI'
refused "$PLUGINS/null_entry.so" 'psgd_implementation_entry returned null'
refused "$PLUGINS/null_step.so" 'null_step.so'
refused "$PLUGINS/null_name.so" 'null_name.so'
refused "$PLUGINS/small_table.so" 'small_table.so'
refused "$PLUGINS/crash_in_constructor.so" 'ended by signal SIGABRT in being loaded'
refused "$PLUGINS/hang_in_constructor.so" 'ended by the time limit in being loaded'

# Which of these tensors are compressed is the hook's rule: without claim torch another rule is no fault, forgetting is one.
ties='W2/r1/s2/i6/f32/[4x4,5x4]'
expect 0 'notice: case-1 has shapes that ports select differently' \
    "$KIT" run --impl faulty:selection-not-strict --claims core,ef,warm,multirank --case "$ties"
expect 1 'FAILED PSGD-SEL-001' "$KIT" run --impl faulty:selection-not-strict --case "$ties"
refute 'notice'
expect 1 'FAILED PSGD-EF-001' \
    "$KIT" run --impl faulty:error-from-raw-gradient --claims core,ef,warm,multirank --case "$ties"

# One case of four steps, the plain ones included.
case='W2/r2/s2/i4/f32/ef,ws/rate2/eps0/[24x40]'

# A sanitizer would turn the signal into an exit code.
expect 1 'SIGSEGV' env ASAN_OPTIONS="${ASAN_OPTIONS:-}:handle_segv=0" "$KIT" run --impl "$PLUGINS/crash_in_step.so" --case "$case" \
    --claims 'core ef warm multirank'
expect 1 'in step of step 2' "$KIT" run --impl "$PLUGINS/crash_in_step.so" --case "$case" --claims 'core ef warm multirank'
expect 1 'notice: the port does not claim ef warm; tested all the same' \
    "$KIT" run --impl "$PLUGINS/crash_in_step.so" --case "$case" --claims 'core ef warm multirank'
expect 1 "again      psgd-conform run --impl $PLUGINS/crash_in_step.so --claims 'core ef warm multirank' --case 'W2/r2/s2/" \
    "$KIT" run --impl "$PLUGINS/crash_in_step.so" --case "$case" --claims 'core ef warm multirank'
expect 1 'exit' "$KIT" run --impl "$PLUGINS/exit_in_step.so" --case "$case" --claims 'core ef warm multirank'
expect 1 'crash' "$KIT" run --impl "$PLUGINS/crash_on_rank_1.so" --case "$case" --claims 'core ef warm multirank'

# After two time-outs the rest is not run, and that is no success.
expect 1 'Two cases timed out: the rest was not run.' "$KIT" run --impl "$PLUGINS/hang_in_step.so" \
    --timeout 1 --claims 'core ef warm multirank' --only 'core-long' --only 'core-neither-*' \
    --only PSGD-EF-001 --quick --report "json=$TMP/hung"
grep -q '"stopped": true' "$TMP/hung" || fail 'the report does not say that the run was stopped'
grep -q '"not run": [1-9]' "$TMP/hung" || fail 'the report does not count what was not run'
grep -q '"cases": 2,' "$TMP/hung" || fail 'not two cases were run'
expect 1 'ended by the time limit in step of step 1' \
    "$KIT" run --impl "$PLUGINS/hang_in_step.so" --timeout 1 --claims 'core ef warm multirank' --case "$case"

# A run that is told to end takes its ranks along.
mkdir "$TMP/private"
TMPDIR=$TMP/private "$KIT" run --impl "$PLUGINS/hang_in_step.so" --timeout 30 --quick >"$TMP/output" 2>&1 &
kit=$!
sleep 2
kill -TERM "$kit"
wait "$kit"
[ $? -eq 143 ] || fail 'SIGTERM does not end the run as a signal does'
[ -z "$(ls "$TMP/private")" ] || fail 'an interrupted run leaves files behind'

# One that is killed cannot; its ranks notice. (The brackets: not the command that looks for them.)
ranks_left()
{
    grep -lsa -e "$TMP/[p]rivate" /proc/[0-9]*/cmdline
}
for way in processes threads; do
    TMPDIR=$TMP/private "$KIT" run --impl "$PLUGINS/hang_in_step.so" --ranks "$way" --timeout 30 --quick >"$TMP/output" 2>&1 &
    kit=$!
    sleep 2
    [ -n "$(ranks_left)" ] || fail "$way: no rank was started"
    kill -KILL "$kit"
    wait "$kit"
    sleep 1
    [ -z "$(ranks_left)" ] || fail "$way: ranks live on after the kit was killed"
done

# A port that only averages is never taken for one that compresses.
expect 1 'Does not conform' "$KIT" run --impl "$PLUGINS/honest_mean.so" --quick --fuzz 0 --quiet
expect 1 'PSGD-ITR-004' "$KIT" run --impl "$PLUGINS/honest_mean.so" --quick --fuzz 0

# What a port does not show is judged from its outputs, and is no failure.
expect 0 'Conforms: core ef warm multirank' "$KIT" run --impl "$PLUGINS/shows_nothing.so" --fuzz 0 --quiet

# Nothing tested is no success either.
expect 3 'Nothing was tested: no case was run' \
    "$KIT" run --impl "$PLUGINS/unsupported.so" --case "$case" --claims 'core ef warm multirank'
expect 3 'unsupported by the port: create returned PSGD_ERR_UNSUPPORTED: not today' \
    "$KIT" run --impl "$PLUGINS/unsupported.so" --case "$case" --claims 'core ef warm multirank'
expect 3 'Nothing was tested: no case compressed anything' "$KIT" run --impl ref --case 'W2/r2/f32/[17,5]'
expect 3 'claim not tested: ef warm' "$KIT" run --impl ref --claims core --case "$case"
expect 0 'Conforms as far as was asked' "$KIT" run --impl ref --case "$case"

# In a world so large that a mean may be as far from exact as a compressed result is, that proves nothing against a port.
expect 0 'Conforms as far as was asked' "$KIT" run --impl ref --case 'W64/r1/i4/bf16/flat/[7]'

expect 3 'more ranks needed than the kit starts' "$KIT" run --impl ref --case 'W65/r2/f32/[24x40]'


# A port prints what it likes; the report stays readable.
expect 1 'Does not conform' "$KIT" run --impl "$PLUGINS/chatty.so" --quick --fuzz 0 --quiet

# A path with blanks and quotes comes back as the shell takes it.
cp "$PLUGINS/honest_mean.so" "$TMP/it's mine.so"
expect 1 "it'\\''s mine.so'" "$KIT" run --impl "$TMP/it's mine.so" --case 'W1/r2/f32/-/[24x40]'

finish
