# SPDX-License-Identifier: BSD-3-Clause
# Wait states around matrix instructions, in the machine code of every GPU kernel of a build: the
# hardware does not wait for an MFMA's result, a reader has to stand far enough behind it.
"""isa_hazards.py BUILD: the test, for the folder of a build with HELMBONE_GPU=amd.

An instruction is one wait state, s_nop N is N + 1; what is needed between two instructions is the
table of LLVM's GCNHazardRecognizer.cpp (checkMAIHazards90A, checkMAIVALUHazards), of which this
has the f64 and f32 instructions of gfx90a, gfx942 and gfx950.  Nothing is run."""
import dataclasses
import functools
import os
import re
import sys

from isa_code_objects import (Unreadable, architectures_asked, bundled, disassembly, objects_of,
                              source_name)
from support import build_folder, check, finish

KNOWN = ("gfx90a", "gfx942", "gfx950")
FARTHEST = 19  # wait states, over all pairs
MAYBE_MFMA = re.compile(rb"[\xc0-\xff]\xd3....[\x00-\x1f\x80-\xff]", re.DOTALL)  # in its encoding
MEMORY = ("global_", "flat_", "scratch_", "buffer_", "ds_")


@dataclasses.dataclass(frozen=True)
class Needs:
    """Wait states between a matrix instruction and what touches its result."""
    mfma_ab: int  # as an operand A or B of a matrix instruction
    mfma_c: int  # as its operand C, in part
    same_c: int  # as its operand C, exactly the same registers, by the same kind of instruction
    valu: int  # read by a vector instruction
    memory: int  # read by a memory instruction: address or data
    write: int  # written by either


def single(passes, architecture):
    """Of f32, by its number of passes; gfx942 has rules of their own for them."""
    if architecture == "gfx90a":
        return Needs(passes + 3, passes, 0, passes + 3, passes + 3, passes + 3)
    same = 2 if passes == 2 else 0
    return Needs(passes + 2, passes, same, passes + 2, passes + 2, passes + 2)


def needs_of(mnemonic, architecture):
    """None: of another type than f64 and f32."""
    name = mnemonic.replace("_", "")
    if name.startswith("vmfmaf644x4x4"):
        return Needs(6, 4, 4, 6, 9, 6)
    if name.startswith("vmfmaf6416x16x4"):
        if architecture == "gfx950":
            return Needs(19, 17, 0, 19, 18, 11)
        return Needs(11, 9, 0, 11, 18, 11)
    match = re.fullmatch(r"vmfmaf32(\d+)x\d+x\d+(\d+b)?f32", name)
    return single({4: 2, 16: 8, 32: 16}[int(match[1])], architecture) if match else None


@dataclasses.dataclass(frozen=True)
class Instruction:
    mnemonic: str
    text: str
    states: int  # that it lasts
    reads: tuple  # a bit a vector register, accumulation registers from bit 256: of each operand
    writes: int
    jump: int  # words to the target from behind it, or None
    falls_through: bool

    @property
    def is_mfma(self):
        return self.mnemonic.startswith("v_mfma")

    @property
    def is_valu(self):
        return self.mnemonic.startswith("v_") and not self.is_mfma

    @property
    def is_memory(self):
        return self.mnemonic.startswith(MEMORY)

    @property
    def is_f64_mfma(self):
        return self.mnemonic.startswith("v_mfma_f64")


def register_bits(operand):
    match = re.search(r"\b([va])(?:(\d+)\b|\[(\d+):(\d+)\])", operand)
    if match is None:
        return 0
    first, last = (match[2], match[2]) if match[2] else (match[3], match[4])
    count = int(last) - int(first) + 1
    return ((1 << count) - 1) << (int(first) + (256 if match[1] == "a" else 0))


@functools.lru_cache(None)
def decode(text):
    """An instruction as llvm-objdump prints it, without its address."""
    mnemonic, _, rest = text.partition(" ")
    mnemonic = re.sub(r"_(e32|e64|sdwa|dpp)$", "", mnemonic)
    operands = [register_bits(word) for word in rest.split(",")] if rest else []
    stores = re.match(r"(global|flat|scratch|buffer)_(store|atomic)|ds_(write|add|sub|max|min)|"
                      r"\w+_load_lds_", mnemonic)
    writes = operands[0] if operands and not stores else 0
    reads = operands if stores else operands[1:]
    if re.match(r"v_(pk_)?(fmac|mac|swap|writelane)|v_mov.*(dpp|sdwa)", mnemonic):
        reads = operands
    jump, falls_through = None, mnemonic not in ("s_endpgm", "s_branch", "s_setpc_b64")
    if re.match(r"s_c?branch", mnemonic):
        jump = int(rest.split()[0])
        jump -= 65536 if jump >= 32768 else 0
    states = int(rest.split()[0], 0) + 1 if mnemonic == "s_nop" else 1
    return Instruction(mnemonic, text, states, tuple(reads), writes, jump, falls_through)


class Code(list):
    """The instructions of a kernel, as text and, of those that are asked for, decoded."""

    def __init__(self, texts=()):
        super().__init__(texts)
        self.places, self.addresses = {}, []

    def at(self, index):
        return decode(self[index])


def kernels_of(text):
    """{symbol: Code} of a disassembly."""
    found, current = {}, None
    for line in text.splitlines():
        if line.endswith(">:"):
            current = found.setdefault(line[line.index("<") + 1:-2], Code())
        elif line.startswith("\t") and current is not None:
            words, slashes, comment = line[1:].partition("//")
            if not slashes:
                continue  # zeros up to the next kernel
            address = int(comment[:comment.index(":")], 16)
            current.places[address] = len(current)
            current.append(words.rstrip())
            current.addresses.append(address)
    return found


def followers(code, index):
    """(index of what may run next, wait states from the beginning of this one on).  As the compiler
    counts: of a branch that is taken the s_branch behind it, too.  The hardware takes longer to
    branch than either."""
    at = code.at(index)
    if at.falls_through and index + 1 < len(code):
        yield index + 1, at.states
    if at.jump is not None:
        target = code.places.get(code.addresses[index] + 4 + 4 * at.jump)
        behind = code[index + 1] if index + 1 < len(code) else ""
        passed = at.mnemonic != "s_branch" and behind.startswith("s_branch")
        if target is not None:
            yield target, at.states + passed


def walk(code, start, most, visit):
    """visit(index, wait states since `start`, what it returned before on this path) of what comes
    within `most` wait states, on every path; it returns None to end the path."""
    paths, seen = [(index, 0, 0) for index, _ in followers(code, start)], {}
    while paths:
        index, distance, carried = paths.pop()
        if distance >= most or seen.get((index, carried), most) <= distance:
            continue
        seen[index, carried] = distance
        carried = visit(index, distance, carried)
        if carried is None:
            continue
        paths += [(follower, distance + states, carried)
                  for follower, states in followers(code, index)]


def needed_states(first, needs, later, hidden):
    """Between the matrix instruction and a later one, without the registers `hidden`."""
    result, found = first.writes & ~hidden, 0
    if later.is_mfma:
        *ab, c = later.reads
        if any(result & bits for bits in ab):
            found = needs.mfma_ab
        same = c == first.writes and later.mnemonic == first.mnemonic
        if result & c:
            found = max(found, needs.same_c if same else needs.mfma_c)
    elif later.is_valu or later.is_memory:
        if any(result & bits for bits in later.reads):
            found = needs.memory if later.is_memory else needs.valu
        if result & later.writes:
            found = max(found, needs.write)
        if first.is_f64_mfma and re.fullmatch("v_fmac?_f64", later.mnemonic):
            found = max(found, 2)
    return found


def after_mfma(code, start, needs):
    """[(index, needed, there)] of what comes too early behind a matrix instruction."""
    first, found = code.at(start), []

    def visit(index, distance, hidden):
        later = code.at(index)
        needed = needed_states(first, needs, later, hidden)
        if distance < needed:
            found.append((index, needed, distance))
        if later.is_mfma:
            hidden |= later.writes & first.writes
        return None if hidden == first.writes else hidden

    walk(code, start, FARTHEST, visit)
    return found


def after_valu(code, start, architecture):
    """The same behind a vector instruction: its result, or EXEC, read by a matrix instruction; on
    gfx90a its result read by memory, with a matrix instruction of f64 between."""
    first, found = code.at(start), []
    sets_exec = first.mnemonic.startswith("v_cmpx")

    def visit(index, distance, between):
        later = code.at(index)
        read = any(first.writes & bits for bits in later.reads)
        needed = 0
        if later.is_mfma:
            needed = 4 if sets_exec else 2 if read else 0
        elif later.is_memory and read and between and architecture == "gfx90a":
            needed = 2
        if distance < needed:
            found.append((index, needed, distance))
        return between or int(later.is_f64_mfma)

    walk(code, start, 4 if sets_exec else 2, visit)
    return found


def complaints(name, code, architecture):
    """What is wrong with a kernel: a list of sentences."""
    found = []
    for start, text in enumerate(code):
        if text.startswith("v_mfma"):
            needs = needs_of(code.at(start).mnemonic, architecture)
            if needs is None:
                found.append(f"{name}: no rule for {text}")
                continue
            early = after_mfma(code, start, needs)
        elif text.startswith("v_") and any(later.startswith(("v_mfma", "s_cbranch", "s_branch"))
                                           for later in code[start + 1:start + 5]):
            early = after_valu(code, start, architecture)
        else:
            continue
        found += [f"{name}: '{code[index]}' needs {needed} wait states behind '{text}', has {there}"
                  for index, needed, there in early]
    return found


def without_waits(code):
    """The same kernel, each s_nop in the shortest form."""
    shorter = Code("s_nop 0" if text.startswith("s_nop") else text for text in code)
    shorter.places, shorter.addresses = code.places, code.addresses
    return shorter


# ---- The test ----

def assembled(*lines):
    return kernels_of("0000 <k>:\n" + "".join(
        f"\t{line} // {4 * i:012X}: 00000000\n" for i, line in enumerate(lines)))["k"]


# (architectures, two instructions, the wait states that they need between them).
PAIRS = [
    (arch, first, later, states)
    for archs, first, later, states in (
        (KNOWN, "v_mfma_f64_4x4x4f64 v[0:1], v[2:3], v[4:5], 0",
         "v_add_f64 v[8:9], v[0:1], v[6:7]", 6),
        (KNOWN, "v_mfma_f64_4x4x4f64 v[0:1], v[2:3], v[4:5], 0", "ds_write_b64 v8, v[0:1]", 9),
        (KNOWN, "v_mfma_f64_4x4x4f64 v[0:1], v[2:3], v[4:5], 0",
         "v_mfma_f64_4x4x4f64 v[0:1], v[2:3], v[4:5], v[0:1]", 4),
        (KNOWN[:2], "v_mfma_f64_16x16x4f64 a[0:7], v[2:3], v[4:5], 0", "v_accvgpr_read_b32 v9, a3",
         11),
        (KNOWN[:2], "v_mfma_f64_16x16x4f64 v[0:7], v[12:13], v[14:15], 0",
         "global_store_dwordx4 v20, v[4:7], s[0:1]", 18),
        (KNOWN[:2], "v_mfma_f64_16x16x4f64 v[0:7], v[12:13], v[14:15], 0",
         "v_mov_b32_e32 v7, v20", 11),
        (KNOWN[:2], "v_mfma_f64_16x16x4f64 v[0:7], v[12:13], v[14:15], 0",
         "v_mfma_f64_16x16x4f64 v[20:27], v[6:7], v[14:15], 0", 11),
        (KNOWN[:2], "v_mfma_f64_16x16x4f64 v[0:7], v[12:13], v[14:15], 0",
         "v_mfma_f64_16x16x4f64 v[2:9], v[12:13], v[14:15], v[2:9]", 9),
        (KNOWN[:2], "v_mfma_f64_16x16x4f64 v[0:7], v[12:13], v[14:15], 0",
         "v_fma_f64 v[30:31], v[20:21], v[22:23], v[24:25]", 2),
        (("gfx950",), "v_mfma_f64_16x16x4_f64 v[0:7], v[12:13], v[14:15], 0",
         "v_add_f64 v[8:9], v[0:1], v[20:21]", 19),
        (("gfx90a",), "v_mfma_f32_16x16x4f32 a[0:3], v2, v4, 0", "v_accvgpr_read_b32 v9, a3", 11),
        (("gfx942",), "v_mfma_f32_16x16x4_f32 v[0:3], v12, v14, 0", "v_mul_f32_e32 v9, v3, v4", 10),
        (("gfx942",), "v_mfma_f32_4x4x1_16b_f32 v[0:3], v12, v14, 0",
         "v_mfma_f32_4x4x1_16b_f32 v[0:3], v12, v14, v[0:3]", 2),
        (KNOWN, "v_mov_b32_e32 v2, v3", "v_mfma_f64_4x4x4f64 v[0:1], v[2:3], v[4:5], 0", 2),
        (KNOWN, "v_cmpx_lt_i32_e32 v2, v3", "v_mfma_f64_4x4x4f64 v[0:1], v[6:7], v[4:5], 0", 4),
    ) for arch in archs]


def check_parts():
    for arch, first, later, states in PAIRS:
        right = complaints("k", assembled(first, f"s_nop {states - 1}", later, "s_endpgm"), arch)
        check(f"self-check, {arch}: '{later}' behind {states} states", right == [], right)
        wait = [f"s_nop {states - 2}"] if states > 1 else []
        wrong = complaints("k", assembled(first, *wait, later, "s_endpgm"), arch)
        check(f"self-check, {arch}: '{later}' behind one less", len(wrong) == 1, wrong)
    mfma, read = PAIRS[0][1:3]
    loop = assembled("v_add_f64 v[8:9], v[0:1], v[6:7]", "s_nop 7", mfma, "s_cbranch_scc1 65532")
    check("self-check: around a loop", len(complaints("k", loop, "gfx90a")) == 1)
    skipped = assembled(mfma, "s_cbranch_scc1 1", "s_nop 7", read)
    check("self-check: past a branch", len(complaints("k", skipped, "gfx90a")) == 1)
    hidden = assembled(mfma, mfma.replace("v[2:3]", "v[6:7]"), "s_nop 5", read)
    check("self-check: of the last one that wrote it", complaints("k", hidden, "gfx90a") == [])
    between = assembled("v_mov_b32_e32 v20, v3", mfma, "global_load_dword v9, v20, s[0:1]")
    check("self-check: memory behind f64, gfx90a", len(complaints("k", between, "gfx90a")) == 1 and
          complaints("k", between, "gfx942") == [])
    other = assembled("v_mfma_f32_16x16x16f16 a[0:3], v[2:3], v[4:5], 0")
    check("self-check: of another type", "no rule" in str(complaints("k", other, "gfx90a")))


def scan(path, planted):
    """Checks an object's kernels; counts in `planted`, {architecture: complaints}, what comes to
    light without the waits that the compiler put in."""
    with open(path, "rb") as file:
        data = file.read()
    for architecture, elf in bundled(data):
        if architecture not in KNOWN or MAYBE_MFMA.search(elf) is None:
            continue
        for symbol, code in kernels_of(disassembly(elf)).items():
            if not any(text.startswith("v_mfma") for text in code):
                continue
            name = source_name(symbol)
            found = complaints(name, code, architecture)
            check(f"{architecture} {name}: wait states", not found, "\n  ".join(found[:5]))
            if planted.get(architecture, 0) == 0:
                planted[architecture] = len(complaints("k", without_waits(code), architecture))


def main():
    folder = build_folder(__doc__)
    check_parts()
    planted = {}
    for path in objects_of(folder):
        try:
            scan(path, planted)
        except (OSError, Unreadable) as error:
            check(f"{os.path.basename(path)}: can be read", False, error)
    for architecture in set(architectures_asked(folder)[1]) & set(KNOWN):
        check(f"{architecture}: without its s_nop a kernel is found out", planted.get(architecture))
    return finish()


if __name__ == "__main__":
    sys.exit(main())
