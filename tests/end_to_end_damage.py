# SPDX-License-Identifier: BSD-3-Clause
# Damaged output files: helmbone-inspect ends with a sentence and code 1 or 3, soon, in little memory.
"""Usage: end_to_end_damage.py BUILD_FOLDER"""
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import support
from support import check, on_ranks, run

support.require("h5py", "numpy")
import h5py
import numpy as np

SANITIZED = "ASAN_OPTIONS" in os.environ  # tests.cmake sets it; a run takes ten times as long then
RANDOM_FILES = 50 if SANITIZED else 250
ONE_BIT = 200
HEAD_BYTES = 12000  # half of the damages hit the head, where the groups are
SECONDS, HUGE = 20, 10**13
CONTROL = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")  # all but line feeds
# Sanitizers refuse what the guard's limit of memory refuses otherwise.
os.environ["ASAN_OPTIONS"] = (os.environ.get("ASAN_OPTIONS", "") +
                              ":max_allocation_size_mb=512:allocator_may_return_null=1")


def inspect(path, *options):
    """Code, output and errors; JSON must be JSON.  The file's bytes may be no UTF-8."""
    start = time.monotonic()
    try:
        done = subprocess.run([f"{build}/helmbone-inspect", path, *options], capture_output=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return -1, "", "timeout", SECONDS
    seconds = time.monotonic() - start
    shown = (done.stdout + done.stderr).decode(errors="replace")
    check("no control characters", not CONTROL.search(shown), repr(shown[:300]))
    if "--json" in options and done.returncode in (0, 1):
        try:
            json.loads(done.stdout)
        except ValueError as error:
            check(f"JSON of {path}", False, error)
    return (done.returncode, done.stdout.decode(errors="replace"),
            without_hdf5(done.stderr.decode(errors="replace")), seconds)


def without_hdf5(errors):
    """What a sanitizer says about HDF5 itself, in which no frame of ours comes first, is left out."""
    reports = [line for line in errors.splitlines() if line.startswith("SUMMARY: ")]
    hdf5 = bool(re.search(r"^    #[0-3] .*libhdf5", errors, re.MULTILINE))
    if len(reports) == 1 and hdf5 and "runtime error:" not in errors:
        return errors.splitlines()[-1]
    lines = errors.splitlines()
    kept = [line for line in lines if "WARNING: AddressSanitizer failed to allocate" not in line]
    return "\n".join(kept)


def check_said(what, path, codes, word=""):
    """Code among `codes`, one sentence if it is not 0, the word in it, and no others."""
    for options in ((), ("--json",)) if not SANITIZED else ((),):
        code, text, errors, seconds = inspect(path, *options)
        said = errors if code == 3 else text
        detail = (code, errors[-300:], text[-300:], f"{seconds:.1f} s")
        check(f"{what}: code", code in codes and seconds < SECONDS, detail)
        if code == 3:
            lines = errors.splitlines()
            check(f"{what}: one sentence", len(lines) == 1 and
                  lines[0].startswith("helmbone-inspect: "), detail)
        if code == 1:
            check(f"{what}: says FAIL", "FAIL" in text, detail)
        check(f"{what}: no other words", code == 3 or errors == "", detail)
        check(f"{what}: says '{word}'", word in said, detail)


def check_random(good, folder):
    """1 to 16 random bytes changed; the seeds are fixed, so that a failure can be found again."""
    data = open(good, "rb").read()
    path = f"{folder}/random.vtkhdf"
    for seed in range(RANDOM_FILES):
        generator = random.Random(seed)
        damaged = bytearray(data)
        limit = len(data) if seed % 2 else min(len(data), HEAD_BYTES)
        for _ in range(generator.randint(1, 16)):
            damaged[generator.randrange(limit)] = generator.randrange(256)
        with open(path, "wb") as file:
            file.write(damaged)
        code, text, errors, _ = inspect(path, *(["--json"] if seed % 3 == 0 else []))
        said = {0: True, 1: "FAIL" in text, 3: errors.startswith("helmbone-inspect: ")}
        check(f"random damage {seed}", said.get(code, False), (code, errors[-300:], text[-200:]))
        check(f"random damage {seed}: one sentence",
              len(errors.splitlines()) == (1 if code == 3 else 0), errors[-300:])


def contents(path):
    """All that h5py finds: types, shapes, bytes, attributes."""
    found = {}

    def visit(name, item):
        found[name] = [(key, str(np.asarray(value).dtype), np.asarray(value).tobytes())
                       for key, value in sorted(item.attrs.items())]
        if isinstance(item, h5py.Dataset):
            found[name] += [str(item.dtype), item.shape, item[()].tobytes()]

    with h5py.File(path) as file:
        visit("/", file)
        file.visititems(visit)
        found["link"] = file.get("fields", getlink=True).path
    return found


def check_one_bit(good, folder):
    """One bit turned: in an array or a table always seen, anywhere nearly always."""
    data = open(good, "rb").read()
    path = f"{folder}/bit.vtkhdf"
    generator = random.Random(1)
    with h5py.File(good) as file:
        places = []
        file.visititems(lambda name, item: places.append((name, item.id.get_offset(),
                                                          item.id.get_storage_size()))
                        if isinstance(item, h5py.Dataset) and item.id.get_storage_size() else None)
    def code_of(at):
        damaged = bytearray(data)
        damaged[at] ^= 1 << generator.randrange(8)
        with open(path, "wb") as file:
            file.write(damaged)
        return inspect(path)

    check("arrays and tables to damage", len(places) >= 15, places)
    for name, offset, size in places:
        for at in (offset, offset + size - 1, offset + generator.randrange(size)):
            code, text, _, _ = code_of(at)
            check(f"one bit of {name} at {at - offset}", code == 1 and f"/{name}" in text and
                  "checksum" in text, (code, text[-300:]))
    if SANITIZED:
        return
    original, unseen = contents(good), 0
    for turn in range(ONE_BIT):
        at = generator.randrange(len(data) if turn % 2 else HEAD_BYTES)
        if code_of(at)[0] == 0:
            unseen += 1
            check(f"one bit at {at}, unseen: nothing is different", contents(path) == original)
    print(f"one bit anywhere: {ONE_BIT - unseen} of {ONE_BIT} seen, others in what nobody reads")
    check("one bit anywhere", unseen < 0.6 * ONE_BIT, unseen)


def check_cut(good, folder):
    data = open(good, "rb").read()
    path = f"{folder}/cut.vtkhdf"
    for size in (0, 1, 7, 8, 95, 96, 2000, len(data) // 2, len(data) - 1):
        with open(path, "wb") as file:
            file.write(data[:size])
        check_said(f"cut at {size}", path, (3,))


def claim(name, shape, dtype="f8", **options):
    """A dataset of that shape of which nothing is stored."""
    def change(file):
        if name in file:
            del file[name]
        space = h5py.h5s.create_simple(shape)
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        if "chunk" in options:
            properties.set_chunk((options["chunk"],))
        if "external" in options:
            properties.set_external(options["external"], 0, 8 * shape[0])
        h5py.h5d.create(file.id, name.encode(), h5py.h5t.py_create(np.dtype(dtype)), space,
                        properties)
    return change


def attribute(value):
    return lambda file: file.attrs.create("odd", value)


def link(*pairs):
    def change(file):
        for where, name, target in pairs:
            file[where][name] = file[target]
    return change


def many_links(file):
    """Groups that all hold each other: the paths through them are more than can be walked."""
    for i in range(12):
        file.create_group(f"g{i}")
    for i in range(12):
        for k in range(12):
            file[f"g{i}"][f"{k}"] = file[f"g{k}"]


def table_linked_often(file):
    file["large"] = np.zeros(1000000)
    for i in range(6):
        file[f"again{i}"] = file["large"]


def wide_column(file):
    file["text"] = np.array([b"x"], dtype=f"S{2**20}")


SEAL = "metadata_checksum"  # what was added is no part of what was written


def steering_names(file):
    file["a\x1b[31m"] = np.zeros(3)
    file.create_group("b\x9b\x07").attrs["c\x1b]0;d\x07"] = 1.0
    file["e\x7f"] = np.zeros(2, dtype=[("f\x1b[31m", "f8"), ("g\r", "c16")])


TARGETED = {  # name: (change, codes, word)
    "table of 10^13 rows": (claim("/extra", (HUGE,)), (1,), "claims more data than it has"),
    "table of 2^63 rows": (claim("/extra", (2**63 - 1,), chunk=1000), (1,), "claims more data than it has"),
    "text of 2^40 rows of 1 MiB": (claim("/extra", (2**40,), f"S{2**20}"), (1,), "claims more"),
    "text whose bytes wrap": (claim("/extra", (2**44,), f"S{2**20}", chunk=1), (1,), "claims more"),
    "chunks of which none is there": (claim("/extra", (HUGE,), chunk=1000), (1,), "claims more"),
    "data in another file": (claim("/extra", (100,), external=b"/dev/zero"), (1,), "not in this"),
    "points that are not there": (claim("/VTKHDF/Points", (324, 3)), (1,), "claims more"),
    "timings of 10^13 ranks": (claim("/timings/host", (HUGE,), "S64"), (1,), "claims more"),
    "group in itself": (link(("/", "self", "/")), (1,), ""),
    "groups in each other": (link(("/solver", "a", "/timings"), ("/timings", "b", "/solver")), (1,),
                             "too long"),
    "groups that all hold each other": (many_links, (1,), "too long"),
    "one table linked often": (table_linked_often, (1,), "hold more than the file"),
    "no rows": (claim("/extra", (0,)), (1,), SEAL),
    "array attribute": (attribute(np.arange(1000.0)), (1,), SEAL),
    "compound attribute": (attribute(np.zeros((), dtype=[("a", "i4"), ("b", "f8")])), (1,), SEAL),
    "opaque attribute": (attribute(np.void(b"\x00\x01")), (1,), SEAL),
    "empty attribute": (attribute(h5py.Empty("f8")), (1,), SEAL),
    "fixed text attribute": (attribute(np.bytes_(b"x" * 60000)), (1,), SEAL),
    "not UTF-8": (attribute(np.bytes_(b"\xff\xfe\x00")), (1,), SEAL),
    "text that steers terminals": (attribute(np.bytes_(b"\x1b[2J\xc2\x9b31m\x07")), (1,), SEAL),
    "names that steer terminals": (steering_names, (1,), "[31m"),
    "column of 1 MiB": (wide_column, (1,), SEAL),
    "compressed table": (lambda file: file.create_dataset("zeros", data=np.zeros(100000),
                                                          compression=9), (1,), SEAL),
    "two hard links to a table": (link(("/", "again", "/solver/residual_history")), (1,), SEAL),
}


def check_targeted(good, folder):
    path = f"{folder}/targeted.vtkhdf"
    for name, (change, codes, word) in TARGETED.items():
        shutil.copy(good, path)
        with h5py.File(path, "r+") as file:
            change(file)
        check_said(name, path, codes, word)


def check_numbers(good, folder):
    """Mesh attributes at the ends of their range."""
    path = f"{folder}/numbers.vtkhdf"
    names = ("nodes_per_direction", "num_elements_x", "mpi_ranks", "polynomial_order", "num_points")
    for name in names:
        for value in (-2**63, -1, 0, 2**31, 2**62, 2**63 - 1):
            shutil.copy(good, path)
            with h5py.File(path, "r+") as file:
                file.attrs.modify(name, np.int64(value))
            check_said(f"{name} = {value}", path, (1,), name if name != "mpi_ranks" else "")


def check_memory(folder):
    """A file that claims much is refused within the memory that a small one needs."""
    path = f"{folder}/claim.vtkhdf"
    with h5py.File(path, "w") as file:
        claim("/extra", (10**9,))(file)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    subprocess.run([f"{build}/helmbone-inspect", path], capture_output=True, check=False)
    grown = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss - used
    check("memory of a claim", grown < 100 * 1024, f"{grown} KiB")


def check_no_file(folder):
    path = f"{folder}/pipe.vtkhdf"
    os.mkfifo(path)
    check_said("a pipe", path, (3,), "is no plain file")


def main():
    with tempfile.TemporaryDirectory() as folder:
        good = f"{folder}/good.vtkhdf"
        code, _, errors = run(on_ranks(2, f"{build}/mpi_field_file", "--keep", good, "--n", "3",
                                       "--elements", "2", "2", "3"))
        if not check("a file to damage", code == 0 and inspect(good)[0] == 0, errors):
            return support.finish()
        check_random(good, folder)
        check_one_bit(good, folder)
        check_cut(good, folder)
        check_targeted(good, folder)
        check_numbers(good, folder)
        check_memory(folder)
        check_no_file(folder)
    return support.finish()


if __name__ == "__main__":
    build = support.build_folder(__doc__)
    sys.exit(main())
