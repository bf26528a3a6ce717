"""Starting sets of rank processes, and being one. The parent needs no PyTorch: it stays usable for messages."""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
import traceback

from . import Refused, environment

SCRIPT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "generate.py")


REFUSED = 3  # the exit code of a rank that has something to tell the user


def start(task, world, timeout, progress=None, **job):
    """Runs `task` on `world` ranks. False: a rank ended badly or the time was up; the second value says how. The time
    starts anew whenever what progress() returns has changed."""
    with tempfile.TemporaryDirectory(prefix="psgd-golden-") as folder:
        path = os.path.join(folder, "job.json")
        job.update(task=task, world=world, timeout=timeout, store=os.path.join(folder, "store"))
        with open(path, "w", encoding="utf-8") as file:
            json.dump(job, file)
        ranks, logs = [], []
        try:
            for rank in range(world):
                logs.append(open(os.path.join(folder, f"log.{rank}"), "w+", encoding="utf-8", errors="replace"))
                command = [sys.executable, SCRIPT, "--rank", path, str(rank)]
                ranks.append(subprocess.Popen(command, env=environment.pinned(), stdout=logs[-1], stderr=logs[-1]))
            failure = _wait(ranks, timeout, progress or (lambda: None))
        finally:
            for process in ranks:
                if process.poll() is None:
                    process.kill()
                process.wait()
            tails = []
            for log in logs:
                log.seek(0)
                tails.append(log.read()[-2000:].strip())
                log.close()
        if failure is None:
            return True, ""
        rank, reason = failure
        if ranks[rank].returncode == REFUSED:
            raise Refused(tails[rank])
        return False, f"rank {rank} {reason}" + (f":\n{tails[rank]}" if tails[rank] else "")


def _wait(ranks, timeout, progress):
    """None when all ended well; else (rank, reason) of the first that did not."""
    reached, end = progress(), time.monotonic() + timeout
    while True:
        codes = [process.poll() for process in ranks]
        bad = [(rank, code) for rank, code in enumerate(codes) if code not in (None, 0)]
        if bad:
            rank, code = bad[0]
            return rank, f"ended with status {code}" if code > 0 else f"died of signal {-code}"
        if None not in codes:
            return None
        now_reached = progress()
        if now_reached != reached:
            reached, end = now_reached, time.monotonic() + timeout
        if time.monotonic() > end:
            return codes.index(None), f"did not end within {timeout} s (--timeout)"
        time.sleep(0.02)


def be_rank(path, rank):
    """The main function of a rank process. Does not return."""
    code = 1
    try:
        with open(path, encoding="utf-8") as file:
            job = json.load(file)
        import torch
        import torch.distributed as dist

        torch.set_num_threads(1)
        dist.init_process_group("gloo", init_method=f"file://{job['store']}", rank=rank, world_size=job["world"])
        if job["task"] == "cases":
            from .rank import run_cases as run
        elif job["task"] == "draws":
            from .draws import draw as run
        elif job["task"] == "errata":
            from .errata import observe as run
        else:
            from .record import record as run
        run(job, rank)
        dist.barrier()
        code = 0
    except Refused as error:
        print(error, file=sys.stderr)
        code = REFUSED
    except Exception:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def probe(port):
    """The main function of the process that describe_environment() starts: the description, then the port's parts."""
    print(json.dumps(environment.describe()), flush=True)
    for name in port:
        resolve(name)


def resolve(name):
    """What "MODULE:NAME" means, looked for in the current folder too."""
    if os.getcwd() not in sys.path:
        sys.path.append(os.getcwd())
    module, _, attribute = name.partition(":")
    found = importlib.import_module(module)
    for part in attribute.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{name} cannot be called")
    return found


def describe_environment(port=(), timeout=60):
    """environment.describe() of a process with the pinned set-up. NoTorch if PyTorch cannot be imported, NoPort if one of
    the functions and classes of the port, "MODULE:NAME", cannot."""
    command = [sys.executable, SCRIPT, "--probe", *port]
    try:
        result = subprocess.run(
            command, env=environment.pinned(), capture_output=True, text=True, errors="replace", timeout=timeout
        )
    except subprocess.TimeoutExpired as error:
        raise NoPort(f"{' or '.join(port) or 'PyTorch'} was not imported within {timeout} s (--timeout)") from error
    reason = (result.stderr.strip().splitlines() or ["no reason given"])[-1]
    description = result.stdout.partition("\n")[0]
    if result.returncode != 0 and description.startswith("{"):
        ended = f"its import died of signal {-result.returncode}" if result.returncode < 0 else reason
        raise NoPort(
            f"the port cannot be imported ({', '.join(port)}): {ended}\n"
            "Expected: MODULE:NAME, the module importable from the current folder or by PYTHONPATH."
        )
    if result.returncode != 0:
        raise NoTorch(
            f"PyTorch cannot be imported by {sys.executable}: {reason}\n"
            "Debian: apt-get install python3-torch, then run this with /usr/bin/python3. Elsewhere, or for a newer\n"
            "PyTorch: python3 -m venv torch; torch/bin/pip install torch numpy; then run this with torch/bin/python."
        )
    return json.loads(description)


class NoPort(Refused):
    """What --hook or --state names is not there: usage, exit code 2."""


class NoTorch(Refused):
    """The tests skip (exit code 77) on this."""
