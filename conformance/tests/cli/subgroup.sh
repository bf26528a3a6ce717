#!/bin/sh
# subgroup.sh: a case on a subgroup and the case of the other ranks run at the same time and are judged both; a port that takes
# the world for its group is found out through either. With MPIRUN, the command that starts five ranks, over MPI.
. "$(dirname "$0")/lib.sh"
MPIRUN=${MPIRUN:-}
case_id=core-subgroup-3-of-5

# judged CODE FRAGMENT FAULT GROUP: the case on a port with this fault in groups of this size ("" for all).
judged()
{
    rm -rf "$TMP/place" "$TMP/report"
    mkdir "$TMP/place"
    WORLD_PORT=$3
    WORLD_PORT_WORLD=5
    WORLD_PORT_FOLDER=$TMP/place
    export WORLD_PORT WORLD_PORT_WORLD WORLD_PORT_FOLDER
    unset WORLD_PORT_GROUP
    if [ -n "$4" ]; then
        WORLD_PORT_GROUP=$4
        export WORLD_PORT_GROUP
    fi
    # MPIRUN is a command with options: split on purpose.
    expect "$1" "$2" $MPIRUN "$KIT" run --impl "$PLUGINS/world_port.so" --only $case_id --report "json=$TMP/report" \
        --timeout 30
}

# failed_in ID, not_failed_in ID: the state of PSGD-AGG-006 there.
state_in()
{
    tr -d '\n' <"$TMP/report" | tr '{' '\n' | grep '"requirement": "PSGD-AGG-006"' | grep -F "\"case\": \"$1\"" |
        grep -q "\"state\": \"$2\"" || fail "PSGD-AGG-006 is not '$2' in $1 ($WORLD_PORT, ${WORLD_PORT_GROUP:-all})"
}

judged 0 'Conforms' meets ''
[ "$(ls "$TMP/place" | wc -l)" -eq 5 ] || fail 'not all ranks of the world have met'
state_in $case_id pass
state_in $case_id+others pass

for fault in divides-by-world sums-over-world; do
    judged 1 'those made for: PSGD-AGG-006 (2)' $fault ''
    state_in $case_id fail
    state_in $case_id+others fail
done
judged 1 'those made for: PSGD-AGG-006 (1)' divides-by-world 3
state_in $case_id fail
state_in $case_id+others pass
judged 1 "case 'W2of5/group=1,3/r2/s2/i6/f32/ef,ws/rate2/eps0/[24x40,17]/grad=power/seed=270'" divides-by-world 2
state_in $case_id pass
state_in $case_id+others fail

finish
