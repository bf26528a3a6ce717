#!/bin/sh
# async.sh: a port that goes by submit and wait is judged like any other, whether it works in the one or the other; one that
# gets the two halves wrong is found. With MPIRUN, the command that starts three ranks, over MPI.
. "$(dirname "$0")/lib.sh"
MPIRUN=${MPIRUN:-}

# port CODE FRAGMENT FAULT OPTIONS...
port()
{
    wanted=$1
    words=$2
    ASYNC_PORT=$3
    export ASYNC_PORT
    shift 3
    # MPIRUN is a command with options: split on purpose.
    expect "$wanted" "$words" $MPIRUN "$KIT" run --impl "$PLUGINS/async_port.so" --fuzz 0 "$@"
}

for honest in '' deferred; do
    port 0 'Conforms' "$honest" --only 'async-*' --only 'scenario/*pending*' --only 'scenario/submit*'
    refute 'FAILED'
done
# A worker thread of the port's, where the communicator is one of processes or threads (MPI is not asked for threads).
if [ -z "$MPIRUN" ]; then
    port 0 'Conforms' threaded --only 'async-w3' --only 'scenario/*pending*' --only 'scenario/submit*'
    refute 'FAILED'
fi
port 0 'Conforms' '' --case 'W2/r2/f32/ef,ws,async/[24x40;8x9;20x30,5]/seed=9'

if [ -n "$MPIRUN" ]; then
    port 1 'wait returned PSGD_ERR_DEVICE in step 0, bucket 0' wait-fails --only async-w3
    port 1 'after 1 s the port had not ended' hangs-in-wait --only async-w1 --timeout 1
    finish
fi

# What makes a wrong result is found by cases; what only a caller between the two halves sees, by scenarios.
port 1 'FAILED PSGD-AGG-001' no-result --only async-same-shapes
port 1 'FAILED PSGD-ASY-001' ignores-is-last --only async-same-shapes
port 1 'FAILED PSGD-ASY-001' oldest-first --only async-same-shapes
port 1 'FAILED PSGD-ASY-002' counts-at-wait --only scenario/submit-ahead
port 1 'FAILED PSGD-ASY-002' destroy-drops --only scenario/destroy-pending
port 1 'the port claims async, and offers no wait' no-wait --only async-w1
port 1 'submit returned PSGD_OK and a null request' null-request --only async-w1
port 1 'wait returned PSGD_ERR_DEVICE in step 0, bucket 0' wait-fails --only async-w3
port 1 'ended by the time limit in wait of step 0, bucket 0' hangs-in-wait --only async-w1 --timeout 1
port 1 'SIGABRT in submit of step 0, bucket 0' dies-in-submit --only async-w1
port 3 'the port offers no submit' '' --impl "$PLUGINS/sabotage.so" --claims 'core async' --only async-w1

finish
