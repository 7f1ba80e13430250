/* SPDX-License-Identifier: BSD-3-Clause
 * Decoded instructions, the code they form, and the table that maps mnemonics to functions. */
#ifndef HB_TESTS_AMDGPU_INST_H
#define HB_TESTS_AMDGPU_INST_H

#include <array>
#include <unordered_map>

#include "tests/amdgpu/isarun.h"

namespace isarun {
typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t i8;
typedef int16_t i16;
typedef int32_t i32;
typedef int64_t i64;
typedef unsigned long long ull; /* for printf */
typedef _Float16 f16;

/* Throws Error. */
[[noreturn]] void fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

struct Wave;
struct Inst;
using Fn = void (*)(Wave &, const Inst &);

enum { LANES = 64, NUM_VECTOR_REGISTERS = 512, FIRST_ACC = 256, NUM_SCALAR_REGISTERS = 136 };
enum Kind : u8 { KIND_NONE, KIND_VECTOR, KIND_SCALAR, KIND_CONST, KIND_OFF, KIND_SPECIAL };
enum Special : u16 {
  SP_SCC,
  SP_VCCZ,
  SP_EXECZ,
  SP_SHARED_BASE,
  SP_SHARED_LIMIT,
  SP_PRIVATE_BASE,
  SP_PRIVATE_LIMIT,
  SP_NULL
};
/* Scalar registers with a name, by number. */
enum { S_FLAT = 102, S_XNACK = 104, S_VCC = 106, S_TTMP = 108, S_M0 = 124, S_EXEC = 126 };

struct Operand {
  Kind kind = KIND_NONE;
  u8 n = 1;    /* dwords of a register operand */
  u16 reg = 0; /* VGPR 0-255, AGPR 256-511; SGPR number; Special */
  bool neg = false, abs = false, sext = false;
  bool literal = false; /* of a constant: 32-bit literal, else inline */
  /* Value of a constant as a 16, 32, 64-bit operand; a literal is extended by zeros. */
  u16 c16 = 0;
  u32 c32 = 0;
  u64 c64 = 0;
  bool mod() const { return neg || abs; }
};

enum Flag : u32 {
  F_DPP = 1,
  F_SDWA = 2,
  F_VALU = 4,
  F_VM = 8,    /* counted by vmcnt */
  F_DS = 16,   /* counted by lgkmcnt, in order */
  F_SM = 32,   /* scalar load: counted by lgkmcnt, in any order */
  F_FLAT = 64, /* counted by both */
  F_RES = 128, /* operand 0 is the result of a load */
  F_DMA = 256, /* loads to LDS */
  F_MEM = F_VM | F_DS | F_SM
};
struct Mfma;
using LaneMap = std::array<i8, LANES>;

struct Inst {
  Fn fn = nullptr;
  u32 flags = 0;
  u8 num_ops = 0;
  Operand op[6];
  u64 addr = 0;
  u32 bytes = 4;
  u32 mnemonic = 0; /* index into Code::mnemonics */
  i32 offset = 0;
  u16 offset0 = 0, offset1 = 0;
  bool clamp = false, glc = false, offen = false, idxen = false, lds = false;
  u8 omod = 0; /* the result times: 1 two, 2 four, 3 a half */
  u8 row_mask = 15, bank_mask = 15;
  bool bound = false;
  std::shared_ptr<const LaneMap> dpp; /* source lane, -1: none */
  u8 dst_sel = 6, dst_unused = 0, src_sel[2] = {6, 6};
  u8 op_sel = 0, op_sel_hi = 7, neg_lo = 0, neg_hi = 0;
  u8 cbsz = 0, abid = 0, blgp = 0, mneg = 0;
  const Mfma *mfma = nullptr; /* borrowed from the table of matrix instructions */
};

/* What has been decoded of one code object.  inst[i] has the text text[i] and ran executed[i] times
 * in the current launch; decoding appends, so an index stays valid, a reference does not. */
struct Code {
  std::vector<Inst> inst;
  std::vector<std::string> text, mnemonics;
  std::vector<u64> executed;
  std::unordered_map<std::string, u32> mnemonic_index;
  u64 base = 0, size = 0; /* addresses that hold code */
  std::vector<i32> at;    /* (address - base) / 4 -> index, -1: not decoded */
  int find(u64 addr) const {
    if (addr < base || addr >= base + size || (addr & 3)) return -1;
    return at[(addr - base) / 4];
  }
};

struct OpTable {
  std::unordered_map<std::string, Fn> fn;
  void reg(const std::string &name, Fn f) { fn[name] = f; }
};
/* The table of all instructions, filled at the first call by the functions below, one a file. */
const OpTable &ops();
void reg_valu_float(OpTable &);
void reg_valu_convert(OpTable &);
void reg_valu_divide(OpTable &);
void reg_valu_int(OpTable &);
void reg_valu_int16(OpTable &);
void reg_valu_packed(OpTable &);
void reg_valu_lanes(OpTable &);
void reg_vcmp(OpTable &);
void reg_salu(OpTable &);
void reg_salu_control(OpTable &);
void reg_scalar_memory(OpTable &);
void reg_lds(OpTable &);
void reg_lds_lanes(OpTable &);
void reg_lds_atomics(OpTable &);
void reg_global_memory(OpTable &);
void reg_global_atomics(OpTable &);
void reg_buffer_memory(OpTable &);

/* The matrix instruction of that mnemonic in either spelling (v_mfma_f32_4x4x1f32,
 * v_mfma_f32_4x4x1_16b_f32), or null. */
const Mfma *find_mfma(const std::string &mnemonic);
void exec_mfma(Wave &, const Inst &);

/* Appends the instructions of a disassembly; those that stand in `code` already are left alone. */
void parse_disassembly(Code &code, const std::string &text);
/* Functions of instructions that the table lacks, and of forms that the parser lacks; both fail
 * when they are reached. */
void exec_unknown(Wave &, const Inst &);
void exec_bad_form(Wave &, const Inst &);
} /* namespace isarun */
#endif
