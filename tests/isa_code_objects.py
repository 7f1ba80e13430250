# SPDX-License-Identifier: BSD-3-Clause
# Reads GPU code objects: what a kernel asks of the hardware, and its instructions.  As a program it
# is the test that this agrees with the interpreter's own reader.
"""isa_code_objects.py BUILD: the test, for the folder of a build with HELMBONE_GPU=amd."""
import collections
import dataclasses
import os
import re
import struct
import sys
import tempfile

from support import build_folder, check, finish, run, skip

KERNELS = os.path.join(os.path.dirname(os.path.dirname(os.path.realpath(__file__))), "kernels")
TESTS = os.path.dirname(os.path.realpath(__file__))
PRECISIONS = ("f64", "f32")

# After AMD's documents and LLVM's, all architectures alike: a SIMD's scalar registers and their
# granule; of a compute unit the SIMDs, and LDS and its granule.
WAVE, SGPRS, SGPR_GRANULE = 64, 800, 16
SIMDS, LDS_BYTES, LDS_GRANULE = 4, 65536, 512


@dataclasses.dataclass(frozen=True)
class Limits:
    """Of a SIMD: waves, and vector registers a lane with their granule."""
    waves: int
    vgprs: int
    granule: int


# Accumulation registers are among the 512.  gfx908 has as many of them as others, 256, and a wave
# gets the same number of both: the larger one counts.
LIMITS = {"gfx908": Limits(10, 256, 4), "gfx90a": Limits(8, 512, 8), "gfx942": Limits(8, 512, 8),
          "gfx950": Limits(8, 512, 8)}


def whole(count, unit):
    return -(-count // unit) * unit


@dataclasses.dataclass
class Kernel:
    architecture: str
    name: str  # as in the source, with template arguments
    vgprs: int  # what counts: with accumulation registers, on gfx908 the larger number
    agprs: int
    sgprs: int
    lds: int
    scratch: int
    vgpr_spills: int
    sgpr_spills: int
    threads: int  # of a workgroup, at most
    allocated: int  # VGPRs as the kernel's descriptor asks the hardware for
    counts: collections.Counter  # mnemonic: how often it stands in the code

    @property
    def limits(self):
        return LIMITS[self.architecture]

    @property
    def spills(self):
        """Out of the register file: what is put into accumulation registers stays there."""
        return self.sgpr_spills > 0 or self.scratch > 0 or (self.agprs == 0 < self.vgpr_spills)

    def waves(self, threads=None, lds=None):
        """Waves a SIMD can hold, over all of a compute unit: whole blocks only, of as many threads
        as the kernel may have and its own LDS, or as a launch had."""
        block = whole(threads or self.threads, WAVE) // WAVE
        lds = self.lds if lds is None else lds
        granule = self.limits.granule
        registers = max(self.allocated, whole(self.vgprs, granule), granule)
        scalars = max(whole(self.sgprs, SGPR_GRANULE), SGPR_GRANULE)
        slots = min(self.limits.waves, self.limits.vgprs // registers, SGPRS // scalars) * SIMDS
        blocks = slots // block
        if lds > 0:
            blocks = min(blocks, LDS_BYTES // whole(lds, LDS_GRANULE))
        return blocks * block / SIMDS

    def count(self, pattern):
        return sum(n for mnemonic, n in self.counts.items() if re.fullmatch(pattern, mnemonic))

    def words(self, pattern):
        """The mnemonics that fit and how often each is there."""
        return ", ".join(f"{n} {mnemonic}" for mnemonic, n in sorted(self.counts.items())
                         if re.fullmatch(pattern, mnemonic))


class Unreadable(Exception):
    pass


def bundled(data):
    """[(architecture, code object)] of an object file's offload bundle."""
    magic = b"__CLANG_OFFLOAD_BUNDLE__"
    start = data.find(magic)
    if start < 0:
        raise Unreadable("the offload bundle is compressed: compile with --no-offload-compress"
                         if b"CCOB" in data else "no offload bundle")
    at = start + len(magic)
    (entries,) = struct.unpack_from("<Q", data, at)
    at += 8
    found = []
    for _ in range(entries):
        offset, size, length = struct.unpack_from("<QQQ", data, at)
        target = data[at + 24:at + 24 + length].decode()
        at += 24 + length
        if not target.startswith("host"):
            found.append((target.rsplit("--", 1)[1].split(":")[0],
                          data[start + offset:start + offset + size]))
    return found


def unpack(data, at=0):
    """One value of MessagePack, and where the next one starts: the types that metadata have."""
    first, at = data[at], at + 1
    if first < 0x80:
        return first, at
    if first >= 0xe0:
        return first - 256, at
    if first in (0xc0, 0xc2, 0xc3):
        return {0xc0: None, 0xc2: False, 0xc3: True}[first], at
    if 0xcc <= first <= 0xd3:
        code = "BHIQbhiq"[first - 0xcc]
        size = struct.calcsize(code)
        return struct.unpack_from(">" + code, data, at)[0], at + size
    kinds = {0xd9: (str, 1), 0xda: (str, 2), 0xdb: (str, 4), 0xdc: (list, 2), 0xdd: (list, 4),
             0xde: (dict, 2), 0xdf: (dict, 4)}
    if first < 0xc0:
        kind = dict if first < 0x90 else list if first < 0xa0 else str
        count = first & (0x1f if kind is str else 0x0f)
    elif first in kinds:
        kind, size = kinds[first]
        count, at = int.from_bytes(data[at:at + size], "big"), at + size
    else:
        raise Unreadable(f"metadata: type {first:#x}")
    if kind is str:
        return data[at:at + count].decode(), at + count
    values = []
    for _ in range(count * (2 if kind is dict else 1)):
        value, at = unpack(data, at)
        values.append(value)
    return (values if kind is list else dict(zip(values[::2], values[1::2]))), at


def sections(elf):
    """[(type, offset, size, link, address)] of a 64-bit ELF file."""
    if elf[:5] != b"\x7fELF\x02":
        raise Unreadable("a code object is no ELF file")
    (start,) = struct.unpack_from("<Q", elf, 40)
    size, count = struct.unpack_from("<HH", elf, 58)
    found = []
    for i in range(count):
        _, kind, _, address, offset, length, link = struct.unpack_from("<IIQQQQI", elf,
                                                                       start + i * size)
        found.append((kind, offset, length, link, address))
    return found


def metadata(elf):
    """The kernels as the code object's note describes them to the runtime."""
    for kind, offset, size, _, _ in sections(elf):
        if kind != 7:  # SHT_NOTE
            continue
        at = offset
        while at < offset + size:
            name, length, note = struct.unpack_from("<III", elf, at)
            text = at + 12 + whole(name, 4)
            if note == 32:  # NT_AMDGPU_METADATA
                return unpack(elf[text:text + length])[0]["amdhsa.kernels"]
            at = text + whole(length, 4)
    raise Unreadable("a code object has no metadata")


def allocations(elf, granule):
    """{symbol: VGPRs} of the kernel descriptors, which the hardware reads."""
    table, found = sections(elf), {}
    for kind, offset, size, link, _ in table:
        if kind != 11:  # SHT_DYNSYM
            continue
        for at in range(offset, offset + size, 24):
            name, _, _, index, value, _ = struct.unpack_from("<IBBHQQ", elf, at)
            begin = table[link][1] + name
            symbol = elf[begin:elf.index(b"\0", begin)].decode()
            if symbol.endswith(".kd"):
                place = table[index][1] + value - table[index][4]
                (resources,) = struct.unpack_from("<I", elf, place + 48)  # COMPUTE_PGM_RSRC1
                found[symbol] = ((resources & 63) + 1) * granule
    return found


def disassembly(elf):
    """What llvm-objdump makes of a code object: text."""
    tools = ["llvm-objdump-19", "llvm-objdump", "/opt/rocm/llvm/bin/llvm-objdump"]
    if "ISARUN_OBJDUMP" in os.environ:
        tools = [os.environ["ISARUN_OBJDUMP"]]
    with tempfile.NamedTemporaryFile() as file:
        file.write(elf)
        file.flush()
        for tool in tools:
            try:
                code, text, _ = run([tool, "-d", file.name])
            except OSError:
                continue
            if code == 0 and "//" in text:
                return text
    raise Unreadable("no disassembler for this code object; name an llvm-objdump that knows the "
                     "architecture in ISARUN_OBJDUMP")


def instructions(elf):
    """{symbol: Counter of mnemonics}, without the suffixes of encodings."""
    found, current = {}, None
    for line in disassembly(elf).splitlines():
        if line.startswith("\t") and current is not None:
            mnemonic = line.split(None, 1)[0]
            if mnemonic != "...":  # zeros up to the next kernel
                current[re.sub(r"_(e32|e64|sdwa|dpp)$", "", mnemonic)] += 1
        elif line.endswith(">:"):
            current = found.setdefault(line[line.index("<") + 1:-2], collections.Counter())
    return found


def template_argument(text):
    """The first one of a mangled list as in the source, and the rest; None: another form."""
    if text[:1] in ("d", "f"):
        return {"d": "double", "f": "float"}[text[0]], text[1:]
    if (match := re.match(r"L([ib])(\d+)E", text)) is not None:
        value = match[2] if match[1] == "i" else ["false", "true"][int(match[2])]
        return value, text[match.end():]
    if (match := re.match(r"(L?)(\d+)", text)) is None:
        return None
    name, rest = text[match.end():match.end() + int(match[2])], text[match.end() + int(match[2]):]
    if match[1]:  # an enumeration's value
        value = re.match(r"(\d+)E", rest)
        return None if value is None else (value[1], rest[value.end():])
    if not rest.startswith("I"):
        return name, rest
    inner, rest = template_arguments(rest[1:])
    return None if inner is None else (f"{name}<{', '.join(inner)}>", rest)


def template_arguments(text):
    """Those up to the E that ends them, and the rest; None if one has another form."""
    found = []
    while not text.startswith("E"):
        if (argument := template_argument(text)) is None:
            return None, text
        found.append(argument[0])
        text = argument[1]
    return found, text[1:]


def source_name(symbol):
    """hb_kstep<double, 8, true> of _Z8hb_kstepIdLi8ELb1EEv...; other forms stay as they are."""
    match = re.match(r"_ZL?(\d+)", symbol)
    if match is None:
        return symbol
    end = match.end() + int(match[1])
    name, rest = symbol[match.end():end], symbol[end:]
    if not rest.startswith("I"):
        return name
    arguments, _ = template_arguments(rest[1:])
    return symbol if arguments is None else f"{name}<{', '.join(arguments)}>"


def plain_name(demangled):
    """A demangled name as source_name writes it: enumerations as numbers, >> without a blank."""
    return re.sub(r">\s+(?=>)", ">", re.sub(r"\(\w+\)(?=\d)", "", demangled))


def read_object(path):
    """{architecture: [Kernel]} of an object file."""
    with open(path, "rb") as file:
        data = file.read()
    found = {}
    for architecture, elf in bundled(data):
        granule = LIMITS[architecture].granule
        allocated, code = allocations(elf, granule), instructions(elf)
        found[architecture] = [
            Kernel(architecture, source_name(k[".name"]), k[".vgpr_count"], k.get(".agpr_count", 0),
                   k[".sgpr_count"], k[".group_segment_fixed_size"],
                   k[".private_segment_fixed_size"], k[".vgpr_spill_count"],
                   k[".sgpr_spill_count"], k[".max_flat_workgroup_size"],
                   allocated[k[".symbol"]], code[k[".name"]])
            for k in metadata(elf)]
    return found


def objects_of(folder, suffix=""):
    """Paths of the objects that the .hip files are compiled to here: one, or one per precision.
    With suffix _gfx908 those of the proofs for it."""
    names = sorted(
        os.path.relpath(os.path.join(path, file), top)[:-len(".hip")].replace(os.sep, "_")
        for top in (KERNELS, TESTS) for path, _, files in os.walk(top)
        if not path.startswith(os.path.join(TESTS, "amdgpu"))
        for file in files if file.endswith(".hip"))
    for name in names:
        path = os.path.join(folder, "gpu", name)
        paths = [path, *(f"{path}_{precision}" for precision in PRECISIONS)]
        yield from (found for found in (f"{name}{suffix}.o" for name in paths)
                    if os.path.exists(found))


def architectures_asked(folder):
    """The compiler, the architectures of HELMBONE_GPU_ARCHITECTURES, whether it optimised."""
    with open(os.path.join(folder, "gpu", "flags"), encoding="utf-8") as file:
        compiler, *flags = file.read().strip().split(";")
    wanted = [flag.split("=")[1].split(":")[0] for flag in flags
              if flag.startswith("--offload-arch=")]
    return compiler, wanted, "-O3" in flags


# ---- The test ----

def listed_by_interpreter(isarun, path, architecture):
    """{name: numbers} by the interpreter's program."""
    code, text, error = run([isarun, path, "--arch", architecture, "--list"])
    check(f"isarun {path} --list", code == 0, error)
    pattern = (r"^(\S.*?)  \(\S+\)\n  vgprs (\d+) agprs (\d+) sgprs (\d+)  spills v (\d+) s (\d+)  "
               r"LDS (\d+)  scratch (\d+)  kernarg \d+  max threads (\d+)")
    return {plain_name(match[1]): tuple(int(match[i]) for i in range(2, 10))
            for match in re.finditer(pattern, text, re.MULTILINE)}


def counted_by_interpreter(isarun, path, architecture):
    """Counter of mnemonics of the whole object."""
    code, text, error = run([isarun, path, "--arch", architecture, "--check", "--counts"])
    check(f"isarun {path} --check", code == 0, text[-200:] + error)
    return collections.Counter({match[2]: int(match[1]) for match in
                                re.finditer(r"^ *(\d+) (\w+)$", text, re.MULTILINE)})


def check_object(isarun, path):
    name = os.path.basename(path)
    for architecture, kernels in read_object(path).items():
        mine = {k.name: (k.vgprs, k.agprs, k.sgprs, k.vgpr_spills, k.sgpr_spills, k.lds, k.scratch,
                         k.threads) for k in kernels}
        theirs = listed_by_interpreter(isarun, path, architecture)
        check(f"{name}, {architecture}: kernels", mine and mine == theirs,
              f"{sorted(set(mine.items()) ^ set(theirs.items()))}")
        total = sum((k.counts for k in kernels), collections.Counter())
        counted = counted_by_interpreter(isarun, path, architecture)
        for mnemonic in ("s_nop", "s_code_end"):  # stand between kernels, too
            del total[mnemonic], counted[mnemonic]
        check(f"{name}, {architecture}: instructions", total and total == counted,
              f"{(total - counted) + (counted - total)}")


def check_parts():
    for text, value in (("93a16101a3ff", None), ("92a16107", ["a", 7]), ("81a36b6579cd0102",
                        {"key": 258}), ("93c0c2c3", [None, False, True]), ("d1ff38", -200),
                        ("dc0001d9036c6f6e", ["lon"])):
        data = bytes.fromhex(text)
        if value is not None:
            check(f"self-check: MessagePack {text}", unpack(data)[0] == value, unpack(data))
    for symbol, name in (("_Z8hb_kstepIdLi10ELb0EEv15hb_", "hb_kstep<double, 10, false>"),
                         ("_ZL6canaryPKjPj", "canary"), ("_Z7hb_dotsIfEviPKT_", "hb_dots<float>"),
                         ("_Z4hb_xIfLi2EL7hb_mode1EEv", "hb_x<float, 2, 1>"),
                         ("_Z4hb_xI4hb_aI4hb_bELi2EEvv", "hb_x<hb_a<hb_b>, 2>"),
                         ("_Z4hb_xIPdEvv", "_Z4hb_xIPdEvv")):
        check(f"self-check: {symbol}", source_name(symbol) == name, source_name(symbol))
    for text, name in (("hb_x<hb_a<(hb_mode)2, true> >", "hb_x<hb_a<2, true>>"),
                       ("hb_x<hb_a<hb_b<1> > >", "hb_x<hb_a<hb_b<1>>>")):
        check(f"self-check: {text}", plain_name(text) == name, plain_name(text))
    for data in (b"\x7fELF without a bundle", b"CCOB compressed"):
        try:
            bundled(data)
            check(f"self-check: {data} is refused", False)
        except Unreadable as error:
            check("self-check: says what is wrong", "bundle" in str(error))


def main():
    folder = build_folder(__doc__)
    isarun = os.environ.get("ISARUN", os.path.join(folder, "amdgpu", "isarun"))
    check_parts()
    if not os.path.exists(isarun):
        skip("comparison with the interpreter", f"no {isarun}")
        return finish()
    for path in (*objects_of(folder), *objects_of(folder, "_gfx908")):
        check_object(isarun, path)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
