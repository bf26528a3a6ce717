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

expect 2 "did you mean 'PSGD-EF-001'?" "$KIT" explain EF-001

finish
