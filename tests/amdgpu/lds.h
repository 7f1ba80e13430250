/* SPDX-License-Identifier: BSD-3-Clause
 * Shared by the LDS instructions: addresses of the lanes, and what is noted about each access. */
#ifndef HB_TESTS_AMDGPU_LDS_H
#define HB_TESTS_AMDGPU_LDS_H

#include "tests/amdgpu/memory_access.h"

namespace isarun {
inline void lds_addresses(const Wave &w, const Operand &o, u32 offset, u64 *a) {
  if (o.kind != KIND_VECTOR) fail("LDS address is no VGPR");
  for (int l = 0; l < LANES; l++) a[l] = w.v[o.reg][l] + offset; /* wraps at 32 bits */
}
inline void note_write(Shadow &s, u32 epoch, u8 wave, u32 seq, Flight flight, bool atomic) {
  s.write_epoch = epoch;
  s.write_seq = seq;
  s.writer = wave;
  s.atomic = atomic;
  s.flight = flight;
}
inline void note_read(Shadow &s, u32 epoch, u8 wave) {
  s.many = s.read_epoch == epoch && (s.many || s.reader != wave);
  s.read_epoch = epoch;
  s.reader = wave;
}
/* Alignment check and bank model, once for all lanes in `mask`. */
void note_lds_access(Wave &w, const u64 *addr, u64 mask, u32 bytes, bool write);
} /* namespace isarun */
#endif
