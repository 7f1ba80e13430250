/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-matcore lds: the LDS bank model on the command line.  Modelled, never measured. */
#ifndef HB_APP_MATCORE_LDS_H
#define HB_APP_MATCORE_LDS_H

#include "kernels/base.h"

/* argv[0] is the sub-command's own name, "lds"; argv[1] is access, staged, table or pad.  Prints to
 * standard output; returns the exit code, an enum hb_status; what went wrong is in the error
 * record. */
int hb_matcore_lds(int argc, char **argv);

/* Its parts, argv[0] being access, staged, table or pad. */
enum hb_status hb_matcore_lds_access(int argc, char **argv);
enum hb_status hb_matcore_lds_staged(int argc, char **argv);
enum hb_status hb_matcore_lds_table(int argc, char **argv);
enum hb_status hb_matcore_lds_pad(int argc, char **argv);

/* Options that several of them have.  An index of WIDTHS is the logarithm of the dwords, one of
 * ARCHS an enum hb_lds_arch. */
#define HB_MATCORE_WIDTHS      "b32 b64 b128"
#define HB_MATCORE_LDS_ARCHS   "gfx90a gfx942 gfx950"
#define HB_MATCORE_CONSECUTIVE "as if b128 reads were served in consecutive lanes (they are not)"

#endif
