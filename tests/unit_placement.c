/* SPDX-License-Identifier: BSD-3-Clause
 * Places of ranks read from a system made up, and the mistakes that are found in them. */
#include <sys/stat.h>

#include "app/placement.h"
#include "tests/check.h"

enum { PATH_BYTES = 512, TOLD_BYTES = 4096 };

static void put(const char *root, const char *path, const char *text) {
  char whole[PATH_BYTES];
  snprintf(whole, sizeof whole, "%s/%s", root, path);
  for (char *c = whole + 1; *c != '\0'; c++) {
    if (*c != '/') continue;
    *c = '\0';
    mkdir(whole, 0700);
    *c = '/';
  }
  FILE *file = fopen(whole, "w");
  if (file == NULL || fprintf(file, "%s\n", text) < 0 || fclose(file) != 0) abort();
}

/* Four cores of two threads each, p and p + 4; two NUMA nodes; a GPU at the second. */
static void make_system(const char *root) {
  for (int p = 0; p < 8; p++) {
    char path[128], siblings[32];
    snprintf(path, sizeof path, "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", p);
    snprintf(siblings, sizeof siblings, "%d,%d", p % 4, p % 4 + 4);
    put(root, path, siblings);
  }
  put(root, "sys/devices/system/node/node0/cpulist", "0-1,4-5");
  put(root, "sys/devices/system/node/node1/cpulist", "2-3,6-7");
  put(root, "sys/devices/system/node/node0/distance", "10 32");
  put(root, "sys/devices/system/node/node1/distance", "32 12");
  put(root, "sys/bus/pci/devices/0000:c1:00.0/numa_node", "1");
}

/* A place of node `node` on processors [first, last]. */
static struct hb_place place_on(const char *root, int node, int first, int last, const char *bus) {
  static bool allowed[HB_MAX_PROCESSORS];
  struct hb_place place;
  memset(&place, 0, sizeof place);
  place.node = node;
  snprintf(place.host, sizeof place.host, "n%d", node);
  snprintf(place.pci_bus_id, sizeof place.pci_bus_id, "%s", bus);
  for (int p = 0; p < HB_MAX_PROCESSORS; p++) allowed[p] = first <= p && p <= last;
  hb_place_read(root, allowed, &place);
  return place;
}

struct told {
  int count;
  char words[TOLD_BYTES];
};

static void hear(void *context, const char *words) {
  struct told *told = context;
  told->count++;
  strncat(told->words, words, sizeof told->words - strlen(told->words) - 2);
  strcat(told->words, "\n");
}

static struct told judge(struct hb_place *places, int count) {
  struct told told = {.count = 0};
  const struct hb_placement placement = {.count = count, .place = places};
  if (hb_placement_judge(&placement, hear, &told) != HB_OK) told.count = -1;
  return told;
}

static void check_read(struct hb_check *check, const char *root) {
  const struct hb_place place = place_on(root, 0, 1, 5, "0000:C1:00.0");
  CHECK(check, strcmp(place.processors, "1-5") == 0 && strcmp(place.numa_nodes, "0-1") == 0);
  CHECK_EQUAL(check, place.num_processors, 5);
  CHECK_EQUAL(check, place.num_cores, 4); /* 1 and 5 are one core */
  CHECK_EQUAL(check, place.cores[0], 0xf);
  CHECK_EQUAL(check, place.device_numa, 1);
  CHECK_EQUAL(check, place.distance, 12);
  const struct hb_place far = place_on(root, 0, 0, 1, "0000:c1:00.0");
  CHECK_EQUAL(check, far.distance, 32);
  CHECK_EQUAL(check, far.near, 12);
  CHECK_EQUAL(check, place_on("/nowhere", 0, 0, 1, "0000:c1:00.0").device_numa, -1);
  CHECK_EQUAL(check, place_on("/nowhere", 0, 0, 1, "").num_cores, 2);
}

static void check_lists(struct hb_check *check) {
  bool set[64] = {false};
  char words[16];
  hb_list_words(set, 64, sizeof words, words);
  CHECK(check, strcmp(words, "") == 0);
  set[0] = set[1] = set[2] = set[8] = true;
  hb_list_words(set, 64, sizeof words, words);
  CHECK(check, strcmp(words, "0-2,8") == 0);
  for (int i = 0; i < 64; i += 2) set[i] = true;
  hb_list_words(set, 64, sizeof words, words);
  CHECK(check, strcmp(words, "0-2,4,6,8,...") == 0);
}

static void check_cores(struct hb_check *check, const char *root) {
  /* Bound apart; unbound, as many cores as ranks. */
  struct hb_place apart[] = {place_on(root, 0, 0, 0, ""), place_on(root, 0, 1, 1, "")};
  CHECK_EQUAL(check, judge(apart, 2).count, 0);
  struct hb_place unbound[4];
  for (int r = 0; r < 4; r++) unbound[r] = place_on(root, 0, 0, 7, "");
  CHECK_EQUAL(check, judge(unbound, 4).count, 0);
  /* Two threads of a core; then the same numbers on two nodes, which is right. */
  struct hb_place shared[] = {place_on(root, 0, 3, 3, ""), place_on(root, 0, 2, 2, ""),
                              place_on(root, 0, 7, 7, "")};
  const struct told told = judge(shared, 3);
  CHECK_EQUAL(check, told.count, 1);
  CHECK(check, strstr(told.words, "ranks 0,2 share 1 core of n0 (processors 3)") != NULL);
  struct hb_place nodes[] = {place_on(root, 0, 3, 3, ""), place_on(root, 1, 3, 3, "")};
  CHECK_EQUAL(check, judge(nodes, 2).count, 0);
  /* Chains: 0-1, 1-2, 2 are three ranks on three cores; a fourth is too many. */
  struct hb_place chain[] = {place_on(root, 0, 0, 1, ""), place_on(root, 0, 1, 2, ""),
                             place_on(root, 0, 2, 2, ""), place_on(root, 0, 0, 0, "")};
  CHECK_EQUAL(check, judge(chain, 3).count, 0);
  CHECK(check, strstr(judge(chain, 4).words, "ranks 0-3 share 3 cores") != NULL);
  /* Six pairs on six nodes: four are told, two counted. */
  struct hb_place pairs[12];
  for (int r = 0; r < 12; r++) pairs[r] = place_on(root, r - r % 2, 0, 0, "");
  const struct told many = judge(pairs, 12);
  CHECK_EQUAL(check, many.count, 5);
  CHECK(check, strstr(many.words, "ranks 6-7 share 1 core") != NULL &&
                   strstr(many.words, "2 more groups") != NULL);
}

static void check_ranks(struct hb_check *check, const char *root) {
  struct hb_place places[] = {place_on(root, 0, 2, 3, "0000:c1:00.0"),
                              place_on(root, 0, 0, 1, "0000:c1:00.0")};
  const struct told far = judge(places, 2);
  CHECK_EQUAL(check, far.count, 1);
  CHECK(check,
        strstr(far.words, "rank 1 on n0 runs on NUMA node 0 (processors 0-1), its GPU "
                          "0000:c1:00.0 is at NUMA node 1, at distance 32 instead of 12") != NULL);
  setenv("SLURM_CPUS_PER_TASK", "2", 1);
  places[0] = place_on(root, 0, 2, 3, "");
  places[1] = place_on(root, 0, 1, 1, "");
  const struct told few = judge(places, 2);
  unsetenv("SLURM_CPUS_PER_TASK");
  CHECK_EQUAL(check, few.count, 1);
  CHECK(check,
        strstr(few.words, "rank 1 may run on 1 processor of n0 (1), asked for were 2") != NULL);
}

int main(void) {
  struct hb_check check = {0, 0};
  char root[] = "/tmp/unit_placement_XXXXXX", command[64];
  CHECK(&check, mkdtemp(root) != NULL);
  unsetenv("SLURM_CPUS_PER_TASK");
  unsetenv("PALS_DEPTH");
  make_system(root);
  check_read(&check, root);
  check_lists(&check);
  check_cores(&check, root);
  check_ranks(&check, root);
  snprintf(command, sizeof command, "rm -r %s", root);
  CHECK_EQUAL(&check, system(command), 0);
  return hb_check_finish(&check);
}
