#!/bin/sh
# waivers.sh: run --waive: what it refuses before anything is run, what it excuses, and the exit codes of lists that are
# out of date. (What becomes of each waiver is tested one by one by cli.unit.waivers.)
. "$(dirname "$0")/lib.sh"

case='W2/r1/s2/i6/f32/ef,ws/rate2/eps0/[24x40,17]/grad=gauss/seed=3'

# list ENTRY...: a list of these entries.
list()
{
    printf '{"format": "psgd-waivers/1", "waivers": [' >"$TMP/list"
    separator=
    for entry; do
        printf '%s{%s}' "$separator" "$entry" >>"$TMP/list"
        separator=,
    done
    printf ']}\n' >>"$TMP/list"
}
known='"reason": "it is being mended", "expires": "2999-12-31"'
old='"reason": "it was to be mended", "expires": "2020-02-29"'

run()
{
    wanted=$1
    said=$2
    shift 2
    expect "$wanted" "$said" "$KIT" run --waive "$TMP/list" --report "json=$TMP/report" "$@"
}
faulty()
{
    run "$1" "$2" --impl faulty:error-from-raw-gradient --claims core,ef,warm,multirank --case "$case"
}

# Usage, found before the port is loaded.
list "$known"
run 2 'waiver 1: neither "requirement" nor "case" is there' --impl "$TMP/nowhere.so"
list "\"requirement\": \"PSGD-EF-01\", $known"
run 2 "waiver 1: unknown requirement, nearest is PSGD-EF-001: 'PSGD-EF-01'" --impl ref
list "\"case\": \"case-1\", $known, \"until\": \"\""
run 2 "unknown key 'until'" --impl ref
echo '{' >"$TMP/list"
run 2 'line 2, column 0' --impl ref
expect 2 "--waive $TMP/nothing: No such file" "$KIT" run --impl ref --waive "$TMP/nothing"
expect 2 '--waive does not go with' "$KIT" list --waive "$TMP/list"

# What it excuses.
list "\"requirement\": \"PSGD-EF-*\", $known"
faulty 0 'Conforms as far as was asked, with waivers: core ef warm multirank.'
grep -q '"waived": [1-9]' "$TMP/report" || fail 'the report does not count what was waived'
grep -q '"fail": 0' "$TMP/report" || fail 'a waived failure counts as a failure'
list "\"case\": \"$case\", $known"
faulty 0 ''
list "\"requirement\": \"PSGD-EF-004\", $known" # another requirement's is no excuse
faulty 1 'FAILED PSGD-EF-001'
list "\"requirement\": \"PSGD-AGG-*\", $known"
faulty 1 'FAILED PSGD-EF-001'
list
faulty 1 'FAILED PSGD-EF-001'

# Out of date.
list "\"requirement\": \"PSGD-EF-*\", $old"
faulty 1 'FAILED PSGD-EF-001'
list "\"case\": \"case-1\", $old"
run 1 'Does not conform: waivers are out of date.' --impl ref --case "$case"
list "\"requirement\": \"PSGD-EF-001\", \"case\": \"case-1\", $known"
run 1 'is out of date: nothing that it is for failed' --impl ref --case "$case"

# What a partial run leaves out is not held against the list.
list "\"requirement\": \"PSGD-EF-001\", \"case\": \"core-long\", $known"
run 0 'was not reached by this run' --impl ref --case "$case"

# A crash is a failure like any other.
list "\"case\": \"case-1\", $known"
run 0 '' --impl "$PLUGINS/crash_on_rank_1.so" --case 'W2/r2/s0/i2/f32/-/[24x40]'
grep -q '"waived": [1-9]' "$TMP/report" || fail 'the crash was not waived'

finish
