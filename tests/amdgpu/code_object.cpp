/* SPDX-License-Identifier: BSD-3-Clause
 * Finds code objects in files, offload bundles and executables. */
#include "tests/amdgpu/code_object.h"

#include <elf.h>

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace isarun {
namespace {
const char bundle_magic[] = "__CLANG_OFFLOAD_BUNDLE__";
const size_t bundle_magic_bytes = sizeof bundle_magic - 1;
enum { ELF_MACHINE_AMDGPU = 224 };

bool is_code_object(const char *p, size_t n) {
  Elf64_Ehdr header;
  if (n < sizeof header || memcmp(p, ELFMAG, SELFMAG)) return false;
  memcpy(&header, p, sizeof header);
  return header.e_machine == ELF_MACHINE_AMDGPU;
}

/* A bundle's table: a count, then for each entry offset, size, length of its name, and name. */
struct BundleEntry {
  u64 offset, bytes, name_bytes;
};

/* Calls each(entry) for the bundle at `begin`; returns the end of its table. */
template <class F> const char *bundle_entries(const char *begin, const char *end, F each) {
  const char *at = begin + bundle_magic_bytes;
  u64 count = 0;
  if ((size_t)(end - at) < sizeof count) return at;
  memcpy(&count, at, sizeof count);
  at += sizeof count;
  for (u64 i = 0; i < count && (size_t)(end - at) >= sizeof(BundleEntry); i++) {
    BundleEntry entry;
    memcpy(&entry, at, sizeof entry);
    at += sizeof entry;
    if (entry.name_bytes > (u64)(end - at)) break;
    at += entry.name_bytes;
    each(entry);
  }
  return at;
}
} /* namespace */

std::vector<std::string> code_objects(const std::string &image) {
  std::vector<std::string> found;
  if (is_code_object(image.data(), image.size())) return {image};
  for (size_t at = image.find(bundle_magic); at != std::string::npos;
       at = image.find(bundle_magic, at + bundle_magic_bytes))
    bundle_entries(&image[at], image.data() + image.size(), [&](const BundleEntry &entry) {
      const size_t room = image.size() - at;
      if (entry.offset <= room && entry.bytes <= room - entry.offset &&
          is_code_object(&image[at + entry.offset], entry.bytes))
        found.push_back(image.substr(at + entry.offset, entry.bytes));
    });
  if (found.empty() && image.find("CCOB") != std::string::npos)
    fail("the offload bundle is compressed: compile with --no-offload-compress");
  return found;
}

std::string machine(const std::string &elf) {
  Elf64_Ehdr header;
  memcpy(&header, elf.data(), sizeof header);
  switch (header.e_flags & 0xff) {
  case 0x30: return "gfx908";
  case 0x3f: return "gfx90a";
  case 0x40: return "gfx940";
  case 0x4c: return "gfx942";
  default: return "EF_AMDGPU_MACH " + std::to_string(header.e_flags & 0xff);
  }
}

std::vector<std::string> architectures(const void *image, size_t bytes) {
  std::vector<std::string> found;
  for (auto &object : code_objects(std::string((const char *)image, bytes))) {
    const std::string arch = machine(object);
    if (std::find(found.begin(), found.end(), arch) == found.end()) found.push_back(arch);
  }
  return found;
}

size_t image_size(const void *p) {
  const char *begin = (const char *)p;
  if (!memcmp(begin, bundle_magic, bundle_magic_bytes)) {
    const char *end = (const char *)UINTPTR_MAX;
    u64 top = 0;
    const char *table = bundle_entries(begin, end, [&](const BundleEntry &entry) {
      top = std::max(top, entry.offset + entry.bytes);
    });
    return (size_t)std::max<u64>(top, (u64)(table - begin));
  }
  if (memcmp(begin, ELFMAG, SELFMAG)) return 0;
  Elf64_Ehdr header;
  memcpy(&header, begin, sizeof header);
  return header.e_shoff + (size_t)header.e_shentsize * header.e_shnum;
}
} /* namespace isarun */
