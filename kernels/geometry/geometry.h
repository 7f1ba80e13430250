/* SPDX-License-Identifier: BSD-3-Clause
 * Geometry that an operator reads: how it comes by its factors (the mode), which they are (the
 * set), where they lie and how many bytes an application reads.
 *
 * A mode "stored" keeps the factors f of every point, formed once:
 *
 *   f = G00 G01 G02 G11 G12 G22 and, with mass, M                     (helmholtz.h)
 *
 * on the host [block][k][j][i][f][lane], elements in blocks of `lanes` (missing lanes of the last
 * block hold zeros); on a device [element][f][k][j][i].  The reference's layout is the host's with
 * lanes = 1.  Nobody else writes these products: index, count and bytes come from here. */
#ifndef HB_KERNELS_GEOMETRY_GEOMETRY_H
#define HB_KERNELS_GEOMETRY_GEOMETRY_H

#include "kernels/element/element.h"

#ifdef __cplusplus
extern "C" {
#endif

enum hb_geometry_mode {
  HB_GEOMETRY_STORED, /* factors formed at set-up, read by every application */
  HB_NUM_GEOMETRY_MODES
};

/* G, and M behind it. */
enum { HB_NUM_GEOMETRIC = 6, HB_MASS_FACTOR = 6, HB_MAX_FACTORS = 7 };

enum hb_factor_set {
  HB_FACTORS_STIFFNESS, /* the six G */
  HB_FACTORS_WITH_MASS, /* these and M */
  HB_NUM_FACTOR_SETS
};

struct hb_geometry {
  enum hb_geometry_mode mode;
  enum hb_factor_set factors;
};

/* "stored"; of anything else "unknown". */
const char *hb_geometry_mode_name(enum hb_geometry_mode mode);

static inline bool hb_geometry_has_mass(const struct hb_geometry *geometry) {
  return geometry->factors == HB_FACTORS_WITH_MASS;
}
/* Factors at a point. */
static inline int hb_geometry_num_factors(const struct hb_geometry *geometry) {
  return hb_geometry_has_mass(geometry) ? HB_MAX_FACTORS : HB_NUM_GEOMETRIC;
}

/* A layout: reals from a block of `lanes` elements to the next, from a point to the next (in
 * (k,j,i) order), from a factor to the next; a lane is one real. */
struct hb_factor_layout {
  int lanes;
  ptrdiff_t block, point, factor;
};

static inline struct hb_factor_layout hb_geometry_host_layout(const struct hb_geometry *geometry,
                                                              int n, int lanes) {
  struct hb_factor_layout layout;
  layout.lanes = lanes;
  layout.factor = lanes;
  layout.point = hb_geometry_num_factors(geometry) * layout.factor;
  layout.block = hb_points_per_element(n) * layout.point;
  return layout;
}

static inline struct hb_factor_layout hb_geometry_device_layout(const struct hb_geometry *geometry,
                                                                int n) {
  struct hb_factor_layout layout;
  layout.lanes = 1;
  layout.point = 1;
  layout.factor = hb_points_per_element(n);
  layout.block = hb_geometry_num_factors(geometry) * layout.factor;
  return layout;
}

/* Number of the real that holds factor f at a point of an element. */
static inline ptrdiff_t hb_factor_at(const struct hb_factor_layout *layout, hb_local element,
                                     int point, int f) {
  return element / layout->lanes * layout->block + element % layout->lanes + point * layout->point +
         f * layout->factor;
}

/* Reals that num_elements take, missing lanes among them. */
static inline hb_global hb_factor_count(const struct hb_factor_layout *layout,
                                        hb_local num_elements) {
  return hb_num_blocks(num_elements, layout->lanes) * (hb_global)layout->block;
}

/* Bytes of geometry that one application reads for each element. */
static inline double hb_geometry_read_bytes(const struct hb_geometry *geometry, int n,
                                            enum hb_precision precision) {
  return (double)hb_precision_bytes(precision) * hb_points_per_element(n) *
         hb_geometry_num_factors(geometry);
}

#ifdef __cplusplus
}
#endif

#endif
