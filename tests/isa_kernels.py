# SPDX-License-Identifier: BSD-3-Clause
# Reads the machine code of every GPU kernel of a build for AMD: registers, spills, LDS, waves that
# fit on a SIMD, instructions.  Nothing is run.
"""isa_kernels.py BUILD...            the test
isa_kernels.py BUILD... --counts   every kernel: resources, and its instructions by kind (static)
isa_kernels.py BUILD... --write    writes kernels/RESOURCES.md; what it has of architectures that
                                   no BUILD is for stays"""
import collections
import dataclasses
import os
import re
import struct
import sys

from isa_code_objects import (KERNELS, LDS_BYTES, WAVE, VGPR_GRANULE, Kernel, Unreadable,
                              architectures_asked, objects_of, read_object, whole)
from support import check, finish, skip

RESOURCES = os.path.join(KERNELS, "RESOURCES.md")

ARCHITECTURES = {"gfx90a", "gfx942"}
MOST_THREADS, LEAST_WAVES = 1024, 2
SPILL_FREE_N = 12  # an operator kernel up to this n may not spill at all

# (architecture, kernel without direction, what is wrong): why it may.
EXCEPTIONS = {
    ("gfx90a", "hb_1d<double, 12>", "waves"): "blocks of 7 waves: one with more than 128 registers",
    ("gfx90a", "hb_1d<double, 13>", "waves"): "as above",
    ("gfx942", "hb_1d<double, 12>", "waves"): "as above",
    ("gfx942", "hb_1d<double, 13>", "waves"): "as above",
}

ORDERS = range(2, 17)
REALS = {"double": "f64", "float": "f32"}


def kstep_layout(n):
    """Elements and threads of a block, points of a thread, as helmholtz_kstep.hip chooses them."""
    best = 1
    for e in range(1, 65):
        threads, used = whole(e * n * n, WAVE), e * n * n
        if threads > 256:
            break
        if used >= (224 if n == 2 else 56) and 8 * (threads - used) <= threads:
            best = e
            break
        best_threads = whole(best * n * n, WAVE)
        if (threads - used) * best_threads < (best_threads - best * n * n) * threads:
            best = e
    return best, whole(best * n * n, WAVE), n


def line_layout(n):
    """The same of helmholtz_1d.hip."""
    points = whole(n**3, 512) // 512
    threads = whole(n**3, points) // points
    elements = 1 if threads >= 192 else 256 // threads
    return elements, whole(elements * threads, WAVE), points


# Operator kernels hb_X<real, n, direction>: the variant, its layout, and the fewest fused
# multiply-adds of a thread: k-step unrolls its contractions along k, which make 2 n^2, the others
# are loops of at least one each.
OPERATORS = {"hb_kstep": ("helmholtz_kstep", kstep_layout, lambda n, points: 2 * n * n + 4),
             "hb_1d": ("helmholtz_1d", line_layout, lambda n, points: 6 * points)}
OTHERS_OF_A_REAL = ["hb_add_scaled<{0}>", "hb_dots<{0}>", "hb_pack<{0}>", "hb_store<{0}>",
                    "hb_residual<{0}, false>", "hb_residual<{0}, true>",
                    "hb_diagonal_{1}", "hb_factors_{1}"]
PROBES = [f"hb_probe_{name}" for name in
          ("f64_16x16x4", "f64_4x4x4", "f32_16x16x4", "f32_4x4x1", "f32_16x16x1", "f32_32x32x2",
           "f32_32x32x1")]
OTHERS = ["canary", *PROBES, "hb_reduce", "hb_copy", "hb_triad", "hb_stream_fill", "hb_stream_verify"]
LOADS = 8  # of a point: six factors, the mass factor, u; in f32 its index goes with them


def expected_kernels():
    names = list(OTHERS)
    for real, suffix in REALS.items():
        names += [name.format(real, suffix) for name in OTHERS_OF_A_REAL]
        names += [f"{name}<{real}, {n}, {direction}>" for name in OPERATORS for n in ORDERS
                  for direction in ("false", "true")]
    return names


# ---- The rules ----

def operator_of(k):
    """(name, real, n, direction) of an operator kernel, or None."""
    match = re.fullmatch(r"(\w+)<(double|float), (\d+), (false|true)>", k.name)
    if match is None or match[1] not in OPERATORS:
        return None
    return match[1], match[2], int(match[3]), match[4]


def spill_words(k):
    words = [f"{count} {what}" for count, what in
             ((k.vgpr_spills, "VGPR"), (k.sgpr_spills, "SGPR"), (k.scratch, "bytes of scratch"))
             if count > 0]
    return ", ".join(words) or "0"


def exception_of(k, what, exceptions):
    """The key of the exception that is made for this kernel, or None; exceptions None: of any."""
    operator = operator_of(k)
    if operator is None or (what == "spills" and operator[2] <= SPILL_FREE_N):
        return None
    key = (k.architecture, f"{operator[0]}<{operator[1]}, {operator[2]}>", what)
    return key if exceptions is None or key in exceptions else None


def resource_complaints(k, exceptions, used):
    """Spills and occupancy; exceptions that were made go to the set `used`."""
    found = []
    for what, wrong, words in (
            ("spills", spill_words(k) != "0", f"spills: {spill_words(k)}"),
            ("waves", k.waves() < LEAST_WAVES,
             f"waves a SIMD: {k.waves():g}, at least {LEAST_WAVES}")):
        key = exception_of(k, what, exceptions)
        if wrong and key is None:
            found.append(words)
        elif wrong:
            used.add(key)
    return found


def arithmetic_complaints(k, real, least, points):
    """f64 kernels compute in f64 alone.  Those of f32 have what the partial sum needs of f64: for
    each point of the thread two conversions and a product, the additions of hb_block_sum, and no
    way back to f32."""
    fused = "v_(fma|fmac)_"
    if real == "double":
        single = k.words(r"v_\w+_f32|v_cvt_f32_\w+")
        found = [f"f32 arithmetic in an f64 kernel: {single}"] if single else []
        count = k.count(fused + "f64")
    else:
        products, sums = k.count("v_(fma|fmac|mul)_f64"), k.count("v_add_f64")
        most_sums = 6 + k.threads // WAVE + points - k.count(fused + "f64")
        other = k.words(r"(?!v_(fma|fmac|mul|add)_f64|v_cvt_f64_f32)(v_\w+_f64(_\w+)?)")
        found = [f"f64 arithmetic beyond the partial sums: {other}"] if other else []
        if k.count("v_cvt_f64_f32") > 2 * points:
            found.append(f"conversions to f64: {k.count('v_cvt_f64_f32')}, at most {2 * points}")
        if products > points or sums > most_sums:
            found.append(f"f64 arithmetic beyond the partial sums: {products} products, at most "
                         f"{points}, {sums} additions, at most {most_sums}")
        count = k.count(fused + "f32") + 2 * k.count("v_pk_fma_f32")
    if count < least:
        found.append(f"fused multiply-adds: {count}, at least {least}")
    return found


def operator_complaints(k):
    name, real, n, _ = operator_of(k)
    _, layout, least_fused = OPERATORS[name]
    _, threads, points = layout(n)
    found = []
    if k.threads != threads:
        found.append(f"blocks of {k.threads} threads, {threads} by this file's copy of the layout")
    private = "" if k.scratch > 0 else "|scratch|buffer"
    other = k.words(rf"(flat{private})_(load|store|atomic)\w*")
    if other:
        found.append(f"memory instructions that are not global: {other}")
    width = "global_load_dwordx[24]" if real == "double" else "global_load_dword(x[24])?"
    least = LOADS * points if real == "double" else (LOADS + 1) * points
    if k.count(width) < least:
        found.append(f"global loads: {k.count(width)}, at least {least}")
    if k.threads > WAVE and k.count("s_barrier") == 0:
        found.append("no s_barrier in a block of several waves")
    return found + arithmetic_complaints(k, real, least_fused(n, points), points)


def complaints(k, exceptions, used):
    """What is wrong with a kernel: a list of sentences."""
    found = resource_complaints(k, exceptions, used)
    if k.lds > LDS_BYTES:
        found.append(f"LDS: {k.lds} bytes, at most {LDS_BYTES}")
    if k.threads > MOST_THREADS:
        found.append(f"workgroup: {k.threads} threads, at most {MOST_THREADS}")
    if k.allocated != max(whole(k.vgprs, VGPR_GRANULE), VGPR_GRANULE):
        found.append(f"registers: metadata {k.vgprs}, descriptor {k.allocated}")
    if k.count("s_swappc_b64") > 0:
        found.append("calls functions, whose instructions are not counted here")
    if not k.counts:
        found.append("has no instructions")
    return found + (operator_complaints(k) if operator_of(k) else [])


def set_complaints(names):
    """Kernels that are missing, or that no rule knows."""
    expected = expected_kernels()
    found = [f"{name}: missing" for name in expected if name not in names]
    found += [f"{name}: not among those that {os.path.basename(__file__)} expects"
              for name in names if name not in expected]
    return found + [f"{name}: in two objects" for name in set(names) if names.count(name) > 1]


def architecture_complaints(object_name, found, wanted):
    return [] if sorted(found) == sorted(wanted) else [
        f"{object_name}: code for {', '.join(sorted(found)) or 'nothing'}, "
        f"asked for {', '.join(sorted(wanted))}"]


# ---- A build ----

@dataclasses.dataclass
class Build:
    compiler: str
    architectures: list
    optimised: bool
    kernels: list
    complaints: list  # of what cannot be read or is not there
    stale: list  # objects that are older than a source of theirs


def is_stale(path):
    """By the compiler's list of what it read, in make's syntax."""
    if not os.path.exists(path + ".d"):
        return False
    with open(path + ".d", encoding="utf-8") as file:
        words = file.read().replace("\\\n", " ").split()
    return any(word.startswith(KERNELS) and os.path.exists(word) and
               os.path.getmtime(word) > os.path.getmtime(path) for word in words)


def read_build(folder):
    compiler, wanted, optimised = architectures_asked(folder)
    build = Build(compiler, wanted, optimised, [], [], [])
    for path in objects_of(folder):
        name = os.path.basename(path)
        try:
            found = read_object(path)
        except (OSError, Unreadable, KeyError, struct.error) as error:
            build.complaints.append(f"{name}: {error}")
            continue
        build.complaints += architecture_complaints(name, found, wanted)
        build.kernels += [k for kernels in found.values() for k in kernels]
        build.stale += [name] if is_stale(path) else []
    return build


# ---- kernels/RESOURCES.md ----
#
# In memory: {(section, row): {architecture: cells}}.  A cell of the file has the values of all
# architectures, in the order of its table of compilers, or one if they are equal.

HEAD = """# Resources of the GPU kernels on AMD

Compiled and read, **not run on AMD hardware**: registers, LDS and spills are those of the code
objects, waves a SIMD follow from them; none of it is a measured speed.
Written by `python3 tests/isa_kernels.py BUILD... --write`; the test `isa_kernels` fails if these
numbers are no longer those of the compilers named here, and holds the code to more rules.

"""
NOTES = """
Where a cell has several numbers, they are those of the architectures in this order.
Every kernel of the operator is there with and without `direction`: the larger numbers count, the
smaller waves.
A block has `threads`, and `elements` in it.
VGPRs are vector registers a lane, with accumulation registers; LDS is that of a block, in bytes;
`waves a SIMD` are those, of 8, that fit with these VGPRs, SGPRs and LDS,
whole blocks on a compute unit of four SIMDs.
"""
OPERATOR_COLUMNS = ["n", "threads", "elements", "VGPRs", "SGPRs", "LDS", "spills", "waves a SIMD"]
OTHER_COLUMNS = ["kernel", "threads", "VGPRs", "SGPRs", "LDS", "spills", "waves a SIMD"]
OTHER_SECTION = "other kernels"


def row_of(kernels):
    """Cells of the kernels that share a row."""
    worst = max(kernels, key=lambda k: (k.vgpr_spills, k.scratch, k.sgpr_spills))
    cells = [max(k.threads for k in kernels), max(k.vgprs for k in kernels),
             max(k.sgprs for k in kernels), max(k.lds for k in kernels), spill_words(worst),
             f"{min(k.waves() for k in kernels):g}"]
    return [str(cell) for cell in cells]


def table_of(kernels):
    rows = collections.defaultdict(lambda: collections.defaultdict(list))
    for k in kernels:
        key = (OTHER_SECTION, k.name)
        if operator_of(k):
            name, real, n, _ = operator_of(k)
            key = (f"{OPERATORS[name][0]}, {REALS[real]}", str(n))
        rows[key][k.architecture].append(k)
    table = {}
    for key, found in rows.items():
        table[key] = {architecture: row_of(same) for architecture, same in found.items()}
        for same, cells in ((found[a], table[key][a]) for a in found):
            if operator_of(same[0]):
                layout = OPERATORS[operator_of(same[0])[0]][1]
                cells.insert(1, str(layout(int(key[1]))[0]))
    return table


def render(compilers, table):
    architectures = sorted(compilers)
    text = HEAD + "| architecture | compiler |\n|---|---|\n"
    text += "".join(f"| {name} | {compilers[name]} |\n" for name in architectures) + NOTES
    order = [f"{variant}, {suffix}" for variant, _, _ in OPERATORS.values()
             for suffix in REALS.values()] + [OTHER_SECTION]
    for section in order:
        columns = OTHER_COLUMNS if section == OTHER_SECTION else OPERATOR_COLUMNS
        text += f"\n## {section}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"
        keys = [row for found, row in table if found == section]
        for row in sorted(keys, key=lambda key: (int(key) if key.isdigit() else 0, key)):
            cells = [table[section, row].get(name, ["-"] * (len(columns) - 1))
                     for name in architectures]
            merged = [values[0] if len(set(values)) == 1 else " / ".join(values)
                      for values in zip(*cells)]
            name = f"`{row}`" if section == OTHER_SECTION else row
            text += f"| {' | '.join([name] + merged)} |\n"
    return text


def parse(text):
    """compilers and table of the file."""
    compilers, table, section = {}, {}, None
    for line in text.splitlines():
        if line.startswith("## "):
            section = line[3:]
        if not line.startswith("| ") or line.startswith(("| architecture", "| n |", "| kernel |")):
            continue
        first, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        if section is None:
            compilers[first] = cells[0]
            continue
        first, values = first.strip("`"), [cell.split(" / ") for cell in cells]
        rows = {name: [v[i] if i < len(v) else v[0] for v in values]
                for i, name in enumerate(sorted(compilers))}
        table[section, first] = {name: row for name, row in rows.items() if set(row) != {"-"}}
    return compilers, table


def read_resources():
    if not os.path.exists(RESOURCES):
        return {}, {}
    with open(RESOURCES, encoding="utf-8") as file:
        return parse(file.read())


def differences(table, kernels, architecture):
    """Rows that differ, as sentences."""
    found = table_of(k for k in kernels if k.architecture == architecture)
    keys = sorted(set(found) | {key for key in table if architecture in table[key]})
    return [f"{', '.join(key)}: the file has {table.get(key, {}).get(architecture)}, the code "
            f"{found.get(key, {}).get(architecture)}" for key in keys
            if table.get(key, {}).get(architecture) != found.get(key, {}).get(architecture)]


def check_resources(folder, build):
    place = os.path.relpath(os.path.realpath(folder), os.path.dirname(KERNELS))
    command = f"python3 tests/isa_kernels.py {place} --write"
    compilers, table = read_resources()
    if not check("kernels/RESOURCES.md is there", compilers, f"run {command}"):
        return
    for architecture in build.architectures:
        different = differences(table, build.kernels, architecture)
        if compilers.get(architecture) == build.compiler:
            check(f"kernels/RESOURCES.md fits {architecture}", not different,
                  f"in {len(different)} rows: run {command}\n  " + "\n  ".join(different[:5]))
        else:
            print(f"kernels/RESOURCES.md, {architecture}: {len(different)} rows differ; it is of "
                  f"{compilers.get(architecture)}, this build of {build.compiler}")


def write_resources(builds):
    compilers, table = read_resources()
    for build in builds:
        problems = [f"{name} is older than its source: build first" for name in build.stale]
        problems += build.complaints
        if not build.optimised:
            problems.append("this build is not optimised")
        if problems:
            print("not written:", *problems, sep="\n  ")
            return 1
        for architecture in build.architectures:
            for row in table.values():
                row.pop(architecture, None)
            compilers[architecture] = build.compiler
        for key, row in table_of(build.kernels).items():
            table.setdefault(key, {}).update(row)
    with open(RESOURCES, "w", encoding="utf-8") as file:
        file.write(render(compilers, {key: row for key, row in table.items() if row}))
    print(f"kernels/RESOURCES.md: {len(table)} rows, {', '.join(sorted(compilers))}")
    return 0


# ---- Can the rules fail? ----

def good_kernel(real="double", name="hb_kstep", n=8):
    """A record that no rule complains about."""
    _, threads, points = OPERATORS[name][1](n)
    fused, width = ("v_fma_f64", "x2") if real == "double" else ("v_fma_f32", "")
    counts = collections.Counter({fused: 2 * n * n + 6 * points, "s_barrier": 2,
                                  f"global_load_dword{width}": (LOADS + 1) * points})
    return Kernel("gfx90a", f"{name}<{real}, {n}, true>", 120, 0, 80, 8192, 0, 0, 0, threads, 120,
                  counts)


def planted(kernel, **changes):
    """The same record with other fields, without some instructions and with more of some."""
    counts = kernel.counts.copy()
    for mnemonic in changes.pop("without", []):
        del counts[mnemonic]
    counts.update(changes.pop("more", {}))
    return dataclasses.replace(kernel, counts=counts, **changes)


def check_occupancy():
    for vgprs, sgprs, lds, threads, waves in (
            (64, 80, 0, 256, 8), (65, 80, 0, 256, 7), (64, 102, 0, 64, 7), (128, 80, 0, 256, 4),
            (129, 80, 0, 256, 3), (256, 80, 0, 512, 2), (257, 80, 0, 256, 1), (257, 80, 0, 512, 0),
            (64, 80, 65536, 256, 1), (64, 80, 32768, 256, 2), (64, 80, 21846, 64, 0.5),
            (168, 80, 0, 320, 2.5)):
        k = planted(good_kernel(), vgprs=vgprs, allocated=whole(vgprs, 8), sgprs=sgprs, lds=lds,
                    threads=threads)
        check(f"self-check: waves of {vgprs} {sgprs} {lds} {threads}", k.waves() == waves,
              f"{k.waves()}, expected {waves}")


def check_rules():
    f64, f32 = good_kernel(), good_kernel("float", "hb_1d", 12)
    large = good_kernel(n=13)
    other = planted(f64, name="hb_reduce", threads=1024, vgprs=40, allocated=40)
    for k in (f64, f32, large, other):
        found = complaints(k, {}, set())
        check(f"self-check: {k.name} is good", found == [], found)
    for words, k in (
            ("spills: 3 VGPR", planted(f64, vgpr_spills=3)),
            ("spills: 1 SGPR", planted(f64, sgpr_spills=1)),
            ("spills: 16 bytes of scratch", planted(f64, scratch=16)),
            ("spills: 1 SGPR", planted(large, sgpr_spills=1)),
            ("spills: 1 SGPR", planted(other, sgpr_spills=1)),
            ("LDS: 65540 bytes", planted(f64, lds=65540)),
            ("workgroup: 1088", planted(other, threads=1088)),
            ("registers: metadata 120, descriptor 128", planted(f64, allocated=128)),
            ("waves a SIMD: 1,", planted(f64, vgprs=300, agprs=44, allocated=304)),
            ("calls functions", planted(other, more={"s_swappc_b64": 1})),
            ("has no instructions", planted(other, without=list(other.counts))),
            ("blocks of 128 threads, 64", planted(f64, threads=128)),
            ("not global: 2 flat_load_dwordx2", planted(f64, more={"flat_load_dwordx2": 2})),
            ("not global: 1 flat_store_dword", planted(f64, scratch=8, more={
                "flat_store_dword": 1, "scratch_store_dword": 1})),
            ("not global: 1 scratch_load", planted(f64, more={"scratch_load_dword": 1})),
            ("not global: 1 buffer_store", planted(f32, more={"buffer_store_dword": 1})),
            ("global loads: 63,", planted(f64, without=["global_load_dwordx2"],
                                          more={"global_load_dwordx2": 63})),
            ("global loads: 0", planted(f64, without=["global_load_dwordx2"],
                                        more={"global_load_dword": 64})),
            ("global loads: 0", planted(f32, without=["global_load_dword"])),
            ("no s_barrier", planted(f32, without=["s_barrier"])),
            ("fused multiply-adds: 0", planted(f64, without=["v_fma_f64"],
                                               more={"v_mul_f64": 200, "v_add_f64": 200})),
            ("fused multiply-adds: 0", planted(f32, without=["v_fma_f32"])),
            ("f32 arithmetic", planted(f64, more={"v_pk_fma_f32": 1})),
            ("f32 arithmetic", planted(f64, more={"v_cvt_f32_f64": 1})),
            ("conversions to f64: 9,", planted(f32, more={"v_cvt_f64_f32": 9})),
            ("partial sums: 5 products", planted(f32, more={"v_fmac_f64": 5})),
            ("18 additions, at most 17", planted(f32, more={"v_add_f64": 18})),
            ("partial sums: 1 v_cvt_f32_f64", planted(f32, more={"v_cvt_f32_f64": 1})),
            ("partial sums: 1 v_rcp_f64", planted(f32, more={"v_rcp_f64": 1}))):
        found = complaints(k, {}, set())
        check(f"self-check: '{words}'", any(words in text for text in found), found)
    key, used = ("gfx90a", "hb_kstep<double, 13>", "spills"), set()
    spilling = planted(large, vgpr_spills=3)
    check("self-check: an exception", complaints(spilling, {key: ""}, used) == [] and used == {key})
    few = planted(spilling, vgprs=300, allocated=304)
    check("self-check: an exception for something else",
          "waves a SIMD" in str(complaints(few, {key: ""}, used)))
    check("self-check: an exception for another architecture",
          complaints(planted(spilling, architecture="gfx942"), {key: ""}, used) != [])
    for exceptions in ({("gfx90a", "hb_kstep<double, 8>", "spills"): ""}, None):
        check("self-check: no exception for small n",
              complaints(planted(f64, vgpr_spills=3), exceptions, used) != [])
    check("self-check: any exception for large n", complaints(spilling, None, used) == [])


def check_sets():
    names = expected_kernels()
    check("self-check: all kernels", set_complaints(names) == [])
    missing = "hb_1d<float, 16, true>"
    check("self-check: a missing kernel", set_complaints([n for n in names if n != missing])
          == [f"{missing}: missing"])
    check("self-check: a new kernel", "hb_x: not among" in str(set_complaints(names + ["hb_x"])))
    check("self-check: a kernel twice", "two objects" in str(set_complaints(names + ["canary"])))
    check("self-check: an architecture",
          architecture_complaints("a.o", ["gfx90a"], ["gfx90a"]) == [] and
          all(architecture_complaints("a.o", found, ["gfx90a"]) for found in
              ([], ["gfx906"], ["gfx90a", "gfx906"])))
    kernels = [good_kernel(), good_kernel("float"), planted(good_kernel(), architecture="gfx942",
                                                            vgprs=100, allocated=104)]
    text = render({"gfx90a": "one", "gfx942": "two"}, table_of(kernels))
    compilers, table = parse(text)
    check("self-check: the table is read as written", render(compilers, table) == text and
          differences(table, kernels, "gfx90a") == [] and
          differences(table, kernels, "gfx942") == [], text)
    kernels[0] = planted(kernels[0], vgprs=119)
    check("self-check: a table that does not fit",
          len(differences(table, kernels, "gfx90a")) == 1 and
          differences(table, kernels, "gfx942") == [] and
          len(differences(table, kernels[:1], "gfx90a")) == 2)


# ---- The program ----

KINDS = (r"v_(pk_)?(fmac?|mul|add)_f(64|32)|v_cvt_f(64|32)_f(64|32)|v_mfma\w+|v_accvgpr\w+|ds_\w+|"
         r"(global|flat|scratch|buffer)_\w+|s_load\w+|s_barrier|v_(read|write)lane\w*|"
         r"v_addc?_co_u32|v_(pk_)?mov_b(32|64)|s_cbranch\w+")


def print_counts(build):
    for k in build.kernels:
        print(f"{k.architecture} {k.name}: VGPRs {k.vgprs} (AGPRs {k.agprs}) SGPRs {k.sgprs} "
              f"LDS {k.lds} spills {spill_words(k)} threads {k.threads} "
              f"waves a SIMD {k.waves():g}\n    {k.words(KINDS)}")


def check_build(folder, build):
    compilers = read_resources()[0]
    check(f"{folder}: objects", not build.complaints, "\n  ".join(build.complaints))
    if build.stale:
        print(f"older than their sources: {', '.join(build.stale)}")
    for architecture in build.architectures:
        if architecture not in ARCHITECTURES:
            skip(architecture, "no rules for this architecture")
            continue
        kernels = [k for k in build.kernels if k.architecture == architecture]
        wrong = set_complaints([k.name for k in kernels])
        check(f"{architecture}: set of kernels", not wrong, "\n  ".join(wrong))
        same, used = compilers.get(architecture) == build.compiler, set()
        for k in kernels:  # of another compiler, what an exception could be made for is only told
            found = complaints(k, EXCEPTIONS if same else None, used)
            check(f"{architecture} {k.name}:", not found, "; ".join(found))
        unused = {key for key in EXCEPTIONS if key[0] == architecture} - used
        check(f"{architecture}: exceptions are needed", not (same and unused), f"take out {unused}")
        if used and not same:
            print(f"{architecture}, with another compiler than that of kernels/RESOURCES.md:",
                  *(f"{name}: {what}" for _, name, what in sorted(used)), sep="\n  ")
    check_resources(folder, build)


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    folders = [word for word in sys.argv[1:] if not word.startswith("--")]
    readable = [os.path.exists(os.path.join(folder, "gpu", "flags")) for folder in folders]
    if not folders or not all(readable) or options not in ([], ["--write"], ["--counts"]):
        print(__doc__, "BUILD is the folder of a build with HELMBONE_GPU=amd.", sep="\n")
        return 2
    builds = [read_build(folder) for folder in folders]
    if options == ["--write"]:
        return write_resources(builds)
    if options == ["--counts"]:
        for build in builds:
            print_counts(build)
        return 0
    check_occupancy()
    check_rules()
    check_sets()
    for folder, build in zip(folders, builds):
        if build.optimised:
            check_build(folder, build)
        else:
            skip(folder, "the rules are for optimised code")
    return finish()


sys.exit(main())
