# SPDX-License-Identifier: BSD-3-Clause
# Solves in every geometry mode: the same answer as with stored factors on meshes that both
# represent, the bytes said, refusals, and what auto takes.
"""Usage: end_to_end_geometry.py BUILD_FOLDER"""
import os
import sys
import tempfile

sys.dont_write_bytecode = True
import support
from support import check, on_ranks, run

support.require("h5py", "numpy")
import h5py
import numpy as np

# All runs with HB_TEST_ALL=1; else each kind of them on several ranks.
EVERY = os.environ.get("HB_TEST_ALL") == "1"
RUNS = ((1, "f64"), (3, "f64"), (2, "f32")) if EVERY else ((3, "f64"), (2, "f32"))
REPEATS = 20 if EVERY else 3

CURVED = """[mesh]
degree = 4
nx = 4
ny = 3
nz = 3
lx = 1.4
boundary_y = neumann
boundary_z = periodic
deformation = smooth
amplitude = 0.03
[problem]
h1_variation = 0.4
h2_variation = 0.2
[solver]
warmup = 0
repeats = 2
"""
STRAIGHT = CURVED.replace("deformation = smooth", "deformation = none")
CONSTANT = STRAIGHT.replace("h1_variation = 0.4\nh2_variation = 0.2\n", "")
N = 5  # points a direction
# Values that are kept at a point and of an element, and with coefficients that vary.
KEPT = {"stored": (7, 7, 0), "nodes": (3, 5, 0), "trilinear": (0, 2, 24), "affine": (0, 2, 8)}


def solve(case, mode, ranks, path, *options):
    """RESULT and report of a run."""
    with open(f"{folder}/case.ini", "w", encoding="utf-8") as file:
        file.write(case)
    return run(on_ranks(ranks, f"{build}/helmbone", f"{folder}/case.ini", "--geometry", mode,
                        "--output", path, *options))


def check_valid(what, outcome, mode, varying, precision="f64"):
    code, text, errors = outcome
    result = support.parse_result(text)
    good = check(f"{what}: VALID", code == 0 and result.get("status") == "VALID",
                 (code, text[-600:], errors[-300:]))
    if not good:
        return {}
    check(f"{what}: the mode is said", result["geometry"] == mode and
          f"geometry {mode}," in text, result["geometry"])
    real = 4 if precision == "f32" else 8
    at_point, of_element = KEPT[mode][1 if varying else 0], KEPT[mode][2]
    expected = real * (at_point + of_element / N**3)
    check(f"{what}: bytes of geometry", abs(float(result["geometry_bytes"]) - expected) <
          1e-3 * expected, (result["geometry_bytes"], expected))
    check(f"{what}: comparable with Nekbone", result["nekbone_comparable"] ==
          ("yes" if mode == "stored" else "no"), result["nekbone_comparable"])
    check(f"{what}: the figure says so", ("not to be compared" in text) == (mode != "stored"))
    return result


def history(path):
    with h5py.File(path) as file:
        return file["solver/residual_history"]["relative_residual"], file["fields/solution"][:]


def compare(what, path, reference, precision="f64"):
    """The same operator to rounding: the first residuals and the solution."""
    (mine, mine_u), (its, its_u) = history(path), history(reference)
    first = min(len(mine), len(its), 12 if precision == "f32" else 30)
    rounding = 1e-3 if precision == "f32" else 1e-8
    off = np.abs(mine[:first] / its[:first] - 1).max()
    check(f"{what}: first residuals as with stored factors", off < rounding, off)
    check(f"{what}: number of iterations", abs(len(mine) - len(its)) <= 2, (len(mine), len(its)))
    bound = (2e-3 if precision == "f32" else 1e-9) * np.abs(its_u).max()
    check(f"{what}: solution", np.abs(mine_u - its_u).max() < bound, np.abs(mine_u - its_u).max())


def check_case(name, case, modes, varying, runs=RUNS, more=()):
    """Every mode on several ranks, in both precisions, against stored factors."""
    for ranks, precision in runs:
        options = [*more, "--precision", precision, "--tolerance", "1e-10" if precision == "f64" else
                   "1e-4"]
        reference = f"{folder}/stored.vtkhdf"
        outcome = solve(case, "stored", ranks, reference, *options)
        if not check_valid(f"{name}, stored, {ranks} ranks, {precision}", outcome, "stored", varying,
                           precision):
            continue
        for mode in modes:
            what, path = f"{name}, {mode}, {ranks} ranks, {precision}", f"{folder}/{mode}.vtkhdf"
            if check_valid(what, solve(case, mode, ranks, path, *options), mode, varying,
                           precision):
                compare(what, path, reference, precision)


def check_repeats():
    """The same binary on the same ranks: bitwise the same, every time."""
    seen = set()
    for _ in range(REPEATS):
        path = f"{folder}/again.vtkhdf"
        solve(CURVED, "nodes", 2, path, "--degree", "3", "--repeats", "1")
        residuals, u = history(path)
        seen.add((residuals.tobytes(), u.tobytes()))
    check(f"nodes: {REPEATS} runs are the same", len(seen) == 1, len(seen))


def check_auto():
    """The lightest mode that represents the mesh and that the kernel has."""
    for name, case, options, expected in (
            ("bricks", CONSTANT, [], "affine"), ("bricks, varying", STRAIGHT, [], "affine"),
            ("curved", CURVED, [], "stored"),
            ("degree 1", CURVED, ["--degree", "1", "--tolerance", "1e-9"], "trilinear"),
            ("bricks by another name", CONSTANT.replace("= none", "= kershaw").replace(
                "[problem]", "epsilon_y = 1\nepsilon_z = 1\n[problem]"), [], "affine"),
            ("reference", CONSTANT, ["--kernel", "reference"], "stored")):
        code, text, errors = solve(case, "auto", 2, f"{folder}/auto.vtkhdf", *options)
        result = support.parse_result(text)
        check(f"auto, {name}", code in (0, 1) and result.get("geometry") == expected,
              (code, result, errors[-300:]))


def check_refusals():
    """Code 2 and one sentence with the first element, and nothing written."""
    for name, case, mode, options, words in (
            ("affine", CURVED, "affine", [], "element (0, 0, 0) is no parallelepiped"),
            ("trilinear", CURVED, "trilinear", [], "is no hexahedron with straight edges"),
            ("reference", CURVED, "nodes", ["--kernel", "reference"], "kernel = reference"),
            ("range", CURVED, "nodes", ["--precision", "f32", "--lx", "1e-13", "--ly", "1e-13",
                                        "--lz", "1e-13"], "which geometry nodes and trilinear")):
        for ranks in (1, 3) if EVERY else (3,):
            path = f"{folder}/refused.vtkhdf"
            code, text, errors = solve(case, mode, ranks, path, *options)
            check(f"refused, {name}, {ranks} ranks", code == 2 and errors.count("\n") == 1 and
                  words in errors and "RESULT" not in text and not os.path.exists(path),
                  (code, text[-200:], errors))


def main(usage, checks):
    """Runs the checks in a folder of their own."""
    global build, folder
    build = support.build_folder(usage)
    with tempfile.TemporaryDirectory() as folder:
        checks()
    sys.exit(support.finish())


def check_all():
    check_case("curved", CURVED, ["nodes"], True)
    check_case("straight", STRAIGHT, ["nodes", "trilinear", "affine"], True,
               RUNS if EVERY else ((3, "f64"),))
    check_case("constant", CONSTANT, ["nodes", "trilinear", "affine"], False,
               RUNS if EVERY else ((2, "f32"),))
    check_repeats()
    check_auto()
    check_refusals()


if __name__ == "__main__":
    main(__doc__, check_all)
