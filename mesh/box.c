/* SPDX-License-Identifier: BSD-3-Clause
 * The box of elements: checks of its numbers, counts, and the three maps from the unit cube. */
#include "mesh/box.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double SMOOTH_WEIGHT[3] = {1.0, 0.8, 0.6};
static const char AXIS_NAME[3] = {'x', 'y', 'z'};
enum { KERSHAW_LAYERS = 6 };

/* Below this the smooth map is one to one: its Jacobian is similar to I + 2 pi amplitude S with a
 * symmetric S of norm <= 1, and S = -1 in x occurs, at s = (1/2, 0, 0). */
static double amplitude_limit(void) { return 1.0 / (2.0 * PI); }

const char *hb_boundary_name(enum hb_boundary boundary) {
  switch (boundary) {
  case HB_DIRICHLET: return "dirichlet";
  case HB_NEUMANN: return "neumann";
  case HB_PERIODIC: return "periodic";
  }
  return "unknown";
}

const char *hb_deformation_name(enum hb_deformation deformation) {
  switch (deformation) {
  case HB_UNDEFORMED: return "none";
  case HB_SMOOTH: return "smooth";
  case HB_KERSHAW: return "kershaw";
  }
  return "unknown";
}

/* Every axis on its own: elements, length, boundary type. */
static enum hb_status check_axes(const struct hb_box *box) {
  enum hb_status status = HB_OK;
  for (int a = 0; a < 3; a++) {
    const double length = box->length[a];
    if (box->elements[a] < 1)
      HB_FAIL(HB_BAD_INPUT, "n%c = %lld elements: at least 1 is needed", AXIS_NAME[a],
              (long long)box->elements[a]);
    if (!(isfinite(length) && length > 0.0))
      HB_FAIL(HB_BAD_INPUT, "l%c = %g m: the length must be finite and above 0", AXIS_NAME[a],
              length);
    if ((int)box->boundary[a] < HB_DIRICHLET || (int)box->boundary[a] > HB_PERIODIC)
      HB_FAIL(HB_BAD_INPUT, "boundary in %c = %d: allowed are dirichlet, neumann, periodic",
              AXIS_NAME[a], (int)box->boundary[a]);
  }
  if (!isnormal(hb_box_volume(box)))
    HB_FAIL(HB_BAD_INPUT, "lx ly lz = %g x %g x %g m: the volume %g m^3 is out of range",
            box->length[0], box->length[1], box->length[2], hb_box_volume(box));
done:
  return status;
}

static enum hb_status check_deformation(const struct hb_box *box) {
  enum hb_status status = HB_OK;
  switch (box->deformation) {
  case HB_UNDEFORMED: break;
  case HB_SMOOTH:
    if (!(box->amplitude >= 0.0 && box->amplitude < amplitude_limit()))
      HB_FAIL(HB_BAD_INPUT,
              "amplitude = %g: it must be at least 0 and below 1/(2 pi) = %.6f, where the smooth "
              "deformation begins to fold elements",
              box->amplitude, amplitude_limit());
    break;
  case HB_KERSHAW:
    for (int a = 1; a < 3; a++)
      if (!(box->epsilon[a - 1] > 0.0 && box->epsilon[a - 1] <= 1.0))
        HB_FAIL(HB_BAD_INPUT, "epsilon_%c = %g: it must be above 0 and at most 1", AXIS_NAME[a],
                box->epsilon[a - 1]);
    if (box->boundary[0] == HB_PERIODIC)
      HB_FAIL(HB_BAD_INPUT, "the kershaw deformation cannot be periodic in x: its two x faces are "
                            "refined on opposite sides, so their points do not match");
    break;
  default:
    HB_FAIL(HB_BAD_INPUT, "deformation = %d: allowed are none, smooth, kershaw",
            (int)box->deformation);
  }
done:
  return status;
}

/* True if the bytes of one field stored element by element, 8 E n^3, fit into 64 bit.  All else
 * that is counted over the whole box is less: the points of the lattice, at most E n^3, and the
 * eight corners of degree^3 cells an element. */
static bool counts_fit(const struct hb_box *box) {
  const hb_global n = box->degree + 1;
  hb_global product = n * n * n * (hb_global)sizeof(double);
  for (int a = 0; a < 3; a++)
    if (!hb_multiply(product, box->elements[a], &product)) return false;
  return true;
}

enum hb_status hb_box_check(const struct hb_box *box) {
  enum hb_status status = HB_OK;
  if (box->degree < HB_MIN_DEGREE || box->degree > HB_MAX_DEGREE)
    HB_FAIL(HB_BAD_INPUT, "degree = %d: allowed are %d to %d", box->degree, HB_MIN_DEGREE,
            HB_MAX_DEGREE);
  HB_TRY(check_axes(box));
  HB_TRY(check_deformation(box));
  if (!counts_fit(box))
    HB_FAIL(HB_BAD_INPUT,
            "nx ny nz = %lld x %lld x %lld elements of degree %d: the bytes of a field, 8 for each "
            "of n^3 points an element, do not fit into 64 bit",
            (long long)box->elements[0], (long long)box->elements[1], (long long)box->elements[2],
            box->degree);
done:
  return status;
}

void hb_box_lattice(const struct hb_box *box, hb_global points[3]) {
  for (int a = 0; a < 3; a++)
    points[a] = box->elements[a] * box->degree + (box->boundary[a] == HB_PERIODIC ? 0 : 1);
}

hb_global hb_box_num_elements(const struct hb_box *box) {
  return box->elements[0] * box->elements[1] * box->elements[2];
}

hb_global hb_box_num_points(const struct hb_box *box) {
  hb_global points[3];
  hb_box_lattice(box, points);
  return points[0] * points[1] * points[2];
}

double hb_box_volume(const struct hb_box *box) {
  return box->length[0] * box->length[1] * box->length[2];
}

/* sine = sin(2 pi s), cosine = cos(2 pi s); exact at multiples of 1/4, because the angle is reduced
 * to the nearest of them before it is multiplied by pi. */
static void sine_cosine_of_turns(double s, double *sine, double *cosine) {
  const double quarter = rint(4.0 * s);
  const double angle = 2.0 * PI * (s - 0.25 * quarter);
  const double sin_rest = sin(angle), cos_rest = cos(angle);
  switch ((int)quarter & 3) {
  case 0: *sine = sin_rest, *cosine = cos_rest; break;
  case 1: *sine = cos_rest, *cosine = -sin_rest; break;
  case 2: *sine = -sin_rest, *cosine = -cos_rest; break;
  default: *sine = -cos_rest, *cosine = sin_rest; break;
  }
}

/* [0,1] onto itself with slope 2 - epsilon on the left half, epsilon on the right one. */
static double refined_right(double epsilon, double s) {
  return s <= 0.5 ? (2.0 - epsilon) * s : 1.0 - epsilon * (1.0 - s);
}

/* The mirror image, 1 - refined_right(epsilon, 1 - s), written out so that it rounds less. */
static double refined_left(double epsilon, double s) {
  return s < 0.5 ? epsilon * s : 1.0 - (2.0 - epsilon) * (1.0 - s);
}

/* From 0 at t = 0 to 1 at t = 1, with two continuous derivatives. */
static double smooth_step(double t) {
  if (t <= 0.0) return 0.0;
  if (t >= 1.0) return 1.0;
  return t * t * t * (t * (6.0 * t - 15.0) + 10.0);
}

/* Weight of the right-refined state at s in [0,1] along x: six layers. */
static double kershaw_weight(double s) {
  const double position = KERSHAW_LAYERS * s;
  const int layer = position < KERSHAW_LAYERS - 1 ? (int)position : KERSHAW_LAYERS - 1;
  const double lambda = position - layer;
  switch (layer) {
  case 0: return 0.0;
  case 2: return 1.0 - smooth_step(0.5 * lambda);
  case 3: return 1.0 - smooth_step(0.5 * (1.0 + lambda));
  case 5: return 1.0;
  default: return smooth_step(lambda); /* 1 and 4 */
  }
}

static void smooth_axis(const struct hb_box *box, int axis, double s,
                        struct hb_box_axis_value *value) {
  double sine, cosine;
  sine_cosine_of_turns(s, &sine, &cosine);
  for (int a = 0; a < 3; a++) value->factor[a] = cosine;
  value->factor[axis] = box->amplitude * SMOOTH_WEIGHT[axis] * sine;
}

static void kershaw_axis(const struct hb_box *box, int axis, double s,
                         struct hb_box_axis_value *value) {
  value->factor[1] = value->factor[2] = 1.0;
  if (axis == 0) {
    value->factor[1] = value->factor[2] = kershaw_weight(s);
    return;
  }
  const double epsilon = box->epsilon[axis - 1];
  value->base = refined_left(epsilon, s);
  value->factor[axis] = refined_right(epsilon, s) - value->base;
}

void hb_box_axis(const struct hb_box *box, int axis, double s, struct hb_box_axis_value *value) {
  HB_ASSERT(s >= 0.0 && s <= 1.0);
  *value = (struct hb_box_axis_value){.base = s, .factor = {0.0, 0.0, 0.0}};
  if (box->deformation == HB_SMOOTH) smooth_axis(box, axis, s, value);
  if (box->deformation == HB_KERSHAW) kershaw_axis(box, axis, s, value);
}

void hb_box_map(const struct hb_box *box, const double s[3], double x[3]) {
  struct hb_box_axis_value value[3];
  for (int a = 0; a < 3; a++) hb_box_axis(box, a, s[a], &value[a]);
  hb_box_position(box, &value[0], &value[1], &value[2], x);
}
