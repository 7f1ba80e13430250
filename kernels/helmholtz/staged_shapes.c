/* SPDX-License-Identifier: BSD-3-Clause
 * Shapes of the staged operator. */
#include "kernels/element/architectures.h"
#include "kernels/helmholtz/helmholtz_device.h"
#include "kernels/helmholtz/staged.h"

int hb_staged_lds_bytes(const struct hb_shape *shape, enum hb_precision precision, int n) {
  const int cubes = hb_staged_cubes(hb_staged_groups(shape, n) == 1) * shape->elements *
                    hb_cube_slots(n, shape->layout) * (int)hb_precision_bytes(precision);
  const int sums = shape->wavefronts * (int)sizeof(double); /* in the place of the cubes */
  return cubes > sums ? cubes : sums;
}

bool hb_staged_runs(const struct hb_shape *shape, enum hb_precision precision, int n) {
  return shape->wavefronts >= 1 && shape->elements >= 1 &&
         hb_staged_has_tile(shape->tile, precision, n) &&
         hb_cube_has_kernel(n, precision, shape->layout) &&
         (hb_staged_groups(shape, n) == 1 ||
          hb_staged_has_loop(shape->tile, precision, shape->layout, n)) &&
         shape->wavefronts <=
             hb_staged_most_wavefronts(shape->tile, n, hb_staged_groups(shape, n) == 1) &&
         hb_staged_lds_bytes(shape, precision, n) <= HB_LDS_BYTES;
}

bool hb_staged_keeps_factors(const struct hb_shape *shape, enum hb_precision precision, int n) {
  return hb_staged_groups(shape, n) == 1 && hb_staged_loads_ahead(precision, shape->tile, n, true);
}

/* Elements of a block: as many as give a wavefront at least a column group, so that none idles, and
 * as fit into LDS.  Small elements that share a column group come as many as it takes for each
 * wavefront. */
static int choose_elements(const struct hb_shape *shape, enum hb_precision precision, int n) {
  const int groups = hb_tile_groups(shape->tile, n, 1);
  struct hb_shape fits = *shape;
  fits.elements = 1;
  if (groups == 1) {
    while (hb_tile_groups(shape->tile, n, 2 * fits.elements) == 1) fits.elements *= 2;
    fits.elements *= shape->wavefronts;
  } else
    while (2 * fits.elements * groups <= shape->wavefronts) fits.elements *= 2;
  while (fits.elements > 1 && hb_staged_lds_bytes(&fits, precision, n) > HB_LDS_BYTES)
    fits.elements /= 2;
  return fits.elements;
}

/* Is there a kernel, and work for more than half of the wavefronts? */
static bool is_useful(const struct hb_shape *shape, enum hb_precision precision, int n) {
  return hb_staged_runs(shape, precision, n) &&
         (hb_staged_is_alone(shape) ||
          2 * hb_tile_groups(shape->tile, n, shape->elements) > shape->wavefronts);
}

/* Layouts, the best by the model of LDS banks first. */
static void order_layouts(int n, enum hb_precision precision, enum hb_cube_layout layouts[3]) {
  const bool pad = hb_cube_padding_helps(n, precision);
  layouts[0] = HB_CUBE_SWIZZLED; /* skipped where there is none */
  layouts[1] = pad ? HB_CUBE_PADDED : HB_CUBE_PLAIN;
  layouts[2] = pad ? HB_CUBE_PLAIN : HB_CUBE_PADDED;
}

/* Tiles, that with the fewer issue cycles first; with equal ones, that which holds D in fewer
 * registers. */
static void order_tiles(int n, enum hb_precision precision, enum hb_matrix_tile tiles[2]) {
  const enum hb_matrix_tile small = precision == HB_F64 ? HB_MATRIX_4X4X4 : HB_MATRIX_4X4X1;
  const bool small_first = n <= 8;
  tiles[0] = small_first ? small : HB_MATRIX_16X16X4;
  tiles[1] = small_first ? HB_MATRIX_16X16X4 : small;
}

int hb_helmholtz_staged_shapes(const char *architecture, int n, enum hb_precision precision,
                               struct hb_shape *shapes) {
  static const int wavefronts[] = {4, 2, 1, 8, 16};
  enum hb_cube_layout layouts[3];
  enum hb_matrix_tile tiles[2];
  int count = 0;
  if (!hb_architecture_has(architecture, HB_CORES_MFMA, precision)) return 0;
  order_layouts(n, precision, layouts);
  order_tiles(n, precision, tiles);
  for (int layout = 0; layout < 3; layout++)
    for (int tile = 0; tile < 2; tile++)
      for (size_t w = 0; w < sizeof wavefronts / sizeof *wavefronts; w++) {
        struct hb_shape shape = {
            .tile = tiles[tile], .wavefronts = wavefronts[w], .layout = layouts[layout]};
        shape.elements = choose_elements(&shape, precision, n);
        if (is_useful(&shape, precision, n)) count = hb_shape_add(shapes, count, &shape);
      }
  return count;
}

bool hb_helmholtz_staged_has_mode(enum hb_geometry_mode mode, const struct hb_shape *shape, int n) {
  return mode != HB_GEOMETRY_NODES || hb_staged_groups(shape, n) == 1;
}
