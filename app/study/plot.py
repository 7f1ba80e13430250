# SPDX-License-Identifier: BSD-3-Clause
# The verb plot: pictures of output files and studies.
"""plot FILE... [OPTION...]
    FILE: an output file of helmbone (NAME.vtkhdf, NAME.hdf), a study's folder, study.json or
    study.csv, or what helmbone-bench has written (NAME.json, NAME.csv).
    Which plots are made follows from what is given:
    residual    of files: residual over iterations
    phases      of a file: time in the timed solves by phases, stacked, over ranks
    imbalance   of a file: each rank's own time over the mean, on the rank grid
    roofline    of files and benchmarks: iterations and kernels below the measured bandwidths
    slices      of a file with fields: solution and error on a layer of points
    scaling     of a study: time, rate, efficiency
    shares      of a study: time an iteration by phases, stacked
    comparison  of several studies of one kind, of two machines: times, efficiencies, ratio

    --only NAMES     some of them, with commas
    --folder DIR     where they are written; default: here
    --formats NAMES  png,svg (default), also pdf
    --slice A[:F]    layer for slices: across axis x, y or z at the fraction F of its elements;
                     default z:0.5
    --labels A,B     names of studies in a comparison; default: their devices or folders
Exit code: 0 all plots were made, 2 bad input, 3 the machine lacks something."""
import os
import re

from study import record, table
from study.base import FORMATS, Refusal, names, read_options, refuse

NAMES = ("residual", "phases", "imbalance", "roofline", "slices", "scaling", "shares", "comparison")
VALUED = {
    "only": ", ".join(NAMES), "folder": "a folder", "formats": ", ".join(FORMATS),
    "slice": "x, y or z, or z:0.5", "labels": "names with commas"
}


def slice_of(text):
    match = re.fullmatch(r"([xyz])(?::(\d*\.?\d+))?", text)
    if not match or not 0 <= float(match[2] or 0.5) <= 1:
        refuse(f"--slice '{text}'; allowed: x, y or z, or with a fraction 0..1: z:0.5")
    return match[1], float(match[2] or 0.5)


def load(paths):
    """Records of output files, tables of studies, rows of benchmarks with their paths."""
    from study import roofline
    records, studies, benches = [], [], []
    for path in paths:
        if os.path.isdir(path):
            inside = os.path.join(path, "study.json")
            if not os.path.exists(inside):
                refuse(f"folder '{path}' has no study.json; a study's folder has")
            path = inside
        rows = roofline.read_bench(path) if path.endswith((".json", ".csv")) else None
        if rows is not None:
            benches.append((rows, path))
        elif path.endswith((".json", ".csv")):
            studies.append({**table.read(path), "path": os.path.abspath(path)})
        else:
            records.append(record.read_or_refuse(path))
    return records, studies, benches


def figures(records, studies, benches, only, where, labels):
    """(name, stem of its file, figure), of all that can be made of what is given."""
    from study import curves, pictures, roofline
    made = []

    def add(name, stem, draw, *arguments):
        figure = draw(*arguments) if only is None or name in only else None
        if figure is not None:
            made.append((name, f"{stem}-{name}" if stem else name, figure))

    stems = stems_of(records)
    whole = stems[0] if len(records) == 1 and not benches else ""
    if records:
        add("residual", whole, pictures.residual, records)
    add(
        "roofline", whole,
        lambda: roofline.roofline([roofline.of_file(one) for one in records] +
                                  [roofline.of_bench(*bench) for bench in benches]))
    for stem, one in zip(stems, records):
        add("phases", stem, pictures.phases, one)
        add("imbalance", stem, pictures.imbalance, one)
        add("slices", stem, pictures.slices, one, *where)
    for stem, figure in curves.of_studies(studies, labels).items():
        name = stem.partition("-")[0]
        if only is None or name in only:
            made.append((name, stem, figure))
    return made


def stems_of(records):
    """Of files to be written; files of one name in several folders get numbers."""
    stems = [record.stem(one) for one in records]
    return [stem if stems.count(stem) == 1 else f"{stem}-{at + 1}" for at, stem in enumerate(stems)]


def main(arguments):
    if not arguments or "--help" in arguments:
        print(__doc__)
        return 0 if arguments else 2
    given, paths = read_options(arguments, VALUED, ("help",))
    for path in paths:
        if path.startswith("--"):
            refuse(f"{path} is not known; allowed: {', '.join('--' + name for name in VALUED)}")
    if not paths:
        refuse("which file? allowed: plot FILE... [OPTION...]")
    only = names("only", given["only"], NAMES) if "only" in given else None
    formats = names("formats", given.get("formats", "png,svg"), FORMATS)
    where = slice_of(given.get("slice", "z"))
    records, studies, benches = load(paths)
    labels = given["labels"].split(",") if "labels" in given else None
    if labels is not None and len(labels) != len(studies):
        refuse(f"--labels '{given['labels']}': {len(labels)} names of {len(studies)} studies")
    made = figures(records, studies, benches, only, where, labels)
    lacking = [name for name in only or NAMES if name not in {name for name, _, _ in made}]
    if not made or only and lacking:
        refuse(f"what was given has nothing to plot for: {', '.join(lacking)}")
    return save_all(made, given.get("folder", "."), formats)


def save_all(made, folder, formats):
    from study import style
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise Refusal(3, f"--folder '{folder}': {error.strerror}") from error
    for _, stem, figure in made:
        for path in style.save(figure, os.path.join(folder, stem), formats):
            print(path)
    return 0
