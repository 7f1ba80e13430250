# SPDX-License-Identifier: BSD-3-Clause
# Bad input, full disks, killed ranks: one clear line, the right exit code, nothing left behind.
"""Usage: end_to_end_errors.py BUILD_FOLDER"""
import concurrent.futures
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import support
from support import check, children, on_ranks, partials, read, run, write

support.require("h5py")
import h5py

TIMEOUT_S, AT_ONCE = 60, 4
OLD = b"an older file, which is nobody's to touch\n" * 100
# Keeps each rank's exit code and streams; no rank leaves before all have been seen to leave,
# because mpirun ends the others as soon as one has failed.
RANK_SCRIPT = """#!/bin/sh
folder=$1 ranks=$2 rank=${OMPI_COMM_WORLD_RANK:-0}
shift 2
"$@" >"$folder/stdout.$rank" 2>"$folder/stderr.$rank"
code=$?
cat "$folder/stderr.$rank" >&2
echo $code >"$folder/part.$rank"
mv "$folder/part.$rank" "$folder/code.$rank"
waited=0
while [ "$(ls "$folder" | grep -c '^code')" -lt "$ranks" ] && [ $waited -lt 400 ]; do
  sleep 0.05
  waited=$((waited + 1))
done
exit $code
"""

# What, rank counts, case file or None, arguments, exit code, words of the message (or patterns).
# CASE stands for the case file's name, RANKS for the count, FOLDER for the folder of the run.
# Without an --output of its own a case is asked to write over an older file.  What is clear on three
# ranks is tried on one, too, with HB_TEST_ALL=1.
EVERY = os.environ.get("HB_TEST_ALL") == "1"
BOTH = (1, 3) if EVERY else (3,)
CASES = [
    ("unknown key in the file", BOTH, "[mesh]\ndegre = 3\n", [], 2,
     ["CASE:2", "'degre'", "[mesh]", "did you mean degree"]),
    ("unknown key of no likeness", (1,), "[mesh]\n\nqqqqqqqq = 3\n", [], 2,
     ["CASE:3", "'qqqqqqqq'", "degree", "amplitude"]),
    ("key of another section", (1,), "[mesh]\ntolerance = 1e-5\n", [], 2,
     ["CASE:2", "'tolerance'", "[mesh]", "[solver]"]),
    ("unknown option", BOTH, None, ["--degre", "3"], 2, ["'--degre'", "did you mean --degree"]),
    ("misspelt section", BOTH, "[mehs]\ndegree = 3\n", [], 2,
     ["CASE:1", "[mehs]", "did you mean [mesh]"]),
    ("text after an integer", BOTH, "[mesh]\ndegree = 3x\n", [], 2,
     ["CASE:2", "degree", "'3x'", "1..15"]),
    ("text after a real", BOTH, "[mesh]\nlx = 1.0 m\n", [], 2,
     ["CASE:2", "lx", "'1.0 m'", "> 0"]),
    ("empty value", BOTH, "[mesh]\nnx =\n", [], 2, ["CASE:2", "nx", "missing", "1.."]),
    ("missing value", (1,), None, ["--degree"], 2, ["--degree", "missing", "1..15"]),
    ("key twice", (1,), "[mesh]\nnx = 2\nnx = 3\n", [], 2, ["CASE:3", "nx", "line 2"]),
    ("value out of range", BOTH, "[solver]\ntolerance = 2\n", [], 2,
     ["CASE:2", "tolerance", "'2'", "> 0 and < 1"]),
    ("not a number", (1,), None, ["--lx", "nan"], 2, ["--lx", "'nan'", "> 0"]),
    ("unknown word", (1,), None, ["--boundary_x", "wall"], 2,
     ["--boundary_x", "'wall'", "dirichlet | neumann | periodic"]),
    ("degree 0", BOTH, None, ["--degree", "0"], 2, ["--degree", "'0'", "1..15"]),
    ("degree 16", BOTH, None, ["--degree", "16"], 2, ["--degree", "'16'", "1..15"]),
    ("no elements", BOTH, None, ["--nx", "0"], 2, ["--nx", "'0'", "1.."]),
    ("negative elements", BOTH, None, ["--ny", "-2"], 2, ["--ny", "'-2'", "1.."]),
    ("broken elements", BOTH, None, ["--nx", "4.7"], 2, ["--nx", "'4.7'", "integer", "1.."]),
    ("more ranks than elements", (3,), None, ["--nx", "1", "--ny", "2", "--nz", "1"], 2,
     ["3 ranks", "1 x 2 x 1 = 2 elements", "at most one rank an element"]),
    ("prime rank count", (3,), None, ["--nx", "2", "--ny", "2", "--nz", "2"], 2,
     ["3 ranks", "2 x 2 x 2", "2 or 4 ranks"]),
    ("arrangement of other ranks", BOTH, None, ["--px", "2", "--py", "2", "--pz", "2"], 2,
     ["2 x 2 x 2 = 8", "RANKS ranks"]),
    ("arrangement that does not divide", BOTH, None, ["--px", "2"], 2, ["2, 0, 0", "RANKS ranks"]),
    ("arrangement beyond the elements", (3,), None, ["--px", "3", "--nx", "2"], 2,
     ["px = 3", "nx = 2", "at most one rank an element"]),
    ("folding amplitude", BOTH, None, ["--deformation", "smooth", "--amplitude", "0.2"], 2,
     ["amplitude = 0.2", "0.159155"]),
    ("inverted element", BOTH, None,
     ["--deformation", "smooth", "--amplitude", "0.155", "--degree", "2", "--nx", "3", "--ny",
      "3", "--nz", "3"], 2,
     [re.compile(r"element \(\d, \d, \d\)"), re.compile(r"is -\d\.\d+e-\d\d m"),
      "allowed is > 0", "amplitude"]),
    ("kershaw, periodic in x", BOTH, None,
     ["--deformation", "kershaw", "--boundary_x", "periodic"], 2, ["kershaw", "periodic in x"]),
    ("singular problem", BOTH, None,
     ["--h2", "0", "--boundary_x", "neumann", "--boundary_y", "neumann", "--boundary_z",
      "neumann"], 2, ["h2 = 0", "neumann, neumann, neumann", "singular", "h2 > 0", "dirichlet"]),
    ("nothing left to solve", BOTH, None,
     ["--degree", "1", "--nx", "3", "--ny", "1"], 2, ["boundary_y = dirichlet", "nothing is left"]),
    ("squares that underflow", BOTH, None, ["--h1", "1e-155", "--h2", "1e-155"], 2,
     ["h1 = 1e-155, h2 = 1e-155", "|r|^2", "1e-376", "allowed in f64 are 1e-296"]),
    ("coefficient too large", (1,), None, ["--h1", "1e300"], 2, ["h1 = 1e+300", "allowed in f64"]),
    ("box too long", (1,), None, ["--lx", "1e308"], 2, ["1e+308 x 1 x 1", "volume"]),
    ("too small for single precision", BOTH, None, ["--precision", "f32", "--h1", "1e-40"], 2,
     ["h1 = 1e-40", "diffusion term", "allowed in f32"]),
    ("unknown kernel", BOTH, None, ["--kernel", "mfma99"], 2,
     ["mfma99", "auto, reference"]),
    ("missing case file", BOTH, None, ["nowhere.ini"], 2, ["'nowhere.ini'", "No such file"]),
    ("two case files", (1,), None, ["a.ini", "b.ini"], 2, ["'b.ini'", "'a.ini'", "one"]),
    ("case file is a folder", (1,), None, ["/"], 2, ["'/'", "directory"]),
    ("folder that makes no files", BOTH, None, ["--output", "/proc/a.vtkhdf"], 2,
     ["'/proc/a.vtkhdf'", "'/proc'"]),
    ("missing output folder", BOTH, None, ["--output", "no/where/a.vtkhdf"], 2,
     ["'no/where/a.vtkhdf'", "'no/where'"]),
    ("output is a folder", BOTH, None, ["--output", "FOLDER/inside.vtkhdf"], 2,
     ["inside.vtkhdf'", "folder"]),
    ("wrong suffix", BOTH, None, ["--output", "a.h5"], 2, ["'a.h5'", "NAME.vtkhdf"]),
    ("3e9 unique points on a rank", (1,), None,
     ["--nx", "206", "--ny", "206", "--nz", "206", "--dry-run"], 2,
     ["206 x 206 x 206", "4475809792 points", "2147483647", "at least 3"]),
    ("points beyond 64 bit", BOTH, None,
     ["--nx", "3000000", "--ny", "3000000", "--nz", "3000000", "--degree", "15", "--dry-run"], 2,
     ["3000000 x 3000000 x 3000000", "degree 15", "64 bit"]),
    ("weak scaling beyond 64 bit", (3,), None,
     ["--size_is", "per_rank", "--nx", "9223372036854775807", "--dry-run"], 2, ["64 bit"]),
    ("integer beyond 64 bit", (1,), None, ["--nx", "9223372036854775808"], 2,
     ["'9223372036854775808'", "9223372036854775807"]),
]


def left_over(folder):
    return [name for name in os.listdir(folder) if ".partial" in name or ".probe" in name]


def error_lines(text):
    return [line for line in text.splitlines() if line.startswith("helmbone: ")]


# ---- bad input -------------------------------------------------------------------------------

def run_ranks(ranks, folder, command):
    """mpirun's exit code and standard error, and of every rank: code, stdout, stderr."""
    kept = tempfile.mkdtemp(prefix="ranks_", dir=folder)
    script = f"{folder}/rank.sh"
    if not os.path.exists(script):
        write(script, RANK_SCRIPT.encode())
        os.chmod(script, 0o755)
    code, _, errors = run(on_ranks(ranks, script, kept, ranks, *command), TIMEOUT_S)
    each = []
    for rank in range(ranks):
        texts = [read(f"{kept}/{name}.{rank}").decode() if os.path.exists(f"{kept}/{name}.{rank}")
                 else "missing" for name in ("code", "stdout", "stderr")]
        each.append((texts[0].strip(), texts[1], texts[2]))
    shutil.rmtree(kept)
    return code, errors, each


def check_refusal(what, code, errors, each, expected, words):
    """One line, from rank 0; the same exit code on all ranks; nothing that looks like a result."""
    check(f"{what}: exit code {expected}", code == expected, (code, errors[-400:]))
    check(f"{what}: exit code of each rank", [rank[0] for rank in each] ==
          [str(expected)] * len(each), [rank[0] for rank in each])
    lines = each[0][2].splitlines()
    check(f"{what}: one line from rank 0", len(lines) == 1 and
          lines[0].startswith("helmbone: error: "), lines)
    check(f"{what}: none from other ranks", all(rank[2] == "" for rank in each[1:]))
    check(f"{what}: the user sees it once", len(error_lines(errors)) == 1, errors)
    for word in words:
        found = lines and (word in lines[0] if isinstance(word, str) else word.search(lines[0]))
        check(f"{what}: the message has {word}", found, lines)
    check(f"{what}: no result", all("RESULT" not in rank[1] and "fom_" not in rank[1]
                                    for rank in each), each[0][1][-200:])


def run_case(folder, case, ranks):
    """In a folder of its own, because several run at the same time."""
    name, _, text, arguments, expected, words = case
    own = tempfile.mkdtemp(prefix="case_", dir=folder)
    old, file = f"{own}/old.vtkhdf", f"{own}/case.ini"
    write(old, OLD)
    os.makedirs(f"{own}/inside.vtkhdf")
    command = [f"{build}/helmbone"]
    if text is not None:
        write(file, text.encode())
        command.append(file)
    if "--output" not in arguments:
        command += ["--output", old]
    command += [argument.replace("FOLDER", own) for argument in arguments]
    before = set(os.listdir(own))
    code, errors, each = run_ranks(ranks, own, command)
    words = [word.replace("CASE", file).replace("RANKS", str(ranks)) if isinstance(word, str)
             else word for word in words]
    new = set(os.listdir(own)) - before - {"rank.sh"}
    return f"{name}, {ranks} ranks", (code, errors, each, expected, words), read(old), new


def check_cases(folder):
    jobs = [(case, ranks) for case in CASES for ranks in case[1]]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for what, outcome, old, new in pool.map(lambda job: run_case(folder, *job), jobs):
            check_refusal(what, *outcome)
            check(f"{what}: the older file is untouched", old == OLD)
            check(f"{what}: nothing is left", not new, new)


def check_memory(folder):
    """160^3 elements of degree 7 need about 200 GB."""
    options = ["--nx", "160", "--ny", "160", "--nz", "160", "--dry-run"]
    available = re.search(r"MemAvailable: +(\d+) kB", read("/proc/meminfo").decode())
    if available and int(available[1]) * 1024 > 180e9:
        support.skip("memory that is not there", "this machine has it")
        return
    for ranks in BOTH:
        code, errors, each = run_ranks(ranks, folder, [f"{build}/helmbone", *options])
        what = f"memory that is not there, {ranks} ranks"
        check_refusal(what, code, errors, each, 3, ["memory", "GB available"])
        told = re.search(r"need (\S+) GB, it has (\S+) GB available", each[0][2])
        totals = re.search(r"^memory of rank 0, total: (\S+) MB$", each[0][1], re.MULTILINE)
        check(f"{what}: needed is more than available", told and
              float(told[1]) > 150 and float(told[1]) > float(told[2]), each[0][2])
        check(f"{what}: needed is what the ranks' totals add up to", told and totals and
              abs(float(told[1]) / (1e-3 * float(totals[1]) * ranks) - 1) < 0.05, each[0][2])


def check_large_numbers(folder):
    """Counts beyond 32 bit are right where they are allowed: three ranks hold 3e9 points."""
    options = ["--nx", "206", "--ny", "206", "--nz", "206", "--dry-run"]
    _, _, each = run_ranks(3, folder, [f"{build}/helmbone", *options])
    check("3e9 points on three ranks: number of points",
          f"unique points: {(206 * 7 + 1)**3}\n" in each[0][1], each[0][1])
    check("3e9 points on three ranks: number of elements",
          f"elements: {206**3} = 206 x 206 x 206" in each[0][1], each[0][1])


def check_words():
    code, text, errors = run([f"{build}/helmbone", "--dry-run"])
    check("dry run: exit code 0", code == 0, errors)
    names = [name.split(".")[1] for name in support.parse_echo(text)[1]]
    check("the echo has the options", len(names) >= 30, names)
    code, text, errors = run([f"{build}/helmbone", "--help"])
    check("--help: exit code 0, nothing on standard error", code == 0 and errors == "", code)
    listed = re.findall(r"^  --(\w[\w-]*)", text, re.MULTILINE)
    flags = ["oversubscribe", "check-launches", "retune", "verbose", "dry-run", "help", "version"]
    for name in names + flags:
        check(f"--help names --{name} once", listed.count(name) == 1, listed)
    check("--help names nothing else", len(listed) == len(names) + len(flags), listed)
    code, text, errors = run([f"{build}/helmbone", "--version"])
    check("--version", code == 0 and errors == "" and
          re.fullmatch(r"helmbone \d+\.\d+\.\d+ \([\w-]+\)\n", text), text)
    code, text, _ = run(on_ranks(3, f"{build}/helmbone", "--help", "--nonsense"))
    check("--help comes once and before errors", code == 0 and text.count("Usage:") == 1, code)


# ---- runs that are not valid -----------------------------------------------------------------

def check_invalid(what, ranks, path, options, gates):
    code, text, errors = run(on_ranks(ranks, f"{build}/helmbone", *options, "--output", path),
                             TIMEOUT_S)
    result = support.parse_result(text)
    check(f"{what}: exit code 1", code == 1, (code, errors[-300:]))
    keys = [key for key in result if key != "inconclusive"]
    check(f"{what}: keys", keys == support.INVALID_KEYS + support.COMMON_KEYS, result)
    failed = result.get("failed", "").split(",")
    check(f"{what}: INVALID, and why", result.get("status") == "INVALID" and
          set(gates) <= set(failed), text[-300:])
    check(f"{what}: the failed gates are those printed",
          failed == [name for name, verdict in support.parse_gates(text).items()
                     if verdict == "FAIL"], support.parse_gates(text))
    check(f"{what}: no figure of merit",
          "fom_" not in text and not re.search(r"^\w+_per_s:", text, re.MULTILINE), text[-300:])
    if not check(f"{what}: the file is there all the same", os.path.exists(path)):
        return
    with h5py.File(path) as file:
        solver = support.attributes_of(file["solver"])
        check(f"{what}: the file says so", solver["status"] == "INVALID" and
              solver["failed_gates"].split(",") == failed, solver)
        check(f"{what}: no figure of merit in the file", not any(
            name.startswith("fom") or name.endswith("_per_s") for name in solver), list(solver))
    code, text, _ = run([f"{build}/helmbone-inspect", path])
    check(f"{what}: inspect says so", code == 1 and "gates: FAIL" in text, code)


def check_invalid_runs(folder):
    path = f"{folder}/invalid.vtkhdf"
    for ranks in BOTH:
        check_invalid(f"too few iterations, {ranks} ranks", ranks, path,
                      ["--degree", "3", "--iterations", "5"], ["reduction"])


# ---- disks -----------------------------------------------------------------------------------

def check_disk(folder):
    disk = f"{folder}/disk"
    os.makedirs(disk)
    code, _, errors = run(["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", disk])
    if code != 0:
        support.skip("full disk", f"mount is not permitted: {errors.strip()}")
        return
    path, small = f"{disk}/a.vtkhdf", ["--degree", "3", "--warmup", "0", "--repeats", "1"]
    try:
        code, _, errors = run(on_ranks(2, f"{build}/helmbone", *small, "--output", path))
        check("small disk: fits", code == 0, errors[-300:])
        before = read(path)
        code, errors, each = run_ranks(3, folder, [f"{build}/helmbone", "--nx", "16", "--output",
                                                   path])
        check_refusal("full disk", code, errors, each, 3,
                      [re.compile(r"\d+ bytes needed, \d+ bytes available"), "a.vtkhdf"])
        check("full disk: refused before the solve", "stage: solving" not in each[0][1])
        check("full disk: the older file is untouched", read(path) == before)
        check("full disk: nothing is left", not left_over(disk), left_over(disk))
        check_disk_fills_up(disk, path, before)
    finally:
        run(["umount", disk])


def check_disk_fills_up(disk, path, before):
    """There is room at the start; another program takes it during the solve."""
    process = start_solve(2, path, "--degree", "3", "--nx", "6", "--tolerance", "1e-12",
                          "--repeats", "150")
    wait_for_stage(process, "solving")
    try:
        write(f"{disk}/filler", b"x" * (16 << 20))
    except OSError:
        pass  # as meant
    text, errors = process.communicate(timeout=3 * TIMEOUT_S)
    check("disk fills up: exit code 3", process.returncode == 3, (process.returncode, errors))
    check("disk fills up: one line with numbers", len(error_lines(errors)) == 1 and
          re.search(r"\d+ bytes needed, \d+ bytes available", errors), errors)
    result = support.parse_result(text)
    check("disk fills up: the result says that the file is missing", result.get("status") ==
          "UNWRITTEN" and result.get("file") == "not_written", text[-200:])
    check("disk fills up: the older file is untouched", read(path) == before)
    check("disk fills up: nothing is left", not left_over(disk), left_over(disk))


# ---- killed ranks ----------------------------------------------------------------------------

def start_solve(ranks, path, *options):
    return subprocess.Popen(on_ranks(ranks, f"{build}/helmbone", *options, "--output", path),
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_stage(process, stage):
    for line in process.stdout:
        if line == f"stage: {stage}\n":
            return True
    return False


def is_running(pid):
    """A zombie, which nobody has asked for its exit code, does not run."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def wait_for_end(pids):
    """Those that still run after ten seconds; they are killed."""
    end = time.time() + 10
    while any(map(is_running, pids)) and time.time() < end:
        time.sleep(0.05)
    still = [pid for pid in pids if is_running(pid)]
    kill(still)
    return still


def kill(pids):
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass


def end_launcher(process):
    """mpirun's exit code; None if it hangs, which it may if all its ranks are killed at once."""
    try:
        process.communicate(timeout=5)
        return process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None


def check_killed_in_solve(folder):
    path = f"{folder}/killed.vtkhdf"
    # A count ends where nothing is left of the residual: many solves take long, not one.
    endless = ["--stop", "count", "--iterations", "1000", "--repeats", "1000", "--degree", "7"]
    for what, count in (("one rank", 1), ("all ranks", 3)):
        write(path, OLD)
        process = start_solve(3, path, *endless)
        check(f"kill {what}: it solves", wait_for_stage(process, "solving"))
        ranks = children(process.pid)
        check(f"kill {what}: three ranks run", len(ranks) == 3, ranks)
        kill(ranks[:count])
        code = end_launcher(process)
        check(f"kill {what}: mpirun ends with an error", code != 0 and
              (code is not None or count > 1), code)
        check(f"kill {what}: no rank is left", not wait_for_end(ranks), ranks)
        check(f"kill {what}: the older file is untouched", read(path) == OLD)
        check(f"kill {what}: nothing is left", not left_over(folder), left_over(folder))


def check_killed_in_write(folder):
    """An older file, a bigger one on its way over it, and SIGKILL at several moments."""
    path = f"{folder}/written.vtkhdf"
    options = ["--nx", "12", "--ny", "12", "--nz", "12", "--stop", "count", "--iterations", "2",
               "--warmup", "0", "--repeats", "1"]
    small = ["--degree", "3", "--warmup", "0", "--repeats", "1"]
    code, _, errors = run(on_ranks(2, f"{build}/helmbone", *small, "--output", path), TIMEOUT_S)
    if not check("killed in the write: there is an older file", code == 0, errors):
        return
    before, during = read(path), 0
    for delay_s in (0.0, 0.02, 0.05, 0.1):
        process = start_solve(2, path, *options)
        end = time.time() + TIMEOUT_S
        while not partials(path) and process.poll() is None and time.time() < end:
            time.sleep(0.002)
        time.sleep(delay_s)
        kill(children(process.pid))
        end_launcher(process)
        left = partials(path)
        if left:
            during += 1
            check("killed in the write: the older file is untouched", read(path) == before)
            code, _, _ = run([f"{build}/helmbone-inspect", left[0]])
            check("killed in the write: the partial file does not pass", code != 0)
        else:
            code, _, _ = run([f"{build}/helmbone-inspect", path])
            check("killed after the write: the file is good", code == 0)
            write(path, before)
        for partial in left[:-1]:
            os.unlink(partial)
    check("killed in the middle of the write, at least twice", during >= 2, during)
    stranger = f"{path}.elsewhere-1.partial"  # another host's, which may be running
    write(stranger, OLD)
    code, _, errors = run(on_ranks(2, f"{build}/helmbone", *small, "--output", path), TIMEOUT_S)
    check("the next run removes what is left over, but nobody else's", code == 0 and
          partials(path) == [stranger] and read(stranger) == OLD, (code, errors, partials(path)))
    os.unlink(stranger)
    check("and its file is good", run([f"{build}/helmbone-inspect", path])[0] == 0)


def writes_through_rank_0():
    """A build with a serial HDF5: nothing but its files is other than in the one with a parallel."""
    with open(f"{build}/CMakeCache.txt", encoding="utf-8") as cache:
        return "\nHELMBONE_SERIAL_HDF5:BOOL=ON\n" in cache.read()


def main():
    folder = tempfile.mkdtemp(prefix="helmbone_errors_")
    try:
        if EVERY or not writes_through_rank_0():
            check_words()
            check_cases(folder)
            check_memory(folder)
            check_large_numbers(folder)
            check_killed_in_solve(folder)
        check_invalid_runs(folder)
        check_disk(folder)
        check_killed_in_write(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return support.finish()


if __name__ == "__main__":
    build = support.build_folder(__doc__)
    sys.exit(main())
