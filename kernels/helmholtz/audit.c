/* SPDX-License-Identifier: BSD-3-Clause
 * The audit's arrays, what rounding goes by, and the passes of the best instruction set here. */
#include "kernels/helmholtz/audit.h"

#include <math.h>
#include <stddef.h>

#define DECLARE(name, set) extern const struct hb_audit_passes hb_audit_passes_f64_##name;
HB_FOR_EACH_BUILT_ISA(DECLARE)

/* NULL: no set of vectors runs here. */
static const struct hb_audit_passes *passes_here(void) {
  static const struct hb_audit_passes *const passes[HB_NUM_HOST_ISAS] = {
#define ENTRY(name, set) [set] = &hb_audit_passes_f64_##name,
      HB_FOR_EACH_BUILT_ISA(ENTRY)
#undef ENTRY
  };
  for (int isa = HB_NUM_HOST_ISAS - 1; isa >= 0; isa--)
    if (passes[isa] != NULL && hb_host_isa_runs((enum hb_host_isa)isa)) return passes[isa];
  return NULL;
}

enum hb_status hb_audit_create(int n, const double *D, const double *weights,
                               struct hb_audit *audit) {
  enum hb_status status = HB_OK;
  const struct hb_audit_passes *passes = passes_here();
  *audit = (struct hb_audit){.passes = passes, .n = n, .D = D};
  if (passes == NULL)
    HB_FAIL(HB_MACHINE_FAILED, "this processor runs none of the instruction sets that the program "
                               "is built for");
  audit->lanes = passes->lanes;
  const hb_global values = (hb_global)hb_points_per_element(n) * audit->lanes;
  HB_ALLOC(audit->weight, hb_points_per_element(n), "audit of elements");
  for (int point = 0; point < hb_points_per_element(n); point++)
    audit->weight[point] = weights[point % n] * weights[point / n % n] * weights[point / (n * n)];
  HB_ALLOC(audit->row, n, "audit of elements");
  for (int i = 0; i < n; i++) {
    audit->row[i] = 0.0;
    for (int m = 0; m < n; m++) audit->row[i] += fabs(D[i * n + m]);
  }
  HB_ALLOC(audit->x, 3 * values, "audit of elements");
  HB_ALLOC(audit->h1, values, "audit of elements");
  HB_ALLOC(audit->h2, values, "audit of elements");
  HB_ALLOC(audit->u, values, "audit of elements");
  HB_ALLOC(audit->cofactor, 9 * values, "audit of elements");
  HB_ALLOC(audit->jacobian, values, "audit of elements");
  HB_ALLOC(audit->q, 3 * values, "audit of elements");
  HB_ALLOC(audit->w, values, "audit of elements");
  HB_ALLOC(audit->scale, audit->lanes, "audit of elements");
done:
  return status;
}

void hb_audit_free(struct hb_audit *audit) {
  hb_free(audit->weight);
  hb_free(audit->row);
  hb_free(audit->x);
  hb_free(audit->h1);
  hb_free(audit->h2);
  hb_free(audit->u);
  hb_free(audit->cofactor);
  hb_free(audit->jacobian);
  hb_free(audit->q);
  hb_free(audit->w);
  hb_free(audit->scale);
  *audit = (struct hb_audit){.n = 0};
}

void hb_audit_map(struct hb_audit *audit) { audit->passes->map(audit); }

void hb_audit_apply(struct hb_audit *audit) { audit->passes->apply(audit); }

void hb_audit_compare(const struct hb_audit *audit, int kinds, const double *used, double *worst) {
  audit->passes->compare(audit, kinds, used, worst);
}
