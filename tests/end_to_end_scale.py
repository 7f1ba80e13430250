# SPDX-License-Identifier: BSD-3-Clause
# Scaling studies: tables against values computed here, series that go on, failures, interruptions.
"""Usage: end_to_end_scale.py BUILD_FOLDER"""
import glob
import os
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest.mock

sys.dont_write_bytecode = True
import support
from support import alive, check, children, run

support.require("h5py", "matplotlib")
import h5py
import numpy as np

from study_support import BOX, FAKE, QUICK, STUDY, Stubs, inside, near, scale, tables
from study import case as cases
from study import table
from study.base import Refusal

FEW = ["--degree", "2", "--nx", "3", "--ny", "2", "--nz", "2", "--warmup", "0", "--repeats", "2"]

# ---- parts ---------------------------------------------------------------------------------------


def refused(function, *arguments):
    try:
        function(*arguments)
    except Refusal as refusal:
        return refusal.code == 2
    return False


def check_lists():
    numbers = lambda text: cases.number_list("ranks", text, 1, 1000)
    check("a list", numbers("4,1,2") == [1, 2, 4])
    check("each number", numbers("3..6") == [3, 4, 5, 6])
    check("steps", numbers("8..30+8") == [8, 16, 24])
    check("factors", numbers("1..64x2") == [1, 2, 4, 8, 16, 32, 64])
    check("mixed", numbers("1,3..4,8..32x2") == [1, 3, 4, 8, 16, 32])
    check("points",
          cases.number_list("points", "1e3..1e5x10", 1, 1e9, True) == [1000, 10000, 100000])
    for text in ("", "0", "1001", "4..2", "1..8x1", "1..8+0", "1-4", "a", "1,,2", "1..4x", "-1",
                 "1.5"):
        check(f"ranks '{text}'", refused(cases.number_list, "ranks", text, 1, 1000))
    check("doubling", cases.doubling(6) == [1, 2, 4, 6] and cases.doubling(1) == [1])
    for elements in (1, 2, 4, 7, 12, 64, 100, 1000, 8192, 10**6, 10**9):
        box = cases.near_cubic(elements)
        count = box[0] * box[1] * box[2]
        check(f"a box of about {elements}", box[0] >= box[1] >= box[2] >= box[0] / 2 and
              0.7 < count / elements < 1.43, box)
    check("cubes are found",
          [cases.near_cubic(k**3) for k in (1, 3, 10, 100)] == [(k, k, k) for k in (1, 3, 10, 100)])


def check_presets():
    """What is read of a case here is what helmbone reads."""
    for path in sorted(glob.glob(os.path.join(support.INPUTS, "*.ini"))) + [os.devnull]:
        words = [path] if path != os.devnull else []
        code, text, errors = run([f"{build}/helmbone", *words, "--dry-run"])
        echo = {name.split(".")[1]: value for name, value in support.parse_echo(text)[1].items()}
        case = cases.Case(path if words else QUICK, [])
        if not words:
            case.values = {}
        for name in cases.PRESETS:
            check(f"{path}: {name}", code == 0 and case.value(name) == echo.get(name),
                  (case.value(name), echo.get(name), errors))


def known_row(points, rate, status="VALID", ranks=2):
    return {
        "status": status, "ranks": ranks, "points_per_rank": points, "efficiency": None,
        "dof_iterations_per_s": rate * ranks, "seconds_per_iteration": points / rate
    }


def check_n_08():
    """rate = n / (n + 1000): of the largest size, 64000, an efficiency of 0.8 is at about 3680."""
    curve = lambda n: n / (n + 1000)
    exact = 0.8 * curve(64000) * 1000 / (1 - 0.8 * curve(64000))
    rows = [known_row(1000 * 2**k, curve(1000 * 2**k)) for k in range(7)]
    table.add_efficiency("throughput", rows)
    points, _ = table.n_08(rows)
    low, high = curve(2000) / curve(64000), curve(4000) / curve(64000)
    check("n_0.8 between two runs", near(points, 2000 * 2**((0.8 - low) / (high - low))), points)
    check("n_0.8 of the curve", near(points, exact, 0.05), (points, exact))
    check(
        "efficiencies",
        all(near(row["efficiency"],
                 curve(row["points_per_rank"]) / curve(64000)) for row in rows))
    for row in rows:
        row["efficiency"] = None
    rows[1]["status"] = "INVALID"
    table.add_efficiency("throughput", rows)
    low = curve(1000) / curve(64000)
    part = (high - 0.8) / (high - low)
    check("what is not VALID does not count", near(table.n_08(rows)[0], 4000 * 4**-part),
          table.n_08(rows))
    check(
        "a size above the peak is no crossing",
        near(
            table.n_08([{**known_row(8000, 1), "efficiency": 0.7},
                        {**known_row(4000, 1), "efficiency": 1.0},
                        {**known_row(1000, 1), "efficiency": 0.6}])[0], 2000))
    check("never below",
          table.n_08(rows[5:]) == (None, "below 32000, the smallest size of the table"))


def check_numbers():
    for value, words in ((2.26e10, "22600000000.0"), (7.0, "7.000"), (0.00012345678, "0.0001235"),
                         (123456.7, "123456.7"), (0.0, "0.0")):
        check(f"{value} in plain notation", table.plain(value) == words, table.plain(value))


# ---- false runs: times that are known ------------------------------------------------------------


def iteration(points_per_rank):
    return 1e-8 * points_per_rank + 1e-5


def check_strong(stubs):
    folder = os.path.join(stubs.place, "strong")
    words = ["strong", QUICK, *BOX, "--launcher", "srun", "--folder", folder]
    code, text, errors = stubs.scale(*words, "--ranks", "1..16x2")
    check("a strong series", code == 0, errors)
    points = 512 * 64
    made, lines = tables(folder)
    check("runs", [row["ranks"] for row in made["rows"]] == [1, 2, 4, 8, 16] and len(lines) == 5)
    for row, line in zip(made["rows"], lines):
        r, t = row["ranks"], iteration(points / row["ranks"])
        several = r > 1
        share = 0.2 / (1 + (0.7 / r if several else 0))
        expected = {
            "elements": 512, "elements_per_rank": 512 / r, "points_per_rank": points / r,
            "iterations": 100, "seconds_per_iteration": t, "fom_nekbone_gflops": 2e-7 * points / t,
            "efficiency": iteration(points) / (r * t), "exchange_share": share,
            "sums_share": share / 2, "imbalance": 2 * r / (r + 1) if several else 1.0
        }
        for name, value in expected.items():
            check(f"strong, {r} ranks: {name}",
                  near(row[name], value) and near(float(line[name]), value),
                  (row[name], line[name], value))
        check(
            f"strong, {r} ranks: the slowest", row["slowest_rank"] == r - 1 and
            row["slowest_host"] == f"node{r - 1}" and row["slowest_device"] == "Abacus, brass", row)
        check(
            "with its definition", line["efficiency_is"] == table.EFFICIENCY["strong"] and
            "R0 t(R0)" in made["efficiency_is"] and "maximum over mean" in made["other_columns"])
    cells = text.splitlines()
    row = next((line.split() for line in cells if line.split()[:1] == ["16"]), [])
    check(
        "the text's row", row[1:7] == ["32", "2048", "100", "30.48", "215.0", "0.692"] and
        row[-4:] == ["15", "node15,", "Abacus,", "brass"], row)
    check(
        "a line of progress with the time left", "run 5 of 5, 16 ranks" in errors and
        " left" in errors.split("run 5 of 5")[1].splitlines()[0] and
        "unknown" in errors.splitlines()[0], errors)
    back = table.read(os.path.join(folder, "study.csv"))
    check(
        "the CSV is read as the JSON", back["mode"] == "strong" and
        all(a[name] == b[name] for a, b in zip(back["rows"], made["rows"]) for name in b))
    check_going_on(stubs, folder, words)


def check_going_on(stubs, folder, words):
    stubs.words()
    before = {path: os.stat(path).st_mtime_ns for path in glob.glob(folder + "/*.vtkhdf")}
    code, _, errors = stubs.scale(*words, "--ranks", "1,2,3,4")
    check("a run is added", code == 0 and "run 1 of 1, 3 ranks" in errors, errors)
    check("what is there is not run again", [line.split()[2] for line in stubs.words()] == ["3"] and
          all(os.stat(path).st_mtime_ns == at for path, at in before.items()))
    check("the table has what was asked",
          [row["ranks"] for row in tables(folder)[0]["rows"]] == [1, 2, 3, 4])
    os.remove(f"{folder}/ranks-000002.vtkhdf")
    with h5py.File(f"{folder}/ranks-000004.vtkhdf", "r+") as file:
        file.attrs["complete"] = 0
    with h5py.File(f"{folder}/ranks-000003.vtkhdf", "r+") as file:
        file.attrs["command_line"] = file.attrs["command_line"].replace("--nx 8", "--nx 9")
    code, _, errors = stubs.scale(*words, "--ranks", "1,2,3,4")
    check("lost, unfinished and other runs are run", code == 0 and
          [line.split()[2] for line in stubs.words()] == ["2", "3", "4"], errors)
    for more, what in ((["--tolerance", "1e-6"], "option --tolerance is 1e-6, there not given"),
                       (["--per-node", "2"], "per-node is 2, there 0"),
                       (["--launch-options", "--exact"], "launch-options is --exact, there none")):
        code, _, errors = stubs.scale(*words, "--ranks", "1,2", *more)
        check(
            f"other inputs are refused: {what}", code == 2 and what in errors and
            "another --folder" in errors and len(errors.splitlines()) == 1, (code, errors))
    other = os.path.join(stubs.place, "other.ini")
    with open(QUICK, encoding="utf-8") as old, open(other, "w", encoding="utf-8") as new:
        new.write(old.read().replace("h2 = 1.0", "h2 = 2.0"))
    code, _, errors = stubs.scale(*[other if word == QUICK else word for word in words], "--ranks",
                                  "1")
    check("another case is refused", code == 2 and "case h2 is 2.0, there 1.0" in errors, errors)
    with open(stubs.program, "a", encoding="utf-8") as file:
        file.write("# another build\n")
    code, _, errors = stubs.scale(*words, "--ranks", "1,2")
    check("another program is refused", code == 2 and "program is" in errors, errors)
    stubs.write(stubs.program, FAKE % sys.executable)
    check("nothing was run", stubs.words() == [])
    moved = folder + " moved"
    shutil.move(folder, moved)
    words[words.index(folder)] = moved
    code, _, errors = stubs.scale(*words, "--ranks", "1,2,4")
    check("a folder may be moved", code == 0 and stubs.words() == [], errors)


def check_weak(stubs):
    folder = os.path.join(stubs.place, "weak")
    code, _, errors = stubs.scale("weak", QUICK, *BOX, "--launcher", "flux", "--per-node", "2",
                                  "--ranks", "1,2,5", "--folder", folder)
    words = [shlex.split(line) for line in stubs.words()]
    check("flux run, nodes", [line[:-1 - len(line[6 if "-N" in line else 4:-1])]
                              for line in words] and [line[:6] for line in words]
          == [["flux", "run", "-n", str(r), "-N", str(n)] for r, n in ((1, 1), (2, 1), (5, 3))],
          (words, errors))
    made, _ = tables(folder)
    check("weak: code", code == 0, errors)
    for row in made["rows"]:
        check("weak: elements a rank stay", row["elements"] == 512 * row["ranks"] and
              row["elements_per_rank"] == 512, row)
        check("weak: efficiency of equal times", near(row["efficiency"], 1.0), row)
    check("weak: helmbone multiplies the box",
          all("--size_is per_rank --nx 8 --ny 8 --nz 8" in " ".join(line) for line in words), words)


def check_throughput(stubs):
    folder = os.path.join(stubs.place, "throughput")
    words = ["throughput", QUICK, *BOX, "--launcher", "srun", "--ranks", "3", "--folder"]
    code, text, errors = stubs.scale(*words, folder)
    made, _ = tables(folder)
    sizes = [row["elements_per_rank"] for row in made["rows"]]
    rate = lambda elements: 64 * elements / iteration(64 * elements)
    ends = [e for e in (512, 256, 128, 64, 32, 16, 8, 4, 2, 1) if rate(e) >= 0.8 * rate(512)]
    check("throughput: halves to below 80 %", code == 0 and sizes == ends + [ends[-1] / 2],
          (sizes, errors))
    high, low = (rate(e) / rate(512) for e in (ends[-1], ends[-1] / 2))
    expected = 64 * ends[-1] * 2**-((high - 0.8) / (high - low))
    check("throughput: n_0.8",
          near(made["n_08"], expected) and f"n_0.8: {expected:.0f} points a rank" in text,
          (made["n_08"], expected))
    stubs.words()
    code, _, errors = stubs.scale(*words, folder)
    check("throughput: nothing is left to run", code == 0 and stubs.words() == [], errors)
    code, _, errors = stubs.scale(*words, folder + "2", "--points", "64..5120x4")
    sizes = [row["elements_per_rank"] for row in tables(folder + "2")[0]["rows"]]
    check("throughput: points a rank", code == 0 and sizes == [64, 16, 4, 1], (sizes, errors))
    code, _, errors = stubs.scale("throughput", QUICK, *BOX, "--launcher", "srun", "--ranks", "4",
                                  "--folder", folder)
    check("throughput: other ranks are other inputs", code == 2 and "ranks is 4, there 3" in errors,
          errors)


def check_failures(stubs):
    folder = os.path.join(stubs.place, "failures")
    words = ["strong", QUICK, *BOX, "--launcher", "srun", "--ranks", "1,2,4", "--folder", folder]
    code, text, errors = stubs.scale(*words, FAIL="2 3")
    rows = tables(folder)[0]["rows"]
    check(
        "a run that fails stands in the table, and the series goes on", code == 1 and
        [row["status"] for row in rows] == ["VALID", "failed", "VALID"] and
        "failed: code 3: helmbone: error: out of luck" in text and
        "1 of 3 runs are not VALID" in errors, (code, text, errors))
    check(
        "and has no efficiency", rows[1]["efficiency"] is None and
        near(rows[2]["efficiency"],
             iteration(32768) / (4 * iteration(8192))))
    code, _, errors = stubs.scale(*words, "--minutes", "0.03", SLEEP="2")
    check("a run that hangs is stopped", code == 1 and
          tables(folder)[0]["rows"][1]["reason"].startswith("stopped after 2 s"), errors)
    with h5py.File(f"{folder}/ranks-000004.vtkhdf", "r+") as file:
        file["solver"].attrs["status"] = "INVALID"
        file["solver"].attrs["failed_gates"] = "kernel,volume"
    code, text, _ = stubs.scale(*words, "--collect")
    rows = tables(folder)[0]["rows"]
    check(
        "INVALID is named", code == 1 and rows[2]["status"] == "INVALID" and
        rows[2]["efficiency"] is None and "INVALID: gates: kernel,volume" in text, text)
    stubs.words()
    code, _, errors = stubs.scale(*words)
    check("both are run again", code == 0 and
          [line.split()[2] for line in stubs.words()] == ["2", "4"], errors)
    with h5py.File(f"{folder}/ranks-000004.vtkhdf", "r+") as file:
        for name in ("timings/per_rank", "timings/host"):
            rows = file[name][:1]
            del file[name]
            file[name] = rows
        file.attrs["mpi_ranks"] = 1
    code, text, _ = stubs.scale(*words, "--collect")
    check("programs that are alone are no ranks", code == 1 and
          "4 ranks were launched, the file is of 1" in text, text)


def check_interruption(stubs):
    folder = os.path.join(stubs.place, "interrupted")
    words = [
        "strong", QUICK, *BOX, "--launcher", "srun", "--ranks", "1,2,3", "--folder", folder,
        "--program", stubs.program, "--plots", "none"
    ]
    with subprocess.Popen([sys.executable, STUDY, "scale", *words],
                          stderr=subprocess.PIPE,
                          text=True,
                          stdout=subprocess.DEVNULL,
                          env={**os.environ, **stubs.environment, "SLEEP": "2"}) as process:
        for line in process.stderr:
            if "run 2 of 3" in line:
                break
        deadline, started = time.monotonic() + 20, []
        while not started and time.monotonic() < deadline:
            started = [pid for pid in children(process.pid) if alive(pid)]
            time.sleep(0.05)
        code, _, errors = stubs.scale(*words[:-4])
        check("two at once are refused", code == 2 and "another scale works in" in errors, errors)
        process.send_signal(signal.SIGTERM)
        said = process.stderr.read()
    check("an interrupted series says how it goes on",
          process.returncode == 128 + signal.SIGTERM and "the same command goes on" in said,
          (process.returncode, said))
    check("and leaves nothing running", started and not any(map(alive, started)), started)
    check("one run is there", len(glob.glob(folder + "/*.vtkhdf")) == 1)
    stubs.words()
    code, text, errors = stubs.scale(*words[:-4], "--collect")
    check("missing runs are named", code == 1 and text.count("missing: ") == 2, text)
    code, _, errors = stubs.scale(*words[:-4])
    check(
        "the rest is run", code == 0 and
        [line.split()[2] for line in stubs.words()] == ["2", "3"] and
        [row["status"] for row in tables(folder)[0]["rows"]] == ["VALID"] * 3, errors)


def check_without_plots(stubs):
    """Where matplotlib is missing the tables stand, and it is said."""
    words = ["strong", QUICK, *BOX, "--launcher", "srun", "--ranks", "1", "--folder",
             os.path.join(stubs.place, "plain"), "--program", stubs.program]
    lacking = {"matplotlib": None, "study.style": None, "study.curves": None}
    with unittest.mock.patch.dict(sys.modules, lacking):
        code, text, errors = inside(words, stubs.environment)
    check("without matplotlib", code == 0 and "no plots" in errors and "efficiency" in text and
          not glob.glob(words[-3] + "/*.png"), (code, errors))


# ---- real runs -----------------------------------------------------------------------------------


def by_hand(path, first):
    """The row of a file, straight from it."""
    with h5py.File(path) as file:
        rows, solver = file["timings/per_rank"][:], file["solver"].attrs
        whole = sum(rows[name].mean()
                    for name in ("operator_s", "vector_s", "exchange_wait_s", "reduction_s"))
        own = rows["operator_s"] + rows["vector_s"]
        if "timings/own" in file and np.isfinite(file["timings/own"]["work_s"]).all():
            own = file["timings/own"]["work_s"]
        seconds = solver["median_solve_s"] / solver["iterations"]
        return {
            "iterations": solver["iterations"], "seconds_per_iteration": seconds,
            "fom_nekbone_gflops": solver["fom_nekbone_gflops"],
            "points_per_rank": solver["unique_points"] / len(rows),
            "exchange_share": rows["exchange_wait_s"].mean() / whole,
            "sums_share": rows["reduction_s"].mean() / whole, "imbalance": own.max() / own.mean(),
            "slowest_rank": int(np.argmax(own)),
            "efficiency": first / (seconds * len(rows)) if first else 1.0
        }


def check_real(place):
    folder = os.path.join(place, "real")
    words = ["strong", QUICK, *FEW, "--folder", folder, "--program", f"{build}/helmbone"]
    code, _, errors = scale(*words, "--ranks", "1,3")
    check("a real series", code == 0, errors)
    made, _ = tables(folder)
    first = None
    for row in made["rows"]:
        expected = by_hand(os.path.join(folder, row["file"]), first)
        first = first or expected["seconds_per_iteration"]
        for name, value in expected.items():
            check(f"real, {row['ranks']} ranks: {name}",
                  near(float(row[name]), float(value)) or row[name] == value, (row[name], value))
        check("no fields are written for a table", "fields"
              not in h5py.File(os.path.join(folder, row["file"])))
    for name in ("table.txt", "scaling.png", "scaling.svg", "shares.png", "shares.svg"):
        check(f"{name} is there", os.path.getsize(os.path.join(folder, name)) > 500)
    log = support.read(os.path.join(folder, "ranks-000003.log")).decode()
    check("with the report of each run",
          support.parse_result(log).get("status") == "VALID", log[-300:])
    code, text, errors = scale(*words[:-4], "--folder", folder + "2", "--iterations", "3",
                               "--plots", "none", "--program", f"{build}/helmbone", "--ranks",
                               "2,13")
    check(
        "real failures: a gate, too many ranks", code == 1 and
        "INVALID: gates: reduction" in text and "failed: code 2: helmbone: error: 13 ranks" in text,
        (text, errors))
    code, text, errors = scale(*words, "--degre", "4")
    check("helmbone's own words on bad options", code == 2 and "did you mean --degree?" in errors,
          errors)


def check_many(place):
    """To 64 ranks, which share this machine's processors; in full runs."""
    for mode, ranks in (("strong", "1..64x4"), ("weak", "16,64"), ("throughput", "64")):
        folder = os.path.join(place, f"many-{mode}")
        code, text, errors = scale(mode,
                                   QUICK,
                                   "--degree",
                                   "3",
                                   "--nx",
                                   "4",
                                   "--ny",
                                   "4",
                                   "--nz",
                                   "4",
                                   "--folder",
                                   folder,
                                   "--program",
                                   f"{build}/helmbone",
                                   "--ranks",
                                   ranks,
                                   "--tolerance",
                                   "1e-4",
                                   "--repeats",
                                   "1",
                                   timeout_s=900)
        rows = tables(folder)[0]["rows"]
        check(f"{mode} to 64 ranks", code == 0 and rows[-1]["ranks"] == 64 and
              rows[-1]["status"] == "VALID", (text, errors))


build = support.build_folder(__doc__)
check_lists()
check_presets()
check_n_08()
check_numbers()
with tempfile.TemporaryDirectory() as place:
    check_real(place)
    if os.environ.get("HB_TEST_ALL"):
        check_many(place)
    stand_ins = Stubs(place, "srun", "flux")
    for part in (check_strong, check_weak, check_throughput, check_failures, check_interruption,
                 check_without_plots):
        part(stand_ins)
sys.exit(support.finish())
