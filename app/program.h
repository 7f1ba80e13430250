/* SPDX-License-Identifier: BSD-3-Clause
 * What every program begins and ends with. */
#ifndef HB_APP_PROGRAM_H
#define HB_APP_PROGRAM_H

#include "kernels/base.h"

/* First of all: a write past the largest size of a file (ulimit -f) fails like any other, instead
 * of ending the program; numbers are read and written with a decimal point, whatever a library does
 * to the locale later on. */
void hb_program_begin(void);

/* Standard output, all of it: HB_MACHINE_FAILED if a write to it has failed since the program
 * began, as on a full disk. */
enum hb_status hb_program_flush(void);

#endif
