"""MANIFEST.json: every file of a folder of golden data with its sha256, problem, producer and set-up, and what each
set-up is (environment.py). Standard library only; golden/tests/manifest.cmake checks the same without Python.

The generator fills a folder with files of one set-up and refuses to add those of another. A folder of several is made
on purpose, by merge().
"""

import hashlib
import json
import os
import shutil

from . import GENERATOR, SUITE, Refused, environment, safetensors

NAME = "MANIFEST.json"
FORMAT = "psgd-manifest/2"
VERSION = 1  # of the vectors: the folder is v1/


def _sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def data_files(folder):
    """The names of the data files of a folder, sorted, whatever its manifest says."""
    try:
        return sorted(name for name in os.listdir(folder) if name.endswith(".safetensors"))
    except OSError as error:
        raise Refused(f"{folder}: {error.strerror}") from error


def read(folder):
    path = os.path.join(folder, NAME)
    try:
        with open(path, encoding="utf-8") as file:
            manifest = json.load(file)
        if manifest["format"] != FORMAT:
            raise ValueError(f"format is not {FORMAT}")
        if not isinstance(manifest["files"], dict) or not isinstance(manifest["set_ups"], dict):
            raise ValueError("files or set_ups is not an object")
        return manifest
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise Refused(f"{path}: not a manifest: {error}") from error


def refuse_mixture(folder, described):
    """What is made goes to a folder of its own set-up: neither of another one nor of several."""
    if not os.path.exists(os.path.join(folder, NAME)):
        return
    set_ups = read(folder)["set_ups"]
    if len(set_ups) != 1:
        raise Refused(f"{folder} has files of {len(set_ups)} set-ups; make files in an empty folder and --merge that")
    (other,) = set_ups.values()
    differing = environment.differences(other, described)
    if differing:
        raise Refused(
            f"{folder} was made with another set-up (differs: {', '.join(differing)}); "
            "make all of it anew in an empty folder, or --merge two folders"
        )


def set_up_at_hand(manifest, described):
    """(name of the set-up that is this one, None) or (None, why none is)."""
    why = []
    for name, other in manifest["set_ups"].items():
        differing = environment.differences(other, described)
        if not differing:
            return name, None
        why.append(f"{name} (differs: {', '.join(differing)})")
    return None, "the golden files were made with other set-ups: " + "; ".join(why)


def files_of(manifest, set_up):
    return [name for name, entry in manifest["files"].items() if entry["set_up"] == set_up]


def write(folder, described):
    """The manifest of what is in the folder now, all of it made with one set-up."""
    set_up = environment.name(described)
    _save(folder, {set_up: described}, {name: set_up for name in data_files(folder)})


def _save(folder, set_ups, set_up_of):
    files = {}
    for name in sorted(set_up_of):
        path = os.path.join(folder, name)
        metadata = safetensors.read(path)[1]
        version = environment.torch_version(set_ups[set_up_of[name]])
        if metadata["version"] != version:
            raise Refused(f"{path} was made with PyTorch {metadata['version']}, not {version}")
        files[name] = {
            "sha256": _sha256(path),
            "problem": metadata["problem"],
            "producer": f"{metadata['producer']} {metadata['version']}",
            "set_up": set_up_of[name],
        }
    manifest = {
        "format": FORMAT,
        "version": VERSION,
        "generator": GENERATOR,
        "suite": SUITE,
        "set_ups": set_ups,
        "files": files,
    }
    temporary = os.path.join(folder, NAME + ".part")
    with open(temporary, "w", encoding="utf-8") as file:
        json.dump(manifest, file, indent=1, ensure_ascii=False)
        file.write("\n")
    os.replace(temporary, os.path.join(folder, NAME))


def merge(source, target):
    """Adds the files of one folder to another, each under its own set-up. Refuses, before it changes anything, folders
    that do not fit their manifests, a file that is in both, and two set-ups of one name. Returns the files' names."""
    manifests = []
    for folder in (source, target):
        wrong = check(folder)
        if wrong:
            raise Refused(f"{folder} is not what its {NAME} says: {wrong[0]}")
        manifests.append(read(folder))
    new, old = manifests
    common = sorted(set(new["files"]) & set(old["files"]))
    if common:
        raise Refused(f"{target} has files of the same names: {', '.join(common)}")
    for name in set(new["set_ups"]) & set(old["set_ups"]):
        differing = environment.differences(new["set_ups"][name], old["set_ups"][name])
        if differing:
            raise Refused(f"the folders' set-ups {name} are not the same (differ: {', '.join(differing)})")
    for name in new["files"]:
        shutil.copyfile(os.path.join(source, name), os.path.join(target, name))
    _save(
        target,
        dict(sorted({**new["set_ups"], **old["set_ups"]}.items())),
        {name: entry["set_up"] for m in manifests for name, entry in m["files"].items()},
    )
    return sorted(new["files"])


def check(folder):
    """What is wrong, one line each; empty: all is well."""
    manifest = read(folder)
    files = manifest["files"]
    present = data_files(folder)
    wrong = [f"{name}: missing" for name in files if name not in present]
    wrong += [f"{name}: not in {NAME}" for name in present if name not in files]
    for name in present:
        if name in files and _sha256(os.path.join(folder, name)) != files[name].get("sha256"):
            wrong.append(f"{name}: changed (sha256 differs)")
    for name, entry in files.items():
        if entry.get("set_up") not in manifest["set_ups"]:
            wrong.append(f"{name}: of set-up {entry.get('set_up')}, which {NAME} does not describe")
    if not files:
        wrong.append(f"{NAME} lists no files")
    return wrong
