"""Starting sets of rank processes, and being one. The parent needs no PyTorch: it stays usable for messages.

Ranks are forked from a process that has imported PyTorch and done nothing with it, because importing it is most of the
time that a small case takes.
"""

import importlib
import json
import multiprocessing
import os
import subprocess
import sys
import tempfile
import time
import traceback

from . import Refused, environment

SCRIPT = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "generate.py")
IMPORTS = 60  # seconds that PyTorch and a port may take to be imported, on a busy machine
READY = "ready"  # begins the name of a file in the job's folder, one of each rank that has begun
REFUSED = 3  # the exit code of a rank that has something to tell the user


def _rank_processes():
    """The multiprocessing context for ranks. Whatever is not there to be imported early is missed by the ranks."""
    os.environ.update(environment.PINNED)
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["torch", "torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook"])
    return context


def start(task, world, timeout, progress=None, **job):
    """Runs `task` on `world` ranks. False: a rank ended badly or the time was up; the second value says how. The time
    starts anew whenever what progress() returns has changed."""
    with tempfile.TemporaryDirectory(prefix="psgd-golden-") as folder:
        path = os.path.join(folder, "job.json")
        job.update(task=task, world=world, timeout=timeout, store=os.path.join(folder, "store"))
        with open(path, "w", encoding="utf-8") as file:
            json.dump(job, file)
        context, ranks = _rank_processes(), []
        try:
            for rank in range(world):
                ranks.append(context.Process(target=be_rank, args=(path, rank)))
                ranks[-1].start()
            failure = _wait(ranks, folder, timeout, progress or (lambda: None))
        finally:
            for process in ranks:
                process.kill()
                process.join()
        if failure is None:
            return True, ""
        rank, reason = failure
        tail = _log_tail(path, rank)
        if ranks[rank].exitcode == REFUSED:
            raise Refused(tail)
        return False, f"rank {rank} {reason}" + (f":\n{tail}" if tail else "")


def _log(path, rank):
    """Where the output of a rank goes, beside its job."""
    return os.path.join(os.path.dirname(path), f"log.{rank}")


def _log_tail(path, rank):
    try:
        with open(_log(path, rank), encoding="utf-8", errors="replace") as file:
            return file.read()[-2000:].strip()
    except OSError:
        return ""  # it ended before it had one


def _wait(ranks, folder, timeout, progress):
    """None when all ended well; else (rank, reason) of the first that did not."""
    reached, end = None, time.monotonic() + IMPORTS  # None: nothing, not what progress() may return
    while True:
        codes = [process.exitcode for process in ranks]
        bad = [(rank, code) for rank, code in enumerate(codes) if code not in (None, 0)]
        if bad:
            rank, code = bad[0]
            return rank, f"ended with status {code}" if code > 0 else f"died of signal {-code}"
        if None not in codes:
            return None
        begun = all(os.path.exists(os.path.join(folder, f"{READY}.{rank}")) for rank in range(len(ranks)))
        if begun and reached != (progress(),):
            reached, end = (progress(),), time.monotonic() + timeout
        if time.monotonic() > end:
            limit = f"end within {timeout} s (--timeout)" if begun else f"begin within {IMPORTS} s"
            return codes.index(None), f"did not {limit}"
        time.sleep(0.02)


def be_rank(path, rank):
    """The main function of a rank process. Does not return."""
    code = 1
    try:
        log = os.open(_log(path, rank), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        for stream in (sys.stdout, sys.stderr):
            stream.flush()
            os.dup2(log, stream.fileno())
        with open(path, encoding="utf-8") as file:
            job = json.load(file)
        import torch
        import torch.distributed as dist

        torch.set_num_threads(1)
        dist.init_process_group("gloo", init_method=f"file://{job['store']}", rank=rank, world_size=job["world"])
        with open(os.path.join(os.path.dirname(path), f"{READY}.{rank}"), "w", encoding="utf-8"):
            pass
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
        try:
            resolve(name)
        except SystemExit as error:
            raise ImportError(f"importing {name} ended the process") from error


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


def describe_environment(port=()):
    """environment.describe() of a process with the pinned set-up. NoTorch if PyTorch cannot be imported, NoPort if one of
    the functions and classes of the port, "MODULE:NAME", cannot."""
    command = [sys.executable, SCRIPT, "--probe", *port]
    try:
        result = subprocess.run(
            command, env=environment.pinned(), capture_output=True, text=True, errors="replace", timeout=IMPORTS
        )
    except subprocess.TimeoutExpired as error:
        raise NoPort(f"{' or '.join(port) or 'PyTorch'} was not imported within {IMPORTS} s") from error
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
