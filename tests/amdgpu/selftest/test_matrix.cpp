/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix instructions and the Helmholtz operator, against plain loops. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "tests/amdgpu/selftest/suite.h"

using namespace isarun;
typedef unsigned long long ull;

namespace {
template <class X>
void mm(Context &t, const Module &m, const char *name, int B, int M, int N, int K) {
  X *a = t.rbuf<X>((size_t)B * M * K), *b = t.rbuf<X>((size_t)B * K * N),
    *c = t.buf<X>((size_t)B * M * N);
  const Stats stats = t.device.launch(m.kernel(name), 1, 64, 0, a, b, c, K);
  if (stats.sum("v_mfma") == 0) t.bad("no matrix instruction was executed");
  if (m.arch() == "gfx908" && stats.sum("v_accvgpr_read") == 0)
    t.bad("no accumulation register was read");
  std::vector<X> w((size_t)B * M * N);
  for (int q = 0; q < B; q++)
    for (int i = 0; i < M; i++)
      for (int j = 0; j < N; j++) {
        X s = 0;
        for (int k = 0; k < K; k++) s = std::fma(a[(q * M + i) * K + k], b[(q * K + k) * N + j], s);
        w[(q * M + i) * N + j] = s;
      }
  t.eq(c, w.data(), w.size(), "C");
}
void ax_cpu(int n, const double *D, const double *u, const double *G, double *w) {
  int P = n * n * n;
  std::vector<double> r(P), s(P), q(P);
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        double ur = 0, us = 0, ut = 0;
        for (int l = 0; l < n; l++) {
          ur += D[i * n + l] * u[l + n * (j + n * k)];
          us += D[j * n + l] * u[i + n * (l + n * k)];
          ut += D[k * n + l] * u[i + n * (j + n * l)];
        }
        int p = i + n * (j + n * k);
        const double *g = G + p;
        double h = g[6 * P];
        r[p] = h * (g[0] * ur + g[3 * P] * us + g[4 * P] * ut);
        s[p] = h * (g[3 * P] * ur + g[P] * us + g[5 * P] * ut);
        q[p] = h * (g[4 * P] * ur + g[5 * P] * us + g[2 * P] * ut);
      }
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++) {
        double x = 0;
        for (int l = 0; l < n; l++)
          x += D[l * n + i] * r[l + n * (j + n * k)] + D[l * n + j] * s[i + n * (l + n * k)] +
               D[l * n + k] * q[i + n * (j + n * l)];
        w[i + n * (j + n * k)] = x;
      }
}
void ax(Context &t, const Module &m, const std::string &name, int n, int E, Dim3 block) {
  int P = n * n * n;
  double *D = t.rbuf<double>(n * n, "D"), *u = t.rbuf<double>((size_t)E * P, "u"),
         *G = t.rbuf<double>((size_t)E * 7 * P, "G"), *w = t.buf<double>((size_t)E * P, "w");
  Stats s = t.device.launch(m.kernel(name), E, block, 0, D, u, G, w);
  std::vector<double> r(P);
  for (int e = 0; e < E; e++) {
    ax_cpu(n, D, u + (size_t)e * P, G + (size_t)e * 7 * P, r.data());
    double top = 0;
    for (double x : r) top = std::max(top, std::fabs(x));
    for (int p = 0; p < P; p++)
      if (!(std::fabs(w[(size_t)e * P + p] - r[p]) <= 1e-13 * top)) {
        char b[160];
        snprintf(b, sizeof b, "w[%d][%d]: %.17g instead of %.17g", e, p, w[(size_t)e * P + p],
                 r[p]);
        t.bad(b);
      }
  }
  if (name[2] == 'm' && s.sum("v_mfma") == 0) t.bad("no MFMA was executed");
}
} /* namespace */

namespace {
void test_f32(Suite &suite, const Module &m) {
  suite.test(m, "mm_f32_16x16x4",
             [](Context &t, const Module &m) { mm<float>(t, m, "mm_f32_16x16x4", 1, 16, 16, 20); });
  suite.test(m, "mm_f32_4x4x1",
             [](Context &t, const Module &m) { mm<float>(t, m, "mm_f32_4x4x1", 16, 4, 4, 7); });
  suite.test(m, "mm_f32_32x32x2",
             [](Context &t, const Module &m) { mm<float>(t, m, "mm_f32_32x32x2", 1, 32, 32, 8); });
  suite.test(m, "mm_f32_32x32x1",
             [](Context &t, const Module &m) { mm<float>(t, m, "mm_f32_32x32x1", 2, 32, 32, 5); });
  suite.test(m, "mm_f32_16x16x1",
             [](Context &t, const Module &m) { mm<float>(t, m, "mm_f32_16x16x1", 4, 16, 16, 5); });
  suite.test(m, "mm_bcast", [](Context &t, const Module &m) {
    float *a = t.rbuf<float>(64), *b = t.rbuf<float>(64), *o = t.buf<float>(512);
    t.device.launch(m.kernel("mm_bcast"), 1, 64, 0, a, b, o);
    for (int l = 0; l < 64; l++)
      for (int r = 0; r < 4; r++) {
        int blk = l / 4, ab = (blk & ~3) + 3;
        t.near(o[l * 8 + r], a[ab * 4 + r] * b[l], 0, "cbsz", l);
        t.near(o[l * 8 + 4 + r], a[blk * 4 + r] * b[16 + (l & 15)], 0, "blgp", l);
      }
  });
}
void test_f64(Suite &suite, const Module &m) {
  suite.test(m, "mm_f64_16x16x4", [](Context &t, const Module &m) {
    mm<double>(t, m, "mm_f64_16x16x4", 1, 16, 16, 20);
  });
  suite.test(m, "mm_f64_4x4x4",
             [](Context &t, const Module &m) { mm<double>(t, m, "mm_f64_4x4x4", 4, 4, 4, 12); });
  suite.test(m, "mm_agpr", [](Context &t, const Module &m) {
    double *a = t.rbuf<double>(64), *b = t.rbuf<double>(64), *c = t.buf<double>(256);
    t.device.launch(m.kernel("mm_agpr"), 1, 64, 0, a, b, c);
    for (int i = 0; i < 16; i++)
      for (int j = 0; j < 16; j++) {
        double x = 1;
        for (int k = 0; k < 8; k++) x = std::fma(a[i * 4 + k % 4], b[k % 4 * 16 + j], x);
        t.near(c[i * 16 + j], x, 0, "C", i * 16 + j);
      }
  });
}
void test_helmholtz_mfma(Suite &suite, const Module &m) {
  suite.test(m, "axm_4_4",
             [](Context &t, const Module &m) { ax(t, m, "axm_4_4", 4, 4, Dim3(64, 1)); });
  suite.test(m, "axm_4_16",
             [](Context &t, const Module &m) { ax(t, m, "axm_4_16", 4, 4, Dim3(64, 1)); });
  suite.test(m, "axm_8_4",
             [](Context &t, const Module &m) { ax(t, m, "axm_8_4", 8, 3, Dim3(64, 4)); });
  suite.test(m, "axm_8_16",
             [](Context &t, const Module &m) { ax(t, m, "axm_8_16", 8, 3, Dim3(64, 2)); });
  suite.test(m, "axm_12_4",
             [](Context &t, const Module &m) { ax(t, m, "axm_12_4", 12, 1, Dim3(64, 3)); });
  suite.test(m, "axm_12_16",
             [](Context &t, const Module &m) { ax(t, m, "axm_12_16", 12, 1, Dim3(64, 9)); });
}
} /* namespace */

void test_matrix(Suite &suite, const Module &m) {
  test_f32(suite, m);
  suite.test(m, "ax1d_4", [](Context &t, const Module &m) { ax(t, m, "ax1d_4", 4, 4, 64); });
  suite.test(m, "ax1d_8", [](Context &t, const Module &m) { ax(t, m, "ax1d_8", 8, 3, 256); });
  if (m.arch() == "gfx908") return; /* no f64 matrix instructions */
  test_f64(suite, m);
  test_helmholtz_mfma(suite, m);
}
