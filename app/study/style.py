# SPDX-License-Identifier: BSD-3-Clause
# How all plots look: colours, markers, hatches, line styles that differ also in grey.
import os

import matplotlib
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

from study.base import Refusal

# The colours of M. Okabe and K. Ito, "Color Universal Design", 2008
# (https://jfly.uni-koeln.de/color/), without the yellow, which is faint on white.
COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X"]
LINES = ["-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)), (0, (1, 1))]
HATCHES = ["", "//", "..", "xx", "\\\\", "++", "oo"]
GREY = "#666666"
# Maps of even lightness steps: of values, and of signed values, whose ends differ also without red
# and green.
VALUES_MAP, SIGNED_MAP = "viridis", "PuOr"
SETTINGS = {
    "font.size": 9, "axes.titlesize": 9, "legend.fontsize": 8, "axes.grid": True,
    "grid.color": "#cccccc", "grid.linewidth": 0.5, "axes.axisbelow": True, "lines.linewidth": 1.5,
    "lines.markersize": 5, "hatch.linewidth": 0.6, "svg.fonttype": "none",
    "svg.hashsalt": "helmbone"
}
RESOLUTION = 200  # points an inch, of PNG
matplotlib.rcParams.update(SETTINGS)


def figure(columns=1, rows=1, width=4.2, height=3.4, title=""):
    """A figure and its axes in a list, row by row."""
    made = Figure(figsize=(width * columns, height * rows), constrained_layout=True)
    axes = made.subplots(rows, columns, squeeze=False)
    if title:
        made.suptitle(title, fontsize=9)
    return made, list(axes.flat)


def line(number):
    """Of the line with this number: colour, marker and style, which all differ."""
    return {
        "color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)],
        "linestyle": LINES[number % len(LINES)]
    }


def area(number):
    return {
        "facecolor": COLOURS[number % len(COLOURS)], "hatch": HATCHES[number % len(HATCHES)],
        "edgecolor": "white", "linewidth": 0.5
    }


def count_axis(axes, counts, label):
    """A logarithmic axis of whole numbers, marked where there are values."""
    axes.set_xscale("log", base=2)
    ticks = thinned(sorted(set(counts)))
    axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
    axes.set_xticks([], minor=True)
    axes.set_xlabel(label)


def plain_log(axis, low, high):
    """Numbers without exponents; within a decade and a half more than powers of ten have one."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.10g}"))
    if high / low < 30:
        axis.set_major_locator(LogLocator(base=10, subs=(1, 2, 5)))
    axis.set_minor_formatter(NullFormatter())


def thinned(values, most=9):
    """At most about so many of them, the first and the last among them."""
    step = -(-len(values) // most)
    kept = values[::step]
    if values[-1] not in kept:
        kept[-1:] = [values[-1]] if len(kept) > 1 and step > 1 else kept[-1:] + [values[-1]]
    return kept


def time_unit(seconds):
    """Factor and name of a unit in which these times are numbers to read."""
    for factor, name in ((1.0, "s"), (1e3, "ms"), (1e6, "us")):
        if max(seconds) * factor >= 1:
            return factor, name
    return 1e9, "ns"


def save(made, stem, formats):
    """stem.png and so on; the paths."""
    paths = []
    for name in formats:
        paths.append(f"{stem}.{name}")
        part = f"{stem}.{os.getpid()}.partial.{name}"
        try:
            made.savefig(part, dpi=RESOLUTION, metadata={"Date": None} if name == "svg" else None)
            os.replace(part, paths[-1])
        except OSError as error:
            raise Refusal(3, f"{paths[-1]} cannot be written: {error.strerror}") from error
    return paths
