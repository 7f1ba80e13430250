# SPDX-License-Identifier: BSD-3-Clause
# The runs of a series: which numbers of ranks or sizes, and helmbone's options of each.
import dataclasses
import os

from study import case as cases
from study.base import refuse

MODES = ("strong", "weak", "throughput")


@dataclasses.dataclass
class Run:
    name: str  # of its files
    ranks: int
    elements: float  # a rank, on average
    options: dict  # of helmbone, set by the study
    load: float  # points a rank, to guess times
    if_needed: bool = False  # left out once the series has fallen below 80 %


def make(mode, case, given, most):
    """given: the options of the study; most: ranks where it names none."""
    if mode != "throughput" and "points" in given:
        refuse(f"--points belongs to throughput; {mode} goes over --ranks")
    if "ranks" in given:
        ranks = cases.number_list("ranks", given["ranks"], 1, cases.MOST_RANKS)
    else:
        ranks = [most] if mode == "throughput" else cases.doubling(most)
    if len(ranks) > 1:
        fixed = [name for name in ("px", "py", "pz") if case.number(name, 0) > 0]
        if len(fixed) == 3:
            refuse("px, py and pz are all fixed: that suits one number of ranks; leave one at 0")
    if mode == "strong":
        return strong(case, ranks)
    if mode == "weak":
        return weak(case, ranks)
    if len(ranks) != 1:
        refuse(
            f"--ranks '{given['ranks']}': throughput has one number of ranks and goes over sizes")
    return throughput(case, ranks[0], given.get("points"))


def strong(case, ranks):
    """The box stays."""
    if case.value("size_is") != "global":
        refuse("size_is = per_rank in a strong study, whose box stays; allowed: global, or weak")
    nx, ny, nz = case.box()
    elements, points = nx * ny * nz, nx * ny * nz * case.degree()**3
    return [Run(f"ranks-{r:06d}", r, elements / r, {}, points / r) for r in ranks]


def per_rank(box):
    return {"size_is": "per_rank", "nx": box[0], "ny": box[1], "nz": box[2]}


def weak(case, ranks):
    """Each rank has the elements of the case; helmbone multiplies the box by its grid of ranks."""
    box = case.box()
    elements = box[0] * box[1] * box[2]
    return [
        Run(f"ranks-{r:06d}", r, elements, per_rank(box),
            elements * case.degree()**3) for r in ranks
    ]


def throughput(case, ranks, points):
    """Boxes a rank, the largest first: of about that many points, or the case's, a half, a quarter
    and so on of its elements."""
    cubed = case.degree()**3
    if points is not None:
        wanted = cases.number_list("points", points, 1, 10**12, scientific=True)
        boxes = [cases.near_cubic(max(p / cubed, 1)) for p in wanted]
    else:
        boxes = [case.box()]
        while boxes[-1] != (1, 1, 1):
            smaller = boxes[-1][0] * boxes[-1][1] * boxes[-1][2] / 2
            boxes.append(cases.near_cubic(max(smaller, 1)))
    runs = {}
    for box in boxes:
        elements = box[0] * box[1] * box[2]
        runs[elements] = Run(f"elements-{elements:09d}",
                             ranks,
                             elements,
                             per_rank(box),
                             elements * cubed,
                             if_needed=points is None)
    return [runs[elements] for elements in sorted(runs, reverse=True)]


def weights(runs, slots):
    """How long each run takes beside the others; ranks beyond the slots (0: there are enough) take
    turns.  The constant is of what every run does: start, bandwidth, gates."""
    return [run.load * (max(run.ranks / slots, 1) if slots else 1) + 2e5 for run in runs]


def slots(kind):
    return len(os.sched_getaffinity(0)) if kind in ("mpirun", "hydra") else 0
