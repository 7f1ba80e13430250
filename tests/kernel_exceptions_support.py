# SPDX-License-Identifier: BSD-3-Clause
# Kernels that may do what the rules of isa_kernels.py forbid, each with its reason.
# (architecture, operator kernel without its last argument, what is wrong): why it may.
EXCEPTIONS = {
    ("gfx90a", "hb_1d<0, double, 12>", "waves"):
        "blocks of 7 waves: one with more than 128 registers",
    ("gfx90a", "hb_1d<0, double, 13>", "waves"): "as above",
    ("gfx942", "hb_1d<0, double, 12>", "waves"): "as above",
    ("gfx942", "hb_1d<0, double, 13>", "waves"): "as above",
    **{(architecture, f"hb_chained<0, double, {n}>", "waves"): "two cubes in registers"
       for architecture in ("gfx90a", "gfx942") for n in range(13, 17)},
    **{(architecture, "hb_staged<staged_geometry<0, hb_contraction<hb_tile_f32_4x4x1, "
        f"{n}, {layout}>, {one_group}>>", "waves"): "D, its transpose and factors in registers"
       for architecture, n, layout, one_group in
       [("gfx90a", *of, "true") for of in ((9, 1), (10, 1), (10, 2), (11, 1), (12, 1), (12, 2))] +
       [("gfx942", *of, "true") for of in ((9, 1), (10, 1), (10, 2), (11, 1), (12, 1), (12, 2))] +
       [("gfx942", *of, "false") for of in ((12, 1), (12, 2))]},
    **{("gfx90a", "hb_staged<staged_geometry<0, hb_contraction<hb_tile_f32_4x4x1, "
        f"12, {layout}>, false>>", "spills"): "two scalar registers" for layout in (1, 2)},
}

# (operator kernel, what is wrong): why it may, where factors are formed in the kernel.
FORMED_EXCEPTIONS = {
    (r"hb_1d<[123], (double|float), 1[2-6]>", "waves"): "blocks of 7 waves, as above",
    (r"hb_kstep<1, double, 1[2-6]>", "waves"): "derivatives of positions beside those of u",
    (r"hb_kstep<[123], double, 1[2-6]>", "spills"): "a few scalar registers",
    (r"hb_kstep<[23], double, 8>", "spills"): "scalar registers, to lanes of vector registers",
    (r"hb_chained<1, \w+, \d+>", "waves"): "five cubes in registers",
    (r"hb_chained<(2, double, \d+|3, double, 1[3-6])>", "waves"): "two cubes in registers",
    (r"hb_staged<.*_4x4x1, (9|1[0-2]), .*", "waves"): "D, its transpose and factors in registers",
    (r"hb_staged<.*<[23], .*_4x4x1, 12, .*", "spills"): "two scalar registers",
    (r"hb_staged<.*<[23], .*_16x16x4, 1[2-6], .*", "spills"): "two scalar registers",
}

# Kernels that run a few times in a run, of formulas with many branches: they may spill.
ONCE = r"hb_(audit_layer|fill_elements|list_points|(audit|error|set)_(points|used)_f(64|32))"
