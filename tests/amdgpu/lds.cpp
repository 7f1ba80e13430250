/* SPDX-License-Identifier: BSD-3-Clause
 * LDS reads and writes of all widths, one and two addresses. */
#include "tests/amdgpu/lds.h"

namespace isarun {
namespace {
/* The common case of lds_at inline: aligned dwords, in range, nothing to complain about. Everything
 * is copied here, so that it stays in registers while a loop runs over the lanes. */
struct Lds {
  Wave &w;
  u8 *const lds, *const init;
  Shadow *const shadow;
  Wave *const *const waves;
  const u64 size;
  const u32 epoch, issued;
  const bool check_init, race, waits;
  const u8 me;
  explicit Lds(Wave &wave)
      : w(wave), lds(wave.g->lds.data()), init(wave.g->init.data()), shadow(wave.g->shadow.data()),
        waves(wave.g->waves.data()), size(wave.g->lds.size()), epoch(wave.g->epoch),
        issued(wave.lg_issued), check_init(wave.g->dev->opt.uninit_lds != Check::off),
        race(wave.g->dev->opt.lds_race != Check::off && wave.g->num_waves > 1),
        waits(wave.g->dev->opt.waits != Check::off), me((u8)wave.id) {}

  bool in_flight(const Shadow &s) const {
    if (s.flight != LDS_WRITE) return s.flight != LANDED;
    return s.writer != me && s.write_seq > waves[s.writer]->lg_done;
  }
  template <u32 ND> bool written(u64 a) const {
    u32 x[ND], all = 0x01010101u;
    memcpy(x, init + a, sizeof x);
    for (u32 i = 0; i < ND; i++) all &= x[i];
    return all == 0x01010101u;
  }
  template <u32 ND, bool WRITE>
  __attribute__((always_inline)) bool undisturbed(const Shadow *s) const {
    for (u32 i = 0; i < ND; i++) {
      if (waits && in_flight(s[i])) return false;
      if (race && s[i].write_epoch == epoch && s[i].writer != me) return false;
      if (WRITE && race && s[i].read_epoch == epoch && (s[i].many || s[i].reader != me))
        return false;
    }
    return true;
  }
  template <u32 ND, bool WRITE> __attribute__((always_inline)) u8 *at(u64 a, int l) const {
    if ((a & 3) || a + 4 * ND > size) return lds_at(w, a, 4 * ND, WRITE, l);
    if (!WRITE && check_init && !written<ND>(a)) return lds_at(w, a, 4 * ND, WRITE, l);
    Shadow *s = shadow + a / 4;
    if (!undisturbed<ND, WRITE>(s)) return lds_at(w, a, 4 * ND, WRITE, l);
    if (WRITE) memset(init + a, 1, 4 * ND);
    for (u32 i = 0; i < ND; i++) {
      if (WRITE)
        note_write(s[i], epoch, me, issued, LDS_WRITE, false);
      else if (race)
        note_read(s[i], epoch, me);
    }
    return lds + a;
  }
};

/* STRIDE: of the offsets, in elements; 0: one address. */
template <u32 ND, u32 STRIDE> void read(Wave &w, const Inst &inst) {
  const u32 count = STRIDE ? 2 : 1;
  const u32 offset[2] = {STRIDE ? inst.offset0 * 4 * ND * STRIDE : (u32)inst.offset,
                         inst.offset1 * 4 * ND * STRIDE};
  u64 a[2][LANES];
  const int r = vector_register(inst.op[0]);
  for (u32 h = 0; h < count; h++) {
    lds_addresses(w, inst.op[1], offset[h], a[h]);
    note_lds_access(w, a[h], w.exec(), 4 * ND, false);
  }
  const Lds lds(w);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    u32 t[2 * ND];
    for (u32 h = 0; h < count; h++) memcpy(t + h * ND, lds.at<ND, false>(a[h][l], l), 4 * ND);
    for (u32 d = 0; d < count * ND; d++) w.v[r + (int)d][l] = t[d];
  }
}
template <u32 ND, u32 STRIDE> void write(Wave &w, const Inst &inst) {
  const u32 count = STRIDE ? 2 : 1;
  const u32 offset[2] = {STRIDE ? inst.offset0 * 4 * ND * STRIDE : (u32)inst.offset,
                         inst.offset1 * 4 * ND * STRIDE};
  u64 a[LANES];
  const Lds lds(w);
  for (u32 h = 0; h < count; h++) {
    lds_addresses(w, inst.op[0], offset[h], a);
    note_lds_access(w, a, w.exec(), 4 * ND, true);
    const int r = vector_register(inst.op[1 + h]);
    for (u64 m = w.exec(); m; m &= m - 1) {
      const int l = __builtin_ctzll(m);
      u32 t[ND];
      for (u32 d = 0; d < ND; d++) t[d] = w.v[r + (int)d][l];
      memcpy(lds.at<ND, true>(a[l], l), t, sizeof t);
    }
  }
}

template <SubType TYPE, Half HALF> void read_sub(Wave &w, const Inst &inst) {
  u64 a[LANES];
  lds_addresses(w, inst.op[1], (u32)inst.offset, a);
  note_lds_access(w, a, w.exec(), sub_bytes(TYPE), false);
  const int r = vector_register(inst.op[0]);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    sub_put(w.v[r][l], sub_load(lds_at(w, a[l], sub_bytes(TYPE), false, l), TYPE), HALF);
  }
}
template <u32 BYTES, Half HALF> void write_sub(Wave &w, const Inst &inst) {
  u64 a[LANES];
  lds_addresses(w, inst.op[0], (u32)inst.offset, a);
  note_lds_access(w, a, w.exec(), BYTES, true);
  const int r = vector_register(inst.op[1]);
  for (u64 m = w.exec(); m; m &= m - 1) {
    const int l = __builtin_ctzll(m);
    const u32 x = w.v[r][l] >> (HALF == HIGH_HALF ? 16 : 0);
    memcpy(lds_at(w, a[l], BYTES, true, l), &x, BYTES);
  }
}
} /* namespace */

void reg_lds(OpTable &t) {
  t.reg("ds_read_b32", read<1, 0>);
  t.reg("ds_read_b64", read<2, 0>);
  t.reg("ds_read_b96", read<3, 0>);
  t.reg("ds_read_b128", read<4, 0>);
  t.reg("ds_write_b32", write<1, 0>);
  t.reg("ds_write_b64", write<2, 0>);
  t.reg("ds_write_b96", write<3, 0>);
  t.reg("ds_write_b128", write<4, 0>);
  t.reg("ds_read2_b32", read<1, 1>);
  t.reg("ds_read2_b64", read<2, 1>);
  t.reg("ds_read2st64_b32", read<1, 64>);
  t.reg("ds_read2st64_b64", read<2, 64>);
  t.reg("ds_write2_b32", write<1, 1>);
  t.reg("ds_write2_b64", write<2, 1>);
  t.reg("ds_write2st64_b32", write<1, 64>);
  t.reg("ds_write2st64_b64", write<2, 64>);
  t.reg("ds_read_u8", read_sub<SUB_U8, WHOLE>);
  t.reg("ds_read_i8", read_sub<SUB_I8, WHOLE>);
  t.reg("ds_read_u16", read_sub<SUB_U16, WHOLE>);
  t.reg("ds_read_i16", read_sub<SUB_I16, WHOLE>);
  t.reg("ds_read_u8_d16", read_sub<SUB_U8, LOW_HALF>);
  t.reg("ds_read_i8_d16", read_sub<SUB_I8, LOW_HALF>);
  t.reg("ds_read_u16_d16", read_sub<SUB_U16, LOW_HALF>);
  t.reg("ds_read_u8_d16_hi", read_sub<SUB_U8, HIGH_HALF>);
  t.reg("ds_read_i8_d16_hi", read_sub<SUB_I8, HIGH_HALF>);
  t.reg("ds_read_u16_d16_hi", read_sub<SUB_U16, HIGH_HALF>);
  t.reg("ds_write_b8", write_sub<1, WHOLE>);
  t.reg("ds_write_b16", write_sub<2, WHOLE>);
  t.reg("ds_write_b8_d16_hi", write_sub<1, HIGH_HALF>);
  t.reg("ds_write_b16_d16_hi", write_sub<2, HIGH_HALF>);
}
} /* namespace isarun */
