/* SPDX-License-Identifier: BSD-3-Clause
 * Closed-form numbering of a rank's points. */
#include "mesh/numbering.h"

#include "kernels/element/blocks.h"
#include "kernels/threads.h"

/* Ranges of surface points in the local numbering. */
enum range { PRIVATE, OWNED, FOREIGN, NUM_RANGES };
static const hb_local UNSEEN = -1;

bool hb_numbering_side_is_shared(const struct hb_box *box, const struct hb_partition *partition,
                                 int axis, int side) {
  const int p = partition->grid[axis], c = partition->coordinate[axis];
  if (p == 1) return false;
  if (box->boundary[axis] == HB_PERIODIC) return true;
  return side == 0 ? c > 0 : c < p - 1;
}

/* Wraps, so c may be the end of a periodic axis. */
static hb_global global_coordinate(const struct hb_box *box, const struct hb_partition *partition,
                                   int axis, hb_local c) {
  const hb_global g = partition->start[axis] * box->degree + c;
  const hb_global period = box->elements[axis] * box->degree;
  return box->boundary[axis] == HB_PERIODIC && g >= period ? g - period : g;
}

hb_global hb_numbering_global_id(const struct hb_box *box, const struct hb_partition *partition,
                                 const hb_local c[3]) {
  hb_global points[3];
  hb_box_lattice(box, points);
  const hb_global x = global_coordinate(box, partition, 0, c[0]);
  const hb_global y = global_coordinate(box, partition, 1, c[1]);
  const hb_global z = global_coordinate(box, partition, 2, c[2]);
  return x + points[0] * (y + points[1] * z);
}

void hb_numbering_lattice_size(const struct hb_box *box, const struct hb_partition *partition,
                               hb_local size[3]) {
  for (int a = 0; a < 3; a++) {
    const bool wraps = box->boundary[a] == HB_PERIODIC && partition->grid[a] == 1;
    size[a] = partition->count[a] * box->degree + (wraps ? 0 : 1);
  }
}

/* Per axis and end of the rank's lattice: do other ranks share it, and is one of them lower. */
struct sides {
  bool shared[3][2], lower[3][2];
};

static struct sides find_sides(const struct hb_box *box, const struct hb_partition *partition) {
  struct sides sides;
  for (int a = 0; a < 3; a++)
    for (int side = 0; side < 2; side++) {
      const int p = partition->grid[a], c = partition->coordinate[a];
      const int other = side == 0 ? (c + p - 1) % p : (c + 1) % p;
      sides.shared[a][side] = hb_numbering_side_is_shared(box, partition, a, side);
      sides.lower[a][side] = sides.shared[a][side] && other < c;
    }
  return sides;
}

/* Elements that touch a shared side first; both kinds in lattice order. */
static void order_elements(const struct hb_partition *partition, const struct sides *sides,
                           struct hb_numbering *numbering) {
  const hb_local *count = partition->count;
  hb_local position = 0;
  for (int inner = 0; inner < 2; inner++) {
    hb_local element = 0;
    for (hb_local z = 0; z < count[2]; z++)
      for (hb_local y = 0; y < count[1]; y++)
        for (hb_local x = 0; x < count[0]; x++, element++) {
          const hb_local e[3] = {x, y, z};
          bool touches = false;
          for (int a = 0; a < 3; a++)
            touches = touches || (e[a] == 0 && sides->shared[a][0]) ||
                      (e[a] == count[a] - 1 && sides->shared[a][1]);
          if (touches == (inner == 0)) numbering->element[position++] = element;
        }
    if (inner == 0) numbering->num_boundary_elements = position;
  }
  numbering->num_boundary_blocks =
      hb_num_blocks(numbering->num_boundary_elements, numbering->lanes);
}

static enum range range_of(const struct hb_numbering *numbering, const struct sides *sides,
                           const hb_local c[3]) {
  bool shared = false, foreign = false;
  for (int a = 0; a < 3; a++)
    for (int side = 0; side < 2; side++) {
      if (c[a] != (side == 0 ? 0 : numbering->lattice_size[a] - 1)) continue;
      shared = shared || sides->shared[a][side];
      foreign = foreign || sides->lower[a][side];
    }
  return foreign ? FOREIGN : shared ? OWNED : PRIVATE;
}

/* ---- points, block by block, on several threads ---------------------------------------------- */

/* Blocks in pieces: what does not depend on the number of threads. */
enum { NUM_PIECES = 256, FIRST = -2 }; /* FIRST - range: an entry of surface_index, for a while */
struct pass {
  struct hb_numbering *numbering;
  const struct hb_partition *partition;
  const struct sides *sides;
  hb_local *position;                     /* owned [ez][ey][ex]: the element's */
  hb_local count[NUM_PIECES][NUM_RANGES]; /* of points; then the number of the first */
};

/* An element of a block, and where those around it are. */
struct place {
  hb_local base[3]; /* its first lattice point */
  struct {
    hb_local block;
    int lane;
  } around[3][3][3]; /* by step + 1 in z, y, x; block -1: there is none */
};

/* Entry of the lattice for base + (i,j,k), wrapped; c receives the coordinates. */
static ptrdiff_t lattice_entry(const hb_local size[3], const hb_local base[3], int i, int j, int k,
                               hb_local c[3]) {
  c[0] = base[0] + i == size[0] ? 0 : base[0] + i;
  c[1] = base[1] + j == size[1] ? 0 : base[1] + j;
  c[2] = base[2] + k == size[2] ? 0 : base[2] + k;
  return ((ptrdiff_t)c[2] * size[1] + c[1]) * size[0] + c[0];
}

/* Coordinate of the element `step` further along an axis, or -1. */
static hb_local neighbour_of(const struct pass *pass, int axis, hb_local e, int step) {
  const hb_local count = pass->partition->count[axis], to = e + step;
  const bool wraps = pass->numbering->lattice_size[axis] == count * (pass->numbering->n - 1);
  if (to >= 0 && to < count) return to;
  return wraps ? (to + count) % count : -1;
}

static void find_place(const struct pass *pass, hb_local position, struct place *place) {
  const hb_local *count = pass->partition->count, lanes = pass->numbering->lanes;
  const hb_local element = pass->numbering->element[position];
  const hb_local e[3] = {element % count[0], element / count[0] % count[1],
                         element / count[0] / count[1]};
  for (int a = 0; a < 3; a++) place->base[a] = e[a] * (pass->numbering->n - 1);
  for (int z = -1; z <= 1; z++)
    for (int y = -1; y <= 1; y++)
      for (int x = -1; x <= 1; x++) {
        const hb_local to[3] = {neighbour_of(pass, 0, e[0], x), neighbour_of(pass, 1, e[1], y),
                                neighbour_of(pass, 2, e[2], z)};
        const bool there = to[0] >= 0 && to[1] >= 0 && to[2] >= 0;
        const hb_local at =
            there ? pass->position[to[0] + count[0] * (to[1] + (ptrdiff_t)count[1] * to[2])] : -1;
        place->around[z + 1][y + 1][x + 1].block = there ? at / lanes : -1;
        place->around[z + 1][y + 1][x + 1].lane = there ? (int)(at % lanes) : 0;
      }
}

/* Steps along an axis to elements that have a point of index i too: 0 and, at an end, one more. */
static int steps_from(int n, int i, int step[2]) {
  step[0] = 0;
  step[1] = i == 0 ? -1 : 1;
  return i == 0 || i == n - 1 ? 2 : 1;
}

/* Does no earlier block have this surface point, and in this block no earlier point or lane? */
static bool is_first(int n, const struct place *place, hb_local block, int lane, const int ijk[3]) {
  int step[3][2], steps[3];
  const int point = (ijk[2] * n + ijk[1]) * n + ijk[0];
  for (int a = 0; a < 3; a++) steps[a] = steps_from(n, ijk[a], step[a]);
  for (int q = 1; q < 8; q++) {
    const int s[3] = {q & 1, q >> 1 & 1, q >> 2};
    if (s[0] >= steps[0] || s[1] >= steps[1] || s[2] >= steps[2]) continue;
    const int dx = step[0][s[0]], dy = step[1][s[1]], dz = step[2][s[2]];
    const hb_local other = place->around[dz + 1][dy + 1][dx + 1].block;
    if (other < 0 || other > block) continue;
    if (other < block) return false;
    const int same = point - (n - 1) * ((dz * n + dy) * n + dx); /* the point as it has it */
    if (same < point || (same == point && place->around[dz + 1][dy + 1][dx + 1].lane < lane))
      return false;
  }
  return true;
}

static hb_local *surface_of(const struct hb_numbering *numbering, hb_local block) {
  return numbering->surface_index +
         (ptrdiff_t)block * numbering->lanes * hb_surface_per_element(numbering->n);
}

static hb_local first_block(const struct hb_numbering *numbering, int piece) {
  return (hb_local)hb_piece_begin(numbering->num_blocks, NUM_PIECES, piece);
}

/* Marks the points that a block meets first by FIRST less their range, and counts them; missing
 * lanes are done. */
static void mark_block(struct pass *pass, hb_local block, hb_local count[NUM_RANGES]) {
  const struct hb_numbering *numbering = pass->numbering;
  const int n = numbering->n, lanes = numbering->lanes;
  const int active = hb_block_active(numbering->num_elements, lanes, block);
  struct place place[HB_MAX_LANES];
  hb_local *surface = surface_of(numbering, block), c[3];
  for (int lane = 0; lane < active; lane++) find_place(pass, block * lanes + lane, &place[lane]);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const int ijk[3] = {i, j, k};
        if (hb_point_is_interior(n, k, j, i)) continue;
        for (int lane = 0; lane < lanes; lane++) {
          surface[lane] = UNSEEN;
          if (lane >= active || !is_first(n, &place[lane], block, lane, ijk)) continue;
          lattice_entry(numbering->lattice_size, place[lane].base, i, j, k, c);
          const enum range range = range_of(numbering, pass->sides, c);
          surface[lane] = FIRST - (hb_local)range;
          count[range]++;
        }
        surface += lanes;
      }
}

static void mark_piece(void *context, int piece) {
  struct pass *pass = context;
  for (hb_local block = first_block(pass->numbering, piece);
       block < first_block(pass->numbering, piece + 1); block++)
    mark_block(pass, block, pass->count[piece]);
}

/* Numbers to the lattice: of a block's interior points, and from next[range] on of those marked. */
static void number_block(const struct pass *pass, hb_local block, hb_local next[NUM_RANGES]) {
  const struct hb_numbering *numbering = pass->numbering;
  const hb_local *count = pass->partition->count, *mark = surface_of(numbering, block);
  const int n = numbering->n, lanes = numbering->lanes;
  const int active = hb_block_active(numbering->num_elements, lanes, block);
  hb_local interior = block * lanes * (hb_local)hb_interior_per_element(n);
  hb_local base[HB_MAX_LANES][3], c[3];
  for (int lane = 0; lane < active; lane++) {
    const hb_local e = numbering->element[block * lanes + lane];
    base[lane][0] = e % count[0] * (n - 1);
    base[lane][1] = e / count[0] % count[1] * (n - 1);
    base[lane][2] = e / count[0] / count[1] * (n - 1);
  }
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        const bool inside = hb_point_is_interior(n, k, j, i);
        for (int lane = 0; lane < active; lane++) {
          if (!inside && mark[lane] == UNSEEN) continue;
          const ptrdiff_t entry = lattice_entry(numbering->lattice_size, base[lane], i, j, k, c);
          numbering->lattice[entry] = inside ? interior++ : next[FIRST - mark[lane]]++;
        }
        if (!inside) mark += lanes;
      }
}

static void number_piece(void *context, int piece) {
  struct pass *pass = context;
  for (hb_local block = first_block(pass->numbering, piece);
       block < first_block(pass->numbering, piece + 1); block++)
    number_block(pass, block, pass->count[piece]);
}

/* The index of surface points, from the lattice. */
static void index_piece(void *context, int piece) {
  const struct pass *pass = context;
  const struct hb_numbering *numbering = pass->numbering;
  const hb_local *count = pass->partition->count;
  const int n = numbering->n, lanes = numbering->lanes;
  for (hb_local block = first_block(numbering, piece); block < first_block(numbering, piece + 1);
       block++)
    for (int lane = 0; lane < hb_block_active(numbering->num_elements, lanes, block); lane++) {
      const hb_local e = numbering->element[block * lanes + lane];
      const hb_local element[3] = {e % count[0], e / count[0] % count[1], e / count[0] / count[1]};
      hb_local *surface = surface_of(numbering, block) + lane;
      for (int k = 0; k < n; k++)
        for (int j = 0; j < n; j++)
          for (int i = 0; i < n; i++) {
            if (hb_point_is_interior(n, k, j, i)) continue;
            *surface = hb_numbering_point(numbering, element, i, j, k);
            surface += lanes;
          }
    }
}

/* Sizes of the ranges, from the planes of the lattice that are shared. */
static void range_sizes(const struct hb_partition *partition, const struct sides *sides,
                        struct hb_numbering *numbering) {
  hb_global all = 1, alone = 1, mine = 1;
  for (int a = 0; a < 3; a++) {
    const hb_global size = numbering->lattice_size[a];
    all *= size;
    alone *= size - sides->shared[a][0] - sides->shared[a][1];
    mine *= size - sides->lower[a][0] - sides->lower[a][1];
  }
  numbering->num_points = (hb_local)all;
  numbering->num_private = (hb_local)alone;
  numbering->num_owned = (hb_local)mine;
  numbering->surface_start =
      partition->num_elements * (hb_local)hb_interior_per_element(numbering->n);
}

/* Which block meets a point first, numbers by that, and the index. */
static enum hb_status number_points(const struct hb_partition *partition, const struct sides *sides,
                                    int threads, struct hb_numbering *numbering) {
  enum hb_status status = HB_OK;
  hb_local next[NUM_RANGES] = {numbering->surface_start, numbering->num_private,
                               numbering->num_owned};
  struct pass *pass = NULL;
  HB_ALLOC(pass, 1, "numbering");
  *pass = (struct pass){.numbering = numbering, .partition = partition, .sides = sides};
  HB_ALLOC(pass->position, numbering->num_elements, "positions of elements");
  for (hb_local p = 0; p < numbering->num_elements; p++) pass->position[numbering->element[p]] = p;
  hb_threads_run(threads, NUM_PIECES, mark_piece, pass);
  for (int piece = 0; piece < NUM_PIECES; piece++)
    for (int range = 0; range < NUM_RANGES; range++) {
      const hb_local count = pass->count[piece][range];
      pass->count[piece][range] = next[range];
      next[range] += count;
    }
  HB_ASSERT(next[PRIVATE] == numbering->num_private && next[OWNED] == numbering->num_owned);
  HB_ASSERT(next[FOREIGN] == numbering->num_points);
  hb_threads_run(threads, NUM_PIECES, number_piece, pass);
  hb_threads_run(threads, NUM_PIECES, index_piece, pass);
done:
  if (pass != NULL) hb_free(pass->position);
  hb_free(pass);
  return status;
}

/* True if the lattice coordinate lies on a face of the box that is Dirichlet. */
static bool on_dirichlet_face(const struct hb_box *box, const struct hb_partition *partition,
                              int axis, hb_local c) {
  if (box->boundary[axis] != HB_DIRICHLET) return false;
  const hb_global g = partition->start[axis] * box->degree + c;
  return g == 0 || g == box->elements[axis] * box->degree;
}

/* Visits the rank's points on Dirichlet faces; returns their number, fills masked if not NULL. */
static hb_local find_masked(const struct hb_box *box, const struct hb_partition *partition,
                            const struct hb_numbering *numbering, hb_local *masked) {
  const hb_local *size = numbering->lattice_size;
  hb_local found = 0;
  for (hb_local z = 0; z < size[2]; z++)
    for (hb_local y = 0; y < size[1]; y++) {
      const bool line =
          on_dirichlet_face(box, partition, 1, y) || on_dirichlet_face(box, partition, 2, z);
      const hb_local *row = numbering->lattice + ((ptrdiff_t)z * size[1] + y) * size[0];
      const hb_local step = line || size[0] == 1 ? 1 : size[0] - 1; /* else the two ends of x */
      for (hb_local x = 0; x < size[0]; x += step) {
        if (!line && !on_dirichlet_face(box, partition, 0, x)) continue;
        if (masked != NULL) masked[found] = row[x];
        found++;
      }
    }
  return found;
}

enum hb_status hb_numbering_create(const struct hb_box *box, const struct hb_partition *partition,
                                   int lanes, int threads, struct hb_numbering **numbering_out) {
  enum hb_status status = HB_OK;
  struct hb_numbering *numbering = NULL;
  const struct sides sides = find_sides(box, partition);
  const int n = box->degree + 1;
  HB_ASSERT(lanes >= 1 && lanes <= HB_MAX_LANES);
  *numbering_out = NULL;
  HB_ALLOC(numbering, 1, "numbering");
  *numbering = (struct hb_numbering){.n = n,
                                     .lanes = lanes,
                                     .num_elements = partition->num_elements,
                                     .num_blocks = hb_num_blocks(partition->num_elements, lanes)};
  hb_numbering_lattice_size(box, partition, numbering->lattice_size);
  range_sizes(partition, &sides, numbering);
  HB_ALLOC(numbering->element, numbering->num_elements, "order of elements");
  HB_ALLOC(numbering->surface_index,
           (hb_global)numbering->num_blocks * lanes * hb_surface_per_element(n),
           "index of surface points");
  HB_ALLOC(numbering->lattice, numbering->num_points, "lattice of points");
  order_elements(partition, &sides, numbering);
  HB_TRY(number_points(partition, &sides, threads, numbering));
  numbering->num_masked = find_masked(box, partition, numbering, NULL);
  HB_ALLOC(numbering->masked, numbering->num_masked, "points on Dirichlet faces");
  find_masked(box, partition, numbering, numbering->masked);
  *numbering_out = numbering;
done:
  if (status != HB_OK) hb_numbering_destroy(&numbering);
  return status;
}

void hb_numbering_destroy(struct hb_numbering **numbering) {
  if (*numbering == NULL) return;
  hb_free((*numbering)->element);
  hb_free((*numbering)->surface_index);
  hb_free((*numbering)->lattice);
  hb_free((*numbering)->masked);
  hb_free(*numbering);
  *numbering = NULL;
}

hb_global hb_numbering_num_points(const struct hb_box *box, const struct hb_partition *partition) {
  hb_local size[3];
  hb_numbering_lattice_size(box, partition, size);
  return (hb_global)size[0] * size[1] * size[2];
}

hb_global hb_numbering_most_shared(const struct hb_box *box, const struct hb_partition *partition) {
  hb_local size[3];
  hb_global inner = 1;
  hb_numbering_lattice_size(box, partition, size);
  for (int a = 0; a < 3; a++) inner *= partition->grid[a] == 1 ? size[a] : size[a] - 2;
  return hb_numbering_num_points(box, partition) - inner;
}

hb_global hb_numbering_bytes(const struct hb_box *box, const struct hb_partition *partition,
                             int lanes) {
  hb_local size[3];
  hb_global points = 1, unmasked = 1;
  hb_numbering_lattice_size(box, partition, size);
  for (int a = 0; a < 3; a++) {
    const hb_local last = size[a] - 1; /* > 0 where a face is Dirichlet */
    points *= size[a];
    unmasked *= size[a] - (on_dirichlet_face(box, partition, a, 0) ? 1 : 0) -
                (on_dirichlet_face(box, partition, a, last) ? 1 : 0);
  }
  const hb_global blocks = hb_num_blocks(partition->num_elements, lanes);
  const hb_global surface = blocks * lanes * hb_surface_per_element(box->degree + 1);
  return (hb_global)sizeof(hb_local) *
         (partition->num_elements + surface + points + (points - unmasked));
}
