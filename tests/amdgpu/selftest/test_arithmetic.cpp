/* SPDX-License-Identifier: BSD-3-Clause
 * Integers, lanes, arguments and indices. */
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>

#include "tests/amdgpu/selftest/suite.h"

using namespace isarun;
typedef unsigned long long ull;

namespace {
struct Par {
  double a[3];
  float f;
  char c;
  short h;
  long long q;
};
double par_sum(const Par &p) { return p.f + (double)p.c + p.h + (double)p.q; }

int shfl(int l, int s) { return s < 0 || s > 63 ? l : s; }
} /* namespace */

namespace {
void part1(Suite &suite, const Module &m) {
  suite.test(m, "many_args", [](Context &t, const Module &m) {
    Par p{{1, 2, 3}, 4.5f, -5, 600, 7000000000ll}, q{{10, 20, 30}, -0.5f, 7, -8, -9};
    double *x = t.rbuf<double>(64), *o = t.buf<double>(64), a = 0.125;
    int b = -77;
    float c = 2.5f;
    unsigned char d = 200;
    long long e = -1234567890123ll;
    short f = -321;
    bool g = true;
    t.device.launch(m.kernel("many_args"), 1, 64, 0, a, b, p, c, x, d, e, o, f, q, g);
    for (int i = 0; i < 64; i++)
      t.near(o[i],
             a + b + 1 + 4 + 9 + par_sum(p) + c + x[i] + d + (double)e + f + q.a[i % 3] +
                 par_sum(q) + 0.5,
             1e-12, "out", i);
  });
  suite.test(m, "ids", [](Context &t, const Module &m) {
    Dim3 g(3, 2, 4), b(5, 3, 7);
    int nb = 105, *o = t.buf<int>(24 * nb * 8);
    t.device.launch(m.kernel("ids"), g, b, 0, o);
    for (int q = 0; q < 24; q++)
      for (int i = 0; i < nb; i++) {
        int w[8] = {i % 5, i / 5 % 3, i / 15, q % 3, q / 3 % 2, q / 6, 50307, 30204};
        t.eq(o + 8 * (q * nb + i), w, 8, "ids");
      }
  });
}
void part2(Suite &suite, const Module &m) {
  suite.test(m, "ints", [](Context &t, const Module &m) {
    int n = 150;
    unsigned *a = t.buf<unsigned>(n), *b = t.buf<unsigned>(n);
    ull *o = t.buf<ull>(24 * n);
    for (int i = 0; i < n; i++) {
      a[i] = rnd32() ^ rnd32() << 16;
      b[i] = rnd32() >> (i % 29);
    }
    t.device.launch(m.kernel("ints"), 1, 192, 0, a, b, o, n);
    for (int i = 0; i < n; i++) {
      unsigned x = a[i], y = b[i] | 1;
      ull X = (ull)x << 32 | (y * 2654435761u), Y = (ull)y << 9 | (x & 511) | 1, w[24];
      unsigned br = 0;
      for (int k = 0; k < 32; k++) br = br << 1 | (x >> k & 1);
      w[0] = x / y;
      w[1] = x % y;
      w[2] = (unsigned)((int)x / (int)y);
      w[3] = (unsigned)((int)x % (int)y);
      w[4] = X / Y;
      w[5] = X % Y;
      w[6] = X * Y;
      w[7] = (ull)((long long)X / (long long)Y);
      w[8] = __builtin_popcount(x) + 100 * __builtin_popcountll(X);
      w[9] = (x ? __builtin_clz(x) : 32) + 100 * (X ? __builtin_clzll(X) : 64);
      w[10] = br;
      w[11] = __builtin_ffs(x) + 100 * __builtin_ffsll(X);
      w[12] = X << (y & 63);
      w[13] = X >> (y & 63);
      w[14] = (ull)((long long)X >> (y & 63));
      w[15] = (ull)x * y >> 32;
      w[16] = (unsigned)((long long)(int)x * (int)y >> 32);
      w[17] = std::min((int)x, (int)y) ^ std::max(x, y);
      w[18] = X > Y ? X - Y : Y - X;
      w[19] = (unsigned)std::abs((int)x);
      w[20] = (x >> 5 & 0x3ff) | (x << 7 & 0xff00);
      w[21] = (unsigned)(signed char)x + (unsigned short)(y >> 3);
      w[22] = x << (y & 31) | y >> ((32 - (y & 31)) & 31);
      w[23] = (ull)((long long)(int)x * (int)y + (long long)Y);
      for (int k = 0; k < 24; k++)
        if (o[24 * i + k] != w[k]) {
          char s[160];
          snprintf(s, sizeof s, "int op %d [%d]: %llx instead of %llx (x %x y %x)", k, i,
                   o[24 * i + k], w[k], x, y);
          t.bad(s);
        }
    }
  });
}
void part3(Suite &suite, const Module &m) {
  suite.test(m, "bytes", [](Context &t, const Module &m) {
    int n = 500;
    unsigned char *a = t.buf<unsigned char>(n), *c = t.buf<unsigned char>(n);
    short *b = t.buf<short>(n), *d = t.buf<short>(n);
    signed char *e = t.buf<signed char>(n);
    for (int i = 0; i < n; i++) {
      a[i] = rnd32();
      b[i] = rnd32();
    }
    t.device.launch(m.kernel("bytes"), 2, 256, 0, a, b, c, d, e, n);
    for (int i = 0; i < n; i++) {
      int b0 = i / 256 * 256, top = std::min(256, n - b0), q = b0 + top - 1 - (i - b0);
      t.near(c[i], (unsigned char)(a[q] * 3 + 1), 0, "c", i);
      t.near(d[i], (short)(b[q] - a[i]), 0, "d", i);
      t.near(e[i], (signed char)(b[q] >> 3), 0, "e", i);
    }
  });
}
void part4(Suite &suite, const Module &m) {
  suite.test(m, "lanes", [](Context &t, const Module &m) {
    int *a = t.buf<int>(64), *o = t.buf<int>(1024);
    for (int i = 0; i < 64; i++) a[i] = rnd32() & 0xfff;
    t.device.launch(m.kernel("lanes"), 1, 64, 0, a, o);
    ull bal = 0;
    for (int l = 0; l < 64; l++)
      if (a[l] & 1) bal |= 1ull << l;
    std::vector<int> per(64, 0);
    for (int l = 0; l < 64; l++) per[l * 5 & 63] = a[l];
    for (int l = 0; l < 64; l++) {
      int w[16] = {a[l ^ 5],
                   a[shfl(l, l + 3)],
                   a[shfl(l, l - 2)],
                   a[(l * 7 + 3) & 63],
                   a[(l & 48) | (l & 3)],
                   (int)(bal >> (l & 32)),
                   1,
                   1,
                   a[l ^ 3],
                   l % 16 ? a[l - 1] : -7,
                   a[(l & 48) | (15 - (l & 15))],
                   (l / 16) % 2 ? a[(l & 48) - 1] : -9,
                   a[l ^ 1],
                   a[17] + a[0],
                   per[l],
                   l};
      for (int k = 0; k < 16; k++)
        if (o[16 * l + k] != w[k]) {
          char s[120];
          snprintf(s, sizeof s, "lane op %d, lane %d: %d instead of %d", k, l, o[16 * l + k], w[k]);
          t.bad(s);
        }
    }
  });
  suite.test(m, "wave_sum", [](Context &t, const Module &m) {
    double *a = t.rbuf<double>(192), *o = t.buf<double>(3);
    t.device.launch(m.kernel("wave_sum"), 3, 64, 0, a, o);
    for (int g = 0; g < 3; g++) {
      double s = 0;
      for (int i = 0; i < 64; i++) s += a[g * 64 + i];
      if (std::fabs(o[g] - s) > 1e-12) t.near(o[g], s, 0, "sum", g);
    }
  });
}
} /* namespace */

void test_arithmetic(Suite &suite, const Module &m) {
  part1(suite, m);
  part2(suite, m);
  part3(suite, m);
  part4(suite, m);
}
