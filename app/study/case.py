# SPDX-License-Identifier: BSD-3-Clause
# A case as a study sees it: its file, options over it, lists of numbers, near-cubic boxes.
import math
import os
import re

from study.base import refuse, split_option

# What a study must know of a case, with helmbone's presets; end_to_end_scale.py compares them with
# what helmbone says.
PRESETS = {
    "degree": "7", "nx": "4", "ny": "4", "nz": "4", "size_is": "global", "px": "0", "py": "0",
    "pz": "0", "fields": "yes"
}
MOST_RANKS, MOST_RUNS = 10**6, 500
LIST_WORDS = ("a list of numbers, 1,2,4, of ranges, 2..8 (each number), 8..64+8 (plus 8) or "
              "1..64x2 (times 2)")


def read_case(path):
    """name: value, of the lines of a case file."""
    values = {}
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as error:
        refuse(f"case file '{path}': {getattr(error, 'strerror', None) or 'not a text'}")
    for line in lines:
        name, equals, value = re.split("[#;]", line, maxsplit=1)[0].partition("=")
        if equals:
            values[name.strip()] = value.strip()
    return values


def read_arguments(words):
    """helmbone's own options, in order: (name, value), None for flags."""
    options, words = [], list(words)
    while words:
        word = words.pop(0)
        if not word.startswith("--") or word == "--":
            refuse(f"'{word}' is neither an option nor a value of one")
        name, value = split_option(word)
        if value is None and words and not words[0].startswith("--"):
            value = words.pop(0)
        if name in dict(options):
            refuse(f"--{name} is given twice")
        options.append((name, value))
    return options


class Case:
    """A case file with options over it."""
    def __init__(self, path, options):
        if not os.path.isfile(path):
            refuse(f"case file '{path}': no such file")
        self.path = os.path.realpath(path)
        self.options = options
        self.values = read_case(path)
        for name in ("output", "file"):
            if name in dict(options):
                refuse(f"--{name}: a study names its files itself, in its --folder")
        for name in ("help", "version"):
            if name in dict(options):
                refuse(f"--{name} makes no study")

    def value(self, name):
        return dict(self.options).get(name) or self.values.get(name) or PRESETS[name]

    def number(self, name, least):
        text = self.value(name)
        if not re.fullmatch(r"\d{1,18}", text) or int(text) < least:
            refuse(f"{name} = '{text}'; allowed: a whole number of at least {least}")
        return int(text)

    def box(self):
        return tuple(self.number(name, 1) for name in ("nx", "ny", "nz"))

    def degree(self):
        return self.number("degree", 1)

    def words(self, own):
        """The options as words of a command; `own`, of the study, in place of the case's."""
        given = [(name, value) for name, value in self.options if name not in own]
        return [
            word for name, value in given + list(own.items())
            for word in ([f"--{name}"] if value is None else [f"--{name}", str(value)])
        ]


def number_list(name, text, least, most, scientific=False):
    """Rising numbers of LIST_WORDS."""
    digits = r"\d+(?:\.\d+)?(?:e\+?\d+)?" if scientific else r"\d+"
    numbers = set()
    for part in text.split(","):
        match = re.fullmatch(rf"({digits})(?:\.\.({digits})(?:([+x])({digits}))?)?", part.strip())
        if not match:
            refuse(f"--{name} '{text}'; allowed: {LIST_WORDS}, within {least}..{most}")
        first, last = (float(match[1]), float(match[2] or match[1]))
        by, step = match[3] or "+", float(match[4] or 1)
        if first < least or last > most or first > last or (step <= 1 if by == "x" else step <= 0):
            refuse(
                f"--{name} '{part}': numbers within {least}..{most}, rising; allowed: {LIST_WORDS}")
        while first <= last and len(numbers) <= MOST_RUNS:
            numbers.add(round(first))
            first = first * step if by == "x" else first + step
    if len(numbers) > MOST_RUNS:
        refuse(f"--{name} '{text}': more than {MOST_RUNS} runs")
    return sorted(numbers)


def doubling(most):
    """1, 2, 4 ... up to most, which is among them."""
    return sorted({2**k for k in range(most.bit_length()) if 2**k <= most} | {most})


def near_cubic(elements):
    """(nx, ny, nz), nx >= ny >= nz, nx <= 2 nz where that is possible, whose product is nearest to
    `elements` (by ratio), of those the nearest to a cube."""
    best = None
    top = round(elements**(1 / 3)) + 1
    for nz in range(max(top - 20, 1), top + 1):
        for ny in range(nz, min(2 * nz, nz + 20) + 1):
            even = int(elements / (ny * nz))
            for nx in {even, even + 1, ny, 2 * nz}:
                if nx < ny or nx > 2 * nz:
                    continue
                off = abs(math.log(nx * ny * nz / elements))
                rank = (round(off, 9), nx * ny + ny * nz + nz * nx, nx)
                if best is None or rank < best[0]:
                    best = (rank, (nx, ny, nz))
    return best[1]
