# SPDX-License-Identifier: BSD-3-Clause
# Plots of output files: residuals, phases over ranks, imbalance on the rank grid, slices.
import h5py
import numpy

from study import record, style
from study.base import ranks_words

BARS = 40  # ranks up to which each has a bar of its own


def heading(one):
    about = one.attributes
    return f"{record.stem(one)}: degree {about['polynomial_order']}, {about['num_elements']} " \
           f"elements, {ranks_words(one.ranks)}, {about['precision']}"


def residual(records):
    """The residual history of each file."""
    made, (axes,) = style.figure(width=5.5, title=heading(records[0]) if len(records) == 1 else "")
    for number, one in enumerate(records):
        with h5py.File(one.path, "r") as file:
            history = file["solver/residual_history"][:]
        looks = style.line(number)
        axes.semilogy(history["iteration"],
                      history["relative_residual"],
                      label=record.stem(one),
                      markevery=(0.02 * number, 0.1),
                      **looks)
    axes.set_xlabel("iteration")
    axes.set_ylabel("residual of the recurrence, |r| / |b| (1)")
    if len(records) > 1:
        axes.legend()
    return made


def phases(one):
    """Seconds of the timed solves, stacked by phases, for each rank."""
    made, (axes,) = style.figure(width=6, title=heading(one))
    ranks, bottom = range(one.ranks), 0.0
    factor, unit = style.time_unit([one.solves() or 1e-9])
    for number, (phase, name) in enumerate(record.PHASES.items()):
        heights = factor * one.times[phase]
        if one.ranks <= BARS:
            axes.bar(ranks, heights, 0.8, bottom, label=name, **style.area(number))
        else:
            axes.fill_between(ranks,
                              bottom + 0 * heights,
                              bottom + heights,
                              step="mid",
                              label=name,
                              **style.area(number))
        bottom = bottom + heights
    axes.set_xlim(-0.6, one.ranks - 0.4)
    axes.set_ylim(bottom=0)
    ticks = style.thinned(list(ranks), 12)
    axes.set_xticks(ticks, list(map(str, ticks)))
    axes.grid(False, axis="x")
    axes.set_xlabel("MPI rank")
    axes.set_ylabel(f"time in the timed solves ({unit})")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return made


def rank_grid(one):
    """(px, py, pz), or None if the file does not say; ranks along x first."""
    about = one.attributes
    elements = [about[f"num_elements_{axis}"] for axis in "xyz"]
    with h5py.File(one.path, "r") as file:
        options = record.attributes(file["configuration"])
        if "VTKHDF/CellData/mpi_rank" in file:
            cells = file["VTKHDF/CellData/mpi_rank"][:]
            owner = cells.reshape(elements[2], elements[1], elements[0], -1)[..., 0]
            grid = tuple(
                len(set(line)) for line in (owner[0, 0, :], owner[0, :, 0], owner[:, 0, 0]))
            return grid if grid[0] * grid[1] * grid[2] == one.ranks else None
    if options.get("mesh.size_is") == "per_rank":
        return tuple(count // int(options[f"mesh.n{axis}"]) for axis, count in zip("xyz", elements))
    grid = tuple(int(options.get(f"ranks.p{axis}", 0)) for axis in "xyz")
    return grid if grid[0] * grid[1] * grid[2] == one.ranks else None


def imbalance(one):
    """Each rank's own time over the mean, in layers of the rank grid along z; in a row by rank
    where the grid is not in the file."""
    own, what = one.own()
    values = own / own.mean() if own.mean() > 0 else own * 0 + 1
    grid = rank_grid(one)
    px, py, pz = grid or (one.ranks, 1, 1)
    rows_are = "y"
    if pz > 16:
        py, pz, rows_are = py * pz, 1, "y and z"
    columns = min(pz, 4)
    rows = -(-pz // columns)
    most, worst = one.imbalance()
    made, axes = style.figure(
        columns, rows, 3.0 if pz > 1 else 4.6, 2.9, f"{heading(one)}\nown time: {what}\n"
        f"maximum over mean {most:.3f}: rank {worst} on {one.hosts[worst]}")
    reach = max(float(abs(values - 1).max()), 0.01)
    for layer, panel in enumerate(axes):
        if layer >= pz:
            panel.set_visible(False)
            continue
        block = values.reshape(pz, py, px)[layer]
        image = panel.imshow(block,
                             cmap=style.SIGNED_MAP + "_r",
                             vmin=1 - reach,
                             vmax=1 + reach,
                             origin="lower",
                             aspect="auto")
        panel.grid(False)
        number_cells(panel, block, layer * px * py, reach)
        panel.set_xticks(style.thinned(list(range(px))))
        panel.set_yticks(style.thinned(list(range(py))))
        panel.set_xlabel("ranks along x" if grid else "MPI rank (the file does not have the grid)")
        panel.set_ylabel(f"ranks along {rows_are}" if grid else "")
        if not grid:
            panel.set_yticks([])
        if pz > 1:
            panel.set_title(f"z layer {layer}")
    made.colorbar(image, ax=axes[:pz], label="own time / mean (1)", shrink=0.9)
    return made


def number_cells(panel, block, first, reach):
    """The rank and its value in each cell, where there is room."""
    if block.size > 36 or block.shape[1] > 8:
        return
    for (y, x), value in sorted_cells(block):
        dark = abs(value - 1) > 0.6 * reach
        panel.text(x,
                   y,
                   f"{first + y * block.shape[1] + x}\n{value:.2f}",
                   ha="center",
                   va="center",
                   fontsize=7,
                   color="white" if dark else "black")


def sorted_cells(block):
    return [((y, x), block[y, x]) for y in range(block.shape[0]) for x in range(block.shape[1])]


AXES = "xyz"


def slices(one, axis="z", at=0.5):
    """Solution and error on the layer of points nearest to the fraction `at` of the elements along
    an axis; None for a file without fields."""
    with h5py.File(one.path, "r") as file:
        names = [name for name in ("solution", "error") if f"VTKHDF/PointData/{name}" in file]
        if not names:
            return None
        positions, where = cut(file, one.attributes, "VTKHDF/Points", axis, at)
        place = float(positions[..., AXES.index(axis)].mean())
        fields = {
            name: cut(file, one.attributes, f"VTKHDF/PointData/{name}", axis, at)[0]
            for name in names
        }
        units = {
            name: record.text(file[f"VTKHDF/PointData/{name}"].attrs.get("units", b"1"))
            for name in names
        }
    across = [index for index in range(3) if AXES[index] != axis]
    sides = [float(numpy.ptp(positions[..., index])) for index in across]
    made, panels = style.figure(len(names), 1, 4.4,
                                min(max(3.1 * sides[1] / sides[0], 1.2), 6) + 1.1,
                                f"{heading(one)}\npoints around {axis} = {place:.4g} m ({where})")
    for panel, name in zip(panels, names):
        values = fields[name]
        limit = float(abs(values).max()) or 1.0
        signed = name == "error" or values.min() < 0 < values.max()
        low = (-limit, limit) if signed else (float(values.min()), float(values.max()))
        mesh = panel.pcolormesh(positions[..., across[0]],
                                positions[..., across[1]],
                                values,
                                shading="gouraud",
                                cmap=style.SIGNED_MAP if signed else style.VALUES_MAP,
                                vmin=low[0],
                                vmax=low[1],
                                rasterized=True)
        panel.grid(False)
        panel.set_aspect("equal")
        panel.set_title(name)
        panel.set_xlabel(f"{AXES[across[0]]} (m)")
        panel.set_ylabel(f"{AXES[across[1]]} (m)")
        scale = made.colorbar(mesh, ax=panel, label=f"{name} ({units[name] or 1})")
        scale.formatter.set_powerlimits((-2, 4))
    return made


def cut(file, about, name, axis, at):
    """Values of a plane of points [row, column], rows along the later of the other two axes, each
    point once; and its place in words.  Elements of the file: e = ex + nx (ey + ny ez), points
    with i fastest."""
    n = about["nodes_per_direction"]
    shape = [about[f"num_elements_{a}"] for a in "zyx"]
    along = 2 - AXES.index(axis)  # place of the axis in [ez, ey, ex] and in [k, j, i]
    layer = min(int(at * shape[along]), shape[along] - 1)
    node = min(int((at * shape[along] - layer) * (n - 1) + 0.5), n - 1)
    data, cube = file[name], n**3
    inner = data.shape[1:]
    if axis == "z":  # these elements lie together: the rest is not read
        size = shape[1] * shape[2] * cube
        values = data[layer * size:(layer + 1) * size].reshape(1, shape[1], shape[2], n, n, n,
                                                               *inner)
        layer_read = 0
    else:
        values = data[:].reshape(*shape, n, n, n, *inner)
        layer_read = layer
    values = numpy.take(numpy.take(values, layer_read, along), node, 2 + along)
    values = numpy.moveaxis(values, 1, 2)  # [e row, node row, e column, node column]
    rows, columns = [shape[a] * n for a in range(3) if a != along]
    once = [[point for point in range(count) if point % n > 0 or point == 0]
            for count in (rows, columns)]
    values = values.reshape(rows, columns, *inner)[once[0]][:, once[1]]
    return values, f"element {layer + 1} of {shape[along]}, node {node + 1} of {n}"
