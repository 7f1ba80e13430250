/* SPDX-License-Identifier: BSD-3-Clause
 * The table of variants, and the choice from it. */
#include "kernels/helmholtz_variants.h"

#include <stdio.h>
#include <string.h>

hb_helmholtz_apply hb_helmholtz_host_apply_f64, hb_helmholtz_host_apply_f32;
hb_helmholtz_diagonal hb_helmholtz_host_diagonal_f64, hb_helmholtz_host_diagonal_f32;

/* What the files compiled per instruction set provide. */
#define DECLARE_ISA(isa)                                                                           \
  hb_helmholtz_apply hb_helmholtz_simd_f64_##isa, hb_helmholtz_simd_f32_##isa;                     \
  hb_helmholtz_diagonal hb_helmholtz_diagonal_f64_##isa, hb_helmholtz_diagonal_f32_##isa;          \
  hb_geometric_factors hb_geometric_factors_f64_##isa;                                             \
  extern const struct hb_vector_ops hb_vector_ops_f64_##isa, hb_vector_ops_f32_##isa;

#define ISA_ROW(isa, bytes, text)                                                                  \
  {                                                                                                \
    .name = "simd_" #isa, .description = text, .min_n = 2, .max_n = HB_MAX_N,                      \
    .runs_here = runs_##isa, .lanes = {(bytes) / 8, (bytes) / 4},                                  \
    .apply = {hb_helmholtz_simd_f64_##isa, hb_helmholtz_simd_f32_##isa},                           \
    .diagonal = {hb_helmholtz_diagonal_f64_##isa, hb_helmholtz_diagonal_f32_##isa},                \
    .vector_ops = {&hb_vector_ops_f64_##isa, &hb_vector_ops_f32_##isa},                            \
    .geometric_lanes = (bytes) / 8, .geometric_factors = hb_geometric_factors_f64_##isa,           \
  }

/* BASE_OPS: the vector passes for the reference, of the plainest instruction set built. */
static bool runs_always(void) { return true; }

#ifdef HB_HAVE_ISA_native
DECLARE_ISA(native)
static bool runs_native(void) { return true; }
#define BASE_OPS(bits) &hb_vector_ops_f##bits##_native
#endif
#ifdef HB_HAVE_ISA_v4
DECLARE_ISA(v4)
static bool runs_v4(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw");
}
#undef BASE_OPS
#define BASE_OPS(bits) &hb_vector_ops_f##bits##_v4
#endif
#ifdef HB_HAVE_ISA_v3
DECLARE_ISA(v3)
static bool runs_v3(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}
#undef BASE_OPS
#define BASE_OPS(bits) &hb_vector_ops_f##bits##_v3
#endif
#ifdef HB_HAVE_ISA_v2
DECLARE_ISA(v2)
static bool runs_v2(void) { return __builtin_cpu_supports("sse4.2"); }
#undef BASE_OPS
#define BASE_OPS(bits) &hb_vector_ops_f##bits##_v2
#endif

#define GPU_ROW(of, function, text)                                                                \
  {                                                                                                \
    .name = of, .description = text, .backend = HB_BACKEND_GPU, .min_n = 2, .max_n = HB_MAX_N,     \
    .runs_here = runs_always, .lanes = {1, 1}, .vector_ops = {BASE_OPS(64), BASE_OPS(32)},         \
    .geometric_lanes = 1, .device_apply = {function##_f64, function##_f32},                        \
  }

static const struct hb_helmholtz_variant variants[] = {
    {.name = "reference",
     .description = "the equation in plain loops",
     .min_n = 2,
     .max_n = HB_MAX_N,
     .runs_here = runs_always,
     .lanes = {1, 1},
     .apply = {hb_helmholtz_host_apply_f64, hb_helmholtz_host_apply_f32},
     .diagonal = {hb_helmholtz_host_diagonal_f64, hb_helmholtz_host_diagonal_f32},
     .vector_ops = {BASE_OPS(64), BASE_OPS(32)},
     .geometric_lanes = 1,
     .geometric_factors = hb_geometric_factors_host},
#ifdef HB_HAVE_ISA_v2
    ISA_ROW(v2, 32, "vectors of elements, x86-64-v2 (SSE4.2)"),
#endif
#ifdef HB_HAVE_ISA_v3
    ISA_ROW(v3, 32, "vectors of elements, x86-64-v3 (AVX2)"),
#endif
#ifdef HB_HAVE_ISA_v4
    ISA_ROW(v4, 64, "vectors of elements, x86-64-v4 (AVX-512)"),
#endif
#ifdef HB_HAVE_ISA_native
    ISA_ROW(native, 32, "vectors of elements, the building machine's instruction set"),
#endif
#ifdef HB_HAVE_GPU
    GPU_ROW("1d", hb_helmholtz_1d, "GPU, points of an element over threads"),
    GPU_ROW("kstep", hb_helmholtz_kstep, "GPU, lines in registers, planes in LDS"),
#endif
};

const char *hb_backend_name(enum hb_backend backend) {
  return backend == HB_BACKEND_HOST ? "host" : "gpu";
}

int hb_helmholtz_num_variants(void) { return (int)(sizeof variants / sizeof *variants); }

const struct hb_helmholtz_variant *hb_helmholtz_variant(int row) { return &variants[row]; }

static bool can_run(const struct hb_helmholtz_variant *variant, enum hb_backend backend, int n) {
  return variant->backend == backend && variant->runs_here() && n >= variant->min_n &&
         n <= variant->max_n;
}

enum hb_status hb_helmholtz_find_variant(const char *name, enum hb_backend backend, int n,
                                         const struct hb_helmholtz_variant **variant_out) {
  enum hb_status status = HB_OK;
  char allowed[256] = "auto";
  size_t used = strlen(allowed);
  const struct hb_helmholtz_variant *found = NULL;
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    const struct hb_helmholtz_variant *variant = &variants[row];
    if (!can_run(variant, backend, n)) continue;
    used += (size_t)snprintf(allowed + used, sizeof allowed - used, ", %s", variant->name);
    if (strcmp(name, "auto") == 0 || strcmp(name, variant->name) == 0) found = variant;
  }
  if (found == NULL)
    HB_FAIL(HB_BAD_INPUT, "kernel = %s: for degree %d the %s backend can run %s here", name, n - 1,
            hb_backend_name(backend), allowed);
  *variant_out = found;
done:
  return status;
}
