/* SPDX-License-Identifier: BSD-3-Clause
 * Lists on the command line of helmbone-bench: numbers with ranges, names. */
#ifndef HB_APP_BENCH_LISTS_H
#define HB_APP_BENCH_LISTS_H

#include "app/option.h"

/* "3,5..9": sets chosen[i] for each number i of the list, lowest <= i <= highest; "all" stands for
 * all of them.  `option` is for messages.  HB_BAD_INPUT says what was given and what is allowed. */
enum hb_status hb_bench_numbers(const char *option, const char *text, int lowest, int highest,
                                bool *chosen);

/* "f64,f32": the bits 1 << i of the names known[i], i < count <= 32, NULL ones apart; "all" stands
 * for all of them.  HB_BAD_INPUT as above. */
enum hb_status hb_bench_names(const char *option, const char *text, const char *const *known,
                              int count, unsigned *chosen);

#endif
