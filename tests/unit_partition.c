/* SPDX-License-Identifier: BSD-3-Clause
 * The partition: ownership, the grid against trying and counting everything, neighbours, refusals.
 */
#include <string.h>
#include <time.h>

#include "mesh/partition.h"
#include "tests/check.h"

enum { MAX_RANKS = 64, MAX_ELEMENTS = 64, DEGREE = 2, MAX_POINTS = MAX_ELEMENTS * DEGREE + 1 };
static const int FREE[3] = {0, 0, 0};

static struct hb_box box_of(hb_global nx, hb_global ny, hb_global nz, int periodic_axes) {
  struct hb_box box = {.degree = DEGREE, .elements = {nx, ny, nz}, .length = {1.0, 1.0, 1.0}};
  for (int a = 0; a < 3; a++)
    box.boundary[a] = (periodic_axes >> a & 1) != 0 ? HB_PERIODIC : HB_NEUMANN;
  return box;
}

/* Points of coordinate c of p on an axis, and those that no other coordinate has, by counting. */
static void count_axis(const struct hb_box *box, int axis, int p, int c, int *points, int *alone) {
  int holders[MAX_POINTS] = {0};
  bool mine[MAX_POINTS] = {false};
  const hb_global elements = box->elements[axis], nodes = elements * DEGREE;
  for (int other = 0; other < p; other++) {
    bool has[MAX_POINTS] = {false};
    const hb_global end = (other + 1) * elements / p * DEGREE;
    for (hb_global i = other * elements / p * DEGREE; i <= end; i++)
      has[box->boundary[axis] == HB_PERIODIC ? i % nodes : i] = true;
    for (int i = 0; i < MAX_POINTS; i++) holders[i] += has[i];
    if (other == c) memcpy(mine, has, sizeof mine);
  }
  *points = *alone = 0;
  for (int i = 0; i < MAX_POINTS; i++) {
    *points += mine[i];
    *alone += mine[i] && holders[i] == 1;
  }
}

/* Cost (points of the largest rank's elements and twice the halo), largest, smallest rank, then px
 * and py: the smaller the better, the smallest rank negated. */
struct score {
  long key[5];
};

static struct score score_of(const struct hb_box *box, const int grid[3]) {
  struct score score = {{0, 0, -(1L << 40), grid[0], grid[1]}};
  int points[3][MAX_RANKS], alone[3][MAX_RANKS];
  for (int a = 0; a < 3; a++)
    for (int c = 0; c < grid[a]; c++) count_axis(box, a, grid[a], c, &points[a][c], &alone[a][c]);
  for (int rank = 0; rank < grid[0] * grid[1] * grid[2]; rank++) {
    long all = 1, inside = 1, elements = 1;
    for (int a = 0, rest = rank; a < 3; rest /= grid[a], a++) {
      const int c = rest % grid[a];
      all *= points[a][c];
      inside *= alone[a][c];
      elements *= (c + 1) * box->elements[a] / grid[a] - c * box->elements[a] / grid[a];
    }
    if (all - inside > score.key[0]) score.key[0] = all - inside;
    if (elements > score.key[1]) score.key[1] = elements;
    if (-elements > score.key[2]) score.key[2] = -elements;
  }
  score.key[0] = score.key[1] * DEGREE * DEGREE * DEGREE + 2 * score.key[0];
  return score;
}

static bool is_less(const struct score *a, const struct score *b) {
  for (int i = 0; i < 5; i++)
    if (a->key[i] != b->key[i]) return a->key[i] < b->key[i];
  return false;
}

/* The best grid by trying all; false if there is none. */
static bool best_grid(const struct hb_box *box, int ranks, int best[3]) {
  struct score least = {{0, 0, 0, 0, 0}};
  bool found = false;
  for (int px = 1; px <= ranks && px <= box->elements[0]; px++)
    for (int py = 1; px * py <= ranks && py <= box->elements[1]; py++) {
      const int grid[3] = {px, py, ranks / (px * py)};
      if (ranks % (px * py) != 0 || grid[2] > box->elements[2]) continue;
      const struct score score = score_of(box, grid);
      if (!found || is_less(&score, &least)) {
        least = score;
        memcpy(best, grid, sizeof grid);
      }
      found = true;
    }
  return found;
}

/* Every element has one owner, counts of an axis differ by at most one, no rank is empty. */
static void check_ownership(struct hb_check *check, const struct hb_box *box, int ranks,
                            const struct hb_partition *parts) {
  const hb_global *E = box->elements, total = hb_box_num_elements(box);
  unsigned char *owners = hb_allocate(total, 1, "owners of the elements");
  hb_global least = total, most = 0, once = 0;
  if (owners == NULL) {
    CHECK(check, owners != NULL);
    return;
  }
  memset(owners, 0, (size_t)total);
  for (int rank = 0; rank < ranks; rank++) {
    const struct hb_partition *part = &parts[rank];
    for (int a = 0; a < 3; a++) {
      CHECK(check, part->count[a] >= 1 && part->count[a] >= E[a] / part->grid[a]);
      CHECK(check, part->count[a] <= (E[a] + part->grid[a] - 1) / part->grid[a]);
    }
    for (hb_local k = 0; k < part->count[2]; k++)
      for (hb_local j = 0; j < part->count[1]; j++)
        for (hb_local i = 0; i < part->count[0]; i++)
          owners[part->start[0] + i + E[0] * (part->start[1] + j + E[1] * (part->start[2] + k))]++;
    CHECK_EQUAL(check, part->num_elements, part->count[0] * part->count[1] * part->count[2]);
    if (part->num_elements < least) least = part->num_elements;
    if (part->num_elements > most) most = part->num_elements;
  }
  for (hb_global e = 0; e < total; e++) once += owners[e] == 1;
  CHECK_EQUAL(check, once, total);
  CHECK_EQUAL(check, parts[0].min_elements, least);
  CHECK_EQUAL(check, parts[0].max_elements, most);
  hb_free(owners);
}

/* Neighbours begin where this rank ends, around a periodic axis too; the way back leads home. */
static void check_neighbours(struct hb_check *check, const struct hb_box *box, int ranks,
                             const struct hb_partition *parts) {
  for (int rank = 0; rank < ranks; rank++)
    for (int direction = 0; direction < 27; direction++) {
      const int offset[3] = {direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1};
      const int back[3] = {-offset[0], -offset[1], -offset[2]};
      const struct hb_partition *part = &parts[rank];
      const int neighbour = hb_partition_neighbour(box, part, offset);
      bool inside = true;
      for (int a = 0; a < 3; a++) {
        const int c = part->coordinate[a] + offset[a];
        inside = inside && (box->boundary[a] == HB_PERIODIC || (c >= 0 && c < part->grid[a]));
      }
      CHECK(check, neighbour >= -1 && neighbour < ranks && (neighbour >= 0) == inside);
      if (neighbour < 0) continue;
      CHECK_EQUAL(check, hb_partition_neighbour(box, &parts[neighbour], back), rank);
      for (int a = 0; a < 3; a++) {
        const hb_global end = part->start[a] + part->count[a];
        if (offset[a] == 0) CHECK_EQUAL(check, parts[neighbour].start[a], part->start[a]);
        if (offset[a] == 1) CHECK_EQUAL(check, parts[neighbour].start[a], end % box->elements[a]);
      }
    }
}

/* The grid found by trying everything, or a refusal that names the nearest possible counts. */
static void check_ranks(struct hb_check *check, const struct hb_box *box, int ranks) {
  struct hb_partition parts[MAX_RANKS];
  int best[3] = {0, 0, 0}, below = ranks, above = ranks;
  char words[64] = "at most one rank an element";
  if (best_grid(box, ranks, best)) {
    for (int rank = 0; rank < ranks; rank++) {
      CHECK_OK(check, hb_partition_create(box, ranks, rank, FREE, &parts[rank]));
      for (int a = 0; a < 3; a++) CHECK_EQUAL(check, parts[rank].grid[a], best[a]);
    }
    CHECK_EQUAL(check, hb_partition_neighbour(box, &parts[ranks - 1], FREE), ranks - 1);
    check_ownership(check, box, ranks, parts);
    check_neighbours(check, box, ranks, parts);
    return;
  }
  if (ranks < hb_box_num_elements(box)) {
    while (!best_grid(box, below, best)) below--;
    while (!best_grid(box, above, best)) above++;
    snprintf(words, sizeof words, "nearest possible: %d or %d ranks", below, above);
  }
  CHECK_FAILS(check, hb_partition_create(box, ranks, 0, FREE, parts), HB_BAD_INPUT, words);
}

static void check_request(struct hb_check *check, int ranks, int px, int py, int pz,
                          const char *refusal) {
  const struct hb_box box = box_of(8, 4, 6, 0);
  const int requested[3] = {px, py, pz};
  struct hb_partition part;
  if (refusal != NULL) {
    CHECK_FAILS(check, hb_partition_create(&box, ranks, 0, requested, &part), HB_BAD_INPUT,
                refusal);
    return;
  }
  CHECK_OK(check, hb_partition_create(&box, ranks, ranks - 1, requested, &part));
  for (int a = 0; a < 3; a++)
    CHECK(check, requested[a] == 0 ? part.grid[a] >= 1 : part.grid[a] == requested[a]);
  CHECK_EQUAL(check, part.grid[0] * part.grid[1] * part.grid[2], ranks);
}

static void check_requests(struct hb_check *check) {
  check_request(check, 12, 3, 2, 2, NULL);
  check_request(check, 12, 0, 0, 1, NULL);
  check_request(check, 24, 8, 0, 0, NULL);
  check_request(check, 6, 2, 2, 2, "px py pz = 2 x 2 x 2 = 8, but the run has 6 ranks");
  check_request(check, 6, 4, 0, 0, "does not divide the run's 6 ranks");
  check_request(check, 6, INT32_MAX, INT32_MAX, INT32_MAX, "does not divide");
  check_request(check, 6, 0, 0, -1, "pz = -1");
  check_request(check, 5, 1, 5, 0, "py = 5 ranks for ny = 4 elements");
  check_request(check, 14, 2, 0, 0, "px = 2, py <= 4, pz <= 6; nearest possible: 12 or 16 ranks");
  check_request(check, 48, 1, 0, 0, "nearest possible: 24 ranks");
}

/* Up to a million ranks and 2^62 elements; the choice stays quick and 64 bit are enough. */
static void check_large(struct hb_check *check) {
  struct hb_box box = box_of(100, 100, 100, 7);
  struct hb_partition part;
  const clock_t start = clock();
  CHECK_OK(check, hb_partition_create(&box, 1000000, 999999, FREE, &part));
  CHECK(check, part.grid[0] == 100 && part.grid[1] == 100 && part.grid[2] == 100);
  CHECK_FAILS(check, hb_partition_create(&box, 999983, 0, FREE, &part), HB_BAD_INPUT,
              "nearest possible: 990000 or 1000000 ranks");
  box = box_of(4096, 4096, 4096, 0);
  CHECK_OK(check, hb_partition_create(&box, 720720, 720719, FREE, &part));
  CHECK(check, (double)(clock() - start) < 2.0 * CLOCKS_PER_SEC); /* measured: below 2 ms */
  CHECK_FAILS(check, hb_partition_create(&box, 512, 0, FREE, &part), HB_BAD_INPUT,
              "134217728 elements with 3623878656 points, at most 2147483647");
  CHECK_OK(check, hb_partition_create(&box, 1024, 1023, FREE, &part));
  CHECK_EQUAL(check, part.num_elements, 67108864);
  const hb_global huge = HB_GLOBAL_MAX / 2;
  CHECK_EQUAL(check, hb_partition_split(huge, INT32_MAX, INT32_MAX), huge);
  CHECK_EQUAL(check, hb_partition_split(huge, 2, 1), huge / 2);
  CHECK_FAILS(check, hb_partition_create(&box, INT32_MAX, 0, FREE, &part), HB_BAD_INPUT,
              "2147483647 ranks cannot be arranged over 4096 x 4096 x 4096 elements");
  box = box_of(2, 2, 2, 0);
  CHECK_FAILS(check, hb_partition_create(&box, 9, 0, FREE, &part), HB_BAD_INPUT,
              "9 ranks for 2 x 2 x 2 = 8 elements: at most one rank an element");
}

int main(void) {
  struct hb_check check = {0, 0};
  const int meshes[][3] = {{1, 1, 1}, {7, 1, 1}, {5, 3, 2}, {4, 4, 4}, {3, 9, 6}, {64, 64, 64}};
  for (size_t mesh = 0; mesh < sizeof meshes / sizeof meshes[0]; mesh++)
    for (int periodic = 0; periodic < 8; periodic += meshes[mesh][0] == 64 ? 5 : 1)
      for (int ranks = 1; ranks <= MAX_RANKS; ranks++) {
        const struct hb_box box =
            box_of(meshes[mesh][0], meshes[mesh][1], meshes[mesh][2], periodic);
        check_ranks(&check, &box, ranks);
      }
  check_requests(&check);
  check_large(&check);
  return hb_check_finish(&check);
}
