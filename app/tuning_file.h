/* SPDX-License-Identifier: BSD-3-Clause
 * The file that keeps what tuning has found: text, one line a decision.
 *
 *   # helmbone tuning, format 1
 *   # ...
 *   KEY : kernel=mfma_staged tile=16x16x4 wavefronts=4 elements=2 layout=padded ahead=1 seconds=1
 *
 * Behind the kernel stands geometry=MODE if that is not stored.  The values up to seconds are the
 * members of the shape (HB_SHAPE_MEMBERS). The key begins with "operator=" and holds no line break
 * and no " : ".  A file is written under another name and renamed, so that a reader has the old or
 * the new one whole; of two that write at once one decision may be lost.  Nothing here is
 * collective; used on one rank. */
#ifndef HB_APP_TUNING_FILE_H
#define HB_APP_TUNING_FILE_H

#include "kernels/element/shape.h"
#include "kernels/geometry/geometry.h"

enum { HB_TUNING_KERNEL_BYTES = 32, HB_TUNING_WARNING_BYTES = 1024 };

struct hb_tuning_decision {
  char kernel[HB_TUNING_KERNEL_BYTES];
  enum hb_geometry_mode mode;
  struct hb_shape shape;
  double seconds; /* of a launch, when it was tuned */
};

/* Looks the key up; a file that is not there has nothing.  `warning` gets words on lines that are
 * no decisions, else is made empty.  HB_BAD_INPUT if the path is something else than such a file,
 * or one that cannot be read whole: it would be replaced. */
enum hb_status hb_tuning_file_find(const char *path, const char *key,
                                   struct hb_tuning_decision *decision, bool *found,
                                   char warning[HB_TUNING_WARNING_BYTES]);

/* Adds the decision or replaces that of the same key; decisions of other keys stay.
 * HB_MACHINE_FAILED if the file cannot be written, HB_BAD_INPUT as above. */
enum hb_status hb_tuning_file_keep(const char *path, const char *key,
                                   const struct hb_tuning_decision *decision);

#endif
