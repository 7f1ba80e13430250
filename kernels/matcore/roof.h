/* SPDX-License-Identifier: BSD-3-Clause
 * Modelled time of the Helmholtz operator on one element, for each strategy and geometry mode on
 * each machine: what memory, LDS, matrix cores and vector units would need, and which one binds.
 * A model: no figure of it was measured.
 *
 * All times are cycles of one CU, which has its share of the memory (machine_table.h):
 *
 *   memory   bytes / (bandwidth / CUs / clock).  Reals an element, no mass term, no index list:
 *              u read                n^3
 *              w written             n^3
 *              factors   stored      6 n^3
 *                        trilinear   24, eight vertices
 *                        affine      6
 *   LDS      the bank model (lds_staged.h): cube and D, padded as the staged kernel pads
 *   matrix   issue cycles of six contractions over four SIMDs; NVIDIA: 12 n^4 flops at peak
 *   vector   flops / peak: a point
 *              contractions          12 n, if no matrix core does them
 *              factors applied       15
 *              trilinear             128 more: products of coordinates 3, nine bilinear forms of 6,
 *                                    nine cofactors of 3, determinant 5, weight over it 3,
 *                                    six factors of 5 + 1
 *              affine                5 more: the weight 2, three products with it
 *
 * The largest of the four binds.  Points a second are what the machine would do if the four
 * overlapped perfectly, with enough elements in flight: for the counts below an upper bound.
 *
 * Strategies:
 *   1d               reads D and the points from LDS for every term.  A compiler that keeps D in
 *                    registers reads less; then this is no bound
 *   kstep            as it is shipped: D along k in scalar registers, its other reads shared by the
 *                    planes between two barriers
 *   staged           matrix cores with the small tile (f64 4x4x4, f32 4x4x1), all through LDS
 *   staged_16        the same with 16x16x4
 *   staged_xor       staged with the known swizzle of the cube in place of its padding (f64 n = 4,
 *                    8; f32 n = 8); D as in staged
 *   chained          matrix cores with 16x16x4, results stay in registers, nothing passes through
 *                    LDS.  With R = run and S = steps of chained_layout.h, a plane of as many
 *                    elements as fit takes R instructions along i and R + S along j (R of them
 *                    transpose), in each direction: 2 (2 R + S) n for all n planes.  The axis k is
 *                    within a lane: 4 n flops a point of the vector units
 *   tensor           f64 n = 4 to 8 on NVIDIA, m8n8k4: planes of 8 x 8 points of an element, for
 *                    n = 4 of four, in registers: 12 instructions a plane, four of them transpose;
 *                    the axis k is within a lane.  Points and result pass through shared memory
 *                    once each, written and read, and so do stored factors */
#ifndef HB_KERNELS_MATCORE_ROOF_H
#define HB_KERNELS_MATCORE_ROOF_H

#include "kernels/matcore/machine_table.h"

enum hb_roof_strategy {
  HB_ROOF_1D = 0,
  HB_ROOF_KSTEP,
  HB_ROOF_STAGED,
  HB_ROOF_STAGED_16,
  HB_ROOF_STAGED_XOR,
  HB_ROOF_CHAINED,
  HB_ROOF_TENSOR,
  HB_ROOF_NUM_STRATEGIES
};

enum hb_roof_geometry {
  HB_ROOF_STORED = 0,
  HB_ROOF_TRILINEAR,
  HB_ROOF_AFFINE,
  HB_ROOF_NUM_GEOMETRIES
};

enum hb_roof_limit {
  HB_ROOF_MEMORY = 0,
  HB_ROOF_LDS,
  HB_ROOF_MATRIX,
  HB_ROOF_VECTOR,
  HB_ROOF_LIMITS
};

struct hb_roof_case {
  const struct hb_machine *machine; /* borrowed */
  int n;                            /* 2 .. 16 */
  enum hb_precision precision;
  enum hb_roof_strategy strategy;
  enum hb_roof_geometry geometry;
};

struct hb_roof {
  double cycles[HB_ROOF_LIMITS]; /* of one CU and element */
  enum hb_roof_limit binds;
  double points_per_s; /* of the machine */
};

const char *hb_roof_strategy_name(enum hb_roof_strategy strategy);
const char *hb_roof_geometry_name(enum hb_roof_geometry geometry);
const char *hb_roof_limit_name(enum hb_roof_limit limit);

/* The machine has the instructions, and the strategy is defined for n (staged: f64 4 to 12, f32 2
 * to 12; chained: all). */
bool hb_roof_exists(const struct hb_roof_case *roof_case);

/* Reals that an element moves, and flops a point of the vector units beside the contractions. */
double hb_roof_reals(int n, enum hb_roof_geometry geometry);
double hb_roof_point_flops(enum hb_roof_geometry geometry);

/* Matrix instructions of an element, chained. */
double hb_roof_chained_issues(int n);

/* HB_BAD_INPUT if n is out of range or hb_roof_exists is false. */
enum hb_status hb_roof_model(const struct hb_roof_case *roof_case, struct hb_roof *roof);

#endif
