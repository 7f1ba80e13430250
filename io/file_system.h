/* SPDX-License-Identifier: BSD-3-Clause
 * File systems: may several nodes write parts of one file at a time.
 *
 * A list of those that may: clients of other systems keep pages of their own and write them whole,
 * so that the last one's old bytes take the place of the others' new ones, and nobody is told. */
#ifndef HB_IO_FILE_SYSTEM_H
#define HB_IO_FILE_SYSTEM_H

#include "kernels/base.h"

enum { HB_FILE_SYSTEM_NAME_BYTES = 64 };

struct hb_file_system {
  uint64_t magic;                       /* statfs(2)'s f_type, 32 bit */
  char name[HB_FILE_SYSTEM_NAME_BYTES]; /* as mounted: "ext4", "lustre", "fuse.sshfs", or "" */
};

/* How the arrays come to the file. */
struct hb_write_way {
  bool direct;     /* every rank writes its part; otherwise rank 0 for all */
  char words[160]; /* "every rank: lustre takes writes of 4 nodes" */
};

/* The file system of an open file; what is not known is 0 and "". */
void hb_file_system_of(int descriptor, struct hb_file_system *system);

/* The ranks run on num_nodes nodes; seen: all see the file that rank 0 has made; through_rank_0:
 * the program is built to write so. */
void hb_file_system_decide(const struct hb_file_system *system, bool seen, int num_nodes,
                           bool through_rank_0, struct hb_write_way *way);

#endif
