#!/bin/sh
# reports.sh: the reports of real runs. Each run writes one of every format at once; the JSON ones keep to their schemas,
# JUnit agrees with the JSON report and with the exit code. Expects SCHEMAS, SCHEMA_CHECK and JUNIT_CHECK besides.
. "$(dirname "$0")/lib.sh"
: "${SCHEMAS:?}" "${SCHEMA_CHECK:?}" "${JUNIT_CHECK:?}"

# reports CODE FRAGMENT OPTION...: a run that ends with CODE, and whose text has the fragment.
reports()
{
    wanted=$1
    words=$2
    shift 2
    rm -f "$TMP"/report.*
    expect "$wanted" "$words" "$KIT" "$@" --report "json=$TMP/report.json" --report "junit=$TMP/report.xml" \
        --report "text=$TMP/report.txt" --report "statement=$TMP/report.statement" \
        --report "statement-json=$TMP/report.statement.json"
    cp "$TMP/output" "$TMP/terminal"
    expect 0 '' "$SCHEMA_CHECK" "$SCHEMAS/report.schema.json" "$TMP/report.json"
    expect 0 '' "$SCHEMA_CHECK" "$SCHEMAS/statement.schema.json" "$TMP/report.statement.json"
    expect 0 'test cases' "$JUNIT_CHECK" "$TMP/report.xml" "$TMP/report.json"
    # The text is what was printed, but for notices and progress on standard error.
    grep -v '^psgd-conform: \|^ *[0-9]* % of ' "$TMP/terminal" | cmp -s - "$TMP/report.txt" ||
        fail "the text report is not what was printed: $*"
}

has()
{
    grep -qF -e "$2" "$TMP/report.$1" || {
        fail "'$2' is missing in report.$1"
        cat "$TMP/report.$1"
    }
}

# The reference on a few cases: right, and no statement of conformance.
reports 0 'Conforms as far as was asked' run --impl ref --only 'torch-r1-w*'
has statement 'This was a partial run, and is no statement of conformance.'
has statement.json '"whole": false'

# A port that is wrong: one failure says all that is needed to see it again.
reports 1 'Does not conform' run --impl faulty:q-divided-twice --only 'torch-r2-w2' --only 'core-long'
has xml '<failure type="PSGD-AGG-002"'
has xml 'again: psgd-conform run --impl faulty:q-divided-twice --only torch-r2-w2'
has statement 'does not conform: '
[ "$(grep -c '^  case       torch-r2-w2 ' "$TMP/report.txt")" -le "$(grep -c '^FAILED' "$TMP/report.txt")" ] ||
    fail 'a case stands twice under one requirement'

# Ports that crash, that speak without end, and that support nothing.
reports 1 'SIGSEGV' run --impl "$PLUGINS/crash_in_step.so" --only 'core-long' --only 'scenario/i*'
has xml 'SIGSEGV'
reports 3 'Nothing was tested' run --impl "$PLUGINS/unsupported.so" --quick --fuzz 0
has xml '<error type="verdict" message="nothing was tested">'
has statement 'Nothing was tested: this is no statement of conformance.'
has json '"skipped": "unsupported"'

# A choice of which nothing is tested.
reports 3 'Nothing was tested' run --impl ref --claims core --only 'torch-r1-w1'
has xml 'errors="1"'
has json '"skipped": "claim"'

# Under mpirun the library is named.
if [ -n "${MPIRUN:-}" ]; then
    expect 0 '' $MPIRUN "$KIT" run --impl ref --only 'core-long' --report "statement=$TMP/report.statement" \
        --report "json=$TMP/report.json"
    has json '"ranks_as": "mpi"'
    grep -q '^  MPI  *[A-Za-z]' "$TMP/report.statement" && ! grep -q '^  MPI  *not used' "$TMP/report.statement" ||
        fail 'the statement of an mpirun does not name its MPI library'
fi

# A statement can be made again to the byte but for the seconds: the date is SOURCE_DATE_EPOCH's.
expect 0 '' env SOURCE_DATE_EPOCH=0 "$KIT" run --impl ref --only 'torch-r1-w1' --report "statement=$TMP/report.first"
expect 0 '' env SOURCE_DATE_EPOCH=0 "$KIT" run --impl ref --only 'torch-r1-w1' --report "statement=$TMP/report.second"
cmp -s "$TMP/report.first" "$TMP/report.second" || fail 'two statements of one date differ'
has first '1970-01-01T00:00:00Z'

# One that cannot be written does not keep the others from it, and is no success.
expect 5 'cannot be written' "$KIT" run --impl ref --only 'torch-r1-w1' --report "text=$TMP/report.txt" \
    --report junit=/dev/full
has txt 'Conforms'
expect 2 'unknown format' "$KIT" run --impl ref --report "junti=$TMP/report.xml"
refute 'passed'

finish
