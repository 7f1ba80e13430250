/* SPDX-License-Identifier: BSD-3-Clause
 * Assembly lists from the coordinates of elements: a thread for each of them. */
#include "kernels/geometry/lattice_at.h"
#include "kernels/geometry/lattice_lists.h"
#include "kernels/launch.h"

enum { THREADS = 64, MOST_TERMS = 8 };

/* Coordinate of the rank's element `step` further along an axis, or -1. */
__device__ static inline hb_local neighbour_of(const hb_device_lattice &lattice, int axis,
                                               hb_local e, int step) {
  const hb_local count = lattice.count[axis], to = e + step;
  const bool wraps = lattice.problem.periodic[axis] && lattice.elements[axis] == count;
  if (to >= 0 && to < count) return to;
  return wraps ? (to + count) % count : -1;
}

/* Number of a surface point of an element among those of all. */
__device__ static inline hb_local term_of(int n, hb_local position, const int (&ijk)[3]) {
  const int inside = (n - 2) * (n - 2) * (n - 2), point = (ijk[2] * n + ijk[1]) * n + ijk[0];
  return position * (n * n * n - inside) + point - hb_lattice_inside_before(n, ijk);
}

/* The terms of a surface point, ascending; returns their number. */
__device__ static int find_terms(const hb_device_lists &lists, const hb_local (&e)[3],
                                 const int (&ijk)[3], hb_local (&term)[MOST_TERMS]) {
  const hb_device_lattice &lattice = lists.lattice;
  const int n = lattice.n;
  int count = 0;
  for (int q = 0; q < MOST_TERMS; q++) {
    hb_local to[3];
    int at[3];
    bool there = true;
    for (int a = 0; a < 3; a++) {
      const bool moves = (q >> a & 1) != 0;
      const int step = ijk[a] == 0 ? -1 : ijk[a] == n - 1 ? 1 : 0;
      to[a] = moves ? neighbour_of(lattice, a, e[a], step) : e[a];
      at[a] = moves ? n - 1 - ijk[a] : ijk[a];
      there = there && to[a] >= 0 && (!moves || step != 0);
    }
    if (!there) continue;
    const hb_local *size = lattice.count;
    const hb_local position =
        lists.d_position[to[0] + size[0] * (to[1] + static_cast<ptrdiff_t>(size[1]) * to[2])];
    const hb_local mine = term_of(n, position, at);
    int place = count++;
    for (; place > 0 && term[place - 1] > mine; place--) term[place] = term[place - 1];
    term[place] = mine;
  }
  return count;
}

__global__ void __launch_bounds__(THREADS) hb_list_points(const hb_device_lists lists, bool fill) {
  const hb_device_lattice &lattice = lists.lattice;
  const int n = lattice.n;
  const int64_t position = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (position >= lattice.num_elements) return;
  hb_local e[3], term[MOST_TERMS];
  hb_lattice_element(lattice, static_cast<hb_local>(position), e);
  hb_local next = fill ? lists.d_start[position] : 0;
  for (int point = 0; point < n * n * n; point++) {
    const int ijk[3] = {point % n, point / n % n, point / (n * n)};
    if (hb_lattice_inside(n, ijk)) continue;
    const hb_local own = term_of(n, static_cast<hb_local>(position), ijk);
    const int count = find_terms(lists, e, ijk, term);
    if (term[0] != own) continue; /* another element has it first */
    if (fill) {
      const hb_local number = lists.d_index[own];
      hb_local *pair = lists.d_pair + 2 * static_cast<ptrdiff_t>(number - lattice.surface_start);
      pair[0] = count > 2 ? next : own;
      pair[1] = count > 2 ? -count : count == 2 ? term[1] : -1;
      for (int q = 0; count > 2 && q < count; q++) lists.d_extra[next + q] = term[q];
      lists.d_index[own] = number | HB_OWNS_POINT;
    }
    if (count > 2) next += count;
  }
  if (!fill) lists.d_start[position] = next;
}

__global__ void __launch_bounds__(THREADS)
    hb_mask_pairs(hb_local surface_start, hb_local count, const hb_local *masked, hb_local *pairs) {
  const int64_t q = static_cast<int64_t>(blockIdx.x) * THREADS + threadIdx.x;
  if (q >= count) return;
  hb_local *pair = pairs + 2 * static_cast<ptrdiff_t>(masked[q] - surface_start);
  pair[0] = -1 - pair[0];
}

static enum hb_status launch(const struct hb_device_lists *lists, bool fill) {
  if (lists->lattice.num_elements == 0) return HB_OK;
  return hb_launch(lists->lattice.device, "assembly_lists", hb_list_points,
                   (lists->lattice.num_elements - 1) / THREADS + 1, THREADS, 0, *lists, fill);
}

extern "C" {

enum hb_status hb_lattice_count_extra(const struct hb_device_lists *lists) {
  return launch(lists, false);
}

enum hb_status hb_lattice_fill_lists(const struct hb_device_lists *lists) {
  return launch(lists, true);
}

enum hb_status hb_lattice_mask_lists(const struct hb_device_lists *lists, hb_local count,
                                     const hb_local *d_masked) {
  if (count == 0) return HB_OK;
  return hb_launch(lists->lattice.device, "mask_lists", hb_mask_pairs, (count - 1) / THREADS + 1,
                   THREADS, 0, lists->lattice.surface_start, count, d_masked, lists->d_pair);
}

} /* extern "C" */
