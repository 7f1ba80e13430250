# SPDX-License-Identifier: BSD-3-Clause
# Solves in every geometry mode on a GPU, or on the interpreter's: as with stored factors, and what
# the tuner takes where the mode is open.
"""Usage: end_to_end_device_geometry.py BUILD_FOLDER"""
import sys

sys.dont_write_bytecode = True
import end_to_end_geometry as geometry
import support
from support import check

SMALL = ["--oversubscribe", "--autotune", "no", "--degree", "4", "--nx", "2", "--ny", "2", "--nz", "2",
         "--repeats", "1"]


def check_tuned():
    """auto on a curved mesh: stored and nodes are timed side by side, and the choice is kept."""
    path = f"{geometry.folder}/tuned.txt"
    options = ["--oversubscribe", "--retune", "--autotune", "yes", "--tuning_file", path, "--degree",
               "2", "--nx", "2", "--ny", "2", "--nz", "2"]
    outcome = geometry.solve(geometry.CURVED, "auto", 1, f"{geometry.folder}/t.vtkhdf", *options)
    code, text, errors = outcome
    result = support.parse_result(text)
    check("auto: a run", code in (0, 1) and result.get("geometry") in ("stored", "nodes"),
          (code, text[-300:], errors[-300:]))
    for mode in ("stored", "nodes"):
        check(f"auto: {mode} is timed", f", {mode}: error" in text or f", {mode}, " in text,
              [line for line in text.splitlines() if line.startswith("tuning")][:5])
    kept = support.read(path).decode().splitlines()[-1]
    check("auto: the key names what was open", "geometry=stored_or_nodes_varying" in kept, kept)
    check("auto: the mode is kept", (" geometry=nodes" in kept.split(" : ")[1]) ==
          (result.get("geometry") == "nodes"), kept)
    again = geometry.solve(geometry.CURVED, "auto", 1, f"{geometry.folder}/t.vtkhdf",
                           *[word for word in options if word != "--retune"])
    check("auto: the kept choice is taken", "tuning: from file" in again[1] and
          support.parse_result(again[1]).get("geometry") == result.get("geometry"), again[1][-300:])


def check_all():
    runs = ((1, "f64"), (2, "f32"))
    geometry.check_case("curved", geometry.CURVED, ["nodes"], True, runs, SMALL)
    geometry.check_case("straight", geometry.STRAIGHT, ["trilinear", "affine"], True, runs, SMALL)
    geometry.check_case("constant", geometry.CONSTANT, ["trilinear", "affine"], False,
                        ((2, "f64"),), SMALL)
    check_tuned()


geometry.main(__doc__, check_all)
