# SPDX-License-Identifier: BSD-3-Clause
# Reads the machine code of every GPU kernel of a build for AMD: registers, spills, LDS, waves that
# fit on a SIMD, instructions.  Nothing is run.
"""isa_kernels.py BUILD...            the test
isa_kernels.py BUILD... --table    the operator's kernels, a line each
isa_kernels.py BUILD... --counts   every kernel: resources, and its instructions by kind (static)
isa_kernels.py BUILD... --write    writes kernels/RESOURCES.md; what it has of architectures that
                                   no BUILD is for stays"""
import collections
import dataclasses
import os
import re
import struct
import sys

from isa_code_objects import (KERNELS, LDS_BYTES, LIMITS, WAVE, Kernel, Unreadable,
                              architectures_asked, objects_of, read_object, whole)
from isa_operators import (GEOMETRY_ORDERS, ORDERS, REALS, TILES, contraction_mfma,
                           expected_kernels, form_of, proof_of, read_layouts, read_orders)
from isa_tables import Document, check_document, differences, sort_key
from kernel_exceptions_support import EXCEPTIONS, FORMED_EXCEPTIONS, ONCE
from support import check, finish, skip

MOST_THREADS, LEAST_WAVES = 1024, 2
SPILL_FREE_N = 11  # an operator kernel up to this n may not spill at all

LEAST_N, SMALL_TILE_MAX_N = {"f64": 4, "f32": 2}, 12  # of staged kernels
# Of a point: u, in f32 with its index, and six factors and the mass factor, or what is kept instead.
LOADS = {"stored": 8, "nodes": 6, "trilinear": 3, "affine": 3}


# ---- The rules ----

def spill_words(k):
    words = [f"{count} {what}" for count, what in
             ((k.vgpr_spills, "VGPR"), (k.sgpr_spills, "SGPR"), (k.scratch, "bytes of scratch"))
             if count > 0]
    return ", ".join(words) or "0"


def waves_of(k):
    """A staged kernel's launches choose the block and its LDS: by registers alone."""
    form = form_of(k.name)
    return k.waves(WAVE) if form and form.layout[0] is None or proof_of(k.name) else k.waves()


def exception_of(k, what, exceptions):
    """The key of the exception that is made for this kernel, or None; exceptions None: of any."""
    form = form_of(k.name)
    if form is None:
        return None
    name = re.sub(r", (true|false)>", ">", k.name)
    if form.geometry != "stored":
        return next((key for key in FORMED_EXCEPTIONS
                     if key[1] == what and re.fullmatch(key[0], name)), None)
    if what == "spills" and form.n <= SPILL_FREE_N:
        return None
    key = (k.architecture, name, what)
    return key if exceptions is None or key in exceptions else None


def resource_complaints(k, exceptions, used):
    """Spills and occupancy; exceptions that were made go to the set `used`.  On gfx908 kernels are
    proved, not tuned: RESOURCES.md tells what they spill."""
    found = []
    if k.architecture == "gfx908" or re.fullmatch(ONCE, k.name):
        return found
    for what, wrong, words in (
            ("spills", k.spills, f"spills: {spill_words(k)}"),
            ("waves", waves_of(k) < LEAST_WAVES,
             f"waves a SIMD: {waves_of(k):g}, at least {LEAST_WAVES}")):
        key = exception_of(k, what, exceptions)
        if wrong and key is None:
            found.append(words)
        elif wrong:
            used.add(key)
    return found


def arithmetic_complaints(k, form):
    """f64 kernels compute in f64 alone.  Those of f32 have what the partial sum needs of f64: for
    each point of the thread two conversions and a product, the additions of hb_block_sum, where
    matrix instructions contract a few more of parts of the sum, and no way back to f32."""
    fused, points = "v_(fma|fmac)_", form.layout[2]
    if form.real == "double":
        # an integer division has a reciprocal in f32, one product, and conversions from and to u32
        integer = r"v_cvt_f32_u32|v_cvt_u32_f32|v_rcp_iflag_f32"
        integer += "|v_mul_f32" if k.count("v_mul_f32") <= k.count("v_rcp_iflag_f32") else ""
        single = k.words(rf"(?!({integer})$)(v_\w+_f32|v_cvt_f32_\w+)")
        found = [f"f32 arithmetic in an f64 kernel: {single}"] if single else []
        count = k.count(fused + "f64")
    else:
        products, sums = k.count("v_(fma|fmac|mul)_f64"), k.count("v_add_f64")
        slots = 16 if form.mfma() > 0 else 0
        most_sums = 6 + k.threads // WAVE + points - k.count(fused + "f64") + slots
        # and, where a step's alpha and beta are, their conversion for each batch of points
        steps = r"|v_cvt_f32_f64$" if k.count("v_cvt_f32_f64") <= form.n + 1 else ""
        other = k.words(rf"(?!v_(fma|fmac|mul|add)_f64|v_cvt_f64_f32|v_mfma{steps})(v_\w+_f64(_\w+)?)")
        found = [f"f64 arithmetic beyond the partial sums: {other}"] if other else []
        if k.count("v_cvt_f64_f32") > 2 * points:
            found.append(f"conversions to f64: {k.count('v_cvt_f64_f32')}, at most {2 * points}")
        if products > points or sums > most_sums:
            found.append(f"f64 arithmetic beyond the partial sums: {products} products, at most "
                         f"{points}, {sums} additions, at most {most_sums}")
        count = k.count(fused + "f32") + 2 * k.count("v_pk_fma_f32")
    if count < form.least_fused():
        found.append(f"fused multiply-adds: {count}, at least {form.least_fused()}")
    if form.most_fused() is not None and count > form.most_fused():
        found.append(f"fused multiply-adds: {count}, at most {form.most_fused()} beside matrix "
                     f"instructions")
    return found


def matrix_complaints(k, tile, least, sums=0):
    """Those of the tile, at least as many as there are without a loop; `sums` more that add up the
    lanes in f64; and no others."""
    mnemonic = tile.mnemonic(k.architecture) if tile else "none"
    adding = TILES["16x16x4", "f64"].mnemonic(k.architecture)
    found, count = [], k.count(mnemonic)
    least += sums if mnemonic == adding else 0
    known = mnemonic + (f"|{adding}" if k.count(adding) <= sums else "")
    others = k.words(f"(?!({known})$)v_s?mfma.*")
    if count < least:
        found.append(f"matrix instructions: {count} {mnemonic}, at least {least}")
    if others:
        found.append(f"matrix instructions that are not expected: {others}")
    return found


def values_loaded(k, real_bytes):
    """Reals of a thread that the loads in the code bring."""
    sizes = {"": 4, "x2": 8, "x3": 12, "x4": 16}
    return sum(k.count("global_load_dword" + suffix) * size // real_bytes
               for suffix, size in sizes.items() if size >= real_bytes)


def operator_complaints(k, form):
    _, threads, points = form.layout
    sums = 2 if form.kernel == "hb_chained" and k.architecture != "gfx908" else 0
    found = matrix_complaints(k, TILES.get((form.tile, form.precision)), form.mfma(), sums)
    if threads is not None and k.threads != threads:
        found.append(f"blocks of {k.threads} threads, {threads} by the layout in its header")
    private = "" if k.scratch > 0 else "|scratch|buffer"
    other = k.words(rf"(flat{private})_(load|store|atomic)\w*")
    if other:
        found.append(f"memory instructions that are not global: {other}")
    local = form.tile != "" and form.mode == "true"
    indices = form.real == "float" and not local
    least, loaded = (LOADS[form.geometry] + indices) * points, values_loaded(k, 8 if form.real == "double" else 4)
    if loaded < least:
        found.append(f"global loads: {loaded} values, at least {least}")
    if k.threads > WAVE and k.count("s_barrier") == 0:
        found.append("no s_barrier in a block of several waves")
    return found + arithmetic_complaints(k, form)


def complaints(k, exceptions, used):
    """What is wrong with a kernel: a list of sentences."""
    found = resource_complaints(k, exceptions, used)
    if k.lds > LDS_BYTES:
        found.append(f"LDS: {k.lds} bytes, at most {LDS_BYTES}")
    if k.threads > MOST_THREADS:
        found.append(f"workgroup: {k.threads} threads, at most {MOST_THREADS}")
    if k.allocated != max(whole(k.vgprs, k.limits.granule), k.limits.granule):
        found.append(f"registers: metadata {k.vgprs}, descriptor {k.allocated}")
    if k.count("s_swappc_b64") > 0:
        found.append("calls functions, whose instructions are not counted here")
    if not k.counts:
        found.append("has no instructions")
    form, proof = form_of(k.name), proof_of(k.name)
    if proof:
        tile = TILES[proof[:2]]
        found += matrix_complaints(k, tile, contraction_mfma(tile, proof[2]))
    return found + (operator_complaints(k, form) if form else [])


def set_complaints(names, architecture="gfx90a", built=None):
    """Kernels that are missing, or that no rule knows.  Of the staged ones and the proofs there is
    one at least for each tile and n."""
    expected = expected_kernels(architecture, built)
    forms = [form for form in map(form_of, names) if form and form.kernel == "hb_staged"]
    staged = {(form.tile, form.precision, form.n) for form in forms}
    proofs = {proof_of(name) for name in names}
    found = [f"{name}: missing" for name in expected if name not in names]
    found += [f"{name}: not among those that {os.path.basename(__file__)} expects"
              for name in names if name not in expected and not proof_of(name) and
              not (form_of(name) and form_of(name).kernel == "hb_staged")]
    staged |= {(tile, precision, n) for tile, precision in TILES for n in ORDERS
               if tile != "16x16x4" and n > SMALL_TILE_MAX_N}
    for what, there in (("hb_staged", staged), ("hb_contract", proofs)):
        found += [f"{what}, {tile}, {precision}, n = {n}: missing" for tile, precision in TILES
                  for n in ORDERS if n >= LEAST_N[precision] and (tile, precision, n) not in there
                  and (architecture, precision) != ("gfx908", "f64")]
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
    proofs = list(objects_of(folder, "_gfx908"))
    if any(os.path.basename(path).startswith("helmholtz_") for path in proofs):
        build.architectures = [*wanted, "gfx908"]
    elif proofs:
        print(f"{folder}: without gfx908, whose operators device_tests_full compiles")
        proofs = []
    for path in (*objects_of(folder), *proofs):
        name = os.path.basename(path)
        try:
            found = read_object(path)
        except (OSError, Unreadable, KeyError, struct.error) as error:
            build.complaints.append(f"{name}: {error}")
            continue
        build.complaints += architecture_complaints(name, found,
                                                    ["gfx908"] if path in proofs else wanted)
        build.kernels += [k for kernels in found.values() for k in kernels]
        build.stale += [name] if is_stale(path) else []
    return build


# ---- kernels/RESOURCES.md ----

HEAD = """# Resources of the GPU kernels on AMD

Compiled and read, **not run on AMD hardware**: registers, LDS and spills are those of the code
objects, waves a SIMD follow from them; none of it is a measured speed.
Written by `python3 tests/isa_kernels.py BUILD... --write`; the test `isa_kernels` fails if these
numbers are no longer those of the compilers named here, and holds the code to more rules.

"""
NOTES = """
Where a cell has several numbers, they are those of the architectures in this order.
Every kernel of the operator is there with and without `direction`, those by matrix instructions for
assembled and for local vectors: the larger numbers count, the smaller waves.
A block has `threads`, and `elements` in it.
MFMA are matrix instructions in the code, loops once; VGPRs are vector registers a lane, with
accumulation registers (AGPRs); LDS is that of a block, in bytes; `waves a SIMD` are those, of 8,
that fit with these VGPRs, SGPRs and LDS, whole blocks on a compute unit of four SIMDs.
The staged kernels are there by n, layout of cubes, and column groups of a wave: one or more; their
blocks, of at most `threads`, and LDS are those of a launch (COUNTS.md), and their waves follow
from registers alone.
Left out are the kernels `hb_contract`, which prove the contraction and solve nothing.
gfx908 has a part of its own: the kernels by f32 matrix instructions, compiled to be proved; there a
SIMD holds up to 10 waves, and VGPRs are the larger number, of registers or accumulation registers.
"""
OPERATOR_COLUMNS = ["n", "threads", "elements", "MFMA", "VGPRs", "AGPRs", "SGPRs", "LDS", "spills",
                    "waves a SIMD"]
OTHER_COLUMNS = ["kernel", "threads", "VGPRs", "AGPRs", "SGPRs", "LDS", "spills", "waves a SIMD"]
OTHER_SECTION = "other kernels"
FAMILIES = ("helmholtz_kstep", "helmholtz_1d", "helmholtz_staged", "helmholtz_chained")


def place_of(k):
    """Section and row; None: it has none."""
    form, end = form_of(k.name), ", gfx908" if k.architecture == "gfx908" else ""
    if form is None:
        return OTHER_SECTION + end, k.name
    if form.geometry != "stored":
        if form.n not in GEOMETRY_ORDERS:
            return None
        end = f", {form.geometry}{end}"
    if form.kernel != "hb_staged":
        return f"{form.variant}, {form.precision}{end}", str(form.n)
    return (f"{form.variant}, {form.precision}, {form.tile}{end}",
            f"{form.n}, {form.cubes}, {'one' if form.one else 'more'}")


def row_of(kernels):
    """Cells of the kernels that share a row."""
    worst = max(kernels, key=lambda k: (k.vgpr_spills, k.scratch, k.sgpr_spills))
    form = form_of(kernels[0].name)
    cells = [max(k.threads for k in kernels)]
    if form:
        cells += [form.layout[0] or "-", max(k.count("v_mfma.*") for k in kernels)]
    cells += [max(k.vgprs for k in kernels), max(k.agprs for k in kernels),
              max(k.sgprs for k in kernels), max(k.lds for k in kernels), spill_words(worst),
              f"{min(waves_of(k) for k in kernels):g}"]
    return [str(cell) for cell in cells]


def rows_of(kernels, architecture):
    """{(section, row): cells}"""
    rows = collections.defaultdict(list)
    for k in kernels:
        if k.architecture == architecture and not proof_of(k.name) and place_of(k):
            rows[place_of(k)].append(k)
    return {key: row_of(same) for key, same in rows.items()}


def columns_of(section):
    return OTHER_COLUMNS if section.startswith(OTHER_SECTION) else OPERATOR_COLUMNS


SECTIONS = [f"{family}, {precision}{tile}{geometry}" for family in FAMILIES for precision in REALS.values()
            for tile in ([f", {name}" for name, of in TILES if of == precision]
                         if family == "helmholtz_staged" else [""])
            for geometry in ("", ", nodes", ", trilinear", ", affine")] + [OTHER_SECTION]
RESOURCES = Document("RESOURCES.md", HEAD, NOTES, SECTIONS, columns_of)


def check_resources(folder, build):
    place = os.path.relpath(os.path.realpath(folder), os.path.dirname(KERNELS))
    for architecture in build.architectures:
        check_document(RESOURCES, build.compiler, architecture,
                       rows_of(build.kernels, architecture),
                       f"python3 tests/isa_kernels.py {place} --write")


def write_resources(builds):
    for build in builds:
        problems = [f"{name} is older than its source: build first" for name in build.stale]
        problems += build.complaints
        if not build.optimised:
            problems.append("this build is not optimised")
        if problems:
            print("not written:", *problems, sep="\n  ")
            return 1
        for architecture in build.architectures:
            RESOURCES.update(build.compiler, architecture, rows_of(build.kernels, architecture))
    return 0


# ---- Can the rules fail? ----

def good_kernel(real="double", name="hb_kstep", n=8):
    """A record that no rule complains about."""
    form = form_of(f"{name}<0, {real}, {n}, true>")
    _, threads, points = form.layout
    fused, width = ("v_fma_f64", "x2") if real == "double" else ("v_fma_f32", "")
    counts = collections.Counter({fused: 2 * n * n + 6 * points, "s_barrier": 2,
                                  f"global_load_dword{width}": (LOADS["stored"] + 1) * points})
    if form.mfma():
        counts = collections.Counter({fused: 20 * points, f"global_load_dword{width}": 9 * points,
                                      TILES[form.tile, form.precision].old: form.mfma()})
        counts[TILES["16x16x4", "f64"].old] += 2
    return Kernel("gfx90a", f"{name}<0, {real}, {n}, true>", 120, 0, 80, 8192, 0, 0, 0, threads,
                  120, counts)


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
    chained, narrow = good_kernel(name="hb_chained"), good_kernel("float", "hb_chained")
    tile = "v_mfma_f64_16x16x4"
    for k in (f64, f32, large, other, chained, narrow):
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
            ("matrix instructions: 193 v_mfma_f64_16x16x4f64, at least 194",
             planted(chained, more={tile + "f64": -1})),
            ("matrix instructions: 0 v_mfma_f64_16x16x4_f64",
             planted(chained, architecture="gfx942")),
            ("not expected: 194 v_mfma_f64_16x16x4f64",
             planted(chained, architecture="gfx942", more={tile + "_f64": 194})),
            ("not expected: 3 v_mfma_f64_16x16x4f64", planted(narrow, more={tile + "f64": 1})),
            ("not expected: 1 v_mfma_f64_4x4x4f64",
             planted(chained, more={"v_mfma_f64_4x4x4f64": 1})),
            ("not expected: 1 v_mfma_f32_4x4x1f32",
             planted(f64, more={"v_mfma_f32_4x4x1f32": 1})),
            ("at most 1536 beside", planted(chained, more={"v_fma_f64": 1000})),
            ("global loads: 255 values", planted(narrow, without=["global_load_dword"], more={
                "global_load_dword": 3, "global_load_dwordx4": 63})),
            ("global loads: 63 values,", planted(f64, without=["global_load_dwordx2"],
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
            ("kernel: 2 v_mul_f32", planted(f64, more={"v_rcp_iflag_f32": 1, "v_mul_f32": 2})),
            ("conversions to f64: 9,", planted(f32, more={"v_cvt_f64_f32": 9})),
            ("partial sums: 5 products", planted(f32, more={"v_fmac_f64": 5})),
            ("18 additions, at most 17", planted(f32, more={"v_add_f64": 18})),
            ("partial sums: 20 v_cvt_f32_f64", planted(f32, more={"v_cvt_f32_f64": 20})),
            ("partial sums: 1 v_rcp_f64", planted(f32, more={"v_rcp_f64": 1}))):
        found = complaints(k, {}, set())
        check(f"self-check: '{words}'", any(words in text for text in found), found)
    older = planted(narrow, architecture="gfx908", vgpr_spills=3,
                    without=["v_mfma_f64_16x16x4f64"])
    check("self-check: spills on gfx908", complaints(older, {}, set()) == [],
          complaints(older, {}, set()))
    key, used = ("gfx90a", "hb_kstep<0, double, 13>", "spills"), set()
    spilling = planted(large, vgpr_spills=3)
    check("self-check: an exception", complaints(spilling, {key: ""}, used) == [] and used == {key})
    few = planted(spilling, vgprs=300, allocated=304)
    check("self-check: an exception for something else",
          "waves a SIMD" in str(complaints(few, {key: ""}, used)))
    check("self-check: an exception for another architecture",
          complaints(planted(spilling, architecture="gfx942"), {key: ""}, used) != [])
    for exceptions in ({("gfx90a", "hb_kstep<0, double, 8>", "spills"): ""}, None):
        check("self-check: no exception for small n",
              complaints(planted(f64, vgpr_spills=3), exceptions, used) != [])
    check("self-check: any exception for large n", complaints(spilling, None, used) == [])


def check_sets():
    shaped = [f"hb_contraction<hb_tile_{precision}_{tile}, {n}, 1>" for tile, precision in TILES
              for n in ORDERS if n >= LEAST_N[precision]]
    names = expected_kernels() + [f"hb_contract<{of}>" for of in shaped]
    names += [f"hb_staged<staged_geometry<0, {of}, true, false>>" for of in shaped
              if "_16x16x4" in of or int(of.split(", ")[1]) <= SMALL_TILE_MAX_N]
    check("self-check: all kernels", set_complaints(names) == [])
    missing = "hb_1d<0, float, 16, true>"
    check("self-check: a missing kernel", set_complaints([n for n in names if n != missing])
          == [f"{missing}: missing"])
    lost = names[-1:] + [f"hb_contract<{shaped[0]}>"]
    check("self-check: missing shapes", set_complaints([n for n in names if n not in lost]) == [
        "hb_staged, 4x4x1, f32, n = 12: missing", "hb_contract, 16x16x4, f64, n = 4: missing"],
        set_complaints([n for n in names if n not in lost]))
    check("self-check: a new kernel", "hb_x: not among" in str(set_complaints(names + ["hb_x"])))
    check("self-check: a kernel twice", "two objects" in str(set_complaints(names + ["canary"])))
    check("self-check: an architecture",
          architecture_complaints("a.o", ["gfx90a"], ["gfx90a"]) == [] and
          all(architecture_complaints("a.o", found, ["gfx90a"]) for found in
              ([], ["gfx906"], ["gfx90a", "gfx906"])))
    rows = rows_of([good_kernel(), good_kernel("float")], "gfx90a")
    table = {key: {"gfx90a": cells} for key, cells in rows.items()}
    check("self-check: rows that fit", differences(table, rows, "gfx90a") == [])
    fewer = rows_of([planted(good_kernel(), vgprs=119)], "gfx90a")
    check("self-check: rows that do not fit", len(differences(table, fewer, "gfx90a")) == 2)


# ---- The program ----

KINDS = (r"v_(pk_)?(fmac?|mul|add)_f(64|32)|v_cvt_f(64|32)_f(64|32)|v_mfma\w+|v_accvgpr\w+|ds_\w+|"
         r"(global|flat|scratch|buffer)_\w+|s_load\w+|s_barrier|v_(read|write)lane\w*|"
         r"v_addc?_co_u32|v_(pk_)?mov_b(32|64)|s_cbranch\w+")


def print_counts(build):
    for k in build.kernels:
        print(f"{k.architecture} {k.name}: VGPRs {k.vgprs} (AGPRs {k.agprs}) SGPRs {k.sgprs} "
              f"LDS {k.lds} spills {spill_words(k)} threads {k.threads} "
              f"waves a SIMD {k.waves():g}\n    {k.words(KINDS)}")


def print_table(builds):
    """The operator's kernels, as RESOURCES.md has them, of all builds."""
    rows = {}
    for build, architecture in ((build, a) for build in builds for a in build.architectures):
        for (section, row), cells in rows_of(build.kernels, architecture).items():
            if not section.startswith(OTHER_SECTION):
                rows[section, sort_key(row), row, architecture] = cells
    print(f"{'kernel':34} {'n':22} {'arch':7}", *(f"{title:>12}" for title in OPERATOR_COLUMNS[1:]))
    for section, _, row, architecture in sorted(rows):
        print(f"{section:34} {row:22} {architecture:7}",
              *(f"{cell:>12}" for cell in rows[section, sort_key(row), row, architecture]))


def check_build(folder, build):
    compilers = RESOURCES.read()[0]
    check(f"{folder}: objects", not build.complaints, "\n  ".join(build.complaints))
    if build.stale:
        print(f"older than their sources: {', '.join(build.stale)}")
    for architecture in build.architectures:
        if architecture not in LIMITS:
            skip(architecture, "no rules for this architecture")
            continue
        kernels = [k for k in build.kernels if k.architecture == architecture]
        wrong = set_complaints([k.name for k in kernels], architecture, read_orders(folder))
        check(f"{architecture}: set of kernels", not wrong, "\n  ".join(wrong))
        same, used = compilers.get(architecture) == build.compiler, set()
        for k in kernels:  # of another compiler, what an exception could be made for is only told
            found = complaints(k, EXCEPTIONS if same else None, used)
            check(f"{architecture} {k.name}:", not found, "; ".join(found))
        unused = {key for key in EXCEPTIONS if key[0] == architecture} - used
        check(f"{architecture}: exceptions are needed", not (same and unused), f"take out {unused}")
        if used and not same:
            print(f"{architecture}, with another compiler than that of kernels/RESOURCES.md:",
                  *(f"{name}: {what}" for *_, name, what in sorted(used)), sep="\n  ")
    check_resources(folder, build)


def main():
    options = [word for word in sys.argv[1:] if word.startswith("--")]
    folders = [word for word in sys.argv[1:] if not word.startswith("--")]
    readable = [os.path.exists(os.path.join(folder, "gpu", "flags")) for folder in folders]
    if not folders or not all(readable) or options not in (
            [], ["--write"], ["--counts"], ["--table"]):
        print(__doc__, "BUILD is the folder of a build with HELMBONE_GPU=amd.", sep="\n")
        return 2
    read_layouts(folders[0])
    builds = [read_build(folder) for folder in folders]
    if options == ["--write"]:
        return write_resources(builds)
    if options == ["--table"]:
        print_table(builds)
        return 0
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


if __name__ == "__main__":
    sys.exit(main())
