/* SPDX-License-Identifier: BSD-3-Clause
 * The one table of GPU architectures: what the choice of kernels, and the models of matrix cores,
 * know of each by its name.
 *
 * A name is that of hb_device_info, without features: "gfx90a", "sm_90".  AMD's stand for
 * themselves.  Code for an NVIDIA architecture runs on later ones: sm_NN is taken as the row with
 * the largest number up to NN.  What a compiler may emit for the architecture it compiles for is
 * mfma_tiles.h (HB_HAS_MFMA_F64, HB_HAS_MFMA_F32). */
#ifndef HB_KERNELS_ELEMENT_ARCHITECTURES_H
#define HB_KERNELS_ELEMENT_ARCHITECTURES_H

#include "kernels/base.h"

/* Matrix instructions that kernels of the operator are written in. */
enum hb_matrix_cores {
  HB_CORES_NONE,
  HB_CORES_MFMA, /* AMD: 16x16x4 in both precisions, 4x4x4 in f64, 4x4x1 in f32 */
  HB_CORES_MMA   /* NVIDIA: m8n8k4 in f64, fed by bulk copies to shared memory (sm_90) */
};

struct hb_architecture {
  const char *name;
  enum hb_matrix_cores cores[2]; /* [HB_F64], [HB_F32] */
  int banks;                     /* of LDS or shared memory, of four bytes */
  bool in_models;                /* do the tables of matrix instructions have it */
};

/* NULL if nothing is known of it. */
const struct hb_architecture *hb_architecture_find(const char *name);

/* One of AMD's that is not in the table: kernels by matrix cores are not taken there. */
bool hb_architecture_is_unknown_amd(const char *name);

/* The rows; AMD's first, each vendor's from old to new. */
int hb_architecture_count(void);
const struct hb_architecture *hb_architecture_at(int row);

/* Has it these matrix cores in this precision?  False if it is unknown. */
bool hb_architecture_has(const char *name, enum hb_matrix_cores cores, enum hb_precision precision);

#endif
