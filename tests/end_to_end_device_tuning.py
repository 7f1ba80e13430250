# SPDX-License-Identifier: BSD-3-Clause
# The tuner as a user meets it: lines, file of decisions, table of the output file, pins, refusals.
"""Usage: end_to_end_device_tuning.py BUILD_FOLDER"""
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import support
from support import check, on_ranks

support.require("h5py", "numpy")
import h5py
import numpy as np
import end_to_end_device as device
import end_to_end_errors as faults
from end_to_end_device import check_refusal, check_valid, helmbone

CANDIDATE = re.compile(r"^tuning, (\w+)((?:, [^:,]+)*): error (\S+) bound (\S+) time (\S+) us "
                       r"spread (\S+) us right(, tie)?(, chosen)?$", re.MULTILINE)
COLUMNS = ["operator", "kernel", "geometry", "tile", "wavefronts", "elements", "layout", "ahead",
           "verified_error", "error_bound", "verified", "seconds", "spread", "chosen"]
HEADER = "# helmbone tuning, format 1\n"


def tuned(path, *options):
    """A case whose tuning is on."""
    return ["--oversubscribe", "--autotune", "yes", "--tuning-file", path, *options]


def reason_of(text):
    """The last word on why the kernel is what it is."""
    return re.findall(r"^tuning: (.*)$", text, re.MULTILINE)[-1:]


def decisions(path):
    """Lines of the file but its comments."""
    return [line for line in faults.read(path).decode().splitlines() if not line.startswith("#")]


def check_default(path):
    result, text, errors = check_valid("default", 2, *tuned(path))
    check("default: the shape is told", "kernel_shape" in result, result)
    if device.interpreter is None:
        return
    check("default: interpreted, so not tuned", reason_of(text) == ["not tuned: interpreted"],
          reason_of(text))
    check("default: no file, no warning", not os.path.exists(path) and errors == "", errors)


def check_table(what, path, result, rows):
    """/tuning: `rows` rows, one of them chosen."""
    with h5py.File(path) as file:
        table, root = file["tuning"][:], support.attributes_of(file)
    check(f"{what}: columns", list(table.dtype.names) == COLUMNS, table.dtype.names)
    check(f"{what}: rows", len(table) == rows, (len(table), rows))
    chosen = table[table["chosen"] == 1]
    check(f"{what}: one is chosen", len(chosen) == 1 and
          chosen["kernel"][0].decode() == result["kernel"] == root["kernel"], (chosen, result))
    check(f"{what}: the shape", root["kernel_shape"] == result["kernel_shape"], root)
    code, text, errors = support.run([f"{device.build}/helmbone-inspect", path])
    check(f"{what}: inspect", code == 0 and "layout: PASS" in text, (code, text[-300:], errors))
    return table, root


def check_tuned(folder, path):
    output = f"{folder}/tuned.vtkhdf"
    result, text, errors = check_valid("tuned", 2, *tuned(path, "--retune", "--output", output))
    lines = CANDIDATE.findall(text)
    check("tuned: candidates", len(lines) >= 2 and {line[0] for line in lines} >= {"1d", "kstep"},
          text[:2000])
    check("tuned: every line is as it should be", len(lines) == text.count("\ntuning, "), lines)
    check("tuned: all are right", all(0 < float(line[2]) <= float(line[3]) for line in lines),
          lines)
    check("tuned: times", all(float(line[4]) > 0 and float(line[5]) >= 0 for line in lines), lines)
    chosen = [line for line in lines if line[7]]
    check("tuned: one is chosen, and used", len(chosen) == 1 and
          chosen[0][0] == result.get("kernel"), (chosen, result))
    times = [float(line[4]) for line in lines]
    check("tuned: the fastest, or a tie", chosen and
          (chosen[0][6] or float(chosen[0][4]) == min(times)), lines)
    check("tuned: says why", reason_of(text)[0].startswith("tie" if chosen[0][6] else "fastest"),
          reason_of(text))
    spent = support.parse_phases(text).get("tuning")
    check("tuned: a stage and a time of its own", "\nstage: tuning\n" in text and spent and
          spent[2] > 0, text[-2000:])
    check("tuned: no warning", errors == "", errors)
    check("tuned: one decision is kept", faults.read(path).decode().startswith(HEADER) and
          len(decisions(path)) == 1 and f"kernel={result['kernel']} " in decisions(path)[0],
          decisions(path))
    table, root = check_table("tuned", output, result, len(lines))
    check("tuned: the table's figures", np.all(table["verified"] == 1) and
          np.all(table["verified_error"] <= table["error_bound"]) and
          np.all(table["seconds"] > 0) and np.all(table["spread"] >= 0), table)
    check("tuned: the file says why", root["kernel_choice"] == reason_of(text)[0], root)
    return result


def check_from_file(folder, path, first):
    output = f"{folder}/kept.vtkhdf"
    result, text, _ = check_valid("kept", 2, *tuned(path, "--output", output))
    check("kept: from the file", reason_of(text) == [f"from file {path}"] and
          "\nstage: tuning\n" not in text, reason_of(text))
    check("kept: the same kernel", [result.get(key) for key in ("kernel", "kernel_shape")] ==
          [first.get(key) for key in ("kernel", "kernel_shape")], (result, first))
    check("kept: the same figures", device.same_figures(result, first), (result, first))
    table, _ = check_table("kept", output, result, 1)
    check("kept: nothing was timed", np.isnan(table["seconds"][0]) and table["verified"][0] == 0,
          table)
    _, text, _ = helmbone(2, *tuned(path, "--degree", "2", "--dry-run"))
    check("another degree: not from the file", "from file" not in text, reason_of(text))
    code, text, _ = helmbone(2, *tuned(path, "--retune", "--dry-run"))
    check("dry run: tells, and does not time", code == 0 and "\nstage: " not in text and re.search(
        r"^tuning: of \d+ candidates, on 12 elements \(pins: none\)$", text, re.MULTILINE), text)


def check_broken_file(path):
    kept = faults.read(path)
    faults.write(path, kept + b"broken\n")
    _, text, errors = check_valid("a broken line", 2, *tuned(path))
    check("a broken line: the others count", reason_of(text) == [f"from file {path}"], text[:800])
    check("a broken line: one warning", len(errors.splitlines()) == 1 and
          f"warning: tuning_file = {path}: line 4 is not a decision" in errors, errors)
    for ranks in (1, 3):
        faults.write(path, b"[mesh]\ndegree = 7\n")
        check_refusal(f"a foreign file, {ranks} ranks", os.path.dirname(path), ranks, tuned(path),
                      2, [f"tuning_file = {path}: is not a file of tuning decisions", "or none"])
        check("a foreign file: untouched", faults.read(path) == b"[mesh]\ndegree = 7\n")
    faults.write(path, kept)


def check_no_folder(folder):
    path = f"{folder}/no/tuning.txt"
    _, text, errors = check_valid("no folder", 2, *tuned(path, "--retune"))
    check("no folder: tuned all the same", reason_of(text)[0].startswith(("tie", "fastest")), text)
    check("no folder: one warning", len(errors.splitlines()) == 1 and
          "cannot be written: No such file or directory; the choice is not kept" in errors, errors)


def check_at_once(folder):
    """Two runs that tune and write the same file."""
    path = f"{folder}/both.txt"
    command = on_ranks(1, f"{device.build}/helmbone", device.case)
    runs = [subprocess.Popen([*command, *tuned(path, "--retune", "--precision", precision,
                                               "--tolerance", "1e-4")],
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for precision in ("f64", "f32")]
    ends = [process.communicate(timeout=device.TIMEOUT_S) for process in runs]
    check("at once: both are valid, without a warning", [process.returncode for process in runs] ==
          [0, 0] and all(errors == "" for _, errors in ends), ends)
    check("at once: the file is whole", faults.read(path).decode().startswith(HEADER) and
          1 <= len(decisions(path)) <= 2 and
          all(re.search(r" : kernel=\w+ .* seconds=\S+$", line) for line in decisions(path)),
          decisions(path))
    check("at once: nothing is left", [name for name in os.listdir(folder) if "both" in name] ==
          ["both.txt"], os.listdir(folder))


def check_pins(folder, path):
    for kernel in ("1d", "kstep"):
        result, text, _ = check_valid(f"pin {kernel}", 1, *tuned(path, "--kernel", kernel))
        check(f"pin {kernel}: set by hand", reason_of(text) == ["set by hand"] and
              result.get("kernel") == kernel and result.get("kernel_shape") == "none", result)
    for ranks in (1, 3):
        check_refusal(f"impossible pins, {ranks} ranks", folder, ranks,
                      tuned(path, "--kernel", "1d", "--tile", "16x16x4", "--ahead", "1"), 2,
                      ["kernel = 1d, tile = 16x16x4, ahead = 1: no kernel is so for degree 3 in ",
                       "possible: 1d without choice of shape"])
    check_refusal("pins on no kernel", folder, 1, tuned(path, "--wavefronts", "13"), 2,
                  ["wavefronts = 13: no kernel is so", "kstep without choice of shape"])
    check_refusal("pins on the host", folder, 2, ["--backend", "host", "--padding", "plain"], 2,
                  ["padding = plain: kernels of the host backend have no shapes"])
    check_refusal("an unknown tile", folder, 1, ["--tile", "5x5x5"], 2,
                  ["'5x5x5'", "auto | 16x16x4 | 4x4x4 | 4x4x1 | 8x8x4"])


def check_all(folder):
    path = f"{folder}/tuning.txt"
    check_default(path)
    if os.path.exists(path):
        os.remove(path)
    first = check_tuned(folder, path)
    if os.path.exists(path):
        check_from_file(folder, path, first)
        check_broken_file(path)
    check_no_folder(folder)
    check_at_once(folder)
    check_pins(folder, path)


if __name__ == "__main__":
    device.prepare(__doc__)
    sys.exit(device.run_checks(check_all))
