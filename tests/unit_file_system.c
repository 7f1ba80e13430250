/* SPDX-License-Identifier: BSD-3-Clause
 * Which file systems several nodes write to at once: types by number and by name, counts of nodes.
 */
#include <stdio.h>
#include <string.h>

#include "io/file_system.h"
#include "tests/check.h"

struct expectation {
  uint64_t magic;
  const char *name;
  bool shared; /* takes writes of several nodes */
};

static const struct expectation systems[] = {
    {0x0BD00BD0, "lustre", true},
    {0x0BD00BD0, "", true},
    {0x47504653, "gpfs", true},
    {0x19830326, "beegfs", true},
    {0x00C36400, "ceph", true},
    {0xAAD7AAEA, "panfs", true},
    {0x01161970, "gfs2", true},
    {0x7461636F, "ocfs2", true},
    {0x12345678, "wekafs", true},
    {0x6969, "nfs4", false},
    {0x6969, "nfs", false},
    {0x65735546, "fuse.daos", false},
    {0x65735546, "fuse.sshfs", false},
    {0x65735546, "fuse.ceph-fuse", false},
    {0xEF53, "ext4", false},
    {0x01021994, "tmpfs", false},
    {0x58465342, "xfs", false},
    {0x794C7630, "overlay", false},
    {0xFE534D42, "cifs", false},
    {0x01021997, "9p", false},
    {0, "", false},
};

static void check_decisions(struct hb_check *check) {
  static const int nodes[] = {1, 2, 3, 4000};
  for (size_t s = 0; s < sizeof systems / sizeof *systems; s++)
    for (size_t n = 0; n < sizeof nodes / sizeof *nodes; n++)
      for (int flags = 0; flags < 4; flags++) {
        const bool seen = (flags & 1) != 0, through_rank_0 = (flags & 2) != 0;
        struct hb_file_system system = {.magic = systems[s].magic};
        struct hb_write_way way;
        snprintf(system.name, sizeof system.name, "%s", systems[s].name);
        hb_file_system_decide(&system, seen, nodes[n], through_rank_0, &way);
        CHECK_EQUAL(check, way.direct,
                    seen && !through_rank_0 && (nodes[n] == 1 || systems[s].shared));
        CHECK(check, (strncmp(way.words, "every rank: ", 12) == 0) == way.direct);
        CHECK(check, (strncmp(way.words, "rank 0 for all: ", 16) == 0) == !way.direct);
        CHECK(check, strlen(way.words) < sizeof way.words - 1);
        if (systems[s].name[0] != '\0') CHECK(check, strstr(way.words, systems[s].name) != NULL);
      }
}

static void check_words(struct hb_check *check) {
  const struct hb_file_system nfs = {0x6969, "nfs4"}, lustre = {0x0BD00BD0, "lustre"};
  struct hb_write_way way;
  hb_file_system_decide(&nfs, true, 2, false, &way);
  CHECK(check, strcmp(way.words, "rank 0 for all: nfs4 is not known to take writes of several "
                                 "nodes (2) at once") == 0);
  hb_file_system_decide(&lustre, true, 9, false, &way);
  CHECK(check, strcmp(way.words, "every rank: lustre takes writes of 9 nodes") == 0);
  hb_file_system_decide(&lustre, false, 9, false, &way);
  CHECK(check, strstr(way.words, "do not see its file") != NULL);
}

/* A file of its own, wherever that lies. */
static void check_own(struct hb_check *check) {
  FILE *file = tmpfile();
  struct hb_file_system system = {.magic = 0};
  CHECK(check, file != NULL);
  if (file == NULL) return;
  hb_file_system_of(fileno(file), &system);
  CHECK(check, system.magic != 0);
  fclose(file);
  hb_file_system_of(-1, &system);
  CHECK(check, system.magic == 0 && system.name[0] == '\0');
}

int main(void) {
  struct hb_check check = {0, 0};
  check_decisions(&check);
  check_words(&check);
  check_own(&check);
  return hb_check_finish(&check);
}
