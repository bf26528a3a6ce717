#!/usr/bin/python3
"""Runs generate.py --errata and holds what it says against errata/<set-up>.txt, what was seen when golden/README.md was
written.

    errata.py      exit status 0, 1 (other answers), 77 (no PyTorch here, or one of which no answers are kept)
"""

import difflib
import os
import subprocess
import sys

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.insert(0, GOLDEN)
import regenerate

from psgd_golden import environment, processes

TIMEOUT = 200


def main():
    try:
        name = environment.name(processes.describe_environment())
    except processes.NoTorch as error:
        regenerate.skip(error)
    try:
        with open(os.path.join(GOLDEN, "errata", name + ".txt"), encoding="utf-8") as file:
            kept = file.read()
    except FileNotFoundError:
        regenerate.skip(f"no answers of {name} are kept")
    command = [sys.executable, os.path.join(GOLDEN, "generate.py"), "--errata", "--timeout", str(TIMEOUT)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    difference = list(difflib.unified_diff(kept.splitlines(), said.splitlines(), "kept", "now", n=0, lineterm=""))
    print("\n".join(difference) or f"{len(kept.splitlines()) - 1} facts of {name}, as they were")
    return 1 if difference or len(kept.splitlines()) < 2 else 0


if __name__ == "__main__":
    sys.exit(main())
