/* SPDX-License-Identifier: BSD-3-Clause
 * From the disassembler's text to decoded instructions, and the table of all mnemonics. */
#include "tests/amdgpu/assembly.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "tests/amdgpu/wave.h"

namespace isarun {
namespace {
OpTable full_table() {
  OpTable t;
  for (auto reg : {reg_valu_float, reg_valu_convert, reg_valu_divide, reg_valu_int, reg_valu_int16,
                   reg_valu_packed, reg_valu_lanes, reg_vcmp, reg_salu, reg_salu_control,
                   reg_scalar_memory, reg_lds, reg_lds_lanes, reg_lds_atomics, reg_global_memory,
                   reg_global_atomics, reg_buffer_memory})
    reg(t);
  return t;
}

/* Which counters a memory instruction moves, and whether operand 0 is its result. */
u32 memory_flags(const std::string &m) {
  auto has = [&](const char *part) { return m.find(part) != std::string::npos; };
  const u32 load = has("_load_") ? (u32)F_RES : 0;
  if (starts(m, "global_") || starts(m, "scratch_") || starts(m, "buffer_"))
    return F_VM | (has("_load_lds_") ? (u32)F_DMA : load);
  if (starts(m, "flat_")) return F_VM | F_DS | F_FLAT | load;
  if (starts(m, "ds_") && m != "ds_nop") {
    const bool result = starts(m, "ds_read") || has("_rtn_") || starts(m, "ds_swizzle") ||
                        starts(m, "ds_permute") || starts(m, "ds_bpermute");
    return F_DS | (result ? (u32)F_RES : 0);
  }
  if (starts(m, "s_load_") || starts(m, "s_buffer_load_") || m == "s_memtime" ||
      m == "s_memrealtime")
    return F_SM | F_RES;
  return 0;
}

/* "v_add_f32_e32" -> "v_add_f32" */
std::string without_encoding(const std::string &mnemonic) {
  for (const char *suffix : {"_e32", "_e64", "_dpp", "_sdwa"})
    if (ends(mnemonic, suffix)) return mnemonic.substr(0, mnemonic.size() - strlen(suffix));
  return mnemonic;
}

/* False: a token that is neither operand nor modifier. */
bool parse_operands(Inst &inst, const std::string &text, const std::string &mnemonic) {
  bool understood = true;
  for (const std::string &piece : split(text, true)) {
    auto words = split(piece, false);
    size_t first = 0;
    Operand o;
    if (!words.empty() && inst.num_ops < 6 && parse_operand(words[0], o)) {
      inst.op[inst.num_ops++] = o;
      first = 1;
    }
    for (size_t k = first; k < words.size(); k++)
      understood = parse_modifier(inst, words[k], mnemonic) && understood;
  }
  return understood;
}

void choose_function(Inst &inst, const std::string &mnemonic, bool understood) {
  auto entry = ops().fn.find(mnemonic);
  if (entry != ops().fn.end())
    inst.fn = entry->second;
  else if ((inst.mfma = find_mfma(mnemonic)))
    inst.fn = exec_mfma;
  else
    inst.fn = exec_unknown;
  if (inst.fn != exec_unknown && !understood) inst.fn = exec_bad_form;
}

/* "000000001900: BF8C0070 ..." after the comment sign; false: none. */
bool parse_encoding(const char *text, Inst &inst, u32 &first_word) {
  char *at;
  inst.addr = strtoull(text, &at, 16);
  if (*at != ':') return false;
  inst.bytes = 0;
  for (at++; *at;) {
    char *end;
    const u32 word = (u32)strtoul(at, &end, 16);
    if (end == at) break;
    if (!inst.bytes) first_word = word;
    inst.bytes += 4;
    at = end;
  }
  if (!inst.bytes) inst.bytes = 4;
  return true;
}

/* The waves run through `inst` in the order of their indices; where the next address stands
 * elsewhere, or is not decoded, this one stands between. */
void exec_gap(Wave &w, const Inst &inst) {
  const int next = w.g->code->find(inst.addr);
  if (next < 0) fail("the program counter runs off the code");
  w.pc = (u32)next;
}
void append(Code &code, const Inst &inst, const std::string &text) {
  code.inst.push_back(inst);
  code.text.push_back(text);
}
void append_gap(Code &code, u64 addr) {
  if (code.inst.empty() || code.inst.back().fn == exec_gap) return;
  Inst gap;
  gap.fn = exec_gap;
  gap.addr = addr;
  gap.bytes = 0;
  append(code, gap, "end of the function");
}

void parse_instruction(Code &code, Inst &inst, const std::string &body, u32 first_word) {
  const size_t blank = body.find_first_of(" \t");
  const std::string mnemonic = without_encoding(body.substr(0, blank));
  auto id = code.mnemonic_index.emplace(mnemonic, (u32)code.mnemonics.size());
  if (id.second) code.mnemonics.push_back(mnemonic);
  inst.mnemonic = id.first->second;
  inst.flags = memory_flags(mnemonic) | (starts(mnemonic, "v_") ? (u32)F_VALU : 0);
  bool understood = true;
  if (mnemonic == "s_waitcnt")
    inst.offset = (i32)(first_word & 0xffff);
  else if (mnemonic != "s_sendmsg" && blank != std::string::npos)
    understood = parse_operands(inst, trim(body.substr(blank)), mnemonic);
  if (inst.lds) inst.flags = (inst.flags & ~(u32)F_RES) | F_DMA;
  if (inst.glc && mnemonic.find("_atomic_") != std::string::npos) inst.flags |= F_RES;
  choose_function(inst, mnemonic, understood);
}
} /* namespace */

const OpTable &ops() {
  static const OpTable table = full_table();
  return table;
}

void exec_unknown(Wave &w, const Inst &) {
  fail("unknown instruction: %s", w.g->code->text[w.pc - 1].c_str());
}
void exec_bad_form(Wave &w, const Inst &) {
  fail("operand or modifier not understood: %s", w.g->code->text[w.pc - 1].c_str());
}

void parse_disassembly(Code &code, const std::string &text) {
  u64 next = 0;
  size_t line_end;
  for (size_t p = 0; p < text.size(); p = line_end + 1) {
    line_end = std::min(text.find('\n', p), text.size());
    if (text[p] != '\t' && text[p] != ' ') continue;
    const std::string line = text.substr(p, line_end - p);
    const size_t comment = line.find("//");
    if (comment == std::string::npos) continue;
    Inst inst;
    u32 first_word = 0;
    if (!parse_encoding(line.c_str() + comment + 2, inst, first_word)) continue;
    if (inst.addr < code.base || inst.addr >= code.base + code.size || (inst.addr & 3))
      fail("disassembly at 0x%llx is outside of the code", (ull)inst.addr);
    if (code.find(inst.addr) >= 0) continue;
    if (inst.addr != next) append_gap(code, next);
    next = inst.addr + inst.bytes;
    const std::string body = trim(line.substr(0, comment));
    parse_instruction(code, inst, body, first_word);
    code.at[(inst.addr - code.base) / 4] = (i32)code.inst.size();
    append(code, inst, body);
  }
  append_gap(code, next);
  code.executed.assign(code.inst.size(), 0);
}
} /* namespace isarun */
