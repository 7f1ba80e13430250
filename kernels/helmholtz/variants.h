/* SPDX-License-Identifier: BSD-3-Clause
 * The one table of variants of the operator.  Adding a variant is one file and one row. */
#ifndef HB_KERNELS_HELMHOLTZ_VARIANTS_H
#define HB_KERNELS_HELMHOLTZ_VARIANTS_H

#include "kernels/geometry/factors.h"
#include "kernels/helmholtz/helmholtz.h"
#include "kernels/helmholtz/helmholtz_device.h"
#include "kernels/vectors/vector_ops.h"

enum hb_backend_kind { HB_BACKEND_HOST, HB_BACKEND_GPU };
const char *hb_backend_name(enum hb_backend_kind backend);

struct hb_helmholtz_variant {
  const char *name, *description;
  enum hb_backend_kind backend;
  int min_n, max_n;
  bool (*runs_here)(void); /* does this processor have what it was compiled for */
  /* By precision, [HB_F64] and [HB_F32]. */
  int lanes[2];
  hb_helmholtz_apply *apply[2];
  hb_helmholtz_diagonal *diagonal[2];
  const struct hb_vector_ops *vector_ops[2];
  /* Set-up, always in double. */
  int geometric_lanes;
  hb_geometric_factors *geometric_factors;
  /* On a GPU; lanes are 1, vector_ops serve gates and set-up, and apply, diagonal and
   * geometric_factors above are NULL. */
  hb_helmholtz_device_apply *device_apply[2];             /* NULL: not in this precision */
  hb_helmholtz_device_apply_local *device_apply_local[2]; /* NULL: not for local vectors */
  int max_components;                                     /* of device_apply_local: 1 or 3 */
  hb_shapes *shapes; /* NULL: one shape, all zeros, on every device */
};

/* A variant in a shape. */
struct hb_kernel {
  const struct hb_helmholtz_variant *variant; /* borrowed: a row of the table */
  struct hb_shape shape;                      /* all zeros on the host */
};

/* The shapes of a GPU variant on a device of this architecture, as hb_shapes. */
int hb_helmholtz_variant_shapes(const struct hb_helmholtz_variant *variant,
                                const char *architecture, int n, enum hb_precision precision,
                                struct hb_shape shapes[HB_MAX_SHAPES]);

/* The rows, plain to fast; on the host the last that runs here and has the order is the default. */
int hb_helmholtz_num_variants(void);
const struct hb_helmholtz_variant *hb_helmholtz_variant(int row);

/* The variant of that name, or for "auto" the default of the backend: on a GPU the last that runs
 * on every device in one shape (hb_helmholtz_default_kernel knows better).  HB_BAD_INPUT lists what
 * can be chosen here for n points per direction if the name is unknown, of the other backend, does
 * not run on this processor or lacks n; HB_MACHINE_FAILED as hb_isa_check. */
enum hb_status hb_helmholtz_find_variant(const char *name, enum hb_backend_kind backend, int n,
                                         const struct hb_helmholtz_variant **variant);

/* What is taken on a device of this architecture without timing: for "auto" the last row that has a
 * shape there, else the row of that name; its first shape.  HB_BAD_INPUT if there is none. */
enum hb_status hb_helmholtz_default_kernel(const char *name, const char *architecture, int n,
                                           enum hb_precision precision, struct hb_kernel *kernel);

#endif
