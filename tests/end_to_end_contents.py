# SPDX-License-Identifier: BSD-3-Clause
# What an output file says must agree: faults planted in a file whose checksums are right again are
# named by helmbone-inspect; checksums as README has them; tables as users of h5py and pandas read them.
"""Usage: end_to_end_contents.py BUILD_FOLDER"""
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import support
from support import check, on_ranks, run

support.require("h5py", "numpy")
import h5py
import numpy as np

RANKS = 3
CASE = [os.path.join(support.INPUTS, "quick.ini"), "--degree", "2", "--nx", "3", "--ny", "3",
        "--nz", "2", "--warmup", "0", "--repeats", "2"]
README = os.path.join(os.path.dirname(support.INPUTS), "README.md")


def readme_code(begins):
    """The indented block of README that begins so."""
    with open(README, encoding="utf-8") as file:
        text = file.read()
    at = text.find("    " + begins)
    lines = []
    for line in text[max(at, 0):].splitlines():
        if line and not line.startswith("    "):
            break
        lines.append(line[4:])
    return "\n".join(lines) if at >= 0 else ""


def words(item):
    """SHAPE TYPE of a dataset, as io/schema.h has them."""
    kind = lambda t: f"{t.kind}{t.itemsize}"
    t = item.dtype
    columns = ",".join(f"{n}={kind(t[n])}" for n in t.names) if t.names else kind(t)
    return "x".join(map(str, item.shape)) + " " + columns


def metadata(file, checksum, mix):
    """The sum over attributes, shapes and types."""
    total = 0

    def add(path, name, value):
        nonlocal total
        whole = checksum(np.frombuffer(b"\0".join([path.encode(), name.encode(), value]), "u1"))
        total += int(mix(np.array([whole]))[0])

    def visit(_, item):
        for name, value in item.attrs.items():
            if name == "checksum" or item.name == "/" and name in ("complete", "metadata_checksum"):
                continue
            add(item.name, name, value if isinstance(value, bytes) else value.tobytes())
        if isinstance(item, h5py.Dataset):
            add(item.name, "", words(item).encode())

    visit("", file)
    file.visititems(visit)
    return total % 2**64


def seal(file, checksum, mix):
    """All checksums as a writer sets them who believes what he writes."""
    def visit(_, item):
        if isinstance(item, h5py.Dataset):
            item.attrs.modify("checksum", checksum(item[()]))
    file.visititems(visit)
    file.attrs.modify("metadata_checksum", np.uint64(metadata(file, checksum, mix)))


def solve(path, *options, ranks=RANKS, code=0):
    done = run(on_ranks(ranks, f"{build}/helmbone", *CASE, "--output", path, *options))
    return check(f"a run with {options}", done[0] == code, done[1][-300:] + done[2][-300:])


def inspect(path):
    return run([f"{build}/helmbone-inspect", path])


# ---- faults ----------------------------------------------------------------------------------

def column(path, name, change):
    """Changes a column, an array of its own, in place or by what is returned."""
    def plant(file):
        rows = file[path][()]
        values = rows[name].copy() if name else rows
        new = change(values)
        values = values if new is None else new
        if name:
            rows[name] = values
        file[path][...] = rows if name else values
    return plant


def field(name, change):
    return column(f"VTKHDF/PointData/{name}", None, change)


def attribute(path, name, value):
    def plant(file):
        old = file[path].attrs[name]
        new = value(old) if callable(value) else value
        if isinstance(new, bytes):
            new = np.array(new, dtype=h5py.string_dtype("utf-8", max(len(new), 1)))
            del file[path].attrs[name]
            kind = h5py.h5t.C_S1.copy()
            kind.set_size(max(new.dtype.itemsize, 1))
            kind.set_strpad(h5py.h5t.STR_NULLPAD)
            kind.set_cset(h5py.h5t.CSET_UTF8)
            space = h5py.h5s.create(h5py.h5s.SCALAR)
            h5py.h5a.create(file[path].id, name.encode(), kind, space).write(new, mtype=kind)
        else:
            file[path].attrs.modify(name, np.asarray(new, dtype=old.dtype))
    return plant


def at(index, value):
    def change(values):
        values[index] = value
    return change


def gate(name, column_name, value):
    """Changes a gate's row."""
    def plant(file):
        rows = file["gates"][()]
        rows[column_name][rows["name"] == name.encode()] = value
        file["gates"][...] = rows
    return plant


def all_of(*plants):
    def plant(file):
        for one in plants:
            one(file)
    return plant


def error_follows(file):
    fields = file["VTKHDF/PointData"]
    fields["error"][...] = fields["solution"][()] - fields["exact_solution"][()]


def copied(target, source):
    def plant(file):
        file[target][...] = file[source][()]
    return plant


def swap_ranks(file):
    rows = file["timings/per_rank"][()]
    for name in rows.dtype.names[1:]:
        rows[name][[0, 1]] = rows[name][[1, 0]]
    file["timings/per_rank"][...] = rows


def level_ranks(file):
    """No rank is slow, and the file says so."""
    for name in ("kernel_s", "kernel_median_s", "work_s", "elements"):
        column("timings/own", name, lambda v: 0 * v + 1)(file)
    column("timings/own", "slow", lambda v: v & False)(file)
    column("machine", "copy_bytes_per_s", lambda v: 0 * v + 1e9)(file)


POINT = "VTKHDF/PointData/"
FAULTS = {  # name: (what is done, word of the answer)
    "a solution of zeros": (field("solution", at(slice(None), 0.0)), "error is not"),
    "the exact solution for the solution": (copied(POINT + "solution", POINT + "exact_solution"),
                                            "error is not"),
    "that, with the error": (all_of(copied(POINT + "solution", POINT + "exact_solution"),
                                    error_follows), "rms_error"),
    "another field for the solution": (copied(POINT + "solution", POINT + "residual"),
                                       "error is not"),
    "error off in the last bit": (field("error", lambda v: np.where(
        np.arange(v.size) == 40, np.nextafter(v, 9.0), v)), "error is not"),
    "error with the other sign": (field("error", lambda v: -v), "error is not"),
    "solution a little too large": (all_of(field("solution", lambda v: v + 1e-3), error_follows),
                                    "rms_error"),
    "one copy of a point": (all_of(field("solution", lambda v: np.where(
        np.arange(v.size) == 26, v + 1e-9, v)), error_follows), "copies of points"),
    "fields one element off": (all_of(*[field(name, lambda v: np.roll(v, 27)) for name in (
        "solution", "exact_solution", "error", "residual")]), "copies of points"),
    "right-hand side for the residual": (field("residual", lambda v: v * 1e9),
                                         "true_relative_residual"),
    "residual of zeros": (field("residual", lambda v: 0 * v), "true_relative_residual"),
    "a position": (column("VTKHDF/Points", None, at((26, 0), 0.123)), "copies of points"),
    "attribute rms_error": (attribute("solver", "rms_error", lambda v: v * 1.001), "rms_error"),
    "attribute max_error": (attribute("solver", "max_error", lambda v: v * 0.5), "max_error"),
    "a gate above its bound": (gate("volume", "observed", 1e9), "gate volume"),
    "a gate that did not pass": (gate("volume", "passed", False), "gate volume"),
    "a gate that failed, status VALID": (all_of(
        gate("kernel", "observed", 2.0), gate("kernel", "passed", False),
        gate("kernel", "verdict", b"FAIL")), "attribute status"),
    "an inconclusive gate that none covers": (all_of(
        gate("symmetry", "passed", False), gate("symmetry", "verdict", b"INCONCLUSIVE")),
                                              "attribute status"),
    "one that is covered by itself": (all_of(
        gate("symmetry", "passed", False), gate("symmetry", "verdict", b"INCONCLUSIVE"),
        gate("symmetry", "covered_by", b"symmetry")), "attribute status"),
    "one that is covered by one that is open": (all_of(*[one for name in (
        "symmetry", "null_space") for one in (
            gate(name, "passed", False), gate(name, "verdict", b"INCONCLUSIVE"),
            gate(name, "covered_by", b"null_space, volume"))]), "attribute status"),
    "a verdict of no meaning": (gate("volume", "verdict", b"MAYBE"), "MAYBE"),
    "status INVALID": (attribute("solver", "status", b"INVALID"), "attribute status"),
    "failed_gates": (attribute("solver", "failed_gates", b"kernel"), "failed_gates"),
    "a history one row off": (all_of(*[column("solver/residual_history", name, lambda v: np.append(
        v[1:], v[-1:])) for name in ("residual_norm", "relative_residual")]), "residual_history"),
    "iterations of the options": (attribute("solver", "iterations", 1000), "iterations is 1000"),
    "last residual": (all_of(*[column("solver/residual_history", name, at(-1, 1e-3)) for name in (
        "residual_norm", "relative_residual")]), "residual_history"),
    "the recurrence's residual": (attribute("solver", "recurrence_relative_residual", 1e-20),
                                  "recurrence_relative_residual"),
    "timings of two ranks swapped, ranks kept": (swap_ranks, "max_rank"),
    "rows of two ranks swapped": (column("timings/per_rank", "rank", lambda v: v[[1, 0, 2]]),
                                  "rank of row"),
    "a summary of timings": (column("timings/summary", "max_s", lambda v: v / 2), "max_s"),
    "a sample": (column("timings/samples", "seconds", lambda v: v / 2), "median_solve_s"),
    "ranks of samples": (column("timings/samples", "rank", lambda v: v[::-1]), "/timings/samples"),
    "seconds halved": (attribute("solver", "median_solve_s", lambda v: v / 2), "median_solve_s"),
    "the figure of merit": (attribute("solver", "fom_nekbone_gflops", lambda v: 2 * v),
                            "fom_nekbone_gflops"),
    "rate of points": (attribute("solver", "dof_iterations_per_s", lambda v: 2 * v),
                       "dof_iterations_per_s"),
    "unique points": (attribute("solver", "unique_points", lambda v: v + 1), "unique_points"),
    "volume of the box": (attribute("solver", "box_volume", lambda v: 1.1 * v), "box_volume"),
    "a host": (column("timings/host", None, at(0, b"elsewhere")), "attribute hostname"),
    "a host's rank": (column("machine", "rank", lambda v: v[[1, 0, 2]]), "/machine"),
    "rows of own times swapped": (column("timings/own", "rank", lambda v: v[[1, 0, 2]]),
                                  "/timings/own: rank of row"),
    "a slow rank not named": (all_of(level_ranks, column("timings/own", "work_s", at(2, 1e3))),
                              "rank 2 is slow by its numbers"),
    "a slow copy not named": (all_of(level_ranks, column("machine", "copy_bytes_per_s", at(2, 1.0))),
                              "rank 2 is slow by its numbers"),
    "a rank named slow": (all_of(level_ranks, column("timings/own", "slow", at(1, True))),
                          "rank 1 is not slow by its numbers"),
    "a median below the least": (column("timings/own", "kernel_median_s", lambda v: 0.5 * v),
                                 "kernel_s of rank 0"),
}


def check_faults(good, folder, checksum, mix):
    path = f"{folder}/fault.vtkhdf"
    for name, (plant, word) in FAULTS.items():
        shutil.copy(good, path)
        with h5py.File(path, "r+") as file:
            plant(file)
        code, text, errors = inspect(path)
        check(f"{name}: the checksums see it", code == 1 and "checksum)" in text,
              (code, text[-300:], errors))
        with h5py.File(path, "r+") as file:
            seal(file, checksum, mix)
        code, text, errors = inspect(path)
        faults = text[text.rfind("layout: "):]
        check(f"{name}: named without checksums", code == 1 and word in faults and
              "checksum" not in faults and errors == "", (code, faults[:400], errors))
    shutil.copy(good, path)
    with h5py.File(path, "r+") as file:
        seal(file, checksum, mix)
    check("a file sealed anew is good", inspect(path)[0] == 0)


# ---- what is right ---------------------------------------------------------------------------

def check_checksums(path, checksum, mix):
    with h5py.File(path) as file:
        names = []
        file.visititems(lambda name, item: names.append(name) if isinstance(item, h5py.Dataset)
                        else None)
        check("datasets", len(names) >= 20, names)
        for name in names:
            check(f"checksum of {name}", file[name].attrs["checksum"] == checksum(file[name][()]))
        check("checksum of the metadata", file.attrs["metadata_checksum"] ==
              metadata(file, checksum, mix))


def check_variants(folder):
    for number, options in enumerate((
            [], ["--fields", "solution"], ["--fields", "error,solution"], ["--fields", "no"],
            ["--field_precision", "f32"], ["--pieces", "4"], ["--pieces", "4096"],
            ["--precision", "f32", "--tolerance", "1e-4"],
            ["--deformation", "none", "--boundary_x", "periodic", "--nx", "1", "--degree", "5"])):
        for ranks in (1, 2) if "--nx" not in options else (1, 2, 3):
            path = f"{folder}/variant{number}.{'hdf' if number % 2 else 'vtkhdf'}"
            if not solve(path, *options, ranks=ranks):
                continue
            code, text, errors = inspect(path)
            check(f"{options}, {ranks} ranks: inspect", code == 0 and "layout: PASS" in text,
                  (text[-400:], errors))
    with h5py.File(f"{folder}/variant1.hdf") as file:
        check("one field", list(file["fields"]) == ["solution"])
    with h5py.File(f"{folder}/variant4.vtkhdf") as file, \
            h5py.File(f"{folder}/variant0.vtkhdf") as wide:
        check("f32 of f64", np.array_equal(file["fields/solution"][:],
                                           wide["fields/solution"][:].astype("f4")))
    with h5py.File(f"{folder}/variant6.vtkhdf") as file:
        check("no more pieces than elements", file.attrs["num_pieces"] == 18 ==
              len(file["VTKHDF/NumberOfCells"]))
    for given, what in (("velocity", "'velocity' is not known"), ("solution,", "is not known"),
                        ("solution,,error", "is not known"), ("Yes", "allowed: yes, no, or")):
        code, _, errors = run([f"{build}/helmbone", *CASE, "--output", f"{folder}/no.vtkhdf",
                               "--fields", given])
        check(f"fields {given}", code == 2 and what in errors, (code, errors))
    code, text, _ = run([f"{build}/helmbone", *CASE, "--dry-run", "--output", f"{folder}/d.hdf"])
    said = re.search(r"^output: \S+/d.hdf, about (\S+) MB", text, re.MULTILINE)
    size = os.path.getsize(f"{folder}/variant0.vtkhdf")
    check("dry run: the size of the file", code == 0 and said is not None and
          size <= 1e6 * float(said[1]) < size + 3e5, (said, size))


def check_users(path):
    """README's lines; without pandas what they rest on."""
    with h5py.File(path) as file:
        gates, summary = file["gates"][:], file["timings/summary"][:]
        names = np.char.decode(gates["name"], "utf-8")
        check("h5py: a gate by its name", len(gates[names == "kernel"]) == 1)
        check("h5py: truth values", gates["passed"].dtype == bool and
              len(gates[~gates["passed"]]) == np.count_nonzero(gates["verdict"] != b"PASS"))
        check("h5py: asstr", "operator_s" in summary["phase"].astype(str) and
              file["timings/host"].asstr()[0] != "")
        check("h5py: text of fixed length is UTF-8",
              h5py.check_string_dtype(file["gates"].dtype["name"]).encoding == "utf-8")
    try:
        import pandas
    except ImportError as error:
        print(f"skipped: README's lines with pandas: {error}")
        return
    del pandas
    code = readme_code("import h5py, pandas as pd").replace("'quick.vtkhdf'", repr(path))
    names = {}
    exec(code, names)  # pylint: disable=exec-used
    table = names["table"]
    check("pandas: .loc['operator_s']", table("timings/summary").set_index("phase")
          .loc["operator_s"].max_s > 0)
    gates = table("gates")
    check("pandas: g[g.name == 'kernel']", len(gates[gates.name == "kernel"]) == 1)
    check("pandas: g[~g.passed]", (gates[~gates.passed].verdict != "PASS").all() and
          (gates[gates.passed].verdict == "PASS").all() and len(gates) >= 10)
    check("attributes", names["attributes"](names["f"])["schema"] == "helmbone-output")


def main():
    names = {}
    code = readme_code("import numpy as np")
    if not check("README has the checksum", "def checksum" in code):
        return support.finish()
    exec(code, names)  # pylint: disable=exec-used
    checksum, mix = names["checksum"], names["mix"]
    with tempfile.TemporaryDirectory(prefix="helmbone_contents_") as folder:
        good = f"{folder}/good.vtkhdf"
        if not solve(good):
            return support.finish()
        check_checksums(good, checksum, mix)
        check_faults(good, folder, checksum, mix)
        check_users(good)
        check_variants(folder)
    return support.finish()


if __name__ == "__main__":
    build = support.build_folder(__doc__)
    sys.exit(main())
