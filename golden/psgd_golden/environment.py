"""The set-up that the numbers depend on: what can be pinned is pinned, the rest is recorded.

The kernels are those that any x86-64 machine with AVX2 has, so that regenerating gives the same bytes on newer
processors too, as long as PyTorch, NumPy and the BLAS are the same builds. PyTorch may be the distribution's, whose
BLAS is a library of its own, or PyPI's, which has MKL and oneDNN inside.
"""

import hashlib
import json
import os
import platform
import re
import subprocess

PINNED = {
    "OMP_NUM_THREADS": "1",  # the hook's later stages run on gloo's own threads, which torch.set_num_threads misses
    "OPENBLAS_NUM_THREADS": "1",
    "OPENBLAS_CORETYPE": "Haswell",
    "MKL_NUM_THREADS": "1",
    "MKL_CBWR": "COMPATIBLE",  # the only branch that MKL documents for every make of processor
    "ATEN_CPU_CAPABILITY": "avx2",
    "ONEDNN_MAX_CPU_ISA": "AVX2",
    "DNNL_MAX_CPU_ISA": "AVX2",
    "GLOO_SOCKET_IFNAME": "lo",  # the ranks are on this machine: no look-up of its name
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
}
INFORMATIVE = ("cpu",)  # recorded, but bytes do not depend on them, given what is pinned


def pinned():
    """The environment for a process that runs PyTorch."""
    return {**os.environ, **PINNED}


def _package_version(package, path):
    """The distribution's version (PyTorch's own __version__ is 1.13.0a0 in Debian's 1.13.1); None if path, where it was
    imported from, is not the package's."""
    try:
        owner = subprocess.run(["dpkg-query", "-S", path], capture_output=True, text=True, check=True).stdout
        if not owner.startswith(package + ":"):
            return None
        command = ["dpkg-query", "-W", "-f", "${Version}", package]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip() or None
    except (OSError, subprocess.CalledProcessError):
        return None


def _cpu_model():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"^model name\s*:\s*(.+)$", file.read(), re.MULTILINE)
        return found.group(1) if found else platform.machine()
    except OSError:
        return platform.machine()


def _numeric_libraries():
    """File names of the loaded libraries that compute (links resolved: the system's alternatives switch them)."""
    names = set()
    try:
        with open("/proc/self/maps", encoding="utf-8") as file:
            for line in file:
                name = os.path.basename(line.split()[-1])
                if re.match(r"lib(open)?(blas|lapack)|libmkl|libdnnl|libnvpl|libflexiblas", name):
                    names.add(name)
    except OSError:
        pass
    return sorted(names)


def _hook_sha256():
    """Of the file that PyTorch's hook is read from: whoever has that version can see that it is unmodified."""
    from torch.distributed.algorithms.ddp_comm_hooks import powerSGD_hook

    with open(powerSGD_hook.__file__, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _built_in():
    """What PyTorch says of the numeric libraries that it was built with: names and versions."""
    text = torch_config()
    names = re.findall(r"\b((?:BLAS|LAPACK)_INFO=[^,\s]*)", text)
    return names + re.findall(r"oneAPI Math Kernel Library Version \S+|MKL-DNN v\S+", text)


def torch_config():
    import torch

    return torch.__config__.show()


def switch_onednn_off():
    """In a process that runs the hook: oneDNN would choose its kernels for half types by the processor, whatever is
    pinned; without it PyTorch's own run everywhere. f32 and f64 matrices never go there."""
    import warnings

    import torch

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.backends.mkldnn.set_flags(False)


def describe():
    """A JSON object. Imports PyTorch: only in a process that was started with pinned()."""
    import numpy
    import torch

    torch.linalg.qr(torch.eye(3))  # now the BLAS and LAPACK are loaded
    capability = re.search(r"CPU capability usage: (\S+)", torch_config())
    return {
        "torch": torch.__version__,
        "torch_package": _package_version("python3-torch", torch.__file__),
        "powerSGD_hook.py": _hook_sha256(),
        "numpy": numpy.__version__,
        "python": platform.python_version(),
        "libraries": _numeric_libraries(),
        "built_in": _built_in(),
        "cpu_capability": capability.group(1) if capability else None,
        "threads": torch.get_num_threads(),
        "backend": "gloo",
        "pinned": PINNED,
        "machine": platform.machine(),
        "libc": " ".join(platform.libc_ver()),
        "cpu": _cpu_model(),
    }


def torch_version(described):
    package = described["torch_package"]
    return described["torch"] + (f" (python3-torch {package})" if package else "")


def name(described):
    """What manifests call this set-up."""
    return f"torch-{described['torch_package'] or described['torch']}"


def differences(a, b):
    """Names of what differs; the same bytes must come out of set-ups without differences."""
    keys = (set(a) | set(b)) - set(INFORMATIVE)
    return sorted(key for key in keys if json.dumps(a.get(key), sort_keys=True) != json.dumps(b.get(key), sort_keys=True))
