#!/bin/sh
# damage.sh: golden files that are missing, corrupt, truncated or foreign are refused by name with 5, before or in the run;
# an older report stays as it was.
. "$(dirname "$0")/lib.sh"

case_id=torch-long-w4
file=$case_id.safetensors
folder=$TMP/golden
cp -R "$GOLDEN" "$folder" && chmod -R u+w "$folder" || exit 1
echo 'an older report' >"$TMP/report"
cp "$TMP/report" "$TMP/report.before"

run()
{
    expect "$1" "$2" "$KIT" run --impl ref --golden "$folder" --only "$case_id" --report "json=$TMP/report" --quiet
    if [ "$1" -eq 5 ]; then
        cmp -s "$TMP/report" "$TMP/report.before" || fail 'the older report was touched'
    fi
    for left in "$TMP"/report.*.partial; do
        [ ! -e "$left" ] || fail "$left was left behind"
    done
}

# Puts the file's present sha256 into the manifest, so that the reader itself has to refuse it.
vouch()
{
    old=$(sha256sum <"$GOLDEN/$file" | cut -d' ' -f1)
    new=$(sha256sum <"$folder/$file" | cut -d' ' -f1)
    sed "s/$old/$new/" "$GOLDEN/MANIFEST.json" >"$folder/MANIFEST.json"
    [ "$old" = "$new" ] || ! cmp -s "$GOLDEN/MANIFEST.json" "$folder/MANIFEST.json" || fail 'the manifest was not changed'
}

restore()
{
    cp "$GOLDEN/$file" "$folder/$file"
    cp "$GOLDEN/MANIFEST.json" "$folder/MANIFEST.json"
}

# overwrite OFFSET BYTE: one byte of the file, as printf reads it.
overwrite()
{
    printf '%b' "$2" | dd of="$folder/$file" bs=1 seek="$1" conv=notrunc 2>/dev/null
}

size=$(wc -c <"$GOLDEN/$file")

rm "$folder/$file"
mkfifo "$folder/$file" || exit 1
run 5 "$file is not a regular file"
rm "$folder/$file"
restore

rm "$folder/MANIFEST.json"
mkfifo "$folder/MANIFEST.json" || exit 1
run 5 "MANIFEST.json is not a regular file"
rm "$folder/MANIFEST.json"
restore

overwrite $((size - 1)) '\0177'
run 5 "$file is corrupt: its sha256 is not the manifest's"
restore

head -c $((size / 2)) "$GOLDEN/$file" >"$folder/$file"
run 5 "$file is corrupt"
vouch
run 5 "golden"
restore

: >"$folder/$file"
vouch
run 5 "golden"
restore

overwrite 7 '\0177' # the length of the header is beyond all sense
vouch
run 5 "golden"
restore

overwrite 8 'x' # the header is no JSON
vouch
run 5 "golden"
restore

cp "$GOLDEN/torch-aba-batched.safetensors" "$folder/$file" # another case under this name
vouch
run 5 "golden"
restore

# The hook failed on rank 0; the header keeps its length.
sed 's/{\\"rank\\": 0, \\"status\\": \\"ok\\"/{\\"rank\\":0,\\"status\\":\\"error\\"/' "$GOLDEN/$file" >"$folder/$file"
vouch
run 5 "$file is of a hook that failed on rank 0"
restore

cp "$GOLDEN/draws-0-f32.safetensors" "$folder/$file" # no case at all
vouch
run 5 "golden"
restore

echo 'this is not a golden file' >"$folder/$file"
vouch
run 5 "golden"
restore

rm "$folder/$file"
run 5 "cannot read golden file $folder/$file"
sed "s/\"$file\"/\"other-$file\"/" "$GOLDEN/MANIFEST.json" >"$folder/MANIFEST.json"
cp "$GOLDEN/$file" "$folder/other-$file"
run 5 "golden file $file is not in $folder/MANIFEST.json"
rm "$folder/other-$file"
restore

echo '{"version": 1, "files": {' >"$folder/MANIFEST.json"
run 5 'MANIFEST.json is not readable as JSON'
head='{"format": "psgd-manifest/2", "set_ups": {"s": {}}, "version": 1'
echo "$head, \"files\": {\"../secret\": {\"sha256\": \"00\", \"set_up\": \"s\"}}}" >"$folder/MANIFEST.json"
run 5 "'../secret' is not a plain file name"
echo "$head, \"files\": {\"a\": {\"sha256\": \"00\"}, \"a\": {\"sha256\": \"00\"}}}" >"$folder/MANIFEST.json"
run 5 'MANIFEST.json is not readable as JSON'
echo "$head}" >"$folder/MANIFEST.json"
run 5 'no "files" object'
sed 's|psgd-manifest/2|psgd-manifest/1|' "$GOLDEN/MANIFEST.json" >"$folder/MANIFEST.json"
run 5 "is of format 'psgd-manifest/1', not psgd-manifest/2"
sed 's|"set_up": "torch-1|"set_up": "other-1|' "$GOLDEN/MANIFEST.json" >"$folder/MANIFEST.json"
run 5 "is of set-up 'other-1"
rm "$folder/MANIFEST.json"
run 5 "cannot read golden file $folder/MANIFEST.json"
restore

expect 5 "cannot read golden file $TMP/nowhere/MANIFEST.json" "$KIT" run --impl ref --golden "$TMP/nowhere" --quick

# And whole again.
run 0 'Conforms as far as was asked'
grep -q '"format": "psgd-report/1"' "$TMP/report" || fail 'the report was not replaced'
finish
