# SPDX-License-Identifier: BSD-3-Clause
# helmbone-matcore list, layout, chain, probe: output, files and errors, against the layout table.
"""Usage: end_to_end_matcore.py BUILD_FOLDER"""
import csv
import io
import os
import sys
import tempfile
import xml.etree.ElementTree

sys.dont_write_bytecode = True
import support
from support import check, run

ROWS = os.path.join(os.path.dirname(os.path.realpath(__file__)), "amdgpu", "mfma_layouts.tsv")
MMA_SYNC = {"mma.sync.m8n8k4.f64": (8, 8, 4), "mma.sync.m16n8k4.f64": (16, 8, 4),
            "mma.sync.m16n8k8.f64": (16, 8, 8), "mma.sync.m16n8k16.f64": (16, 8, 16)}
F64 = "v_mfma_f64_16x16x4f64"
TCGEN05 = "tcgen05.mma.m128n64k16.f16"
STATIONARY = "tcgen05.mma.ws.m64n128k16.f16"

# Arguments, exit code, words of standard error.
ERRORS = [
    ("", 2, ["which command", "chain INSTR"]),
    ("lyout", 2, ["'lyout'", "did you mean layout"]),
    ("layout", 2, ["the instruction is missing"]),
    (f"layout {F64}", 2, ["the operand is missing; allowed: A | B | C | D"]),
    ("layout v_mfma_f64_16x16x5f64 A", 2, ["'v_mfma_f64_16x16x5f64'", "near names", F64]),
    ("layout f64_4x4x4 A", 2, ["v_mfma_f64_4x4x4f64"]),
    ("layout qqqq A", 2, ["near names: none", "list shows all"]),
    ("layout mma.sync.m8n8k5.f64 A", 2, ["mma.sync.m8n8k4.f64"]),
    (f"layout {F64} E", 2, ["operand: 'E' is not known", "A | B | C | D"]),
    (f"layout {F64} A --element 16,0", 2, ["row 16", "0..15"]),
    (f"layout {F64} A --element 0,4", 2, ["column 4", "0..3"]),
    (f"layout {F64} A --element 1,0,0", 2, ["block 1", "0..0"]),
    (f"layout {F64} A --element 1", 2, ["--element", "whole numbers"]),
    (f"layout {F64} A --element 1,2,", 2, ["--element"]),
    (f"layout {F64} A --element 1,x", 2, ["--element", "'1,x'"]),
    (f"layout {F64} A --element", 2, ["--element: the value is missing"]),
    (f"layout {F64} D --lane 64,0", 2, ["lane 64", "0..63"]),
    (f"layout {F64} D --lane 0,4", 2, ["slot 4", "0..3"]),
    (f"layout {F64} D --lane -1,0", 2, ["lane -1", "0..63"]),
    (f"layout {F64} D --lane 99999999999,0", 2, ["--lane"]),
    (f"layout {F64} D --lane 0,0 --element 0,0", 2, ["not both"]),
    (f"layout {F64} D --arch gfx908", 2, ["gfx908 lacks", "gfx90a, gfx942"]),
    ("layout v_mfma_f32_16x16x8_xf32 A --arch gfx90a", 2, ["gfx90a lacks", "have it: gfx942"]),
    ("layout mma.sync.m16n8k4.f64 A --arch sm_80", 2, ["sm_80 lacks", "sm_90, sm_100"]),
    (f"layout {TCGEN05} D --arch gfx942", 2, ["have it: sm_100"]),
    (f"layout {F64} D --arch gfx90", 2, ["unknown architecture", "gfx90a"]),
    (f"layout {F64} D --nonsense", 2, ["'--nonsense'", "--help lists all options"]),
    (f"layout {F64} D --by-lan", 2, ["'--by-lan'", "did you mean --by-lane?"]),
    (f"layout {F64} D --by-lane=yes", 2, ["--by-lane takes no value"]),
    (f"layout {F64} D A", 2, ["unexpected argument 'A'; allowed besides options: 2"]),
    (f"layout {F64} D --shared 16,1024,3", 2, ["tcgen05"]),
    (f"layout {F64} D --mn-major", 2, ["--shared"]),
    (f"layout {F64} D --svg /no/such/folder/x.svg", 3, ["/no/such/folder/x.svg"]),
    ("layout tcgen05.mma.m128n64k16.f64 A", 2, ["f16|tf32|f8"]),
    ("layout tcgen05.mma.m0128n64k16.f16 A", 2, ["is not"]),
    ("layout tcgen05.mma.m96n64k16.f16 A", 2, ["M 96", "64 or 128"]),
    (f"layout {TCGEN05} D --repeat 9", 2, ["512 columns", "1..8"]),
    (f"layout {F64} D --repeat 2", 2, ["tcgen05"]),
    (f"layout {TCGEN05} B", 2, ["shared memory", "--shared"]),
    (f"layout {TCGEN05} B --shared 16,512,3", 2, ["share bytes"]),
    (f"layout {TCGEN05} B --shared 16,1000,3", 2, ["multiple of 16"]),
    (f"layout {TCGEN05} B --shared 16,1024,3 --element 16,0", 2, ["0..15"]),
    (f"layout {TCGEN05} B --shared 16,1024,3 --byte x", 2, ["--byte: 'x' is not an integer"]),
    (f"layout {TCGEN05} B --shared 16,1024,3 --k 257", 2, ["--k: '257' is out of range; allowed: 1..256"]),
    (f"layout {TCGEN05} B --shared 16,1024,3 --byte 64", 2, ["holds no element"]),
    ("list gfx900", 2, ["'gfx900'", "gfx908, gfx90a, gfx942"]),
    ("list gfx908 gfx90a", 2, ["a second architecture 'gfx90a' after 'gfx908'; allowed: one"]),
    ("chain", 2, ["the instruction is missing"]),
    ("chain v_mfma", 2, ["near names"]),
    (f"chain {F64} --arch gfx908", 2, ["have it"]),
    ("probe", 3, ["built without GPU", "HELMBONE_GPU=amd"]),
    ("probe now", 2, ["unexpected argument 'now'"]),
    ("probe --device 1024", 2, ["--device", "0..1023"]),
    ("probe -d", 2, ["unknown option '-d'; options begin with --"]),
]


class Tool:
    def __init__(self, build):
        self.program = os.path.join(build, "helmbone-matcore")

    def __call__(self, arguments):
        return run([self.program] + arguments.split())

    def text(self, arguments):
        code, out, err = self(arguments)
        check(arguments, code == 0 and err == "", f"code {code}: {err}")
        return out

    def csv(self, arguments):
        return list(csv.DictReader(io.StringIO(self.text(arguments + " --csv"))))


def places(rows):
    return {tuple(int(row[key]) for key in ("block", "row", "col", "lane", "slot")) for row in rows}


def read_table():
    table = {}
    with open(ROWS, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                name, operand, *numbers = line.split()
                table.setdefault((name, operand), set()).add(tuple(map(int, numbers)))
    return table


def check_list(tool, table):
    rows = tool.csv("list")
    check("list: rows", len(rows) == 21 + 1 + 4 + 4, str(len(rows)))
    names = {row["instruction"] for row in rows if row["arch"].startswith("gfx")}
    check("list: instructions", names == {name for name, _ in table})
    gfx942 = {row["instruction"]: row for row in tool.csv("list gfx942")}
    row = gfx942.get("v_mfma_f64_4x4x4f64", {})
    check("list: a row", [row.get(key) for key in (
        "mnemonic", "m", "blocks", "flops", "cycles", "flops_per_cu_cycle", "registers_cd",
        "srcc_wait_states")] ==
        ["v_mfma_f64_4x4x4_4b_f64", "4", "4", "512", "16", "128", "2", "4"], str(row))
    check("list: of one architecture", len(gfx942) == 9)
    check("list: gfx908 has no f64", "f64" not in tool.text("list gfx908"))
    check("list: no trailing blanks",
          not any(line.endswith(" ") for line in tool.text("list").splitlines()))
    check("list: forms of tcgen05", "tcgen05.mma.ws" in tool.text("list sm_100"))


def check_layouts(tool, table):
    for (name, operand), expected in table.items():
        check(f"{name} {operand}", places(tool.csv(f"layout {name} {operand}")) == expected)
    check("C is D", tool.text(f"layout {F64} C --csv") == tool.text(f"layout {F64} D --csv"))
    check("gfx942's name", tool.text("layout v_mfma_f64_16x16x4_f64 A --csv") ==
          tool.text(f"layout {F64} A --csv"))
    for name, (m, n, k) in MMA_SYNC.items():
        for operand, count in (("A", m * k), ("B", k * n), ("D", m * n)):
            found = places(tool.csv(f"layout {name} {operand}"))
            check(f"{name} {operand}", len({place[3:] for place in found}) == count == len(found))
    d = places(tool.csv(f"layout {STATIONARY} D"))
    check("layout E", d == {(0, i, j, i + 64 * (j // 64), j % 64)
                            for i in range(64) for j in range(128)})
    d = places(tool.csv(f"layout {TCGEN05} D"))
    repeated = places(tool.csv(f"layout {TCGEN05} D --repeat 2"))
    check("tiles side by side", repeated == d | {(1, i, j, lane, slot + 64)
                                                 for _, i, j, lane, slot in d})
    check("layout D", d == {(0, i, j, i, j) for i in range(128) for j in range(64)})


def evaluate(formula, **values):
    """A printed formula as Python: products are written without a sign."""
    words = formula.replace("(", " ( ").replace(")", " ) ").split()
    out = []
    for word in words:
        if out and (out[-1].isdigit() and (word.isalpha() or word == "(")):
            out.append("*")
        out.append("//" if word == "/" else word)
    return eval(" ".join(out), {"__builtins__": {}}, values)  # of our own program's output


def formulas(text, what):
    line = next(line for line in text.splitlines() if line.startswith(what + ": "))
    return dict(part.split(" = ") for part in line[len(what) + 2:].split(", "))


def check_formulas(tool, table):
    """The printed formulas, evaluated, are the layout."""
    for (name, operand), expected in table.items():
        row, col = {"A": "ik", "B": "kj", "D": "ij"}[operand]
        text = tool.text(f"layout {name} {operand}")
        forward, inverse = formulas(text, "forward"), formulas(text, "inverse")
        right = 0
        for b, x, y, lane, slot in expected:
            there = {"b": b, row: x, col: y}
            back = {"lane": lane, "slot": slot}
            right += (all(evaluate(forward[key], **there) == back[key] for key in back) and
                      all(evaluate(inverse[key], **back) == there[key] for key in there))
        check(f"formulas of {name} {operand}", right == len(expected), f"{right}")


def check_tables(tool):
    text = tool.text(f"layout {F64} D")
    check("table by element", "\n   5:" in text and "31:1" in text.split("\n   5:")[1].split("\n")[0])
    lanes = tool.text(f"layout {F64} D --by-lane").splitlines()
    check("table by lane", lanes[-1].split() == ["63:", "0,3,15", "0,7,15", "0,11,15", "0,15,15"])
    rows = [[int(word) for word in line.split(",")] for line in
            tool.text("layout tcgen05.mma.m64n8k8.tf32 D --by-lane --csv").splitlines()[1:]]
    check("CSV by lane", len(rows) == 64 * 8 and
          [row[3:] for row in rows] == sorted(row[3:] for row in rows))
    check("lanes that hold none", " - " in tool.text("layout tcgen05.mma.m64n8k8.tf32 D --by-lane"))
    check("one element", tool.text(f"layout {F64} D --element 5,7") ==
          "block 0, row 5, column 7: lane 23, slot 1\n")
    check("one element of a block", tool.text("layout v_mfma_f64_4x4x4f64 A --element 3,2,1") ==
          "block 3, row 2, column 1: lane 30, slot 0\n")
    check("one lane", tool.text(f"layout {F64} D --lane 23,1") ==
          "lane 23, slot 1: block 0, row 5, column 7\n")
    check("one lane as CSV", tool.text(f"layout {F64} D --lane 23,1 --csv") ==
          "block,row,col,lane,slot\n0,5,7,23,1\n")


def check_shared(tool):
    """The byte walk, written here again, and back from every byte asked for."""
    rows = tool.csv(f"layout {TCGEN05} B --shared 16,1024,3 --k 64")
    right = 0
    for row in rows:
        k, j = int(row["row"]), int(row["col"])
        walk = j % 8 * 128 + j // 8 * 1024 + 2 * k
        right += int(row["byte"]) == walk ^ (walk >> 3 & 112)
    check("byte walk", right == len(rows) == 64 * 64, f"{right} of {len(rows)}")
    check("element to byte", tool.text(f"layout {TCGEN05} B --shared 16,1024,3 --element 3,9") ==
          "row 3, column 9: byte 1174\n" and 1174 == (1024 + 128 + 6) ^ 16)
    check("byte to element", tool.text(f"layout {TCGEN05} B --shared 16,1024,3 --byte 1175") ==
          "byte 1175: row 3, column 9\n")
    check("swizzle 4", "& 96" in tool.text(
        "layout tcgen05.mma.m128n64k8.tf32 A --shared 2048,512,4 --mn-major"))
    check("two CTAs", {row["block"] for row in tool.csv(
        "layout tcgen05.mma.2cta.m256n64k16.f16 B --shared 128,256,0")} == {"0", "1"})


def check_picture(tool, folder):
    for name, operand, count in ((F64, "D", 256), ("v_mfma_f32_4x4x1f32", "D", 256),
                                 ("mma.sync.m16n8k4.f64", "A", 64)):
        path = os.path.join(folder, "tile.svg")
        tool.text(f"layout {name} {operand} --svg {path}")
        root = xml.etree.ElementTree.parse(path).getroot()
        cells = [rect for rect in root.iter("{http://www.w3.org/2000/svg}rect")
                 if rect.get("stroke")]
        right, bottom = int(root.get("width")), int(root.get("height"))
        check(f"picture of {name}", len(cells) == count, str(len(cells)))
        check(f"picture of {name}: inside", all(
            int(cell.get("x")) + int(cell.get("width")) <= right and
            int(cell.get("y")) + int(cell.get("height")) <= bottom for cell in cells))
        colours = {"v_mfma_f32_4x4x1f32": 4, F64: 4, "mma.sync.m16n8k4.f64": 8}[name]
        check(f"picture of {name}: colours", len({cell.get("fill") for cell in cells}) == colours)


def check_chain(tool):
    text = tool.text(f"chain {F64}")
    check("chain: f64 as B, in order", "D as the next B, b[k][j] = d[index][j]: yes" in text and
          "index = 4 step + k (in order)" in text)
    check("chain: f64 not as A but transposed", "D as the next A, a[i][k] = d[i][index]: no" in text
          and "D^T as the next A, a[i][k] = d[index][i]: yes" in text)
    check("chain: why not", "lane 1, slot 0: holds block 0, row 0, column 1 of D; A wants block 0, "
          "row 1" in text)
    check("chain: f32 is permuted", "index = step + 4 k\n" in tool.text(
        "chain v_mfma_f32_16x16x4f32"))
    check("chain: NVIDIA as A", "index = step + 2 k\n" in tool.text("chain mma.sync.m8n8k4.f64"))
    check("chain: split N", "issue 1, its columns 0..31: cells of columns 32..63" in tool.text(
        f"chain {STATIONARY}"))
    rows = tool.csv("chain v_mfma_f32_16x16x4f32")
    found = [int(row["index"]) for row in rows
             if row["operand"] == "B" and row["transposed"] == "0"]
    check("chain: CSV", found == [4 * k + step for step in range(4) for k in range(4)], str(found))
    check("chain: CSV of a no", any(row["possible"] == "0" for row in rows))


def check_errors(tool):
    for arguments, expected, words in ERRORS:
        code, out, err = tool(arguments)
        check(f"error of '{arguments}'", code == expected and out == "" and
              all(word in err for word in words), f"code {code}: {out}{err}")
    code, _, err = run(["sh", "-c", f"'{tool.program}' list > /dev/full"])
    check("full disk", code == 3 and "cannot be written" in err, f"code {code}: {err}")
    check("help", "layout INSTR" in tool.text("--help"))
    for command in ("list", "layout", "chain", "probe"):
        text = tool.text(f"{command} nonsense --no-such-option --help")
        check(f"help on {command}", text.startswith(f"Usage: helmbone-matcore {command}") and
              "--csv" in text and all(len(line) <= 110 for line in text.splitlines()), text)


def main():
    tool = Tool(support.build_folder(__doc__))
    table = read_table()
    check("layout table", sum(map(len, table.values())) == 7616)
    check_list(tool, table)
    check_layouts(tool, table)
    check_formulas(tool, table)
    check_tables(tool)
    check_shared(tool)
    with tempfile.TemporaryDirectory() as folder:
        check_picture(tool, folder)
    check_chain(tool)
    check_errors(tool)
    return support.finish()


if __name__ == "__main__":
    sys.exit(main())
