# SPDX-License-Identifier: BSD-3-Clause
# helmbone-matcore lds and roof on the command line: output that diffs, --csv, errors and exit codes.
#
# Usage: end_to_end_matcore_models.py BUILD_FOLDER
import csv
import io
import os
import subprocess
import sys

import support
from support import check

PROGRAM = os.path.join(support.build_folder("usage: end_to_end_matcore_models.py BUILD_FOLDER"),
                       "helmbone-matcore")


def run(*words):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=300)


def table(*words):
    """Rows of a command's --csv output, as dictionaries; the same twice."""
    first, second = run(*words, "--csv"), run(*words, "--csv")
    check(f"{words}: exit code", first.returncode == 0, first.stderr)
    check(f"{words}: same output twice", first.stdout == second.stdout)
    rows = list(csv.DictReader(io.StringIO(first.stdout), restkey="too many"))
    check(f"{words}: as many columns as the header",
          rows and all("too many" not in row and None not in row.values() for row in rows))
    return rows


def check_table():
    rows = table("lds", "table")
    check("lds table: columns",
          list(rows[0]) == ["case", "n", "precision", "tile", "unpadded", "padded"])
    row = [r for r in rows if [r["case"], r["n"], r["tile"]] == ["cube", "8", "4x4x4"]]
    check("lds table: cube n=8", [[r["unpadded"], r["padded"]] for r in row] == [["1696", "836"]])
    text = run("lds", "table").stdout.splitlines()
    check("lds table: text has a line a row", len(text) == len(rows) + 1)
    check("lds table: marked", "modelled" in text[0])


def check_staged():
    for words, item, cycles in [
            (("8", "f64", "4x4x4", "--pad", "1"), "cube and D", "1220"),
            (("8", "f64", "4x4x4", "--reread-b"), "cube and D", "2976"),
            (("8", "f64", "4x4x4", "--pad", "1", "--wavefronts", "4", "--linear", "8",
              "--accumulate"), "cube and D", "1376"),
            (("8", "f32", "16x16x4", "--linear", "8", "--accumulate", "--xor",
              "j2:1+3,k0:0+2+4,k2:4"), "cube", "480"),
            (("4", "f64", "4x4x4", "--linear", "8", "--accumulate", "--xor", "known"), "cube", "88"),
            (("4", "f32", "4x4x1"), "issue a contraction", "8")]:
        figures = {row["item"]: row["cycles"] for row in table("lds", "staged", *words)}
        check(f"lds staged {words}", figures[item] == cycles, figures)


def check_access_and_pad():
    rows = table("lds", "access", "--width", "b128", "--lane-bytes", "144", "--row-lanes", "16",
                 "--row-bytes", "16")
    check("lds access: 2-way", [row["cycles"] for row in rows] == ["2"] * 8)
    rows = table("lds", "access", "--addresses", "0,128,-,8", "--arch", "gfx90a")
    check("lds access: by address", [row["cycles"] for row in rows] == ["2", "1", "1", "1"])
    rows = table("lds", "access", "--addresses", "4", "--width", "b64")
    check("lds access: misaligned", rows[0]["group"] == "misaligned")
    for width, words in [("b64", "2"), ("b128", "8")]:
        rows = table("lds", "pad", "--width", width)
        free = [row for row in rows if row["free"] == "yes"]
        check(f"lds pad {width}", [row["layout"] for row in free] == ["pad", "xor"] and
              free[0]["words"] == words, rows)
    rows = table("lds", "pad", "--width", "b128", "--row-access", "none", "--consecutive")
    check("lds pad consecutive", [r["words"] for r in rows if r["free"] == "yes"] == ["4", "0"])
    rows = table("lds", "pad", "--instruction", "v_mfma_f64_16x16x4f64", "--operand", "D")
    check("lds pad of a result", rows[0]["free"] == "yes")


def check_roof():
    rows = table("roof", "MI300X", "8", "--strategy", "chained", "--geometry", "stored")
    check("roof: chained", len(rows) == 1 and rows[0]["binds"] == "memory" and
          rows[0]["memory_cycles"] == "3947.0" and rows[0]["kind"] == "modelled", rows)
    rows = table("roof", "8", "10")
    check("roof: ten machines",
          {row["machine"] for row in rows} ==
          {"MI100", "MI250X", "MI300A", "MI300X", "MI325X", "MI355X", "H100", "H200", "B200",
           "B300"})
    check("roof: an architecture has several machines",
          {row["machine"] for row in table("roof", "gfx942", "6")} ==
          {"MI300A", "MI300X", "MI325X"})
    check("roof: sources", all(len(row["source"]) > 40 for row in table("roof", "--machines")))
    check("roof: marked", run("roof", "8").stdout.startswith("modelled, not measured"))


def check_errors():
    for words, text in [(("lds",), "access, staged, table, pad"),
                        (("lds", "bank"), "access, staged, table, pad"),
                        (("lds", "access", "--width", "b96"), "b32 | b64 | b128"),
                        (("lds", "access", "--lane-byte", "8"), "did you mean --lane-bytes?"),
                        (("lds", "access", "--arch"), "--arch: the value is missing; allowed: gfx90a"),
                        (("lds", "access", "--arch", "gfx906"), "gfx90a | gfx942 | gfx950"),
                        (("lds", "access", "--addresses", "8,-3"), "lane 1"),
                        (("lds", "access", "--addresses", ",".join(["0"] * 65)), "more than 64"),
                        (("lds", "staged", "8"), "the precision is missing; allowed: f64 | f32"),
                        (("lds", "staged", "1", "f64", "4x4x4"), "n: '1' is out of range; allowed: 2..16"),
                        (("lds", "staged", "8", "f64", "8x8x4"), "tile: '8x8x4' is not known"),
                        (("lds", "staged", "8.5", "f64", "4x4x4"), "'8.5'"),
                        (("lds", "staged", "8", "f32", "4x4x4"), "4x4x4 in f32"),
                        (("lds", "staged", "8", "f64", "4x4x4", "--xor", "j1"), "rules as"),
                        (("lds", "staged", "8", "f64", "4x4x4", "--xor", "j1:9"), "0 to 511"),
                        (("lds", "staged", "6", "f64", "4x4x4", "--xor", "known"), "none for n = 6"),
                        (("lds", "table", "8"), "unexpected argument '8'"),
                        (("lds", "pad", "--rows", "12"), "divisors of 64"),
                        (("lds", "pad", "--row-bytes", "40"), "multiples of 32"),
                        (("lds", "pad", "--instruction", "v_mfma_f64_4x4x5f64"), "v_mfma_f64_4x4x4f64"),
                        (("lds", "pad", "--instruction", "mma.sync.m8n8k4.f64"), "AMD's"),
                        (("roof",), "the n is missing; allowed: 2..16"),
                        (("roof", "MI300", "8"), "MI300A, MI300X"),
                        (("roof", "17"), "n: '17' is out of range; allowed: 2..16"),
                        (("roof", "8", "--geometry", "curved"), "all | stored | trilinear | affine"),
                        (("roof", "MI100", "8", "--strategy", "chained"), "no such strategy")]:
        result = run(*words)
        check(f"{words}: exit code 2", result.returncode == 2, result.returncode)
        check(f"{words}: says {text}", text in result.stderr, result.stderr)
        check(f"{words}: said once", result.stderr.count("helmbone-matcore ") == 1, result.stderr)
    for command in (("lds",), ("lds", "access"), ("lds", "staged"), ("lds", "table"),
                    ("lds", "pad"), ("roof",)):
        result = run(*command, "--help")
        check(f"{command} --help", result.returncode == 0 and "--csv" in result.stdout and
              not result.stderr, result)


check_table()
check_staged()
check_access_and_pad()
check_roof()
check_errors()
print(f"checks: {support.passed + support.failed}, failed: {support.failed}")
sys.exit(1 if support.failed or not support.passed else 0)
