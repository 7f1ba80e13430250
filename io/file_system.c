/* SPDX-License-Identifier: BSD-3-Clause
 * The list of file systems that several nodes may write to, and how a file's own is found. */
#include "io/file_system.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

enum { LINE_BYTES = 4096 };

/* Each keeps the caches of its clients coherent.  By magic number, or, where there is none of its
 * own, by the name it is mounted under.  Not among them: NFS, SMB, and everything in FUSE, as DAOS
 * by dfuse, which caches writes unless told otherwise. */
static const struct hb_file_system coherent[] = {
    {0x0BD00BD0, "lustre"}, {0x47504653, "gpfs"}, {0x19830326, "beegfs"}, {0x00C36400, "ceph"},
    {0xAAD7AAEA, "panfs"},  {0x01161970, "gfs2"}, {0x7461636F, "ocfs2"},  {0, "wekafs"},
};

static const struct hb_file_system *find(const struct hb_file_system *system) {
  for (size_t c = 0; c < sizeof coherent / sizeof *coherent; c++)
    if ((coherent[c].magic != 0 && coherent[c].magic == system->magic) ||
        strcmp(coherent[c].name, system->name) == 0)
      return &coherent[c];
  return NULL;
}

/* Type of the mount of a device from /proc/self/mountinfo:
 * "36 35 98:0 /root /where rw - TYPE source options". */
static void find_name(dev_t device, char name[HB_FILE_SYSTEM_NAME_BYTES]) {
  char line[LINE_BYTES];
  FILE *file = fopen("/proc/self/mountinfo", "r");
  if (file == NULL) return;
  while (fgets(line, sizeof line, file) != NULL) {
    unsigned from = 0, to = 0;
    const char *type = strstr(line, " - ");
    if (type == NULL || sscanf(line, "%*d %*d %u:%u", &from, &to) != 2) continue;
    if (from != major(device) || to != minor(device)) continue;
    snprintf(name, HB_FILE_SYSTEM_NAME_BYTES, "%.*s", (int)strcspn(type + 3, " \n"), type + 3);
    break;
  }
  fclose(file);
}

void hb_file_system_of(int descriptor, struct hb_file_system *system) {
  struct stat info;
  struct statfs about;
  *system = (struct hb_file_system){.magic = 0};
  if (fstat(descriptor, &info) == 0) find_name(info.st_dev, system->name);
  if (fstatfs(descriptor, &about) == 0) system->magic = (uint64_t)about.f_type & 0xffffffff;
}

void hb_file_system_decide(const struct hb_file_system *system, bool seen, int num_nodes,
                           bool through_rank_0, struct hb_write_way *way) {
  const struct hb_file_system *known = find(system);
  const char *name = system->name[0] != '\0' ? system->name : "an unknown file system";
  const size_t bytes = sizeof way->words;
  if (known != NULL) name = known->name;
  way->direct = !through_rank_0 && seen && (num_nodes == 1 || known != NULL);
  if (through_rank_0)
    snprintf(way->words, bytes, "rank 0 for all: the program is built so (%s)", name);
  else if (!seen)
    snprintf(way->words, bytes, "rank 0 for all: other ranks do not see its file (%s)", name);
  else if (num_nodes == 1)
    snprintf(way->words, bytes, "every rank: all are on one node (%s)", name);
  else if (known != NULL)
    snprintf(way->words, bytes, "every rank: %s takes writes of %d nodes", name, num_nodes);
  else
    snprintf(way->words, bytes,
             "rank 0 for all: %s is not known to take writes of several nodes (%d) at once", name,
             num_nodes);
}
