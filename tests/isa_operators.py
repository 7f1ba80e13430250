# SPDX-License-Identifier: BSD-3-Clause
# The operator's GPU kernels by name: which variant, how its work is laid out, and the matrix
# instructions that it needs, static in the code and executed.  As a program it is the test of this.
"""isa_operators.py BUILD: the test (which needs the build's launch_geometry)."""
import dataclasses
import fractions
import os
import re
import sys

from support import build_folder, check, finish, run

ORDERS = range(2, 17)
REALS = {"double": "f64", "float": "f32"}
REAL_OF = {short: real for real, short in REALS.items()}


def divide_up(count, unit):
    return -(-count // unit)


# ---- Matrix instructions ----

@dataclasses.dataclass(frozen=True)
class Tile:
    """Rows, columns of all blocks and depth; cycles on a SIMD (kernels/matcore/mfma_table.c); mnemonics."""
    rows: int
    columns: int
    depth: int
    cycles: int
    old: str  # gfx908, gfx90a
    new: str  # gfx942

    def mnemonic(self, architecture):
        return self.new if architecture in ("gfx942", "gfx950") else self.old


TILES = {("16x16x4", "f64"): Tile(16, 16, 4, 32, "v_mfma_f64_16x16x4f64", "v_mfma_f64_16x16x4_f64"),
         ("16x16x4", "f32"): Tile(16, 16, 4, 32, "v_mfma_f32_16x16x4f32", "v_mfma_f32_16x16x4_f32"),
         ("4x4x4", "f64"): Tile(4, 16, 4, 16, "v_mfma_f64_4x4x4f64", "v_mfma_f64_4x4x4_4b_f64"),
         ("4x4x1", "f32"): Tile(4, 64, 1, 8, "v_mfma_f32_4x4x1f32", "v_mfma_f32_4x4x1_16b_f32")}
SMALL = {"f64": "4x4x4", "f32": "4x4x1"}


def contraction_mfma(tile, n):
    """Of one column group."""
    return divide_up(n, tile.rows) * divide_up(n, tile.depth)


def chained_mfma(stored, geometry):
    """Of those with stored factors half are derivatives of u along i and j, which positions have
    three times more."""
    return stored + 3 * stored // 2 if geometry == "nodes" else stored


# ---- Layouts, as launch_geometry.cpp prints them out of the kernels' headers ----

@dataclasses.dataclass(frozen=True)
class Layout:
    """Elements and threads of a block, points of a thread; matrix instructions of a wave where
    every plane has its own, and their tile."""
    elements: int
    threads: int
    points: int
    mfma: int = 0
    tile: str = ""


_layouts = {}


def read_layouts(folder):
    """From a build; before anything below is asked."""
    code, text, _ = run([os.path.join(folder, "launch_geometry")])
    check("launch_geometry: runs", code == 0, code)
    for line in text.splitlines():
        kernel, n, elements, threads, points, *matrix = line.split()
        _layouts[kernel, int(n)] = Layout(int(elements), int(threads), int(points),
                                          *map(int, matrix[:1]), *matrix[1:])


def layout_of(kernel, n):
    """None: the launch chooses it."""
    return _layouts.get((kernel, n))


def kernels_with_layout(tile=False):
    """Their names; tile: of those by matrix instructions."""
    return list(dict.fromkeys(kernel for (kernel, _), layout in _layouts.items()
                              if layout.tile or not tile))


# ---- Kernels ----

@dataclasses.dataclass(frozen=True)
class Form:
    """What a kernel's name says; tile and cubes are of kernels by matrix instructions."""
    kernel: str
    real: str
    n: int
    mode: str  # the last argument, a bool: with direction, or for local vectors
    tile: str = ""
    cubes: str = ""
    one: bool = True  # column group of a wave
    geometry: str = "stored"

    @property
    def precision(self):
        return REALS[self.real]

    @property
    def variant(self):
        return self.kernel.replace("hb_", "helmholtz_")

    @property
    def layout(self):
        """Elements and threads (None: the launch says), points of a thread."""
        if self.kernel == "hb_staged":
            return None, None, self.n if self.tile == "4x4x1" else divide_up(self.n, 4)
        layout = layout_of(self.kernel, self.n)
        return layout.elements, layout.threads, layout.points

    def mfma(self):
        """Matrix instructions that stand in the code: six contractions of one column group, or all
        of a wave where every plane has its own."""
        if self.kernel == "hb_staged":
            return 6 * contraction_mfma(TILES[self.tile, self.precision], self.n)
        return chained_mfma(layout_of(self.kernel, self.n).mfma, self.geometry)

    def least_fused(self):
        """Vector multiply-adds: k-step unrolls its contractions along k, which make 2 n^2, 1d has
        loops of at least one each, the others the factors alone."""
        points = self.layout[2]
        return {"hb_kstep": 2 * self.n**2 + 4, "hb_1d": 6 * points}.get(self.kernel, 4 * points)

    def most_fused(self):
        """Where matrix instructions contract, the vector units have the factors, the energy and a
        direction, and of the chained kernel the axis k: contractions of n terms a point."""
        points = self.layout[2]
        along_k = 5 if self.geometry == "nodes" else 2
        other = {"stored": 32, "affine": 48}.get(self.geometry, 96)
        return {"hb_staged": other * points,
                "hb_chained": (along_k * self.n + other) * points}.get(self.kernel)


# enum hb_geometry_mode
GEOMETRIES = {"0": "stored", "1": "nodes", "2": "trilinear", "3": "affine"}
CUBES = {"1": "plain", "2": "padded", "3": "swizzled"}  # enum hb_cube_layout


def form_of(name):
    """The form of an operator kernel, or None."""
    match = re.fullmatch(r"(hb_\w+)<(\d), (double|float), (\d+), (false|true)>", name)
    layout = layout_of(match[1], int(match[4])) if match else None
    if layout is not None and match[2] in GEOMETRIES:
        return Form(match[1], match[3], int(match[4]), match[5], layout.tile,
                    geometry=GEOMETRIES[match[2]])
    match = re.fullmatch(r"hb_staged<staged_geometry<(\d), hb_contraction<hb_tile_(f64|f32)_(\w+), "
                         r"(\d+), ([123])>, (false|true), (false|true)>>", name)
    if match is not None and match[1] in GEOMETRIES:
        return Form("hb_staged", REAL_OF[match[2]], int(match[4]), match[7], match[3],
                    CUBES[match[5]], match[6] == "true", GEOMETRIES[match[1]])
    return None


def proof_of(name):
    """(tile, precision, n) of a kernel that contracts alone, for its proofs, or None."""
    match = re.fullmatch(r"hb_contract<hb_contraction<(?:hb_swapped<)?hb_tile_(f64|f32)_(\w+?)>?, "
                         r"(\d+), [123]>(?:, (?:double|float))?>", name)
    return None if match is None else (match[2], match[1], int(match[3]))


def staged_executed(n, tile, elements, wavefronts, geometry="stored"):
    """Fewest matrix instructions of an element: those that a wave, alone with its elements, or a
    block has side by side share column groups.  Derivatives of positions are nine contractions."""
    together = elements // wavefronts if elements % wavefronts == 0 else elements
    groups = fractions.Fraction(divide_up(together * n * n, tile.columns), together)
    return (15 if geometry == "nodes" else 6) * contraction_mfma(tile, n) * groups


# ---- Variants, by their names in the program's table ----

GEOMETRY_ORDERS = (4, 8, 12)  # of geometry that is not stored, in the tables


def read_orders(folder):
    """{(variant, geometry): orders that were built}, of geometry that is not stored."""
    code, text, error = run([os.path.join(folder, "count_helmholtz"), "orders"])
    check("count_helmholtz: names the orders", code == 0 and text, (code, error))
    return {(variant, geometry): [n for n in ORDERS if int(mask) >> n & 1]
            for variant, geometry, mask in map(str.split, text.splitlines())
            if geometry != "stored"}


def variant_layout(variant, n):
    """That of its kernel, or None."""
    return layout_of("hb_" + variant.removeprefix("mfma_"), n)


def fewest_executed(variant, n, tile, elements, wavefronts, geometry="stored"):
    """Fewest matrix instructions of an element; tile: None if the shape names none."""
    layout = variant_layout(variant, n)
    if layout is not None:
        return fractions.Fraction(chained_mfma(layout.mfma, geometry), layout.elements)
    return staged_executed(n, tile, elements, wavefronts, geometry) if tile else 0


# ---- All kernels ----

OTHERS_OF_A_REAL = ["hb_add_scaled<{0}>", "hb_dots<{0}>", "hb_pack<{0}>", "hb_store<{0}>",
                    "hb_read_peers<{0}>",
                    "hb_residual<{0}, false>", "hb_residual<{0}, true>", "hb_residual_step<{0}>",
                    *(f"hb_{of}_points_{{1}}" for of in ("audit", "error", "keep", "pass", "set")),
                    "hb_audit_used_{1}", "hb_diagonal_{1}<0>", "hb_factors_{1}", *(f"hb_expand_{{1}}<{m}>" for m in "123")]
PROBES = [f"hb_probe_{name}" for name in
          ("f64_16x16x4", "f64_4x4x4", "f32_16x16x4", "f32_4x4x1", "f32_16x16x1", "f32_32x32x2",
           "f32_32x32x1")]
OTHERS = ["canary", *PROBES, "hb_reduce", "hb_step_begin", "hb_step_direction",
          "hb_step_residual", "hb_copy", "hb_triad", "hb_stream_fill", "hb_stream_verify",
          "hb_audit_layer", "hb_fill_elements", "hb_list_points", "hb_mask_pairs",
          "hb_place_values"]


def orders_of(kernel, geometry, built):
    """built: as read_orders, by variants, which are named as kernels are."""
    if geometry == "stored":
        return ORDERS
    return next((orders for (variant, of), orders in built.items() if of == geometry and
                 "hb_" + variant.removeprefix("mfma_") == kernel), ())


def expected_kernels(architecture="gfx90a", built=None):
    """Without the staged kernels and those of proofs, whose shapes are chosen in C.  For gfx908
    there is what proves its f32 matrix instructions."""
    built = built or {}
    if architecture == "gfx908":
        return ["canary", *PROBES] + [
            f"{name}<{geometry}, float, {n}, {mode}>" for mode in ("false", "true")
            for name in kernels_with_layout(tile=True) for geometry, words in GEOMETRIES.items()
            for n in orders_of(name, words, built)]
    names = list(OTHERS)
    for real, suffix in REALS.items():
        names += [name.format(real, suffix) for name in OTHERS_OF_A_REAL]
        names += [f"{name}<{geometry}, {real}, {n}, {mode}>"
                  for geometry, words in GEOMETRIES.items() for name in kernels_with_layout()
                  for n in orders_of(name, words, built) for mode in ("false", "true")]
    return names


def main():
    read_layouts(build_folder(__doc__))
    for kernel, n, expected in (("hb_chained", 2, Layout(32, 64, 4, 32, "16x16x4")),
                                ("hb_chained", 5, Layout(6, 64, 15, 100, "16x16x4")),
                                ("hb_chained", 8, Layout(4, 64, 32, 192, "16x16x4")),
                                ("hb_chained", 16, Layout(1, 64, 64, 384, "16x16x4")),
                                ("hb_kstep", 2, Layout(56, 256, 2)),
                                ("hb_kstep", 8, Layout(1, 64, 8)), ("hb_1d", 8, Layout(1, 512, 1)),
                                ("hb_1d", 16, Layout(1, 512, 8))):
        check(f"self-check: {kernel}, n = {n}", layout_of(kernel, n) == expected,
              layout_of(kernel, n))
    check("self-check: all layouts", len(_layouts) == len(kernels_with_layout()) * len(ORDERS) and
          kernels_with_layout(tile=True) == ["hb_chained"], _layouts.keys())
    small, wide = TILES["4x4x4", "f64"], TILES["16x16x4", "f64"]
    batched = TILES["4x4x1", "f32"]
    check("self-check: staged, n = 8", staged_executed(8, small, 1, 4) == 96 and
          staged_executed(8, wide, 1, 1) == 48 and staged_executed(8, batched, 2, 2) == 96)
    check("self-check: staged, small elements share", staged_executed(4, batched, 4, 1) == 6 and
          staged_executed(4, batched, 16, 4) == 6 and staged_executed(3, wide, 1, 1) == 6)
    name = "hb_staged<staged_geometry<0, hb_contraction<hb_tile_f64_4x4x4, 8, 2>, true, false>>"
    form = form_of(name)
    check("self-check: a staged kernel", form == Form("hb_staged", "double", 8, "false", "4x4x4",
                                                      "padded"), form)
    check("self-check: its numbers", form.layout == (None, None, 2) and form.mfma() == 24,
          form.mfma())
    check("self-check: others are none", form_of("hb_reduce") is None and
          form_of("hb_kstep<0, double, 8>") is None and
          form_of("hb_kstep<9, double, 8, true>") is None and proof_of(name) is None)
    for tile in ("hb_tile_f32_4x4x1", "hb_swapped<hb_tile_f32_4x4x1>"):
        check("self-check: a proof", proof_of(f"hb_contract<hb_contraction<{tile}, 7, 1>, float>")
              == ("4x4x1", "f32", 7))
    check("self-check: mnemonics", small.mnemonic("gfx90a") == "v_mfma_f64_4x4x4f64" and
          small.mnemonic("gfx942") == "v_mfma_f64_4x4x4_4b_f64")
    return finish()


if __name__ == "__main__":
    sys.exit(main())
