/* SPDX-License-Identifier: BSD-3-Clause
 * The program isarun: looks into code objects and launches one kernel on the interpreter. */
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tests/amdgpu/isarun.h"

using namespace isarun;

namespace {
const char usage_text[] =
    "isarun FILE [--arch ARCH] --list      kernels, arguments, registers\n"
    "isarun FILE [--arch ARCH] --check     instructions that are not covered (exit 1 if any)\n"
    "isarun FILE [--arch ARCH] --kernel NAME --grid X[,Y,Z] --block X[,Y,Z] [--lds BYTES]\n"
    "       [--arg SPEC]... [OPTION]...\n"
    "  The grid is in workgroups.  SPEC, in the order of the kernel's arguments:\n"
    "    i32:N u32:N i64:N u64:N f32:X f64:X   a value\n"
    "    buf:TYPE:COUNT[:INIT]                 a buffer; INIT is zero (default), one, iota,\n"
    "                                          rand[SEED], or @FILE with its bytes\n"
    "  --print N[:COUNT]   print the first COUNT (16) values of argument N, counted from 0\n"
    "  --dump N:FILE       write the bytes of buffer argument N\n"
    "  --counts            instructions executed per mnemonic (with --check: in the code)\n"
    "  --trace             print every instruction of the first wave\n"
    "  --max-insts N       of a wave\n"
    "  --order asc|desc|rand[SEED]   --quantum N   --reverse-groups 0|1   --banks 0|1\n"
    "  --uninit-lds, --race, --waits, --align  off|warn|error   (error, error, error, warn)\n";

[[noreturn]] void usage() {
  fputs(usage_text, stderr);
  exit(2);
}

struct Command {
  std::string file, arch, kernel;
  Dim3 grid, block;
  size_t lds = 0;
  bool list = false, check = false, counts = false;
  std::vector<std::string> args, prints, dumps;
  Options options;
};

Dim3 parse_dim(const char *text) {
  unsigned x = 1, y = 1, z = 1;
  if (sscanf(text, "%u,%u,%u", &x, &y, &z) < 1) usage();
  return Dim3(x, y, z);
}

/* "--reverse-groups" -> "reverse_groups" */
std::string option_name(const std::string &word) {
  std::string name = word.substr(2);
  for (char &c : name)
    if (c == '-') c = '_';
  return name;
}

Command parse_command(int argc, char **argv) {
  if (argc < 3) usage();
  Command c;
  c.file = argv[1];
  for (int i = 2; i < argc; i++) {
    const std::string a = argv[i];
    auto next = [&]() -> const char * {
      if (i + 1 >= argc) usage();
      return argv[++i];
    };
    if (a == "--arch")
      c.arch = next();
    else if (a == "--list")
      c.list = true;
    else if (a == "--check")
      c.check = true;
    else if (a == "--counts")
      c.counts = true;
    else if (a == "--trace")
      c.options.trace = true;
    else if (a == "--kernel")
      c.kernel = next();
    else if (a == "--grid")
      c.grid = parse_dim(next());
    else if (a == "--block")
      c.block = parse_dim(next());
    else if (a == "--lds")
      c.lds = strtoull(next(), nullptr, 0);
    else if (a == "--max-insts")
      c.options.max_insts = strtoull(next(), nullptr, 0);
    else if (a == "--arg")
      c.args.push_back(next());
    else if (a == "--print")
      c.prints.push_back(next());
    else if (a == "--dump")
      c.dumps.push_back(next());
    else if (a.compare(0, 2, "--") != 0 || !set_option(c.options, option_name(a), next()))
      usage();
  }
  return c;
}

enum Type { I32, U32, I64, U64, F32, F64, NUM_TYPES };
const char *const type_names[NUM_TYPES] = {"i32", "u32", "i64", "u64", "f32", "f64"};

Type parse_type(const std::string &name) {
  for (int t = 0; t < NUM_TYPES; t++)
    if (name == type_names[t]) return (Type)t;
  throw Error("type " + name);
}
size_t type_bytes(Type t) { return t == I32 || t == U32 || t == F32 ? 4 : 8; }

template <class T> void put_as(char *p, T value) { memcpy(p, &value, sizeof value); }
void put(char *p, Type type, double value) {
  switch (type) {
  case I32: return put_as(p, (int32_t)value);
  case U32: return put_as(p, (uint32_t)value);
  case I64: return put_as(p, (int64_t)value);
  case U64: return put_as(p, (uint64_t)value);
  case F32: return put_as(p, (float)value);
  default: return put_as(p, value);
  }
}
/* Integers of 64 bits do not go through a double. */
void put_text(char *p, Type type, const char *text) {
  if (type == I64)
    put_as(p, (int64_t)strtoll(text, nullptr, 0));
  else if (type == U64)
    put_as(p, (uint64_t)strtoull(text, nullptr, 0));
  else
    put(p, type, strtod(text, nullptr));
}

template <class T> T get_as(const char *p) {
  T value;
  memcpy(&value, p, sizeof value);
  return value;
}
void show(const char *p, Type type) {
  switch (type) {
  case I32: printf("%d\n", get_as<int32_t>(p)); break;
  case U32: printf("%u\n", get_as<uint32_t>(p)); break;
  case I64: printf("%lld\n", (long long)get_as<int64_t>(p)); break;
  case U64: printf("%llu\n", (unsigned long long)get_as<uint64_t>(p)); break;
  case F32: printf("%.9g\n", (double)get_as<float>(p)); break;
  default: printf("%.17g\n", get_as<double>(p));
  }
}

struct Buffer {
  Type type = F64;
  size_t count = 0;
  char *p = nullptr; /* owned by the device */
  size_t bytes() const { return count * type_bytes(type); }
};

using File = std::unique_ptr<FILE, int (*)(FILE *)>;

void fill(const Buffer &b, const std::string &init) {
  const bool random = init.compare(0, 4, "rand") == 0;
  if (init[0] == '@') {
    File in(fopen(init.c_str() + 1, "rb"), fclose);
    if (!in || fread(b.p, 1, b.bytes(), in.get()) != b.bytes())
      throw Error("cannot read " + init.substr(1));
    return;
  }
  if (!random && init != "zero" && init != "one" && init != "iota")
    throw Error("initial value " + init);
  uint64_t state = 88172645463325252ull;
  if (random) state += strtoull(init.c_str() + 4, nullptr, 0) * 2654435761u;
  const double scale = b.type == F32 || b.type == F64 ? 1 : 1000;
  for (size_t i = 0; i < b.count; i++) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    double value = init == "one" ? 1 : init == "iota" ? (double)i : 0;
    if (random) value = (double)(state >> 11) / 9007199254740992.0 * scale;
    put(b.p + i * type_bytes(b.type), b.type, value);
  }
}

std::vector<std::string> fields(const std::string &spec, size_t most) {
  std::vector<std::string> found;
  size_t p = 0;
  while (found.size() + 1 < most && spec.find(':', p) != std::string::npos) {
    const size_t q = spec.find(':', p);
    found.push_back(spec.substr(p, q - p));
    p = q + 1;
  }
  found.push_back(spec.substr(p));
  return found;
}

/* Bytes of the argument; a buffer is made for "buf". */
std::vector<char> make_argument(Device &device, const std::string &spec, const Arg &arg, size_t i,
                                Buffer &buffer) {
  const std::string name = "argument " + std::to_string(i);
  std::vector<char> value(8, 0);
  const std::vector<std::string> f = fields(spec, 4);
  if (f[0] == "buf") {
    if (f.size() < 3) usage();
    if (arg.size != sizeof(void *)) throw Error(name + " is no pointer");
    buffer.type = parse_type(f[1]);
    buffer.count = strtoull(f[2].c_str(), nullptr, 0);
    buffer.p = (char *)device.alloc(buffer.bytes(), name);
    fill(buffer, f.size() > 3 ? f[3] : "zero");
    memcpy(value.data(), &buffer.p, sizeof buffer.p);
  } else {
    if (f.size() != 2) usage();
    const Type type = parse_type(f[0]);
    if (type_bytes(type) != arg.size)
      throw Error(name + " has " + std::to_string(arg.size) + " bytes");
    put_text(value.data(), type, f[1].c_str());
  }
  return value;
}

void list_kernels(const Module &m) {
  printf("%s\n", m.arch().c_str());
  for (const Kernel *k : m.kernels()) {
    printf("%s  (%s)\n", k->demangled.c_str(), k->name.c_str());
    printf("  vgprs %u agprs %u sgprs %u  spills v %u s %u  LDS %u  scratch %u  kernarg %u  "
           "max threads %u\n",
           k->vgprs, k->agprs, k->sgprs, k->vgpr_spills, k->sgpr_spills, k->lds, k->scratch,
           k->kernarg, k->max_threads());
    for (size_t i = 0; i < k->explicit_args(); i++) {
      const Arg &a = k->args[i];
      printf("  arg %zu: %s, %u bytes at %u %s\n", i, a.kind.c_str(), a.size, a.offset,
             a.name.c_str());
    }
  }
}

int check_coverage(const Module &m, bool counts) {
  const auto unknown = m.unknown(), all = m.static_count();
  for (auto &e : unknown)
    printf("not covered: %s (first at 0x%llx)\n", e.first.c_str(), (unsigned long long)e.second);
  if (counts)
    for (auto &e : all) printf("%8llu %s\n", (unsigned long long)e.second, e.first.c_str());
  printf("%s: %zu kernels, %zu mnemonics, %zu not covered\n", m.arch().c_str(), m.kernels().size(),
         all.size(), unknown.size());
  return unknown.empty() ? 0 : 1;
}

const Buffer &buffer_argument(const std::vector<Buffer> &buffers, const std::string &number) {
  const size_t i = strtoul(number.c_str(), nullptr, 0);
  if (i >= buffers.size() || !buffers[i].p) throw Error("argument " + number + " is no buffer");
  return buffers[i];
}

void launch(const Module &m, const Command &c) {
  const Kernel &k = m.kernel(c.kernel);
  const size_t count = k.explicit_args();
  if (c.args.size() != count)
    throw Error(k.demangled + " takes " + std::to_string(count) + " arguments, " +
                std::to_string(c.args.size()) + " given");
  Device device;
  device.opt = c.options;
  std::vector<Buffer> buffers(count);
  std::vector<std::vector<char>> values(count);
  std::vector<void *> pointers(count);
  for (size_t i = 0; i < count; i++) {
    values[i] = make_argument(device, c.args[i], k.args[i], i, buffers[i]);
    pointers[i] = values[i].data();
  }
  const Stats stats = device.launch_ptrs(k, c.grid, c.block, c.lds, pointers.data());
  fputs(stats.text().c_str(), stderr);
  if (c.counts)
    for (auto &e : stats.count)
      fprintf(stderr, "%12llu %s\n", (unsigned long long)e.second, e.first.c_str());
  for (auto &p : c.prints) {
    const std::vector<std::string> f = fields(p, 2);
    const Buffer &b = buffer_argument(buffers, f[0]);
    const size_t most = f.size() > 1 ? strtoul(f[1].c_str(), nullptr, 0) : 16;
    for (size_t j = 0; j < most && j < b.count; j++) show(b.p + j * type_bytes(b.type), b.type);
  }
  for (auto &d : c.dumps) {
    const std::vector<std::string> f = fields(d, 2);
    const Buffer &b = buffer_argument(buffers, f[0]);
    File out(f.size() > 1 ? fopen(f[1].c_str(), "wb") : nullptr, fclose);
    if (!out || fwrite(b.p, 1, b.bytes(), out.get()) != b.bytes()) throw Error("cannot write " + d);
  }
}
} /* namespace */

int main(int argc, char **argv) try {
  const Command c = parse_command(argc, argv);
  const Module m(c.file, c.arch);
  if (c.list)
    list_kernels(m);
  else if (c.check)
    return check_coverage(m, c.counts);
  else if (c.kernel.empty())
    usage();
  else
    launch(m, c);
  return 0;
} catch (const std::exception &e) {
  fprintf(stderr, "isarun: %s\n", e.what());
  return 1;
}
