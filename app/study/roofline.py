# SPDX-License-Identifier: BSD-3-Clause
# The roofline: measured bandwidths; below them iterations of files and parts of benchmarks.
import csv
import json

import h5py

from study import record, style
from study.base import refuse

BENCH = "helmbone-bench"
CEILINGS = ("copy", "triad")


def label_of(one):
    about = one.attributes
    return f"{record.stem(one)}: {about.get('kernel', '')}, degree {about['polynomial_order']}, " \
           f"{about.get('geometry', '')}, {about['precision']}"


def of_file(one):
    """Ceilings (byte/s, of all ranks together) and series of an output file: an iteration with its
    nominal flops, the count of fom_nekbone_gflops."""
    ceilings = {}
    with h5py.File(one.path, "r") as file:
        table = file["machine"][:] if "machine" in file else None
    for name in CEILINGS if table is not None else ():
        ceilings[name] = float(table[f"{name}_bytes_per_s"].sum())
    moved = one.solver.get("modelled_bytes_per_iteration")
    if not moved:
        return ceilings, {}
    n, elements = one.attributes["nodes_per_direction"], one.attributes["num_elements"]
    flops = elements * (12 * n**4 + 34 * n**3)
    return ceilings, {
        label_of(one): [(flops / moved, 1e-9 * flops / one.seconds_per_iteration(), "")]
    }


def read_bench(path):
    """Rows of a JSON or CSV that helmbone-bench has written; None if it is none."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            if path.endswith(".csv"):
                lines = file.read().splitlines()
                if f"# schema: {BENCH}" not in lines:
                    return None
                return list(csv.DictReader(line for line in lines if not line.startswith("#")))
            table = json.load(file)
            known = isinstance(table, dict) and table.get("schema") == BENCH
            return table["rows"] if known else None
    except (OSError, ValueError):
        return None  # whose file it is, and what is wrong with it, others say


def of_bench(rows, path):
    """The same of a benchmark: a series a part, kernel, geometry, precision; a point a degree."""
    ceilings, series = {}, {}
    try:
        for row in rows:
            numbers = {
                name: float(row[name]) if row[name] not in (None, "") else 0.0
                for name in ("bytes", "flops", "gflops", "gbytes_per_s")
            }
            if row["part"] in CEILINGS:
                ceilings[row["part"]] = max(1e9 * numbers["gbytes_per_s"],
                                            ceilings.get(row["part"], 0.0))
            elif numbers["bytes"] > 0 and numbers["flops"] > 0 and numbers["gflops"] > 0:
                key = f"{row['part']}: {row['kernel']}, {row['geometry']}, {row['precision']}"
                series.setdefault(key, []).append((numbers["flops"] / numbers["bytes"],
                                                   numbers["gflops"], f"p = {row['degree']}"))
    except (KeyError, ValueError) as error:
        refuse(f"'{path}': a row without {error}")
    return ceilings, series


def roofline(sources):
    """sources: (ceilings, series).  The highest ceilings and all series; None if there is nothing.
    No file has a measured peak of flops, so none is drawn."""
    limits, series = {}, {}
    for ceilings, found in sources:
        series.update(found)
        for name, rate in ceilings.items():
            limits[name] = max(rate, limits.get(name, 0.0))
    if not series or not limits:
        return None
    made, (axes,) = style.figure(width=6.2,
                                  height=4.2,
                                  title="Roofline: measured bandwidth, modelled bytes")
    xs = [x for points in series.values() for x, _, _ in points]
    ends = (min(xs) / 3, max(xs) * 3)
    for (name, rate), dashes in zip(sorted(limits.items()), ("-", "--")):
        axes.plot(ends, [1e-9 * rate * x for x in ends],
                  color=style.GREY,
                  linestyle=dashes,
                  label=f"{name}: {1e-9 * rate:.4g} GB/s, measured")
    for number, (label, points) in enumerate(series.items()):
        points = sorted(points)
        looks = {**style.line(number), "linewidth": 0.8}
        axes.plot([x for x, _, _ in points], [y for _, y, _ in points], label=label, **looks)
        for x, y, tag in points:
            axes.annotate(tag, (x, y), (3, -9), textcoords="offset points", fontsize=6)
    finish(axes, ends)
    return made


def finish(axes, ends):
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(*ends)
    style.plain_log(axes.xaxis, *ends)
    style.plain_log(axes.yaxis, *axes.get_ylim())
    axes.set_xlabel("arithmetic intensity (flop/byte)")
    axes.set_ylabel("GFLOP/s, all ranks")
    axes.legend(loc="upper left", bbox_to_anchor=(0.0, -0.16), ncol=2, frameon=False)
