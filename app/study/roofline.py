# SPDX-License-Identifier: BSD-3-Clause
# The roofline of output files: measured bandwidths as ceilings, iterations by their modelled bytes.
import h5py

from study import style
from study.pictures import label_of


def ceilings(one):
    """Bytes a second that all ranks measured together: copy and triad."""
    with h5py.File(one.path, "r") as file:
        if "machine" not in file:
            return {}
        table = file["machine"][:]
    return {name: float(table[f"{name}_bytes_per_s"].sum()) for name in ("copy", "triad")
            if f"{name}_bytes_per_s" in (table.dtype.names or ())}


def nominal_flops(one):
    """Of an iteration, all ranks: the count of fom_nekbone_gflops."""
    n, elements = one.attributes["nodes_per_direction"], one.attributes["num_elements"]
    return elements * (12 * n**4 + 34 * n**3)


def point(one):
    """Flops a byte and GFLOP/s of an iteration, or None where the file has no figures."""
    moved = one.solver.get("modelled_bytes_per_iteration")
    if not moved:
        return None
    flops = nominal_flops(one)
    return flops / moved, 1e-9 * flops / one.seconds_per_iteration()


def roofline(records):
    """The highest ceilings that the files measured and a point for each; None without points.  No
    file has a measured peak of flops, so none is drawn."""
    found = [(one, point(one)) for one in records if point(one)]
    limits = {}
    for one, _ in found:
        for name, rate in ceilings(one).items():
            limits[name] = max(rate, limits.get(name, 0.0))
    if not found or not limits:
        return None
    made, (axes,) = style.figure(width=6, height=4, title="Roofline of the iteration: measured bandwidth, "
                                 "nominal flops, modelled bytes")
    xs = [place[0] for _, place in found]
    ends = (min(xs) / 4, max(xs) * 4)
    for (name, rate), dashes in zip(sorted(limits.items()), ("-", "--")):
        axes.plot(ends, [1e-9 * rate * x for x in ends], color=style.GREY, linestyle=dashes,
                  label=f"{name}: {1e-9 * rate:.4g} GB/s, measured")
    for number, (one, (x, y)) in enumerate(found):
        looks = {**style.line(number), "linestyle": "none"}
        axes.plot([x], [y], label=f"{label_of(one)}: {words(one)}", **looks)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(*ends)
    style.plain_log(axes.xaxis, *ends)
    style.plain_log(axes.yaxis, *axes.get_ylim())
    axes.set_xlabel("arithmetic intensity (flop/byte)")
    axes.set_ylabel("GFLOP/s, all ranks")
    axes.legend(loc="upper left" if len(found) < 5 else "center left",
                bbox_to_anchor=None if len(found) < 5 else (1.0, 0.5))
    return made


def words(one):
    about = one.attributes
    return f"{about.get('kernel', '')}, degree {about['polynomial_order']}, {about.get('geometry', '')}, " \
           f"{about['precision']}"
