/* SPDX-License-Identifier: BSD-3-Clause
 * Bank model of CDNA's LDS: what one access of a wavefront costs.  A model, not a measurement.
 *
 * The LDS has 32 banks of one dword (gfx950: 64); dword address d lies on bank d mod banks.  An
 * access is served in groups of lanes, one group after the other:
 *
 *   b32         32 consecutive lanes
 *   b64         16 consecutive lanes
 *   b128 write   8 consecutive lanes
 *   b128 read    8 lanes that are not consecutive: {0-3, 20-23}, {4-7, 16-19}, {8-11, 28-31},
 *                {12-15, 24-27}, and the same plus 32
 *
 * Within a group distinct dwords on one bank are served one a cycle, equal ones together.  So a
 * group costs its conflict degree, and one cycle even where all its lanes are masked.
 *
 * Public measurements back the b64 and b128 groups on MI300 (gfx942) only; gfx90a and gfx950 are
 * taken to have the same groups.  An access that is not aligned to its own width is no bank
 * conflict: it is reported as misaligned, and has no figure here. */
#ifndef HB_KERNELS_MATCORE_LDS_BANKS_H
#define HB_KERNELS_MATCORE_LDS_BANKS_H

#include "kernels/base.h"

enum { HB_LDS_LANES = 64, HB_LDS_MAX_GROUPS = 8, HB_LDS_MASKED = -1 };
enum { HB_LDS_B32 = 1, HB_LDS_B64 = 2, HB_LDS_B128 = 4 }; /* dwords a lane */

enum hb_lds_arch { HB_LDS_GFX90A = 0, HB_LDS_GFX942, HB_LDS_GFX950, HB_LDS_NUM_ARCHS };

struct hb_lds_access {
  enum hb_lds_arch arch;
  int dwords; /* HB_LDS_B32, HB_LDS_B64 or HB_LDS_B128 */
  bool write;
  bool consecutive;          /* what a model would say that takes b128 reads in consecutive lanes */
  int address[HB_LDS_LANES]; /* bytes, or HB_LDS_MASKED */
};

struct hb_lds_cost {
  int num_groups;
  int degree[HB_LDS_MAX_GROUPS]; /* >= 1; 0 if the access is misaligned */
  int worst;                     /* the largest of them */
  int cycles;                    /* their sum */
  int misaligned;                /* lanes whose address is no multiple of the width */
  int overwritten;               /* writes: lanes that share a dword with a lower lane, a race */
};

/* "gfx90a" and so on. */
const char *hb_lds_arch_name(enum hb_lds_arch arch);

int hb_lds_num_banks(enum hb_lds_arch arch);
int hb_lds_num_groups(int dwords);

/* The group, 0 .. hb_lds_num_groups - 1, that serves a lane of the access. */
int hb_lds_group_of_lane(const struct hb_lds_access *access, int lane);

/* Fails with HB_BAD_INPUT on a width or an address (negative, not HB_LDS_MASKED) that is none. */
enum hb_status hb_lds_access_cost(const struct hb_lds_access *access, struct hb_lds_cost *cost);

#endif
