/* SPDX-License-Identifier: BSD-3-Clause
 * The gate on the problem's formulas passes every problem, and is far from where it would fail. */
#include "app/gate_source.h"
#include "tests/check.h"
#include "tests/mesh_cases.h"

enum { SEEDS = 40 };

static struct hb_problem make_problem(struct hb_check *check, int combination, double h1, double h2,
                                      double variation, double length) {
  struct hb_problem problem;
  struct hb_box box = {.degree = 3,
                       .elements = {2, 2, 2},
                       .length = {length, 0.3 * length, 2.0},
                       .deformation = HB_UNDEFORMED};
  mesh_case_boundaries(combination, box.boundary);
  CHECK_OK(check, hb_problem_init(&box, h1, h2, variation, 0.5 * variation, &problem));
  return problem;
}

/* Over many random places. */
static double worst(const struct hb_problem *problem) {
  double largest = 0.0;
  for (int seed = 1; seed <= SEEDS; seed++)
    largest = hb_max(largest, hb_source_difference(problem, seed));
  return largest;
}

int main(void) {
  struct hb_check check = {0, 0};
  double largest = 0.0;
  static const double lengths[] = {1e-3, 1.0, 1e4}, h2s[] = {1e-6, 1.0, 1e6};
  for (int combination = 0; combination < 27; combination++)
    for (int l = 0; l < 3; l++)
      for (int h = 0; h < 3; h++)
        for (int variation = 0; variation < 3; variation++) {
          const struct hb_problem problem =
              make_problem(&check, combination, 0.7, h2s[h], 0.45 * variation, lengths[l]);
          const double difference = worst(&problem);
          CHECK(&check, difference <= 1.0);
          largest = hb_max(largest, difference);
        }
  printf("largest difference of a right source: %.3f\n", largest);
  /* That it sees wrong formulas is for the planted faults to show (tests/plants). */
  struct hb_problem problem = make_problem(&check, 0, 1.0, 1.0, 0.3, 1.0);
  problem.wave_number[0] = (double)NAN;
  CHECK(&check, !(worst(&problem) <= 1.0));
  return hb_check_finish(&check);
}
