/* SPDX-License-Identifier: BSD-3-Clause
 * Runs the tests of the interpreter on the code objects that are given: suite CODE_OBJECT... */
#include "tests/amdgpu/selftest/suite.h"

#include <cmath>
#include <cstdio>

using namespace isarun;

static uint64_t random_state = 88172645463325252ull;

double rnd() {
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return (double)(random_state >> 11) / 9007199254740992.0 * 2 - 1;
}

uint32_t rnd32() {
  rnd();
  return (uint32_t)(random_state >> 20);
}

void Context::bad_value(const char *what, size_t i, double got, double want) {
  char text[200];
  snprintf(text, sizeof text, "%s[%zu]: %.17g instead of %.17g", what, i, got, want);
  bad(text);
}

void Context::near(double got, double want, double tolerance, const char *what, size_t i) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return;
  const double scale = std::fmax(1e-30, std::fabs(want));
  if (!(std::fabs(got - want) <= tolerance * scale)) bad_value(what, i, got, want);
}

void Suite::test(const Module &m, const char *name, const Body &f) {
  for (const bool interleaved : {false, true}) {
    Context t;
    t.variant = variant;
    if (interleaved) {
      t.device.opt.order = Order::random;
      t.device.opt.quantum = 7;
      t.device.opt.reverse_groups = true;
    }
    try {
      f(t, m);
    } catch (const Error &e) {
      t.bad(e.what());
    }
    if (t.why.empty()) continue;
    printf("FAILED %s %s%s: %s\n", variant.c_str(), name, interleaved ? " (interleaved)" : "",
           t.why.c_str());
    failed++;
    return;
  }
  passed++;
}

void Suite::expect_error(const Module &m, const char *name, const char *part, const Body &f) {
  Context t;
  t.variant = variant;
  std::string found = "no error";
  try {
    f(t, m);
  } catch (const Error &e) {
    found = e.what();
  }
  if (found.find(part) != std::string::npos) {
    passed++;
    return;
  }
  printf("FAILED %s %s: %s\n", variant.c_str(), name, found.c_str());
  failed++;
}

int main(int argc, char **argv) {
  int passed = 0, failed = 0;
  for (int i = 1; i < argc; i++) {
    Suite suite;
    suite.variant = argv[i];
    suite.variant = suite.variant.substr(suite.variant.rfind('/') + 1);
    try {
      const Module m(argv[i]);
      test_arithmetic(suite, m);
      test_control(suite, m);
      test_faults(suite, m);
      test_math(suite, m);
      test_matrix(suite, m);
      test_memory(suite, m);
    } catch (const std::exception &e) {
      printf("FAILED %s: %s\n", argv[i], e.what());
      suite.failed++;
    }
    printf("%s: %d passed, %d failed\n", suite.variant.c_str(), suite.passed, suite.failed);
    passed += suite.passed;
    failed += suite.failed;
  }
  return failed == 0 && passed > 0 ? 0 : 1;
}
