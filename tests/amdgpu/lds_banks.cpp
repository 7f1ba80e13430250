/* SPDX-License-Identifier: BSD-3-Clause
 * Model of the LDS banks: 32 banks of a dword; within a group of lanes that is served together,
 * different dwords of one bank take turns.  A model, not a measurement; see README.md. */
#include <algorithm>

#include "tests/amdgpu/wave.h"

namespace isarun {
namespace {
enum { BANKS = 32 };
/* Lanes of a 16-byte read that are served together; again with 32 added. */
const u8 wide_read_lanes[4][8] = {{0, 1, 2, 3, 20, 21, 22, 23},
                                  {4, 5, 6, 7, 16, 17, 18, 19},
                                  {8, 9, 10, 11, 28, 29, 30, 31},
                                  {12, 13, 14, 15, 24, 25, 26, 27}};
} /* namespace */

u32 lds_service_cycles(const u64 *addr, u64 mask, u32 bytes, bool write) {
  const int together = bytes <= 4 ? 32 : bytes == 8 ? 16 : 8;
  u32 cycles = 0;
  for (int group = 0; group < LANES / together; group++) {
    std::vector<u32> bank[BANKS];
    for (int i = 0; i < together; i++) {
      const int l = together == 8 && !write ? wide_read_lanes[group & 3][i] + 32 * (group >> 2)
                                            : group * together + i;
      if (!(mask >> l & 1)) continue;
      for (u32 d = 0; d < (bytes + 3) / 4; d++) {
        const u32 dword = (u32)(addr[l] / 4) + d;
        std::vector<u32> &b = bank[dword % BANKS];
        if (std::find(b.begin(), b.end(), dword) == b.end()) b.push_back(dword);
      }
    }
    size_t longest = 1;
    for (auto &b : bank) longest = std::max(longest, b.size());
    cycles += (u32)longest;
  }
  return cycles;
}
} /* namespace isarun */
