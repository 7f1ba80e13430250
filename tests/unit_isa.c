/* SPDX-License-Identifier: BSD-3-Clause
 * What happens on processors that lack an instruction set: made-up ones, and this one. */
#include "kernels/helmholtz/variants.h"
#include "kernels/isa.h"
#include "tests/check.h"

enum {
  OLD = HB_ISA_NATIVE,
  NEHALEM = OLD | HB_ISA_V2,
  HASWELL = NEHALEM | HB_ISA_V3,
  SKYLAKE = HASWELL | HB_ISA_V4,
  ALL = HB_ISA_V2 | HB_ISA_V3 | HB_ISA_V4
};

static void check_made_up(struct hb_check *check) {
  static const struct {
    unsigned built, here;
    const char *lacks;
  } cases[] = {{ALL, OLD, "x86-64-v2 (SSE4.2)"},
               {ALL, NEHALEM, NULL},
               {HB_ISA_V3, NEHALEM, "x86-64-v3 (AVX2)"},
               {HB_ISA_V3 | HB_ISA_V4, NEHALEM, "x86-64-v3 (AVX2)"},
               {HB_ISA_V3, HASWELL, NULL},
               {HB_ISA_V4, HASWELL, "x86-64-v4 (AVX-512)"},
               {HB_ISA_V2 | HB_ISA_V4, HASWELL, NULL},
               {HB_ISA_V4, SKYLAKE, NULL},
               {HB_ISA_NATIVE, OLD, NULL}};
  for (size_t q = 0; q < sizeof cases / sizeof *cases; q++) {
    if (cases[q].lacks == NULL)
      CHECK_OK(check, hb_isa_check(cases[q].built, cases[q].here));
    else
      CHECK_FAILS(check, hb_isa_check(cases[q].built, cases[q].here), HB_MACHINE_FAILED,
                  cases[q].lacks);
  }
}

/* The variants that run here are those of the sets that this processor has. */
static void check_here(struct hb_check *check) {
  static const struct {
    unsigned bit;
    const char *variant;
  } sets[] = {{HB_ISA_V2, "simd_v2"},
              {HB_ISA_V3, "simd_v3"},
              {HB_ISA_V4, "simd_v4"},
              {HB_ISA_NATIVE, "simd_native"}};
  const unsigned built = hb_isa_built(), here = hb_isa_here();
  CHECK(check, built != 0);
  for (size_t q = 0; q < sizeof sets / sizeof *sets; q++) {
    const struct hb_helmholtz_variant *found = NULL;
    if ((built & here & sets[q].bit) != 0) {
      CHECK_OK(check, hb_helmholtz_find_variant(sets[q].variant, HB_BACKEND_HOST, 8, &found));
    } else {
      CHECK_FAILS(check, hb_helmholtz_find_variant(sets[q].variant, HB_BACKEND_HOST, 8, &found),
                  HB_BAD_INPUT, "can run");
    }
  }
}

int main(void) {
  struct hb_check check = {0, 0};
  check_made_up(&check);
  check_here(&check);
  return hb_check_finish(&check);
}
