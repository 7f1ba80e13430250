/* SPDX-License-Identifier: BSD-3-Clause
 * The tests of the interpreter: a suite counts, a context holds a device and the first difference.
 *
 * Each test_X runs kernels of kernels.hip from the module and compares with plain loops. */
#ifndef HB_TESTS_AMDGPU_SELFTEST_SUITE_H
#define HB_TESTS_AMDGPU_SELFTEST_SUITE_H

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "tests/amdgpu/isarun.h"

/* Uniform in -1 <= x < 1; 32 random bits.  The same sequence in every run. */
double rnd();
uint32_t rnd32();

struct Context {
  isarun::Device device;
  std::string variant;
  std::string why; /* the first difference */
  /* A buffer of the device: with a pattern, with random values. */
  template <class X> X *buf(size_t n, const char *name = "") {
    X *p = (X *)device.alloc(n * sizeof(X), name);
    memset((void *)p, 0xee, n * sizeof(X));
    return p;
  }
  template <class X> X *rbuf(size_t n, const char *name = "") {
    X *p = buf<X>(n, name);
    for (size_t i = 0; i < n; i++) p[i] = (X)rnd();
    return p;
  }
  void bad(const std::string &difference) {
    if (why.empty()) why = difference;
  }
  void bad_value(const char *what, size_t i, double got, double want);
  /* Bitwise equal. */
  template <class X> void eq(const X *got, const X *want, size_t n, const char *what) {
    for (size_t i = 0; i < n; i++)
      if (memcmp(got + i, want + i, sizeof(X)))
        return bad_value(what, i, (double)got[i], (double)want[i]);
  }
  /* |got - want| <= tolerance |want|; NaN is equal to NaN only. */
  void near(double got, double want, double tolerance, const char *what, size_t i = 0);
};

struct Suite {
  using Body = std::function<void(Context &, const isarun::Module &)>;
  std::string variant; /* of the code object: its file's name */
  int passed = 0, failed = 0;
  /* Runs f twice: waves in order, and interleaved at random with the workgroups reversed. */
  void test(const isarun::Module &m, const char *name, const Body &f);
  /* f must throw an Error with `part` in its text. */
  void expect_error(const isarun::Module &m, const char *name, const char *part, const Body &f);
};

void test_arithmetic(Suite &suite, const isarun::Module &m);
void test_control(Suite &suite, const isarun::Module &m);
void test_faults(Suite &suite, const isarun::Module &m);
void test_math(Suite &suite, const isarun::Module &m);
void test_matrix(Suite &suite, const isarun::Module &m);
void test_memory(Suite &suite, const isarun::Module &m);
#endif
