# SPDX-License-Identifier: BSD-3-Clause
# Builds all plants into one copy of the sources; HELMBONE_PLANT chooses among them at run time.
import os
import re
import subprocess
import sys

import plant

HERE = os.path.dirname(os.path.realpath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SETTINGS = ["CMAKE_C_COMPILER", "CMAKE_C_COMPILER_LAUNCHER", "CMAKE_PREFIX_PATH", "HDF5_ROOT",
            "HDF5_C_COMPILER_EXECUTABLE", "MPI_C_COMPILER", "MPI_HOME"]
FOLDERS = ["app", "io", "kernels", "mesh"]
# What hb_plant.c says, for the sources that have edits.
DECLARED = """\
extern int hb_plant, hb_plant_rank, hb_plant_ranks, hb_plant_solve, hb_plant_last_solve;
extern int hb_plant_passes;
#define FIRST_RANK (hb_plant_rank == 0)
#define LAST_RANK (hb_plant_rank == hb_plant_ranks - 1)
#define FIRST_SOLVE (hb_plant_solve == 0)
#define LAST_SOLVE hb_plant_last_solve
"""


def sources():
    """Paths of the program's files, from the root."""
    found = ["CMakeLists.txt"]
    for folder in FOLDERS:
        for path, _, names in os.walk(os.path.join(ROOT, folder)):
            found += [os.path.relpath(os.path.join(path, name), ROOT) for name in names
                      if not name.endswith(".pyc")]
    return found


def edits():
    """(name of the plant, edit with its condition), hooks first."""
    found = [("hook", edit) for edit in plant.hooks]
    for number, fault in enumerate(plant.plants, 1):
        active = f"(hb_plant == {number})"
        found += [(fault.name, edit._replace(text=edit.text.replace("PLANT", active)))
                  for edit in fault.edits]
    return found


def apply(file, text, wanted):
    """The text with the edits; an anchor that is not there exactly once is an error."""
    places = []  # begin, end, order, replacement
    for order, (name, edit) in enumerate(wanted):
        count = text.count(edit.anchor)
        if count != 1:
            raise ValueError(f"plant {name}: '{edit.anchor}' is {count} times in {file}, not once")
        begin = text.index(edit.anchor)
        end = begin + len(edit.anchor)
        if edit.where == "before":
            places.append((begin, begin, order, edit.text))
        elif edit.where == "after":
            places.append((end, end, order, "\n" + edit.text))
        else:
            places.append((begin, end, order, edit.text.rstrip("\n")))
    result, at = "", 0
    for begin, end, order, new in sorted(places):
        if begin < at:
            raise ValueError(f"plant {wanted[order][0]}: '{wanted[order][1].anchor}' of {file} "
                             "is also in another plant's anchor")
        result += text[at:begin] + new
        at = end
    return DECLARED + result + text[at:]


def write_if_changed(path, data):
    try:
        with open(path, "rb") as file:
            if file.read() == data:
                return
    except OSError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)


def copy(folder):
    """The sources with all plants into folder; what is no longer there goes."""
    by_file = {}
    for name, edit in edits():
        by_file.setdefault(edit.file, []).append((name, edit))
    wanted = {}
    for path in sources():
        with open(os.path.join(ROOT, path), "rb") as file:
            wanted[path] = file.read()
    with open(os.path.join(HERE, "hb_plant.c"), "rb") as file:
        wanted["kernels/hb_plant.c"] = file.read()
    for path, list_ in by_file.items():
        if path not in wanted:
            raise ValueError(f"plant {list_[0][0]}: there is no {path}")
        wanted[path] = apply(path, wanted[path].decode(), list_).encode()
    for path, data in wanted.items():
        write_if_changed(os.path.join(folder, path), data)
    for path, _, names in os.walk(folder):
        for name in names:
            if os.path.relpath(os.path.join(path, name), folder) not in wanted:
                os.remove(os.path.join(path, name))


def run_logged(log, command):
    with open(log, "w", encoding="utf-8") as file:
        code = subprocess.run(command, stdout=file, stderr=subprocess.STDOUT,
                              check=False).returncode
    if code != 0:
        with open(log, encoding="utf-8") as file:
            sys.stdout.write("".join(file.readlines()[-40:]))
        raise ValueError(f"code {code}: {' '.join(command)} (all of its output: {log})")


def settings(cache):
    """How CMake was told to find compiler, MPI and HDF5, of a build that is configured."""
    try:
        with open(cache, encoding="utf-8") as file:
            found = dict(re.findall(r"^(\w+):[A-Z]+=(.+)$", file.read(), re.MULTILINE))
    except OSError:
        return []
    return [f"-D{name}={found[name]}" for name in SETTINGS if name in found]


def build(folder, cache):
    """Builds the planted programs under folder, configured as `cache` says; returns where they
    are."""
    tree, out = os.path.join(folder, "tree"), os.path.join(folder, "build")
    copy(tree)
    os.makedirs(out, exist_ok=True)
    if not os.path.exists(os.path.join(out, "Makefile")):
        run_logged(os.path.join(folder, "configure.log"),
                   ["cmake", "-G", "Unix Makefiles", "-S", tree, "-B", out, "-DHELMBONE_PLANT=ON",
                    "-DHELMBONE_HOST_ISA=v3", "-DBUILD_TESTING=OFF", *settings(cache)])
    run_logged(os.path.join(folder, "build.log"),
               ["cmake", "--build", out, f"-j{os.cpu_count() or 1}", "--target", "helmbone",
                "helmbone-bench", "helmbone-inspect"])
    return out
