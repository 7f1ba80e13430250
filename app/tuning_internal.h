/* SPDX-License-Identifier: BSD-3-Clause
 * Pins: what the options ask of a kernel.  Shared by the tuning_*.c files.  Not collective. */
#ifndef HB_APP_TUNING_INTERNAL_H
#define HB_APP_TUNING_INTERNAL_H

#include "app/tuning.h"

/* Room for a kernel and all members of a shape. */
enum { HB_PIN_BYTES = 48 * (1 + HB_NUM_SHAPE_MEMBERS) };

/* Does the kernel have everything that is pinned?  Is anything pinned? */
bool hb_pins_allow(const struct hb_options *options, const struct hb_kernel *kernel);
bool hb_pins_any(const struct hb_options *options);

/* "kernel = kstep, wavefronts = 4": what is pinned; "none". */
void hb_pins_words(const struct hb_options *options, char text[HB_PIN_BYTES]);

/* HB_BAD_INPUT with what is possible: of all candidates there are those of the pinned kernel, or
 * all if it has none. */
enum hb_status hb_pins_refuse(const struct hb_options *options, const struct hb_tuning_case *of,
                              const char *architecture, int count,
                              const struct hb_candidate *candidates);

#endif
