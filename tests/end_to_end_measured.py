# SPDX-License-Identifier: BSD-3-Clause
# Tables of kernels/MEASURED.md are what their data say, and a measurement makes such data.
"""end_to_end_measured.py BUILD"""
import csv
import os
import shutil
import sys
import tempfile

from support import INPUTS, build_folder, check, finish, run

TOOL = os.path.join(os.path.dirname(INPUTS), "app", "study", "measured.py")
KERNELS = os.path.join(os.path.dirname(INPUTS), "kernels")


def tool(*words):
    return run([sys.executable, TOOL, *words])


def check_document(folder):
    code, out, err = tool("tables", "--check")
    check("the tables of kernels/MEASURED.md are made from its data", code == 0, out + err)
    copy = os.path.join(folder, "MEASURED.md")
    shutil.copy(os.path.join(KERNELS, "MEASURED.md"), copy)
    shutil.copytree(os.path.join(KERNELS, "measured"), os.path.join(folder, "measured"))
    with open(copy, encoding="utf-8") as file:
        text = file.read()
    with open(copy, "w", encoding="utf-8") as file:
        file.write(text.replace("| 1.371 |", "| 1.271 |"))
    check("a changed figure is seen", "1.371" in text and tool("tables", "--check", copy)[0] == 1)
    check("and written again", tool("tables", copy)[0] == 0)
    with open(copy, encoding="utf-8") as file:
        check("as it was", file.read() == text)
    with open(os.path.join(folder, "measured", "other.csv"), "w", encoding="utf-8") as file:
        file.write("n,points\n4,1e6\n")
    code, out, err = tool("tables", copy)
    check("data that no table shows are named", code == 2 and "other.csv" in err, err)


def check_measurement(program, folder):
    data = os.path.join(folder, "host.csv")
    code, out, err = tool("iteration", program, data, "--n", "3,5..6", "--points", "4000",
                          "--iterations", "5", "--h2", "1")
    check("a measurement ends well", code == 0, out + err)
    with open(data, encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    check("with a row an n", [row["n"] for row in rows] == ["3", "5", "6"], rows)
    for row in rows:
        points, seconds = float(row["points"]), float(row["seconds_per_iteration"])
        rate = float(row["dof_iterations_per_s"])
        check("points about as many as asked", 2000 < points < 8000, row)
        check("points over time is the rate", abs(points / seconds / rate - 1) < 1e-3, row)
        check("bytes a point are modelled", 100 < float(row["bytes_per_point"]) < 1000, row)
    code, out, err = tool("iteration", program, data + ".not", "--n", "4", "--points", "4000",
                          "--kernel", "nonsense")
    check("a run that fails is named", code == 1 and "n = 4: not VALID" in err, err)
    check("and leaves no data", not os.path.exists(data + ".not"))
    for words in (["--n", "17"], ["--n", "x"], ["--points", "many"], ["--n"]):
        check(f"{words} is refused", tool("iteration", program, data, *words)[0] == 2)


build = build_folder(__doc__)
with tempfile.TemporaryDirectory() as place:
    check_document(place)
    check_measurement(os.path.relpath(os.path.join(build, "helmbone")), place)
sys.exit(finish())
