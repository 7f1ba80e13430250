/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels that are wrong on purpose: each must end with the right error. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "tests/amdgpu/selftest/suite.h"

using namespace isarun;
typedef unsigned long long ull;

void test_faults(Suite &suite, const Module &m) {
  suite.expect_error(m, "bad_oob", "out-of-bounds", [](Context &t, const Module &m) {
    double *a = t.buf<double>(64, "a");
    t.device.launch(m.kernel("bad_oob"), 1, 64, 0, a, 1);
  });
  suite.expect_error(m, "bad_uninit", "uninitialised LDS", [](Context &t, const Module &m) {
    double *a = t.rbuf<double>(64);
    t.device.launch(m.kernel("bad_uninit"), 1, 64, 0, a);
  });
  suite.expect_error(m, "bad_race", "LDS race", [](Context &t, const Module &m) {
    double *a = t.rbuf<double>(128);
    t.device.opt.uninit_lds = Check::off;
    t.device.launch(m.kernel("bad_race"), 1, 128, 0, a);
  });
  suite.expect_error(m, "bad_unknown", "v_sad_u8", [](Context &t, const Module &m) {
    int *a = t.buf<int>(64);
    t.device.launch(m.kernel("bad_unknown"), 1, 64, 0, a);
  });
  if (suite.variant.find("O0") == std::string::npos) {
    suite.expect_error(m, "bad_wait", "before the load", [](Context &t, const Module &m) {
      double *a = t.rbuf<double>(64);
      t.device.launch(m.kernel("bad_wait"), 1, 64, 0, a);
    });
    suite.expect_error(m, "bad_barrier", "in flight", [](Context &t, const Module &m) {
      double *a = t.rbuf<double>(128);
      t.device.launch(m.kernel("bad_barrier"), 1, 128, 0, a);
    });
  }
  suite.expect_error(m, "bad_trap", "s_trap", [](Context &t, const Module &m) {
    int *a = t.buf<int>(64);
    for (int i = 0; i < 64; i++) a[i] = i;
    t.device.launch(m.kernel("bad_trap"), 1, 64, 0, a);
  });
  suite.expect_error(m, "bad_argument", "bytes", [](Context &t, const Module &m) {
    double *a = t.buf<double>(64);
    t.device.launch(m.kernel("vadd"), 1, 64, 0, a, a, a, 64ll);
  });
  suite.expect_error(m, "read_only", "read-only", [](Context &t, const Module &m) {
    static double a[64];
    t.device.map(a, sizeof a, "a", false);
    double *p = a;
    t.device.launch(m.kernel("vadd"), 1, 64, 0, p, p, p, 64);
  });
}
