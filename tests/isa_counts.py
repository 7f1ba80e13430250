# SPDX-License-Identifier: BSD-3-Clause
# Counts what every device variant of the operator executes for an element, on the interpreter.
"""isa_counts.py BUILD            the test: limits, and that kernels/COUNTS.md is what a subset of
                               the orders gives (all of them with HB_TEST_ALL=1)
isa_counts.py BUILD... --write    writes kernels/COUNTS.md, rows of other architectures stay"""
import collections
import concurrent.futures
import csv
import dataclasses
import fractions
import os
import re
import sys

from isa_code_objects import (KERNELS, WAVE, Unreadable, architectures_asked, objects_of,
                              plain_name, read_object)
from isa_operators import (GEOMETRIES, GEOMETRY_ORDERS, ORDERS, TILES, fewest_executed,
                           read_layouts, read_orders, variant_layout)
from isa_tables import Document, check_document
from support import check, finish, run, skip

SUBSET = (2, 4, 5, 8, 12, 16)
GEOMETRY_SUBSET = (4, 8)  # of geometry that is not stored
GEOMETRY_MODES = ("assembled", "direction")
PRECISIONS, REAL_BYTES = ("f64", "f32"), {"f64": 8, "f32": 4}
MACHINES = {"gfx908": "MI100", "gfx90a": "MI250X", "gfx942": "MI300X"}
SIMDS = 4
SPILL_FREE_N = 11  # as in isa_kernels.py, which has the exceptions beyond
WITHIN = 1.1  # matrix instructions, of the fewest

VARIANTS = {}  # name: modes; as count_helmholtz prints the program's table of them

# (variant, precision, n, mode): most wave instructions and LDS cycles of an element.  704 cycles
# and eight passes over the 512 points of a cube, 32 cycles each.
LIMITS = {("mfma_chained", "f64", 8, "local"): (350, 200),
          ("mfma_staged", "f64", 8, "local"): (None, 704 + 8 * 32)}


def read_variants(folder):
    """Fills VARIANTS, and so the order of sections."""
    code, text, _ = run([os.path.join(folder, "count_helmholtz"), "variants"])
    check("count_helmholtz: names the variants", code == 0 and text, (code, text))
    VARIANTS.update((name, modes) for name, *modes in map(str.split, text.splitlines()))
    COUNTS.sections = [f"{variant}, {precision}, {mode}" for variant, modes in VARIANTS.items()
                       for precision in PRECISIONS for mode in (*modes, MODELLED)]
    COUNTS.sections += [f"{variant}, {precision}, {geometry}, {mode}" for variant in VARIANTS
                        for precision in PRECISIONS for geometry in GEOMETRIES.values()
                        for mode in (*GEOMETRY_MODES, MODELLED)]


# ---- One run ----

@dataclasses.dataclass
class Case:
    """What a launch executed; all counts are sums over its elements."""
    variant: str
    n: int
    precision: str
    mode: str
    elements: int = 0
    shape: str = ""
    tile: str = "none"
    at_a_time: int = 0
    wavefronts: int = 0
    kernel: str = ""
    threads: int = 0
    lds: int = 0
    computed_lds: int = -1  # by the shape's own account; -1: none
    lds_cycles: int = 0
    geometry: str = "stored"
    geometry_bytes: int = 0  # that an element's application reads
    counts: collections.Counter = dataclasses.field(default_factory=collections.Counter)

    @property
    def words(self):
        return f"{self.variant} {self.precision} n = {self.n} {self.geometry} {self.mode}"

    @property
    def section(self):
        """Without what the table is of."""
        other = f", {self.geometry}" if self.geometry != "stored" else ""
        return f"{self.variant}, {self.precision}{other}"

    def least_elements(self):
        """They fill two blocks of a kernel that has a layout; a shape's are rounded up."""
        layout = variant_layout(self.variant, self.n)
        return 2 * layout.elements if layout else 2

    def fewest_mfma(self):
        return fewest_executed(self.variant, self.n, TILES.get((self.tile, self.precision)),
                               self.at_a_time, self.wavefronts, self.geometry)

    def count(self, pattern):
        """Of an element."""
        return fractions.Fraction(sum(n for name, n in self.counts.items()
                                      if re.fullmatch(pattern, name)), self.elements)


def read_statistics(text):
    """[(kernel, threads, LDS bytes, LDS cycles, counts)] of the interpreter's report, without the
    kernel that every program launches first."""
    found = []
    for part in re.split(r"^isarun: ", text, flags=re.MULTILINE)[1:]:
        head = re.match(r"(.*): \d+ launches\n", part)
        if head is None or head[1] == "canary":
            continue
        block = re.search(r"^largest workgroup: (\d+) threads, (\d+) bytes of LDS$", part,
                          re.MULTILINE)
        cycles = re.search(r"^LDS service cycles: read (\d+) write (\d+)$", part, re.MULTILINE)
        counts = collections.Counter({match[2]: int(match[1]) for match in
                                      re.finditer(r"^  (\d+) (\w+)$", part, re.MULTILINE)})
        found.append((plain_name(head[1]), int(block[1]), int(block[2]),
                      int(cycles[1]) + int(cycles[2]) if cycles else 0, counts))
    return found


def without_encoding(mnemonic):
    return re.sub(r"_(e32|e64|sdwa|dpp)$", "", mnemonic)


def execute(folder, architecture, case):
    """Fills the case; a word of what is wrong, or None.  None and no elements: not there."""
    library = os.environ.get("ISAHIP", os.path.join(folder, "amdgpu", "libisahip.so"))
    settings = [f"LD_PRELOAD={library}", f"ISARUN_ARCH={architecture}", "ISARUN_STATS=2",
                "ISARUN_BANKS=1", "ISARUN_RACE=error"]
    code, output, error = run(["env", *settings, os.path.join(folder, "count_helmholtz"),
                               case.variant, str(case.n), case.precision, case.mode,
                               str(case.least_elements()), case.geometry], 600)
    if code == 4:
        return None
    found = read_statistics(error)
    if code != 0 or len(found) != 1:
        return f"exit code {code}, {len(found)} kernels: {output}{error[-300:]}"
    if "warning" in error:
        return error[error.index("warning"):][:200]
    answers = dict(re.findall(r"^(.+?): (.*)$", output, re.MULTILINE))
    case.elements, case.at_a_time = int(answers["elements"]), int(answers["at a time"])
    case.wavefronts = int(answers["wavefronts"])
    case.computed_lds = int(answers["computed LDS"])
    case.geometry_bytes = int(answers["bytes of geometry"])
    case.shape, case.tile = answers.get("shape", ""), answers["tile"]
    case.kernel, case.threads, case.lds, case.lds_cycles, counts = found[0]
    for mnemonic, count in counts.items():
        case.counts[without_encoding(mnemonic)] += count
    return None


def execute_all(folder, architecture, orders):
    """The cases that are there, and what went wrong."""
    cases = [Case(variant, n, precision, mode) for variant, modes in VARIANTS.items()
             for precision in PRECISIONS for mode in modes for n in orders]
    whole = len(orders) == len(ORDERS)
    cases += [Case(variant, n, precision, mode, geometry=geometry)
              for (variant, geometry), built in read_orders(folder).items()
              for precision in PRECISIONS for mode in GEOMETRY_MODES
              for n in (GEOMETRY_ORDERS if whole else GEOMETRY_SUBSET) if n in built]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        wrong = list(pool.map(lambda case: execute(folder, architecture, case), cases))
    problems = [f"{case.words}: {words}" for case, words in zip(cases, wrong) if words]
    return [case for case, words in zip(cases, wrong) if not words and case.elements], problems


# ---- kernels/COUNTS.md ----

HEAD = """# What the operator's kernels execute on AMD

**Executed on an interpreter of AMD's machine code, instruction by instruction; never run and never
timed on AMD hardware.**  Counts say how much a kernel does, not how fast.
Written by `python3 tests/isa_counts.py BUILD... --write`; the test `isa_counts` fails if these
numbers are no longer those of the compilers named here.

"""
NOTES = """
Where a cell has several numbers, they are those of the architectures in this order.

Sections `VARIANT, PRECISION, MODE`: an element's instructions of a wave, in a launch of whole
blocks, six stored factors, no mass term.  `local`: vectors by element; `assembled`: through the
index list.
Sections `VARIANT, PRECISION, GEOMETRY, MODE`: the same with geometry that is not stored and constant
coefficients; `direction`: assembled, with p and x of an iteration.
`LDS cycles` are those of a model of 32 banks (`kernels/matcore/lds_banks.h`); reads and writes of LDS are
instructions, as are loads and stores by bytes a lane; `waits` are `s_waitcnt`.

Sections `VARIANT, PRECISION, modelled`: the cycles of a compute unit that an element's parts would
take by the machines' peak figures (`kernels/matcore/machine_table.c`: MI250X, one GCD, for gfx90a, MI300X
for gfx942), and which is the largest.  `memory`: u, w and what is read of
geometry (six factors of a point are 8 n^3 reals in all) at the unit's share of the bandwidth;
`LDS`: as counted; `MFMA`: the matrix instructions' issue cycles over four SIMDs; `vector`: the
other vector instructions, four cycles each over four SIMDs.  VGPRs are with AGPRs; `waves a SIMD`
are those that fit with the launch's LDS.
"""
COUNT_COLUMNS = ["n", "shape", "wave instructions", "MFMA", "LDS reads", "LDS writes", "LDS cycles",
                 "loads 4 B", "8 B", "16 B", "scalar loads", "stores 4 B", "8 B", "16 B",
                 "barriers", "waits"]
MODEL_COLUMNS = ["n", "tile", "MFMA", "LDS cycles", "VGPRs", "AGPRs", "LDS bytes", "waves a SIMD",
                 "memory", "LDS", "MFMA cycles", "vector", "bound by"]
MODELLED = "modelled"


def columns_of(section):
    return MODEL_COLUMNS if section.endswith(MODELLED) else COUNT_COLUMNS


COUNTS = Document("COUNTS.md", HEAD, NOTES, [], columns_of)


def figure(value):
    """At most one decimal, none from 100 on."""
    return f"{float(value):.0f}" if value >= 100 else f"{float(value):.1f}".removesuffix(".0")


def count_cells(case):
    load, store = "(global|flat)_load_", "(global|flat)_store_"
    wide = {4: "(dword|u?byte|u?short|sbyte|sshort)", 8: "dwordx2", 16: "dwordx[34]"}
    cells = [case.count(".*"), case.count("v_mfma.*"), case.count("ds_read.*"),
             case.count("ds_write.*"), fractions.Fraction(case.lds_cycles, case.elements),
             *(case.count(load + wide[size]) for size in wide),
             case.count("s_(load|buffer_load)_.*"),
             *(case.count(store + wide[size]) for size in wide), case.count("s_barrier"),
             case.count("s_waitcnt.*")]
    return [case.shape or "-"] + [figure(cell) for cell in cells]


def mfma_cycles(case):
    """Of a compute unit and element."""
    if case.tile == "none":
        return 0
    return case.count("v_mfma.*") * TILES[case.tile, case.precision].cycles / SIMDS


def model_of(case, machine):
    """{what: cycles}; the machine as `helmbone-matcore roof --machines --csv` has it."""
    share = float(machine["memory_bytes_per_s"]) / int(machine["cus"]) / float(machine["clock_hz"])
    vector = case.count(r"v_.*") - case.count("v_mfma.*")
    moved = 2 * case.n**3 * REAL_BYTES[case.precision] + case.geometry_bytes
    return {"memory": moved / share,
            "LDS": fractions.Fraction(case.lds_cycles, case.elements),
            "MFMA": mfma_cycles(case), "vector": vector}


def model_cells(case, kernel, machine):
    model = model_of(case, machine)
    return [case.tile, figure(case.count("v_mfma.*")), figure(model["LDS"]), str(kernel.vgprs),
            str(kernel.agprs), str(case.lds), f"{kernel.waves(case.threads, case.lds):g}",
            *(figure(cycles) for cycles in model.values()), max(model, key=model.get)]


def read_machines(folder):
    program = os.path.join(folder, "helmbone-matcore")
    code, text, error = run([program, "roof", "--machines", "--csv"])
    if not check("helmbone-matcore roof --machines", code == 0, error):
        return {}
    return {row["machine"]: row for row in csv.DictReader(text.splitlines())}


def read_kernels(folder):
    """{(architecture, name): Kernel}"""
    found = {}
    for path in objects_of(folder):
        if os.path.basename(path).startswith("helmholtz_"):
            for architecture, kernels in read_object(path).items():
                found.update({(architecture, k.name): k for k in kernels})
    return found


def rows_of(folder, architecture, cases):
    """{(section, row): cells}.  The model is of the first mode that a variant has, or, where
    geometry is not stored, of assembled vectors."""
    machine, kernels = read_machines(folder)[MACHINES[architecture]], read_kernels(folder)
    rows = {}
    for case in cases:
        of, stored = case.section, case.geometry == "stored"
        rows[f"{of}, {case.mode}", str(case.n)] = count_cells(case)
        if case.mode == (VARIANTS[case.variant][0] if stored else GEOMETRY_MODES[0]):
            kernel = kernels[architecture, case.kernel]
            rows[f"{of}, {MODELLED}", str(case.n)] = model_cells(case, kernel, machine)
    return rows


# ---- The test ----

def case_complaints(case):
    """What is wrong with the counts of a case: a list of sentences."""
    found, fewest = [], case.fewest_mfma()
    mfma = case.count("v_mfma.*")
    if not fewest <= mfma <= WITHIN * fewest:
        found.append(f"{float(mfma):g} matrix instructions, of the tile at least {float(fewest):g}")
    limited = case.geometry == "stored"
    most, most_cycles = (LIMITS.get((case.variant, case.precision, case.n, case.mode))
                         if limited else None) or (None, None)
    if most is not None and case.count(".*") > most:
        found.append(f"{float(case.count('.*')):g} wave instructions, at most {most}")
    if most_cycles is not None and case.lds_cycles > most_cycles * case.elements:
        found.append(f"{case.lds_cycles / case.elements:g} LDS cycles, at most {most_cycles}")
    if case.computed_lds not in (-1, case.lds):
        found.append(f"{case.lds} bytes of LDS, {case.computed_lds} by the shape's own account")
    private = case.count("(scratch|buffer)_(load|store).*")
    if private > 0 and case.n <= SPILL_FREE_N:
        found.append(f"{float(private):g} accesses of private memory")
    loads, stores = (case.count(f"(global|flat)_{what}_.*") for what in ("load", "store"))
    if stores == 0 or loads < fractions.Fraction(case.n**3, 4 * WAVE):
        found.append("fewer loads or stores than the points need")
    return found


def planted(**changes):
    counts = collections.Counter({"v_mfma_f64_16x16x4f64": 48, "global_load_dwordx2": 8,
                                  "global_store_dwordx2": 8, "v_mul_f64": 200})
    counts.update(changes.pop("more", {}))
    case = Case("mfma_chained", 8, "f64", "local", 1, tile="16x16x4", at_a_time=4, threads=64,
                counts=counts)
    return dataclasses.replace(case, **changes)


def check_parts():
    check("self-check: good counts", case_complaints(planted()) == [], case_complaints(planted()))
    for words, case in (("matrix instructions", planted(more={"v_mfma_f64_16x16x4f64": 5})),
                        ("matrix instructions", planted(more={"v_mfma_f64_16x16x4f64": -1})),
                        ("351 wave instr", planted(more={"v_mul_f64": 87})),
                        ("201 LDS cycles", planted(lds_cycles=201)),
                        ("bytes of LDS", planted(lds=64, computed_lds=0)),
                        ("private memory", planted(more={"scratch_load_dword": 1})),
                        ("fewer loads", planted(more={"global_store_dwordx2": -8})),
                        ("matrix instructions", planted(variant="1d", mode="assembled"))):
        found = case_complaints(case)
        check(f"self-check: '{words}'", any(words in text for text in found), found)
    text = ("isarun: canary: 1 launches\nmfma 0\n  5 v_x\nisarun: hb_a<1>: 1 launches\nmfma 3\n"
            "LDS service cycles: read 7 write 8\nlargest workgroup: 64 threads, 128 bytes of LDS\n"
            "  3 v_mfma\n")
    check("self-check: statistics are read", read_statistics(text) ==
          [("hb_a<1>", 64, 128, 15, {"v_mfma": 3})], read_statistics(text))
    figures = [figure(x) for x in (0, 48, 1.25, 350.4)]
    check("self-check: figures", figures == ["0", "48", "1.2", "350"], figures)


def check_build(folder, orders):
    compiler, architectures, optimised = architectures_asked(folder)
    place = os.path.relpath(folder, os.path.dirname(KERNELS))
    if not optimised:
        skip(folder, "the limits are for optimised code")
        return
    for architecture in architectures:
        cases, problems = execute_all(folder, architecture, orders)
        check(f"{architecture}: launches", not problems, "\n  ".join(problems))
        there = {case.variant for case in cases}
        check(f"{architecture}: every variant", there == set(VARIANTS), set(VARIANTS) - there)
        for case in cases:
            found = case_complaints(case)
            check(f"{architecture} {case.words}:", not found, "; ".join(found))
        check_document(COUNTS, compiler, architecture, rows_of(folder, architecture, cases),
                       f"python3 tests/isa_counts.py {place} --write", len(orders) == len(ORDERS))


def write_counts(folders):
    for folder in folders:
        compiler, architectures, _ = architectures_asked(folder)
        for architecture in architectures:
            cases, problems = execute_all(folder, architecture, ORDERS)
            if problems:
                print("not written:", *problems, sep="\n  ")
                return 1
            COUNTS.update(compiler, architecture, rows_of(folder, architecture, cases))
    return 0


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    folders = [os.path.realpath(word) for word in sys.argv[1:] if not word.startswith("--")]
    readable = [os.path.exists(os.path.join(folder, "gpu", "flags")) for folder in folders]
    if not folders or not all(readable) or options not in ([], ["--write"]):
        print(__doc__, "BUILD is the folder of a build with HELMBONE_GPU=amd.", sep="\n")
        return 2
    read_layouts(folders[0])
    read_variants(folders[0])
    if options == ["--write"]:
        return write_counts(folders)
    check_parts()
    for folder in folders:
        try:
            check_build(folder, ORDERS if os.environ.get("HB_TEST_ALL") == "1" else SUBSET)
        except (OSError, Unreadable) as error:
            check(f"{folder}: can be read", False, error)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
