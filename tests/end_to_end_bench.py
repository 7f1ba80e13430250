# SPDX-License-Identifier: BSD-3-Clause
# helmbone-bench on the host, as a user runs it: one and two ranks, tables in all formats, errors.
"""Usage: end_to_end_bench.py BUILD_FOLDER"""
import csv
import json
import math
import os
import stat
import sys
import tempfile

sys.dont_write_bytecode = True
import support
from support import attributes_of, check, on_ranks, run

support.require("h5py", "numpy")
import h5py
import numpy as np

TOOL = os.path.join(os.path.dirname(support.INPUTS), "app", "study", "measured.py")
PARTS = ["operator", "operator_updates", "residual", "packing", "dot", "exchange", "all_reduce",
         "iteration", "copy", "triad"]
ALONE = [part for part in PARTS if part not in ("packing", "exchange", "all_reduce")]
TINY = ["--points", "1500", "--min-time", "0", "--samples", "3"]
REALS = ["error", "least_s", "median_s", "most_s", "spread_s", "bytes", "flops", "points_per_s",
         "gflops", "gbytes_per_s", "fraction_of_copy"]

# Arguments and words of the one line on standard error; exit code 2.
ERRORS = [
    ("--degrees 16", ["--degrees: '16'", "numbers 1..15"]),
    ("--degrees 5..3", ["--degrees", "as 3,5..9"]),
    ("--precision f16", ["--precision: 'f16'", "f64, f32"]),
    ("--geometry curved", ["--geometry: 'curved'", "stored, nodes, trilinear, affine"]),
    ("--parts operator,nonsense", ["--parts: 'nonsense'", "operator_updates"]),
    ("--parts launch", ["not all of 'launch'", "a GPU"]),
    ("--parts dot,exchange", ["--parts: not all of 'dot,exchange'", "several ranks"]),
    ("--variants nonsense", ["--variants: 'nonsense'", "reference"]),
    ("--points many", ["--points", "'many'"]),
    ("--points -5", ["--points", "0..1e+13"]),
    ("--points 1e13 --degrees 3", ["nothing was measured", "more ranks are needed"]),
    ("--samples 0.5", ["--samples"]),
    ("--min-time x", ["--min-time"]),
    ("--format hdf5", ["--format", "text | csv | json"]),
    ("--output x.xml", ["--output: 'x.xml'", ".csv"]),
    ("--output a.csv,", ["--output: ''"]),
    ("--output /nowhere/x.csv", ["/nowhere"]),
    ("--degree 3", ["unknown option '--degree'", "degrees"]),
    ("--backend gpu", ["built without GPU"]),
    ("case.ini", ["'case.ini'"]),
    ("--variants reference --geometry nodes", ["nothing was measured", "reference"]),
]


def bench(ranks, *options):
    return run(on_ranks(ranks, f"{build}/helmbone-bench", *options))


def read_csv(path):
    with open(path, encoding="utf-8", newline="") as file:
        lines = list(file)
    head = dict(line[2:].rstrip("\n").split(": ", 1) for line in lines if line.startswith("# "))
    return head, list(csv.DictReader(line for line in lines if not line.startswith("#")))


def close(a, b):
    return a == b or (math.isnan(a) and math.isnan(b)) or abs(a - b) <= 1e-10 * abs(b)


def number(text):
    return float(text) if text not in ("", None) else math.nan


def check_same(what, table, rows, objects):
    """Rows of HDF5, CSV and JSON."""
    check(f"{what}: as many rows", len(table) == len(rows) == len(objects) > 0, len(rows))
    check(f"{what}: the same columns",
          list(table.dtype.names) == list(rows[0]) == list(objects[0]), table.dtype.names)
    for t, r, o in zip(table, rows, objects):
        for name in table.dtype.names:
            kind = table.dtype[name].kind
            if kind == "f":
                same = close(float(t[name]), number(r[name])) and \
                    close(float(t[name]), number(o[name]))
            elif name in ("right", "cached"):
                same = bool(t[name]) == (r[name] == "yes") == o[name]
            elif kind == "S" or kind == "O":
                same = t[name].decode() == r[name] == o[name]
            else:
                same = int(t[name]) == int(r[name]) == o[name]
            check(f"{what}: {name} is the same everywhere", same, (t[name], r[name], o[name]))


def check_identities(what, rows, ranks):
    copies = {}
    for row in rows:
        if row["part"] == "copy":
            copies[tuple(row[n] for n in ("degree", "precision", "geometry", "kernel"))] = row
    for row in rows:
        value = {name: number(row[name]) for name in REALS}
        words = f"{what}: {row['degree']} {row['precision']} {row['geometry']} {row['part']}"
        check(f"{words}: is right", row["right"] == "yes" and 0 <= value["error"] <= 1, row)
        check(f"{words}: times in order",
              0 < value["least_s"] <= value["median_s"] <= value["most_s"] and
              abs(value["median_s"] - value["least_s"] - value["spread_s"]) <=
              1e-10 * value["median_s"], row)
        check(f"{words}: GB/s", close(value["gbytes_per_s"], 1e-9 * value["bytes"] /
                                      value["least_s"]), row)
        check(f"{words}: GFLOP/s", close(value["gflops"], 1e-9 * value["flops"] /
                                         value["least_s"]), row)
        if row["part"] in ("operator", "operator_updates", "residual", "dot", "iteration"):
            check(f"{words}: points/s", close(value["points_per_s"], int(row["points"]) /
                                              value["least_s"]), row)
        copy = copies[tuple(row[n] for n in ("degree", "precision", "geometry", "kernel"))]
        if row["part"] not in ("exchange", "all_reduce"):
            check(f"{words}: of copy", close(value["fraction_of_copy"], value["gbytes_per_s"] /
                                             number(copy["gbytes_per_s"])), row)
        check(f"{words}: n and ranks", int(row["n"]) == int(row["degree"]) + 1 and
              int(row["ranks"]) == ranks and int(row["samples"]) == 3, row)


def check_bytes(rows):
    """Stored f64 without mass by hand: six factors a point of an element, four bytes of index a
    surface point, u and w, and w on surfaces again."""
    for row in rows:
        n, elements, points = int(row["n"]), int(row["elements"]), int(row["points"])
        if row["part"] != "operator" or row["geometry"] != "stored" or row["ranks"] != "1":
            continue
        real = 8 if row["precision"] == "f64" else 4
        inside = elements * (n - 2) ** 3
        expected = elements * (6 * real * n**3 + 4 * (n**3 - (n - 2)**3)) + \
            real * (2 * points + points - inside)
        check(f"bytes of the operator, n = {n}", close(float(row["bytes"]), expected),
              (row["bytes"], expected))


def check_formats(folder, ranks):
    what = f"{ranks} rank(s)"
    files = {kind: os.path.join(folder, f"{ranks}.{kind}") for kind in ("txt", "csv", "json", "h5")}
    lists = ["2,4", "f64", "stored"] if ranks == 1 else ["3", "all", "affine"]
    code, text, errors = bench(ranks, "--degrees", lists[0], "--precision", lists[1], "--geometry",
                               lists[2], "--output", ",".join(files.values()), *TINY)
    check(f"{what}: exit code 0", code == 0 and errors == "", (code, errors))
    head, rows = read_csv(files["csv"])
    with open(files["json"], encoding="utf-8") as file:
        objects = json.load(file)
    with h5py.File(files["h5"]) as file:
        table, attributes = file["bench"][:], attributes_of(file)
    parts = ALONE if ranks == 1 else PARTS
    check(f"{what}: every part of every configuration",
          [row["part"] for row in rows] == 2 * parts, [row["part"] for row in rows])
    check(f"{what}: says where it ran", head["ranks"].startswith(f"{ranks}, ") and
          "device" in head and "helmbone" in head, head)
    check(f"{what}: the same head", all(attributes[name] == head[name] == objects[name]
                                        for name in head), head)
    check_same(what, table, rows, objects["rows"])
    check_identities(what, rows, ranks)
    check_bytes(rows)
    with open(files["txt"], encoding="utf-8") as file:
        written = file.read()
    check(f"{what}: the text is what was printed", written == text)
    check(f"{what}: the text has a table a configuration", text.count("  part ") == 2, text)
    check(f"{what}: the text says that caches hold it", "last-level cache" in text and "%c" in text)
    check(f"{what}: no partial files", not [name for name in os.listdir(folder)
                                            if "partial" in name or "probe" in name])


def check_printed(folder):
    words = ["--degrees", "3", "--precision", "f32", "--parts", "operator,dot", *TINY]
    code, text, _ = bench(1, *words, "--format", "json")
    check("json is printed", code == 0 and [row["part"] for row in json.loads(text)["rows"]] ==
          ["operator", "dot"], text)
    code, text, _ = bench(1, *words, "--format", "csv", "--mass", "yes", "--preconditioner",
                          "jacobi", "--variants", "all")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    kernels = {row["kernel"] for row in csv.DictReader(lines)}
    check("csv is printed, of every kernel", code == 0 and "reference" in kernels and
          len(kernels) > 1, text)
    check("the case is said", "with mass term" in text.replace("with the", "with") and
          "jacobi" in text, text)
    old = os.path.join(folder, "old.csv")
    support.write(old, b"old")
    os.chmod(old, stat.S_IRUSR)
    code, _, errors = bench(1, *words, "--output", old)
    check("a read-only file is refused before", code == 2 and "read-only" in errors, errors)
    check("and stays", support.read(old) == b"old")


def check_left_out():
    code, text, errors = bench(1, "--degrees", "3", "--precision", "f64", "--variants", "reference",
                               "--geometry", "stored,nodes", *TINY)
    check("what is not there is left out", code == 0 and text.count("  part ") == 1 and
          "1 configuration is left out" in errors and "nodes" in errors, (code, errors))


def check_errors():
    for words, expected in ERRORS:
        code, _, errors = run([f"{build}/helmbone-bench", *words.split()])
        lines = [line for line in errors.splitlines() if line.startswith("helmbone-bench")]
        check(f"{words}: exit code 2", code == 2, (code, errors))
        check(f"{words}: one line", len(lines) == 1, errors)
        check(f"{words}: says so", all(word in errors for word in expected), errors)
    code, text, _ = bench(2, "--help")
    check("--help", code == 0 and text.count("--degrees") == 1 and "exit code" in text, text)
    code, text, _ = bench(2, "--version", "--nonsense")
    check("--version", code == 0 and text.startswith("helmbone-bench "), text)
    code, _, errors = run(on_ranks(1, f"{build}/helmbone-bench", "--degrees", "3") + [":", "-n", "1",
                          f"{build}/helmbone-bench", "--degrees", "4"])
    check("ranks with different arguments are refused", code == 2 and
          "different arguments" in errors, (code, errors))


def check_tables(folder):
    document, data = os.path.join(folder, "M.md"), os.path.join(folder, "measured")
    os.mkdir(data)
    path = os.path.join(data, "host.csv")
    code, _, errors = bench(2, "--degrees", "3", "--precision", "f64", "--output", path, *TINY)
    check("data for a table", code == 0, errors)
    support.write(document, b"a\n<!-- table: host.csv -->\n<!-- end -->\nb\n")
    code, out, errors = run([sys.executable, TOOL, "tables", document])
    check("measured.py reads them", code == 0, out + errors)
    lines = support.read(document).decode().splitlines()
    _, rows = read_csv(path)
    row = {r["part"]: r for r in rows}
    check("a line a configuration", len(lines) == 7 and lines[2].startswith("| degree |"), lines)
    cells = [cell.strip() for cell in lines[4].strip("|").split("|")]
    titles = [cell.strip() for cell in lines[2].strip("|").split("|")]
    table = dict(zip(titles, cells))
    check("with the figures", table["residual"].split()[0] ==
          f"{100 * float(row['residual']['fraction_of_copy']):.0f}" and
          table["iteration, ms"] == f"{1e3 * float(row['iteration']['least_s']):.3f}", table)


def check_lost_output():
    code, _, errors = run(["bash", "-c", f"{build}/helmbone-bench --degrees 3 --precision f64 "
                           f"{' '.join(TINY)} --parts dot >/dev/full"])
    check("output that is lost: exit code 3", code == 3 and "standard output" in errors,
          (code, errors))


build = support.build_folder(__doc__)
with tempfile.TemporaryDirectory() as place:
    for number_of_ranks in (1, 2):
        check_formats(place, number_of_ranks)
    check_printed(place)
    check_left_out()
    check_errors()
    check_tables(place)
    check_lost_output()
sys.exit(support.finish())
