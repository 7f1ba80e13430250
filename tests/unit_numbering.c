/* SPDX-License-Identifier: BSD-3-Clause
 * The numbering of every rank against counting who has which point, element by element. */
#include <string.h>

#include "kernels/element/blocks.h"
#include "mesh/numbering.h"
#include "tests/mesh_cases.h"

enum { MAX_RANKS = 27 };
static const int FREE[3] = {0, 0, 0};

/* All ranks of one box, and for every global point the lowest rank that has it, and how many do. */
struct world {
  struct hb_box box;
  int num_ranks;
  struct hb_partition partition[MAX_RANKS];
  struct hb_numbering *numbering[MAX_RANKS];
  int *lowest, *holders; /* owned [global point] */
};

/* Global id of an element's point by arithmetic on elements. */
static hb_global id_of(const struct hb_box *box, const struct hb_partition *partition,
                       const hb_local e[3], const int ijk[3]) {
  hb_global id = 0;
  for (int a = 2; a >= 0; a--) {
    const hb_global nodes = box->elements[a] * box->degree;
    hb_global g = (partition->start[a] + e[a]) * box->degree + ijk[a];
    if (box->boundary[a] == HB_PERIODIC) g %= nodes;
    id = id * (box->boundary[a] == HB_PERIODIC ? nodes : nodes + 1) + g;
  }
  return id;
}

static void element_at(const struct hb_partition *partition, hb_local index, hb_local e[3]) {
  e[0] = index % partition->count[0];
  e[1] = index / partition->count[0] % partition->count[1];
  e[2] = index / partition->count[0] / partition->count[1];
}

static void point_at(int n, int point, int ijk[3]) {
  ijk[0] = point % n;
  ijk[1] = point / n % n;
  ijk[2] = point / (n * n);
}

/* ids [num_points] of a rank: element points that are one global point have one local number, and
 * every local number occurs. */
static void collect_ids(struct hb_check *check, const struct world *world, int rank,
                        hb_global *ids) {
  const struct hb_numbering *numbering = world->numbering[rank];
  const int n = numbering->n;
  hb_local e[3];
  int ijk[3];
  for (hb_local s = 0; s < numbering->num_points; s++) ids[s] = -1;
  for (hb_local index = 0; index < numbering->num_elements; index++) {
    element_at(&world->partition[rank], index, e);
    for (int point = 0; point < n * n * n; point++) {
      point_at(n, point, ijk);
      const hb_global id = id_of(&world->box, &world->partition[rank], e, ijk);
      const hb_local s = hb_numbering_point(numbering, e, ijk[0], ijk[1], ijk[2]);
      CHECK(check, s >= 0 && s < numbering->num_points);
      CHECK(check, ids[s] == -1 || ids[s] == id);
      ids[s] = id;
    }
  }
}

static void count_holders(struct world *world, int rank, const hb_global *ids) {
  for (hb_local s = 0; s < world->numbering[rank]->num_points; s++) {
    if (ids[s] < 0) continue;
    if (world->holders[ids[s]]++ == 0) world->lowest[ids[s]] = rank;
  }
}

/* The ranges private, owned, foreign; distinct ids; the lattice's own global ids. */
static void check_points(struct hb_check *check, const struct world *world, int rank,
                         const hb_global *ids, int *owners) {
  const struct hb_numbering *numbering = world->numbering[rank];
  const hb_local *size = numbering->lattice_size;
  hb_local c[3];
  ptrdiff_t entry = 0;
  for (hb_local s = 0; s < numbering->num_points; s++) {
    const bool shared = world->holders[ids[s]] > 1, mine = world->lowest[ids[s]] == rank;
    CHECK_EQUAL(check, s >= numbering->num_private, shared);
    CHECK_EQUAL(check, s < numbering->num_owned, mine);
    if (s < numbering->num_owned) owners[ids[s]]++;
  }
  for (c[2] = 0; c[2] < size[2]; c[2]++)
    for (c[1] = 0; c[1] < size[1]; c[1]++)
      for (c[0] = 0; c[0] < size[0]; c[0]++, entry++)
        CHECK_EQUAL(check, hb_numbering_global_id(&world->box, &world->partition[rank], c),
                    ids[numbering->lattice[entry]]);
  CHECK_EQUAL(check, entry, numbering->num_points);
}

/* Elements with a shared point come first, both kinds in lattice order, each once. */
static void check_order(struct hb_check *check, const struct world *world, int rank) {
  const struct hb_numbering *numbering = world->numbering[rank];
  const int n = numbering->n;
  hb_local e[3], previous = -1;
  int ijk[3];
  for (hb_local position = 0; position < numbering->num_elements; position++) {
    const bool first = position < numbering->num_boundary_elements;
    bool touches = false;
    element_at(&world->partition[rank], numbering->element[position], e);
    for (int point = 0; point < n * n * n; point++) {
      point_at(n, point, ijk);
      if (world->holders[id_of(&world->box, &world->partition[rank], e, ijk)] > 1) touches = true;
    }
    CHECK_EQUAL(check, touches, first);
    if (position == numbering->num_boundary_elements) previous = -1;
    CHECK(check, numbering->element[position] > previous);
    previous = numbering->element[position];
  }
  CHECK_EQUAL(check, numbering->num_boundary_blocks,
              (numbering->num_boundary_elements + numbering->lanes - 1) / numbering->lanes);
}

/* Walks the blocks as helmholtz.h says: interior numbers, surface_index, and the order in which
 * the surface points of each range are first met. */
static void check_blocks(struct hb_check *check, const struct world *world, int rank) {
  const struct hb_numbering *numbering = world->numbering[rank];
  const int n = numbering->n, lanes = numbering->lanes;
  const hb_local *surface = numbering->surface_index;
  hb_local interior = 0,
           next[3] = {numbering->surface_start, numbering->num_private, numbering->num_owned};
  hb_local e[3];
  int ijk[3];
  for (hb_local block = 0; block < numbering->num_blocks; block++)
    for (int point = 0; point < n * n * n; point++) {
      point_at(n, point, ijk);
      const bool inside = hb_point_is_interior(n, ijk[2], ijk[1], ijk[0]);
      for (int lane = 0; lane < lanes; lane++) {
        const hb_local position = block * lanes + lane;
        if (position >= numbering->num_elements) {
          if (!inside) CHECK_EQUAL(check, *surface++, -1);
          continue;
        }
        element_at(&world->partition[rank], numbering->element[position], e);
        const hb_local s = hb_numbering_point(numbering, e, ijk[0], ijk[1], ijk[2]);
        if (inside) {
          CHECK_EQUAL(check, s, interior++);
          continue;
        }
        const int range = s < numbering->num_private ? 0 : s < numbering->num_owned ? 1 : 2;
        CHECK_EQUAL(check, *surface++, s);
        CHECK(check, s <= next[range] && s >= numbering->surface_start);
        if (s == next[range]) next[range]++;
      }
    }
  CHECK_EQUAL(check, interior, numbering->surface_start);
  CHECK_EQUAL(check, next[0], numbering->num_private);
  CHECK_EQUAL(check, next[1], numbering->num_owned);
  CHECK_EQUAL(check, next[2], numbering->num_points);
}

/* Masked are exactly the points whose lattice coordinate is the first or last of a Dirichlet axis.
 */
static void check_masked(struct hb_check *check, const struct world *world, int rank,
                         const hb_global *ids) {
  const struct hb_numbering *numbering = world->numbering[rank];
  char *masked = hb_allocate(numbering->num_points, 1, "masked");
  hb_global points[3];
  hb_box_lattice(&world->box, points);
  memset(masked, 0, (size_t)numbering->num_points);
  for (hb_local m = 0; m < numbering->num_masked; m++) masked[numbering->masked[m]]++;
  for (hb_local s = 0; s < numbering->num_points; s++) {
    const hb_global g[3] = {ids[s] % points[0], ids[s] / points[0] % points[1],
                            ids[s] / points[0] / points[1]};
    int expected = 0;
    for (int a = 0; a < 3; a++)
      if (world->box.boundary[a] == HB_DIRICHLET && (g[a] == 0 || g[a] == points[a] - 1))
        expected = 1;
    CHECK_EQUAL(check, masked[s], expected);
  }
  hb_free(masked);
}

/* Of the four arrays: element, surface_index, lattice, masked. */
static hb_global array_bytes(const struct hb_numbering *numbering) {
  const int surface = hb_surface_per_element(numbering->n);
  return (hb_global)sizeof(hb_local) *
         (numbering->num_elements + numbering->num_blocks * numbering->lanes * surface +
          numbering->num_points + numbering->num_masked);
}

/* False if the box does not go on so many ranks. */
static bool world_create(struct hb_check *check, struct world *world, int lanes) {
  for (int rank = 0; rank < world->num_ranks; rank++) {
    if (hb_partition_create(&world->box, world->num_ranks, rank, FREE, &world->partition[rank])) {
      CHECK_EQUAL(check, rank, 0);
      hb_error_clear();
      return false;
    }
    CHECK_OK(check, hb_numbering_create(&world->box, &world->partition[rank], lanes, 1 + rank % 4,
                                        &world->numbering[rank]));
    CHECK_EQUAL(check, hb_numbering_bytes(&world->box, &world->partition[rank], lanes),
                array_bytes(world->numbering[rank]));
  }
  return true;
}

static void check_world(struct hb_check *check, struct hb_box box, int num_ranks, int lanes) {
  struct world world = {.box = box, .num_ranks = num_ranks};
  hb_global *ids[MAX_RANKS];
  if (!world_create(check, &world, lanes)) return;
  const hb_global num_points = hb_box_num_points(&box);
  int *owners = calloc((size_t)num_points, sizeof *owners);
  world.lowest = calloc((size_t)num_points, sizeof *world.lowest);
  world.holders = calloc((size_t)num_points, sizeof *world.holders);
  for (int rank = 0; rank < num_ranks; rank++) {
    ids[rank] = hb_allocate(world.numbering[rank]->num_points, sizeof **ids, "ids");
    collect_ids(check, &world, rank, ids[rank]);
    count_holders(&world, rank, ids[rank]);
  }
  for (int rank = 0; rank < num_ranks; rank++) {
    check_points(check, &world, rank, ids[rank], owners);
    check_order(check, &world, rank);
    check_blocks(check, &world, rank);
    check_masked(check, &world, rank, ids[rank]);
  }
  for (hb_global id = 0; id < num_points; id++) CHECK_EQUAL(check, owners[id], 1);
  for (int rank = 0; rank < num_ranks; rank++) {
    hb_free(ids[rank]);
    hb_numbering_destroy(&world.numbering[rank]);
    CHECK(check, world.numbering[rank] == NULL);
  }
  free(owners);
  free(world.lowest);
  free(world.holders);
}

/* The last rank of a grid, against arithmetic in 128 bit. */
static void check_large_ids(struct hb_check *check, const struct hb_box *box,
                            const struct hb_partition *partition) {
  struct hb_numbering *numbering = NULL;
  hb_global points[3];
  hb_local c[3];
  hb_box_lattice(box, points);
  CHECK_OK(check, hb_box_check(box));
  CHECK_OK(check, hb_numbering_create(box, partition, 4, 2, &numbering));
  const hb_local *size = numbering->lattice_size;
  for (c[2] = 0; c[2] < size[2]; c[2] += 5)
    for (c[1] = 0; c[1] < size[1]; c[1] += 5)
      for (c[0] = 0; c[0] < size[0]; c[0]++) {
        __extension__ __int128 id = 0;
        for (int a = 2; a >= 0; a--)
          id = id * points[a] + (partition->start[a] * box->degree + c[a]) % points[a];
        const hb_global observed = hb_numbering_global_id(box, partition, c);
        CHECK(check, id == observed && observed > INT32_MAX && id < INT64_MAX);
      }
  hb_numbering_destroy(&numbering);
}

static void check_large(struct hb_check *check) {
  struct hb_box box = {.degree = 7,
                       .elements = {100000, 100000, 100000},
                       .length = {1.0, 1.0, 1.0},
                       .boundary = {HB_NEUMANN, HB_PERIODIC, HB_DIRICHLET}};
  struct hb_partition partition = {.grid = {50000, 33334, 100000},
                                   .coordinate = {49999, 33333, 99999},
                                   .start = {99998, 99997, 99999},
                                   .count = {2, 3, 1},
                                   .num_elements = 6};
  check_large_ids(check, &box, &partition);
  box.elements[0] = 2000000000;
  box.elements[1] = 3;
  box.elements[2] = 2;
  CHECK_OK(check, hb_partition_create(&box, 2000000000, 1999999998, FREE, &partition));
  CHECK_EQUAL(check, partition.num_elements, 6);
  check_large_ids(check, &box, &partition);
}

int main(void) {
  static const int ranks[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 27}, lanes[] = {1, 4, 8};
  struct hb_check check = {0, 0};
  for (int index = 0; index < NUM_MESH_CASES; index++)
    for (int r = 0; r < 10; r++)
      check_world(&check, mesh_case(index), ranks[r], lanes[(index + r) % 3]);
  for (int l = 0; l < 3; l++) check_world(&check, mesh_case(26), 5, lanes[l]);
  check_large(&check);
  return hb_check_finish(&check);
}
