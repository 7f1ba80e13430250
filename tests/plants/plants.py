# SPDX-License-Identifier: BSD-3-Clause
# Builds the planted copy and runs plants in cases: who sees each?
"""Usage: plants.py BUILD_FOLDER [--part] [--plant REGEX] [--case REGEX]

The table plant x case x who saw it, also in BUILD_FOLDER/plants/plants.tsv.  Exit code 1 if a plant
that changes an answer, a file or a figure by more than the case resolves was VALID with exit code
0, of the program and of helmbone-inspect.  In the table: `none`, the plant had no effect;
`harmless`, it had less than that.
--part: one plant of each kind, each in the case that shows it best."""
import argparse
import concurrent.futures
import itertools
import os
import re
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
import support

support.require("h5py", "numpy")
import h5py
import numpy as np

import plant
import planted
import cases

# Who counts only where a plant names it: what is solved wrong has to be seen without a file too.
IF_NAMED = ["crash", "timeout", "inspect"]
COUNTER = itertools.count()  # of runs, for names of files
# Names of what differs from run to run, in a file.
TIMED = re.compile("timings|metadata_checksum|machine|created|median|min_solve|max_solve|fom|"
                   "per_s|bytes|fraction|"
                   "command_line|configuration|gates|seed|hostname|device")


class Outcome:
    """One run: who saw something, and what the file says."""

    def __init__(self, seers, seconds, path):
        self.seers, self.seconds, self.path = seers, seconds, path


def end_group(process):
    os.killpg(process.pid, 9)
    process.wait()


def run(command, number, limit_s):
    """Exit code or "timeout", and the output; all that it starts ends with it."""
    environment = dict(os.environ, HELMBONE_PLANT=str(number))
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT,
                                   env=environment, start_new_session=True)
        try:
            code = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            end_group(process)
            code = "timeout"
        output.seek(0)
        return code, output.read().decode(errors="replace")


def seen_by(code, text, inspect):
    """Gates that failed, or what else made the run end with another code than 0."""
    if code == "timeout":
        return ["timeout"]
    if code == 0:
        return ["inspect"] if inspect() else []
    result = support.parse_result(text)
    if code == 1 and result:
        names = ",".join(result.get(key, "") for key in ("failed", "inconclusive")).strip(",")
        return names.split(",") if names else ["status"]
    return ["error"] if code in (2, 3) and "error: " in text else ["crash"]


def solve(build, folder, case, number, limit_s, words=()):
    """Runs one case with one plant; the file stays."""
    path = os.path.join(folder, f"{case.name}_{number}_{next(COUNTER)}.vtkhdf")
    command = support.on_ranks(case.ranks, f"{build}/helmbone", f"{support.INPUTS}/{case.words[0]}",
                               *case.words[1:], "--warmup", 0, "--repeats", 2, "--output", path,
                               *words)
    start = time.monotonic()
    code, text = run(command, number, limit_s)
    seconds = time.monotonic() - start

    def inspect():
        return run([f"{build}/helmbone-inspect", path], 0, 60)[0] != 0

    outcome = Outcome(seen_by(code, text, inspect), seconds, path)
    outcome.text = text
    return outcome


def contents(path):
    """All that a file has which does not differ from run to run: name and value."""
    found = {}

    def visit(name, item):
        for key, value in item.attrs.items():
            found[f"{name}@{key}"] = np.asarray(value)
        if isinstance(item, h5py.Dataset):
            found[name] = item[()]

    with h5py.File(path, "r") as file:
        visit("", file)
        file.visititems(visit)
        return {name: value for name, value in found.items() if not TIMED.search(name)}


def same(a, b):
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes() \
        if a.dtype != object else list(a.flat) == list(b.flat)


def file_differs(path, clean):
    try:
        mine, other = contents(path), contents(clean)
    except OSError:
        return True
    return mine.keys() != other.keys() or not all(
        same(np.asarray(mine[name]), np.asarray(other[name])) for name in mine)


def solution_damage(path, clean):
    """Largest change of the solution; infinite if it cannot be compared."""
    try:
        with h5py.File(path, "r") as mine, h5py.File(clean, "r") as other:
            a, b = mine["fields/solution"][:], other["fields/solution"][:]
            moved = mine["VTKHDF/Points"][:], other["VTKHDF/Points"][:]
    except (OSError, KeyError):
        return np.inf
    if a.shape != b.shape or not np.all(np.isfinite(a)):
        return np.inf
    if np.max(np.abs(moved[0] - moved[1])) > 1e-12:
        return np.inf  # the solution of another mesh
    return float(np.max(np.abs(a.astype(np.float64) - b)))


def damage(fault, outcome, clean, resolution):
    """In units of what the case resolves; of a file or a figure: 0, or infinite."""
    if fault.harm == plant.FIGURE:
        return np.inf
    if fault.harm == plant.FILE:
        return np.inf if file_differs(outcome.path, clean.path) else 0.0
    return solution_damage(outcome.path, clean.path) / resolution


def verdict(fault, outcome, clean, resolution):
    """(word, damage): who saw it that does not complain of the clean run; else none, harmless or
    MISSED."""
    seers = [seer for seer in outcome.seers if seer not in clean.seers]
    named = [seer for seer in seers if seer not in IF_NAMED or seer in fault.seers]
    if named:
        return "+".join(named), None
    if set(seers) - {"inspect"}:
        return f"MISSED({seers[0]})", np.inf
    units = damage(fault, outcome, clean, resolution)
    if units == 0.0:
        return "none", 0.0
    return ("harmless" if units <= 1.0 else "MISSED"), units


def resolution_of(build, folder, case, clean):
    """Largest error of the solution once the iteration's own is gone."""
    path = clean.path
    if case.resolved:
        resolved = solve(build, folder, case, 0, 600, case.resolved + ["--fields", "no"])
        path = resolved.path
    with h5py.File(path, "r") as file:
        return float(file["solver"].attrs["max_error"])


def run_case(build, folder, case, faults, tsv):
    """Rows (plant, case, word, damage, seconds) of one case; the clean run first."""
    numbers = {fault.name: number for number, fault in enumerate(plant.plants, 1)}
    clean = solve(build, folder, case, 0, 600)
    support.check(f"{case.name} without plant is VALID", not clean.seers,
                  f"{clean.seers}\n{clean.text[-2000:]}")
    rows = [tsv.add(("none", case.name, "+".join(clean.seers) or "VALID", 0.0, clean.seconds))]
    if not os.path.exists(clean.path):
        return rows
    again = solve(build, folder, case, 0, 600)
    support.check(f"{case.name} twice gives the same file",
                  not file_differs(again.path, clean.path))
    resolution = resolution_of(build, folder, case, clean)
    print(f"{case.name}: {clean.seconds:.1f} s, resolves {resolution:.2e}", flush=True)

    def one(fault):
        outcome = solve(build, folder, case, numbers[fault.name], 20 * clean.seconds + 20)
        word, units = verdict(fault, outcome, clean, resolution)
        if os.path.exists(outcome.path):
            os.remove(outcome.path)
        return tsv.add((fault.name, case.name, word, units, outcome.seconds))

    jobs = max(1, (os.cpu_count() or 1) // 4)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        rows += pool.map(one, faults)
    return rows


def shown(name, word):
    """Of several that saw it, one of whom that was asked, and how many more there are."""
    seers = word.split("+")
    asked = [seer for fault in plant.plants if fault.name == name
             for seer in fault.seers if seer in seers]
    return word if len(seers) == 1 else f"{(asked or seers)[0]}+{len(seers) - 1}"


def print_table(rows, faults, chosen):
    words = {(row[0], row[1]): shown(row[0], row[2]) for row in rows}
    names = ["none"] + [fault.name for fault in faults]
    columns = [[case.name] + [words.get((name, case.name), "") for name in names]
               for case in chosen if any(row[1] == case.name for row in rows)]
    columns.insert(0, ["plant"] + names)
    widths = [max(map(len, column)) for column in columns]
    for line in zip(*columns):
        print("  ".join(word.ljust(width) for word, width in zip(line, widths)).rstrip())


def check_bench(build):
    """helmbone-bench on the planted programs: a wrong part has no speed."""
    command = support.on_ranks(2, f"{build}/helmbone-bench", "--degrees", 3, "--precision", "f64",
                               "--points", 900, "--min-time", 0, "--samples", 1, "--mass", "yes",
                               "--geometry", "stored,nodes", "--preconditioner", "jacobi",
                               "--format", "csv")
    numbers = {fault.name: number for number, fault in enumerate(plant.plants, 1)}
    code, text = run(command, 0, 60)
    support.check("bench without plant", code == 0 and ",no,0," not in text, (code, text))
    for name, parts in cases.BENCH.items():
        code, text = run(command, numbers[name], 60)
        rows = [line.split(",") for line in text.splitlines() if line.startswith("3,4,")]
        wrong = [row for row in rows if row[10] == "no"]
        support.check(f"bench sees {name}", code == 1 and parts <= {row[9] for row in wrong},
                      (code, text))
        support.check(f"bench has no speed of {name}",
                      not any("".join(row[14:18] + row[20:24]) for row in wrong), wrong)


class Tsv:
    """The rows as a file, complete up to the last run that ended."""

    def __init__(self, path):
        self.file = open(path, "w", encoding="utf-8", buffering=1)
        self.file.write("plant\tkind\tcase\tseen_by\tdamage\tseconds\n")
        self.kinds = {fault.name: fault.kind for fault in plant.plants}

    def add(self, row):
        name, case, word, units, seconds = row
        shown = "" if units is None else f"{units:.3g}"
        self.file.write(f"{name}\t{self.kinds.get(name, '')}\t{case}\t{word}\t{shown}\t"
                        f"{seconds:.2f}\n")
        return row


def judge(rows, faults, whole):
    """Each plant: missed nowhere; and, of all cases, with an effect in one."""
    for fault in faults:
        mine = [row for row in rows if row[0] == fault.name]
        missed = [f"{case} (damage {units:.3g})" for _, case, word, units, _ in mine
                  if word.startswith("MISSED")]
        support.check(f"plant {fault.name} is seen", not missed, ", ".join(missed))
        if whole:
            support.check(f"plant {fault.name} has an effect",
                          any(row[2] != "none" for row in mine))
    words = [row[2] for row in rows if row[0] != "none"]
    missed, harmless, none = (sum(word.startswith(kind) for word in words)
                              for kind in ("MISSED", "harmless", "none"))
    seen = len(words) - missed - harmless - none
    print(f"plants: {len(faults)}; runs: {len(words)}: {seen} seen, {missed} missed, "
          f"{harmless} harmless, {none} without effect")


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("build")
    parser.add_argument("--part", action="store_true")
    parser.add_argument("--plant", default="")
    parser.add_argument("--case", default="")
    given = parser.parse_args()
    home = os.path.join(os.path.realpath(given.build), "plants")
    start = time.monotonic()
    known = support.GATES + ["file", "inspect", "error", "crash", "timeout"]
    for fault in plant.plants:
        support.check(f"seers of {fault.name}", set(fault.seers) <= set(known), fault.seers)
    try:
        build = planted.build(home, os.path.join(given.build, "CMakeCache.txt"))
    except ValueError as error:
        print(f"FAILED: {error}")
        return 1
    print(f"{len(plant.plants)} plants: built in {time.monotonic() - start:.0f} s", flush=True)
    faults = [fault for fault in plant.plants if re.fullmatch(given.plant or ".*", fault.name)]
    chosen = [case for case in cases.CASES if re.fullmatch(given.case or ".*", case.name)]
    rows, tsv = [], Tsv(os.path.join(home, "part.tsv" if given.part else "plants.tsv"))
    with tempfile.TemporaryDirectory(dir=home) as folder:
        for case in chosen:
            of_case = [fault for fault in faults
                       if not given.part or cases.PART.get(fault.name) == case.name]
            if of_case:
                rows += run_case(build, folder, case, of_case, tsv)
    if not (given.plant or given.case):
        check_bench(build)
    if given.part:
        faults = [fault for fault in faults if fault.name in cases.PART]
    print_table(rows, faults, chosen)
    judge(rows, faults, not (given.part or given.plant or given.case))
    return support.finish()


if __name__ == "__main__":
    sys.exit(main())
