/* SPDX-License-Identifier: BSD-3-Clause
 * Code objects: finding them in files, loading one into memory, decoding its instructions. */
#ifndef HB_TESTS_AMDGPU_CODE_OBJECT_H
#define HB_TESTS_AMDGPU_CODE_OBJECT_H

#include "tests/amdgpu/inst.h"

namespace isarun {
/* Every code object in an image: the image itself, or the entries of all offload bundles inside. */
std::vector<std::string> code_objects(const std::string &image);
/* "gfx90a" and so on; for others a text with the number. */
std::string machine(const std::string &elf);
/* Bytes of the offload bundle or code object that begins at p; 0 if it is neither. */
size_t image_size(const void *p);

struct ModuleImpl {
  struct Segment {
    u64 lo, n;
    bool writable;
  };
  struct Symbol {
    u64 addr, size;
    u8 type; /* STT_FUNC, STT_OBJECT, ... */
  };
  std::string arch, elf;
  u8 *image = nullptr; /* owned; the code object's address 0 */
  size_t image_bytes = 0;
  int file = -1;    /* owned; the ELF as a file in memory, for the disassembler */
  u64 elf_hash = 0; /* 0: not computed */
  std::vector<Segment> segments;
  std::map<std::string, Symbol> symbols;
  std::map<std::string, Kernel> kernels; /* by symbol */
  Code code;
  bool names_functions = false;   /* the symbol table holds those that are no kernels */
  bool functions_decoded = false; /* they are in code */
  bool all_decoded = false;

  ModuleImpl() = default;
  ModuleImpl(const ModuleImpl &) = delete;
  ModuleImpl &operator=(const ModuleImpl &) = delete;
  ~ModuleImpl();
  /* Fills everything but code from elf.  Throws Error. */
  void load();
  /* Decodes what a launch of the kernel can reach; nothing if that has been done. */
  void decode(const Kernel &kernel);
  void decode_all();

private:
  /* disassemble of these functions, kept from process to process in the folder ISARUN_CACHE. */
  std::string text_of(const std::vector<std::string> &functions);
};

/* llvm-objdump's output for the ELF in the open file: of the functions that are named, or of
 * everything if there are none.  Throws Error if no disassembler does it. */
std::string disassemble(int file, const std::vector<std::string> &functions);
} /* namespace isarun */
#endif
