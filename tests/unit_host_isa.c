/* SPDX-License-Identifier: BSD-3-Clause
 * What happens on processors that lack an instruction set: made-up ones, and this one. */
#include "kernels/helmholtz/variants.h"
#include "tests/check.h"

enum { /* sets of instruction sets */
       V2 = 1 << HB_ISA_V2,
       V3 = 1 << HB_ISA_V3,
       V4 = 1 << HB_ISA_V4,
       NATIVE = 1 << HB_ISA_NATIVE,
       ALL = V2 | V3 | V4,
       OLD = 1 << HB_ISA_PLAIN | NATIVE,
       NEHALEM = OLD | V2,
       HASWELL = NEHALEM | V3,
       SKYLAKE = HASWELL | V4
};

static void check_made_up(struct hb_check *check) {
  static const struct {
    unsigned built, here;
    const char *lacks;
  } cases[] = {{ALL, OLD, "x86-64-v2 (SSE4.2)"},
               {ALL, NEHALEM, NULL},
               {V3, NEHALEM, "x86-64-v3 (AVX2)"},
               {V3 | V4, NEHALEM, "x86-64-v3 (AVX2)"},
               {V3, HASWELL, NULL},
               {V4, HASWELL, "x86-64-v4 (AVX-512)"},
               {V2 | V4, HASWELL, NULL},
               {V4, SKYLAKE, NULL},
               {NATIVE, OLD, NULL}};
  for (size_t q = 0; q < sizeof cases / sizeof *cases; q++) {
    if (cases[q].lacks == NULL)
      CHECK_OK(check, hb_host_isa_check(cases[q].built, cases[q].here));
    else
      CHECK_FAILS(check, hb_host_isa_check(cases[q].built, cases[q].here), HB_MACHINE_FAILED,
                  cases[q].lacks);
  }
}

/* The variants that run here are those of the sets that this processor has. */
static void check_here(struct hb_check *check) {
  static const struct {
    unsigned bit;
    const char *variant;
  } sets[] = {{V2, "simd_v2"}, {V3, "simd_v3"}, {V4, "simd_v4"}, {NATIVE, "simd_native"}};
  const unsigned built = hb_host_isa_built(), here = hb_host_isa_here();
  CHECK(check, (built & ~(1u << HB_ISA_PLAIN)) != 0);
  for (size_t q = 0; q < sizeof sets / sizeof *sets; q++) {
    const struct hb_helmholtz_variant *found = NULL;
    if ((built & here & sets[q].bit) != 0) {
      CHECK_OK(check, hb_helmholtz_find_variant(sets[q].variant, HB_BACKEND_HOST,
                                                HB_GEOMETRY_STORED, 8, &found));
    } else {
      CHECK_FAILS(check,
                  hb_helmholtz_find_variant(sets[q].variant, HB_BACKEND_HOST, HB_GEOMETRY_STORED, 8,
                                            &found),
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
