/* SPDX-License-Identifier: BSD-3-Clause
 * The box: its maps at faces, across periods and layers; its counts up to 64 bit; its refusals. */
#include <float.h>
#include <string.h>

#include "mesh/box.h"
#include "tests/check.h"

static struct hb_box default_box(void) {
  return (struct hb_box){.degree = 7,
                         .elements = {4, 3, 2},
                         .length = {1.0, 0.7, 3.1},
                         .boundary = {HB_DIRICHLET, HB_NEUMANN, HB_DIRICHLET},
                         .deformation = HB_UNDEFORMED,
                         .amplitude = 0.15,
                         .epsilon = {0.3, 0.2}};
}

/* s = 0 and 1 map onto 0 and l without a residue, which the amplitude here would bring to light;
 * where the map is periodic, points of opposite faces agree in the two other coordinates. */
static void check_faces(struct hb_check *check) {
  struct hb_box box = default_box();
  box.amplitude = 8.0;
  for (int map = HB_UNDEFORMED; map <= HB_KERSHAW; map++)
    for (int a = 0; a < 3; a++)
      for (int point = 0; point < 441; point++) {
        const int b = (a + 1) % 3, c = (a + 2) % 3;
        double s[3], low[3], high[3];
        box.deformation = (enum hb_deformation)map;
        s[b] = (point % 21) / 20.0;
        s[c] = (point / 21) / 20.0;
        s[a] = 0.0;
        hb_box_map(&box, s, low);
        s[a] = 1.0;
        hb_box_map(&box, s, high);
        CHECK(check, low[a] == 0.0 && high[a] == box.length[a]);
        if (map != HB_KERSHAW || a != 0) CHECK(check, high[b] == low[b] && high[c] == low[c]);
      }
}

/* The formula of the header, with the library's sine and cosine, at points off the symmetries. */
static void check_smooth(struct hb_check *check) {
  struct hb_box box = default_box();
  const double turn = 2.0 * acos(-1.0), weight[3] = {1.0, 0.8, 0.6};
  const double quarter[3] = {0.25, 0.5, 0.0}; /* sin = 1, cos = -1, cos = 1 */
  double x[3];
  box.deformation = HB_SMOOTH;
  for (int point = 0; point < 343; point++) {
    const double s[3] = {(point % 7) / 6.3, (point / 7 % 7) / 6.1, (point / 49) / 6.7};
    hb_box_map(&box, s, x);
    for (int a = 0; a < 3; a++) {
      const double wave =
          sin(turn * s[a]) * cos(turn * s[(a + 1) % 3]) * cos(turn * s[(a + 2) % 3]);
      CHECK_NEAR(check, x[a], box.length[a] * (s[a] + 0.15 * weight[a] * wave),
                 16.0 * DBL_EPSILON * box.length[a]); /* angles up to 2 pi are rounded */
    }
  }
  hb_box_map(&box, quarter, x);
  CHECK(check, x[0] == box.length[0] * (0.25 - 0.15));
  CHECK(check, x[1] == 0.5 * box.length[1] && x[2] == 0.0);
}

/* det J > 0 by central differences at `points` per axis; false if it is not positive somewhere. */
static bool is_unfolded(const struct hb_box *box, int points) {
  const double h = 1e-6;
  for (int point = 0; point < points * points * points; point++) {
    double s[3], low[3], high[3], J[3][3];
    for (int a = 0, rest = point; a < 3; a++, rest /= points)
      s[a] = h + (1.0 - 2.0 * h) * (rest % points) / (points - 1);
    for (int m = 0; m < 3; m++) {
      const double centre = s[m];
      s[m] = centre - h;
      hb_box_map(box, s, low);
      s[m] = fmin(centre + h, 1.0);
      hb_box_map(box, s, high);
      for (int a = 0; a < 3; a++) J[a][m] = (high[a] - low[a]) / (2.0 * h);
      s[m] = centre;
    }
    double minors = J[0][0]; /* leading minors: all positive for the maps that do not fold */
    if (!(minors > 0.0)) return false;
    minors = J[0][0] * J[1][1] - J[0][1] * J[1][0];
    if (!(minors > 0.0)) return false;
    minors = J[0][0] * (J[1][1] * J[2][2] - J[1][2] * J[2][1]) -
             J[0][1] * (J[1][0] * J[2][2] - J[1][2] * J[2][0]) +
             J[0][2] * (J[1][0] * J[2][1] - J[1][1] * J[2][0]);
    if (!(minors > 0.0)) return false;
  }
  return true;
}

static void check_unfolded(struct hb_check *check) {
  struct hb_box box = default_box();
  box.deformation = HB_SMOOTH;
  box.amplitude = 0.159;
  CHECK(check, is_unfolded(&box, 21));
  CHECK_OK(check, hb_box_check(&box));
  box.amplitude = 0.1592;
  CHECK(check, !is_unfolded(&box, 21));
  CHECK_FAILS(check, hb_box_check(&box), HB_BAD_INPUT, "amplitude = 0.1592");
  box.deformation = HB_KERSHAW;
  CHECK(check, is_unfolded(&box, 21));
}

/* Layers meet, states on the layer planes are the half-refined ones, epsilon = 1 changes nothing.
 */
static void check_kershaw(struct hb_check *check) {
  struct hb_box box = default_box();
  double x[3], below[3];
  box.deformation = HB_KERSHAW;
  for (int point = 0; point <= 40; point++) {
    const double y = point / 40.0, fine = 0.3 * y, coarse = 1.7 * y;
    const double left = y < 0.5 ? fine : 1.0 - 1.7 * (1.0 - y);
    const double right = y < 0.5 ? coarse : 1.0 - 0.3 * (1.0 - y);
    const double state[7] = {left, left, right, 0.5 * (left + right), left, right, right};
    for (int plane = 0; plane <= 6; plane++) {
      const double s[3] = {plane / 6.0, y, y};
      const double just_below[3] = {nextafter(s[0], 0.0), y, y};
      hb_box_map(&box, s, x);
      hb_box_map(&box, just_below, below);
      CHECK(check, x[0] == box.length[0] * s[0]);
      CHECK_NEAR(check, x[1], box.length[1] * state[plane], 16.0 * DBL_EPSILON);
      CHECK_NEAR(check, below[1], x[1], 16.0 * DBL_EPSILON * box.length[1]);
      CHECK_NEAR(check, below[2], x[2], 16.0 * DBL_EPSILON * box.length[2]);
    }
  }
  for (int layer = 1; layer <= 4; layer++) { /* blended with weights t^3 (6 t^2 - 15 t + 10) */
    const double weight[5] = {0.0, 0.103515625, 0.103515625, 0.896484375, 0.103515625};
    const double lambda[5] = {0.0, 0.25, 0.5, 0.5, 0.25}; /* t = 1/4, 1/4, 3/4, 1/4 */
    const double left = 0.2 * 0.25, right = 1.8 * 0.25;
    const double a = layer % 3 == 1 ? left : right, b = layer % 3 == 1 ? right : left;
    hb_box_map(&box, (const double[3]){(layer + lambda[layer]) / 6.0, 0.0, 0.25}, x);
    CHECK_NEAR(check, x[2], box.length[2] * (a + (b - a) * weight[layer]), 1e-14);
  }
  box.epsilon[0] = box.epsilon[1] = 1.0;
  for (int point = 0; point < 1000; point++) {
    const double s[3] = {(point % 10) / 9.0, (point / 10 % 10) / 9.0, (point / 100) / 9.0};
    hb_box_map(&box, s, x);
    for (int a = 0; a < 3; a++) CHECK(check, x[a] == box.length[a] * s[a]);
  }
}

/* Unique points counted one by one: the node (e, i) of an axis is point e degree + i, wrapped. */
static void check_counts(struct hb_check *check) {
  struct hb_box box = default_box();
  for (int boundaries = 0; boundaries < 27; boundaries++)
    for (int elements = 1; elements <= 3; elements++) {
      hb_global points[3], product = 1;
      for (int a = 0, rest = boundaries; a < 3; a++, rest /= 3) {
        box.boundary[a] = (enum hb_boundary)(rest % 3);
        box.elements[a] = 1 + (elements + a) % 3;
      }
      CHECK_OK(check, hb_box_check(&box));
      hb_box_lattice(&box, points);
      for (int a = 0; a < 3; a++) {
        const hb_global nodes = box.elements[a] * (box.degree + 1);
        const hb_global joints = box.elements[a] - 1 + (box.boundary[a] == HB_PERIODIC ? 1 : 0);
        CHECK_EQUAL(check, points[a], nodes - joints);
        product *= nodes - joints;
      }
      CHECK_EQUAL(check, hb_box_num_points(&box), product);
      CHECK_EQUAL(check, hb_box_num_elements(&box), 6);
    }
  CHECK_NEAR(check, hb_box_volume(&box), 2.17, 4.0 * DBL_EPSILON);
}

/* Sizes beyond 32 bit are counted; those that leave 64 bit are refused, on either side. */
static void check_large(struct hb_check *check) {
  struct hb_box box = default_box();
  for (int a = 0; a < 3; a++) box.elements[a] = 2048;
  CHECK_OK(check, hb_box_check(&box));
  CHECK_EQUAL(check, hb_box_num_elements(&box), 8589934592);
  CHECK_EQUAL(check, hb_box_num_points(&box), 2946964170753LL);
  box.degree = 1; /* 64 bytes an element: 2^57 - 1 elements fit, 2^57 do not */
  box.boundary[0] = box.boundary[1] = box.boundary[2] = HB_PERIODIC;
  box.elements[0] = ((hb_global)1 << 57) - 1;
  box.elements[1] = box.elements[2] = 1;
  CHECK_OK(check, hb_box_check(&box));
  CHECK_EQUAL(check, hb_box_num_points(&box), 144115188075855871LL);
  box.elements[0]++;
  CHECK_FAILS(check, hb_box_check(&box), HB_BAD_INPUT, "nx ny nz = 144115188075855872 x 1 x 1");
  box.elements[0] = HB_GLOBAL_MAX;
  CHECK_FAILS(check, hb_box_check(&box), HB_BAD_INPUT, "64 bit");
  box.boundary[0] = HB_NEUMANN; /* the one point more must not wrap */
  CHECK_FAILS(check, hb_box_check(&box), HB_BAD_INPUT, "64 bit");
  for (int a = 0; a < 3; a++) box.elements[a] = (hb_global)1 << 22;
  CHECK_FAILS(check, hb_box_check(&box), HB_BAD_INPUT, "64 bit");
  box.elements[1] = box.elements[2] = HB_GLOBAL_MAX;
  CHECK_FAILS(check, hb_box_check(&box), HB_BAD_INPUT, "64 bit");
}

/* Sets one member of the default box to a bad value and requires its name in the message. */
#define CHECK_REFUSES(member, value, words)                                                        \
  do {                                                                                             \
    struct hb_box box = default_box();                                                             \
    box.deformation = deformation;                                                                 \
    box.member = (value);                                                                          \
    CHECK_FAILS(check, hb_box_check(&box), HB_BAD_INPUT, words);                                   \
  } while (0)

static void check_refusals(struct hb_check *check) {
  enum hb_deformation deformation = HB_UNDEFORMED;
  CHECK_REFUSES(degree, 0, "degree = 0");
  CHECK_REFUSES(degree, 16, "degree = 16");
  CHECK_REFUSES(elements[0], 0, "nx = 0");
  CHECK_REFUSES(elements[1], -3, "ny = -3");
  CHECK_REFUSES(length[0], 0.0, "lx = 0");
  CHECK_REFUSES(length[1], -1.0, "ly = -1");
  CHECK_REFUSES(length[2], (double)INFINITY, "lz = inf");
  CHECK_REFUSES(length[2], (double)NAN, "lz = ");
  CHECK_REFUSES(length[0], 1e308, "volume");
  CHECK_REFUSES(boundary[1], (enum hb_boundary)3, "boundary in y = 3");
  CHECK_REFUSES(deformation, (enum hb_deformation)3, "deformation = 3");
  deformation = HB_SMOOTH;
  CHECK_REFUSES(amplitude, -0.01, "amplitude = -0.01");
  CHECK_REFUSES(amplitude, 0.5, "amplitude = 0.5");
  CHECK_REFUSES(amplitude, (double)NAN, "amplitude = ");
  deformation = HB_KERSHAW;
  CHECK_REFUSES(epsilon[0], 0.0, "epsilon_y = 0");
  CHECK_REFUSES(epsilon[1], 1.01, "epsilon_z = 1.01");
  CHECK_REFUSES(epsilon[1], (double)NAN, "epsilon_z = ");
  CHECK_REFUSES(boundary[0], HB_PERIODIC, "kershaw deformation cannot be periodic in x");
  CHECK(check, strcmp(hb_boundary_name(HB_PERIODIC), "periodic") == 0);
  CHECK(check, strcmp(hb_deformation_name(HB_KERSHAW), "kershaw") == 0);
}

int main(void) {
  struct hb_check check = {0, 0};
  check_faces(&check);
  check_smooth(&check);
  check_unfolded(&check);
  check_kershaw(&check);
  check_counts(&check);
  check_large(&check);
  check_refusals(&check);
  return hb_check_finish(&check);
}
