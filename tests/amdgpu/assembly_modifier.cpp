/* SPDX-License-Identifier: BSD-3-Clause
 * Modifiers of assembly text: offsets, DPP, SDWA, selections of packed operands. */
#include <cstdlib>

#include "tests/amdgpu/assembly.h"

namespace isarun {
namespace {
/* Lane that lane l reads, -1: none.  n: the count; quad: the four of quad_perm. */
int dpp_source(const std::string &key, int l, int n, const std::vector<i64> &quad) {
  const int in = l & 15, row = l & ~15;
  if (key == "quad_perm") return (l & ~3) | (int)quad.at((size_t)(l & 3));
  if (key == "row_shl") return in + n < 16 ? l + n : -1;
  if (key == "row_shr") return in >= n ? l - n : -1;
  if (key == "row_ror") return row | ((in - n) & 15);
  if (key == "wave_shl") return l + 1 < LANES ? l + 1 : -1;
  if (key == "wave_rol") return (l + 1) & 63;
  if (key == "wave_shr") return l - 1;
  if (key == "wave_ror") return (l - 1) & 63;
  if (key == "row_mirror") return row | (15 - in);
  if (key == "row_half_mirror") return (l & ~7) | (7 - (l & 7));
  if (key == "row_bcast") return n == 15 ? (l >= 16 ? row - 1 : -1) : (l >= 32 ? 31 : -1);
  if (key == "row_newbcast") return row | n;
  fail("DPP control %s", key.c_str());
}
void set_dpp(Inst &inst, const std::string &key, const std::string &value) {
  auto map = std::make_shared<LaneMap>();
  const std::vector<i64> quad = integers(value);
  for (int l = 0; l < LANES; l++)
    (*map)[(size_t)l] = (i8)dpp_source(key, l, atoi(value.c_str()), quad);
  inst.flags |= F_DPP;
  inst.dpp = map;
}
int sel(const std::string &v) {
  static const std::map<std::string, int> m = {{"BYTE_0", 0}, {"BYTE_1", 1}, {"BYTE_2", 2},
                                               {"BYTE_3", 3}, {"WORD_0", 4}, {"WORD_1", 5},
                                               {"DWORD", 6}};
  auto f = m.find(v);
  if (f == m.end()) fail("SDWA selector %s", v.c_str());
  return f->second;
}
int swizzle(const std::string &v) { /* offset:swizzle(...) */
  auto p = split(v.substr(8, v.size() - 9), true);
  if (p.empty()) fail("swizzle %s", v.c_str());
  auto n = [&](size_t i) { return atoi(p.at(i).c_str()); };
  if (p[0] == "QUAD_PERM") return 0x8000 | n(1) | n(2) << 2 | n(3) << 4 | n(4) << 6;
  if (p[0] == "SWAP") return n(1) << 10 | 0x1f;
  if (p[0] == "REVERSE") return (n(1) - 1) << 10 | 0x1f;
  if (p[0] == "BROADCAST") return (32 - n(1)) | n(2) << 5;
  if (p[0] == "BITMASK_PERM") {
    int an = 0, orr = 0, x = 0, bit = 16;
    for (char c : p.at(1)) {
      if (c == '"') continue;
      if (c == 'p')
        an |= bit;
      else if (c == '1')
        orr |= bit;
      else if (c == 'i') {
        an |= bit;
        x |= bit;
      }
      bit >>= 1;
    }
    return x << 10 | orr << 5 | an;
  }
  fail("swizzle %s", v.c_str());
}
/* "[0,1,1]" as bits; vop3: the last of several is the destination's, bit 3. */
u8 bits(const std::string &value, bool vop3) {
  const std::vector<i64> list = integers(value);
  u8 mask = 0;
  for (size_t i = 0; i < list.size(); i++)
    if (list[i]) mask |= (u8)(1 << (vop3 && list.size() > 1 && i + 1 == list.size() ? 3 : i));
  return mask;
}
u8 byte(const std::string &value) { return (u8)strtol(value.c_str(), nullptr, 0); }
bool whole_register_op_sel(const std::string &mnemonic) {
  return starts(mnemonic, "v_pk_") || starts(mnemonic, "v_dot") || starts(mnemonic, "v_fma_mix");
}

using Setter = void (*)(Inst &, const std::string &value);
/* Cache hints (slc, nt, ...) change nothing here. */
const std::map<std::string, Setter> setters = {
    {"offset0", [](Inst &i, const std::string &v) { i.offset0 = (u16)atoi(v.c_str()); }},
    {"offset1", [](Inst &i, const std::string &v) { i.offset1 = (u16)atoi(v.c_str()); }},
    {"glc", [](Inst &i, const std::string &) { i.glc = true; }},
    {"sc0", [](Inst &i, const std::string &) { i.glc = true; }},
    {"slc", [](Inst &, const std::string &) {}},
    {"sc1", [](Inst &, const std::string &) {}},
    {"nt", [](Inst &, const std::string &) {}},
    {"scc", [](Inst &, const std::string &) {}},
    {"offen", [](Inst &i, const std::string &) { i.offen = true; }},
    {"idxen", [](Inst &i, const std::string &) { i.idxen = true; }},
    {"lds", [](Inst &i, const std::string &) { i.lds = true; }},
    {"clamp", [](Inst &i, const std::string &) { i.clamp = true; }},
    {"mul", [](Inst &i, const std::string &v) { i.omod = v == "2" ? 1 : 2; }},
    {"div", [](Inst &i, const std::string &) { i.omod = 3; }},
    {"row_mask", [](Inst &i, const std::string &v) { i.row_mask = byte(v); }},
    {"bank_mask", [](Inst &i, const std::string &v) { i.bank_mask = byte(v); }},
    {"bound_ctrl", [](Inst &i, const std::string &) { i.bound = true; }},
    {"op_sel_hi", [](Inst &i, const std::string &v) { i.op_sel_hi = bits(v, false); }},
    {"neg_lo", [](Inst &i, const std::string &v) { i.neg_lo = bits(v, false); }},
    {"neg_hi", [](Inst &i, const std::string &v) { i.neg_hi = bits(v, false); }},
    {"cbsz", [](Inst &i, const std::string &v) { i.cbsz = byte(v); }},
    {"abid", [](Inst &i, const std::string &v) { i.abid = byte(v); }},
    {"blgp", [](Inst &i, const std::string &v) { i.blgp = byte(v); }},
};
const std::map<std::string, Setter> sdwa_setters = {
    {"dst_sel", [](Inst &i, const std::string &v) { i.dst_sel = (u8)sel(v); }},
    {"src0_sel", [](Inst &i, const std::string &v) { i.src_sel[0] = (u8)sel(v); }},
    {"src1_sel", [](Inst &i, const std::string &v) { i.src_sel[1] = (u8)sel(v); }},
    {"dst_unused",
     [](Inst &i, const std::string &v) {
       i.dst_unused = v == "UNUSED_PAD" ? 0 : v == "UNUSED_SEXT" ? 1 : 2;
     }},
};
} /* namespace */

bool parse_modifier(Inst &inst, const std::string &text, const std::string &mnemonic) {
  const size_t colon = text.find(':');
  const std::string key = text.substr(0, colon);
  const std::string value = colon == std::string::npos ? "" : text.substr(colon + 1);
  auto plain = setters.find(key);
  auto sdwa = sdwa_setters.find(key);
  if (plain != setters.end()) {
    plain->second(inst, value);
  } else if (sdwa != sdwa_setters.end()) {
    inst.flags |= F_SDWA;
    sdwa->second(inst, value);
  } else if (key == "offset") {
    inst.offset =
        starts(value, "swizzle(") ? swizzle(value) : (i32)strtoll(value.c_str(), nullptr, 0);
  } else if (key == "quad_perm" || starts(key, "row_") || starts(key, "wave_")) {
    set_dpp(inst, key, value);
  } else if (key == "op_sel") {
    inst.op_sel = bits(value, !whole_register_op_sel(mnemonic));
  } else if (key == "neg" && starts(mnemonic, "v_mfma")) {
    inst.mneg = bits(value, false);
  } else {
    return false;
  }
  return true;
}
} /* namespace isarun */
