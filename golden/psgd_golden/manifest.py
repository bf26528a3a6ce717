"""MANIFEST.json: every file of a folder of golden data with its sha256, problem and producer, and what they were made
with. Standard library only; golden/tests/manifest.cmake checks the same without Python.
"""

import hashlib
import json
import os

from . import GENERATOR, SUITE, Refused, environment, safetensors

NAME = "MANIFEST.json"
FORMAT = "psgd-manifest/1"
VERSION = 1  # of the vectors: the folder is v1/


def _sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def _data_files(folder):
    return sorted(name for name in os.listdir(folder) if name.endswith(".safetensors"))


def read(folder):
    path = os.path.join(folder, NAME)
    try:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
        if manifest["format"] != FORMAT or not isinstance(manifest["files"], dict):
            raise ValueError(f"format is not {FORMAT}")
        return manifest
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise Refused(f"{path}: not a manifest: {error}") from error


def refuse_mixture(folder, described):
    """One manifest has one environment: files of another set-up must not be added to a folder."""
    if os.path.exists(os.path.join(folder, NAME)):
        differing = environment.differences(read(folder)["environment"], described)
        if differing:
            raise Refused(
                f"{folder} was made with another set-up (differs: {', '.join(differing)}); "
                "make all of it anew in an empty folder"
            )


def write(folder, described):
    """The manifest of what is in the folder now."""
    files = {}
    for name in _data_files(folder):
        path = os.path.join(folder, name)
        metadata = safetensors.read(path)[1]
        files[name] = {
            "sha256": _sha256(path),
            "problem": metadata["problem"],
            "producer": f"{metadata['producer']} {metadata['version']}",
        }
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "generator": GENERATOR,
        "suite": SUITE,
        "environment": described,
        "files": files,
    }
    temporary = os.path.join(folder, NAME + ".part")
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1, ensure_ascii=False)
        file.write("\n")
    os.replace(temporary, os.path.join(folder, NAME))


def check(folder):
    """What is wrong, one line each; empty: all is well."""
    files = read(folder)["files"]
    present = _data_files(folder)
    wrong = [f"{name}: missing" for name in files if name not in present]
    wrong += [f"{name}: not in {NAME}" for name in present if name not in files]
    for name in present:
        if name in files and _sha256(os.path.join(folder, name)) != files[name]["sha256"]:
            wrong.append(f"{name}: changed (sha256 differs)")
    if not files:
        wrong.append(f"{NAME} lists no files")
    return wrong
