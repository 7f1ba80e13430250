# SPDX-License-Identifier: BSD-3-Clause
# What the tests of scaling studies share: a false helmbone with known times, stand-in launchers.
import contextlib
import csv
import io
import json
import os
import subprocess
import sys

import support

STUDY = os.path.join(os.path.dirname(support.INPUTS), "app", "study")
sys.path.insert(0, os.path.dirname(STUDY))
from study import scale as scale_verb
from study.base import Refusal

QUICK = os.path.join(support.INPUTS, "quick.ini")

# A program that writes such a file as helmbone does, of times that are known: on R ranks an
# iteration takes points / R * 1e-8 + 1e-5 s, a tenth of it vectors, a fifth exchange, a tenth sums;
# the last of several ranks works twice as long as the others.  FAIL="R CODE" and SLEEP="R"
# in the environment.
FAKE = """#!%s
import os, sys, time
arguments = sys.argv[1:]
ranks = int(os.environ["FAKE_RANKS"])
if "--dry-run" in arguments:
    if "--nonsense" in arguments:
        print("helmbone: error: command line: unknown option '--nonsense'")
        sys.exit(2)
    sys.exit(0)
fail = os.environ.get("FAIL", "0 0").split()
if int(fail[0]) == ranks:
    print("helmbone: error: out of luck")
    sys.exit(int(fail[1]))
if os.environ.get("SLEEP") == str(ranks):
    time.sleep(120)
import h5py, numpy as np
value = lambda name: arguments[arguments.index("--" + name) + 1]
degree = int(value("degree"))
elements = int(value("nx")) * int(value("ny")) * int(value("nz"))
if "--size_is" in arguments:
    elements *= ranks
points = elements * degree**3
seconds = 100 * (1e-8 * points / ranks + 1e-5)
with h5py.File(value("output"), "w") as file:
    file.attrs.update(schema="helmbone-output", complete=1, mpi_ranks=ranks, device="Abacus, brass",
                      num_elements=elements, command_line=" ".join([sys.argv[0]] + arguments))
    solver = file.create_group("solver")
    solver.attrs.update(status="VALID", iterations=100, unique_points=points,
                        median_solve_s=seconds,
                        fom_nekbone_gflops=2e-7 * points * 100 / seconds,
                        dof_iterations_per_s=points * 100 / seconds)
    phases = ["operator_s", "exchange_wait_s", "vector_s", "reduction_s"]
    rows = np.zeros(ranks, dtype=[("rank", "i4")] + [(name, "f8") for name in phases])
    rows["rank"] = range(ranks)
    for name, part in zip(phases, (0.6, 0.2, 0.1, 0.1)):
        rows[name] = part * seconds
    if ranks > 1:
        for name in ("operator_s", "vector_s"):
            rows[name][-1] *= 2
    file["timings/per_rank"] = rows
    file["timings/host"] = np.array(["node%%d" %% r for r in range(ranks)], dtype="S16")
"""
# Launchers and job systems: keep their words, and start the program once, in the name of all ranks.
STUB = """#!/bin/bash
name=${0##*/}
case "$name $*" in
*--version) cat "$0.version"; exit ;;
"sbatch "* | "flux batch "*) exec bash "${@: -1}" ;;
esac
printf '%s\\n' "$name $*" >>"$STUB_LOG"
env | grep -E '^(OMPI|PRTE)_' | sort >"$STUB_LOG.environment"
while [[ $1 != -n ]]; do shift; done
export FAKE_RANKS=$2
while [[ $1 != /* ]]; do shift; done
exec "$@"
"""
BOX = ["--degree", "4", "--nx", "8", "--ny", "8", "--nz", "8"]


def scale(*words, environment=None, timeout_s=120):
    """Exit code, output, errors."""
    done = subprocess.run([sys.executable, STUDY, "scale", *map(str, words)],
                          capture_output=True,
                          text=True,
                          timeout=timeout_s,
                          check=False,
                          env={**os.environ, **(environment or {})})
    return done.returncode, done.stdout, done.stderr


def inside(words, environment):
    before, output, errors = dict(os.environ), io.StringIO(), io.StringIO()
    os.environ.update(environment)
    try:
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            code = scale_verb.main(words)
    except Refusal as refusal:
        code = refusal.code
        errors.write(f"scale: {refusal}\n")
    finally:
        os.environ.clear()
        os.environ.update(before)
    return code, output.getvalue(), errors.getvalue()


class Stubs:
    """A folder with launchers and the false helmbone."""
    def __init__(self, place, *names):
        self.place = place
        self.bin = os.path.join(place, "bin")
        os.mkdir(self.bin)
        self.program = os.path.join(place, "false helmbone")
        self.log = os.path.join(place, "words")
        self.write(self.program, FAKE % sys.executable)
        for name in names:
            self.write(os.path.join(self.bin, name), STUB)
        self.environment = {"PATH": f"{self.bin}:{os.environ['PATH']}", "STUB_LOG": self.log}

    @staticmethod
    def write(path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def scale(self, *words, **environment):
        """Exit code, output, errors; within this process, which has loaded what it needs."""
        words = [*map(str, words), "--program", self.program, "--plots", "none"]
        return inside(words, {**self.environment, **environment})

    def words(self):
        """Of the launchers since the last call, without dry runs."""
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding="utf-8") as file:
            lines = [line for line in file.read().splitlines() if "--dry-run" not in line]
        os.remove(self.log)
        return lines


def tables(folder):
    with open(os.path.join(folder, "study.json"), encoding="utf-8") as file:
        made = json.load(file)
    with open(os.path.join(folder, "study.csv"), encoding="utf-8", newline="") as file:
        return made, list(csv.DictReader(file))


def near(a, b, tolerance=1e-9):
    return a is not None and abs(a - b) <= tolerance * abs(b)
