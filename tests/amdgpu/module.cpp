/* SPDX-License-Identifier: BSD-3-Clause
 * Modules: opening one, finding its kernels and variables, decoding the code that a launch needs.
 */
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "tests/amdgpu/code_object.h"

namespace isarun {
namespace {
/* The second is what one word of a command line holds. */
enum { SMALL_CODE_BYTES = 128 << 10, MAX_NAME_BYTES = 100000 };

/* False: it cannot be opened. */
bool read_whole(const std::string &path, std::string &text) {
  std::unique_ptr<FILE, int (*)(FILE *)> f(fopen(path.c_str(), "rb"), fclose);
  if (!f) return false;
  std::vector<char> buffer(1 << 16);
  size_t n;
  while ((n = fread(buffer.data(), 1, buffer.size(), f.get())) > 0) text.append(buffer.data(), n);
  return true;
}

std::string read_file(const std::string &path) {
  std::string text;
  if (!read_whole(path, text)) fail("cannot open %s", path.c_str());
  return text;
}

/* Whole or not at all, also where several processes write it; what cannot be written is left out.
 */
void keep(const std::string &path, const std::string &text) {
  const std::string part = path + "." + std::to_string((long)getpid());
  FILE *f = fopen(part.c_str(), "wb");
  if (!f) return;
  const bool all = fwrite(text.data(), 1, text.size(), f) == text.size();
  if (fclose(f) || !all || rename(part.c_str(), path.c_str())) unlink(part.c_str());
}

/* FNV-1a */
u64 hash_of(const std::string &text, u64 hash = 0xcbf29ce484222325u) {
  for (char c : text) hash = (hash ^ (u8)c) * 0x100000001b3u;
  return hash;
}

std::unique_ptr<ModuleImpl> open_module(const std::string &image, const std::string &arch,
                                        const char *what) {
  std::vector<std::string> fitting;
  std::string present;
  for (auto &object : code_objects(image)) {
    const std::string name = machine(object);
    present += " " + name;
    if (arch.empty() || name == arch) fitting.push_back(object);
  }
  if (fitting.empty())
    fail("%s holds no code object%s%s (found:%s)", what, arch.empty() ? "" : " for ", arch.c_str(),
         present.empty() ? " none" : present.c_str());
  if (fitting.size() > 1)
    fail("%s holds several code objects (%s ): %s", what, present.c_str(),
         arch.empty() ? "name the architecture" : "only one for an architecture is expected");
  std::unique_ptr<ModuleImpl> m(new ModuleImpl);
  m->elf = fitting[0];
  m->load();
  return m;
}

/* The ELF as a file without a name, so that nothing is left behind however the process ends. */
int memory_file(const std::string &elf) {
  const int file = memfd_create("isarun", MFD_CLOEXEC);
  if (file < 0) fail("no file in memory for the disassembler");
  for (size_t done = 0; done < elf.size();) {
    const ssize_t n = write(file, elf.data() + done, elf.size() - done);
    if (n <= 0) {
      close(file);
      fail("cannot write the code object for the disassembler");
    }
    done += (size_t)n;
  }
  return file;
}
} /* namespace */

std::string ModuleImpl::text_of(const std::vector<std::string> &functions) {
  std::string path, text;
  if (const char *folder = getenv("ISARUN_CACHE")) {
    if (!elf_hash) elf_hash = hash_of(elf);
    u64 hash = elf_hash;
    for (auto &name : functions) hash = hash_of("," + name, hash);
    path = std::string(folder) + "/" + machine(elf) + "_" + std::to_string(hash) + ".s";
    if (read_whole(path, text)) return text;
  }
  if (file < 0) file = memory_file(elf);
  text = disassemble(file, functions);
  if (!path.empty()) keep(path, text);
  return text;
}

void ModuleImpl::decode_all() {
  if (all_decoded || kernels.empty()) return;
  parse_disassembly(code, text_of({}));
  all_decoded = true;
}

/* Large programs have hundreds of kernels of which few are launched: one is decoded when it is
 * needed, with all functions that are no kernels, since pointers may lead to any of them.  Small
 * ones are decoded at once, which saves starting the disassembler again. */
void ModuleImpl::decode(const Kernel &kernel) {
  if (code.find(kernel.entry) >= 0) return;
  if (code.size <= SMALL_CODE_BYTES || !names_functions || !symbols.count(kernel.name))
    return decode_all();
  std::vector<std::string> names = {kernel.name};
  if (!functions_decoded)
    for (auto &symbol : symbols)
      if (symbol.second.type == STT_FUNC && !kernels.count(symbol.first))
        names.push_back(symbol.first);
  size_t name_bytes = 0;
  for (auto &name : names) name_bytes += name.size() + 1;
  if (name_bytes > MAX_NAME_BYTES) return decode_all();
  parse_disassembly(code, text_of(names));
  functions_decoded = true;
}

size_t Kernel::explicit_args() const {
  size_t n = 0;
  while (n < args.size() && args[n].kind.compare(0, 7, "hidden_") != 0) n++;
  return n;
}

uint32_t blocks_per_compute_unit(const Kernel &kernel, uint32_t threads, size_t dynamic_lds) {
  const bool separate = kernel.mod->arch == "gfx908"; /* files of VGPRs and AGPRs */
  const u32 file = separate ? 256 : 512, granule = separate ? 4 : 8, max_waves = separate ? 10 : 8;
  const u32 simds = 4, lds_bytes = 65536, lds_granule = 512, max_groups = 16;
  if (threads == 0 || threads > kernel.max_threads()) return 0;
  const u32 registers = (kernel.vgprs + granule - 1) / granule * granule;
  const u32 waves_per_simd = registers ? std::min(max_waves, file / registers) : max_waves;
  const u32 waves = (threads + LANES - 1) / LANES;
  u32 blocks = waves_per_simd * simds / waves;
  if (waves > 1) blocks = std::min(blocks, max_groups); /* barriers */
  const size_t lds = (kernel.lds + dynamic_lds + lds_granule - 1) / lds_granule * lds_granule;
  if (lds) blocks = std::min(blocks, (u32)(lds_bytes / lds));
  return blocks;
}

Module::Module(const std::string &path, const std::string &arch)
    : impl(open_module(read_file(path), arch, path.c_str())) {}
Module::Module(const void *image, size_t bytes, const std::string &arch)
    : impl(open_module(std::string((const char *)image, bytes), arch, "the image")) {}
Module::~Module() {}

const std::string &Module::arch() const { return impl->arch; }

const Kernel &Module::kernel(const std::string &name) const {
  auto exact = impl->kernels.find(name);
  if (exact != impl->kernels.end()) return exact->second;
  const Kernel *hit = nullptr;
  for (int pass = 0; pass < 2 && !hit; pass++)
    for (auto &entry : impl->kernels) {
      const Kernel &k = entry.second;
      const bool fits = pass == 0 ? k.demangled == name
                                  : k.demangled.find(name) != std::string::npos ||
                                        k.name.find(name) != std::string::npos;
      if (!fits) continue;
      if (hit)
        fail("kernel name %s fits %s and %s", name.c_str(), hit->demangled.c_str(),
             k.demangled.c_str());
      hit = &k;
    }
  if (!hit) fail("no kernel %s in the code object", name.c_str());
  return *hit;
}

std::vector<const Kernel *> Module::kernels() const {
  std::vector<const Kernel *> all;
  for (auto &entry : impl->kernels) all.push_back(&entry.second);
  return all;
}

void *Module::symbol(const std::string &name, size_t *bytes) const {
  auto found = impl->symbols.find(name);
  if (found == impl->symbols.end()) fail("no symbol %s in the code object", name.c_str());
  if (bytes) *bytes = found->second.size;
  return impl->image + found->second.addr;
}

std::map<std::string, uint64_t> Module::unknown() const {
  impl->decode_all();
  std::map<std::string, uint64_t> found;
  const Code &code = impl->code;
  for (size_t i = 0; i < code.inst.size(); i++) {
    if (code.inst[i].fn == exec_unknown)
      found.emplace(code.mnemonics[code.inst[i].mnemonic], code.inst[i].addr);
    if (code.inst[i].fn == exec_bad_form) found.emplace(code.text[i], code.inst[i].addr);
  }
  return found;
}

std::map<std::string, uint64_t> Module::static_count() const {
  impl->decode_all();
  std::map<std::string, uint64_t> found;
  for (const Inst &inst : impl->code.inst)
    if (inst.bytes) found[impl->code.mnemonics[inst.mnemonic]]++;
  return found;
}
} /* namespace isarun */
