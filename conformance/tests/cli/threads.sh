#!/bin/sh
# threads.sh: with ranks as threads everything is judged that is judged with ranks as processes (no check is skipped for
# it), to the same bits; a port whose states share something conforms with processes and is found with threads.
. "$(dirname "$0")/lib.sh"

# Every run of a port is one of the quick tier.
# judged PORT: the reports of both ways are the same but for the time, and how the ranks ran.
judged()
{
    expect 0 'Conforms' "$KIT" run --impl "$1" --quick --report "json=$TMP/processes"
    refute 'ranks as threads'
    expect 0 'ranks as threads' "$KIT" run --impl "$1" --quick --ranks threads --report "json=$TMP/threads"
    grep -q '"ranks_as": "processes"' "$TMP/processes" || fail "$1: the report does not say how the ranks ran"
    grep -q '"ranks_as": "threads"' "$TMP/threads" || fail "$1: the report does not say how the ranks ran"
    for way in processes threads; do
        grep -v -e '"ranks_as"' -e '"seconds"' "$TMP/$way" >"$TMP/$way.same"
        grep -c '"requirement"' "$TMP/$way" >"$TMP/$way.count"
    done
    [ "$(cat "$TMP/processes.count")" -gt 100 ] || fail "$1: hardly anything was judged"
    cmp "$TMP/processes.count" "$TMP/threads.count" || fail "$1: threads have other checks than processes"
    cmp "$TMP/processes.same" "$TMP/threads.same" || {
        fail "$1: the reports differ"
        diff "$TMP/processes.same" "$TMP/threads.same" | head -n 20
    }
}
judged ref
judged faulty:none

case='W3/r2/s2/i6/f32/ef,ws/rate2/eps0/[24x40,17]'
expect 0 'Conforms' "$KIT" run --impl "$PLUGINS/static_state.so" --case "$case"
expect 1 'Does not conform' "$KIT" run --impl "$PLUGINS/static_state.so" --ranks threads --case "$case"
expect 1 'FAILED PSGD-' "$KIT" run --impl "$PLUGINS/static_state.so" --ranks threads --case "$case"
expect 1 "again      psgd-conform run --impl $PLUGINS/static_state.so --ranks threads --case 'W3/r2/" \
    "$KIT" run --impl "$PLUGINS/static_state.so" --ranks threads --case "$case"

# What a port does to its process is contained, and told of the rank that did it.
claims='core ef warm multirank'
expect 1 'rank 1 crashed in step 1: ended by signal SIGABRT in step of step 1, bucket 0' \
    "$KIT" run --impl "$PLUGINS/crash_on_rank_1.so" --ranks threads --case "$case" --claims "$claims"
expect 1 'ended by the time limit in step of step 1' \
    "$KIT" run --impl "$PLUGINS/hang_in_step.so" --ranks threads --timeout 1 --case "$case" --claims "$claims"
expect 1 'ended by exit code' \
    "$KIT" run --impl "$PLUGINS/exit_in_step.so" --ranks threads --case "$case" --claims "$claims"
expect 4 'ended by signal SIGABRT in being loaded' \
    "$KIT" run --impl "$PLUGINS/crash_in_constructor.so" --ranks threads --quick

expect 0 'Conforms' "$KIT" run --impl ref --ranks threads --case 'W64/r2/f32/[24x40,17]'
expect 0 'Conforms' "$KIT" run --impl ref --ranks threads --case 'W3of5/group=4,0,2/r2/f32/[24x40,17]'

finish
