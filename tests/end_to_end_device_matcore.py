# SPDX-License-Identifier: BSD-3-Clause
# helmbone-matcore probe on this machine's GPU, or on the interpreter, as a user runs it.
# Compiled for amd.
"""Usage: end_to_end_device_matcore.py BUILD_FOLDER"""
import os
import sys

sys.dont_write_bytecode = True
import support
from support import check, run

F64 = ["v_mfma_f64_16x16x4f64", "v_mfma_f64_4x4x4f64"]
F32 = ["v_mfma_f32_32x32x1f32", "v_mfma_f32_16x16x1f32", "v_mfma_f32_4x4x1f32",
       "v_mfma_f32_32x32x2f32", "v_mfma_f32_16x16x4f32"]


def probe(*options):
    return run([f"{build}/helmbone-matcore", "probe", *options])


def check_readings():
    code, text, errors = probe()
    lines = text.splitlines()
    check("exit code 0", code == 0, (code, errors))
    check("the device first", lines and lines[0].startswith("device 0: "), lines[:1])
    names = [line.split(":")[0] for line in lines[1:]]
    expected = F32 if "gfx908" in lines[0] else F32 + F64
    check("every instruction once", sorted(names) == sorted(expected), names)
    for line in lines[1:]:
        check(f"{line}: right", line.endswith(": right") and "A 64 of 64, B 64 of 64" in line, line)
    code, text, errors = probe("--csv")
    rows = [line.split(",") for line in text.splitlines()]
    check("--csv: exit code 0", code == 0, errors)
    check("--csv: head", rows[0] == ["instruction", "elements_a", "wrong_a", "elements_b", "wrong_b"],
          rows[0])
    check("--csv: the same", [row[0] for row in rows[1:]] == names and
          all(row[1:] == ["64", "0", "64", "0"] for row in rows[1:]), rows)


def check_errors():
    for options, expected, words in ((("--device", "99"), 3, ["device 99", "sees 1 devices"]),
                                     (("now",), 2, ["now"]), (("--device", "-1"), 2, ["-1"])):
        code, text, errors = probe(*options)
        check(f"{options}: exit code {expected}", code == expected, (code, errors))
        check(f"{options}: says so", all(word in errors for word in words), errors)
    if "isahip" in os.environ.get("LD_PRELOAD", ""):
        os.environ["ISARUN_DEVICES"] = "0"
        code, text, errors = probe()
        del os.environ["ISARUN_DEVICES"]
        check("no device: exit code 3", code == 3, code)
        check("no device: says so", "no GPU is visible" in errors and text == "", (text, errors))


def main():
    code, _, errors = probe()
    if code != 0 and ("built without GPU" in errors or "no GPU is visible" in errors):
        print(f"skipped: {errors.strip()}")
        return 77
    if code == 2 and "has no matrix instruction" in errors:
        print("skipped: not a GPU of AMD's")
        return 77
    check_readings()
    check_errors()
    return support.finish()


if __name__ == "__main__":
    build = support.build_folder(__doc__)
    sys.exit(main())
