#!/bin/sh
# usage.sh: mistakes on the command line end with 2, name what is wrong, and offer the nearest word; before anything runs.
. "$(dirname "$0")/lib.sh"

expect 0 'psgd-conform run --impl NAME' "$KIT" --help
expect 0 'psgd-conform 1.' "$KIT" --version
expect 2 'a command is missing' "$KIT"
expect 2 "unknown command 'lst'; did you mean 'list'?" "$KIT" lst
expect 2 'no output of a foreign word' sh -c "'$KIT' zzzzzzzzzzzz; c=\$?; echo no output of a foreign word; exit \$c"
refute 'did you mean'

expect 2 "unknown option '--qick'; did you mean '--quick'?" "$KIT" run --impl ref --qick
expect 2 "unknown option '--sed'; did you mean '--seed'?" "$KIT" run --impl ref --sed=5
expect 2 'the port is missing: --impl NAME' "$KIT" run
expect 2 '--impl needs a value' "$KIT" run --impl
expect 2 '--impl needs a value' "$KIT" run --impl --quick
expect 2 "--quick takes no value" "$KIT" run --impl ref --quick=yes
expect 2 "--impl does not go with 'list'" "$KIT" list --impl ref
expect 2 "unexpected word 'more'" "$KIT" run --impl ref more
expect 2 "'-1' is not a whole number" "$KIT" run --impl ref --seed -1
expect 2 "'1e9' is not a whole number" "$KIT" run --impl ref --fuzz 1e9
expect 2 "'0' is not a number of seconds" "$KIT" run --impl ref --timeout 0
expect 2 "'nan' is not a number of seconds" "$KIT" run --impl ref --timeout nan
expect 2 "--ranks: 'fibres' is not processes or threads" "$KIT" run --impl ref --ranks fibres
expect 2 '--ranks does not go with' "$KIT" list --ranks threads
expect 2 "unknown claim 'cor'; did you mean 'core'?" "$KIT" run --impl ref --claims ef,cor
expect 2 'claims are: core ef warm torch' "$KIT" run --impl ref --claims ef,cor
expect 2 'is not a list of claims' "$KIT" run --impl ref --claims ,
expect 2 "unknown format 'htm'" "$KIT" run --impl ref --report "htm=$TMP/x"
expect 2 'two reports of one format' "$KIT" run --impl ref --report "json=$TMP/a" --report "json=$TMP/b"
expect 2 '--case and --only do not go together' "$KIT" run --impl ref --case 'W1/r1/f32/[9x9]' --only 'PSGD-EF-*'

expect 2 "--only 'PSGD-EF-01' matches no requirement, case or scenario; did you mean 'PSGD-EF-001'?" \
    "$KIT" run --impl ref --only PSGD-EF-01
expect 2 "--only 'nothing-*' matches no" "$KIT" run --impl ref --only 'PSGD-EF-001' --only 'nothing-*'
expect 2 "there is no requirement or fault 'psgd-ef-001'; did you mean 'PSGD-EF-001'?" "$KIT" explain psgd-ef-001
expect 2 'psgd-conform show' "$KIT" explain torch-long-w4
expect 2 "did you mean 'torch-long-w4'?" "$KIT" show torch-long-w
expect 2 'the folder is missing' "$KIT" export

# The place of the mistake stands under the problem string, and is found even if the port is not there.
expect 2 "bad problem string: unknown field 'grd=gauss'" "$KIT" run --impl ref --case 'W3/r2/f32/[24x40]/grd=gauss'
expect 2 '                    ^ at 18' "$KIT" run --impl ref --case 'W3/r2/f32/[24x40]/grd=gauss'
expect 2 'bad problem string' "$KIT" run --impl "$TMP/nowhere.so" --case 'W3/r2/f32/[24x40'
expect 2 'bad problem string' "$KIT" show --case 'W0/r2/f32/[24x40]'
expect 2 'bad problem string' "$KIT" export "$TMP/exported" --case 'W3/r2/f33/[24x40]'
expect 2 "start s1 must be above 1 with error feedback or warm start on" "$KIT" run --impl ref --case 'W3/r2/s1/f32/[24x40]'
# What only the recording, or the gradients themselves, can tell.
expect 2 'recording digits-cnn has 3 ranks: write W3' "$KIT" run --impl ref --case 'W2/r2/f32/rec:digits-cnn'
expect 2 '            ^ at 10' "$KIT" run --impl "$TMP/nowhere.so" --case 'W2/r2/f32/rec:digits-cnn'
expect 2 'there is no recording digits' "$KIT" run --impl ref --case 'W3/r2/f32/rec:digits'
expect 2 'recording digits-cnn has 10 steps' "$KIT" export "$TMP/exported" --case 'W3/r2/i11/f32/rec:digits-cnn'
expect 2 'scale=30 is not exact' "$KIT" run --impl ref --case 'W2/r2/f16/[24x40]/scale=30'
expect 2 '                    ^ at 18' "$KIT" run --impl ref --case 'W2/r2/f16/[24x40]/scale=30'
expect 2 '                           ^ at 25' "$KIT" run --impl ref --case 'W3/r2/f32/rec:digits-cnn/scale=900'
expect 2 'more than a case may hold' "$KIT" run --impl ref --case 'W2/r2/f32/[200000x200000]'
expect 0 '' "$KIT" run --impl ref --case 'W3/r2/i4/f32/rec:digits-cnn/scale=2' --quiet
expect 5 "$TMP/nowhere/MANIFEST.json" "$KIT" run --impl ref --golden "$TMP/nowhere" --case 'W3/r2/f32/rec:digits-cnn'
[ ! -e "$TMP/exported" ] || fail 'export made a folder for a bad problem string'

# Which claim is wanting besides.
expect 3 'notice: every case of flat needs core besides' "$KIT" run --impl ref --claims flat --fuzz 0 --quick
expect 0 '' "$KIT" run --impl ref --claims core,flat --fuzz 0 --quick
refute 'besides'

# The case that the ranks outside of a group run has a name of its own in reports.
expect 0 'Conforms as far as was asked' "$KIT" run --impl ref --only core-subgroup-2-of-4+others
expect 2 "'core-long+others' matches no" "$KIT" run --impl ref --only core-long+others

# The modules that are there, not all that could be.
expect 4 "'reff' is neither one of ref, faulty:NAME, honest:NAME nor a file that exists" "$KIT" run --impl reff

finish
