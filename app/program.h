/* SPDX-License-Identifier: BSD-3-Clause
 * What every program begins and ends with. */
#ifndef HB_APP_PROGRAM_H
#define HB_APP_PROGRAM_H

#include "mesh/comm.h"

/* First of all: a write past the largest size of a file (ulimit -f) fails like any other, instead
 * of ending the program; numbers are read and written with a decimal point, whatever a library does
 * to the locale later on. */
void hb_program_begin(void);

/* Standard output, all of it: HB_MACHINE_FAILED if a write to it has failed since the program
 * began, as on a full disk. */
enum hb_status hb_program_flush(void);

/* A program of ranks.  run: collective; it frees what its state, cleared before, holds. */
struct hb_program {
  const char *name;
  size_t state_bytes;
  enum hb_status least_told; /* a status from this one on has a line on standard error */
  enum hb_status (*run)(void *state, const struct hb_comm *comm, int argc, char **argv,
                        bool attached); /* at a terminal: asked before MPI_Init, which hides it */
};

/* All of main: MPI, the ranks' communicator, the run; what was printed must have arrived.  Returns
 * the exit code. */
int hb_program_run(const struct hb_program *program, int argc, char **argv);

#endif
