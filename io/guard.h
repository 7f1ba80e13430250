/* SPDX-License-Identifier: BSD-3-Clause
 * Work in a child process of bounded memory and time: what a library does to a damaged file, a
 * crash or an endless loop, ends the child alone. */
#ifndef HB_IO_GUARD_H
#define HB_IO_GUARD_H

#include "kernels/base.h"

struct hb_guard_limits {
  hb_global memory_bytes; /* address space beyond what the process has already; 0: no limit */
  hb_global cpu_seconds;  /* processor time; 0: no limit */
};

enum { HB_GUARD_MAX_CODE = 63 };

/* Runs work(context) in a child, which inherits all open files, and gives its result,
 * 0..HB_GUARD_MAX_CODE, as *code.  HB_MACHINE_FAILED, with words on how it ended, if the child does
 * not come to that result, or cannot be started.  Call it before MPI_Init and with no other thread.
 * Under the address sanitizer, whose shadow takes all addresses, memory is not limited. */
enum hb_status hb_guard_run(const struct hb_guard_limits *limits, int (*work)(void *context),
                            void *context, int *code);

#endif
