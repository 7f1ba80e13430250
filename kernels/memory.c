/* SPDX-License-Identifier: BSD-3-Clause
 * Limits of memory, as Linux tells them in /proc and /sys. */
#include "kernels/memory.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { NAME_BYTES = 2048 };

/* Files of a group by version: v2 has "max" where there is no limit, v1 a number near 2^63. */
struct version {
  const char *mount, *limit, *used, *clean[2]; /* clean: file pages that are given back */
};
static const struct version versions[] = {
    {"/sys/fs/cgroup", "memory.max", "memory.current", {"inactive_file", "slab_reclaimable"}},
    {"/sys/fs/cgroup/memory",
     "memory.limit_in_bytes",
     "memory.usage_in_bytes",
     {"total_inactive_file", "total_inactive_file"}},
};
static const hb_global NO_LIMIT = (hb_global)1 << 60;

/* The number in a small file; -1: no such file, or no number. */
static hb_global read_number(const char *path) {
  FILE *file = fopen(path, "r");
  long long value = -1;
  if (file == NULL) return -1;
  if (fscanf(file, "%lld", &value) != 1) value = -1;
  fclose(file);
  return value;
}

/* The number after a name, in a file of lines; -1: not there. */
static hb_global read_named(const char *path, const char *name) {
  FILE *file = fopen(path, "r");
  char line[256];
  long long value = -1;
  const size_t length = strlen(name);
  if (file == NULL) return -1;
  while (value < 0 && fgets(line, sizeof line, file) != NULL)
    if (strncmp(line, name, length) == 0 && strchr(": \t", line[length]) != NULL &&
        sscanf(line + length + 1, "%lld", &value) != 1)
      value = -1;
  fclose(file);
  return value;
}

static void add(struct hb_memory_limits *limits, enum hb_memory_sharer sharer, const char *group,
                hb_global available) {
  if (limits->count == HB_MEMORY_MAX_LIMITS) return;
  struct hb_memory_limit *limit = &limits->limit[limits->count++];
  *limit = (struct hb_memory_limit){.sharer = sharer, .available = available > 0 ? available : 0};
  snprintf(limit->group, sizeof limit->group, "%s", group);
}

/* One level of a group: what is left of its limit, with the clean pages that it would give back. */
static void read_level(const char *root, const struct version *version, const char *group,
                       struct hb_memory_limits *limits) {
  char path[NAME_BYTES];
  hb_global clean = 0;
  snprintf(path, sizeof path, "%s%s%s/%s", root, version->mount, group, version->limit);
  const hb_global limit = read_number(path);
  snprintf(path, sizeof path, "%s%s%s/%s", root, version->mount, group, version->used);
  const hb_global used = read_number(path);
  if (limit < 0 || limit >= NO_LIMIT || used < 0) return;
  snprintf(path, sizeof path, "%s%s%s/memory.stat", root, version->mount, group);
  for (int c = 0; c < 2 && (c == 0 || strcmp(version->clean[0], version->clean[1]) != 0); c++) {
    const hb_global pages = read_named(path, version->clean[c]);
    if (pages > 0) clean += pages;
  }
  add(limits, HB_MEMORY_OF_GROUP, group[0] == '\0' ? "/" : group, limit - used + clean);
}

/* From the group of the process up to the root of what is mounted: in a container that is the
 * container's own group, and the names above it are not there. */
static void read_levels(const char *root, const struct version *version, const char *own,
                        struct hb_memory_limits *limits) {
  char group[HB_MEMORY_GROUP_BYTES];
  const int before = limits->count;
  snprintf(group, sizeof group, "%s", strcmp(own, "/") == 0 ? "" : own);
  for (;;) {
    read_level(root, version, group, limits);
    char *slash = strrchr(group, '/');
    if (slash == NULL) break;
    *slash = '\0';
  }
  /* Where both versions are mounted only one of them has memory to say about. */
  if (limits->count > before) snprintf(limits->own_group, sizeof limits->own_group, "%s", own);
}

/* Lines "NUMBER:CONTROLLERS:/GROUP"; version 2 has number 0 and no controllers. */
static void read_groups(const char *root, struct hb_memory_limits *limits) {
  char line[NAME_BYTES], path[NAME_BYTES];
  snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
  FILE *file = fopen(path, "r");
  while (file != NULL && fgets(line, sizeof line, file) != NULL) {
    char *controllers = strchr(line, ':');
    char *group = controllers == NULL ? NULL : strchr(controllers + 1, ':');
    if (group == NULL || group[1] != '/') continue;
    *group++ = '\0';
    group[strcspn(group, "\n")] = '\0';
    if (strlen(group) >= HB_MEMORY_GROUP_BYTES) continue;
    if (strcmp(line, "0:") == 0) read_levels(root, &versions[0], group, limits);
    const char *memory = strstr(controllers + 1, "memory");
    if (memory != NULL && (memory[6] == '\0' || memory[6] == ','))
      read_levels(root, &versions[1], group, limits);
  }
  if (file != NULL) fclose(file);
}

static void read_own(const char *root, struct hb_memory_limits *limits) {
  static const char *const used_name[] = {"VmSize", "VmData"}; /* of the two limits below */
  char path[NAME_BYTES];
  snprintf(path, sizeof path, "%s/proc/self/status", root);
  for (int k = 0; k < 2; k++) {
    struct rlimit limit;
    const hb_global kilobytes = read_named(path, used_name[k]);
    const int failed = k == 0 ? getrlimit(RLIMIT_AS, &limit) : getrlimit(RLIMIT_DATA, &limit);
    if (failed != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= (rlim_t)NO_LIMIT)
      continue;
    const hb_global used = kilobytes > 0 ? 1024 * kilobytes : 0;
    add(limits, HB_MEMORY_OF_PROCESS, "", (hb_global)limit.rlim_cur - used);
  }
}

void hb_memory_read_limits(const char *root, struct hb_memory_limits *limits) {
  char path[NAME_BYTES];
  *limits = (struct hb_memory_limits){.own_group = "/"};
  snprintf(path, sizeof path, "%s/proc/meminfo", root);
  const hb_global kilobytes = read_named(path, "MemAvailable");
  limits->machine_known = kilobytes >= 0;
  if (limits->machine_known) add(limits, HB_MEMORY_OF_NODE, "", 1024 * kilobytes);
  read_own(root, limits);
  read_groups(root, limits);
}

bool hb_memory_in_group(const char *own, const char *group) {
  const size_t length = strlen(group);
  if (strcmp(group, "/") == 0) return true;
  return strncmp(own, group, length) == 0 && (own[length] == '\0' || own[length] == '/');
}

hb_global hb_memory_available(void) {
  struct hb_memory_limits limits;
  hb_memory_read_limits("", &limits);
  hb_global least = limits.count > 0 ? HB_GLOBAL_MAX : 0;
  for (int l = 0; l < limits.count; l++)
    if (limits.limit[l].available < least) least = limits.limit[l].available;
  return least;
}
