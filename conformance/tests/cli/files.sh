#!/bin/sh
# files.sh: cases exported, results judged from files: a good folder conforms; whatever is wrong with one is named, and
# does not pass. Besides lib.sh's needs FILE_PORT, the program leave_results.
. "$(dirname "$0")/lib.sh"
: "${FILE_PORT:?}"

list='psgd-export.json'
one=core-w2-r2
export_only="--only torch-r3-w3 --only core-ef-only --only core-ws-only --only core-w2-r2 --only torch-checkpoint"

check()
{
    expect "$1" "$2" "$KIT" check "$folder" --golden "$GOLDEN"
}

# says FRAGMENT: the last output has it too.
says()
{
    grep -qF -e "$1" "$TMP/output" || { fail "'$1' is missing in the output"; cat "$TMP/output"; }
}

# fresh [KIND]: a folder of a few cases with the reference's results, as one file a case or one a rank.
fresh()
{
    rm -rf "$TMP/folder"
    folder=$TMP/folder
    cp -R "$TMP/${1:-whole}" "$folder" || exit 1
}

# in_header FILE FROM TO: the same number of bytes, in place.
in_header()
{
    sed "s|$2|$3|" "$1" >"$TMP/edited" && ! cmp -s "$1" "$TMP/edited" || fail "$1 was not changed from $2"
    [ "$(wc -c <"$1")" -eq "$(wc -c <"$TMP/edited")" ] || fail "$1 has another length now"
    cp "$TMP/edited" "$1"
}

# ---- a good folder ----

# shellcheck disable=SC2086
expect 0 '6 cases written' "$KIT" export "$TMP/whole" $export_only
cp -R "$TMP/whole" "$TMP/ranks" && cp -R "$TMP/whole" "$TMP/bare" || exit 1
expect 0 '' "$FILE_PORT" "$KIT" ref "$TMP/whole" whole
expect 0 '' "$FILE_PORT" "$KIT" ref "$TMP/ranks" ranks

fresh
check 0 'Conforms as far as was asked'
says 'port '"$folder"' "ref 1.0.0"'
refute 'FAILED'
# Results alone may come home.
find "$folder" -name '*.safetensors' ! -name '*.result.*' -exec rm {} +
check 0 'Conforms as far as was asked'
fresh ranks
check 0 'Conforms as far as was asked'
expect 0 '' "$KIT" check "$folder" --only $one --quiet --report "json=$TMP/report" --report "junit=$TMP/junit"
grep -q '"way in": *"files"\|"way_in": *"files"\|"files"' "$TMP/report" || fail 'the report does not say files'
grep -q 'torch-checkpoint' "$TMP/report" && fail '--only did not choose'
expect 2 "--only 'torch-r1-w1' matches no" "$KIT" check "$folder" --only torch-r1-w1

# ---- the folder ----

fresh bare
check 3 'there are no results in'
expect 2 "folder $TMP/none: No such file" "$KIT" check "$TMP/none"
expect 2 "$TMP/output is not a folder" "$KIT" check "$TMP/output"
mkdir "$TMP/empty"
expect 2 "$TMP/empty/$list: No such file" "$KIT" check "$TMP/empty"
expect 2 'name another folder, or empty this one first' "$KIT" export "$folder" --only $one
rm "$folder/$list"
expect 2 'holds' "$KIT" export "$folder" --only $one

# ---- the list ----

fresh
sed -i 's/"suite": [0-9]*/"suite": 1/' "$folder/$list"
check 2 'is of suite 1'
says 'export again'
fresh
sed -i 's/psgd-conform data 1/psgd-conform data 0/' "$folder/$list"
check 2 "generator 'psgd-conform data 0'"
fresh
sed -i 's|psgd-export/1|psgd-export/9|' "$folder/$list"
check 2 "format 'psgd-export/9'"
fresh
sed -i 's/grad=gauss/grad=zero/' "$folder/$list" # an easier case than the one that was asked for
check 2 'lists other cases than its own options choose'
fresh
sed -i '/"id": "torch-checkpoint+again"/,/sha256/{s/torch-checkpoint+again/torch-checkpoint+other/}' "$folder/$list"
check 2 'lists other cases than its own options choose'
fresh
echo '{' >"$folder/$list"
check 2 'is not readable as JSON'
echo '{"format": "psgd-export/1"}' >"$folder/$list"
check 2 'is not a list of exported cases'
: >"$folder/$list"
check 2 'is not readable as JSON'
rm "$folder/$list"
mkfifo "$folder/$list" || exit 1
check 2 'is not a regular file'

# ---- results: each trouble has its sentence ----

fresh
rm "$folder/$one.result.safetensors"
check 1 "there is no $one.result.safetensors"
says 'FAILED PSGD-FIL-001'
says 'was not run'
refute 'core: PSGD-AGG-001 failed'

fresh
rm "$folder/torch-checkpoint+again.result.safetensors"
check 1 'there is no torch-checkpoint+again.result.safetensors'
says "--only torch-checkpoint"

fresh ranks
rm "$folder/torch-r3-w3.result.k1.safetensors"
check 1 'torch-r3-w3.result.k1.safetensors is missing'

fresh
cp "$TMP/ranks/$one.result.k0.safetensors" "$folder"
check 1 "the result is there twice: $one.result.safetensors and $one.result.k0.safetensors"
says 'FAILED PSGD-FIL-002'

fresh ranks
cp "$folder/$one.result.k1.safetensors" "$folder/$one.result.k01.safetensors"
check 1 "$one.result.k01.safetensors: its rank is written k1"
rm "$folder/$one.result.k1.safetensors"
check 1 "$one.result.k01.safetensors: its rank is written k1"

fresh ranks
cp "$folder/$one.result.k1.safetensors" "$folder/$one.result.k2.safetensors"
check 1 "$one.result.k2.safetensors is of a rank that the case has not: it has 2"
mv "$folder/$one.result.k2.safetensors" "$folder/$one.result.k99999999999999999999.safetensors"
check 1 'is of a rank that the case has not'

fresh ranks
cp "$folder/$one.result.k0.safetensors" "$folder/$one.result.k1.safetensors" # rank 0's, renamed
check 1 'no rank 0 is expected here'

fresh
cp "$folder/$one.result.safetensors" "$folder/torch-r3-w3.result.safetensors"
check 1 "torch-r3-w3.result.safetensors is the result of case '$one'"
fresh
cp "$folder/torch-checkpoint.result.safetensors" "$folder/torch-checkpoint+again.result.safetensors" # one run in place of two
check 1 "torch-checkpoint+again.result.safetensors is the result of case 'torch-checkpoint'"

fresh
cp "$folder/$one.result.safetensors" "$folder/core-w9.result.safetensors"
check 1 'core-w9.result.safetensors is neither a case of this export nor a result of one'
fresh
cp "$folder/$one.result.safetensors" "$folder/$(printf 'a\033[2Jb').result.safetensors"
check 1 'a?[2Jb.result.safetensors is neither'

fresh
in_header "$folder/$one.result.safetensors" '1.0.0' '9.0.0'
check 1 'results of several ports'
says 'FAILED PSGD-FIL-003'

fresh
in_header "$folder/$one.result.safetensors" 'psgd-result/1' 'psgd-result/2'
check 1 'metadata "format" is not psgd-result/1'

fresh
printf '\001' | dd of="$folder/$one.safetensors" bs=1 seek=2000 conv=notrunc 2>/dev/null
check 1 "$one.safetensors is not the case that was exported"
says 'FAILED PSGD-FIL-004'
rm "$folder/$one.safetensors"
mkfifo "$folder/$one.safetensors" || exit 1
check 1 "$one.safetensors is not the case that was exported"

fresh
result=$folder/$one.result.safetensors
head -c 700 "$result" >"$TMP/cut" && cp "$TMP/cut" "$result"
check 1 'truncated'
: >"$result"
check 1 'truncated: 0 bytes'
echo 'this is not a result, nor anything of the kind' >"$result"
check 1 "FAILED PSGD-FIL-001"
rm "$result" && mkdir "$result"
check 1 'is not a regular file'
rmdir "$result" && mkfifo "$result"
check 1 'is not a regular file'
rm "$result" && ln -s "$TMP/nowhere" "$result"
check 1 'cannot open'
if [ "$(id -u)" -ne 0 ]; then
    fresh
    chmod 0 "$result"
    check 1 'cannot open'
fi

# Tensors of one step under the name of another; the id of another case.
fresh
in_header "$result" 'out/t3/' 'out/tX/'
in_header "$result" 'out/t4/' 'out/t3/'
in_header "$result" 'out/tX/' 'out/t4/'
check 1 'FAILED PSGD-'
refute 'PSGD-FIL'
fresh
in_header "$folder/core-ws-only.result.safetensors" 'core-ws-only' 'core-ef-only' # other data of the same shape
mv "$folder/core-ws-only.result.safetensors" "$folder/core-ef-only.result.safetensors"
check 1 'FAILED PSGD-'
says 'there is no core-ws-only.result.safetensors'
grep 'FAILED PSGD-' "$TMP/output" | grep -qv 'PSGD-FIL' || fail 'the results of another case passed'
fresh
in_header "$result" 'out/t3/b0/k1' 'out/t3/b0/k7'
check 1 'is of none of the ranks'

# The status: an error is the port's, as through the C ABI.
fresh
in_header "$result" '\\"status\\":\\"ok\\"' '\\"status\\":\\"no\\"'
check 1 'is none of ok, unsupported, error'

# A damaged header, one bit at a time: never a crash, and what is read still is as it was, or is named.
fresh
position=9
while [ $position -lt 900 ]; do
    cp "$TMP/whole/$one.result.safetensors" "$result"
    byte=$(dd if="$result" bs=1 skip=$position count=1 2>/dev/null | od -An -tu1 | tr -d ' ')
    printf '%b' "\\0$(printf '%o' $((byte ^ 4)))" | dd of="$result" bs=1 seek=$position conv=notrunc 2>/dev/null
    expectations=$((expectations + 1))
    "$KIT" check "$folder" --golden "$GOLDEN" --only $one >"$TMP/output" 2>&1
    code=$?
    [ $code -le 1 ] || fail "exit code $code for a flipped bit at $position"
    [ $code -eq 1 ] && ! grep -q 'FAILED PSGD-' "$TMP/output" && fail "nothing is named for a flipped bit at $position"
    position=$((position + 53))
done

# Every claim that files can show, torch among them: what only calls show is unobserved and fails nothing.
expect 0 '' "$KIT" export "$TMP/quick" --quick --quiet
expect 0 '' "$FILE_PORT" "$KIT" ref "$TMP/quick" whole
expect 0 'notice: results in files do not show async: not tested' "$KIT" check "$TMP/quick" --golden "$GOLDEN"
says 'Conforms: core ef warm torch flat multirank subgroup checkpoint f64 f16 bf16 determinism.'
says 'unobserved only: PSGD-CFG-002'
says 'PSGD-ASY-001'

# An export for fewer claims.
expect 0 '' "$KIT" export "$TMP/few" --claims core,multirank --only 'core-*'
expect 0 '' "$FILE_PORT" "$KIT" ref "$TMP/few" whole
expect 0 'were not exported: not tested' "$KIT" check "$TMP/few"
expect 2 'its cases were not exported' "$KIT" check "$TMP/few" --claims core,ef
finish
