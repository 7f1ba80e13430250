/* SPDX-License-Identifier: BSD-3-Clause
 * Bank model of CDNA's LDS: service groups and conflict degrees. */
#include "kernels/matcore/lds_banks.h"

#include "kernels/element/architectures.h"

enum { MAX_BANKS = 64, MAX_GROUP_DWORDS = 32 };

static const char *const archs[HB_LDS_NUM_ARCHS] = {"gfx90a", "gfx942", "gfx950"};

const char *hb_lds_arch_name(enum hb_lds_arch arch) { return archs[arch]; }

int hb_lds_num_banks(enum hb_lds_arch arch) { return hb_architecture_find(archs[arch])->banks; }

int hb_lds_num_groups(int dwords) { return 2 * dwords; }

int hb_lds_group_of_lane(const struct hb_lds_access *access, int lane) {
  static const int b128_read[8] = {0, 1, 2, 3, 1, 0, 3, 2}; /* of four lanes of a half wavefront */
  if (access->dwords == HB_LDS_B128 && !access->write && !access->consecutive)
    return 4 * (lane / 32) + b128_read[lane % 32 / 4];
  return lane * hb_lds_num_groups(access->dwords) / HB_LDS_LANES;
}

/* The distinct dwords that a group touches; a repeated one is served with the first. */
static int distinct_dwords(const struct hb_lds_access *access, int group, int *dwords) {
  int count = 0;
  for (int lane = 0; lane < HB_LDS_LANES; lane++) {
    if (access->address[lane] == HB_LDS_MASKED) continue;
    if (hb_lds_group_of_lane(access, lane) != group) continue;
    for (int d = 0; d < access->dwords; d++) {
      const int dword = access->address[lane] / 4 + d;
      int known = 0;
      while (known < count && dwords[known] != dword) known++;
      if (known == count) dwords[count++] = dword;
    }
  }
  return count;
}

static int conflict_degree(const struct hb_lds_access *access, int group) {
  int dwords[MAX_GROUP_DWORDS], on_bank[MAX_BANKS] = {0}, degree = 1;
  const int count = distinct_dwords(access, group, dwords);
  const int banks = hb_lds_num_banks(access->arch);
  for (int d = 0; d < count; d++) {
    const int bank = dwords[d] % banks;
    on_bank[bank]++;
    if (on_bank[bank] > degree) degree = on_bank[bank];
  }
  return degree;
}

/* Lanes are aligned to their width when this is asked, so they share all dwords or none. */
static int overwritten_lanes(const struct hb_lds_access *access) {
  int count = 0;
  for (int lane = 1; lane < HB_LDS_LANES; lane++) {
    int lower = 0;
    if (access->address[lane] == HB_LDS_MASKED) continue;
    while (lower < lane && access->address[lower] != access->address[lane]) lower++;
    count += lower < lane;
  }
  return count;
}

enum hb_status hb_lds_access_cost(const struct hb_lds_access *access, struct hb_lds_cost *cost) {
  enum hb_status status = HB_OK;
  const int dwords = access->dwords;
  *cost = (struct hb_lds_cost){0};
  if (dwords != HB_LDS_B32 && dwords != HB_LDS_B64 && dwords != HB_LDS_B128)
    HB_FAIL(HB_BAD_INPUT, "an access of %d dwords a lane; allowed: 1, 2, 4", dwords);
  for (int lane = 0; lane < HB_LDS_LANES; lane++) {
    const int address = access->address[lane];
    if (address == HB_LDS_MASKED) continue;
    if (address < 0)
      HB_FAIL(HB_BAD_INPUT, "lane %d: address %d; allowed: 0 and above, %d for a masked lane", lane,
              address, HB_LDS_MASKED);
    cost->misaligned += address % (4 * dwords) != 0;
  }
  cost->num_groups = hb_lds_num_groups(dwords);
  if (cost->misaligned > 0) goto done;
  for (int group = 0; group < cost->num_groups; group++) {
    const int degree = conflict_degree(access, group);
    cost->degree[group] = degree;
    cost->cycles += degree;
    if (degree > cost->worst) cost->worst = degree;
  }
  if (access->write) cost->overwritten = overwritten_lanes(access);
done:
  return status;
}
