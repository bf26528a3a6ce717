#!/bin/sh
# lookup.sh: list, show and explain know every name that a report can mention.
. "$(dirname "$0")/lib.sh"

expect 0 'PSGD-EF-001' "$KIT" list
"$KIT" list >"$TMP/list" || fail 'list'
if grep -q '(null)' "$TMP/list"; then
    fail '(null) in the list'
fi
grep -q '^fuzz-' "$TMP/list" && fail 'list has random problems unasked'

cut -d' ' -f1 "$TMP/list" >"$TMP/names"
[ "$(sort "$TMP/names" | uniq -d | wc -l)" -eq 0 ] || fail 'a name is there twice'
[ "$(grep -c '^PSGD-' "$TMP/names")" -gt 40 ] || fail 'too few requirements'
[ "$(grep -c '^torch-' "$TMP/names")" -gt 50 ] || fail 'too few golden cases'
[ "$(grep -c '^scenario/' "$TMP/names")" -gt 10 ] || fail 'too few scenarios'

while read -r name; do
    expect 0 "$name" "$KIT" show "$name"
    case $name in
    PSGD-*)
        expect 0 'Source: ' "$KIT" explain "$name"
        expect 0 "$name" "$KIT" list --only "$name"
        ;;
    *)
        expect 0 "psgd-conform run --impl NAME" "$KIT" show "$name"
        expect 0 "$name" "$KIT" list --only "$name"
        [ "$(wc -l <"$TMP/output")" -eq 1 ] || fail "list --only $name has other lines"
        ;;
    esac
done <"$TMP/names"

expect 0 'PSGD-EF-001' "$KIT" list --only 'PSGD-EF-*'
refute 'PSGD-WRM'
expect 0 'PSGD-EF-001' "$KIT" list --claims 'core,ef'
refute 'PSGD-WRM-001'
expect 0 'compressed at rank 2' "$KIT" show --case 'W2/r2/f32/[24x40,17]'
expect 0 '17 x 1, not compressed' "$KIT" show --case 'W2/r2/f32/[24x40,17]'

# Cases as files, in two moves that give the same bytes.
expect 0 '2 cases written' "$KIT" export "$TMP/a" --case 'W2/r2/f32/[24x40]' --case 'W1/r1/f64/[9x9]'
expect 0 '' "$KIT" export "$TMP/b" --case 'W2/r2/f32/[24x40]' --case 'W1/r1/f64/[9x9]' --quiet
diff -r "$TMP/a" "$TMP/b" >/dev/null || fail 'two exports differ'
expect 5 'cannot make folder' "$KIT" export "$TMP/no/such/folder" --case 'W1/r1/f64/[9x9]'
echo 'a file' >"$TMP/file"
expect 5 "$TMP/file" "$KIT" export "$TMP/file" --case 'W1/r1/f64/[9x9]'
expect 3 'no case was chosen' "$KIT" export "$TMP/c" --only 'scenario/*'

# What explain says of a requirement: all of it, an example to run, the faults that break it.
for part in 'MUST  claims: ef torch' 'E_k is the rank' 'Source: ' 'Why: ' 'case     ' 'fault    error-from-raw-gradient' \
    'run --impl NAME --only PSGD-EF-002' 'psgd-conform show torch-' 'mutants --only PSGD-EF-002'; do
    expect 0 "$part" "$KIT" explain PSGD-EF-002
done
expect 0 'Shown through the C ABI only' "$KIT" explain PSGD-ROB-001
expect 0 'Of results in files only' "$KIT" explain PSGD-FIL-001
expect 0 'Checked by a unit test' "$KIT" explain PSGD-CFG-001
refute 'mutants --only'
example=$("$KIT" explain PSGD-SEL-007 | sed -n 's/^  Example: psgd-conform show //p')
expect 0 'PSGD-SEL-007' "$KIT" show "$example"

# And of a fault, by its name with or without what stands before it in --impl.
for name in error-from-raw-gradient faulty:error-from-raw-gradient; do
    expect 0 'breaks   PSGD-EF-001' "$KIT" explain $name
    expect 0 'run --impl faulty:error-from-raw-gradient' "$KIT" explain $name
done
expect 0 'must conform' "$KIT" explain honest:none
refute 'breaks'
expect 2 "no requirement or fault 'honest:error-from-raw-gradient'" "$KIT" explain honest:error-from-raw-gradient
expect 2 "did you mean 'error-from-raw-gradient'?" "$KIT" explain error-from-raw-gradent
expect 2 "did you mean 'PSGD-EF-001'?" "$KIT" explain EF-001

# The matrix is asked for by names of faults and requirements.
expect 2 "did you mean 'q-divided-twice'?" "$KIT" mutants --only q-divided-twic
expect 2 'matches no fault' "$KIT" mutants --only 'PSGD-XXX-*'
expect 2 'the kill matrix is written as json' "$KIT" mutants --only q-divided-twice --report "junit=$TMP/x"
expect 5 "$TMP/no/such" "$KIT" mutants --only q-divided-twice --report "json=$TMP/no/such/file"
expect 5 'MANIFEST.json' "$KIT" mutants --only q-divided-twice --golden "$TMP"

finish
