# SPDX-License-Identifier: BSD-3-Clause
# Tables of the GPU kernels in kernels/*.md, in which a cell has the values of several
# architectures: written, read again, compared.  As a program it is the test of this.
"""isa_tables.py BUILD: the test (which needs nothing of the build)."""
import dataclasses
import os
import re
import sys

from isa_code_objects import KERNELS
from support import build_folder, check, finish

COMPILERS = "| architecture | compiler |"
ALONE = ("gfx908",)  # has sections of its own, whose names end with it


@dataclasses.dataclass
class Document:
    """A file of sections, each a table: {(section, row): {architecture: cells}}.  A cell of the
    file has the values of all architectures, in the order of its table of compilers, or one if
    they are equal.  `columns` gives the titles of a section, the first being that of the row."""
    name: str  # in kernels/
    head: str  # in front of the table of compilers
    notes: str  # behind it
    sections: list  # their order; others come last, sorted
    columns: object  # section -> titles

    @property
    def path(self):
        return os.path.join(KERNELS, self.name)

    @staticmethod
    def architectures(section, compilers):
        own = [name for name in ALONE if section.endswith(f", {name}")]
        return own or [name for name in sorted(compilers) if name not in ALONE]

    def render(self, compilers, table):
        text = self.head + f"{COMPILERS}\n|---|---|\n"
        text += "".join(f"| {name} | {compilers[name]} |\n" for name in sorted(compilers))
        text += self.notes
        found = {section for section, _ in table}
        order = [s for s in self.sections if s in found] + sorted(found - set(self.sections))
        for section in order:
            columns, architectures = self.columns(section), self.architectures(section, compilers)
            text += f"\n## {section}\n\n| {' | '.join(columns)} |\n|{'---|' * len(columns)}\n"
            keys = [row for of, row in table if of == section]
            for row in sorted(keys, key=sort_key):
                cells = [table[section, row].get(name, ["-"] * (len(columns) - 1))
                         for name in architectures]
                merged = [values[0] if len(set(values)) == 1 else " / ".join(values)
                          for values in zip(*cells)]
                name = row if row[:1].isdigit() else f"`{row}`"
                text += f"| {' | '.join([name] + merged)} |\n"
        return text

    def parse(self, text):
        """compilers and table of the file."""
        compilers, table, section, titles = {}, {}, None, False
        for line in text.splitlines():
            if line.startswith("## "):
                section, titles = line[3:], True
            if not line.startswith("| ") or line == COMPILERS:
                continue
            if titles:
                titles = False
                continue
            first, *cells = [cell.strip() for cell in line.strip("|").split("|")]
            if section is None:
                compilers[first] = cells[0]
                continue
            first, values = first.strip("`"), [cell.split(" / ") for cell in cells]
            rows = {name: [v[i] if i < len(v) else v[0] for v in values]
                    for i, name in enumerate(self.architectures(section, compilers))}
            table[section, first] = {name: row for name, row in rows.items() if set(row) != {"-"}}
        return compilers, table

    def read(self):
        if not os.path.exists(self.path):
            return {}, {}
        with open(self.path, encoding="utf-8") as file:
            return self.parse(file.read())

    def write(self, compilers, table):
        with open(self.path, "w", encoding="utf-8") as file:
            file.write(self.render(compilers, {key: row for key, row in table.items() if row}))
        print(f"kernels/{self.name}: {len(table)} rows, {', '.join(sorted(compilers))}")

    def update(self, compiler, architecture, found):
        """Puts in `found`, {(section, row): cells}, for the architecture's rows."""
        compilers, table = self.read()
        for row in table.values():
            row.pop(architecture, None)
        compilers[architecture] = compiler
        for key, cells in found.items():
            table.setdefault(key, {})[architecture] = cells
        self.write(compilers, table)


def sort_key(row):
    """Rows by the number that they begin with, then by their text."""
    number = re.match(r"\d+", row)
    return (int(number[0]) if number else 0, row)


def differences(table, found, architecture, whole=True):
    """Rows that differ, as sentences; `whole`: rows of the table that are not found count."""
    keys = set(found) | ({key for key in table if architecture in table[key]} if whole else set())
    return [f"{', '.join(key)}: the file has {table.get(key, {}).get(architecture)}, the code "
            f"{found.get(key)}" for key in sorted(keys)
            if table.get(key, {}).get(architecture) != found.get(key)]


def check_document(document, compiler, architecture, found, command, whole=True):
    """A check that the file has these rows, if it is of the same compiler; else only words."""
    compilers, table = document.read()
    name = f"kernels/{document.name}"
    if not check(f"{name} is there", compilers, f"run {command}"):
        return
    different = differences(table, found, architecture, whole)
    if compilers.get(architecture) == compiler:
        check(f"{name} fits {architecture}", not different,
              f"in {len(different)} rows: run {command}\n  " + "\n  ".join(different[:5]))
    else:
        print(f"{name}, {architecture}: {len(different)} rows differ; it is of "
              f"{compilers.get(architecture)}, this build of {compiler}")


def main():
    build_folder(__doc__)
    document = Document("none.md", "# Head\n\n", "\nNotes.\n", ["second", "first"],
                        lambda section: ["row", "a", "b"])
    compilers = {"gfx908": "one", "gfx90a": "one", "gfx942": "two"}
    table = {("first", "10"): {"gfx90a": ["1", "x"], "gfx942": ["1", "y"]},
             ("first", "9"): {"gfx942": ["3", "-"]}, ("second", "hb_x<f>"): {"gfx90a": ["4", "4"]},
             ("third, gfx908", "3"): {"gfx908": ["5", "6"]}}
    text = document.render(compilers, table)
    check("self-check: read as written", document.parse(text) == (compilers, table), text)
    check("self-check: order", text.index("## second") < text.index("## first") and
          text.index("| 9 |") < text.index("| 10 |"), text)
    check("self-check: a cell for both", "| 10 | 1 | x / y |" in text, text)
    found = {("first", "10"): ["1", "x"]}
    check("self-check: rows that fit", differences(table, found, "gfx90a", False) == [])
    check("self-check: a row that is missing", len(differences(table, found, "gfx90a")) == 1)
    found["first", "10"] = ["1", "z"]
    check("self-check: a row that does not fit",
          "'x'" in str(differences(table, found, "gfx90a", False)))
    other = differences(table, found, "gfx942", False)
    check("self-check: another architecture's", len(other) == 1)
    return finish()


if __name__ == "__main__":
    sys.exit(main())
