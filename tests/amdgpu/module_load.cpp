/* SPDX-License-Identifier: BSD-3-Clause
 * Loads a code object: segments, symbols, relocations, and the kernels that its metadata lists. */
#include <cxxabi.h>
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "tests/amdgpu/code_object.h"
#include "tests/amdgpu/message_pack.h"

namespace isarun {
namespace {
enum { RELOCATION_ABS64 = 3, RELOCATION_RELATIVE64 = 13, NOTE_AMDGPU_METADATA = 32 };

/* A T of the ELF at that offset. */
template <class T> T read_at(const std::string &elf, u64 offset) {
  T x;
  if (offset > elf.size() || elf.size() - offset < sizeof x) fail("broken code object");
  memcpy(&x, elf.data() + offset, sizeof x);
  return x;
}

struct Notes {
  std::string text;
  u64 dynamic = 0, dynamic_bytes = 0;
};

Notes load_segments(ModuleImpl &m) {
  const auto header = read_at<Elf64_Ehdr>(m.elf, 0);
  std::vector<Elf64_Phdr> parts;
  u64 top = 0;
  for (int i = 0; i < header.e_phnum; i++) {
    parts.push_back(read_at<Elf64_Phdr>(m.elf, header.e_phoff + (u64)i * header.e_phentsize));
    const Elf64_Phdr &p = parts.back();
    if (p.p_offset > m.elf.size() || p.p_filesz > m.elf.size() - p.p_offset)
      fail("broken code object");
    if (p.p_type == PT_LOAD) top = std::max(top, p.p_vaddr + p.p_memsz);
  }
  if (!top) fail("this is an unlinked object, not a code object: compile with --cuda-device-only");
  m.image_bytes = (top + 8191) & ~4095ull;
  void *image =
      mmap(nullptr, m.image_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (image == MAP_FAILED) throw std::bad_alloc();
  m.image = (u8 *)image;
  Notes notes;
  for (const Elf64_Phdr &p : parts) {
    if (p.p_type == PT_LOAD) {
      memcpy(m.image + p.p_vaddr, m.elf.data() + p.p_offset, p.p_filesz);
      m.segments.push_back({p.p_vaddr, p.p_memsz, (p.p_flags & PF_W) != 0});
      if (p.p_flags & PF_X) {
        m.code.base = p.p_vaddr & ~3ull;
        m.code.size = (p.p_memsz + 3) & ~3ull;
        m.code.at.assign(m.code.size / 4, -1);
      }
    } else if (p.p_type == PT_NOTE) {
      notes.text = m.elf.substr(p.p_offset, p.p_filesz);
    } else if (p.p_type == PT_DYNAMIC) {
      notes.dynamic = p.p_vaddr;
      notes.dynamic_bytes = p.p_memsz;
    }
  }
  return notes;
}

void load_symbols(ModuleImpl &m) {
  const auto header = read_at<Elf64_Ehdr>(m.elf, 0);
  std::vector<Elf64_Shdr> sections;
  for (int i = 0; i < header.e_shnum; i++)
    sections.push_back(read_at<Elf64_Shdr>(m.elf, header.e_shoff + (u64)i * header.e_shentsize));
  for (const Elf64_Shdr &section : sections) {
    if (section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) continue;
    m.names_functions = m.names_functions || section.sh_type == SHT_SYMTAB;
    const u64 names = sections.at(section.sh_link).sh_offset;
    for (u64 i = 0; i < section.sh_size / sizeof(Elf64_Sym); i++) {
      const auto y = read_at<Elf64_Sym>(m.elf, section.sh_offset + i * sizeof(Elf64_Sym));
      if (y.st_shndx == SHN_UNDEF || !y.st_name || names + y.st_name >= m.elf.size()) continue;
      m.symbols[m.elf.data() + names + y.st_name] = {y.st_value, y.st_size,
                                                     (u8)ELF64_ST_TYPE(y.st_info)};
    }
  }
}

void relocate(ModuleImpl &m, u64 symbol_table, u64 table, u64 bytes) {
  for (u64 at = 0; at + sizeof(Elf64_Rela) <= bytes; at += sizeof(Elf64_Rela)) {
    Elf64_Rela r;
    memcpy(&r, m.image + table + at, sizeof r);
    u64 value = (u64)m.image + (u64)r.r_addend;
    if (const u64 index = ELF64_R_SYM(r.r_info)) {
      Elf64_Sym y;
      memcpy(&y, m.image + symbol_table + index * sizeof y, sizeof y);
      if (y.st_shndx == SHN_UNDEF) fail("undefined symbol in the code object");
      value += y.st_value;
    }
    const u64 type = ELF64_R_TYPE(r.r_info);
    if (type != RELOCATION_RELATIVE64 && type != RELOCATION_ABS64)
      fail("relocation type %u is not supported", (unsigned)type);
    memcpy(m.image + r.r_offset, &value, sizeof value);
  }
}

void relocate_all(ModuleImpl &m, const Notes &notes) {
  u64 rela = 0, rela_bytes = 0, symbols = 0, plt = 0, plt_bytes = 0;
  for (u64 i = 0; i + sizeof(Elf64_Dyn) <= notes.dynamic_bytes; i += sizeof(Elf64_Dyn)) {
    Elf64_Dyn d;
    memcpy(&d, m.image + notes.dynamic + i, sizeof d);
    switch (d.d_tag) {
    case DT_RELA: rela = d.d_un.d_ptr; break;
    case DT_RELASZ: rela_bytes = d.d_un.d_val; break;
    case DT_SYMTAB: symbols = d.d_un.d_ptr; break;
    case DT_JMPREL: plt = d.d_un.d_ptr; break;
    case DT_PLTRELSZ: plt_bytes = d.d_un.d_val; break;
    default: break;
    }
    if (d.d_tag == DT_NULL) break;
  }
  if (rela) relocate(m, symbols, rela, rela_bytes);
  if (plt) relocate(m, symbols, plt, plt_bytes);
}

MetaNode read_metadata(const std::string &notes) {
  for (size_t p = 0; p + 12 <= notes.size();) {
    u32 name_bytes, bytes, type;
    memcpy(&name_bytes, &notes[p], 4);
    memcpy(&bytes, &notes[p + 4], 4);
    memcpy(&type, &notes[p + 8], 4);
    const size_t name = p + 12, body = name + ((name_bytes + 3) & ~(size_t)3);
    if (body + bytes > notes.size()) break;
    if (type == NOTE_AMDGPU_METADATA && notes.compare(name, 6, "AMDGPU") == 0)
      return read_message_pack((const u8 *)&notes[body], (const u8 *)&notes[body] + bytes);
    p = body + ((bytes + 3) & ~(size_t)3);
  }
  fail("no AMDGPU metadata in the code object");
}

/* "ns::f<3>(int)" -> "ns::f<3>"; a name that is not mangled stays. */
std::string readable_name(const std::string &symbol) {
  int status;
  std::unique_ptr<char, void (*)(void *)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), free);
  if (!text) return symbol;
  std::string name = text.get();
  if (!name.empty() && name.back() == ')') {
    int depth = 0;
    size_t i = name.size();
    while (i > 0) {
      i--;
      if (name[i] == ')') depth++;
      if (name[i] == '(' && --depth == 0) break;
    }
    name.resize(i);
  }
  if (name.compare(0, 5, "void ") == 0) name.erase(0, 5);
  return name;
}

Kernel read_kernel(ModuleImpl &m, const MetaNode &node) {
  Kernel k;
  k.mod = &m;
  k.name = node.string(".name");
  k.demangled = readable_name(k.name);
  const std::string descriptor = node.string(".symbol");
  auto symbol = m.symbols.find(descriptor);
  if (symbol == m.symbols.end()) fail("no kernel descriptor %s", descriptor.c_str());
  const u8 *d = m.image + symbol->second.addr;
  i64 entry;
  memcpy(&k.lds, d, 4);
  memcpy(&k.scratch, d + 4, 4);
  memcpy(&k.kernarg, d + 8, 4);
  memcpy(&entry, d + 16, 8);
  memcpy(&k.rsrc3, d + 44, 4);
  memcpy(&k.rsrc1, d + 48, 4);
  memcpy(&k.rsrc2, d + 52, 4);
  memcpy(&k.props, d + 56, 2);
  memcpy(&k.preload, d + 58, 2);
  k.entry = symbol->second.addr + (u64)entry;
  k.kernarg = std::max(k.kernarg, (u32)node.number(".kernarg_segment_size"));
  k.vgprs = (u32)node.number(".vgpr_count");
  k.agprs = (u32)node.number(".agpr_count");
  k.sgprs = (u32)node.number(".sgpr_count");
  k.vgpr_spills = (u32)node.number(".vgpr_spill_count");
  k.sgpr_spills = (u32)node.number(".sgpr_spill_count");
  k.max_workgroup = (u32)node.number(".max_flat_workgroup_size");
  if (node.number(".wavefront_size", LANES) != LANES || (k.props >> 10 & 1))
    fail("%s is wave32", k.name.c_str());
  if (const MetaNode *args = node.get(".args"))
    for (const MetaNode &a : args->array)
      k.args.push_back({a.string(".name"), a.string(".value_kind"), (u32)a.number(".offset"),
                        (u32)a.number(".size")});
  return k;
}
} /* namespace */

void ModuleImpl::load() {
  arch = machine(elf);
  if (arch != "gfx908" && arch != "gfx90a" && arch != "gfx940" && arch != "gfx942")
    fail("architecture %s is not supported (gfx908, gfx90a and gfx942 are)", arch.c_str());
  const Notes notes = load_segments(*this);
  load_symbols(*this);
  relocate_all(*this, notes);
  const MetaNode metadata = read_metadata(notes.text);
  const MetaNode *list = metadata.get("amdhsa.kernels");
  if (!list) fail("no kernels in the metadata of the code object");
  for (const MetaNode &node : list->array) {
    Kernel k = read_kernel(*this, node);
    kernels[k.name] = k;
  }
}

ModuleImpl::~ModuleImpl() {
  if (image) munmap(image, image_bytes);
  if (file >= 0) close(file);
}
} /* namespace isarun */
