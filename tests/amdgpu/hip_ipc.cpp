/* SPDX-License-Identifier: BSD-3-Clause
 * HIP runtime: device memory that other processes of the machine open.
 *
 * A handle names a file of memory (memfd) of the process that has made it.  The first handle of an
 * allocation puts its pages into such a file, in place; others map them by /proc/PID/fd.  Stores of
 * kernels are then seen at once, which is more than a device promises.  ISARUN_IPC=off: a system
 * that has none of this. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "tests/amdgpu/hip_state.h"

using namespace isarun;
using namespace hipshim;

namespace {
/* What a hipIpcMemHandle_t holds. */
struct Handle {
  pid_t process;
  int file;
  size_t offset, bytes; /* of the allocation in the file */
};
static_assert(sizeof(Handle) <= sizeof(hipIpcMemHandle_t), "a handle has room for it");

struct Opened {
  void *pages;
  size_t bytes;
};

/* Files by the allocation's address, and what was opened by its address here. */
struct Shared {
  std::map<const void *, Handle> files;
  std::map<const void *, Opened> opened;
};
Shared &shared() {
  static Shared all;
  return all;
}

size_t page() { return (size_t)sysconf(_SC_PAGESIZE); }

bool switched_off() {
  const char *word = getenv("ISARUN_IPC");
  return word && strcmp(word, "off") == 0;
}

/* The allocation's pages, which are its own (Device::alloc), into a file. */
bool move_to_file(const void *p, size_t bytes, Handle *handle) {
  const uintptr_t begin = (uintptr_t)p / page() * page();
  const size_t offset = (uintptr_t)p - begin,
               whole = (offset + bytes + page() - 1) / page() * page();
  const int file = memfd_create("isarun", MFD_CLOEXEC);
  if (file < 0) return false;
  bool done = ftruncate(file, (off_t)whole) == 0 &&
              pwrite(file, (const void *)begin, whole, 0) == (ssize_t)whole;
  done = done && mmap((void *)begin, whole, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, file,
                      0) != MAP_FAILED;
  if (!done) close(file);
  *handle = {getpid(), file, offset, bytes};
  return done;
}
} /* namespace */

namespace hipshim {
/* The pages become the process's own again, as they are freed. */
void forget_shared(const void *p) {
  auto found = shared().files.find(p);
  if (found == shared().files.end()) return;
  const Handle h = found->second;
  const size_t whole = (h.offset + h.bytes + page() - 1) / page() * page();
  mmap((char *)const_cast<void *>(p) - h.offset, whole, PROT_READ | PROT_WRITE,
       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
  close(h.file);
  shared().files.erase(found);
}
} /* namespace hipshim */

extern "C" {
hipError_t hipIpcGetMemHandle(hipIpcMemHandle_t *handle, void *p) {
  State &s = state();
  Lock lock(s.lock);
  memset((void *)handle, 0, sizeof *handle);
  if (switched_off()) return result(hipErrorNotSupported);
  auto found = s.allocations.find(p);
  if (found == s.allocations.end() || found->second.device < 0) return result(hipErrorInvalidValue);
  Handle made;
  if (shared().files.count(p))
    made = shared().files[p];
  else if (!move_to_file(p, found->second.bytes, &made))
    return result(hipErrorNotSupported);
  shared().files[p] = made;
  memcpy((void *)handle, &made, sizeof made);
  return hipSuccess;
}

/* Not in the process that has made the handle, as on devices. */
hipError_t hipIpcOpenMemHandle(void **p, hipIpcMemHandle_t handle, unsigned flags) {
  State &s = state();
  Lock lock(s.lock);
  Handle given;
  memcpy(&given, &handle, sizeof given);
  *p = nullptr;
  if (switched_off()) return result(hipErrorNotSupported);
  if (flags != hipIpcMemLazyEnablePeerAccess || given.process == getpid())
    return result(hipErrorInvalidValue);
  const std::string path =
      "/proc/" + std::to_string(given.process) + "/fd/" + std::to_string(given.file);
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return result(hipErrorInvalidValue);
  const size_t whole = (given.offset + given.bytes + page() - 1) / page() * page();
  void *pages = mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (pages == MAP_FAILED) return result(hipErrorMapFailed);
  *p = (char *)pages + given.offset;
  s.device.map(*p, given.bytes, "memory of process " + std::to_string(given.process));
  shared().opened[*p] = {pages, whole};
  return hipSuccess;
}

hipError_t hipIpcCloseMemHandle(void *p) {
  State &s = state();
  Lock lock(s.lock);
  auto found = shared().opened.find(p);
  if (found == shared().opened.end()) return result(hipErrorInvalidValue);
  s.device.unmap(p);
  munmap(found->second.pages, found->second.bytes);
  shared().opened.erase(found);
  return hipSuccess;
}
}
