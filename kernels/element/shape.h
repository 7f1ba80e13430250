/* SPDX-License-Identifier: BSD-3-Clause
 * Shapes: how a device variant of the operator lays out its work.  The tuner chooses among them,
 * options pin them, and a launch gets one in struct hb_device_helmholtz. */
#ifndef HB_KERNELS_ELEMENT_SHAPE_H
#define HB_KERNELS_ELEMENT_SHAPE_H

#include "kernels/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Matrix instructions, M x N x K: AMD's of mfma_layout.h, in f64 and f32; 8x8x4 is NVIDIA's, f64.
 */
enum hb_matrix_tile {
  HB_MATRIX_NONE,
  HB_MATRIX_16X16X4,
  HB_MATRIX_4X4X4, /* four blocks */
  HB_MATRIX_4X4X1, /* sixteen blocks */
  HB_MATRIX_8X8X4,
  HB_NUM_MATRIX_TILES
};

/* Cubes in LDS: slot(i,j,k) = i + L j + L n k with L = n, or n + 1; or (i + n j + n^2 k) ^ mask. */
enum hb_cube_layout {
  HB_CUBE_NONE,
  HB_CUBE_PLAIN,
  HB_CUBE_PADDED,
  HB_CUBE_SWIZZLED,
  HB_NUM_CUBE_LAYOUTS
};

/* All zeros where a variant leaves no choice. */
struct hb_shape {
  enum hb_matrix_tile tile;
  int wavefronts; /* waves of a block; tensor: of a multiprocessor */
  int elements;   /* of a block, or of a wave if wavefronts = 1 */
  enum hb_cube_layout layout;
  int ahead; /* planes, or groups of elements, whose factors are asked for before they are needed */
};

enum { HB_MAX_SHAPES = 64 };

/* Fills the shapes that the variant has for n on a device of this architecture, the most promising
 * first, and returns their number, at most HB_MAX_SHAPES; 0: it cannot run there. */
typedef int hb_shapes(const char *architecture, int n, enum hb_precision precision,
                      struct hb_shape *shapes);

/* Elements that a block, or a wave that is alone, takes together at most: where the shape leaves it
 * to the kernel, as many as 256 threads have room for, one a line of points. */
int hb_shape_elements(const struct hb_shape *shape, int n);

/* "none", "16x16x4", ...; "none", "plain", "padded", "swizzled". */
const char *hb_matrix_tile_name(enum hb_matrix_tile tile);
const char *hb_cube_layout_name(enum hb_cube_layout layout);

/* "16x16x4, 4 wavefronts, 2 elements, padded, 1 ahead", without what is zero; "" if all is. */
void hb_shape_words(const struct hb_shape *shape, char text[96]);

#ifdef __cplusplus
}
#endif

#endif
