# SPDX-License-Identifier: BSD-3-Clause
# Sums what gcov counted in a build folder: lines and branches of app, mesh, io and the host's kernels.
"""Usage: coverage.py BUILD_FOLDER

Prints a row a folder, and the files with the most lines that no test reaches."""
import collections
import json
import os
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
FOLDERS = ["app", "mesh", "io", "kernels"]
NUM_WORST = 12


def reports(build):
    """gcov's report of every object that was compiled, also of those that never ran."""
    for folder, _, names in os.walk(build):
        notes = [name for name in names if name.endswith(".gcno")]
        if not notes:
            continue
        done = subprocess.run(["gcov", "--branch-probabilities", "--json-format", "--stdout", *notes],
                              cwd=folder, capture_output=True, text=True, check=True)
        for line in done.stdout.splitlines():
            if line.startswith("{"):
                yield json.loads(line)


def add_report(report, lines, branches):
    """lines[file][line]: how often; branches[file][line]: how often each.  A file is compiled several
    times, for precisions and instruction sets: a line is reached if one of them reaches it."""
    for file in report["files"]:
        path = os.path.normpath(os.path.join(report["current_working_directory"], file["file"]))
        name = os.path.relpath(path, ROOT)
        if name.split(os.sep)[0] not in FOLDERS:
            continue
        for line in file["lines"]:
            number = line["line_number"]
            lines[name][number] += line["count"]
            counts = [branch["count"] for branch in line["branches"] if not branch["throw"]]
            known = branches[name][number]
            if len(counts) > len(known):
                known.extend([0] * (len(counts) - len(known)))
            for i, count in enumerate(counts):
                known[i] += count


def row(name, lines, branches):
    def share(reached, of):
        return f"{100 * reached / of:6.1f} % of {of:5}" if of else "     none    "
    reached = sum(count > 0 for counts in lines for count in counts.values())
    taken = [count > 0 for counts in branches for line in counts.values() for count in line]
    print(f"{name:34} lines {share(reached, sum(map(len, lines)))}   "
          f"branches {share(sum(taken), len(taken))}")


def main(build):
    lines = collections.defaultdict(collections.Counter)
    branches = collections.defaultdict(lambda: collections.defaultdict(list))
    for report in reports(build):
        add_report(report, lines, branches)
    if not lines:
        print(f"coverage: {build} was not built with HELMBONE_COVERAGE=ON", file=sys.stderr)
        return 1
    for folder in FOLDERS:
        names = [name for name in lines if name.split(os.sep)[0] == folder]
        row(folder, [lines[name] for name in names], [branches[name] for name in names])
    row("all", lines.values(), branches.values())
    def missed(name):
        return sum(count == 0 for count in lines[name].values())
    print("Most lines that no test reaches:")
    for name in sorted(lines, key=missed, reverse=True)[:NUM_WORST]:
        row("  " + name, [lines[name]], [branches[name]])
    return 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        print(__doc__)
        sys.exit(2)
    sys.exit(main(sys.argv[1]))
