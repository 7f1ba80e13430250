# SPDX-License-Identifier: BSD-3-Clause
# Output files as VTK and PyVista read them: this Python's, or those of the Pythons that are named.
"""Usage: end_to_end_vtk.py BUILD_FOLDER
HB_TEST_READERS: paths of Pythons with VTK, separated by colons, in place of this one."""
import importlib.util
import json
import os
import re
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import support
from support import check, on_ranks, run

READ = len(sys.argv) == 3 and sys.argv[1] == "--read"  # as a reader: what lies in that folder
support.require(*([] if READ else ["h5py"]), "numpy", "vtkmodules.vtkIOHDF")
import numpy as np
from vtkmodules.util.numpy_support import vtk_to_numpy
from vtkmodules.vtkCommonCore import vtkOutputWindow, vtkStringOutputWindow, vtkVersion
from vtkmodules.vtkFiltersGeometry import vtkDataSetSurfaceFilter
from vtkmodules.vtkFiltersVerdict import vtkCellSizeFilter
from vtkmodules.vtkIOHDF import vtkHDFReader

HEXAHEDRON = 12
CASE = [f"{support.INPUTS}/quick.ini", "--nx", "4", "--ny", "3", "--nz", "2", "--warmup", "0",
        "--repeats", "1"]
FILES = {  # name: options
    "one.vtkhdf": ["--degree", "3"],
    "lowest.hdf": ["--degree", "1"],
    "lowest_pieces.vtkhdf": ["--degree", "1", "--pieces", "16"],
    "seven.vtkhdf": ["--degree", "7"],
    "seven_pieces.hdf": ["--degree", "7", "--pieces", "16"],
    "solution.hdf": ["--degree", "3", "--fields", "solution"],
    "solution_pieces.vtkhdf": ["--degree", "3", "--fields", "solution", "--pieces", "16"],
    "narrow.vtkhdf": ["--degree", "3", "--field_precision", "f32", "--pieces", "16"],
    "narrow_solution.hdf": ["--degree", "7", "--field_precision", "f32", "--fields", "solution"],
    "f32.hdf": ["--degree", "3", "--precision", "f32", "--tolerance", "1e-4"],
    "fifteen.hdf": ["--degree", "15", "--nx", "1", "--ny", "1", "--nz", "2"],
    "kershaw.vtkhdf": ["--degree", "4", "--deformation", "kershaw", "--nx", "6", "--ny", "6",
                       "--nz", "6", "--pieces", "7"],
}
WRITER_FILES = {"vector.vtkhdf": [], "vector_f32.hdf": ["--f32", "--pieces", "5"],
                "element_a_piece.hdf": ["--pieces", "48"]}


# ---- files, and what is in them ----------------------------------------------------------------

def contents(path):
    """Arrays of the file, with corners numbered in all of it, and the box."""
    import h5py  # pylint: disable=import-outside-toplevel
    with h5py.File(path) as file:
        group = file["VTKHDF"]
        points, cells = group["NumberOfPoints"][:], group["NumberOfCells"][:]
        first = np.repeat(np.cumsum(points) - points, 8 * cells)
        found = {"points": group["Points"][:], "corners": group["Connectivity"][:] + first,
                 "points_of": points, "cells_of": cells}
        for kind in ("PointData", "CellData"):
            found.update({f"{kind}/{name}": group[kind][name][:] for name in group[kind]})
        options = file["configuration"].attrs
        found["box"] = np.array([float(options.get(f"mesh.l{axis}", length)) for axis, length in
                                 zip("xyz", (2.0, 1.0, 0.5))])
        sizes = [file.attrs["nodes_per_direction"] - 1] + [
            file.attrs[f"num_elements_{axis}"] for axis in "xyz"]
        found["cells_along"] = sizes[0] * np.array(sizes[1:])
    return found


def change(path, array, at):
    """Swaps two values, or gives an attribute another value."""
    import h5py  # pylint: disable=import-outside-toplevel
    with h5py.File(path, "r+") as file:
        if array == "Version":
            file["VTKHDF"].attrs.modify(array, np.array(at, "i8"))
            return
        values = file[f"VTKHDF/{array}"][:]
        for one, other in at:
            values[[one, other]] = values[[other, one]]
        file[f"VTKHDF/{array}"][...] = values


FAULTS = {  # comparison that has to fail: array, pairs of places
    "no warning": ("Version", [9, 0]),
    "points": ("Points", [(0, 1)]),
    "corners": ("Connectivity", [(0, 9)]),
    "volumes": ("Connectivity", [(i, i + 4) for i in range(4)]),
    "surface": ("Connectivity", [(1, 29)]),
    "PointData/error": ("PointData/error", [(3, 4)]),
    "CellData/element_id": ("CellData/element_id", [(0, 30)]),
    "parts": ("PointData/solution", [(0, 5)]),
}


def write_files(folder):
    """All files, what they hold as NAME.npz, damaged copies, and the list of it."""
    listed = []
    for name, options in {**FILES, **WRITER_FILES}.items():
        path = f"{folder}/{name}"
        command = [f"{build}/mpi_field_file", "--keep", path, *options] if name in WRITER_FILES \
            else [f"{build}/helmbone", *CASE, "--output", path, *options]
        code, text, errors = run(on_ranks(2, *command))
        status = support.parse_result(text).get("status")
        if not check(f"{name} is written", os.path.exists(path) and (
                code == 0 or (status == "INCONCLUSIVE" and "lowest" in name)), (code, errors)):
            continue
        found = contents(path)
        check(f"{name}: pieces", len(found["cells_of"]) == int(
            options[options.index("--pieces") + 1] if "--pieces" in options else 1))
        np.savez(f"{path}.npz", **found)
        listed.append((name, name, None))
    for number, (fault, (array, at)) in enumerate(FAULTS.items()):
        copy = f"fault{number}.hdf"
        shutil.copy(f"{folder}/one.vtkhdf", f"{folder}/{copy}")
        change(f"{folder}/{copy}", array, at)
        listed.append((copy, "one.vtkhdf", fault))
    with open(f"{folder}/list.json", "w", encoding="utf-8") as file:
        json.dump(listed, file)
    return len(listed)


# ---- as a reader -------------------------------------------------------------------------------

def grids_of(data):
    """The grid, or since VTK 9.5 those of all pieces."""
    if data.IsA("vtkPointSet"):
        return [data]
    return [data.GetPartition(i) for i in range(data.GetNumberOfPartitions())
            if data.GetPartition(i) is not None]


def read(path, part=0, of=1):
    reader = vtkHDFReader()
    known = reader.CanReadFile(path) == 1
    reader.SetFileName(path)
    reader.UpdatePiece(part, of, 0)
    return known, grids_of(reader.GetOutputDataObject(0))


def arrays_of(grid):
    """PointData/NAME and CellData/NAME, with the types that VTK gives them."""
    found = {}
    for kind, data in (("PointData", grid.GetPointData()), ("CellData", grid.GetCellData())):
        for i in range(data.GetNumberOfArrays()):
            found[f"{kind}/{data.GetArrayName(i)}"] = vtk_to_numpy(data.GetArray(i))
    return found


def joined(grids, array_of):
    return np.concatenate([array_of(grid) for grid in grids])


def same(array, expected):
    return array.dtype == expected.dtype and np.array_equal(array, expected)


def corners_of(grids):
    """Corners of all grids' cells, numbered over all of them."""
    found, first = [], 0
    for grid in grids:
        found.append(vtk_to_numpy(grid.GetCells().GetConnectivityArray()) + first)
        first += grid.GetNumberOfPoints()
    return np.concatenate(found)


def volumes_of(grid):
    sizes = vtkCellSizeFilter()
    sizes.SetInputData(grid)
    sizes.Update()
    return vtk_to_numpy(sizes.GetOutput().GetCellData().GetArray("Volume"))


def faces_of(grid):
    surface = vtkDataSetSurfaceFilter()
    surface.SetInputData(grid)
    surface.Update()
    return surface.GetOutput().GetNumberOfCells()


def outer_faces(corners):
    """Number of faces that one cell alone has."""
    faces = np.array([[0, 1, 2, 3], [4, 5, 6, 7], [0, 1, 5, 4], [3, 2, 6, 7], [0, 3, 7, 4],
                      [1, 2, 6, 5]])
    every = np.sort(corners.reshape(-1, 8)[:, faces].reshape(-1, 4), axis=1)
    return int((np.unique(every, axis=0, return_counts=True)[1] == 1).sum())


def sorted_rows(points, values):
    """A row a point: its position and the value there, in an order that parts do not change."""
    rows = np.column_stack([points, values]).astype(float)
    return rows[np.lexsort(rows.T)]


def check_parts(path, expected):
    """As so many processes of a parallel reader: each gets whole pieces, and together all."""
    pieces, right = len(expected["cells_of"]), True
    whole = sorted_rows(expected["points"], expected["PointData/solution"])
    for of in {2, 5, pieces, pieces + 3}:
        of_parts = [[grid for grid in read(path, part, of)[1] if grid.GetNumberOfCells() > 0]
                    for part in range(of)]
        grids = sum(of_parts, [])
        arrays = [arrays_of(grid) for grid in grids]
        ids = np.concatenate([one["CellData/element_id"] for one in arrays])
        rows = sorted_rows(joined(grids, lambda grid: vtk_to_numpy(grid.GetPoints().GetData())),
                           np.concatenate([one["PointData/solution"] for one in arrays]))
        right = right and sum(map(bool, of_parts)) == min(of, pieces) and \
            np.array_equal(np.sort(ids), expected["CellData/element_id"]) and \
            np.array_equal(rows, whole)
    return right


def compare(path, expected):
    """{what was compared: is it right?} of a file and what it has to hold."""
    window = vtkStringOutputWindow()
    vtkOutputWindow.SetInstance(window)
    known, grids = read(path)
    cells, box = int(expected["cells_of"].sum()), expected["box"]
    pieces, narrow = len(expected["cells_of"]), expected["points"].dtype == np.float32
    right = {"the file is known": known, "no warning": window.GetOutput() == "",
             "pieces": len(grids) in (1, pieces) and sum(
                 grid.GetNumberOfCells() for grid in grids) == cells,
             "hexahedra": all(grid.IsA("vtkUnstructuredGrid") and grid.GetCellType(i) == HEXAHEDRON
                              for grid in grids for i in range(grid.GetNumberOfCells()))}
    right["points"] = same(joined(grids, lambda grid: vtk_to_numpy(grid.GetPoints().GetData())),
                           expected["points"])
    bounds = np.array([grid.GetBounds() for grid in grids])
    tolerance = 1e-6 if narrow else 1e-13
    right["bounds"] = np.allclose(bounds[:, 0::2].min(axis=0), 0, atol=tolerance) and \
        np.allclose(bounds[:, 1::2].max(axis=0), box, rtol=tolerance)
    right["corners"] = np.array_equal(corners_of(grids), expected["corners"])
    volumes = joined(grids, volumes_of)
    right["volumes"] = volumes.min() > 0 and abs(volumes.sum() / np.prod(box) - 1) < 10 * tolerance
    cx, cy, cz = expected["cells_along"]
    faces = sum(faces_of(grid) for grid in grids)
    right["surface"] = faces == outer_faces(expected["corners"]) and (
        pieces > 1 or faces == 2 * (cx * cy + cy * cz + cz * cx))
    arrays = [arrays_of(grid) for grid in grids]
    names = {name for name in expected if "/" in name}
    right["names"] = all(set(one) == names for one in arrays) and all(
        grid.GetFieldData().GetNumberOfArrays() == 0 for grid in grids)
    for name in names:
        right[name] = same(np.concatenate([one[name] for one in arrays]), expected[name])
    right["parts"] = check_parts(path, expected)
    return right


def compare_pyvista(pyvista, path, expected):
    """README's lines: one grid of the whole file, whatever its pieces."""
    mesh = pyvista.read(path)
    if not isinstance(mesh, pyvista.UnstructuredGrid):
        mesh = pyvista.merge(list(mesh), merge_points=False)
    right = {"PyVista: cells": mesh.n_cells == expected["cells_of"].sum(),
             "PyVista: points": np.array_equal(np.asarray(mesh.points), expected["points"])}
    for name in expected:
        kind, _, array = name.partition("/")
        if array:
            data = mesh.point_data if kind == "PointData" else mesh.cell_data
            right[f"PyVista: {name}"] = same(np.asarray(data[array]), expected[name])
    return right


def read_all(folder):
    said, pyvista = f"VTK {vtkVersion.GetVTKVersion()}", None
    if importlib.util.find_spec("pyvista"):
        import pyvista  # pylint: disable=import-outside-toplevel
        said += f", PyVista {pyvista.__version__}"
    with open(f"{folder}/list.json", encoding="utf-8") as file:
        listed = json.load(file)
    for name, holds, fault in listed:
        path = f"{folder}/{name}"
        with np.load(f"{folder}/{holds}.npz") as arrays:
            expected = dict(arrays)
        right = compare(path, expected)
        if fault:
            check(f"{said}: {name}: a fault is seen: {fault}", not right[fault])
            continue
        # PyVista 0.44 knows one suffix alone.
        old = pyvista and tuple(map(int, pyvista.__version__.split(".")[:2])) < (0, 45)
        if pyvista and not (old and name.endswith(".vtkhdf")):
            right.update(compare_pyvista(pyvista, path, expected))
        for what, is_right in right.items():
            check(f"{said}: {name}: {what}", is_right)
    print(f"read by {said}")
    return support.finish()


def main():
    named = os.environ.get("HB_TEST_READERS", "")
    with tempfile.TemporaryDirectory(prefix="helmbone_vtk_") as folder:
        files = write_files(folder)
        for python in named.split(os.pathsep) if named else [sys.executable]:
            code, text, errors = run([python, __file__, "--read", folder], 600)
            print(text.rstrip(), flush=True)
            counted = re.search(r"^(\d+) passed, 0 failed$", text, re.MULTILINE)
            check(f"{python} reads all files", code == 0 and counted and
                  int(counted[1]) > 8 * files, (code, errors[-500:]))
    return support.finish()


if __name__ == "__main__":
    if READ:
        sys.exit(read_all(sys.argv[2]))
    build = support.build_folder(__doc__)
    sys.exit(main())
