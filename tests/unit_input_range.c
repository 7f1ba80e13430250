/* SPDX-License-Identifier: BSD-3-Clause
 * Input whose products leave the range of numbers is refused, ordinary input in all units is not.
 */
#include <string.h>

#include "app/input_range.h"
#include "tests/check.h"

static enum hb_status judge(const struct hb_options *options) {
  struct hb_box box = {.degree = options->degree,
                       .elements = {options->nx, options->ny, options->nz},
                       .length = {options->lx, options->ly, options->lz},
                       .deformation = options->deformation,
                       .amplitude = options->amplitude,
                       .epsilon = {options->epsilon_y, options->epsilon_z}};
  for (int a = 0; a < 3; a++) box.boundary[a] = options->boundary[a];
  return hb_input_range_check(options, &box);
}

static struct hb_options cube(double length, double h1, double h2) {
  struct hb_options options;
  hb_options_defaults(&options);
  options.lx = options.ly = options.lz = length;
  options.h1 = h1;
  options.h2 = h2;
  return options;
}

/* Each leaves the range in another place. */
static void check_refused(struct hb_check *check) {
  static const struct {
    double length, h1, h2;
    enum hb_precision precision;
    enum hb_preconditioner_kind kind;
    const char *words;
  } cases[] = {
      {1.0, 1e-155, 1e-155, HB_F64, HB_JACOBI, "|r|^2"},
      {1.0, 1e-115, 0.0, HB_F64, HB_JACOBI, "|r|^2"},
      {1.0, 1e-85, 1e-85, HB_F64, HB_PLAIN, "p.Ap"},
      {1.0, 1e120, 1.0, HB_F64, HB_PLAIN, "p.Ap"},
      {1.0, 1e150, 1.0, HB_F64, HB_JACOBI, "|r|^2"},
      {1.0, 1e300, 1.0, HB_F64, HB_JACOBI, "h1 / length^2"},
      {1.0, 1.0, 1e300, HB_F64, HB_JACOBI, "mass term"},
      {1e-100, 1.0, 1.0, HB_F64, HB_JACOBI, "lx ly lz"},
      {1e-90, 1.0, 1.0, HB_F64, HB_JACOBI, "square of an element's face"},
      {1e100, 1.0, 1.0, HB_F64, HB_JACOBI, "lx ly lz"},
      {1.0, 1e-40, 1.0, HB_F32, HB_JACOBI, "diffusion term"},
      {1.0, 1.0, 1e35, HB_F32, HB_JACOBI, "mass term"},
      {1.0, 1e38, 1.0, HB_F32, HB_JACOBI, "diffusion term"},
      {1.0, 1e-27, 1e-27, HB_F32, HB_JACOBI, "p.Ap of an element"},
      {1.0, 1e-13, 1e-13, HB_F32, HB_PLAIN, "p.Ap of an element"},
      {1.0, 1e17, 1.0, HB_F32, HB_PLAIN, "A p"},
  };
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    struct hb_options options = cube(cases[c].length, cases[c].h1, cases[c].h2);
    options.precision = cases[c].precision;
    options.preconditioner = cases[c].kind;
    CHECK_FAILS(check, judge(&options), HB_BAD_INPUT, cases[c].words);
    judge(&options);
    CHECK(check, strstr(hb_error_message(), "h1 = ") != NULL);
    CHECK(check, strstr(hb_error_message(), "allowed in f") != NULL);
    hb_error_clear();
  }
}

/* From nanometres to light years, coefficients over twenty orders, sizes up to 2^30 points. */
static void check_taken(struct hb_check *check) {
  for (int precision = HB_F64; precision <= HB_F32; precision++)
    for (int kind = HB_PLAIN; kind <= HB_JACOBI; kind++)
      for (int length = -9; length <= 9; length += 3)
        for (int h1 = -5; h1 <= 5; h1 += 5) {
          struct hb_options options = cube(pow(10.0, length), pow(10.0, h1), 0.0);
          options.precision = (enum hb_precision)precision;
          options.preconditioner = (enum hb_preconditioner_kind)kind;
          options.h2 = options.h1 / (options.lx * options.lx);
          /* Entries of the matrix are h1 l: with r for p three of them meet in a sum. */
          if (precision == HB_F32 && kind == HB_PLAIN && abs(length + h1) > 6) continue;
          if (precision == HB_F32 && abs(length + h1) > 12) continue;
          CHECK_OK(check, judge(&options));
        }
  struct hb_options options = cube(1.0, 1.0, 1.0);
  options.nx = options.ny = options.nz = 1000;
  CHECK_OK(check, judge(&options));
  options.precision = HB_F32;
  CHECK_OK(check, judge(&options));
  options.deformation = HB_KERSHAW;
  CHECK_OK(check, judge(&options));
}

/* A mass term below the range is refused only where it is needed. */
static void check_mass(struct hb_check *check) {
  struct hb_options options = cube(1.0, 1.0, 1e-300);
  CHECK_OK(check, judge(&options));
  options.precision = HB_F32;
  CHECK_OK(check, judge(&options));
  options.h2 = 1e-40;
  CHECK_OK(check, judge(&options));
  for (int a = 0; a < 3; a++) options.boundary[a] = HB_NEUMANN;
  CHECK_FAILS(check, judge(&options), HB_BAD_INPUT, "mass term");
  options.h2 = 1e-3;
  CHECK_OK(check, judge(&options));
}

static void check_unknowns(struct hb_check *check) {
  struct hb_options options = cube(1.0, 1.0, 1.0);
  options.degree = 1;
  CHECK_OK(check, judge(&options));
  options.ny = 1;
  CHECK_FAILS(check, judge(&options), HB_BAD_INPUT, "boundary_y = dirichlet");
  options.degree = 2;
  CHECK_OK(check, judge(&options));
  options.degree = 1;
  options.boundary[1] = HB_NEUMANN;
  CHECK_OK(check, judge(&options));
  options.nz = 1;
  CHECK_FAILS(check, judge(&options), HB_BAD_INPUT, "nothing is left to solve");
  options.boundary[2] = HB_PERIODIC;
  CHECK_OK(check, judge(&options));
}

int main(void) {
  struct hb_check check = {0, 0};
  check_refused(&check);
  check_taken(&check);
  check_mass(&check);
  check_unknowns(&check);
  return hb_check_finish(&check);
}
