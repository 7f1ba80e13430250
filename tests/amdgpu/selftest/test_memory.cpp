/* SPDX-License-Identifier: BSD-3-Clause
 * Global memory, LDS, atomics. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "tests/amdgpu/selftest/suite.h"

using namespace isarun;
typedef unsigned long long ull;

namespace {
void part1(Suite &suite, const Module &m) {
  suite.test(m, "vadd", [](Context &t, const Module &m) {
    int n = 1000;
    double *a = t.rbuf<double>(n), *b = t.rbuf<double>(n), *c = t.buf<double>(n);
    t.device.launch(m.kernel("vadd"), 4, 256, 0, a, b, c, n);
    std::vector<double> w(n);
    for (int i = 0; i < n; i++) w[i] = a[i] + b[i];
    t.eq(c, w.data(), n, "c");
  });
  suite.test(m, "reduce", [](Context &t, const Module &m) {
    int n = 5000;
    double *a = t.rbuf<double>(n), *o = t.buf<double>(1), *mx = t.buf<double>(1);
    float *f = t.buf<float>(1);
    unsigned *c = t.buf<unsigned>(1);
    *o = 1;
    *f = 2;
    *c = 3;
    *mx = -1e300;
    for (int i = 0; i < n; i++) a[i] = std::floor(a[i] * 1000); /* exact sums */
    t.device.launch(m.kernel("reduce"), 7, 256, 0, a, o, f, c, mx, n);
    double s = 0, top = -1e300;
    std::vector<double> g(7, 0.0);
    for (int i = 0; i < n; i++) {
      s += a[i];
      g[i / 256 % 7] += a[i];
    }
    for (double x : g) top = std::max(top, x);
    t.near(*o, s + 1, 0, "sum");
    t.near(*f, (float)(s + 2), 1e-6, "float sum");
    t.near(*c, 10, 0, "count");
    t.near(*mx, top, 0, "max");
  });
}
void part2(Suite &suite, const Module &m) {
  suite.test(m, "many_loads", [](Context &t, const Module &m) {
    float *a = t.rbuf<float>(64), *o = t.buf<float>(64);
    const Stats stats = t.device.launch(m.kernel("many_loads"), 1, 64, 0, a, o);
    t.eq(o, a, 64, "out");
    t.near((double)stats.most_in_flight, 63, 0, "most in flight");
    t.near((double)stats.full, 70 - 63, 0, "full");
  });
  suite.test(m, "dynlds", [](Context &t, const Module &m) {
    int *a = t.buf<int>(600), *o = t.buf<int>(600);
    for (int i = 0; i < 600; i++) a[i] = rnd32() & 0xffff;
    t.device.launch(m.kernel("dynlds"), 3, 200, 200 * sizeof(int), a, o);
    for (int i = 0; i < 600; i++)
      t.near(o[i], a[i / 200 * 200 + 199 - i % 200] + (i % 200 & 63) * 1000, 0, "out", i);
  });
  if (suite.variant.find("O0") == std::string::npos)
    suite.test(m, "rawbuf", [](Context &t, const Module &m) {
      float *a = t.rbuf<float>(64), *o = t.buf<float>(64), keep = o[0];
      int bytes = 200;
      t.device.launch(m.kernel("rawbuf"), 1, 64, 0, a, o, bytes);
      for (int i = 0; i < 64; i++) {
        float w = i >= 50 ? keep : (i + 2 < 50 ? a[i + 2] : 0) + 1;
        t.eq(o + i, &w, 1, "o");
      }
    });
}
void part3(Suite &suite, const Module &m) {
  suite.test(m, "wide", [](Context &t, const Module &m) {
    float *a = t.rbuf<float>(256);
    double *o = t.buf<double>(64);
    t.device.launch(m.kernel("wide"), 1, 64, 0, a, o);
    auto A = [&](int i, int c) { return (double)a[4 * i + c]; };
    for (int i = 0; i < 64; i++) {
      int v = 63 - i, n = (i + 1) & 63, x = i ^ 3, y = i ^ 2, w = i ^ 1;
      double s = A(v, 0) + 2 * A(v, 1) + 3 * A(v, 2) + 4 * A(v, 3) + A(n, 0) * A(n, 1) + A(x, 0) +
                 A(y, 0) + (float)((float)A(w, 1) * (float)A(w, 2) - (float)A(w, 3));
      if (std::fabs(o[i] - s) > 1e-6) t.near(o[i], s, 1e-6, "out", i);
    }
  });
  suite.test(m, "fatomics", [](Context &t, const Module &m) {
    double *a = t.rbuf<double>(256), *o = t.buf<double>(4), *v = t.buf<double>(2), w[4] = {}, s = 0;
    float *f = t.buf<float>(2), wf[2] = {};
    for (int i = 0; i < 256; i++) {
      a[i] = std::floor(a[i] * 1000);
      w[i & 3] += a[i];
      wf[i & 1] += (float)a[i];
      s += a[i];
    }
    for (int i = 0; i < 4; i++) o[i] = 0;
    f[0] = f[1] = 0;
    t.device.launch(m.kernel("fatomics"), 1, 256, 0, a, o, f, v);
    t.eq(o, w, 4, "f64");
    t.eq(f, wf, 2, "f32");
    t.near(v[0], s, 0, "lds f64");
    t.near(v[1], s, 0, "lds f32");
  });
}
void part4(Suite &suite, const Module &m) {
  suite.test(m, "iatomics", [](Context &t, const Module &m) {
    int *o = t.buf<int>(8 + 192), w[8] = {192, -1000, 1000, 0, 0, -1, 0, 3};
    ull *q = t.buf<ull>(3), wq[3] = {192ull << 33, 191ull << 40, 5};
    for (int i = 0; i < 8; i++) o[i] = 0;
    o[1] = -1000;
    o[2] = 1000;
    o[5] = -1;
    o[7] = 3;
    q[0] = q[1] = q[2] = 0;
    for (int i = 0; i < 192; i++) {
      w[1] = std::max(w[1], i * 7 % 101);
      w[2] = std::min(w[2], i * 7 % 101);
      w[3] |= 1u << (i & 31);
      w[4] ^= i;
      w[5] &= ~(1u << (i & 7));
      w[6] -= 2;
    }
    t.device.launch(m.kernel("iatomics"), 3, 64, 0, o, q);
    t.eq(o, w, 8, "int");
    t.eq(q, wq, 3, "64 bit");
    std::vector<int> seen(192, 0);
    for (int i = 0; i < 192; i++) {
      int x = o[8 + i];
      if (x < 0 || x > 191 || seen[x]++) t.bad("returned values");
    }
  });
  if (m.arch() == "gfx942" && suite.variant.find("O0") == std::string::npos)
    suite.test(m, "load_lds", [](Context &t, const Module &m) {
      float *a = t.rbuf<float>(128), *o = t.buf<float>(128);
      t.device.launch(m.kernel("load_lds"), 1, 128, 0, a, o);
      for (int i = 0; i < 128; i++) {
        int j = 127 - i;
        t.near(o[i], a[63 + 64 * (j / 64) - j % 64], 0, "o", i);
      }
    });
}
} /* namespace */

void test_memory(Suite &suite, const Module &m) {
  part1(suite, m);
  part2(suite, m);
  part3(suite, m);
  part4(suite, m);
}
