# SPDX-License-Identifier: BSD-3-Clause
# Reads the plants of *.plants: their edits of the sources, their harm, and who has to see them.
"""A file of plants has lines
  kind WORD                        of the plants that follow
  hook                             edits follow that change nothing by themselves
  plant NAME: SEER... [HARM]       its edits follow
  WHERE FILE: ANCHOR               an edit: WHERE is before, after or instead; the anchor, with
                                   \\n for a new line, has to be in the file exactly once
  each WHERE FILE: ANCHOR          where plants are that name no place of their own
and, two blanks indented, the text of the edit before it.  PLANT in a text is true while the plant
is active.  Seers are the gates and checks of which one at least has to see the plant where it does
harm; others may, but a crash, a timeout and helmbone-inspect only if they are named.  Harm is of
  the solution   (where nothing is said) in units of what the case resolves;
  [file]         the file, bit by bit but for times: the solve is what it was;
  [figure]       a figure that differs from run to run: always harm."""
import collections
import glob
import os
import re

Edit = collections.namedtuple("Edit", "file where anchor text")
Plant = collections.namedtuple("Plant", "name kind seers harm edits")
SOLUTION, FILE, FIGURE = "solution", "file", "figure"
PLACE = re.compile(r"(each )?(before|after|instead) (\S+): (.*)")
HEAD = re.compile(r"plant (\S+): ([\w ]+?)(?: \[(file|figure)\])?")


class Reader:
    """What a file has so far."""

    def __init__(self):
        self.hooks, self.plants = [], []
        self.kind, self.place, self.edits = "", None, self.hooks

    def line(self, text):
        place, head = PLACE.fullmatch(text), HEAD.fullmatch(text)
        if text.startswith("  "):
            self.text(text[2:])
        elif text.startswith("kind "):
            self.kind = text[5:]
        elif text == "hook":
            self.edits = self.hooks
        elif place:
            edit = Edit(place[3], place[2], place[4].replace("\\n", "\n"), "")
            if place[1]:
                self.place = edit
            else:
                self.edits.append(edit)
        elif head:
            self.edits = []
            self.plants.append(Plant(head[1], self.kind, head[2].split(), head[3] or SOLUTION,
                                     self.edits))
        elif text and not text.startswith("#"):
            raise ValueError(f"plants: what is '{text}'?")

    def text(self, text):
        if not self.edits:
            self.edits.append(self.place)
        self.edits[-1] = self.edits[-1]._replace(text=self.edits[-1].text + text + "\n")


def read():
    """Hooks and plants of all files here."""
    reader = Reader()
    here = os.path.dirname(os.path.realpath(__file__))
    for path in sorted(glob.glob(os.path.join(here, "*.plants"))):
        with open(path, encoding="utf-8") as file:
            for line in file:
                reader.line(line.rstrip("\n"))
    names = [fault.name for fault in reader.plants]
    twice = [name for name, count in collections.Counter(names).items() if count > 1]
    if twice:
        raise ValueError(f"plant {twice[0]} is there twice")
    for fault in reader.plants:
        if not fault.edits or not all("PLANT" in "".join(edit.text for edit in fault.edits)
                                      for edit in fault.edits):
            raise ValueError(f"plant {fault.name} has no text with PLANT")
    return reader.hooks, reader.plants


hooks, plants = read()
