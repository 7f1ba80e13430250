/* SPDX-License-Identifier: BSD-3-Clause
 * Modelled time of the Helmholtz operator on one element. */
#include "kernels/matcore/roof.h"

#include <string.h>

#include "kernels/element/mfma_cube.h"
#include "kernels/helmholtz/chained_layout.h"
#include "kernels/matcore/lds_staged.h"

enum { SIMDS = 4, CONTRACTIONS = 6, TENSOR_FLOPS = 2 * 8 * 8 * 4 };

static const char *const strategy_names[HB_ROOF_NUM_STRATEGIES] = {
    "1d", "kstep", "staged", "staged_16", "staged_xor", "chained", "tensor"};
static const char *const geometry_names[HB_ROOF_NUM_GEOMETRIES] = {"stored", "trilinear", "affine"};
static const char *const limit_names[HB_ROOF_LIMITS] = {"memory", "lds", "matrix", "vector"};

const char *hb_roof_strategy_name(enum hb_roof_strategy strategy) {
  return strategy_names[strategy];
}
const char *hb_roof_geometry_name(enum hb_roof_geometry geometry) {
  return geometry_names[geometry];
}
const char *hb_roof_limit_name(enum hb_roof_limit limit) { return limit_names[limit]; }

static enum hb_matrix_tile tile_of(const struct hb_roof_case *c) {
  if (c->strategy == HB_ROOF_STAGED_16) return HB_MATRIX_16X16X4;
  return c->precision == HB_F64 ? HB_MATRIX_4X4X4 : HB_MATRIX_4X4X1;
}

bool hb_roof_exists(const struct hb_roof_case *c) {
  const bool amd = strncmp(c->machine->arch, "gfx", 3) == 0;
  const bool matrix = c->machine->matrix_flops[c->precision] > 0.0;
  struct hb_lds_swizzle swizzle;
  switch (c->strategy) {
  case HB_ROOF_1D:
  case HB_ROOF_KSTEP: return true;
  case HB_ROOF_CHAINED: return amd && matrix;
  case HB_ROOF_TENSOR: return !amd && matrix && c->precision == HB_F64 && c->n >= 4 && c->n <= 8;
  case HB_ROOF_STAGED_XOR:
    return amd && matrix && hb_lds_known_swizzle(c->n, c->precision, tile_of(c), &swizzle);
  default: return amd && matrix && c->n <= 12 && c->n >= (c->precision == HB_F64 ? 4 : 2);
  }
}

double hb_roof_reals(int n, enum hb_roof_geometry geometry) {
  const double points = (double)n * n * n;
  switch (geometry) {
  case HB_ROOF_STORED: return 2.0 * points + 6.0 * points;
  case HB_ROOF_TRILINEAR: return 2.0 * points + 24.0;
  default: return 2.0 * points + 6.0;
  }
}

double hb_roof_point_flops(enum hb_roof_geometry geometry) {
  switch (geometry) {
  case HB_ROOF_STORED: return 15.0;
  case HB_ROOF_TRILINEAR: return 15.0 + 3 + 9 * 6 + 9 * 3 + 5 + 3 + 6 * (5 + 1);
  default: return 15.0 + 2 + 3;
  }
}

double hb_roof_chained_issues(int n) {
  return 2.0 * (2 * hb_chained_run(n) + hb_chained_steps(n)) * n / hb_chained_elements(n);
}

/* Planes of kstep.hip on AMD and on NVIDIA, stored factors. */
static int kstep_planes(const struct hb_machine *machine, int n) {
  static const int amd[] = {0, 0, 2, 3, 2, 3, 3, 3, 2, 3, 3, 2, 2, 2, 2, 2, 1};
  static const int nvidia[] = {0, 0, 2, 3, 1, 1, 2, 2, 3, 3, 3, 3, 2, 4, 2, 2, 2};
  return strncmp(machine->arch, "gfx", 3) == 0 ? amd[n] : nvidia[n];
}

static enum hb_status count_staged(const struct hb_roof_case *c, struct hb_roof *roof) {
  enum hb_status status = HB_OK;
  struct hb_lds_staged staged = hb_lds_staged_of(c->n, c->precision, tile_of(c));
  struct hb_lds_staged_cycles cube, d;
  struct hb_lds_swizzle swizzle;
  staged.pad = hb_cube_padding_helps(c->n, c->precision) ? 1 : 0;
  HB_TRY(hb_lds_staged_count(&staged, &d));
  if (c->strategy == HB_ROOF_STAGED_XOR) {
    staged.pad = 0;
    (void)hb_lds_known_swizzle(c->n, c->precision, staged.tile, &swizzle); /* it exists */
    staged.swizzle = &swizzle;
  }
  HB_TRY(hb_lds_staged_count(&staged, &cube));
  roof->cycles[HB_ROOF_LDS] = (double)(cube.cube + d.d_reads) / cube.elements;
  roof->cycles[HB_ROOF_MATRIX] = CONTRACTIONS * (double)cube.issue / cube.elements / SIMDS;
done:
  return status;
}

/* LDS and matrix cycles; `flops` of the vector units grows where they contract. */
static enum hb_status count_contractions(const struct hb_roof_case *c, struct hb_roof *roof,
                                         double *flops) {
  enum hb_status status = HB_OK;
  const double points = (double)c->n * c->n * c->n, contraction_flops = 12.0 * points * c->n;
  const double cube_bytes = points * (double)hb_precision_bytes(c->precision);
  int cycles = 0;
  switch (c->strategy) {
  case HB_ROOF_1D:
  case HB_ROOF_KSTEP:
    HB_TRY(c->strategy == HB_ROOF_1D
               ? hb_lds_count_1d(c->n, c->precision, &cycles)
               : hb_lds_count_kstep_planes(c->n, c->precision, kstep_planes(c->machine, c->n),
                                           &cycles));
    roof->cycles[HB_ROOF_LDS] = cycles;
    *flops += contraction_flops;
    break;
  case HB_ROOF_CHAINED:
    roof->cycles[HB_ROOF_MATRIX] =
        hb_roof_chained_issues(c->n) * hb_lds_tile_cycles(HB_MATRIX_16X16X4, c->precision) / SIMDS;
    *flops += 4.0 * points * c->n;
    break;
  case HB_ROOF_TENSOR:
    roof->cycles[HB_ROOF_LDS] =
        (c->geometry == HB_ROOF_STORED ? 16.0 : 4.0) * cube_bytes / c->machine->lds_bytes_per_cycle;
    roof->cycles[HB_ROOF_MATRIX] =
        12.0 * c->n * TENSOR_FLOPS / (c->n == 4 ? 4 : 1) / c->machine->matrix_flops[c->precision];
    *flops += 4.0 * points * c->n;
    break;
  default: HB_TRY(count_staged(c, roof));
  }
done:
  return status;
}

/* The table of matrix instructions is of machines that do 256 flops a CU and cycle by 16x16x4; on
 * others (f64 of gfx950) it takes longer. */
static double issue_scale(const struct hb_roof_case *c) {
  const bool large = c->strategy == HB_ROOF_CHAINED || c->strategy == HB_ROOF_STAGED_16;
  return large ? 256.0 / c->machine->matrix_flops[c->precision] : 1.0;
}

enum hb_status hb_roof_model(const struct hb_roof_case *c, struct hb_roof *roof) {
  enum hb_status status = HB_OK;
  const double points = (double)c->n * c->n * c->n;
  double flops = hb_roof_point_flops(c->geometry) * points;
  *roof = (struct hb_roof){.binds = HB_ROOF_MEMORY};
  if (c->n < 2 || c->n > HB_MAX_N)
    HB_FAIL(HB_BAD_INPUT, "n = %d; allowed: 2 to %d", c->n, HB_MAX_N);
  if (!hb_roof_exists(c))
    HB_FAIL(HB_BAD_INPUT, "%s: there is no strategy %s for n = %d in %s", c->machine->name,
            hb_roof_strategy_name(c->strategy), c->n, hb_precision_name(c->precision));
  HB_TRY(count_contractions(c, roof, &flops));
  roof->cycles[HB_ROOF_MATRIX] *= issue_scale(c);
  roof->cycles[HB_ROOF_VECTOR] = flops / c->machine->vector_flops[c->precision];
  roof->cycles[HB_ROOF_MEMORY] = hb_machine_memory_cycles(
      c->machine, hb_roof_reals(c->n, c->geometry) * (double)hb_precision_bytes(c->precision));
  for (int limit = 0; limit < HB_ROOF_LIMITS; limit++)
    if (roof->cycles[limit] > roof->cycles[roof->binds]) roof->binds = (enum hb_roof_limit)limit;
  roof->points_per_s =
      points * c->machine->num_cus * c->machine->clock_hz / roof->cycles[roof->binds];
done:
  return status;
}
