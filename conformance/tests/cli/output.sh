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

# A pipe that nobody reads is no success either.
sh -c '{ "$1" run --impl ref --case "$2"; echo $? >"$3"; } 2>/dev/null | true' sh "$KIT" "$case" "$TMP/code"
[ "$(cat "$TMP/code")" -eq 5 ] || fail 'a pipe that nobody reads is not said to be the reason'

# What a person sees, on terminals made by script(1). The port fails, which shows most.
# terminal WIDTH SETTING REDIRECTION: settings are for env(1); what the run prints goes to $TMP/screen.
terminal()
{
    expectations=$((expectations + 1))
    script -qec "stty cols $1; env $2 '$KIT' run --impl faulty:q-divided-twice --only torch-r2-w2 $3" /dev/null \
        </dev/null 2>&1 | tr -d '\r' >"$TMP/screen"
    tr '\n' ' ' <"$TMP/screen" | grep -q 'Does *not *conform' || fail "on a terminal of $1 columns with $2 nothing is said"
}
escape=$(printf '\033')
# The longest line of $TMP/screen, escape sequences taken out.
longest()
{
    sed "s/$escape\[[0-9;]*[mK]//g" "$TMP/screen" | awk '{ if (length($0) > n) n = length($0) } END { print n + 0 }'
}
if command -v script >/dev/null; then
    for width in 40 80 200; do
        terminal "$width" "-u COLUMNS -u NO_COLOR TERM=xterm" '2>/dev/null'
        [ "$(longest)" -le "$width" ] || fail "lines of $(longest) columns on a terminal of $width"
        grep -q "$escape\[1;31mFAILED" "$TMP/screen" || fail 'no colour on a terminal'
        # The command that is offered is one that a shell takes, however many lines it has.
        awk '/^  again / { on = 1 } on { print } on && !/\\$/ { exit }' "$TMP/screen" |
            sed '1s/^  again *psgd-conform/"$KIT"/' >"$TMP/again"
        expect 1 'torch-r2-w2' env KIT="$KIT" sh "$TMP/again"
    done
    grep -q 'element .*: got .*, expected' "$TMP/screen" || fail 'a line is broken where there is room for it'

    terminal 40 '-u NO_COLOR TERM=xterm COLUMNS=60' '2>/dev/null'
    [ "$(longest)" -gt 40 ] && [ "$(longest)" -le 60 ] || fail 'COLUMNS does not say the width'
    terminal 80 '-u COLUMNS TERM=xterm NO_COLOR=1' '2>/dev/null'
    ! grep -q "$escape" "$TMP/screen" || fail 'colour in spite of NO_COLOR'
    terminal 80 '-u COLUMNS TERM=xterm NO_COLOR=' '2>/dev/null'
    grep -q "$escape\[1;31m" "$TMP/screen" || fail 'an empty NO_COLOR takes the colour away'
    terminal 80 '-u COLUMNS -u NO_COLOR TERM=dumb' ''
    ! grep -q "$escape" "$TMP/screen" || fail 'escape sequences on a terminal that does not know them'
    # A bar on standard error, with the time; none with --quiet, nor where standard error goes elsewhere.
    terminal 80 '-u COLUMNS -u NO_COLOR TERM=xterm' '>&2'
    grep -q '\[#*\.*\] [0-9]*/[0-9]*.*  0:[0-9][0-9]  ' "$TMP/screen" || fail 'no bar on a terminal'
    terminal 80 '-u COLUMNS -u NO_COLOR TERM=xterm' '--quiet'
    [ "$(wc -l <"$TMP/screen")" -le 3 ] || fail '--quiet prints more than its line on a terminal'
    ! grep -q "$escape\[K" "$TMP/screen" || fail 'a bar with --quiet'
else
    echo 'script(1) is not here: nothing was tried on a terminal'
fi

# In a pipe lines have any length, whatever COLUMNS says.
TERM=xterm COLUMNS=40 "$KIT" run --impl faulty:q-divided-twice --only torch-r2-w2 2>/dev/null | cat >"$TMP/screen"
[ "$(longest)" -gt 100 ] || fail 'lines are broken in a pipe'

# --verbose has every check; the last line is the same.
expect 1 'row 1b' "$KIT" run --impl faulty:q-divided-twice --only torch-r2-w2 --verbose
[ "$(grep -c '^  pass ' "$TMP/output")" -gt 3 ] || fail '--verbose does not print every check'

# A report into a pipe: somebody reads it, or it is an error and no wait.
mkfifo "$TMP/pipe" || exit 1
expect 5 "report $TMP/pipe cannot be written" timeout 60 "$KIT" run --impl ref --only core-long --report "json=$TMP/pipe" --quiet
cat "$TMP/pipe" >"$TMP/read" &
expect 0 '' timeout 60 "$KIT" run --impl ref --only core-long --report "json=$TMP/pipe" --quiet
wait $!
grep -q '"format": "psgd-report' "$TMP/read" || fail 'the report did not go through the pipe'

finish
