/* SPDX-License-Identifier: BSD-3-Clause
 * Operands of assembly text. */
#include <cctype>
#include <cstdlib>
#include <cstring>

#include "tests/amdgpu/assembly.h"

namespace isarun {
std::string trim(const std::string &s) {
  size_t a = s.find_first_not_of(" \t\r\n"), b = s.find_last_not_of(" \t\r\n");
  return a == std::string::npos ? "" : s.substr(a, b - a + 1);
}
bool starts(const std::string &s, const char *p) { return s.compare(0, strlen(p), p) == 0; }
bool ends(const std::string &s, const char *p) {
  size_t n = strlen(p);
  return s.size() >= n && s.compare(s.size() - n, n, p) == 0;
}
std::vector<std::string> split(const std::string &s, bool commas) {
  std::vector<std::string> r;
  std::string cur;
  int depth = 0;
  for (char c : s) {
    if (c == '[' || c == '(') depth++;
    if (c == ']' || c == ')') depth--;
    if (depth == 0 && (commas ? c == ',' : (c == ' ' || c == '\t'))) {
      cur = trim(cur);
      if (!cur.empty()) r.push_back(cur);
      cur.clear();
    } else
      cur += c;
  }
  cur = trim(cur);
  if (!cur.empty()) r.push_back(cur);
  return r;
}
std::vector<i64> integers(const std::string &s) {
  std::vector<i64> r;
  const char *p = s.c_str();
  while (*p) {
    if (isdigit((unsigned char)*p) || *p == '-') {
      char *e;
      r.push_back(strtoll(p, &e, 0));
      p = e;
    } else
      p++;
  }
  return r;
}
namespace {
/* "hwreg(HW_REG_MODE, 4, 2)" */
u32 hwreg(const std::string &s) {
  static const std::map<std::string, u32> id = {
      {"HW_REG_MODE", 1},   {"HW_REG_STATUS", 2},        {"HW_REG_TRAPSTS", 3},
      {"HW_REG_HW_ID", 4},  {"HW_REG_GPR_ALLOC", 5},     {"HW_REG_LDS_ALLOC", 6},
      {"HW_REG_IB_STS", 7}, {"HW_REG_SH_MEM_BASES", 15}, {"HW_REG_XCC_ID", 20}};
  std::string in = s.substr(6, s.size() - 7);
  auto p = split(in, true);
  u32 i, off = 0, size = 32;
  if (p.empty()) fail("hwreg without a name");
  auto f = id.find(p[0]);
  i = f != id.end() ? f->second : (u32)strtoul(p[0].c_str(), nullptr, 0);
  if (p.size() > 2) {
    off = strtoul(p[1].c_str(), nullptr, 0);
    size = strtoul(p[2].c_str(), nullptr, 0);
  }
  return i | off << 6 | (size - 1) << 11;
}
u32 gpr_idx(const std::string &s) {
  u32 m = 0;
  if (s.find("SRC0") != std::string::npos) m |= 1;
  if (s.find("SRC1") != std::string::npos) m |= 2;
  if (s.find("SRC2") != std::string::npos) m |= 4;
  if (s.find("DST") != std::string::npos) m |= 8;
  return m;
}
/* A constant as operands of each size see it. */
void set_constant(Operand &o, u64 x) {
  o.kind = KIND_CONST;
  o.c16 = (u16)x;
  o.c32 = (u32)x;
  o.c64 = x;
}
void set_float_constant(Operand &o, double x) {
  const float x32 = (float)x;
  const f16 x16 = (f16)x;
  o.kind = KIND_CONST;
  memcpy(&o.c16, &x16, 2);
  memcpy(&o.c32, &x32, 4);
  memcpy(&o.c64, &x, 8);
  if (x32 == 0.15915494f) { /* 1/(2 pi), printed short */
    o.c16 = 0x3118;
    o.c32 = 0x3e22f983;
    o.c64 = 0x3fc45f306dc9c882ull;
  }
}
bool number(const std::string &s, Operand &o) {
  const char *p = s.c_str();
  char *end;
  if (s.find("0x") != std::string::npos) {
    const bool negative = *p == '-';
    const u64 x = strtoull(p + negative, &end, 16);
    if (*end) return false;
    set_constant(o, negative ? 0 - x : x);
    o.literal = true;
    return true;
  }
  if (s.find('.') != std::string::npos || s.find('e') != std::string::npos) {
    const double x = strtod(p, &end);
    if (*end || end == p) return false;
    set_float_constant(o, x);
    return true;
  }
  const i64 x = strtoll(p, &end, 10);
  if (*end || end == p) return false;
  set_constant(o, (u64)x);
  o.literal = x < -16 || x > 64;
  return true;
}
bool reg(const std::string &s, const char *p, int base, Kind k, Operand &o) {
  size_t n = strlen(p);
  if (!starts(s, p) || s.size() <= n) return false;
  char *e;
  if (s[n] == '[') {
    long a = strtol(s.c_str() + n + 1, &e, 10), b = a;
    if (*e == ':') b = strtol(e + 1, &e, 10);
    if (*e != ']' || e[1]) return false;
    o.reg = (u16)(base + a);
    o.n = (u8)(b - a + 1);
  } else {
    if (!isdigit((unsigned char)s[n])) return false;
    long a = strtol(s.c_str() + n, &e, 10);
    if (*e) return false;
    o.reg = (u16)(base + a);
    o.n = 1;
  }
  o.kind = k;
  return true;
}
/* Takes the signs and brackets of source modifiers off. */
std::string strip_modifiers(std::string s, Operand &o) {
  auto inside = [&](size_t before) { return s.substr(before, s.size() - before - 1); };
  for (;;) {
    if (s.size() > 1 && s[0] == '-' && !isdigit((unsigned char)s[1]) && s[1] != '.') {
      o.neg = !o.neg;
      s = s.substr(1);
    } else if (s.size() > 2 && s[0] == '|' && s.back() == '|') {
      o.abs = true;
      s = inside(1);
    } else if (starts(s, "sext(")) {
      o.sext = true;
      s = inside(5);
    } else if (starts(s, "neg(")) {
      o.neg = !o.neg;
      s = inside(4);
    } else if (starts(s, "abs(")) {
      o.abs = true;
      s = inside(4);
    } else {
      return s;
    }
  }
}

struct Named {
  Kind kind;
  u16 reg;
  u8 dwords;
};
const std::map<std::string, Named> named_operands = {
    {"off", {KIND_OFF, 0, 1}},
    {"vcc", {KIND_SCALAR, S_VCC, 2}},
    {"vcc_lo", {KIND_SCALAR, S_VCC, 1}},
    {"vcc_hi", {KIND_SCALAR, S_VCC + 1, 1}},
    {"exec", {KIND_SCALAR, S_EXEC, 2}},
    {"exec_lo", {KIND_SCALAR, S_EXEC, 1}},
    {"exec_hi", {KIND_SCALAR, S_EXEC + 1, 1}},
    {"m0", {KIND_SCALAR, S_M0, 1}},
    {"flat_scratch", {KIND_SCALAR, S_FLAT, 2}},
    {"flat_scratch_lo", {KIND_SCALAR, S_FLAT, 1}},
    {"flat_scratch_hi", {KIND_SCALAR, S_FLAT + 1, 1}},
    {"xnack_mask", {KIND_SCALAR, S_XNACK, 2}},
    {"xnack_mask_lo", {KIND_SCALAR, S_XNACK, 1}},
    {"xnack_mask_hi", {KIND_SCALAR, S_XNACK + 1, 1}},
    {"scc", {KIND_SPECIAL, SP_SCC, 1}},
    {"src_scc", {KIND_SPECIAL, SP_SCC, 1}},
    {"vccz", {KIND_SPECIAL, SP_VCCZ, 1}},
    {"src_vccz", {KIND_SPECIAL, SP_VCCZ, 1}},
    {"execz", {KIND_SPECIAL, SP_EXECZ, 1}},
    {"src_execz", {KIND_SPECIAL, SP_EXECZ, 1}},
    {"src_shared_base", {KIND_SPECIAL, SP_SHARED_BASE, 1}},
    {"src_shared_limit", {KIND_SPECIAL, SP_SHARED_LIMIT, 1}},
    {"src_private_base", {KIND_SPECIAL, SP_PRIVATE_BASE, 1}},
    {"src_private_limit", {KIND_SPECIAL, SP_PRIVATE_LIMIT, 1}},
    {"null", {KIND_SPECIAL, SP_NULL, 1}}};
} /* namespace */

bool parse_operand(const std::string &text, Operand &o) {
  const std::string s = strip_modifiers(text, o);
  auto named = named_operands.find(s);
  if (named != named_operands.end()) {
    o.kind = named->second.kind;
    o.reg = named->second.reg;
    o.n = named->second.dwords;
    return true;
  }
  if (reg(s, "v", 0, KIND_VECTOR, o) || reg(s, "a", FIRST_ACC, KIND_VECTOR, o) ||
      reg(s, "s", 0, KIND_SCALAR, o) || reg(s, "ttmp", S_TTMP, KIND_SCALAR, o))
    return true;
  const bool hardware = starts(s, "hwreg("), index = starts(s, "gpr_idx(");
  if (!hardware && !index) return number(s, o);
  o.kind = KIND_CONST;
  o.c32 = hardware ? hwreg(s) : gpr_idx(s);
  return true;
}
} /* namespace isarun */
