/* SPDX-License-Identifier: BSD-3-Clause
 * Pieces of the assembly language as llvm-objdump prints it. */
#ifndef HB_TESTS_AMDGPU_ASSEMBLY_H
#define HB_TESTS_AMDGPU_ASSEMBLY_H

#include "tests/amdgpu/inst.h"

namespace isarun {
std::string trim(const std::string &s);
bool starts(const std::string &s, const char *prefix);
bool ends(const std::string &s, const char *suffix);
/* At commas, or else at blanks, outside of brackets; without empty pieces. */
std::vector<std::string> split(const std::string &s, bool commas);
/* The integers in "[1,0,2]". */
std::vector<i64> integers(const std::string &s);

/* Fills the operand from "v[0:1]", "-|s3|", "vcc", "0x10", "1.0", ...; false: it is none. */
bool parse_operand(const std::string &text, Operand &o);
/* Applies "offset:16", "glc", "row_shr:1", ... to the instruction; false: not understood. */
bool parse_modifier(Inst &inst, const std::string &text, const std::string &mnemonic);
} /* namespace isarun */
#endif
