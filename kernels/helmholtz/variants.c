/* SPDX-License-Identifier: BSD-3-Clause
 * The table of variants, and the choice from it. */
#include "kernels/helmholtz/variants.h"

#include <stdio.h>
#include <string.h>

#include "kernels/helmholtz/chained_layout.h"

hb_helmholtz_apply hb_helmholtz_host_apply_f64, hb_helmholtz_host_apply_f32;
hb_helmholtz_diagonal hb_helmholtz_host_diagonal_f64, hb_helmholtz_host_diagonal_f32;

/* What the files compiled per instruction set provide. */
#define DECLARE(name, set)                                                                         \
  hb_helmholtz_apply hb_helmholtz_simd_f64_##name, hb_helmholtz_simd_f32_##name;                   \
  hb_helmholtz_diagonal hb_helmholtz_diagonal_f64_##name, hb_helmholtz_diagonal_f32_##name;
HB_FOR_EACH_BUILT_ISA(DECLARE)

/* Orders by mode: 2 <= n <= 16; on a GPU those that were built of modes that are not stored. */
#define ALL_N   0x1fffcu
#define BUILT_N ((unsigned)(HB_RECOMPUTED_ORDERS))
#define ONLY_STORED                                                                                \
  { [HB_GEOMETRY_STORED] = ALL_N }

#define ALL_MODES                                                                                  \
  { ALL_N, ALL_N, ALL_N, ALL_N }
#define BY_MODE(nodes, trilinear, affine)                                                          \
  {                                                                                                \
    [HB_GEOMETRY_STORED] = ALL_N, [HB_GEOMETRY_NODES] = (nodes)&BUILT_N,                           \
    [HB_GEOMETRY_TRILINEAR] = (trilinear)&BUILT_N, [HB_GEOMETRY_AFFINE] = (affine)&BUILT_N,        \
  }

#define ISA_ROW(set, number, bytes, text)                                                          \
  {                                                                                                \
    .name = "simd_" #set, .description = text, .orders = ALL_MODES,                                \
    .lanes = {(bytes) / 8, (bytes) / 4}, .isa = number,                                            \
    .host = {.apply = {hb_helmholtz_simd_f64_##set, hb_helmholtz_simd_f32_##set},                  \
             .diagonal = {hb_helmholtz_diagonal_f64_##set, hb_helmholtz_diagonal_f32_##set}},      \
  }
/* kernels/measured/h200_operator.csv: n = 4, 5 and 9 to 14, where kstep is faster. */
#define TENSOR_SLOW                                                                                \
  { [HB_GEOMETRY_STORED] = 0x7e30u }
#define NOT_SLOW                                                                                   \
  { 0 }
/* Rows of GPU variants end with what their device part is. */
#define GPU_ROW(of, text, modes, not_taken, ...)                                                   \
  {                                                                                                \
    .name = of, .description = text, .backend = HB_BACKEND_GPU, .orders = modes, .lanes = {1, 1},  \
    .isa = HB_ISA_PLAIN, .device = {__VA_ARGS__}, .slow = not_taken,                               \
  }
#define BOTH(function)                                                                             \
  { function##_f64, function##_f32 }
#define ONLY_64(function)                                                                          \
  { function##_f64, NULL }

static const struct hb_helmholtz_variant variants[] = {
    {.name = "reference",
     .description = "the equation in plain loops",
     .orders = ONLY_STORED,
     .lanes = {1, 1},
     .isa = HB_ISA_PLAIN,
     .host = {.apply = {hb_helmholtz_host_apply_f64, hb_helmholtz_host_apply_f32},
              .diagonal = {hb_helmholtz_host_diagonal_f64, hb_helmholtz_host_diagonal_f32}}},
#ifdef HB_HAVE_ISA_v2
    ISA_ROW(v2, HB_ISA_V2, 32, "vectors of elements, x86-64-v2 (SSE4.2)"),
#endif
#ifdef HB_HAVE_ISA_v3
    ISA_ROW(v3, HB_ISA_V3, 32, "vectors of elements, x86-64-v3 (AVX2)"),
#endif
#ifdef HB_HAVE_ISA_v4
    ISA_ROW(v4, HB_ISA_V4, 64, "vectors of elements, x86-64-v4 (AVX-512)"),
#endif
#ifdef HB_HAVE_ISA_native
    ISA_ROW(native, HB_ISA_NATIVE, 32,
            "vectors of elements, the building machine's instruction set"),
#endif
#ifdef HB_HAVE_GPU
    /* 1d has registers for derivatives of positions up to n = 13. */
    GPU_ROW("1d", "GPU, points of an element over threads", BY_MODE(0x3ffcu, 0x3ffcu, ALL_N),
            NOT_SLOW, .apply = BOTH(hb_helmholtz_1d)),
    GPU_ROW("kstep", "GPU, lines in registers, planes in LDS", BY_MODE(ALL_N, ALL_N, ALL_N),
            NOT_SLOW, .apply = BOTH(hb_helmholtz_kstep)),
#endif
#ifdef HB_HAVE_MFMA
    /* staged.hip says up to which n it has registers. */
    GPU_ROW("mfma_staged", "AMD matrix cores, cubes in LDS", BY_MODE(0x1fcu, 0x1ffcu, ALL_N),
            NOT_SLOW, .apply = BOTH(hb_helmholtz_staged),
            .apply_local = BOTH(hb_helmholtz_staged_local), .max_components = 3,
            .shapes = hb_helmholtz_staged_shapes, .has_mode = hb_helmholtz_staged_has_mode),
    GPU_ROW("mfma_chained", "AMD matrix cores, chained in registers",
            BY_MODE(HB_CHAINED_NODES, HB_CHAINED_TRILINEAR, HB_CHAINED_AFFINE), NOT_SLOW,
            .apply = BOTH(hb_helmholtz_chained), .apply_local = BOTH(hb_helmholtz_chained_local),
            .max_components = 1, .shapes = hb_helmholtz_chained_shapes),
#endif
#ifdef HB_HAVE_TENSOR
    /* Geometry that is not stored by one warp an element alone. */
    GPU_ROW("tensor", "NVIDIA FP64 tensor cores", BY_MODE(0x1f0u, 0x1f0u, 0x1f0u), TENSOR_SLOW,
            .apply = ONLY_64(hb_helmholtz_tensor),
            .apply_local = ONLY_64(hb_helmholtz_tensor_local), .max_components = 1,
            .shapes = hb_helmholtz_tensor_shapes, .has_mode = hb_helmholtz_tensor_has_mode),
#endif
};

int hb_helmholtz_variant_shapes(const struct hb_helmholtz_variant *variant,
                                const char *architecture, int n, enum hb_precision precision,
                                struct hb_shape shapes[HB_MAX_SHAPES]) {
  if (variant->backend != HB_BACKEND_GPU || variant->device.apply[precision] == NULL) return 0;
  if (n < 2 || n > HB_MAX_N) return 0;
  if (variant->device.shapes != NULL)
    return variant->device.shapes(architecture, n, precision, shapes);
  shapes[0] = (struct hb_shape){.tile = HB_MATRIX_NONE};
  return 1;
}

const char *hb_backend_name(enum hb_backend_kind backend) {
  return backend == HB_BACKEND_HOST ? "host" : "gpu";
}

int hb_helmholtz_num_variants(void) { return (int)(sizeof variants / sizeof *variants); }

const struct hb_helmholtz_variant *hb_helmholtz_variant(int row) { return &variants[row]; }

static bool can_run(const struct hb_helmholtz_variant *variant, enum hb_backend_kind backend,
                    enum hb_geometry_mode mode, int n) {
  return variant->backend == backend && hb_host_isa_runs(variant->isa) &&
         hb_helmholtz_has(variant, mode, n);
}

/* Were kernels of the mode left out for n when this program was built? */
static bool is_left_out(enum hb_geometry_mode mode, int n) {
  return mode != HB_GEOMETRY_STORED && n >= 2 && n <= HB_MAX_N && (BUILT_N >> n & 1) == 0;
}

enum hb_status hb_helmholtz_find_variant(const char *name, enum hb_backend_kind backend,
                                         enum hb_geometry_mode mode, int n,
                                         const struct hb_helmholtz_variant **variant_out) {
  enum hb_status status = HB_OK;
  char allowed[256] = "auto";
  size_t used = strlen(allowed);
  const struct hb_helmholtz_variant *found = NULL;
  HB_TRY(hb_host_isa_check(hb_host_isa_built(), hb_host_isa_here()));
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    const struct hb_helmholtz_variant *variant = &variants[row];
    if (!can_run(variant, backend, mode, n)) continue;
    if (used < sizeof allowed)
      used += (size_t)snprintf(allowed + used, sizeof allowed - used, ", %s", variant->name);
    const bool anywhere = backend == HB_BACKEND_HOST || variant->device.shapes == NULL;
    if (strcmp(name, variant->name) == 0 || (strcmp(name, "auto") == 0 && anywhere))
      found = variant;
  }
  if (found == NULL)
    HB_FAIL(HB_BAD_INPUT,
            "kernel = %s: for degree %d and geometry %s the %s backend can run %s here%s", name,
            n - 1, hb_geometry_mode_name(mode), hb_backend_name(backend), allowed,
            backend == HB_BACKEND_GPU && is_left_out(mode, n)
                ? "; this program was built without that geometry for this degree "
                  "(HELMBONE_RECOMPUTED_ORDERS)"
                : "");
  *variant_out = found;
done:
  return status;
}
