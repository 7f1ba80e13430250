# SPDX-License-Identifier: BSD-3-Clause
# Mistakes of the launch: programs of one rank are refused, bad places of ranks are warned of.
"""Usage: end_to_end_launch.py BUILD_FOLDER"""
import os
import shutil
import sys

sys.dont_write_bytecode = True
import support
from support import check, on_ranks, run

SMALL = ["--degree", "2", "--nx", "3", "--ny", "2", "--nz", "2", "--warmup", "0", "--repeats", "1",
         "--progress", "off"]


def warnings(text):
    return [line for line in text.splitlines() if line.startswith("warning: ")]


def check_alone():
    """A launcher of another MPI library starts programs that are alone: none of them solves."""
    for variable in ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "FLUX_JOB_SIZE",
                     "PALS_LOCAL_SIZE"):
        code, text, errors = run(["env", f"{variable}=4", f"{build}/helmbone", *SMALL])
        check(f"{variable}: code 2", code == 2, (code, errors))
        check(f"{variable}: nothing was begun", "RESULT" not in text and "elements" not in text)
        check(f"{variable}: one message, which names it and the cure",
              len(errors.splitlines()) == 1 and f"{variable} = 4" in errors and
              f"env -u {variable}" in errors and "mpirun" in errors, errors)
    code, _, errors = run(["env", "PMI_SIZE=4", f"{build}/helmbone", "--version"])
    check("help and version are for everybody", code == 0, errors)
    code, _, errors = run(on_ranks(2, "env", "SLURM_STEP_NUM_TASKS=7", f"{build}/helmbone", *SMALL))
    check("ranks that know of each other are not alone", code == 0, errors)
    code, _, errors = run(on_ranks(1, "env", "SLURM_STEP_NUM_TASKS=7", f"{build}/helmbone", *SMALL))
    check("one rank by mpirun in a step of its daemons is meant", code == 0, errors)


def check_places():
    taskset = shutil.which("taskset")
    if taskset is None:
        support.skip("ranks on one core", "there is no taskset")
        return
    first = str(min(os.sched_getaffinity(0)))
    code, text, errors = run(on_ranks(2, taskset, "-c", first, f"{build}/helmbone", *SMALL))
    check("ranks on one core: solved", code == 0, errors)
    check("ranks on one core: warned of", any("ranks 0-1 share 1 core" in line and
                                              f"processors {first})" in line
                                              for line in warnings(text)), warnings(text))
    code, text, errors = run(on_ranks(1, taskset, "-c", first, f"{build}/helmbone", *SMALL))
    check("a rank alone: no warning", code == 0 and not warnings(text), warnings(text))
    code, text, _ = run(on_ranks(1, "env", "SLURM_CPUS_PER_TASK=3", taskset, "-c", first,
                                 f"{build}/helmbone", *SMALL))
    check("fewer processors than asked for: warned of", code == 0 and any(
        "rank 0 may run on 1 processor of" in line and "asked for were 3" in line
        for line in warnings(text)), warnings(text))


if __name__ == "__main__":
    build = support.build_folder(__doc__)
    check_alone()
    check_places()
    sys.exit(support.finish())
