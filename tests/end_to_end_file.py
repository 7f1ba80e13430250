# SPDX-License-Identifier: BSD-3-Clause
# Output file from outside: h5py, helmbone-inspect, full disks, killed writers.
"""Usage: end_to_end_file.py BUILD_FOLDER"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import support
from support import alive, check, children, on_ranks, partials, run

support.require("h5py", "numpy")
import h5py
import numpy as np

N, ELEMENTS = 4, (3, 2, 8)
BOX = (2.0, 1.0, 0.5)


def writer_command(ranks, path, *options):
    return on_ranks(ranks, f"{build}/mpi_field_file", "--keep", path, *options)


def write(ranks, path, *options):
    return run(writer_command(ranks, path, *options))


def inspect(path, *options):
    return run([f"{build}/helmbone-inspect", path, *options])


def messages(text):
    return [line for line in text.splitlines() if line.startswith("error: ")]


def datasets(path):
    """Every array but those that name ranks, as bytes with their type and shape."""
    found = {}

    def visit(name, item):
        if isinstance(item, h5py.Dataset) and "mpi_rank" not in name and "timings" not in name:
            found[name] = (str(item.dtype), item.shape, item[()].tobytes())

    with h5py.File(path) as file:
        file.visititems(visit)
    return found


def expected_positions(nodes):
    """x[e][k][j][i][3] on the unit cube, by the writer's formula, bit by bit."""
    nx, ny, nz = ELEMENTS
    axes = []
    for axis, count in enumerate(ELEMENTS):
        axes.append((np.arange(count)[:, None] + 0.5 * (1.0 + nodes)) / count)
    x = np.empty((nz, ny, nx, N, N, N, 3))
    x[..., 0] = axes[0][None, None, :, None, None, :]
    x[..., 1] = axes[1][None, :, None, None, :, None]
    x[..., 2] = axes[2][:, None, None, :, None, None]
    return x.reshape(-1, N, N, N, 3)


def check_h5py(path):
    num_elements = int(np.prod(ELEMENTS))
    with h5py.File(path) as file:
        attributes = support.attributes_of(file)
        check("attributes are str", attributes["schema"] == "helmbone-output")
        check("UTF-8", attributes["title"] == 'quotes " and \\, caf\u00e9', attributes["title"])
        check("complete", attributes["complete"] == 1)
        check("number of points", attributes["num_points"] == num_elements * N**3)
        check("options", support.attributes_of(file["configuration"]) ==
              {"mesh.degree": "3", "solver.stop": ""})
        x = expected_positions(file["reference_element/gll_nodes"][:])
        flux = file["fields/flux"][:].reshape(num_elements, N, N, N, 3)
        expected = x * x[..., [1, 2, 0]] - 0.25
        check("field is bitwise the writer's", flux.tobytes() == expected.tobytes())
        points = file["VTKHDF/Points"][:].reshape(x.shape)
        check("points are bitwise", points.tobytes() == (x * BOX).tobytes())
        check("weights", abs(file["reference_element/gll_weights"][:].sum() - 2.0) < 1e-14)
        table = file["timings/per_rank"][:]
        check("table of timings", table["setup_s"][0] == 1.0 and table["rank"][0] == 0)
        check("units of timings", file["timings/per_rank"].attrs["units"] == b"s")
        check("hosts", file["timings/host"][0] == b"node0")
        check("residuals", file["solver/residual_history"]["iteration"][:].tolist() == [0, 1, 2,
                                                                                        3, 4])
        check("gates", file["gates"][:]["name"].tolist() == [b"kernel", b"solution"])
        check("contiguous", file["VTKHDF/Points"].chunks is None)
        check("element ids", np.array_equal(file["VTKHDF/CellData/element_id"][:],
                                            np.repeat(np.arange(num_elements), (N - 1)**3)))
    try:
        import pandas
        frame = pandas.DataFrame(h5py.File(path)["timings/per_rank"][:]).set_index("rank")
        check("pandas", frame.loc[0, "setup_s"] == 1.0)
    except ImportError:
        pass  # the same read without pandas is checked above


def check_inspect(path):
    code, text, _ = inspect(path)
    check("inspect passes", code == 0 and "layout: PASS" in text, text[-300:])
    for words in ("3 x 2 x 8 elements", "gates: PASS", "setup_s", "residual: 4 iterations",
                  "mesh.degree", "fom_gflops", "solution"):
        check(f"inspect tells {words}", words in text)
    code, text, _ = inspect(path, "--json")
    summary = json.loads(text)
    check("JSON: layout", code == 0 and summary["layout"] == "PASS" and summary["faults"] == [])
    check("JSON: text", summary["attributes"]["/"]["title"] == 'quotes " and \\, caf\u00e9')
    check("JSON: timings", summary["timings"]["setup_s"]["min"] == 1.0)
    check("JSON: imbalance", abs(summary["timings"]["setup_s"]["imbalance"] - 2 / 1.5) < 1e-15)
    with h5py.File(path) as file:
        check("JSON: ranges", summary["fields"]["solution"]["max"] == file["fields/solution"][:].max())
    check("JSON: tables", summary["tables"]["/gates"]["passed"] == [True, True])


# Planted faults: what is done to a good file, and a word that the answer must hold.
def set_value(path, index, value):
    def change(file):
        file[path][index] = value
    return change


def replace(path, make):
    def change(file):
        data, attributes = file[path][()], dict(file[path].attrs)
        del file[path]
        new, options = make(data)
        file.create_dataset(path, data=new, **options)
        for name, value in attributes.items():
            file[path].attrs[name] = value
    return change


def set_type_attribute(padding, length):
    def change(file):
        group = file["VTKHDF"]
        del group.attrs["Type"]
        kind = h5py.h5t.C_S1.copy()
        kind.set_size(length)
        kind.set_strpad(padding)
        space = h5py.h5s.create(h5py.h5s.SCALAR)
        attribute = h5py.h5a.create(group.id, b"Type", kind, space)
        attribute.write(np.array(b"UnstructuredGrid", dtype=f"S{length}"), mtype=kind)
    return change


def set_attribute(path, name, value):
    def change(file):
        file[path].attrs[name] = value
    return change


def remove_attribute(path, name):
    def change(file):
        del file[path].attrs[name]
    return change


def remove(path):
    def change(file):
        del file[path]
    return change


def add_array(path, data):
    def change(file):
        file[path] = data
        file[path].attrs["units"] = "1"
        file[path].attrs["long_name"] = "planted"
    return change


POINTS = int(np.prod(ELEMENTS)) * N**3
CELLS = int(np.prod(ELEMENTS)) * (N - 1)**3
FAULTS = {
    "incomplete": (set_attribute("/", "complete", np.int64(0)), "complete"),
    "schema version": (set_attribute("/", "schema_version", np.int64(1)), "another version"),
    "other schema": (set_attribute("/", "schema", "other"), "schema"),
    "no command line": (remove_attribute("/", "command_line"), "command_line"),
    "text of variable length": (set_attribute("/", "title", "x"), "title"),
    "narrow integer": (set_attribute("/", "num_points", np.int32(POINTS)), "num_points"),
    "elements": (set_attribute("/", "num_elements_x", np.int64(5)), "num_elements"),
    "order": (set_attribute("/", "polynomial_order", np.int64(4)), "polynomial_order"),
    "Type null-terminated": (set_type_attribute(h5py.h5t.STR_NULLTERM, 17), "Type"),
    "Type of variable length": (set_attribute("VTKHDF", "Type", "UnstructuredGrid"), "Type"),
    "Version": (set_attribute("VTKHDF", "Version", np.array([2, 0], "i8")), "Version"),
    "Version narrow": (set_attribute("VTKHDF", "Version", np.array([1, 0], "i4")), "Version"),
    "number of cells": (set_value("VTKHDF/NumberOfCells", 0, 7), "NumberOfCells"),
    "offset": (set_value("VTKHDF/Offsets", CELLS, 0), "Offsets"),
    "offsets of another type": (replace("VTKHDF/Offsets", lambda d: (d.astype("i8"), {})),
                                "different types"),
    "unsigned": (replace("VTKHDF/Connectivity", lambda d: (d.astype("u4"), {})), "Connectivity"),
    "connectivity out of range": (set_value("VTKHDF/Connectivity", 11, POINTS), "Connectivity"),
    "negative connectivity": (set_value("VTKHDF/Connectivity", 0, -1), "Connectivity"),
    "a copy instead of its representative": (set_value("VTKHDF/Connectivity", 8 * 27, N**3),
                                             "Connectivity"),
    "cell type": (set_value("VTKHDF/Types", 3, 72), "Types"),
    "wide cell type": (replace("VTKHDF/Types", lambda d: (d.astype("i4"), {})), "Types"),
    "short points": (replace("VTKHDF/Points", lambda d: (d[:-1], {})), "Points"),
    "NaN": (set_value("VTKHDF/PointData/solution", 5, np.nan), "not finite"),
    "infinity": (set_value("VTKHDF/Points", (7, 1), np.inf), "not finite"),
    "short field": (replace("VTKHDF/PointData/flux", lambda d: (d[:-3], {})), "flux"),
    "column of one": (replace("VTKHDF/PointData/solution", lambda d: (d[:, None], {})),
                      "solution"),
    "field of rank 3": (add_array("VTKHDF/PointData/extra", np.zeros((POINTS, 3, 1))), "extra"),
    "boolean array": (add_array("VTKHDF/CellData/flag", np.zeros(CELLS, bool)), "flag"),
    "half precision": (add_array("VTKHDF/PointData/half", np.zeros(POINTS, "f2")), "half"),
    "text array": (add_array("VTKHDF/CellData/text", np.zeros(CELLS, "S4")), "text"),
    "no units": (remove_attribute("VTKHDF/PointData/solution", "units"), "units"),
    "element ids": (set_value("VTKHDF/CellData/element_id", 0, 1), "element_id"),
    "rank too large": (set_value("VTKHDF/CellData/mpi_rank", 1, 2), "mpi_rank"),
    "no link": (remove("fields"), "/fields"),
    "nodes": (set_value("reference_element/gll_nodes", 1, 0.9), "gll_nodes"),
    "weights": (set_value("reference_element/gll_weights", 1, 0.1), "gll_weights"),
    "no timings": (remove("timings/per_rank"), "/timings/per_rank"),
    "rows of timings": (replace("timings/per_rank", lambda d: (d[:1], {})), "/timings/per_rank"),
    "no residuals": (remove("solver/residual_history"), "residual_history"),
    "no mesh": (remove("VTKHDF"), "VTKHDF"),
    "no options": (remove("configuration"), "configuration"),
}


def check_faults(good, folder):
    for name, (change, word) in FAULTS.items():
        path = f"{folder}/fault.vtkhdf"
        shutil.copy(good, path)
        with h5py.File(path, "r+") as file:
            change(file)
        code, text, errors = inspect(path)
        faults = text[text.rfind("layout: "):]
        check(f"planted fault '{name}'", code == 1 and faults.startswith("layout: FAIL") and
              word in faults and errors == "", (code, faults[:200], errors))
        code, text, _ = inspect(path, "--json")
        check(f"planted fault '{name}' in JSON", code == 1 and
              json.loads(text)["layout"] == "FAIL", code)


def check_inspect_errors(good, folder):
    garbage, short = f"{folder}/garbage.vtkhdf", f"{folder}/short.vtkhdf"
    with open(garbage, "wb") as file:
        file.write(b"not HDF5 at all" * 100)
    with open(good, "rb") as file, open(short, "wb") as copy:
        copy.write(file.read(20000))
    for what, arguments, expected in (("missing", [f"{folder}/none.vtkhdf"], 3),
                                      ("garbage", [garbage], 3), ("short", [short], 3),
                                      ("folder", [folder], 3), ("no argument", [], 2),
                                      ("unknown option", [good, "--jason"], 2),
                                      ("two files", [good, good], 2), ("help", ["--help"], 0)):
        code, text, errors = run([f"{build}/helmbone-inspect", *arguments])
        check(f"inspect: {what}", code == expected, (code, errors))
        if expected == 3:
            check(f"inspect: one line for {what}", len(errors.splitlines()) == 1 and not text,
                  errors)
    failing = f"{folder}/gate.vtkhdf"
    check("failed gate is written", write(1, failing, "--failed-gate")[0] == 0)
    code, text, _ = inspect(failing)
    check("failed gate gives 1", code == 1 and "gates: FAIL" in text and "layout: PASS" in text)


def check_kept(what, path, before):
    """The older file is untouched, nothing partial is left."""
    with open(path, "rb") as file:
        check(f"{what}: older file is untouched", file.read() == before)
    check(f"{what}: no partial file", not partials(path))


def check_rank_failures(folder):
    path = f"{folder}/failures.vtkhdf"
    write(2, path)
    with open(path, "rb") as file:
        before = file.read()
    for what, options, words in (
            ("fill fails on rank 2", ["--fail-fill", "2"], "planted failure"),
            ("all ranks cannot write", ["--limit-file", "-1"], "File too large"),
            ("rank 0 cannot write", ["--limit-file", "0"], "File too large"),
            ("pieces, rank 0 cannot write", ["--limit-file", "0", "--piece-bytes", "999"],
             "File too large")):
        code, _, errors = write(3, path, *options)
        check(f"{what}: exit code 3", code == 3, (code, errors[-300:]))
        check(f"{what}: one message", len(messages(errors)) == 1 and words in errors, errors)
        check_kept(what, path, before)


def mount(folder, options):
    os.makedirs(folder, exist_ok=True)
    return run(["mount", "-t", "tmpfs", "-o", options, "tmpfs", folder])


def check_disks(folder):
    full = f"{folder}/full"
    code, _, errors = mount(full, "size=4m")
    if code != 0:
        support.skip("full disk, read-only disk", f"mount needs root: {errors.strip()}")
        return
    try:
        path = f"{full}/a.vtkhdf"
        check("small disk: fits", write(3, path)[0] == 0)
        with open(path, "rb") as file:
            before = file.read()
        code, _, errors = write(3, path, "--elements", "12", "12", "12")
        check("full disk: exit code 3", code == 3, (code, errors[-300:]))
        told = messages(errors)
        check("full disk: one message with numbers", len(told) == 1 and
              re.search(r"\d+ bytes needed, \d+ bytes available", told[0]), errors)
        check_kept("full disk", path, before)
        # Room for the estimate, not for the reservation's spare megabyte.
        room = os.statvfs(full).f_bavail * os.statvfs(full).f_frsize
        with open(f"{full}/filler", "wb") as file:
            file.write(b"x" * (room - len(before) - 200000))
        code, _, errors = write(3, path)
        told = messages(errors)
        check("reservation fails: exit code 3", code == 3, (code, errors[-300:]))
        check("reservation fails: one message", len(told) == 1 and "cannot reserve" in told[0] and
              re.search(r"\d+ bytes needed, \d+ bytes available", told[0]), errors)
        check_kept("reservation fails", path, before)
        os.unlink(f"{full}/filler")
        run(["mount", "-o", "remount,ro", full])
        code, _, errors = write(2, path)
        check("read-only folder: exit code 2", code == 2 and len(messages(errors)) == 1 and
              "Read-only" in errors, (code, errors[-300:]))
        run(["mount", "-o", "remount,rw", full])
        check_kept("read-only folder", path, before)
    finally:
        run(["umount", full])


def check_bad_paths(folder):
    os.makedirs(f"{folder}/directory.vtkhdf")
    for what, path, expected, words in (
            ("folder as file", f"{folder}/directory.vtkhdf", 2, "this is a folder"),
            ("no such folder", f"{folder}/no/a.vtkhdf", 2, "No such file"),
            ("file as folder", f"{build}/mpi_field_file/a.vtkhdf", 2, "ot a "),
            ("other ending", f"{folder}/a.h5", 2, ".vtkhdf or NAME.hdf"),
            ("no plain file", "/dev/a.vtkhdf/b.vtkhdf", 2, "folder"),
            ("folder that makes no files", "/proc/a.vtkhdf", 2, "cannot make a file")):
        code, _, errors = write(2, path)
        check(f"{what}: exit code {expected}", code == expected, (code, errors[-300:]))
        check(f"{what}: one message", len(messages(errors)) == 1 and words in errors, errors)


def kill_during_write(path, delay_s):
    """Starts a writer that never ends; kills its ranks once its partial file is there, and returns
    when they are gone: a rank that lives on would go on writing."""
    for partial in partials(path):
        os.unlink(partial)  # an earlier attempt's
    launcher = subprocess.Popen(
        writer_command(2, path, "--loop", "--n", "8", "--elements", "8", "8", "16"),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
    end = time.time() + 60
    while not partials(path) and time.time() < end:
        time.sleep(0.002)
    time.sleep(delay_s)
    ranks = children(launcher.pid)
    check("killed: the ranks are there", len(ranks) == 2, ranks)
    for pid in ranks:
        os.kill(pid, signal.SIGKILL)
    try:
        launcher.wait(timeout=1)
    except subprocess.TimeoutExpired:
        launcher.kill()  # mpirun sometimes waits for ranks that were killed
        launcher.wait()
    while any(alive(pid) for pid in ranks) and time.time() < end:
        time.sleep(0.01)
    return bool(partials(path))


def check_killed(folder):
    path = f"{folder}/killed.vtkhdf"
    during = 0
    check("older file", write(2, path)[0] == 0)
    for attempt in range(0, 12, 1 if os.environ.get("HB_TEST_ALL") == "1" else 2):
        during += kill_during_write(path, 0.02 * attempt)
        code, text, _ = inspect(path)
        check("killed: the file under the final name is good", code == 0, text[-300:])
        for partial in partials(path):
            try:
                with h5py.File(partial) as file:
                    complete = file.attrs["complete"] == 1
                # Complete is set on disk before the renaming: a kill between the two leaves all of it.
                code, text, errors = inspect(partial)
                check("killed: a partial file says so, or is whole", not complete or code == 0,
                      (text[-300:], errors[-300:]))
            except (OSError, KeyError):
                print("killed while rank 0 made the file: not readable, as it should be")
    check("killed in the middle of a write, at least three times", during >= 3, during)
    check("the next run replaces the partial file", write(2, path)[0] == 0)
    check("and leaves none", not partials(path))
    check("and is good", inspect(path)[0] == 0)


def main():
    folder = tempfile.mkdtemp(prefix="helmbone_file_")
    try:
        files = {ranks: f"{folder}/ranks{ranks}.vtkhdf" for ranks in (1, 2, 3, 5)}
        for ranks, path in files.items():
            code, _, errors = write(ranks, path)
            check(f"{ranks} ranks write", code == 0, errors)
        reference = datasets(files[1])
        check("there is something to compare", len(reference) >= 14, len(reference))
        for ranks, path in files.items():
            check(f"{ranks} ranks: the same bytes", datasets(path) == reference)
        small = f"{folder}/pieces.vtkhdf"
        write(3, small, "--piece-bytes", "700")
        check("small pieces: the same bytes", datasets(small) == reference)
        single, bare = f"{folder}/f32.vtkhdf", f"{folder}/bare.vtkhdf"
        check("f32 is written", write(2, single, "--f32")[0] == 0)
        check("f32: layout", inspect(single)[0] == 0)
        with h5py.File(files[1]) as wide, h5py.File(single) as narrow:
            check("f32: rounded f64", np.array_equal(wide["fields/solution"][:].astype("f4"),
                                                     narrow["fields/solution"][:]))
        check("no fields is written", write(2, bare, "--no-fields")[0] == 0)
        check("no fields: layout", inspect(bare)[0] == 0)
        with h5py.File(bare) as file:
            check("no fields: no mesh", "VTKHDF" not in file and "fields" not in file and
                  file.attrs["fields"] == b"no" and len(file["timings/per_rank"]) == 2)
        check_h5py(files[2])
        cut = f"{folder}/pieces.hdf"
        for pieces in (2, 5, 48, 1000):
            check("pieces are written", write(3, cut, "--pieces", str(pieces))[0] == 0)
            check(f"{pieces} pieces: layout", inspect(cut)[0] == 0)
            with h5py.File(cut) as file:
                count = min(pieces, int(np.prod(ELEMENTS)))
                check(f"{pieces} pieces", file.attrs["num_pieces"] == count and
                      file["VTKHDF/NumberOfCells"].shape == (count,) and
                      file["VTKHDF/Offsets"].shape == (CELLS + count,))
        one = datasets(cut)
        check("pieces do not depend on ranks", write(1, cut, "--pieces", "1000")[0] == 0 and
              datasets(cut) == one)
        check_inspect(files[2])
        check_faults(files[2], folder)
        check_inspect_errors(files[2], folder)
        check_rank_failures(folder)
        check_bad_paths(folder)
        check_disks(folder)
        check_killed(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return support.finish()


if __name__ == "__main__":
    build = support.build_folder(__doc__)
    sys.exit(main())
