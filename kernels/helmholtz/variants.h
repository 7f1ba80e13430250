/* SPDX-License-Identifier: BSD-3-Clause
 * The one table of variants of the operator.  Adding a variant is its file, one row and a test; one
 * for AMD has its layout printed by tests/launch_geometry.cpp. */
#ifndef HB_KERNELS_HELMHOLTZ_VARIANTS_H
#define HB_KERNELS_HELMHOLTZ_VARIANTS_H

#include "kernels/helmholtz/helmholtz.h"
#include "kernels/helmholtz/helmholtz_device.h"
#include "kernels/host_isa.h"

enum hb_backend_kind { HB_BACKEND_HOST, HB_BACKEND_GPU };
const char *hb_backend_name(enum hb_backend_kind backend);

/* Arrays of two are by precision, [HB_F64] and [HB_F32]. */
struct hb_host_part {
  hb_helmholtz_apply *apply[2];
  hb_helmholtz_diagonal *diagonal[2];
};
struct hb_device_part {
  hb_helmholtz_device_apply *apply[2];             /* NULL: not in this precision */
  hb_helmholtz_device_apply_local *apply_local[2]; /* NULL: not for local vectors */
  int max_components;                              /* of apply_local: 1 or 3 */
  hb_shapes *shapes;                               /* NULL: one, all zeros, on every device */
  hb_shape_has_mode *has_mode;                     /* NULL: every shape has the row's modes */
};

struct hb_helmholtz_variant {
  const char *name, *description;
  enum hb_backend_kind backend;           /* says which of the parts below there is */
  unsigned orders[HB_NUM_GEOMETRY_MODES]; /* the bits 1 << n of those that it has, by mode */
  /* The bits 1 << n where a row before it was measured faster, by mode: not taken untimed. */
  unsigned slow[HB_NUM_GEOMETRY_MODES];
  int lanes[2]; /* 1 on a GPU */
  /* What the processor must have; vector passes and the set-up of geometry are of the same set.  On
   * a GPU HB_ISA_PLAIN, for gates and set-up. */
  enum hb_host_isa isa;
  union {
    struct hb_host_part host;
    struct hb_device_part device;
  };
};

static inline bool hb_helmholtz_is_slow(const struct hb_helmholtz_variant *variant,
                                        enum hb_geometry_mode mode, int n) {
  return (variant->slow[mode] >> n & 1) != 0;
}

static inline bool hb_helmholtz_has(const struct hb_helmholtz_variant *variant,
                                    enum hb_geometry_mode mode, int n) {
  return (unsigned)mode < HB_NUM_GEOMETRY_MODES && n >= 2 && n <= HB_MAX_N &&
         (variant->orders[mode] >> n & 1) != 0;
}

/* A variant in a shape, with geometry of a mode. */
struct hb_kernel {
  const struct hb_helmholtz_variant *variant; /* borrowed: a row of the table */
  struct hb_shape shape;                      /* all zeros on the host */
  enum hb_geometry_mode mode;
};

/* The shapes of a GPU variant on a device of this architecture, as hb_shapes. */
int hb_helmholtz_variant_shapes(const struct hb_helmholtz_variant *variant,
                                const char *architecture, int n, enum hb_precision precision,
                                struct hb_shape shapes[HB_MAX_SHAPES]);

/* The rows, plain to fast; on the host the last that runs here and has the order is the default. */
int hb_helmholtz_num_variants(void);
const struct hb_helmholtz_variant *hb_helmholtz_variant(int row);

/* The variant of that name, or for "auto" the default of the backend: on a GPU the last that runs
 * on every device in one shape (the tuner knows better).  HB_BAD_INPUT lists what
 * can be chosen here for n points per direction if the name is unknown, of the other backend, does
 * not run on this processor, lacks n or the geometry mode; HB_MACHINE_FAILED as hb_host_isa_check.
 */
enum hb_status hb_helmholtz_find_variant(const char *name, enum hb_backend_kind backend,
                                         enum hb_geometry_mode mode, int n,
                                         const struct hb_helmholtz_variant **variant);

#endif
