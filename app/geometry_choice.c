/* SPDX-License-Identifier: BSD-3-Clause
 * The search for the first element that a geometry mode cannot represent. */
#include "app/geometry_choice.h"

#include <math.h>

#include "app/input_range.h"
#include "kernels/geometry/kept.h"
#include "mesh/positions.h"

static const enum hb_geometry_mode lighter[] = {HB_GEOMETRY_TRILINEAR, HB_GEOMETRY_AFFINE};
enum { NUM_LIGHTER = 2 };

/* The first element of the box, in its order, that a mode cannot represent. */
struct first {
  double number; /* ex + Ex (ey + Ey ez); HUGE_VAL: there is none */
  double misfit, bound;
};

struct search {
  const struct hb_box *box;
  const struct hb_partition *partition;
  struct hb_gll gll;
  struct hb_positions *positions; /* owned, as the next */
  double *x;                      /* [3][k][j][i] of an element, m */
  struct first first[NUM_LIGHTER];
};

static double number_of(const struct search *search, const hb_local e[3]) {
  const hb_global *start = search->partition->start, *all = search->box->elements;
  return (double)(start[0] + e[0]) +
         (double)all[0] * ((double)(start[1] + e[1]) + (double)all[1] * (double)(start[2] + e[2]));
}

static void look_at(struct search *search, const hb_local e[3]) {
  const int n = search->gll.n;
  hb_positions_element(search->positions, e, 1, search->x);
  const double bound = hb_geometry_misfit_rounding(hb_geometry_distance(n, search->x));
  for (int q = 0; q < NUM_LIGHTER; q++) {
    struct first *first = &search->first[q];
    if (first->number < HUGE_VAL) continue;
    const double misfit = hb_geometry_misfit(lighter[q], n, search->gll.nodes, search->x);
    if (misfit <= bound) continue;
    *first = (struct first){number_of(search, e), misfit, bound};
  }
}

/* The rank's elements until no mode is left.  Where nothing is deformed x_a depends on its own axis
 * alone, so that a row of elements along each shows all. */
static void look(struct search *search) {
  const hb_local *count = search->partition->count;
  const bool rows = search->box->deformation == HB_UNDEFORMED;
  hb_local e[3];
  for (e[2] = 0; e[2] < count[2]; e[2]++)
    for (e[1] = 0; e[1] < count[1]; e[1]++)
      for (e[0] = 0; e[0] < count[0]; e[0]++) {
        const bool on_a_row = (e[0] > 0) + (e[1] > 0) + (e[2] > 0) <= 1;
        if (rows && !on_a_row) break;
        if (search->first[0].number < HUGE_VAL && search->first[1].number < HUGE_VAL) return;
        look_at(search, e);
      }
}

static enum hb_status look_on_rank(const struct hb_box *box, const struct hb_partition *partition,
                                   struct search *search) {
  enum hb_status status = HB_OK;
  *search = (struct search){
      .box = box, .partition = partition, .first = {{.number = HUGE_VAL}, {.number = HUGE_VAL}}};
  HB_TRY(hb_gll_init(box->degree, &search->gll));
  HB_TRY(hb_positions_create(box, partition, &search->gll, &search->positions));
  HB_ALLOC(search->x, 3 * hb_points_per_element(box->degree + 1), "positions of an element");
  look(search);
done:
  hb_free(search->x);
  hb_positions_destroy(&search->positions);
  return status;
}

/* Collective.  The first over all ranks. */
static void agree_on_first(const struct hb_comm *comm, struct first *first) {
  const double mine = first->number;
  double values[2];
  hb_comm_min(comm, 1, &first->number);
  values[0] = mine == first->number ? first->misfit : 0.0;
  values[1] = mine == first->number ? first->bound : 0.0;
  hb_comm_max(comm, 2, values);
  first->misfit = values[0];
  first->bound = values[1];
}

static enum hb_status refuse(const struct hb_box *box, enum hb_geometry_mode mode,
                             const struct first *first, bool straight) {
  enum hb_status status = HB_OK;
  const hb_global number = (hb_global)first->number;
  const hb_global x = number % box->elements[0], y = number / box->elements[0] % box->elements[1];
  HB_FAIL(HB_BAD_INPUT,
          "geometry = %s: element (%lld, %lld, %lld) is no %s: points are off by %.3g of its size, "
          "rounding is %.1g; allowed for this mesh: auto, stored, nodes%s",
          hb_geometry_mode_name(mode), (long long)x, (long long)y,
          (long long)(number / box->elements[0] / box->elements[1]),
          mode == HB_GEOMETRY_AFFINE ? "parallelepiped" : "hexahedron with straight edges",
          first->misfit, first->bound, straight ? ", trilinear" : "");
done:
  return status;
}

/* Leaves those modes out whose kernels would form numbers out of range; one that is named is
 * refused. */
static enum hb_status limit(const struct hb_options *options, const struct hb_box *box,
                            unsigned *modes) {
  const unsigned forming = 1u << HB_GEOMETRY_NODES | 1u << HB_GEOMETRY_TRILINEAR;
  if ((*modes & forming) == 0) return HB_OK;
  const enum hb_status status = hb_input_range_check_forming(options, box);
  if (status == HB_OK || options->geometry != HB_GEOMETRY_AUTO) return status;
  hb_error_clear();
  *modes &= ~forming;
  return HB_OK;
}

enum hb_status hb_geometry_choose(const struct hb_comm *comm, const struct hb_options *options,
                                  const struct hb_box *box, const struct hb_partition *partition,
                                  unsigned *modes) {
  enum hb_status status = HB_OK;
  const bool automatic = options->geometry == HB_GEOMETRY_AUTO;
  const enum hb_geometry_mode wished = (enum hb_geometry_mode)(options->geometry - 1);
  struct search search;
  *modes = automatic ? 1u << HB_GEOMETRY_STORED | 1u << HB_GEOMETRY_NODES : 1u << wished;
  if (!automatic && wished != lighter[0] && wished != lighter[1]) return limit(options, box, modes);
  HB_TRY(hb_comm_agree(comm, look_on_rank(box, partition, &search)));
  for (int q = 0; q < NUM_LIGHTER; q++) agree_on_first(comm, &search.first[q]);
  for (int q = 0; q < NUM_LIGHTER; q++) {
    const bool represents = search.first[q].number == HUGE_VAL;
    if (automatic && represents) *modes |= 1u << lighter[q];
    if (wished == lighter[q] && !automatic && !represents)
      HB_TRY(refuse(box, wished, &search.first[q], search.first[0].number == HUGE_VAL));
  }
  HB_TRY(limit(options, box, modes));
done:
  return status;
}
