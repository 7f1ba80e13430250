# SPDX-License-Identifier: BSD-3-Clause
# The report for machines: its contract, and that it says what the output file and the RESULT line say.
"""Usage: end_to_end_report.py BUILD_FOLDER"""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import support
from support import attributes_of, check, on_ranks, partials, read, run, write

HEADER = os.path.join(os.path.dirname(support.INPUTS), "app", "report_json.h")
RANKS = 3
CASE = ["--degree", "3", "--nx", "5", "--ny", "3", "--nz", "3", "--repeats", "4", "--progress", "off"]
OLD = b"an older report"


def documented():
    """The keys that the header promises."""
    with open(HEADER, encoding="utf-8") as file:
        lines = file.read().split("schema, schema_version")[0:2]
    keys = ["schema", "schema_version"]
    for line in lines[1].splitlines()[1:]:
        found = re.match(r" \*   ([a-z_]+(?:, [a-z_]+)*)  +\S", line)
        if found:
            keys += found[1].split(", ")
        elif line == " *":
            break
    return keys


def refuse_constant(name):
    raise ValueError(f"{name} is no JSON")


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file, parse_constant=refuse_constant)


def same(value, cell):
    """A value of the report, and one of the file."""
    if isinstance(cell, bytes):
        return value == cell.decode()
    if isinstance(cell, (float, np.floating)):
        return value == cell if math.isfinite(cell) else value is None
    return value == cell


def check_tables(report, file):
    names = []
    file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset) and
                    not name.startswith(("VTKHDF", "reference_element", "fields")) else None)
    check("tables: all, and no others", sorted(report["tables"]) == sorted("/" + name
                                                                           for name in names))
    for name in names:
        rows, table = file[name][:], report["tables"]["/" + name]
        columns = rows.dtype.names or [None]
        check(f"{name}: columns", rows.dtype.names is None or sorted(table) == sorted(columns))
        for column in columns:
            cells = rows[column] if column else rows
            values = table[column] if column else table
            # Times go on between the file and the report.
            later = name in ("timings/per_rank", "timings/summary") and column not in (
                "rank", "phase", "setup_s", "operator_s", "reduction_s")
            check(f"{name}, {column}: the file's values", len(values) == len(cells) and
                  (later or all(same(v, c) for v, c in zip(values, cells))),
                  (values[:5], cells[:5]))


def check_contract(folder):
    path, output = f"{folder}/report.json", f"{folder}/out.vtkhdf"
    write(path, OLD)
    code, text, errors = run(on_ranks(
        RANKS, "env", "SLURM_JOB_NAME=a \"name\"\n", "MPICH_GPU_SUPPORT_ENABLED=1",
        "SLURM_JWT=hidden", "LOADEDMODULES=gcc/12:openmpi/4", "OMP_NUM_THREADS=2",
        f"{build}/helmbone", *CASE, "--output", output, "--report", path))
    check("solved", code == 0, (code, errors))
    check("said", f"\nreport: {path}\n" in text, text[-400:])
    check("nothing partial is left", not partials(path))
    report, result = load(path), support.parse_result(text)
    check("keys: those of the contract", list(report) == documented(), (list(report), documented()))
    check("schema", report["schema"] == "helmbone-report" and report["schema_version"] == 1)
    check("status", report["status"] == result["status"] == "VALID" and not report["failed"])
    check("figures: of the RESULT line", all(
        abs(report["figures"][name] / float(result[name]) - 1) < 1e-3 for name in (
            "fom_nekbone_gflops", "dof_iterations_per_s", "points_iterations_per_s",
            "seconds_per_iteration", "fraction_of_triad", "fraction_of_copy")), report["figures"])
    check("case", report["case"] == {
        "ranks": RANKS, "nodes": 1, "rank_grid": [3, 1, 1], "degree": 3, "elements": [5, 3, 3],
        "unique_points": 1600, "elements_per_rank": [9, 18]}, report["case"])
    check("every sample", report["solves"]["timed"] == 4 == len(report["solves"]["seconds"]) and
          report["solves"]["median_s"] == np.median(report["solves"]["seconds"]))
    environment = report["environment"]
    check("environment", environment["SLURM_JOB_NAME"] == "a \"name\"\n" and
          environment["MPICH_GPU_SUPPORT_ENABLED"] == "1" and
          environment["OMP_NUM_THREADS"] == "2" and "PATH" not in environment, environment)
    check("no secrets", "hidden" not in json.dumps(report["environment"]))
    check("modules", report["modules"] == ["gcc/12", "openmpi/4"])
    machine = report["tables"]["/machine"]
    check("copy bandwidth, processors and NUMA node of each rank",
          abs(sum(machine["copy_bytes_per_s"]) / report["bandwidth"]["copy_bytes_per_s"] - 1) < 1e-12
          and all(re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", mask) for mask in machine["processors"])
          and len(machine["numa_nodes"]) == RANKS, machine)
    memory = report["memory"]
    check("memory: the model adds up", abs(sum(e["bytes"] for e in memory["model_host"]["entries"]) -
                                           memory["model_host"]["total_bytes"]) < 1)
    check("memory: measured on each rank", all(
        resident > allocated > 1e5 for resident, allocated in zip(
            memory["measured"]["resident_peak_bytes"],
            memory["measured"]["allocated_peak_bytes"])), memory["measured"])
    with h5py.File(output) as file:
        check_tables(report, file)
        for key, group in (("run", file), ("solver", file["solver"])):
            own = attributes_of(group)
            check(f"{key}: attributes of the file", all(
                same(value, own[name]) for name, value in report[key].items()))
        check("solver: all of them, eigenvalues too", set(report["solver"]) == set(
            attributes_of(file["solver"])) and report["solver"]["smallest_eigenvalue_seen"] > 0)
        check("configuration", report["configuration"] == attributes_of(file["configuration"]))


def check_not_valid(folder):
    path = f"{folder}/open.json"
    neumann = [word for axis in "xyz" for word in (f"--boundary_{axis}", "neumann")]
    code, _, _ = run(on_ranks(2, f"{build}/helmbone", *CASE, *neumann, "--h2", "1e-9", "--degree",
                              "1", "--report", path))
    report = load(path)
    check("not valid: no figures", code == 1 and report["status"] != "VALID" and all(
        value is None for name, value in report["figures"].items() if name != "nekbone_comparable"),
          report["figures"])
    check("not valid: which gates", report["failed"] + report["inconclusive"], report["status"])
    check("not valid: no output file was asked for", report["file"] is None)


def check_refused(folder):
    case = f"{folder}/case.json"
    write(case, b"[mesh]\ndegree = 2\n")
    for what, options, words in (
            ("suffix", ["--report", f"{folder}/a.txt"], "NAME.json"),
            ("folder", ["--report", f"{folder}/nowhere/a.json"], "No such file"),
            ("the case file", [case, "--report", case], "another file of the run")):
        code, text, errors = run([f"{build}/helmbone", *options])
        check(f"refused, {what}: before anything is solved", code == 2 and words in errors and
              "stage:" not in text, (code, errors))
    check("the case file is untouched", read(case) == b"[mesh]\ndegree = 2\n")


def check_unwritten(folder):
    """The folder goes away during the solve: the results are printed, the code is 3."""
    gone = f"{folder}/gone"
    os.makedirs(gone)
    process = subprocess.Popen(on_ranks(2, f"{build}/helmbone", *CASE, "--repeats", "300", "--report",
                                        f"{gone}/a.json"),
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    text = ""
    for line in process.stdout:
        text += line
        if line == "stage: solving\n":
            shutil.rmtree(gone)
    _, errors = process.communicate(timeout=60)
    result = support.parse_result(text)
    check("unwritten: code 3, and why", process.returncode == 3 and "No such file" in errors,
          (process.returncode, errors))
    check("unwritten: the RESULT line says so", result.get("status") == "UNWRITTEN" and
          result.get("report") == "not_written" and "fom_nekbone_gflops" in result, result)


if __name__ == "__main__":
    support.require("numpy", "h5py")
    import h5py
    import numpy as np
    build = support.build_folder(__doc__)
    with tempfile.TemporaryDirectory(prefix="helmbone_report_") as folder_name:
        check_contract(folder_name)
        check_not_valid(folder_name)
        check_refused(folder_name)
        check_unwritten(folder_name)
    sys.exit(support.finish())
