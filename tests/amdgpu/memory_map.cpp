/* SPDX-License-Identifier: BSD-3-Clause
 * The buffers that kernels may touch: adding, removing, and finding the one an address lies in. */
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <new>

#include "tests/amdgpu/code_object.h"
#include "tests/amdgpu/wave.h"

namespace isarun {
namespace {
enum { GAP = 256, NEAR = 1 << 20, GARBAGE = 0xd5 };

/* "24 bytes past the end of hipMalloc 3 (512 bytes)" */
std::string nearest(const std::vector<Range> &ranges, u64 addr) {
  std::string text = "no buffer near";
  u64 best = NEAR;
  for (const Range &r : ranges) {
    const bool past = addr >= r.hi;
    const u64 distance = past ? addr - r.hi : addr < r.lo ? r.lo - addr : 0;
    if (distance >= best) continue;
    best = distance;
    text =
        std::to_string(distance) + (past ? " bytes past the end of " : " bytes before ") + r.name;
  }
  return text;
}

size_t physical_memory() { return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE); }
} /* namespace */

u8 *resolve(Wave &w, u64 addr, u32 n, bool write, int lane) {
  Device::Impl &d = *w.g->mem;
  const auto after = std::upper_bound(d.ranges.begin(), d.ranges.end(), addr,
                                      [](u64 a, const Range &r) { return a < r.lo; });
  const bool inside = after != d.ranges.begin() && addr < (after - 1)->hi;
  if (inside && addr + n <= (after - 1)->hi && ((after - 1)->writable || !write)) {
    d.last = (size_t)(after - 1 - d.ranges.begin());
    return (u8 *)addr;
  }
  const char *what = write ? "store" : "load";
  const std::string who = lane < 0 ? "" : " (lane " + std::to_string(lane) + ")";
  if (inside) {
    const Range &r = *(after - 1);
    if (addr + n > r.hi)
      fail("out-of-bounds %u-byte %s at 0x%llx%s: it runs over the end of %s", n, what, (ull)addr,
           who.c_str(), r.name.c_str());
    fail("store to read-only %s at byte %llu%s", r.name.c_str(), (ull)(addr - r.lo), who.c_str());
  }
  fail("out-of-bounds %u-byte %s at 0x%llx%s: %s", n, what, (ull)addr, who.c_str(),
       nearest(d.ranges, addr).c_str());
}

void warn(Wave &w, Check check, uint64_t &counter, const char *fmt, ...) {
  if (check == Check::off) return;
  char text[400];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  if (check == Check::error) fail("%s", text);
  counter++;
  std::string &first = w.g->stats->first_warning;
  if (!first.empty()) return;
  char where[64];
  const u32 i = w.pc ? w.pc - 1 : 0;
  snprintf(where, sizeof where, " [wave %u, at 0x%llx: ", w.id, (ull)w.g->code->inst[i].addr);
  first = text + std::string(where) + w.g->code->text[i] + "]";
}

void Device::Impl::add(u64 lo, u64 n, bool writable, const std::string &name) {
  const Range r{lo, lo + n, writable, name};
  auto after = std::lower_bound(ranges.begin(), ranges.end(), lo,
                                [](const Range &a, u64 x) { return a.lo < x; });
  if (n && ((after != ranges.end() && after->lo < r.hi) ||
            (after != ranges.begin() && (after - 1)->hi > lo)))
    fail("buffer %s overlaps another one", name.c_str());
  ranges.insert(after, r);
  last = 0;
}

void Device::Impl::remove(u64 lo) {
  auto found =
      std::find_if(ranges.begin(), ranges.end(), [&](const Range &r) { return r.lo == lo; });
  if (found == ranges.end()) fail("no buffer at that address");
  ranges.erase(found);
  last = 0;
}

bool Device::Impl::covers(u64 lo, u64 n) const {
  for (const Range &r : ranges)
    if (lo >= r.lo && lo + n <= r.hi) return true;
  return false;
}

Device::Device() : impl(new Impl) {}
Device::~Device() {}

void Device::map(const void *p, size_t bytes, const std::string &name, bool writable) {
  const std::string number = "buffer " + std::to_string(impl->ranges.size());
  impl->add((u64)p, bytes, writable, name.empty() ? number : name);
}

void Device::unmap(const void *p) { impl->remove((u64)p); }

/* A gap on both sides keeps neighbours apart, so that an index past the end is noticed; pages that
 * nothing else lies in can be shared (hip_ipc.cpp). */
void *Device::alloc(size_t bytes, const std::string &name) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  const size_t whole = (bytes + 2 * GAP + page - 1) / page * page;
  if (bytes > SIZE_MAX - 2 * page || whole > physical_memory()) throw std::bad_alloc();
  std::unique_ptr<void, Impl::Free> block(aligned_alloc(page, whole));
  if (!block) throw std::bad_alloc();
  memset(block.get(), GARBAGE, whole);
  char *p = (char *)block.get() + GAP;
  map(p, bytes, name, true);
  impl->own[(u64)p] = std::move(block);
  return p;
}

void Device::release(void *p) {
  auto found = impl->own.find((u64)p);
  if (found == impl->own.end()) fail("not allocated by this device");
  impl->remove((u64)p);
  impl->own.erase(found);
}

bool Device::mapped(const void *p, size_t bytes) const { return impl->covers((u64)p, bytes); }

void Device::attach(const Module &module) {
  const ModuleImpl &m = *module.impl;
  for (auto &s : m.segments)
    if (s.n && !mapped(m.image + s.lo, s.n))
      map(m.image + s.lo, s.n,
          s.writable ? "the module's variables" : "the module's code and constants", s.writable);
}
} /* namespace isarun */
