#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Measures iterations with helmbone into a data file, and writes the tables of kernels/MEASURED.md.
"""measured.py tables [--check] [DOCUMENT]
        writes the tables of DOCUMENT (kernels/MEASURED.md) from the data files beside it, in
        measured/, of whatever columns, from iteration below, or from helmbone-bench --output;
        --check: changes nothing, ends with 1 if a table is not what its data say
measured.py iteration PROGRAM DATA.csv [--n LIST] [--points N] [--ranks R]
                      [--launch WORDS] [OPTION...]
        runs PROGRAM (a helmbone) on boxes of about N unique points (default 27.3e6) for each n of
        LIST (points per direction, default 2..16), 100 plain iterations and three timed solves
        unless OPTIONs of helmbone say otherwise, and writes a row for each n; n whose run is not
        VALID is named and left out, and the exit code is then 1; more than one rank is launched by
        WORDS, default mpirun -n R"""
import csv
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
DOCUMENT = os.path.join(ROOT, "kernels", "MEASURED.md")
CASE = ["--deformation", "none", "--h2", "0", "--preconditioner", "none", "--stop", "count",
        "--iterations", "100", "--warmup", "1", "--repeats", "3"]


def scaled(factor, digits):
    return lambda text: f"{float(text) * factor:.{digits}f}"


# Columns of a data file of iterations: title in the tables, and how a value is written there.
ITERATION = {
    "n": ("n", str),
    "kernel": ("kernel", str),
    "points": ("points, 10^6", scaled(1e-6, 1)),
    "seconds_per_iteration": ("ms an iteration", scaled(1e3, 3)),
    "dof_iterations_per_s": ("10^10 dof_iterations_per_s", scaled(1e-10, 2)),
    "fom_nekbone_gflops": ("fom_nekbone_gflops", scaled(1, 0)),
    "bytes_per_point": ("bytes", scaled(1, 0)),
    "fraction_of_copy": ("% of copy", scaled(100, 0)),
    "operator_fraction_of_copy": ("operator", scaled(100, 0)),
    "residual_fraction_of_copy": ("residual", scaled(100, 0)),
    "kstep_seconds_per_iteration": ("`kstep` in the same run, ms", scaled(1e3, 3)),
    "time_over_hipbone": ("time / hipBone's", str),
}
# Of helmbone-bench: what tells a configuration, and the columns of a table of them, each the title,
# the part, the column and how a value is written.
CONFIGURATION = ["degree", "precision", "geometry", "kernel", "shape", "ranks", "points"]
BENCH = [
    ("operator, 10^9 points/s", "operator", "points_per_s", scaled(1e-9, 2)),
    ("GFLOP/s", "operator", "gflops", scaled(1, 0)),
    ("% of copy: operator", "operator", "fraction_of_copy", scaled(100, 0)),
    ("with updates", "operator_updates", "fraction_of_copy", scaled(100, 0)),
    ("residual", "residual", "fraction_of_copy", scaled(100, 0)),
    ("dot", "dot", "fraction_of_copy", scaled(100, 0)),
    ("iteration", "iteration", "fraction_of_copy", scaled(100, 0)),
    ("iteration, ms", "iteration", "least_s", scaled(1e3, 3)),
    ("exchange, us", "exchange", "least_s", scaled(1e6, 1)),
    ("sum over ranks, us", "all_reduce", "least_s", scaled(1e6, 2)),
    ("launch and wait, us", "launch_wait", "least_s", scaled(1e6, 2)),
    ("copy, GB/s", "copy", "gbytes_per_s", scaled(1, 0)),
]


def fail(words):
    print(f"measured.py: {words}", file=sys.stderr)
    sys.exit(2)


# ---- tables ----

def read_data(path):
    """Column names and rows; lines that begin with # say where the data come from."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = list(csv.reader(line for line in file if not line.startswith("#")))
    if len(rows) < 2 or any(len(row) != len(rows[0]) for row in rows):
        fail(f"{path}: a line of names and lines of as many values are expected")
    return rows[0], rows[1:]


def bench_table(names, rows):
    """A row a configuration of helmbone-bench; (c): the part may lie in a cache."""
    groups = {}
    for values in rows:
        row = dict(zip(names, values))
        groups.setdefault(tuple(row[name] for name in CONFIGURATION), {})[row["part"]] = row
    lines = []
    for key, parts in groups.items():
        degree, precision, geometry, kernel, shape, ranks, points = key
        line = [degree, precision, geometry, kernel + (f" {shape}" if shape != "none" else ""),
                ranks if ranks != "1" else "", f"{float(points) * 1e-6:.1f}"]
        for _, part, column, written in BENCH:
            row = parts.get(part)
            value = row[column] if row else ""
            cached = column == "fraction_of_copy" and row and row["cached"] == "yes"
            line.append("wrong" if row and row["right"] != "yes" else
                        written(value) + (" (c)" if cached else "") if value else "")
        lines.append(line)
    titles = ["degree", "precision", "geometry", "kernel", "ranks", "points, 10^6"]
    return titles + [title for title, *_ in BENCH], lines


def table(path):
    """A data file as lines of a table; columns without a value are left out."""
    names, rows = read_data(path)
    if set(CONFIGURATION + ["part", "least_s", "cached"]) <= set(names):
        names, rows = bench_table(names, rows)
    elif set(names) <= set(ITERATION):
        names, rows = ([ITERATION[name][0] for name in names],
                       [[ITERATION[name][1](value) if value else "" for name, value
                         in zip(names, row)] for row in rows])
    used = [c for c in range(len(names)) if c == 0 or any(row[c] for row in rows)]
    lines = [[names[c] for c in used]] + [[row[c] for c in used] for row in rows]
    text = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([text[0], "|" + "---|" * len(used)] + text[1:]) + "\n"


def with_tables(document):
    """The document's text with every table made anew, and the data files that it names."""
    folder, used = os.path.join(os.path.dirname(os.path.realpath(document)), "measured"), []
    with open(document, encoding="utf-8") as file:
        text = file.read()

    def replace(match):
        used.append(match[1])
        path = os.path.join(folder, match[1])
        if not os.path.exists(path):
            fail(f"{document}: there is no data file measured/{match[1]}")
        return f"<!-- table: {match[1]} -->\n{table(path)}<!-- end -->\n"

    new = re.sub(r"<!-- table: (\S+) -->\n(?:(?!<!--).*\n)*<!-- end -->\n", replace, text)
    return text, new, used


def write_tables(arguments):
    check = "--check" in arguments
    rest = [word for word in arguments if word != "--check"]
    document = rest[0] if rest else DOCUMENT
    old, new, used = with_tables(document)
    folder = os.path.join(os.path.dirname(os.path.realpath(document)), "measured")
    unused = sorted(set(os.listdir(folder)) - set(used))
    if not used or unused:
        fail(f"{document}: " + (f"no table shows measured/{unused[0]}" if unused else "no tables"))
    if check:
        if old != new:
            print(f"{document}: a table is not what its data say; measured.py tables writes them")
        return 0 if old == new else 1
    with open(document, "w", encoding="utf-8") as file:
        file.write(new)
    print(f"{document}: {len(used)} tables")
    return 0


# ---- runs ----

def option(arguments, name, default):
    """Takes `--name value` out of the arguments."""
    if name not in arguments:
        return default
    at = arguments.index(name)
    if at + 1 >= len(arguments):
        fail(f"{name}: a value is missing")
    value = arguments[at + 1]
    del arguments[at:at + 2]
    return value


def whole_numbers(text, name, least, most):
    """LIST is 4,8 or 2..16."""
    numbers = []
    for part in text.split(","):
        ends = re.fullmatch(r"(\d+)(?:\.\.(\d+))?", part)
        if not ends:
            fail(f"{name}: '{text}'; allowed: numbers {least}..{most}, as 4,8 or 2..16")
        numbers += range(int(ends[1]), int(ends[2] or ends[1]) + 1)
    if not numbers or min(numbers) < least or max(numbers) > most:
        fail(f"{name}: '{text}'; allowed: numbers {least}..{most}, as 4,8 or 2..16")
    return numbers


def figures(report):
    """A row of the data file from helmbone's report; None unless it is VALID."""
    lines = report.splitlines()
    if not lines or not lines[-1].startswith("RESULT status=VALID "):
        return None
    result = dict(word.split("=", 1) for word in lines[-1].split() if "=" in word)
    row = {name: result.get(name, "") for name in ITERATION}
    row["n"] = str(int(result["degree"]) + 1)
    shape = result.get("kernel_shape", "")
    row["kernel"] = result["kernel"] + (f" {shape}" if shape not in ("", "none") else "")
    total = re.search(r"^modelled traffic of an iteration, rank 0, total: (\S+) MB", report, re.M)
    if total and result["ranks"] == "1":
        row["bytes_per_point"] = f"{float(total[1]) * 1e6 / float(result['points']):.4g}"
    for name in ("operator", "residual"):
        found = re.search(rf"^pass, {name}: .* = (\S+) % of copy", report, re.M)
        if found:
            row[f"{name}_fraction_of_copy"] = f"{float(found[1]) / 100:.4g}"
    return row


def measure(arguments):
    if len(arguments) < 2:
        fail("iteration: PROGRAM and DATA.csv are needed\n" + __doc__)
    program, data, rest = os.path.realpath(arguments[0]), arguments[1], arguments[2:]
    if not os.access(program, os.X_OK):
        fail(f"iteration: {program} is no program")
    orders = whole_numbers(option(rest, "--n", "2..16"), "--n", 2, 16)
    ranks = whole_numbers(option(rest, "--ranks", "1"), "--ranks", 1, 10**6)[0]
    points = option(rest, "--points", "27.3e6")
    try:
        points = float(points)
    except ValueError:
        fail(f"--points: '{points}' is no number")
    launcher = option(rest, "--launch", f"mpirun -n {ranks}" if ranks > 1 else "").split()
    rows, left_out, head = [], [], ""
    for n in orders:
        axis = max(1, round(points ** (1 / 3) / (n - 1)))
        box = [f"--n{a}" if i % 2 == 0 else str(axis) for a in "xyz" for i in range(2)]
        command = launcher + [program, "--degree", str(n - 1), *box, *CASE, *rest]
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
        row = figures(done.stdout)
        if row is None:
            left_out.append(n)
            print(f"n = {n}: not VALID, code {done.returncode}: "
                  f"{(done.stderr.strip() or done.stdout.strip())[-400:]}", file=sys.stderr)
            continue
        rows.append(row)
        head = head or "".join(f"# {line}\n" for line in done.stdout.splitlines() if re.match(
            r"(helmbone|backend|mpi|ranks|GPU \S+|box|operator|measured bandwidth): ", line))
        print(f"n = {n}: {float(row['seconds_per_iteration']) * 1e3:.3f} ms an iteration, "
              f"{row['kernel']}")
    if rows:
        with open(data, "w", encoding="utf-8", newline="") as file:
            file.write(head + f"# options: {' '.join(CASE + rest)}\n")
            writer = csv.DictWriter(file, list(ITERATION), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
        print(f"{data}: {len(rows)} rows")
    return 1 if left_out or not rows else 0


if __name__ == "__main__":
    verb, words = (sys.argv[1] if len(sys.argv) > 1 else ""), sys.argv[2:]
    if verb not in ("tables", "iteration"):
        fail(f"'{verb}'; allowed: tables, iteration\n" + __doc__)
    sys.exit(write_tables(words) if verb == "tables" else measure(words))
