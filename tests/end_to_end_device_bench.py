# SPDX-License-Identifier: BSD-3-Clause
# helmbone-bench on this machine's GPU, or on the interpreter, as a user runs it: tiny.
"""Usage: end_to_end_device_bench.py BUILD_FOLDER"""
import csv
import os
import sys

sys.dont_write_bytecode = True
import support
from support import check, on_ranks, run

ALONE = ["operator", "operator_updates", "residual", "dot", "launch", "launch_wait", "iteration",
         "copy", "triad"]
SEVERAL = ALONE[:3] + ["packing", "dot", "exchange", "all_reduce"] + ALONE[4:]
COMMAND = [f"{support.build_folder(__doc__)}/helmbone-bench", "--degrees", "3", "--points", "200",
           "--min-time", "0", "--samples", "1", "--format", "csv", "--oversubscribe"]


def table(text):
    head = dict(line[2:].split(": ", 1) for line in text.splitlines() if line.startswith("# "))
    return head, list(csv.DictReader(line for line in text.splitlines() if line[:1] != "#"))


def check_run(ranks, kernels, *options):
    what = f"{ranks} rank(s), {' '.join(options)}"
    code, text, errors = run(on_ranks(ranks, *COMMAND, *options), 300)
    head, rows = table(text)
    parts = ALONE if ranks == 1 else SEVERAL
    check(f"{what}: exit code 0", code == 0, errors)
    check(f"{what}: every part", [row["part"] for row in rows] == kernels * parts,
          [row["part"] for row in rows])
    for row in rows:
        check(f"{what}: {row['part']} is right and timed",
              row["right"] == "yes" and float(row["least_s"]) > 0, row)
        if row["bytes"]:
            rate = 1e-9 * float(row["bytes"]) / float(row["least_s"])
            check(f"{what}: {row['part']}: GB/s", abs(float(row["gbytes_per_s"]) - rate) <=
                  1e-9 * rate, row)
    check(f"{what}: says on what", "gpu_compiler" in head and "device" in head, head)
    if "isahip" in os.environ.get("LD_PRELOAD", ""):
        check(f"{what}: says that times mean nothing", "interpreted" in head["device"], head)


def main():
    code, _, errors = run(COMMAND + ["--parts", "launch", "--precision", "f64"])
    if code != 0 and ("built without GPU" in errors or "no GPU is visible" in errors):
        print(f"skipped: {errors.strip()}")
        return 77
    check("the smallest launch", code == 0, errors)
    check_run(1, 1, "--precision", "f64", "--variants", "kstep", "--geometry", "affine")
    check_run(2, 1, "--precision", "f32", "--variants", "kstep", "--mass", "yes",
              "--preconditioner", "jacobi")
    code, _, errors = run(COMMAND + ["--variants", "simd_v3"])
    check("kernels of the host are refused", code == 2 and "kstep" in errors, errors)
    code, text, errors = run(COMMAND + ["--backend", "host", "--precision", "f64"], 300)
    check("the host of this build", code == 0 and "launch" not in text, (code, errors))
    if "isahip" in os.environ.get("LD_PRELOAD", ""):
        os.environ["ISARUN_DEVICES"] = "0"
        code, _, errors = run(COMMAND)
        check("no device: exit code 3", code == 3 and "no GPU is visible" in errors, errors)
        del os.environ["ISARUN_DEVICES"]
    return support.finish()


sys.exit(main())
