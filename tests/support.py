# SPDX-License-Identifier: BSD-3-Clause
# What the end-to-end tests share: counting checks, running programs, reading reports and cases.
import glob
import os
import re
import subprocess
import sys

SYSTEM_PYTHON = "/usr/bin/python3"
INPUTS = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "inputs")
MPIRUN = os.environ.get("HB_MPIEXEC", "mpirun")
LAUNCHER = os.path.join(os.path.dirname(INPUTS), ".ci", "launcher.sh")
GATES = ["case", "points", "basis", "source", "mask", "factors", "volume", "assembly", "kernel",
         "symmetry", "null_space", "right_side", "consistency", "continuity", "boundary",
         "residual", "reduction", "energy", "solution", "maximum", "repeat", "clock", "counts",
         "figures"]
# What cannot be judged in a solve that is cut off, and is covered by other gates.
OPEN_IF_CUT_OFF = {"solution", "maximum"}
VALID_KEYS = ["status", "fom_nekbone_gflops", "dof_iterations_per_s", "points_iterations_per_s",
              "seconds_per_iteration", "fraction_of_triad", "fraction_of_copy", "nekbone_comparable"]
INVALID_KEYS = ["status", "failed"]
COMMON_KEYS = ["iterations", "rms_error", "residual", "ranks", "degree", "elements", "points",
               "geometry", "geometry_bytes", "precision", "backend", "kernel", "exchange"]
passed, failed, skipped = 0, 0, 0
for line in subprocess.run(["bash", LAUNCHER, MPIRUN], capture_output=True, text=True,
                           check=True).stdout.splitlines():
    os.environ.setdefault(*line.split("=", 1))
os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")


def require(*modules):
    """Goes on with the system's Python if this one lacks a module; skips if that lacks it too."""
    try:
        for module in modules:
            __import__(module)
    except ImportError as error:
        if os.path.realpath(sys.executable) != os.path.realpath(SYSTEM_PYTHON):
            os.execv(SYSTEM_PYTHON, [SYSTEM_PYTHON] + sys.argv)
        print(f"skipped: {error}")
        sys.exit(77)


def build_folder(usage):
    """The only argument; without it the usage and exit code 2."""
    if len(sys.argv) != 2 or not os.path.isdir(sys.argv[1]):
        print(usage)
        sys.exit(2)
    return os.path.realpath(sys.argv[1])


def check(what, condition, detail=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAILED: {what} {detail}", flush=True)
    return bool(condition)


def skip(what, reason):
    global skipped
    skipped += 1
    print(f"skipped: {what}: {reason}", flush=True)


def finish():
    """Prints the closing line and gives the exit code."""
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""))
    if failed > 0 or passed == 0:
        return 1
    return 77 if skipped else 0


def run(command, timeout_s=120):
    """Exit code, standard output, standard error; a program that hangs gets code -1."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout_s)
    except subprocess.TimeoutExpired:
        return -1, "", "timeout"
    return done.returncode, done.stdout, done.stderr


def attributes_of(item):
    """Attributes of a group or dataset of an output file; h5py has its texts, which are of fixed
    length, as bytes."""
    return {name: value.decode() if isinstance(value, bytes) else value
            for name, value in item.attrs.items()}


def on_ranks(ranks, *command):
    return [MPIRUN, "-n", str(ranks), *map(str, command)]


def children(pid):
    """The processes that this one has started."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            with open(f"/proc/{entry}/stat", encoding="utf-8") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            if entry.isdigit() and int(fields[1]) == pid:
                found.append(int(entry))
        except (OSError, IndexError):
            continue
    return found


def rank_of(pid):
    """The rank that a launcher has made the process; None: none."""
    with open(f"/proc/{pid}/environ", "rb") as file:
        words = file.read().split(b"\0")
    for word in words:
        name, _, value = word.partition(b"=")
        if name in (b"OMPI_COMM_WORLD_RANK", b"PMI_RANK", b"PMIX_RANK"):
            return int(value)
    return None


def alive(pid):
    """A process that still runs: there, and not only waiting to be reaped."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in ("Z", "X")
    except (OSError, IndexError):
        return False


def partials(path):
    """Files of runs that write `path`, or have been killed doing so."""
    return glob.glob(glob.escape(path) + ".*.partial")


def parse_result(text):
    """The RESULT line, which has to be the last one, as a dict of texts; {} if it is not there."""
    lines = text.splitlines()
    if not lines or not lines[-1].startswith("RESULT "):
        return {}
    return dict(word.split("=", 1) for word in lines[-1].split()[1:] if "=" in word)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, content):
    with open(path, "wb") as file:
        file.write(content)


def parse_gates(text):
    """name: verdict, in the order of the gates: those that are listed as passed, and those that have
    a line of their own."""
    listed = re.search(r"^gates: (\d+) of \d+ passed;.*\n((?:  \w.*\n)*)", text, re.MULTILINE)
    passed_gates = listed[2].split() if listed else []
    own = dict(re.findall(r"^gate, (\w+): observed \S+ bound \S+ (\w+)(?: \(.*\))?$", text,
                          re.MULTILINE))
    verdicts = {**dict.fromkeys(passed_gates, "PASS"), **own}
    if listed and int(listed[1]) != list(verdicts.values()).count("PASS"):
        return {}  # the report contradicts itself
    order = {name: place for place, name in enumerate(GATES)}
    return dict(sorted(verdicts.items(), key=lambda item: order.get(item[0], len(order))))


def parse_phases(text):
    """name: (min, mean, max) in seconds, of the report's table."""
    return {row[0]: tuple(map(float, row[1:])) for row in re.findall(
        r"^  (\w+) +(\d+\.\d+) +(\d+\.\d+) +(\d+\.\d+) +\d+ +\d+\.\d+$", text, re.MULTILINE)}


def parse_echo(text):
    """The options that --dry-run prints: the .ini text, and section.name: value."""
    lines, options, section = [], {}, None
    for line in text.splitlines():
        begins = re.fullmatch(r"\[(\w+)\]", line)
        value = re.fullmatch(r"(\w+) = (.*)", line)
        if begins:
            section = begins[1]
            lines.append(line)
        elif value and section:
            options[f"{section}.{value[1]}"] = value[2]
            lines.append(line)
    return "\n".join(lines) + "\n", options
