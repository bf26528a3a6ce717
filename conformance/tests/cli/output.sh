#!/bin/sh
# output.sh: what cannot be written is no success; what is written has no surprises.
. "$(dirname "$0")/lib.sh"

case='W1/r2/f32/[24x40]'

# Standard output that is full, closed, or a pipe that nobody reads.
expect 5 'standard output' sh -c '"$1" list >/dev/full' sh "$KIT"
expect 5 'standard output' sh -c '"$1" --help >/dev/full' sh "$KIT"
expect 5 'standard output' sh -c '"$1" run --impl ref --case "$2" >/dev/full' sh "$KIT" "$case"
expect 5 'standard output' sh -c '"$1" list >&-' sh "$KIT"
expect 5 'standard output' sh -c '"$1" explain PSGD-EF-001 >&-' sh "$KIT"
echo 'an older report' >"$TMP/closed"
expect 5 'standard output' sh -c '"$1" run --impl ref --case "$2" --report "json=$3" >&-' sh "$KIT" "$case" "$TMP/closed"
head -c 1 "$TMP/closed" | grep -q '{' || fail 'with standard output closed the report is not JSON alone'
expect 0 '' sh -c '"$1" run --impl ref --case "$2" 2>&-' sh "$KIT" "$case"

# Reports that cannot be written are known before anything is run.
refused()
{
    expect 5 "report $1 cannot be written" "$KIT" run --impl ref --case "$case" --report "json=$1"
    refute 'passed'
}
refused "$TMP/no/such/folder/report"
refused "$TMP"
echo 'no folder' >"$TMP/file"
refused "$TMP/file/report"
expect 5 'cannot be written' "$KIT" run --impl ref --case "$case" --report json=/dev/full
expect 5 'cannot be written' "$KIT" run --impl "$PLUGINS/honest_mean.so" --case 'W1/r2/f32/-/[24x40]' --report json=/dev/full

# /dev/stdout: the JSON follows the text.
expect 0 '"format": "psgd-report/1"' "$KIT" run --impl ref --case "$case" --report json=/dev/stdout --quiet

expect 0 '"format": "psgd-report/1"' sh -c '"$1" run --impl ref --case "$2" --report json=/dev/stdout --quiet | cat' sh "$KIT" "$case"
refute '(null)'

# A link stays a link; what it points to is replaced.
echo 'an older report' >"$TMP/target"
ln -s "$TMP/target" "$TMP/link"
expect 0 'Conforms' "$KIT" run --impl ref --case "$case" --report "json=$TMP/link"
[ -L "$TMP/link" ] || fail 'the link was replaced'
grep -q 'psgd-report/1' "$TMP/target" || fail 'what the link points to was not replaced'

# Quiet is one line. No colour and no bar where nobody looks.
"$KIT" run --impl ref --case "$case" --quiet >"$TMP/quiet" 2>&1
[ "$(wc -l <"$TMP/quiet")" -eq 1 ] || fail '--quiet prints more than a line'
"$KIT" run --impl "$PLUGINS/honest_mean.so" --quick --fuzz 0 >"$TMP/plain" 2>&1
if grep -q "$(printf '\033')" "$TMP/plain"; then
    fail 'escape sequences in a file'
fi

# The seed is printed, and another seed makes other random problems.
expect 0 'seed 7' "$KIT" run --impl ref --case "$case" --seed 7
"$KIT" list --fuzz 3 --seed 1 --only 'fuzz-*' >"$TMP/seed1"
"$KIT" list --fuzz 3 --seed 1 --only 'fuzz-*' | cmp -s - "$TMP/seed1" || fail 'one seed gives two lists'
"$KIT" list --fuzz 3 --seed 2 --only 'fuzz-*' | cut -d' ' -f2- >"$TMP/seed2"
cut -d' ' -f2- "$TMP/seed1" | cmp -s - "$TMP/seed2" && fail 'two seeds give one list'
[ "$(wc -l <"$TMP/seed1")" -eq 3 ] || fail '--fuzz 3 does not give three problems'

finish
