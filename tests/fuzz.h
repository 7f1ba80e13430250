/* SPDX-License-Identifier: BSD-3-Clause
 * Fuzz targets fuzz_X.c: what each gives to libFuzzer, or to fuzz_replay.c without it.
 *
 * corpus/X holds seeds and what was found; every build with sanitizers replays it.  To search
 * (clang):
 *
 *   cmake --preset host-fuzz && cmake --build build/host-fuzz
 *   build/host-fuzz/fuzz_X -max_total_time=600 NEW_FOLDER tests/corpus/X */
#ifndef HB_TESTS_FUZZ_H
#define HB_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "kernels/base.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
/* One input; ends the process if what was tried is wrong with it. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Always active, unlike HB_ASSERT. */
#define FUZZ_REQUIRE(condition)                                                                    \
  ((condition) ? (void)0 : hb_assertion_failed(#condition, __FILE__, __LINE__))

#endif
