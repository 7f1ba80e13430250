# SPDX-License-Identifier: BSD-3-Clause
# What a planted fault is: its edits of the sources, its harm, and who has to see it.
import collections

Edit = collections.namedtuple("Edit", "file where anchor text")
Plant = collections.namedtuple("Plant", "name kind seers harm part edits")

# What a plant changes, and how the change is measured:
SOLUTION = "solution"  # the solution, in units of what the case resolves
FILE = "file"  # the file alone, bit by bit but for times: the solve is what it was
FIGURE = "figure"  # a figure that is timed, and differs from run to run: always harm

# Changes that every plant needs: where a rank is, and which solve.
hooks = []
plants = []


def before(file, anchor, text):
    return Edit(file, "before", anchor, text)


def after(file, anchor, text):
    return Edit(file, "after", anchor, text)


def instead(file, anchor, text):
    return Edit(file, "instead", anchor, text)


def hook(*edits):
    """Edits of the copy that change nothing by themselves."""
    hooks.extend(edits)


def plant(name, kind, seers, *edits, harm=SOLUTION, part=None):
    """A fault.  PLANT in a text is true while it is active.  seers: the gates and checks of which
    one at least has to see it where it does harm (crash and timeout count only if they are named).
    part: the case that shows it in the part for every run of the tests."""
    assert all(name != other.name for other in plants), name
    plants.append(Plant(name, kind, seers.split(), harm, part, edits))
