/* SPDX-License-Identifier: BSD-3-Clause
 * Branches, calls, private memory, barriers. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "tests/amdgpu/selftest/suite.h"

using namespace isarun;
typedef unsigned long long ull;

namespace {
void part1(Suite &suite, const Module &m) {
  suite.test(m, "transpose", [](Context &t, const Module &m) {
    int w = 70, h = 45;
    float *a = t.rbuf<float>(w * h), *b = t.buf<float>(w * h);
    t.device.launch(m.kernel("transpose"), Dim3(3, 2), Dim3(32, 8), 0, a, b, w, h);
    std::vector<float> r(w * h);
    for (int y = 0; y < h; y++)
      for (int x = 0; x < w; x++) r[x * h + y] = a[y * w + x];
    t.eq(b, r.data(), r.size(), "out");
  });
  for (int n : {7, 8})
    suite.test(m, n == 7 ? "contract7" : "contract8", [n](Context &t, const Module &m) {
      int E = 3, P = n * n * n;
      double *D = t.rbuf<double>(n * n), *u = t.rbuf<double>(E * P), *v = t.buf<double>(E * P);
      t.device.launch(m.kernel(n == 7 ? "contract7" : "contract8"), E, 192, 0, D, u, v);
      for (int e = 0; e < E; e++)
        for (int p = 0; p < P; p++) {
          double x = 0;
          for (int l = 0; l < n; l++) x = std::fma(D[(p % n) * n + l], u[e * P + l + p / n * n], x);
          t.near(v[e * P + p], x, 1e-12, "v", e * P + p);
        }
    });
}
void part2(Suite &suite, const Module &m) {
  suite.test(m, "scratch_index", [](Context &t, const Module &m) {
    int *idx = t.buf<int>(64);
    for (int i = 0; i < 64; i++) idx[i] = rnd32() % 1000;
    double *o = t.buf<double>(384);
    int n = 50;
    t.device.launch(m.kernel("scratch_index"), 2, 192, 0, idx, o, n);
    for (int q = 0; q < 384; q++) {
      double a[40], s = 0;
      for (int i = 0; i < 40; i++) a[i] = q * 100 + i;
      for (int i = 0; i < n; i++) {
        int j = idx[(q + i) % 64] % 40, k = idx[(q + 3 * i + 1) % 64] % 40;
        double x = a[j];
        a[j] = a[k] + 1;
        a[k] = x;
      }
      for (int i = 0; i < 40; i++) s += a[i] * (i + 1);
      t.near(o[q], s, 0, "out", q);
    }
  });
}
void part3(Suite &suite, const Module &m) {
  suite.test(m, "vector_index", [](Context &t, const Module &m) {
    int *idx = t.buf<int>(64);
    for (int i = 0; i < 64; i++) idx[i] = rnd32() % 1000;
    float *o = t.buf<float>(1024);
    int n = 20;
    t.device.launch(m.kernel("vector_index"), 1, 64, 0, idx, o, n);
    for (int q = 0; q < 64; q++) {
      float a[16];
      for (int i = 0; i < 16; i++) a[i] = i;
      for (int i = 0; i < n; i++) {
        a[i & 15] += q;
        int j = idx[(q + i) & 63] & 15;
        a[j] = a[(j * 5 + i) & 15] + 1;
      }
      t.eq(o + 16 * q, a, 16, "out");
    }
  });
}
void part4(Suite &suite, const Module &m) {
  suite.test(m, "spill", [](Context &t, const Module &m) {
    double *in = t.rbuf<double>(1024), *o = t.buf<double>(1024);
    int rounds = 3;
    t.device.launch(m.kernel("spill"), 1, 1024, 0, in, o, rounds);
    for (int q = 0; q < 1024; q++) {
      double v[96], s = 0;
      for (int i = 0; i < 96; i++) v[i] = in[(q * 7 + i * 13) & 1023];
      for (int r = 0; r < rounds; r++)
        for (int i = 0; i < 96; i++) v[i] = std::fma(v[i], 0.5, v[(i * 37 + 11) % 96]);
      for (int i = 0; i < 96; i++) s = std::fma(v[i], (double)(i & 7), s);
      t.near(o[q], s, 1e-11, "out", q);
    }
  });
}
void part5(Suite &suite, const Module &m) {
  suite.test(m, "diverge", [](Context &t, const Module &m) {
    int n = 300, *a = t.buf<int>(n), *o = t.buf<int>(n);
    for (int i = 0; i < n; i++) a[i] = 1 + rnd32() % 100000;
    t.device.launch(m.kernel("diverge"), 3, 128, 0, a, o, n);
    std::vector<int> w(n);
    for (int q = 0; q < n; q++) {
      long long x = a[q];
      int steps = 0, r = 0;
      while (x != 1) {
        if (x & 1)
          x = 3 * x + 1;
        else
          x >>= 1;
        if (++steps > 500) break;
      }
      switch (q % 5) {
      case 0: r = steps; break;
      case 1:
        for (int i = 0; i < (q & 15); i++) {
          if (i == 7) continue;
          r += i * steps;
        }
        break;
      case 2: r = -steps; break;
      case 3:
        do {
          r += 3;
          steps -= 5;
        } while (steps > 0);
        break;
      default: r = steps > 20 ? (q & 1 ? 1 : 2) : 3;
      }
      w[q] = r;
    }
    t.eq(o, w.data(), n, "out");
  });
}
void part6(Suite &suite, const Module &m) {
  suite.test(m, "generic", [](Context &t, const Module &m) {
    double *g = t.rbuf<double>(64), *o = t.buf<double>(64);
    std::vector<double> g0(g, g + 64);
    int which = 1, *cc = (int *)m.symbol("call_count");
    *cc = 0;
    t.device.launch(m.kernel("generic"), 1, 64, 0, g, o, which);
    for (int q = 0; q < 64; q++) {
      double priv[8], v;
      for (int i = 0; i < 8; i++) priv[i] = 1000 + i;
      int k = (q + which) % 3;
      double old = k == 0 ? g0[q] : k == 1 ? q : priv[q & 7];
      v = old + 0.5;
      if (k == 2) priv[q & 7] = v;
      for (int i = 0; i < 3; i++) priv[2 + i] = v + i;
      double cur = k == 2 ? priv[q & 7] : v, s = 0;
      for (int i = 0; i < (q & 7); i++) s = s * 0.5 + cur + i;
      t.near(o[q], s + (1 << (q & 7)) + 10 * ((q & 3) + 1) + priv[2] + priv[4] + priv[7], 1e-12,
             "out", q);
      if (k == 0) t.near(g[q], v, 0, "g", q);
    }
    t.near(*cc, 1, 0, "call_count");
  });
}
void part7(Suite &suite, const Module &m) {
  suite.test(m, "calls", [](Context &t, const Module &m) {
    double *a = t.rbuf<double>(128), *o = t.buf<double>(384);
    int *w = t.buf<int>(128);
    for (int i = 0; i < 128; i++) w[i] = i < 3 ? 2 - i : rnd32() % 1000;
    t.device.launch(m.kernel("calls"), 3, 128, 0, a, o, w);
    auto f = [](int k, double x) { return k == 0 ? x + 1 : k == 1 ? x * 3 : x * x; };
    int fib[9] = {0, 1, 1, 2, 3, 5, 8, 13, 21};
    for (int b = 0; b < 3; b++)
      for (int i = 0; i < 128; i++)
        t.near(o[b * 128 + i], f(w[b], a[i]) + f(w[i] % 3, a[i] + 1) + fib[i % 9], 1e-14, "out",
               b * 128 + i);
  });
  suite.test(m, "big_block", [](Context &t, const Module &m) {
    int *a = t.buf<int>(1024), *o = t.buf<int>(1024), s = 0;
    for (int i = 0; i < 1024; i++) a[i] = rnd32() & 255;
    t.device.launch(m.kernel("big_block"), 1, 1024, 0, a, o);
    for (int i = 0; i < 1024; i++) {
      s += a[i];
      t.near(o[i], s, 0, "out", i);
    }
  });
}
} /* namespace */

void test_control(Suite &suite, const Module &m) {
  part1(suite, m);
  part2(suite, m);
  part3(suite, m);
  part4(suite, m);
  part5(suite, m);
  part6(suite, m);
  part7(suite, m);
}
