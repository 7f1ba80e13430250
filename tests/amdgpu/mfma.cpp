/* SPDX-License-Identifier: BSD-3-Clause
 * Matrix instructions of f32 and f64, by the layout table. */
#include "tests/amdgpu/mfma.h"

#include <algorithm>
#include <cctype>

#include "tests/amdgpu/vector_operands.h"

namespace isarun {
/* D[b] = A[b] B[b] + C[b] for each block b; A is m x k, B is k x n. */
struct Mfma {
  struct Element {
    short block, row, col, lane, slot;
  };
  bool f64 = false;
  int m = 0, n = 0, k = 0, blocks = 0;
  std::vector<Element> a, b, d;
};

namespace {
enum { MAX_ELEMENTS = 4096 };

void add_row(Mfma &x, const MfmaRow &r) {
  auto &elements = r.operand == 'A' ? x.a : r.operand == 'B' ? x.b : x.d;
  elements.push_back({r.block, r.row, r.col, r.lane, r.slot});
  x.blocks = std::max(x.blocks, r.block + 1);
  if (r.operand == 'A') {
    x.m = std::max(x.m, r.row + 1);
    x.k = std::max(x.k, r.col + 1);
  }
  if (r.operand == 'B') x.n = std::max(x.n, r.col + 1);
}

/* xf32 is left out: the rounding of its sources is not modelled. */
std::map<std::string, Mfma> build_table() {
  std::map<std::string, Mfma> table;
  for (size_t i = 0; i < num_mfma_rows; i++) {
    const std::string name = mfma_rows[i].instruction;
    if (name.find("xf32") == std::string::npos) add_row(table[name], mfma_rows[i]);
  }
  for (auto &entry : table) {
    Mfma &x = entry.second;
    x.f64 = entry.first.find("f64") != std::string::npos;
    if ((int)x.a.size() != x.blocks * x.m * x.k || (int)x.b.size() != x.blocks * x.k * x.n ||
        (int)x.d.size() != x.blocks * x.m * x.n || x.d.size() > MAX_ELEMENTS)
      fail("the layout table of %s is incomplete", entry.first.c_str());
  }
  return table;
}

template <class T> T get(const Wave &w, int reg, int lane, int slot) {
  T x;
  if (sizeof(T) == 8) {
    const u64 bits = (u64)w.v[reg + 2 * slot][lane] | (u64)w.v[reg + 2 * slot + 1][lane] << 32;
    memcpy(&x, &bits, sizeof x);
  } else {
    memcpy(&x, &w.v[reg + slot][lane], sizeof x);
  }
  return x;
}
template <class T> void put(Wave &w, int reg, int lane, int slot, T x) {
  u32 words[sizeof(T) / 4];
  memcpy(words, &x, sizeof x);
  for (int i = 0; i < (int)(sizeof(T) / 4); i++)
    w.v[reg + (int)(sizeof(T) / 4) * slot + i][lane] = words[i];
}

/* Lane whose B the lane l takes. */
int blgp_lane(int blgp, int l) {
  switch (blgp) {
  case 0: return l;
  case 1: return l & 31;
  case 2: return (l & 31) + 32;
  case 3: return (l + 16) & 63;
  default: return (l & 15) + 16 * (blgp - 4);
  }
}

template <class T> T constant(const Operand &c) {
  T x = 0;
  if (c.kind != KIND_CONST) fail("MFMA source C is neither a vector register nor a constant");
  if (sizeof(T) == 8)
    memcpy(&x, &c.c64, sizeof x);
  else
    memcpy(&x, &c.c32, sizeof x);
  return x;
}

/* Bits of A, B, C that are negated; throws Error for modifiers that do not exist. */
int negations(const Wave &w, const Inst &inst, bool f64) {
  if (!f64) return inst.mneg;
  if (inst.cbsz || inst.abid) fail("cbsz/abid of an f64 MFMA");
  if (inst.blgp && !w.g->gfx940) fail("blgp of an f64 MFMA on this architecture");
  return inst.mneg | inst.blgp;
}

/* Each element is one chain of fused multiply-adds in increasing k:
 * d[b][i][j] = c[b][i][j] + sum_k a[b][i][k] b[b][k][j].  EXEC is ignored, as hardware does. */
template <class T> void run(Wave &w, const Inst &inst) {
  const Mfma &x = *inst.mfma;
  const int m = x.m, n = x.n, depth = x.k;
  const Operand &c = inst.op[3];
  const Ftz flush(sizeof(T) == 4 && w.ftz32);
  alignas(64) T a[MAX_ELEMENTS], b[MAX_ELEMENTS], d[MAX_ELEMENTS];
  for (int i = 0; i < 3; i++)
    if (inst.op[i].kind != KIND_VECTOR) fail("MFMA operand %d is no vector register", i);
  const int neg = negations(w, inst, x.f64), blgp = x.f64 ? 0 : inst.blgp;
  const T sign_a = (neg & 1) ? (T)-1 : (T)1, sign_b = (neg & 2) ? (T)-1 : (T)1;
  for (const auto &e : x.a)
    a[(e.block * depth + e.col) * m + e.row] = sign_a * get<T>(w, inst.op[1].reg, e.lane, e.slot);
  for (const auto &e : x.b)
    b[(e.block * depth + e.row) * n + e.col] =
        sign_b * get<T>(w, inst.op[2].reg, blgp_lane(blgp, e.lane), e.slot);
  for (const auto &e : x.d) {
    const T v = c.kind == KIND_VECTOR ? get<T>(w, c.reg, e.lane, e.slot) : constant<T>(c);
    d[(e.block * m + e.row) * n + e.col] = (neg & 4) ? -v : v;
  }
  /* cbsz: groups of 2^cbsz blocks share A's block abid of the group. */
  const int group = 1 << inst.cbsz;
  for (int block = 0; block < x.blocks; block++) {
    const int from = (block & ~(group - 1)) + (inst.cbsz ? inst.abid : 0);
    if (from >= x.blocks) fail("MFMA cbsz/abid out of range");
    for (int k = 0; k < depth; k++)
      for (int i = 0; i < m; i++) {
        const T ai = a[(from * depth + k) * m + i];
        const T *bk = b + (block * depth + k) * n;
        T *di = d + (block * m + i) * n;
        for (int j = 0; j < n; j++) di[j] = std::fma(ai, bk[j], di[j]);
      }
  }
  for (const auto &e : x.d)
    put<T>(w, inst.op[0].reg, e.lane, e.slot, d[(e.block * m + e.row) * n + e.col]);
}
} /* namespace */

const Mfma *find_mfma(const std::string &mnemonic) {
  static const std::map<std::string, Mfma> table = build_table();
  auto found = table.find(mnemonic);
  if (found == table.end() && mnemonic.compare(0, 7, "v_mfma_") == 0) {
    const size_t last = mnemonic.rfind('_');
    std::string shape = mnemonic.substr(0, last);
    const size_t p = shape.rfind('_');
    if (p + 1 < shape.size() && shape.back() == 'b' && isdigit((unsigned char)shape[p + 1]) &&
        shape.find('x', p) == std::string::npos)
      shape.resize(p); /* the number of blocks */
    found = table.find(shape + mnemonic.substr(last + 1));
  }
  return found == table.end() ? nullptr : &found->second;
}

void exec_mfma(Wave &w, const Inst &inst) {
  if (inst.mfma->f64)
    run<double>(w, inst);
  else
    run<float>(w, inst);
}
} /* namespace isarun */
