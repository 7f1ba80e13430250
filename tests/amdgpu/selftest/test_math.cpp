/* SPDX-License-Identifier: BSD-3-Clause
 * Floating-point functions and denormals. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "tests/amdgpu/selftest/suite.h"

using namespace isarun;
typedef unsigned long long ull;

namespace {
void part1(Suite &suite, const Module &m) {
  suite.test(m, "math64", [](Context &t, const Module &m) {
    int n = 200;
    double *a = t.rbuf<double>(n), *b = t.rbuf<double>(n), *o = t.buf<double>(16 * n);
    for (int i = 0; i < n; i++) {
      a[i] *= 50;
      b[i] *= 20;
    }
    a[0] = 0;
    a[1] = 1e300;
    b[1] = 1e-5;
    a[2] = 1e-300;
    b[2] = 3e5;
    a[3] = INFINITY;
    a[4] = 1e22;
    a[5] = 1e-310;
    b[5] = 2;
    a[6] = -3;
    b[6] = 1e-308;
    a[7] = 5e6;
    a[8] = 4;
    b[8] = 1e-310;
    a[9] = 1e200;
    t.device.launch(m.kernel("math64"), 2, 128, 0, a, b, o, n);
    for (int i = 0; i < n; i++) {
      double x = a[i], y = b[i];
      const double *p = o + 16 * i;
      t.near(p[0], x / y, 0, "div", i);
      t.near(p[1], std::sqrt(std::fabs(x)), 0, "sqrt", i);
      t.near(p[2], std::exp(x * 0.1), 1e-14, "exp", i);
      t.near(p[3], std::log(std::fabs(x) + 1e-3), 1e-13, "log", i);
      t.near(p[4], std::sin(x), 1e-13, "sin", i);
      t.near(p[5], std::cos(x), 1e-13, "cos", i);
      t.near(p[6], std::pow(std::fabs(x), y * 0.1), 1e-13, "pow", i);
      t.near(p[7], 1 / std::sqrt(std::fabs(x) + 1e-6), 1e-14, "rsqrt", i);
      t.near(p[8], std::fmod(x, y), 0, "fmod", i);
      t.near(p[9], std::floor(x) + std::ceil(y) + std::trunc(x * 3) + std::rint(y * 7), 1e-14,
             "round", i);
      t.near(p[10], std::fmax(x, y) - std::fmin(x, 2 * y), 1e-14, "minmax", i);
      t.near(p[11], std::ldexp(x, (int)y & 15), 0, "ldexp", i);
      t.near(p[12], std::isnan(x) || std::isinf(y), 0, "class", i);
      t.near(p[13], std::copysign(x, y), 0, "copysign", i);
      t.near(p[14], std::tanh(x), 1e-14, "tanh", i);
      t.near(p[15], std::cbrt(x), 1e-14, "cbrt", i);
    }
  });
}
void part2(Suite &suite, const Module &m) {
  suite.test(m, "math32", [](Context &t, const Module &m) {
    int n = 200;
    float *a = t.rbuf<float>(n), *b = t.rbuf<float>(n), *o = t.buf<float>(16 * n);
    for (int i = 0; i < n; i++) {
      a[i] *= 50;
      b[i] *= 20;
    }
    a[0] = 0;
    a[1] = 1e37f;
    b[1] = 1e-3f;
    a[2] = 1e-37f;
    b[2] = 3e5f;
    a[4] = 1e-40f;
    a[5] = -3;
    b[5] = 1e-38f;
    a[7] = 4;
    b[7] = 1e-40f;
    if (t.variant.find("ftz") != std::string::npos)
      a[2] = a[4] = b[5] = b[7] = 1; /* denormals are flushed */
    t.device.launch(m.kernel("math32"), 2, 128, 0, a, b, o, n);
    for (int i = 0; i < n; i++) {
      float x = a[i], y = b[i];
      const float *p = o + 16 * i;
      t.near(p[0], x / y, 2.4e-7, "div", i);
      t.near(p[1], std::sqrt(std::fabs(x)), 2e-7, "sqrt", i);
      t.near(p[2], std::exp(x * 0.1f), 1e-6, "exp", i);
      t.near(p[3], std::log(std::fabs(x) + 1e-3f), 1e-5, "log", i);
      if (std::fabs(x) < 1e30f) {
        t.near(p[4], std::sin((double)x), 3e-5, "sin", i);
        t.near(p[5], std::cos((double)x), 3e-5, "cos", i);
      }
      t.near(p[6], std::pow(std::fabs(x), y * 0.1f), 1e-5, "pow", i);
      t.near(p[7], 1 / std::sqrt(std::fabs(x) + 1e-6f), 1e-6, "rsqrt", i);
      t.near(p[8], std::fmod(x, y), 0, "fmod", i);
      t.near(p[9], std::floor(x) + std::ceil(y) + std::trunc(x * 3) + std::rint(y * 7), 1e-6,
             "round", i);
      t.near(p[10], std::fmax(x, y) - std::fmin(x, 2 * y), 1e-6, "minmax", i);
      t.near(p[11], std::ldexp(x, (int)y & 15), 0, "ldexp", i);
      if (std::fabs(x) < 1e6f)
        t.near(p[12], (float)(int)x + (float)(unsigned)std::fabs(y) + (float)(long long)(x * 1000),
               1e-6, "cvt", i);
      t.near(p[13], std::copysign(x, y), 0, "copysign", i);
      t.near(p[14], (float)((double)x * y), 0, "cvt64", i);
      t.near(p[15], std::fma(x, y, 1.0f), 0, "fma", i);
    }
  });
}
void part3(Suite &suite, const Module &m) {
  suite.test(m, "packed", [](Context &t, const Module &m) {
    int n = 100;
    float *a = t.rbuf<float>(2 * n), *b = t.rbuf<float>(2 * n), *o = t.buf<float>(4 * n);
    t.device.launch(m.kernel("packed"), 1, 128, 0, a, b, o, n);
    for (int i = 0; i < n; i++) {
      double r[2];
      for (int h = 0; h < 2; h++) {
        r[h] = (double)a[2 * i + h] * b[2 * i + h] + 1.5;
        for (int k = 0; k < 4; k++) r[h] = r[h] * a[2 * i + h] + b[2 * i + h];
        if (std::fabs(o[4 * i + h] - r[h]) > 2e-5) t.near(o[4 * i + h], r[h], 1e-5, "r", i);
      }
      t.near(o[4 * i + 2], a[2 * i + 1] + b[2 * i], 0, "q.x", i);
      t.near(o[4 * i + 3], a[2 * i] - b[2 * i + 1], 0, "q.y", i);
    }
  });
  suite.test(m, "denorm", [](Context &t, const Module &m) {
    float *a = t.buf<float>(64), *o = t.buf<float>(192);
    for (int i = 0; i < 64; i++) {
      uint32_t b = (i & 1 ? 0x80000000u : 0) | 1u << (i % 26);
      memcpy(a + i, &b, 4);
    }
    t.device.launch(m.kernel("denorm"), 1, 64, 0, a, o);
    bool ftz = t.variant.find("ftz") != std::string::npos;
    auto z = [ftz](float x) {
      return ftz && std::fabs(x) < 1.17549435e-38f ? std::copysign(0.0f, x) : x;
    };
    for (int i = 0; i < 64; i++) {
      float x = z(a[i]), w[3] = {z(x * 0.5f), z(x + x), z(std::fma(x, 0.25f, x))};
      for (int k = 0; k < 3; k++) t.eq(o + 64 * k + i, w + k, 1, "o");
    }
  });
}
} /* namespace */

void test_math(Suite &suite, const Module &m) {
  part1(suite, m);
  part2(suite, m);
  part3(suite, m);
}
