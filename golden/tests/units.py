#!/usr/bin/python3
"""Tests of what the generator computes by itself: files, layout, manifest, comparison."""

import contextlib
import io
import json
import os
import re
import struct
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from psgd_golden import SUITE, Refused, cases, environment, manifest, results, safetensors

try:
    from psgd_golden import compare
except ImportError:  # NumPy
    compare = None


def f32(*shape):
    return safetensors.Tensor("F32", shape, bytes(range(4 * cases.numel(shape))))


def write_case(folder, shapes, **changes):
    """A case file of one step and one rank; changes go to its configuration."""
    config = {
        "variant": "layerwise",
        "matrix_approximation_rank": 2,
        "start_iter": 0,
        "min_compression_rate": 2.0,
        "warm_start": True,
        "use_error_feedback": False,
    }
    config.update(changes)
    metadata = {
        "format": "psgd-case/1",
        "id": "unit",
        "claims": "core",
        "problem": "unit",
        "config": json.dumps(config),
        "world": "1",
        "steps": "1",
        "dtype": "f32",
        "buckets": json.dumps([{"index": 0, "is_last": True, "shapes": shapes}]),
    }
    count = sum(cases.numel(shape) for shape in shapes)
    path = os.path.join(folder, "unit.safetensors")
    safetensors.write(path, {"in/t0/b0/k0": safetensors.Tensor("F32", (count,), bytes(4 * count))}, metadata)
    return path


class Folder(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name


class Safetensors(unittest.TestCase):
    def test_what_was_written_is_read(self):
        tensors = {"b": f32(2, 3), "a": f32(0), "c": f32()}
        content = safetensors.serialize(tensors, {"z": "1", "a": "é"})
        self.assertEqual(safetensors.parse(content), (tensors, {"z": "1", "a": "é"}))
        self.assertEqual((8 + int.from_bytes(content[:8], "little")) % 8, 0)

    def test_any_truncation_is_refused(self):
        content = safetensors.serialize({"a": f32(2, 3)}, {"k": "v"})
        for length in range(len(content)):
            with self.assertRaises(ValueError):
                safetensors.parse(content[:length])
        with self.assertRaises(ValueError):
            safetensors.parse(content + b"\0")

    def test_holes_duplicates_and_wrong_shapes_are_refused(self):
        def parse(header, data):
            return safetensors.parse(len(header).to_bytes(8, "little") + header + data)

        good = b'{"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}}'
        parse(good, bytes(4))
        for bad in (
            good.replace(b"[0,4]", b"[4,8]"),
            good.replace(b"[1]", b"[2]"),
            good[:-1] + b"," + good[1:],
            b"[]",
        ):
            with self.assertRaises(ValueError):
                parse(bad, bytes(8))


class Layout(Folder):
    def factors(self, shapes, **changes):
        case = cases.Case(write_case(self.folder, shapes, **changes))
        return [tuple(f) for f in case.factors(0)], case.counts(0)

    def test_same_matricised_shapes_lie_together(self):
        found, counts = self.factors([[24, 40], [20, 30], [7], [24, 5, 8]])
        self.assertEqual(found, [(0, 24, 40, 2), (3, 24, 40, 2), (1, 20, 30, 2)])
        self.assertEqual(counts, (960 + 600 + 7 + 960, 128 + 100 + 7 + 128))

    def test_the_inequality_is_strict_and_in_double(self):
        self.assertEqual(self.factors([[4, 4]], matrix_approximation_rank=1)[0], [])
        self.assertEqual(self.factors([[5, 4]], matrix_approximation_rank=1)[0], [(0, 5, 4, 1)])
        self.assertEqual(self.factors([[3, 42]], min_compression_rate=1.4)[0], [(0, 3, 42, 2)])
        self.assertEqual(self.factors([[18, 22]], matrix_approximation_rank=3, min_compression_rate=3.3)[0], [])

    def test_rank_is_clipped_but_not_in_the_flattened_variant(self):
        self.assertEqual(self.factors([[2, 9]], matrix_approximation_rank=5, min_compression_rate=0)[0], [(0, 2, 9, 2)])
        found, counts = self.factors([[2, 5]], matrix_approximation_rank=5, variant="flattened")
        self.assertEqual((found, counts), ([(0, 4, 4, 5)], (10, 40)))

    def test_a_missing_input_is_refused(self):
        path = write_case(self.folder, [[3]])
        _, metadata = safetensors.read(path)
        safetensors.write(path, {"in/t0/b0/k0": f32(2)}, metadata)
        with self.assertRaisesRegex(Refused, "in/t0/b0/k0"):
            cases.Case(path)


class Verification(Folder):
    """A run that did not compress as the formulas say is refused."""

    def outcome(self, before=960, after=128, drop=None, other_shape=False):
        case = cases.Case(write_case(self.folder, [[24, 40]]))
        shapes = {"p": (24, 2), "q": (40, 2), "q0": (40, 2 if not other_shape else 1)}
        tensors = {
            f"{kind}/t0/b0/i0": safetensors.Tensor("F32", shape, bytes(4 * cases.numel(shape)))
            for kind, shape in shapes.items()
            if kind != drop
        }
        statistics = [
            {"step": 0, "compression_rate": 7.5, "numel_before_compression": before, "numel_after_compression": after}
        ]
        status = {"rank": 0, "status": "ok", "message": "", "steps_done": 1}
        metadata = {"status": json.dumps(status), "statistics": json.dumps(statistics), "q": "own"}
        safetensors.write(os.path.join(self.folder, "unit.k0"), tensors, metadata)
        return results.Outcome(case, self.folder)

    def test_a_compressed_step_passes(self):
        self.outcome().verify()

    def test_a_flattened_error_has_its_padding(self):
        path = write_case(
            self.folder, [[2, 5]], variant="flattened", matrix_approximation_rank=1, use_error_feedback=True
        )
        statistics = [{"step": 0, "numel_before_compression": 10, "numel_after_compression": 8}]
        status = {"rank": 0, "status": "ok", "message": "", "steps_done": 1}
        metadata = {"status": json.dumps(status), "statistics": json.dumps(statistics), "q": "own"}
        tensors = {f"{kind}/t0/b0/i0": f32(4, 1) for kind in ("p", "q", "q0")}
        for elements in (16, 10, None):
            error = {} if elements is None else {"error/t0/b0": f32(elements)}
            safetensors.write(os.path.join(self.folder, "unit.k0"), {**tensors, **error}, metadata)
            outcome = results.Outcome(cases.Case(path), self.folder)
            if elements == 16:
                outcome.verify()
            else:
                self.assertRaises(Refused, outcome.verify)

    def test_others_are_refused(self):
        for changes in ({"drop": "p"}, {"drop": "q0"}, {"after": 960}, {"other_shape": True}):
            with self.assertRaises(Refused, msg=str(changes)):
                self.outcome(**changes).verify()


def set_up(torch, **changes):
    return {"torch": torch, "torch_package": None, "cpu": "any", **changes}


class Manifest(Folder):
    def setUp(self):
        super().setUp()
        self.path = self.file(self.folder, "a", "1")
        manifest.write(self.folder, set_up("1"))

    def file(self, folder, name, version):
        path = os.path.join(folder, name + ".safetensors")
        safetensors.write(path, {"a": f32(2)}, {"problem": "p", "producer": "x", "version": version})
        return path

    def other(self, name, described):
        """A folder with one file of another set-up."""
        folder = os.path.join(self.folder, "other")
        os.mkdir(folder)
        self.file(folder, name, described["torch"])
        manifest.write(folder, described)
        return folder

    def test_every_kind_of_difference_is_found(self):
        self.assertEqual(manifest.check(self.folder), [])
        with open(self.path, "r+b") as file:
            file.seek(-1, os.SEEK_END)
            file.write(b"!")
        self.assertRegex(manifest.check(self.folder)[0], "changed")
        os.rename(self.path, os.path.join(self.folder, "b.safetensors"))
        self.assertEqual(len(manifest.check(self.folder)), 2)

    def test_a_set_up_that_is_not_described_is_found(self):
        path = os.path.join(self.folder, manifest.NAME)
        with open(path, encoding="utf-8") as file:
            changed = json.load(file)
        changed["files"]["a.safetensors"]["set_up"] = "torch-2"
        with open(path, "w", encoding="utf-8") as file:
            json.dump(changed, file)
        self.assertRegex(manifest.check(self.folder)[0], "torch-2, which")

    def test_another_set_up_is_not_mixed_in(self):
        manifest.refuse_mixture(self.folder, set_up("1", cpu="another"))
        with self.assertRaisesRegex(Refused, "torch"):
            manifest.refuse_mixture(self.folder, set_up("2"))
        self.assertEqual(environment.differences({"a": 1}, {}), ["a"])

    def test_a_file_of_another_version_is_refused(self):
        self.file(self.folder, "b", "2")
        with self.assertRaisesRegex(Refused, "b.safetensors was made with PyTorch 2, not 1"):
            manifest.write(self.folder, set_up("1"))

    def test_a_merged_folder_knows_each_files_set_up(self):
        before = manifest.read(self.folder)["files"]
        self.assertEqual(manifest.merge(self.other("b", set_up("2")), self.folder), ["b.safetensors"])
        self.assertEqual(manifest.check(self.folder), [])
        merged = manifest.read(self.folder)
        self.assertEqual(merged["files"]["a.safetensors"], before["a.safetensors"])
        self.assertEqual(manifest.files_of(merged, "torch-2"), ["b.safetensors"])
        self.assertEqual(manifest.set_up_at_hand(merged, set_up("2")), ("torch-2", None))
        found, why = manifest.set_up_at_hand(merged, set_up("3"))
        self.assertIsNone(found)
        self.assertRegex(why, "torch-1 .*torch-2")
        with self.assertRaisesRegex(Refused, "2 set-ups"):
            manifest.refuse_mixture(self.folder, set_up("2"))

    def assert_not_merged(self, source, reason):
        with self.assertRaisesRegex(Refused, reason):
            manifest.merge(source, self.folder)
        self.assertEqual(os.listdir(self.folder).count("b.safetensors"), 0)
        self.assertEqual(manifest.check(self.folder), [])

    def test_a_file_of_both_folders_is_not_merged(self):
        self.assert_not_merged(self.other("a", set_up("2")), "same names: a.safetensors")

    def test_set_ups_of_one_name_that_differ_are_not_merged(self):
        self.assert_not_merged(self.other("b", set_up("1", numpy="2")), "torch-1 are not the same .differ: numpy")

    def test_a_folder_that_does_not_fit_its_manifest_is_not_merged(self):
        source = self.other("b", set_up("2"))
        self.file(source, "c", "2")
        self.assert_not_merged(source, "c.safetensors: not in")


@unittest.skipUnless(compare, "NumPy cannot be imported")
class Compare(Folder):
    """A folder against a copy in which one difference was planted."""

    def setUp(self):
        super().setUp()
        self.old, self.new = (os.path.join(self.folder, name) for name in ("old", "new"))
        for folder in (self.old, self.new):
            os.mkdir(folder)
            self.plant(folder)

    def plant(self, folder, **changed):
        """A golden file of one compressed 6 x 4 tensor, 1 in its first row and column. changed: tensors, metadata."""
        config = {"matrix_approximation_rank": 1, "min_compression_rate": 0.5, "use_error_feedback": True}
        path = write_case(folder, [[6, 4]], **config)
        _, metadata = safetensors.read(path)
        gradient = [1.0] * 4 + [1.0, 0.0, 0.0, 0.0] * 5
        values = {"in/t0/b0/k0": gradient, "q0/t0/b0/i0": [1.0, 0.5, 0.25, 0.0], "out/t0/b0": gradient}
        values |= {"error/t0/b0/k0": [0.0] * 24, "p/t0/b0/i0": [1.0] + [0.0] * 5, "q/t0/b0/i0": [1.0] * 4}
        values |= {name: value for name, value in changed.items() if "/" in name}
        shapes = {"q0": (4, 1), "p": (6, 1), "q": (4, 1)}
        tensors = {}
        for name, numbers in values.items():
            shape = shapes.get(name.split("/")[0], (len(numbers),))
            tensors[name] = safetensors.Tensor("F32", shape, struct.pack(f"<{len(numbers)}f", *numbers))
        metadata["status"] = json.dumps([{"rank": 0, "status": "ok", "message": "", "steps_done": 1}])
        metadata["statistics"] = "[]"
        metadata.update({name: value for name, value in changed.items() if "/" not in name})
        safetensors.write(path, tensors, metadata)

    def found(self, **changed):
        """(classes of the pieces that are not identical, lines of what is beyond rounding)"""
        self.plant(self.new, **changed)
        tally, both, _ = compare.compare(self.old, self.new)
        self.assertEqual(both, ["unit.safetensors"])
        classes = [(kind, c) for kind, n in tally.counts.items() for c in compare.CLASSES[1:] for _ in range(n[c])]
        return classes, tally.beyond

    def first(self, value, count, rest=0.0):
        return [value] + [rest] * (count - 1)

    def test_equal_folders_are_equal(self):
        self.assertEqual(self.found(), ([], []))
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(compare.main(self.old, self.new), 0)
        self.assertRegex(said.getvalue(), "no difference beyond rounding")

    def test_rounding_is_told_from_more(self):
        self.assertEqual(self.found(**{"p/t0/b0/i0": self.first(1 + 2**-23, 6)}), ([("p", "rounding")], []))
        classes, beyond = self.found(**{"p/t0/b0/i0": self.first(1.001, 6)})
        self.assertEqual(classes, [("p", "beyond")])
        self.assertRegex(beyond[0], "unit: step 0, bucket 0, tensor 0: p differs by .* of 20")
        with contextlib.redirect_stdout(io.StringIO()) as said:
            self.assertEqual(compare.main(self.old, self.new), 1)
        self.assertRegex(said.getvalue(), "BEYOND ROUNDING: unit")

    def test_each_kind_of_result_is_compared(self):
        planted = {"out/t0/b0": 24, "error/t0/b0/k0": 24, "q/t0/b0/i0": 4, "q0/t0/b0/i0": 4}
        for name, count in planted.items():
            self.assertEqual(self.found(**{name: self.first(5.0, count)})[0], [(name.split("/")[0], "beyond")])

    def test_a_nan_is_beyond_rounding_and_equal_to_another(self):
        nan = {"out/t0/b0": self.first(float("nan"), 24)}
        self.assertRegex(self.found(**nan)[1][0], "out has NaN or infinities elsewhere")
        self.plant(self.old, **nan)
        self.assertEqual(self.found(**nan), ([], []))

    def test_where_nothing_is_determined_only_nan_counts(self):
        singular = {"in/t0/b0/k0": [0.0] * 24}
        self.plant(self.old, **singular)
        self.assertEqual(self.found(**singular, **{"p/t0/b0/i0": self.first(0.0, 6)})[0], [("p", "undetermined")])

    def test_other_inputs_statistics_and_statuses_are_seen(self):
        self.assertRegex(self.found(**{"in/t0/b0/k0": [2.0] * 24})[1][0], "inputs")
        self.assertRegex(self.found(statistics="[1]")[1][0], "statistics: .* before, .1. now")
        status = [{"rank": 0, "status": "error", "message": "m", "steps_done": 1}]
        self.assertRegex(self.found(status=json.dumps(status))[1][0], "status")
        os.rename(os.path.join(self.new, "unit.safetensors"), os.path.join(self.new, "other.safetensors"))
        with self.assertRaisesRegex(Refused, "no file in common"):
            compare.compare(self.old, self.new)


class Suite(unittest.TestCase):
    def test_the_suite_is_the_kits(self):
        header = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../conformance/report/report.h")
        with open(header, encoding="ascii") as file:
            self.assertEqual(re.search(r"^#define SUITE_VERSION (\d+)", file.read(), re.MULTILINE).group(1), SUITE)


if __name__ == "__main__":
    unittest.main()
