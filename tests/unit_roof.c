/* SPDX-License-Identifier: BSD-3-Clause
 * The roof model against calculations by hand, and the machine constants against the peak rates of
 * the vendors' data sheets. */
#include <string.h>

#include "kernels/element/architectures.h"
#include "kernels/matcore/roof.h"
#include "tests/check.h"

static struct hb_roof model(struct hb_check *check, const char *machine, int n,
                            enum hb_precision precision, enum hb_roof_strategy strategy,
                            enum hb_roof_geometry geometry) {
  struct hb_roof roof;
  const struct hb_roof_case c = {hb_machine_find(machine), n, precision, strategy, geometry};
  CHECK(check, c.machine != NULL);
  CHECK_OK(check, hb_roof_model(&c, &roof));
  return roof;
}

/* TFLOPS of the data sheets (MI250X: half of it, one GCD); rounded there to three digits. */
static void check_machines(struct hb_check *check) {
  static const struct {
    const char *name;
    double matrix[2], vector[2];
  } sheets[] = {{"MI100", {0, 46.1}, {11.5, 23.1}},
                {"MI250X", {47.85, 47.85}, {23.95, 23.95}},
                {"MI300A", {122.6, 122.6}, {61.3, 122.6}},
                {"MI300X", {163.4, 163.4}, {81.7, 163.4}},
                {"MI325X", {163.4, 163.4}, {81.7, 163.4}},
                {"MI355X", {78.6, 157.3}, {78.6, 157.3}},
                {"H100", {67, 0}, {34, 67}},
                {"H200", {67, 0}, {34, 67}},
                {"B200", {37, 0}, {37, 75}},
                {"B300", {1.229, 0}, {1.25, 80}}};
  CHECK_EQUAL(check, hb_machine_count(), sizeof sheets / sizeof sheets[0]);
  for (int m = 0; m < hb_machine_count(); m++) {
    const struct hb_machine *x = hb_machine_find(sheets[m].name);
    CHECK(check, x == hb_machine_at(m) && strlen(x->source) > 40);
    for (int p = 0; p < 2; p++) {
      const double unit = x->num_cus * x->clock_hz / 1e12;
      CHECK_NEAR(check, unit * x->matrix_flops[p], sheets[m].matrix[p],
                 0.007 * sheets[m].matrix[p]);
      CHECK_NEAR(check, unit * x->vector_flops[p], sheets[m].vector[p], 0.02 * sheets[m].vector[p]);
    }
    CHECK_EQUAL(check, hb_architecture_find(x->arch)->banks * 4, x->lds_bytes_per_cycle);
  }
  CHECK(check, hb_machine_find("mi300x") == hb_machine_find("MI300X"));
  CHECK(check, hb_machine_find("MI300") == NULL);
}

/* MI300X, n = 8, f64, stored, chained.
 *   memory  8 values x 512 points x 8 bytes = 32,768; 304 CUs at 2.1 GHz share 5.3e12 bytes/s, so a
 *           CU gets 5.3e12 / (304 x 2.1e9) = 8.30201 bytes a cycle: 3,947.0 cycles
 *   matrix  four elements side by side, R = S = 4: 8 planes x 2 x 12 / 4 = 48 instructions x 32
 *           cycles / 4 SIMDs = 384; LDS none
 *   vector  (15 + 4 x 8) x 512 / 128 = 188
 *   memory binds: 512 points x 304 x 2.1e9 / 3,947.0 = 82.8 Gpoint/s = 5.3e12 / 64 bytes a point */
static void check_chained(struct hb_check *check) {
  const struct hb_roof roof = model(check, "MI300X", 8, HB_F64, HB_ROOF_CHAINED, HB_ROOF_STORED);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_MEMORY], 3947.0, 0.05);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_LDS], 0.0, 0.0);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_MATRIX], 384.0, 0.0);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_VECTOR], 188.0, 0.0);
  CHECK_EQUAL(check, roof.binds, HB_ROOF_MEMORY);
  CHECK_NEAR(check, roof.points_per_s, 5.3e12 / 64.0, 1e-9 * 8.3e10);
  /* n = 4: 16 elements, R = S = 4; n = 5: three beside two, R = 3, S = 4; n = 9, 16: one element,
   * R = S = 3 and 4. */
  static const struct {
    int n;
    double issues;
  } orders[] = {{4, 96.0 / 16.0}, {5, 100.0 / 6.0}, {9, 162.0}, {16, 384.0}};
  for (size_t q = 0; q < sizeof orders / sizeof *orders; q++)
    CHECK_NEAR(check, hb_roof_chained_issues(orders[q].n), orders[q].issues, 1e-12);
}

/* MI250X GCD, n = 8, f64.
 *   memory  affine: (2 x 512 + 6) x 8 = 8,240 bytes at 1.6e12 / (110 x 1.7e9) = 8.55615 bytes a
 *           cycle: 963.05 cycles
 *   staged  4x4x4, PAD = 1: LDS 836 + 384 = 1,220; matrix 6 x 256 / 4 = 384; vector (15 + 5) x 512
 * / 128 = 80.  LDS binds: 512 x 110 x 1.7e9 / 1,220 = 78.479 Gpoint/s xor     LDS: reads and stores
 * 192 each, nine linear passes of 32 = 288, D 384: 1,056 kstep   vector (20 +
 * 12 x 8) x 512 / 128 = 464; LDS: check_kstep */
static void check_affine(struct hb_check *check) {
  struct hb_roof roof = model(check, "MI250X", 8, HB_F64, HB_ROOF_STAGED, HB_ROOF_AFFINE);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_MEMORY], 963.05, 0.005);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_LDS], 1220.0, 0.0);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_MATRIX], 384.0, 0.0);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_VECTOR], 80.0, 0.0);
  CHECK_EQUAL(check, roof.binds, HB_ROOF_LDS);
  CHECK_NEAR(check, roof.points_per_s, 78.479e9, 0.0005e9);
  roof = model(check, "MI250X", 8, HB_F64, HB_ROOF_STAGED_XOR, HB_ROOF_AFFINE);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_LDS], 192.0 + 192.0 + 288.0 + 384.0, 0.0);
  roof = model(check, "MI250X", 8, HB_F64, HB_ROOF_KSTEP, HB_ROOF_AFFINE);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_MATRIX], 0.0, 0.0);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_VECTOR], 464.0, 0.0);
}

/* f64 16x16x4 of an MI355X takes twice as long; B300 computes f64 longer than it loads factors. */
static void check_newer(struct hb_check *check) {
  struct hb_roof roof = model(check, "MI355X", 8, HB_F64, HB_ROOF_CHAINED, HB_ROOF_STORED);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_MATRIX], 768.0, 0.0);
  CHECK_EQUAL(check, roof.binds, HB_ROOF_MEMORY);
  roof = model(check, "MI355X", 8, HB_F32, HB_ROOF_CHAINED, HB_ROOF_STORED);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_MATRIX], 384.0, 0.0);
  roof = model(check, "B300", 8, HB_F64, HB_ROOF_TENSOR, HB_ROOF_STORED);
  CHECK_EQUAL(check, roof.binds, HB_ROOF_MATRIX);
  roof = model(check, "B300", 8, HB_F64, HB_ROOF_KSTEP, HB_ROOF_STORED);
  CHECK_EQUAL(check, roof.binds, HB_ROOF_VECTOR);
  roof = model(check, "B200", 8, HB_F64, HB_ROOF_TENSOR, HB_ROOF_STORED);
  CHECK_EQUAL(check, roof.binds, HB_ROOF_MEMORY);
}

/* LDS cycles that the shipped kstep executed on the interpreter (COUNTS.md, f64, assembled), with
 * the loading of D, which the model leaves out: at most a twelfth more. */
static void check_kstep(struct hb_check *check) {
  static const struct {
    int n, executed;
    enum hb_roof_limit binds;
  } orders[] = {{4, 123, HB_ROOF_MEMORY},    {6, 593, HB_ROOF_MEMORY},
                {8, 1744, HB_ROOF_MEMORY},   {9, 2587, HB_ROOF_MEMORY},
                {10, 4930, HB_ROOF_MEMORY},  {12, 11169, HB_ROOF_MEMORY},
                {13, 12984, HB_ROOF_MEMORY}, {16, 33584, HB_ROOF_LDS}};
  for (size_t q = 0; q < sizeof orders / sizeof *orders; q++) {
    const struct hb_roof roof =
        model(check, "MI250X", orders[q].n, HB_F64, HB_ROOF_KSTEP, HB_ROOF_STORED);
    CHECK(check, roof.cycles[HB_ROOF_LDS] <= orders[q].executed);
    CHECK(check, roof.cycles[HB_ROOF_LDS] >= orders[q].executed * 11.0 / 12.0);
    CHECK_EQUAL(check, roof.binds, orders[q].binds);
  }
}

/* H200, n = 8, f64, trilinear, tensor.
 *   memory  (1,024 + 24) x 8 = 8,384 bytes at 4.8e12 / (132 x 1.98e9) = 18.3655 bytes a cycle:
 * 456.51; shared  four passes of 4,096 bytes at 128 a cycle: 128; with stored factors sixteen: 512;
 * matrix  12 x 8 x 512 = 49,152 flops at 256 a cycle: 192; vector  a point
 * 15 + 3 + 54 + 27 + 5 + 3 + 36 + 4 x 8 = 175: 175 x 512 / 128 = 700,
 * which binds */
static void check_tensor(struct hb_check *check) {
  const struct hb_roof roof = model(check, "H200", 8, HB_F64, HB_ROOF_TENSOR, HB_ROOF_TRILINEAR);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_MEMORY], 456.51, 0.005);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_LDS], 128.0, 0.0);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_MATRIX], 192.0, 0.0);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_VECTOR], 700.0, 0.0);
  CHECK_EQUAL(check, roof.binds, HB_ROOF_VECTOR);
  const struct hb_roof stored = model(check, "H200", 8, HB_F64, HB_ROOF_TENSOR, HB_ROOF_STORED);
  CHECK_NEAR(check, stored.cycles[HB_ROOF_LDS], 512.0, 0.0);
  CHECK_EQUAL(check, stored.binds, HB_ROOF_MEMORY);
}

/* MI100 in f32, n = 4, batched 4x4x1, stored: matrix 6 x 8 / 4 = 12; 16x16x4: 6 x 32 / 4 = 48.
 * memory 8 x 64 x 4 = 2,048 bytes x 120 x 1.502e9 / 1.2288e12 = 300.4 cycles. */
static void check_f32(struct hb_check *check) {
  struct hb_roof roof = model(check, "MI100", 4, HB_F32, HB_ROOF_STAGED, HB_ROOF_STORED);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_MATRIX], 12.0, 0.0);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_MEMORY], 300.4, 0.05);
  roof = model(check, "MI100", 4, HB_F32, HB_ROOF_STAGED_16, HB_ROOF_STORED);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_MATRIX], 48.0, 0.0);
  CHECK_NEAR(check, roof.cycles[HB_ROOF_LDS], 102.0 + 12.0, 0.0); /* unpadded cube and D */
}

/* What is not there is refused; everything else is positive and bound by its largest part. */
static void check_all(struct hb_check *check) {
  int refused = 0;
  for (int m = 0; m < hb_machine_count(); m++)
    for (int n = 2; n <= HB_MAX_N; n++)
      for (int s = 0; s < HB_ROOF_NUM_STRATEGIES; s++)
        for (int p = 0; p < 2; p++) {
          struct hb_roof roof;
          const struct hb_roof_case c = {hb_machine_at(m), n, (enum hb_precision)p,
                                         (enum hb_roof_strategy)s, HB_ROOF_STORED};
          const enum hb_status status = hb_roof_model(&c, &roof);
          CHECK_EQUAL(check, status == HB_OK, hb_roof_exists(&c));
          refused += status != HB_OK;
          if (status != HB_OK) continue;
          CHECK(check, (roof.cycles[HB_ROOF_LDS] > 0.0) == (s != HB_ROOF_CHAINED));
          CHECK(check, roof.points_per_s > 0.0);
          for (int limit = 0; limit < HB_ROOF_LIMITS; limit++)
            CHECK(check, roof.cycles[limit] <= roof.cycles[roof.binds]);
        }
  hb_error_clear();
  CHECK(check, refused > 0);
  const struct hb_roof_case none = {hb_machine_find("MI100"), 8, HB_F64, HB_ROOF_STAGED_16,
                                    HB_ROOF_STORED};
  struct hb_roof roof;
  CHECK_FAILS(check, hb_roof_model(&none, &roof), HB_BAD_INPUT, "MI100: there is no strategy");
}

int main(void) {
  struct hb_check check = {0};
  check_machines(&check);
  check_chained(&check);
  check_kstep(&check);
  check_newer(&check);
  check_affine(&check);
  check_tensor(&check);
  check_f32(&check);
  check_all(&check);
  return hb_check_finish(&check);
}
