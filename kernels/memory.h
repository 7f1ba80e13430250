/* SPDX-License-Identifier: BSD-3-Clause
 * What bounds the memory of this process: the machine, the groups of processes that it is in
 * (cgroups of version 1 and 2, as containers and Slurm's jobs, steps and tasks have them), and its
 * own limits (ulimit -v, ulimit -d). */
#ifndef HB_KERNELS_MEMORY_H
#define HB_KERNELS_MEMORY_H

#include "kernels/base.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HB_MEMORY_MAX_LIMITS = 24, HB_MEMORY_GROUP_BYTES = 512 };

/* Who shares what is left. */
enum hb_memory_sharer {
  HB_MEMORY_OF_NODE,   /* all processes of the machine */
  HB_MEMORY_OF_GROUP,  /* those of the group and of groups below it */
  HB_MEMORY_OF_PROCESS /* this one alone */
};

struct hb_memory_limit {
  enum hb_memory_sharer sharer;
  char group[HB_MEMORY_GROUP_BYTES]; /* "/slurm/job_7": begins the names of those below it */
  hb_global available;               /* bytes left, what the system would give back counted */
};

struct hb_memory_limits {
  int count;
  struct hb_memory_limit limit[HB_MEMORY_MAX_LIMITS];
  char own_group[HB_MEMORY_GROUP_BYTES]; /* of this process; "/" if it is in none */
  bool machine_known;                    /* the machine itself could be asked */
};

/* Reads /proc and /sys under `root` ("" for the system's own; tests have others).  Of a group's
 * levels those that have a limit; what cannot be read is left out. */
void hb_memory_read_limits(const char *root, struct hb_memory_limits *limits);

/* Is a process of group `own` in `group`, or below it? */
bool hb_memory_in_group(const char *own, const char *group);

#ifdef __cplusplus
}
#endif

#endif
