#!/bin/sh
# exec.sh: run --exec: whatever a command does, the kit says what it was, ends with the right code, and leaves neither
# processes nor files behind. EXAMPLES: the folder of the example programs; MPIRUN: "" or how to start 3 ranks.
. "$(dirname "$0")/lib.sh"
: "${EXAMPLES:?}"

port=$EXAMPLES/example-minimal-files
faulty=$EXAMPLES/psgd-faulty-files
mkdir "$TMP/private" "$TMP/a folder with 'quotes' and \$signs" || exit 1
TMPDIR=$TMP/private
export TMPDIR
short="--only core-long" # one case
me=$$                     # in times to sleep, so that no other process has them

# nothing_left WORDS: no process has them on its command line, and no folder is left. (The brackets: not the search itself.)
nothing_left()
{
    first=$(printf %.1s "$1")
    ! grep -lsa -e "[$first]${1#?}" /proc/[0-9]*/cmdline >"$TMP/left" || fail "still running: $1 ($(cat "$TMP/left"))"
    left=$(ls "$TMP/private" | grep psgd-conform) # MPI may leave one of its own
    [ -z "$left" ] || fail "a folder was left: $left"
}

# also FRAGMENT: the last command's output has this one too.
also()
{
    grep -qF -e "$1" "$TMP/output" || fail "'$1' is missing in the last output: $(cat "$TMP/output")"
}

# A port that conforms, and one that does not.
expect 0 'Conforms: core ef warm multirank subgroup f64 f16 bf16 determinism' \
    "$KIT" run --exec "$port" --quick --fuzz 0 --report "json=$TMP/report"
grep -q '"name": "example-minimal"' "$TMP/report" || fail 'the report does not name the port'
expect 0 '' env TMPDIR="$TMP/a folder with 'quotes' and \$signs" "$KIT" run --exec "$port" $short --quiet
expect 1 'FAILED PSGD-EF-001' "$KIT" run --exec "env PSGD_FAULT=error-from-raw-gradient $faulty" --quick --fuzz 0
also "again      psgd-conform run --exec 'env PSGD_FAULT=error-from-raw-gradient $faulty' --only "
expect 0 '' "$KIT" run --exec "env PSGD_FAULT=none $faulty" --only 'core-*' --quiet
expect 0 'Conforms as far as was asked' "$KIT" run --exec "$port" --case 'W3/r2/i6/f64/[24x40,17]'
expect 3 'nothing that was chosen can be shown by files' "$KIT" run --exec "$port" --only 'scenario/*'

# Mistakes on the command line are found before the command is started, as is what cannot be written.
expect 2 'problem' "$KIT" run --exec "touch $TMP/started;" --case 'W0/r2'
expect 2 'matches no requirement' "$KIT" run --exec "touch $TMP/started;" --only nonsense
expect 2 '--exec and --impl do not go together' "$KIT" run --exec "touch $TMP/started;" --impl ref
expect 2 '--exec and --ranks do not go together' "$KIT" run --exec "touch $TMP/started;" --ranks threads
expect 2 'not under mpirun' env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 "$KIT" run --exec "touch $TMP/started;"
expect 5 'nowhere' "$KIT" run --exec "touch $TMP/started;" --report "json=$TMP/nowhere/report"
expect 5 'nowhere' "$KIT" run --exec "touch $TMP/started;" --golden "$TMP/nowhere"
[ ! -e "$TMP/started" ] || fail 'a command was started in spite of mistakes'

# What cannot be run.
echo 'an older report' >"$TMP/report"
expect 4 'no-such-program' "$KIT" run --exec "$TMP/no-such-program" $short --report "json=$TMP/report"
echo text >"$TMP/text"
expect 4 'exit status 126' "$KIT" run --exec "$TMP/text" $short --report "json=$TMP/report"
expect 4 'exit status 126' "$KIT" run --exec "$TMP" $short --report "json=$TMP/report"
[ "$(cat "$TMP/report")" = 'an older report' ] || fail 'the older report was touched'

# What ends otherwise than it should is judged for what is there, and does not conform.
expect 1 'ended with exit status 3' "$KIT" run --exec "f() { $port \"\$1\"; echo sorry >&2; exit 3; }; f" $short
also 'FAILED PSGD-FIL-010'
also 'its last words: sorry'
expect 1 'ended by signal SIGSEGV' "$KIT" run --exec "f() { $port \"\$1\"; kill -SEGV \$\$; }; f" $short
expect 1 'exit status 139 (signal SIGSEGV?)' "$KIT" run --exec "f() { $port \"\$1\"; exit 139; }; f" $short
expect 1 'ended with exit status 9' "$KIT" run --exec 'exit 9;' $short --report "json=$TMP/report"
grep -q '"exit_status": 9' "$TMP/report" || fail 'the report does not tell the exit status'
expect 1 'PSGD-FIL-001' "$KIT" run --exec "f() { $port \"\$1\"; rm \"\$1\"/core-long.result*; exit 0; }; f" --only 'core-*'
expect 1 'time was up' "$KIT" run --exec "f() { $port \"\$1\"; sleep 81.$me; }; f" $short --timeout 3 --report "json=$TMP/report"
grep -q '"timed_out": true' "$TMP/report" || fail 'the report does not tell that the time was up'
expect 1 'time was up' "$KIT" run --exec "sleep 81.$me;" $short --timeout 0.3
nothing_left 81.$me

# A command that did nothing.
expect 3 'left no result' "$KIT" run --exec true $short
expect 3 'its last words: I do not know' "$KIT" run --exec 'echo I do not know >&2; :' $short
expect 3 'left no result' "$KIT" run --exec 'rm -r' $short
expect 1 'exit status 1' "$KIT" run --exec 'f() { rm -r "$1"; exit 1; }; f' $short
mkdir "$TMP/precious" && touch "$TMP/precious/file"
expect 3 'left no result' "$KIT" run --exec "f() { rm -r \"\$1\"; ln -s $TMP/precious \"\$1\"; }; f" $short
[ -e "$TMP/precious/file" ] || fail 'the kit followed a link that the command had left'
nothing_left "$TMP/private"

# A command that does what it likes with the folder.
expect 1 'PSGD-FIL-001' "$KIT" run --exec 'f() { head -c 9999 /dev/urandom >"$1/core-long.result.safetensors"; }; f' $short
expect 1 'PSGD-FIL-002' \
    "$KIT" run --exec "f() { $port \"\$1\"; cp \"\$1/core-long.result.safetensors\" \"\$1/x.result.safetensors\"; }; f" $short
expect 0 '' "$KIT" run --exec "f() { $port \"\$1\"; rm \"\$1/psgd-export.json\"; }; f" $short --quiet
expect 0 '' "$KIT" run --exec "f() { $port \"\$1\"; echo '{}' >\"\$1/psgd-export.json\"; }; f" $short --quiet
expect 0 '' "$KIT" run --exec "f() { $port \"\$1\"; rm \"\$1/psgd-export.json\"; mkdir \"\$1/psgd-export.json\"; }; f" $short --quiet
expect 1 'PSGD-FIL-004' "$KIT" run --exec "f() { echo x >>\"\$1/core-long.safetensors\"; $port \"\$1\"; }; f" $short

# What it prints is nobody's report.
expect 0 '' "$KIT" run --exec "f() { $port \"\$1\"; exec 1>&- 2>&-; exit 0; }; f" $short --quiet
expect 0 'reads nothing' "$KIT" run --exec "f() { $port \"\$1\"; [ -z \"\$(cat)\" ] && echo reads nothing; }; f" $short
"$KIT" run --exec "f() { $port \"\$1\"; echo out-\$((40 + 2)); echo err-\$((40 + 2)) >&2; }; f" $short >"$TMP/out" 2>"$TMP/err"
! grep -q 'out-42\|err-42' "$TMP/out" || fail "the command's words stand in the kit's output"
grep -q out-42 "$TMP/err" && grep -q err-42 "$TMP/err" || fail "the command's words are not shown"
expect 0 '' "$KIT" run --exec "f() { $port \"\$1\"; echo err-\$((40 + 2)) >&2; }; f" $short --quiet
refute err-42
"$KIT" run --exec "f() { $port \"\$1\"; head -c 100000000 /dev/zero >&2; }; f" $short >"$TMP/out" 2>"$TMP/err" ||
    fail 'a flood of words is held against the port'
[ "$(wc -c <"$TMP/err")" -lt 2000000 ] || fail 'a flood of words is passed on'

# What it leaves running ends with it, in whatever group or session it is.
expect 0 '' "$KIT" run --exec "f() { $port \"\$1\"; sleep 82.$me & setsid sleep 82.$me & }; f" $short --quiet
nothing_left 82.$me

# A run that is told to end takes the command along, and so does one that is killed, though its folder stays.
"$KIT" run --exec "setsid sleep 83.$me & sleep 83.$me;" $short >"$TMP/output" 2>&1 &
kit=$!
sleep 1
kill -TERM "$kit"
wait "$kit"
[ $? -eq 143 ] || fail 'SIGTERM does not end the run as a signal does'
nothing_left 83.$me
"$KIT" run --exec "setsid sleep 84.$me & sleep 84.$me;" $short >"$TMP/output" 2>&1 &
kit=$!
sleep 1
kill -KILL "$kit"
wait "$kit"
sleep 1
rm -r "$TMP/private"/*
nothing_left 84.$me

# Ranks that the command starts by mpirun. Who has fewer of them than a case needs says that it is unsupported.
if [ -n "${MPIRUN:-}" ]; then
    mpi=$EXAMPLES/example-minimal-mpi-files
    expect 0 'Conforms as far as was asked' "$KIT" run --exec "$MPIRUN $mpi" --only 'core-long' --only 'core-zero'
    expect 3 'the case has 5 ranks, mpirun gave 3' "$KIT" run --exec "$MPIRUN $mpi" --case 'W5/r2/f32/[24x40]'
    expect 1 'time was up' "$KIT" run --exec "$MPIRUN sleep 85.$me;" $short --timeout 2
    nothing_left 85.$me
fi

finish
