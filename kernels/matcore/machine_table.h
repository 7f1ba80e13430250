/* SPDX-License-Identifier: BSD-3-Clause
 * The machine constants that the models use, in one table, each with its source.  Vendors' peak
 * figures: nothing here was measured. */
#ifndef HB_KERNELS_MATCORE_MACHINE_TABLE_H
#define HB_KERNELS_MATCORE_MACHINE_TABLE_H

#include "kernels/base.h"

/* A "CU" is AMD's compute unit or NVIDIA's streaming multiprocessor; one GCD of an MI250X is one
 * machine, as it is one device to a program. */
struct hb_machine {
  const char *name; /* one word */
  const char *arch; /* a row of element/architectures.h */
  int num_cus;
  double clock_hz;           /* peak engine or boost clock */
  double memory_bytes_per_s; /* peak */
  int lds_bytes_per_cycle;   /* a CU; conflict-free */
  double matrix_flops[2];    /* a CU and cycle, [HB_F64], [HB_F32]; 0: no such instruction */
  double vector_flops[2];    /* likewise, by fused multiply-adds of the vector units */
  const char *source;
};

int hb_machine_count(void);
const struct hb_machine *hb_machine_at(int index);

/* By name, upper or lower case; NULL if there is none. */
const struct hb_machine *hb_machine_find(const char *name);

/* Cycles of one CU in which its share of the memory bandwidth moves so many bytes. */
static inline double hb_machine_memory_cycles(const struct hb_machine *machine, double bytes) {
  return bytes * machine->num_cus * machine->clock_hz / machine->memory_bytes_per_s;
}

#endif
