#!/bin/sh
# lib.sh: what the end-to-end tests share. Sourced; expects KIT, PLUGINS, GOLDEN in the environment. Makes a folder of its
# own, $TMP, that goes away with the test.
#   expect CODE FRAGMENT COMMAND...   the command ends with CODE and its output (both streams) has the fragment
#   refute FRAGMENT                   the last command's output does not have the fragment
#   finish                            ends the test

set -u
LC_ALL=C
export LC_ALL
unset NO_COLOR OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_RANK PMI_SIZE PMI_RANK

: "${KIT:?}" "${PLUGINS:?}" "${GOLDEN:?}"
TMP=$(mktemp -d "${TMPDIR:-/tmp}/psgd-cli-test.XXXXXX") || exit 1
trap 'rm -rf "$TMP"' EXIT
trap 'exit 1' INT TERM
failures=0
expectations=0

fail()
{
    failures=$((failures + 1))
    echo "WRONG: $*"
}

refute()
{
    if grep -qF -e "$1" "$TMP/output"; then
        fail "output must not have '$1'"
        cat "$TMP/output"
    fi
}

expect()
{
    wanted_code=$1
    fragment=$2
    shift 2
    expectations=$((expectations + 1))
    "$@" >"$TMP/output" 2>&1
    code=$?
    if [ "$code" -ne "$wanted_code" ]; then
        fail "exit code $code, expected $wanted_code: $*"
        cat "$TMP/output"
    elif [ -n "$fragment" ] && ! grep -qF -e "$fragment" "$TMP/output"; then
        fail "'$fragment' is missing in the output of: $*"
        cat "$TMP/output"
    fi
    refute '(null)'
}

finish()
{
    echo "$expectations expectations, $failures wrong"
    [ "$expectations" -gt 0 ] && [ "$failures" -eq 0 ]
    exit
}
