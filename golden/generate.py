#!/usr/bin/python3
"""Makes the golden files: what PyTorch's own PowerSGD hook really does on the kit's cases. See golden/README.md.

    generate.py CASES_DIR OUT_DIR              runs the hook on exported cases, writes golden files and MANIFEST.json
    generate.py --record NAME OUT_DIR          writes a recording of a real training (digits-cnn, digits-transformer)
    generate.py --draws OUT_DIR                writes raw draws of NumPy's and PyTorch's generators
    generate.py --hook MODULE:FUNCTION CASES_DIR
                                               runs any function with the hook's signature (state, bucket) on exported
                                               cases, writes ID.result.safetensors beside them
    generate.py --check DIR                    holds a folder against its MANIFEST.json
    generate.py --merge FROM INTO              adds a folder's files to those of another set-up
    generate.py --compare OLD NEW              what differs between two folders, beyond rounding and within
    generate.py --errata                       what the hook does besides, of the list in golden/README.md, by running it

It does not make inputs: psgd-conform export does. It needs PyTorch and NumPy: Debian's python3-torch (the interpreter is
named in the first line because another Python, found first, has no PyTorch), or PyPI's in a virtual environment, whose
interpreter then runs this. --record needs scikit-learn besides; --check and --merge need neither, --compare NumPy.

Exit status: 0 done; 1 refused, a hook that raised, died or hung, a file that does not fit the manifest, or a difference
beyond rounding; 2 usage, or a port that cannot be imported; 77 PyTorch cannot be imported.
"""

import argparse
import json
import os
import sys
import tempfile

from psgd_golden import SKIP, Refused, cases, environment, manifest, processes, results

RECORDINGS = {"digits-cnn": 3, "digits-transformer": 3}  # name: ranks; psgd_golden/networks.py says what they are
SHOWN = 10  # failed cases that are named on standard error


def run_sets(all_cases, folder, timeout, hook=None, flattened=None, state=None):
    """Runs all cases, one set of processes per world size; yields their outcomes. A case whose processes die or hang is
    an outcome too (its ranks failed); the rest goes on in a new set. Without hook PyTorch's own are run."""
    for world in sorted({case.world for case in all_cases}):
        pending = [case for case in all_cases if case.world == world]
        while pending:
            ok, reason = processes.start(
                "cases",
                world,
                timeout + 10,  # first the collectives that wait for a rank in vain give up by themselves
                progress=lambda: len(os.listdir(folder)),
                cases=[os.path.abspath(case.path) for case in pending],
                results=folder,
                hook=hook,
                flattened=flattened,
                state=state,
                case_timeout=timeout,
            )
            outcomes = [results.Outcome(case, folder) for case in pending]
            ended = next((i for i, outcome in enumerate(outcomes) if outcome.died), len(outcomes))
            if ok != (ended == len(outcomes)):
                raise Refused(reason or f"{outcomes[ended].case.id}: a rank ended well without a result")
            if not ok:
                print(f"{outcomes[ended].case.id}: {reason}", file=sys.stderr)
                outcomes[ended].note_death(reason)
                ended += 1
            yield from outcomes[:ended]
            pending = pending[ended:]


def read_ids(path):
    """The cases named in a file, one a line; None: all."""
    if path is None:
        return None
    try:
        with sys.stdin if path == "-" else open(path, encoding="utf-8") as file:
            return file.read().split()
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error


def make_golden(arguments, described):
    all_cases = cases.find(arguments.folders[0], read_ids(arguments.ids))
    out = arguments.folders[1]
    os.makedirs(out, exist_ok=True)
    manifest.refuse_mixture(out, described)
    raised = []
    with tempfile.TemporaryDirectory(prefix="psgd-golden-") as folder:
        for outcome in run_sets(all_cases, folder, arguments.timeout):
            if outcome.died:
                raise Refused(f"{outcome.case.id}: the hook's processes died")
            if outcome.failed():
                raised.append(f"{outcome.case.id}: {outcome.failed()}")
            else:
                results.write_golden(outcome, out, described)
    manifest.write(out, described)
    print(f"{len(all_cases) - len(raised)} golden files in {out}")
    return complain(raised, "the hook raised: no golden file of")


def run_hook(arguments, described):
    folder = arguments.folders[0]
    version = arguments.version or environment.torch_version(described)
    claims = arguments.claims.replace(",", " ").split()
    found = cases.find(folder, read_ids(arguments.ids))
    chosen = [case for case in found if set(case.claims) <= set(claims)]
    if not chosen:
        raise Refused(f"{folder}: each of its cases needs a claim besides {' '.join(claims)} (--claims)")
    raised, unsupported = [], 0
    with tempfile.TemporaryDirectory(prefix="psgd-golden-") as scratch:
        port = (arguments.hook, arguments.flattened_hook, arguments.state)
        for outcome in run_sets(chosen, scratch, arguments.timeout, *port):
            results.write_result(outcome, folder, arguments.hook, version, " ".join(claims))
            unsupported += outcome.unsupported()
            if outcome.failed():
                raised.append(f"{outcome.case.id}: {outcome.failed()}")
    beyond = len(found) - len(chosen)
    print(
        f"{len(chosen)} results in {folder}"
        + (f"; unsupported: {unsupported}" if unsupported else "")
        + (f"; {beyond} cases need other claims: not run" if beyond else "")
    )
    code = complain(raised, "the hook failed in")
    return 0 if arguments.failures_ok else code


def complain(raised, what):
    """Says on standard error in which cases; the exit status."""
    if raised:
        print(f"{what} {len(raised)} case{'s' if len(raised) > 1 else ''}:", file=sys.stderr)
    for line in raised[:SHOWN]:
        print(f"  {line}", file=sys.stderr)
    if len(raised) > SHOWN:
        print(f"  and {len(raised) - SHOWN} more", file=sys.stderr)
    return 1 if raised else 0


def run_task(task, world, arguments, described, **job):
    out = arguments.folders[0]
    os.makedirs(out, exist_ok=True)
    manifest.refuse_mixture(out, described)
    ok, reason = processes.start(
        task, world, arguments.timeout, results=os.path.abspath(out), described=described, **job
    )
    if not ok:
        raise Refused(reason)
    manifest.write(out, described)


def check(arguments):
    wrong = manifest.check(arguments.folders[0])
    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        print(f"{arguments.folders[0]}: all files are those of {manifest.NAME}")
    return 1 if wrong else 0


def merge(arguments):
    source, target = arguments.folders
    names = manifest.merge(source, target)
    print(f"{len(names)} files of {source} added to {target}")


def print_errata(arguments, described):
    with tempfile.TemporaryDirectory(prefix="psgd-golden-") as folder:
        ok, reason = processes.start("errata", 2, arguments.timeout, results=folder)
        if not ok:
            raise Refused(reason)
        with open(os.path.join(folder, "errata.json"), encoding="utf-8") as file:
            observed = json.load(file)
    print(f"PyTorch {environment.torch_version(described)}")
    for fact, answer in observed:
        print(f"{fact}: {answer}")


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--hook", metavar="MODULE:FUNCTION")
    action.add_argument("--record", metavar="NAME", choices=sorted(RECORDINGS))
    action.add_argument("--draws", action="store_true")
    action.add_argument("--check", action="store_true")
    action.add_argument("--merge", action="store_true")
    action.add_argument("--compare", action="store_true")
    action.add_argument("--errata", action="store_true")
    action.add_argument("--probe", action="store_true", help=argparse.SUPPRESS)  # folders: what is to be imported
    parser.add_argument("--ids", metavar="FILE", help="only the cases that FILE names (-: standard input)")
    parser.add_argument("--flattened-hook", metavar="MODULE:FUNCTION", help="with --hook: for the flattened variant")
    parser.add_argument("--state", metavar="MODULE:CLASS", help="with --hook: instead of PyTorch's PowerSGDState")
    parser.add_argument(
        "--claims", default="core ef warm multirank", help="with --hook: what the port claims; other cases are not run"
    )
    parser.add_argument(
        "--failures-ok", action="store_true", help="with --hook: exit status 0 also where it failed; the results say so"
    )
    parser.add_argument("--version", help="with --hook: the port's version (PyTorch's if not given)")
    parser.add_argument("--timeout", type=int, default=60, metavar="SECONDS", help="per case (default 60)")
    parser.add_argument("folders", nargs="*", metavar="DIR")
    arguments = parser.parse_args()
    if arguments.probe:
        return arguments
    single = arguments.hook or arguments.record or arguments.draws or arguments.check
    expected = 0 if arguments.errata else 1 if single else 2
    if len(arguments.folders) != expected:
        parser.error(f"expected {expected} folder(s), got {len(arguments.folders)}")
    check_port(parser, arguments)
    return arguments


def check_port(parser, arguments):
    for option in ("hook", "flattened_hook", "state"):
        value, name = getattr(arguments, option), "--" + option.replace("_", "-")
        if value and not arguments.hook:
            parser.error(f"{name} goes with --hook")
        if value and not all(value.partition(":")):
            parser.error(f"{name}: '{value}' is not of the form MODULE:NAME")
    for claim in arguments.claims.replace(",", " ").split():
        if claim not in cases.CLAIMS:
            parser.error(f"--claims: unknown claim '{claim}' (claims are: {' '.join(cases.CLAIMS)})")
    if arguments.hook and not arguments.flattened_hook and "flat" in arguments.claims.replace(",", " ").split():
        parser.error("--claims flat: --flattened-hook names the function for it")


def main():
    arguments = parse_arguments()
    if arguments.probe:
        processes.probe(arguments.folders)
        return 0
    if arguments.check:
        return check(arguments)
    if arguments.merge:
        merge(arguments)
        return 0
    if arguments.compare:
        from psgd_golden import compare  # needs NumPy

        return compare.main(*arguments.folders)
    port = [name for name in (arguments.hook, arguments.flattened_hook, arguments.state) if name]
    described = processes.describe_environment(port)
    if arguments.errata:
        print_errata(arguments, described)
    elif arguments.hook:
        return run_hook(arguments, described)
    elif arguments.record:
        run_task("record", RECORDINGS[arguments.record], arguments, described, name=arguments.record)
    elif arguments.draws:
        run_task("draws", 1, arguments, described)
    else:
        return make_golden(arguments, described)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except processes.NoTorch as error:
        print(error, file=sys.stderr)
        sys.exit(SKIP)
    except processes.NoPort as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except Refused as error:
        print(error, file=sys.stderr)
        sys.exit(1)
