# SPDX-License-Identifier: BSD-3-Clause
# Every case of inputs/: its expected numbers, the same on all rank counts, and its output file.
"""Usage: end_to_end_cases.py BUILD_FOLDER"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import support
from support import check, on_ranks, run

support.require("h5py", "numpy")
import h5py
import numpy as np

# Numbers of ranks, and of those the one that a run from the echo has.  All of them with
# HB_TEST_ALL=1; else every kind of case on one rank and on several.
EVERY = os.environ.get("HB_TEST_ALL") == "1"
RANKS = {"quick": (1, 2, 3, 5), "nekbone": (1, 2, 3, 5), "kershaw": (1, 2, 3),
         "convergence": (1, 2, 3)} if EVERY else {
         "quick": (1, 2, 5), "nekbone": (1, 3), "kershaw": (1, 2), "convergence": (1, 3, 2)}
AGAIN_ON = {"quick": 3, "nekbone": 2, "kershaw": 2, "convergence": 3} if EVERY else {
            "quick": 2, "convergence": 3}
PHASES = ["tuning_s", "setup_s", "operator_s", "exchange_wait_s", "vector_s", "reduction_s",
          "gates_s", "output_s", "other_s"]
FIELDS = ["solution", "exact_solution", "error", "residual"]
# Rounding differs between rank counts.  In the first iterations that is all; later CG's vectors
# lose their orthogonality at another pace, and where the residual goes up and down from one
# iteration to the next, as on bad elements, single ones differ by tens of percents.
FIRST_ITERATIONS, FIRST_TOLERANCE, LATER_TOLERANCE = 40, 1e-10, 0.5


# ---- expected numbers ------------------------------------------------------------------------

EXPECT = re.compile(r"# expect: (?:degree (\d+) )?(\w+) (=|<=) (\S+)(?: \+- (\S+)( %)?)?")


def read_expectations(path):
    """[(degree or None, key, kind, value, tolerance)]; every line with `expect` must parse."""
    found = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            if "expect:" not in line:
                continue
            match = EXPECT.fullmatch(line.strip())
            if not check(f"{path}:{number} is an expectation", match is not None, line):
                continue
            degree, key, kind, value, tolerance, percent = match.groups()
            if tolerance is None:
                tolerance = 0.0
            else:
                tolerance = float(tolerance) * (0.01 * abs(float(value)) if percent else 1.0)
            found.append((int(degree) if degree else None, key, kind, value, tolerance))
    return found


def check_expectations(what, expectations, degree, result):
    """Those of the degree and those of no degree; returns how many were looked at."""
    looked_at = 0
    for of_degree, key, kind, value, tolerance in expectations:
        if of_degree is not None and of_degree != degree:
            continue
        looked_at += 1
        observed = result.get(key, "missing")
        if kind == "<=":
            good = observed != "missing" and float(observed) <= float(value)
        elif re.match(r"[A-Z]", value):
            good = observed == value
        else:
            good = observed != "missing" and abs(float(observed) - float(value)) <= tolerance
        check(f"{what}: {key} {kind} {value} +- {tolerance:g}", good, f"observed {observed}")
    return looked_at


PATTERN = r"[0-9]+\.[0-9]*"
FIGURES = ["fom_nekbone_gflops", "dof_iterations_per_s", "points_iterations_per_s",
           "seconds_per_iteration", "fraction_of_triad", "fraction_of_copy", "rms_error", "residual",
           "geometry_bytes"]


# ---- the printed report ----------------------------------------------------------------------

def check_report(what, code, text, errors, ranks):
    """Exit code, gates, keys, and the figures that follow from each other; gives the RESULT."""
    result = support.parse_result(text)
    check(f"{what}: exit code 0", code == 0, (code, errors[-500:]))
    check(f"{what}: RESULT is the last line, and VALID", result.get("status") == "VALID",
          text[-300:])
    gates = support.parse_gates(text)
    inconclusive = [name for name, verdict in gates.items() if verdict == "INCONCLUSIVE"]
    keys = support.VALID_KEYS + (["inconclusive"] if inconclusive else []) + support.COMMON_KEYS
    check(f"{what}: keys of RESULT", list(result) == keys, list(result))
    cut_off, coarse = "nekbone" in what, "degree 2," in what
    check(f"{what}: all gates, all passed", list(gates) == support.GATES and
          "FAIL" not in gates.values() and
          set(inconclusive) <= support.OPEN_IF_CUT_OFF and
          (coarse or bool(inconclusive) == cut_off), gates)
    check(f"{what}: what is inconclusive is named, and covered",
          result.get("inconclusive", "") == ",".join(inconclusive) and
          text.count("; covered by ") == len(inconclusive), result)
    check(f"{what}: nothing on standard error", errors == "", errors[-300:])
    check(f"{what}: no control characters", "\r" not in text and "\x1b" not in text)
    if list(result) != keys:
        return {}
    check(f"{what}: RESULT's figures are read whole by the usual pattern", all(
        re.fullmatch(PATTERN, result[key]) for key in FIGURES), result)
    check(f"{what}: no exponent anywhere but in bounds of gates", not any(
        re.search(r"\d[eE][+-]?\d", line) for line in text.splitlines()
        if not line.startswith(("gate, ", "helmbone: ", "output: ", "written: "))), text)
    check(f"{what}: a page, the figure of merit last", len(text.splitlines()) < 60 and
          text.splitlines()[-5].startswith("fom_nekbone_gflops: "), text[-900:])
    elements = np.prod([int(count) for count in result["elements"].split("x")])
    n = int(result["degree"]) + 1
    seconds = float(result["seconds_per_iteration"])
    for key, work in (("fom_nekbone_gflops", 1e-9 * elements * (12 * n**4 + 34 * n**3)),
                      ("dof_iterations_per_s", float(result["points"])),
                      ("points_iterations_per_s", elements * n**3)):
        check(f"{what}: {key} follows from its formula",
              abs(float(result[key]) * seconds / work - 1) < 1e-4, (result[key], work / seconds))
        printed = re.search(rf"^{key}: (\S+)", text, re.MULTILINE)
        check(f"{what}: {key} is printed the same twice", printed is not None and
              abs(float(printed[1]) / float(result[key]) - 1) < 1e-3)
    check(f"{what}: ranks", int(result["ranks"]) == ranks)
    return result


# ---- the file --------------------------------------------------------------------------------

def unique_values(file, name):
    """The field on the lattice of unique points, and whether all copies are the same number."""
    attributes, options = (support.attributes_of(item) for item in (file, file["configuration"]))
    counts = [int(attributes[f"num_elements_{axis}"]) for axis in "xyz"]
    n = int(attributes["nodes_per_direction"])
    size, place = [], []
    for axis, count in zip("xyz", counts):
        wraps = options[f"mesh.boundary_{axis}"] == "periodic"
        size.append(count * (n - 1) + (0 if wraps else 1))
        place.append((np.arange(count)[:, None] * (n - 1) + np.arange(n)) % size[-1])
    x, y, z = (place[0][None, None, :, None, None, :], place[1][None, :, None, None, :, None],
               place[2][:, None, None, :, None, None])
    values = file[f"fields/{name}"][:].reshape(counts[2], counts[1], counts[0], n, n, n)
    index = np.broadcast_to((z * size[1] + y) * size[0] + x, values.shape)
    lattice = np.full(int(np.prod(size)), np.nan)
    lattice[index] = values
    return lattice, np.array_equal(lattice[index], values)


def check_fields(what, file, text, result):
    solution, same = unique_values(file, "solution")
    exact, _ = unique_values(file, "exact_solution")
    check(f"{what}: copies of the solution are equal", same)
    check(f"{what}: unique points", solution.size == int(result["points"]) and
          np.isfinite(solution).all(), solution.size)
    rms = np.sqrt(np.mean((solution - exact)**2))
    check(f"{what}: error of the file is the printed one",
          abs(rms / float(result["rms_error"]) - 1) < 1e-4, (rms, result["rms_error"]))
    check(f"{what}: error = solution - exact_solution", np.array_equal(
        file["fields/error"][:], file["fields/solution"][:] - file["fields/exact_solution"][:]))
    residual, _ = unique_values(file, "residual")
    history = file["solver/residual_history"][:]
    relative = np.linalg.norm(residual) / history["residual_norm"][0]
    check(f"{what}: residual of the file is the printed one",
          abs(relative / float(result["residual"]) - 1) < 1e-3, (relative, result["residual"]))
    printed = re.search(r"^error: rms \S+, max (\S+) ", text, re.MULTILINE)
    largest = np.abs(solution - exact).max()
    check(f"{what}: largest error", printed is not None and
          abs(largest / float(printed[1]) - 1) < 1e-3, (largest, printed))
    check(f"{what}: all fields", sorted(file["fields"]) == sorted(FIELDS))


def check_tables(what, file, ranks, result):
    table = file["timings/per_rank"][:]
    check(f"{what}: a row for each rank", table["rank"].tolist() == list(range(ranks)))
    check(f"{what}: all phases", list(table.dtype.names) == ["rank", *PHASES, "total_s"],
          table.dtype.names)
    total = sum(table[phase] for phase in PHASES)
    check(f"{what}: the phases add up to the total within 10 %",
          np.all(np.abs(total / table["total_s"] - 1) < 0.1), (total, table["total_s"]))
    check(f"{what}: times are not negative", all(table[name].min() >= 0 for name in PHASES))
    check(f"{what}: hosts", file["timings/host"].shape == (ranks,))
    history = file["solver/residual_history"][:]
    check(f"{what}: residual history", len(history) == int(result["iterations"]) + 1 and
          history["relative_residual"][0] == 1.0 and np.isfinite(history["residual_norm"]).all())
    gates = file["gates"][:]
    check(f"{what}: gates of the file", [name.decode() for name in gates["name"]] ==
          support.GATES and all(gates["passed"] | (gates["observed"] <= gates["bound"]) |
                                np.isin(gates["name"], [b"solution", b"maximum"])))
    check(f"{what}: one sample for each rank and timed solve", len(file["timings/samples"]) ==
          ranks * int(file["configuration"].attrs["solver.repeats"]))


def check_inspect(what, path, result):
    code, text, errors = run([f"{build}/helmbone-inspect", path])
    check(f"{what}: inspect", code == 0 and "layout: PASS" in text and "gates: PASS" in text,
          (code, text[-200:], errors))
    code, text, _ = run([f"{build}/helmbone-inspect", path, "--json"])
    try:
        summary = json.loads(text)
    except ValueError as error:
        check(f"{what}: JSON parses", False, error)
        return
    root, solver = summary["attributes"]["/"], summary["attributes"]["/solver"]
    check(f"{what}: JSON passes", code == 0 and summary["layout"] == summary["gates"] == "PASS")
    for key, value in (("status", solver["status"]), ("kernel", root["kernel"]),
                       ("geometry", root["geometry"]), ("precision", root["precision"])):
        check(f"{what}: JSON: {key} agrees with RESULT", value == result[key], value)
    for key, value in (("iterations", solver["iterations"]), ("rms_error", solver["rms_error"]),
                       ("points", solver["unique_points"]), ("ranks", root["mpi_ranks"]),
                       ("degree", root["polynomial_order"]),
                       ("residual", solver["true_relative_residual"]),
                       ("geometry_bytes", solver["geometry_bytes_per_point"]),
                       ("fom_nekbone_gflops", solver["fom_nekbone_gflops"]),
                       ("dof_iterations_per_s", solver["dof_iterations_per_s"]),
                       ("points_iterations_per_s", solver["points_iterations_per_s"]),
                       ("fraction_of_triad", solver["fraction_of_triad"]),
                       ("fraction_of_copy", solver["fraction_of_copy"])):
        check(f"{what}: JSON: {key} agrees with RESULT",
              abs(value - float(result[key])) <= 1e-3 * abs(value), (value, result[key]))
    check(f"{what}: JSON: elements agree with RESULT", result["elements"] ==
          "x".join(str(root[f"num_elements_{axis}"]) for axis in "xyz"))
    with h5py.File(path) as file:
        for name in FIELDS:
            values = file[f"fields/{name}"][:]
            check(f"{what}: JSON: range of {name}", summary["fields"][name]["min"] ==
                  values.min() and summary["fields"][name]["max"] == values.max())


def compare_files(what, path, reference, bitwise=False):
    """Residual history and solution of two runs of the same case."""
    with h5py.File(path) as file, h5py.File(reference) as other:
        mine, its = (item["solver/residual_history"]["relative_residual"] for item in
                     (file, other))
        mine_u, its_u = file["fields/solution"][:], other["fields/solution"][:]
        check(f"{what}: exact solution and points are bitwise equal",
              np.array_equal(file["fields/exact_solution"][:],
                             other["fields/exact_solution"][:]) and
              np.array_equal(file["VTKHDF/Points"][:], other["VTKHDF/Points"][:]))
        tolerance = float(file["configuration"].attrs["solver.tolerance"])
    if bitwise:
        check(f"{what}: residual history is bitwise equal", np.array_equal(mine, its))
        check(f"{what}: solution is bitwise equal", np.array_equal(mine_u, its_u))
        return
    common = min(len(mine), len(its))
    difference = np.abs(mine[:common] / its[:common] - 1)
    check(f"{what}: first residuals", difference[:FIRST_ITERATIONS].max() < FIRST_TOLERANCE,
          difference[:FIRST_ITERATIONS].max())
    check(f"{what}: later residuals", difference.max() < LATER_TOLERANCE, difference.max())
    # Both end where the residual is small enough; on bad elements the error is several times that.
    bound = 10 * max(tolerance, 1e-12) * np.abs(its_u).max()
    check(f"{what}: solution", np.abs(mine_u - its_u).max() < bound,
          (np.abs(mine_u - its_u).max(), bound))


# ---- runs ------------------------------------------------------------------------------------

def solve(ranks, case, path, *options):
    return run(on_ranks(ranks, f"{build}/helmbone", case, "--output", path, *options))


def check_run(what, case, ranks, path, expectations, degree, options, thorough):
    code, text, errors = solve(ranks, case, path, *options)
    result = check_report(what, code, text, errors, ranks)
    if not result or not check(f"{what}: file is there", os.path.exists(path)):
        return False
    check(f"{what}: the report names the file", f"written: {path}\n" in text)
    if degree is not None:
        check(f"{what}: degree", int(result["degree"]) == degree)
    looked_at = check_expectations(what, expectations, degree, result)
    check(f"{what}: has expectations", looked_at >= 2, looked_at)
    with h5py.File(path) as file:
        check_fields(what, file, text, result)
        check_tables(what, file, ranks, result)
    if thorough:
        check_inspect(what, path, result)
    return True


def check_echo(name, case, ranks, path, folder, options):
    """The echo of --dry-run, saved as a case, is the same run: the configuration word by word,
    the residuals and the solution bit by bit."""
    what = f"{name}, from its echo, {ranks} ranks"
    code, text, errors = run([f"{build}/helmbone", case, "--dry-run", *options])
    check(f"{what}: dry run", code == 0 and "nothing was solved" in text, (code, errors))
    check(f"{what}: a dry run has no RESULT", "RESULT" not in text)
    echo, echoed = support.parse_echo(text)
    saved, again = f"{folder}/echo.ini", f"{folder}/again.vtkhdf"
    with open(saved, "w", encoding="utf-8") as file:
        file.write(echo)
    code, text, errors = solve(ranks, saved, again)
    if not check(f"{what}: exit code 0", code == 0, errors):
        return
    with h5py.File(path) as first, h5py.File(again) as second:
        options_of = [support.attributes_of(file["configuration"]) for file in (first, second)]
    for of in options_of:
        del of["output.file"]
    del echoed["output.file"]
    check(f"{what}: the same configuration", options_of[0] == options_of[1])
    check(f"{what}: the file's configuration is the echo", options_of[0] == echoed,
          set(options_of[0].items()) ^ set(echoed.items()))
    compare_files(what, again, path, bitwise=True)


def check_degrees(name, expectations):
    """The error falls by the same factor, at least 3, from one degree to the next."""
    errors = sorted((of, float(value)) for of, key, kind, value, _ in expectations
                    if of is not None and key == "rms_error")
    check(f"{name}: at least four degrees", len(errors) >= 4, errors)
    for (low, before), (high, after) in zip(errors, errors[1:]):
        check(f"{name}: error falls from degree {low} to {high}",
              after * 3.0**(high - low) < before)


def check_case(name, folder):
    case = f"{support.INPUTS}/{name}.ini"
    expectations = read_expectations(case)
    if not check(f"{name}: has expectations", len(expectations) >= 3, len(expectations)):
        return
    degrees = sorted({of for of, *_ in expectations if of is not None}) or [None]
    if degrees != [None]:
        check_degrees(name, expectations)
    for number, degree in enumerate(degrees):
        options = [] if degree is None else ["--degree", str(degree)]
        of_degree = "" if degree is None else f" degree {degree}"
        files = {}
        rank_counts = RANKS[name]
        if degree is not None and (degree != degrees[-1] or not EVERY):
            rank_counts = (1, rank_counts[1 + number % (len(rank_counts) - 1)])
        for ranks in rank_counts:
            what, path = f"{name}{of_degree}, {ranks} ranks", f"{folder}/{ranks}.vtkhdf"
            if check_run(what, case, ranks, path, expectations, degree, options,
                         thorough=ranks == rank_counts[-1] or (EVERY and
                                                               (ranks != 1 or degree is None))):
                files[ranks] = path
                if ranks != 1 and 1 in files:
                    compare_files(f"{what} and 1", path, files[1])
        ranks = AGAIN_ON.get(name)
        if degree == degrees[-1] and ranks in files:
            check_echo(name, case, ranks, files[ranks], folder, options)


def check_repeated(folder):
    """Runs of a tiny case, some at the same time: all residuals the same, bit by bit."""
    options = ["--degree", "3", "--nx", "3", "--ny", "2", "--nz", "3", "--deformation", "smooth",
               "--fields", "no", "--warmup", "0", "--repeats", "1"]
    histories, at_once, count = [], 4, 20 if EVERY else 8
    for start in range(0, count, at_once):
        paths = [f"{folder}/tiny{i}.vtkhdf" for i in range(start, start + at_once)]
        runs = [subprocess.Popen(on_ranks(2, f"{build}/helmbone", *options, "--output", path),
                                 stdout=subprocess.DEVNULL) for path in paths]
        for path, process in zip(paths, runs):
            if check("tiny: exit code 0", process.wait(timeout=120) == 0):
                with h5py.File(path) as file:
                    histories.append(file["solver/residual_history"][:].tobytes())
    check("tiny: one history", len(histories) == count and len(set(histories)) == 1,
          (len(histories), len(set(histories))))


def main():
    names = sorted(entry[:-4] for entry in os.listdir(support.INPUTS) if entry.endswith(".ini"))
    check("every case has its rank counts here", set(names) == set(RANKS), names)
    for name in names:
        folder = tempfile.mkdtemp(prefix=f"helmbone_{name}_")
        try:
            check_case(name, folder)
            if name == "quick":
                check_repeated(folder)
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return support.finish()


if __name__ == "__main__":
    build = support.build_folder(__doc__)
    sys.exit(main())
