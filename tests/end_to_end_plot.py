# SPDX-License-Identifier: BSD-3-Clause
# Plots: they show what files hold; labels with units, nothing cut off, lines that differ in grey.
"""Usage: end_to_end_plot.py BUILD_FOLDER"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import support
from support import check, on_ranks, run

support.require("h5py", "matplotlib")
import h5py
import numpy as np

from study_support import STUDY
from study import curves, pictures, plot, record, roofline, style, table
from study.base import Refusal

CASE = [
    os.path.join(support.INPUTS, "quick.ini"), "--deformation", "none", "--degree", "3", "--nx",
    "4", "--ny", "3", "--nz", "2", "--lx", "2", "--ly", "1", "--lz", "1", "--warmup", "0",
    "--repeats", "1", "--tolerance", "1e-8"
]
NUMBERS = ("iteration", "MPI rank", "MPI ranks", "ranks along ", "unique points a rank",
           "GFLOP/s, all ranks", "MPI rank (the file does not have the grid)")


def check_form(name, made):
    """Labels with units; nothing outside of the figure; numbers apart; lines that differ."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    canvas = FigureCanvasAgg(made)
    canvas.draw()
    renderer, whole = canvas.get_renderer(), made.bbox
    for axes in made.axes:
        if not axes.get_visible():
            continue
        for which, label in (("x", axes.get_xlabel()), ("y", axes.get_ylabel())):
            bar = axes.get_label() == "<colorbar>" or which == "y" and not axes.get_yticks().size
            check(
                f"{name}: label of {which} '{label}'", bar and which == "x" or
                label.endswith(")") or label.startswith(NUMBERS) or bar and label == "", label)
        boxes = [
            text.get_window_extent(renderer)
            for text in [axes.title, axes.xaxis.label, axes.yaxis.label] if text.get_text()
        ]
        legend = axes.get_legend()
        boxes += [legend.get_window_extent(renderer)] if legend else []
        for box in boxes:
            check(
                f"{name}: within the figure", box.x0 >= whole.x0 - 1 and box.x1 <= whole.x1 + 1 and
                box.y0 >= whole.y0 - 1 and box.y1 <= whole.y1 + 1, box)
        for which, axis in (("x", axes.xaxis), ("y", axes.yaxis)):
            spans = sorted((box.x0, box.x1) if which == "x" else (box.y0, box.y1)
                           for box in (text.get_window_extent(renderer)
                                       for text in axis.get_ticklabels() if text.get_text()))
            check(f"{name}: numbers of {which} apart",
                  all(a[1] <= b[0] + 1 for a, b in zip(spans, spans[1:])), spans)
        lines = [line for line in axes.lines if line.get_marker() not in ("None", "", None)]
        check(
            f"{name}: lines differ without colour",
            len({line.get_marker()
                 for line in lines}) == len(lines) and
            len({str(line.get_linestyle())
                 for line in lines}) == len(lines))
        check(f"{name}: colours", all(line.get_color() in style.COLOURS for line in lines))
    if made._suptitle:  # pylint: disable=protected-access
        box = made._suptitle.get_window_extent(renderer)
        check(f"{name}: title within the figure", whole.x0 <= box.x0 and box.x1 <= whole.x1, box)


def near(a, b):
    return np.shape(a) == np.shape(b) and np.allclose(a, b, rtol=1e-9, atol=0)


# ---- output files --------------------------------------------------------------------------------


def check_residual(one):
    made = pictures.residual([one])
    check_form("residual", made)
    (line, ) = made.axes[0].lines
    with h5py.File(one.path) as file:
        history = file["solver/residual_history"][:]
    check(
        "residual: the history",
        near(line.get_xdata(), history["iteration"]) and
        near(line.get_ydata(), history["relative_residual"]) and made.axes[0].get_yscale() == "log")
    made = pictures.residual([one, one, one])
    check("residual: of three files",
          len(made.axes[0].lines) == 3 and len(made.axes[0].get_legend().get_texts()) == 3)
    check_form("residuals", made)


def check_phases(one):
    made = pictures.phases(one)
    check_form("phases", made)
    axes = made.axes[0]
    factor = {"s": 1, "ms": 1e3, "us": 1e6}[axes.get_ylabel()[-3:-1].strip("(")]
    with h5py.File(one.path) as file:
        rows = file["timings/per_rank"][:]
    bottom = np.zeros(one.ranks)
    for bars, phase in zip(axes.containers,
                           ("operator_s", "vector_s", "exchange_wait_s", "reduction_s")):
        check(
            f"phases: {phase}",
            near([bar.get_height() for bar in bars], factor * rows[phase]) and
            near([bar.get_y() for bar in bars], bottom))
        bottom = bottom + factor * rows[phase]
    check("phases: four, of different hatches",
          len(axes.containers) == 4 and len({bars[0].get_hatch()
                                             for bars in axes.containers}) == 4)


def check_imbalance(one):
    own = one.times["operator_s"] + one.times["vector_s"]
    if "work_s" in one.measured_own:
        own = one.measured_own["work_s"]
    made = pictures.imbalance(one)
    check_form("imbalance", made)
    image = made.axes[0].images[0]
    check(
        "imbalance: ranks over their grid",
        near(np.array(image.get_array()), (own / own.mean()).reshape(1, -1)) and
        made.axes[0].get_xlabel() == "ranks along x", image.get_array())
    low, high = image.get_clim()
    check("imbalance: 1 is the middle", abs(low + high - 2) < 1e-12)


def of_many(folder, ranks, grid, name):
    """A file of many ranks, whose times rise; helmbone's layout, as far as it is read."""
    path = os.path.join(folder, name)
    with h5py.File(path, "w") as file:
        elements = [2 * p for p in grid]
        file.attrs.update(schema="helmbone-output",
                          complete=1,
                          mpi_ranks=ranks,
                          device="Abacus",
                          precision="f64",
                          num_elements=int(np.prod(elements)),
                          polynomial_order=2,
                          nodes_per_direction=3,
                          command_line="helmbone")
        for axis, count in zip("xyz", elements):
            file.attrs[f"num_elements_{axis}"] = count
        file.create_group("solver").attrs.update(status="VALID", iterations=10, median_solve_s=1.0)
        file.create_group("configuration").attrs.update(
            {"mesh.size_is": "per_rank", "mesh.nx": "2", "mesh.ny": "2", "mesh.nz": "2"})
        rows = np.zeros(ranks, dtype=[("rank", "i4")] + [(phase, "f8") for phase in record.PHASES])
        rows["operator_s"] = 100 + np.arange(ranks)
        file["timings/per_rank"] = rows
        file["timings/host"] = np.array([f"node{r}" for r in range(ranks)], dtype="S8")
    return record.read(path)


def check_many(folder):
    one = of_many(folder, 60, (5, 4, 3), "many.vtkhdf")
    own = (100 + np.arange(60)) / (100 + np.arange(60)).mean()
    made = pictures.imbalance(one)
    check_form("imbalance of 60", made)
    images = [np.array(axes.images[0].get_array()) for axes in made.axes if axes.images]
    check("imbalance: layers of the grid",
          len(images) == 3 and near(np.stack(images), own.reshape(3, 4, 5)))
    check("imbalance: the slowest is named", "rank 59 on node59" in made._suptitle.get_text())
    made = pictures.phases(one)
    check_form("phases of 60", made)
    check("phases: an area where bars would be too many", len(made.axes[0].collections) == 4)
    with h5py.File(one.path, "r+") as file:
        file["configuration"].attrs["mesh.size_is"] = "global"
    made = pictures.imbalance(record.read(one.path))
    check(
        "imbalance: a row where the grid is unknown",
        made.axes[0].images[0].get_array().shape == (1, 60) and
        "does not have the grid" in made.axes[0].get_xlabel())
    check_form("imbalance in a row", made)


def check_slices(one):
    with h5py.File(one.path) as file:
        points, solution = file["VTKHDF/Points"][:], file["fields/solution"][:]
        error = file["fields/error"][:]
    for axis, at, place in (("z", 0.5, 0.5), ("x", 0.0, 0.0), ("y", 1.0, 1.0), ("x", 0.5, 1.0)):
        made = pictures.slices(one, axis, at)
        check_form(f"slice {axis}", made)
        number = "xyz".index(axis)
        others = [a for a in range(3) if a != number]
        on = np.flatnonzero(np.abs(points[:, number] - place) < 1e-9)
        for axes, values in zip(made.axes, (solution, error)):
            (mesh, ) = axes.collections
            drawn = np.column_stack(
                [mesh.get_coordinates().reshape(-1, 2),
                 np.ravel(mesh.get_array())])
            expected = {tuple(np.round([*points[p, others], values[p]], 12)) for p in on}
            check(f"slice {axis} = {place}: every point and no other",
                  {tuple(np.round(row, 12))
                   for row in drawn} == expected and
                  len(drawn) == [4 * 3 + 1, 3 * 3 + 1, 2 * 3 + 1][others[0]] *
                  [4 * 3 + 1, 3 * 3 + 1, 2 * 3 + 1][others[1]], (len(drawn), len(expected)))
        check(f"slice {axis}: names", [axes.get_title()
                                       for axes in made.axes[:2]] == ["solution", "error"] and
              made.axes[0].get_xlabel() == "xyz"[others[0]] + " (m)" and
              f"{axis} = {place:.4g} m" in made._suptitle.get_text(), made._suptitle.get_text())


BENCH = [{
    "degree": 3, "part": "operator", "bytes": 2e6, "flops": 1e6, "gflops": 5.0, "gbytes_per_s": 10.0
}, {
    "degree": 7, "part": "operator", "bytes": 2e6, "flops": 3e6, "gflops": 12.0, "gbytes_per_s": 8.0
}, {"degree": 7, "part": "exchange", "bytes": 2e6, "flops": 0, "gflops": None,
    "gbytes_per_s": 1.0}, {
        "degree": 3, "part": "copy", "bytes": 2e6, "flops": 0, "gflops": None, "gbytes_per_s": 19.0
    }, {
        "degree": 7, "part": "copy", "bytes": 2e6, "flops": 0, "gflops": None, "gbytes_per_s": 20.0
    }]


def check_roofline(one, folder):
    made = roofline.roofline([roofline.of_file(one)])
    check_form("roofline", made)
    axes = made.axes[0]
    with h5py.File(one.path) as file:
        solver, machine = dict(file["solver"].attrs), file["machine"][:]
    flops = 24 * (12 * 4**4 + 34 * 4**3)
    expected = (flops / solver["modelled_bytes_per_iteration"], solver["fom_nekbone_gflops"])
    for line, name in zip(axes.lines, ("copy", "triad")):
        rate = 1e-9 * machine[f"{name}_bytes_per_s"].sum()
        check(
            f"roofline: {name}",
            near(line.get_ydata() / line.get_xdata(), [rate, rate]) and
            f"{name}: {rate:.4g} GB/s" in line.get_label(), line.get_label())
    check(
        "roofline: the iteration",
        len(axes.lines) == 3 and
        near([axes.lines[2].get_xdata()[0], axes.lines[2].get_ydata()[0]], expected), expected)
    path = os.path.join(folder, "bench.json")
    same = {"kernel": "simd", "geometry": "stored", "precision": "f64"}
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"schema": "helmbone-bench", "rows": [{**row, **same} for row in BENCH]}, file)
    rows = roofline.read_bench(path)
    made = roofline.roofline([roofline.of_bench(rows, path)])
    check_form("roofline of a benchmark", made)
    ceiling, operator = made.axes[0].lines
    check("roofline: the highest copy", near(ceiling.get_ydata() / ceiling.get_xdata(),
                                             [20.0, 20.0]))
    check(
        "roofline: kernels with flops",
        near(operator.get_xdata(), [0.5, 1.5]) and near(operator.get_ydata(), [5.0, 12.0]) and
        "operator: simd" in operator.get_label())
    text = "# schema: helmbone-bench\n" + ",".join([*BENCH[0], *same]) + "\n" + "".join(
        ",".join("" if value is None else str(value) for value in {**row, **same}.values()) + "\n"
        for row in BENCH)
    with open(path[:-5] + ".csv", "w", encoding="utf-8") as file:
        file.write(text)
    again = roofline.of_bench(roofline.read_bench(path[:-5] + ".csv"), path)
    check("roofline: CSV as JSON", again == roofline.of_bench(rows, path), again)


# ---- studies -------------------------------------------------------------------------------------


def study(mode, device, factor=1.0, count=7):
    """A table of a machine that is `factor` times as slow."""
    rows = []
    for k in range(count):
        ranks, points = (4, 1000 *
                         4**k) if mode == "throughput" else (2**k, 64000 /
                                                             (2**k if mode == "strong" else 1))
        seconds = factor * (1e-8 * points + 1e-5 * (1 + k / 5))
        rows.append({
            "status": "VALID", "reason": "", "ranks": ranks, "elements_per_rank": points / 64,
            "points_per_rank": points, "iterations": 100, "seconds_per_iteration": seconds,
            "fom_nekbone_gflops": 2e-7 * points * ranks / seconds,
            "dof_iterations_per_s": points * ranks / seconds, "efficiency": None,
            "operator_share": 0.6, "vectors_share": 0.1, "exchange_share": 0.2, "sums_share": 0.1,
            "imbalance": 1.1, "slowest_rank": 0, "slowest_host": "node0", "slowest_device": device,
            "file": ""
        })
    return table.make(mode, {"title": "quick, degree 4", "device": device, "notes": []}, rows,
                      "operator_s")


def check_curves():
    for mode in table.EFFICIENCY:
        one = study(mode, "Abacus, brass")
        made = curves.of_studies([one])
        check(f"{mode}: plots of a study", list(made) == ["scaling", "shares"])
        for name, figure in made.items():
            check_form(f"{mode} {name}", figure)
        left, right = made["scaling"].axes
        key = "points_per_rank" if mode == "throughput" else "ranks"
        rows = sorted(one["rows"], key=lambda row, key=key: row[key])
        values = [
            1e-6 * row["dof_iterations_per_s"] /
            4 if mode == "throughput" else row["seconds_per_iteration"] for row in rows
        ]
        drawn = np.array(left.lines[0].get_ydata())
        check(
            f"{mode}: measured",
            near(left.lines[0].get_xdata(), [row[key] for row in rows]) and
            near(drawn / drawn[0],
                 np.array(values) / values[0]))
        check(f"{mode}: efficiency",
              near(right.lines[0].get_ydata(), [row["efficiency"] for row in rows]))
        if mode == "throughput":
            check(
                "throughput: n_0.8",
                near(left.lines[1].get_xdata(), [one["n_08"]] * 2) and near(drawn, values) and
                f"{one['n_08']:.0f}" in left.get_legend().get_texts()[0].get_text())
        else:
            ideal = [drawn[0] / (row["ranks"] if mode == "strong" else 1) for row in rows]
            check(f"{mode}: ideal", near(left.lines[1].get_ydata(), ideal))
        heights = [
            sum(bars[at].get_height() for bars in made["shares"].axes[0].containers)
            for at in range(7)
        ]
        check(
            f"{mode}: shares add up",
            np.allclose(
                np.array(heights) / heights[0],
                [row["seconds_per_iteration"] / rows[0]["seconds_per_iteration"] for row in rows]))


def check_comparison():
    for mode in table.EFFICIENCY:
        two = [study(mode, "Abacus, brass"), study(mode, "Slide rule, wood", 2.0, 6)]
        made = curves.of_studies(two)
        check(f"{mode}: two studies are compared", list(made) == ["comparison"])
        figure = made["comparison"]
        check_form(f"{mode} comparison", figure)
        words = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
        check(f"{mode}: the machines are named",
              [word for word in words if "=" not in word][:2] == ["Abacus", "Slide rule"], words)
        ratio = figure.axes[2].lines[0]
        check(f"{mode}: the second is half as fast", near(ratio.get_ydata(), [0.5] * 6),
              ratio.get_ydata())
    bad = study("strong", "Abacus")
    bad["rows"][2]["status"] = "INVALID"
    figure = curves.of_studies([bad])["scaling"]
    check(
        "what is not VALID is left out, and said",
        len(figure.axes[0].lines[0].get_xdata()) == 6 and
        "1 of 7 runs are not VALID" in figure._suptitle.get_text())
    names = curves.labels_of([{**study("weak", "Abacus"), "path": f"/a/{name}/study.json"}
                              for name in ("old", "new")])
    check("studies of one machine are told apart by their folders", names == ["old", "new"], names)
    both = curves.of_studies([study("weak", "A"), study("strong", "A")])
    check("studies of two kinds",
          sorted(both) == ["scaling-strong", "scaling-weak", "shares-strong", "shares-weak"])


# ---- the command ---------------------------------------------------------------------------------


def refusal(*words):
    try:
        plot.main(list(words))
    except Refusal as refused:
        return refused.code, str(refused)
    return 0, ""


def check_command(path, folder):
    place = os.path.join(folder, "study")
    os.mkdir(place)
    made = study("strong", "Abacus")
    for name, text in (("study.json", table.as_json(made)), ("study.csv", table.as_csv(made)),
                       ("other.json", "{}"), ("other.csv", "a,b\n1,2\n"), ("text.vtkhdf",
                                                                           "no HDF5")):
        with open(os.path.join(place, name), "w", encoding="utf-8") as file:
            file.write(text)
    target = os.path.join(folder, "plots")
    done = subprocess.run(
        [sys.executable, STUDY, "plot", path, place, "--folder", target, "--formats", "png,svg"],
        capture_output=True,
        text=True,
        check=False)
    of_file = ("residual", "roofline", "phases", "imbalance", "slices")
    names = [f"run-{name}" for name in of_file] + \
        ["scaling", "shares"]
    check(
        "plot: what follows from what is given", done.returncode == 0 and
        sorted(os.listdir(target)) == sorted(f"{name}.{kind}" for name in names
                                             for kind in ("png", "svg")),
        (done, os.listdir(target)))
    check(
        "plot: the paths are printed",
        sorted(done.stdout.split()) == sorted(
            os.path.join(target, name) for name in os.listdir(target)))
    for name in os.listdir(target):
        head = support.read(os.path.join(target, name))[:200]
        check(
            f"plot: {name} is one",
            head.startswith(b"\x89PNG") if name.endswith("png") else b"<svg" in support.read(
                os.path.join(target, name))[:3000])
    text = support.read(os.path.join(target, "scaling.svg")).decode()
    check("plot: texts of SVG are texts", "MPI ranks" in text and "efficiency" in text)
    broken = os.path.join(place, "broken.vtkhdf")
    shutil.copy(path, broken)
    with h5py.File(broken, "r+") as file:
        file.attrs["complete"] = 0
    for words, what in ((["--only", "slices"], "which file?"), (["none.vtkhdf"], "no such file"), ([
            os.path.join(place, "text.vtkhdf")
    ], "text.vtkhdf"), ([broken], "not complete"), ([folder], "has no study.json"),
                        ([os.path.join(place, "other.json")], "no table of a study"),
                        ([os.path.join(place, "other.csv")], "no table of a study"),
                        (["none.json"], "No such file"), ([path, "--only",
                                                           "pie"], "'pie' is not known"),
                        ([path, "--only",
                          "scaling"], "nothing to plot for"), ([place, "--only", "slices,scaling"],
                                                               "nothing to plot for: slices"),
                        ([path, "--slice",
                          "w"], "x, y or z"), ([path, "--slice",
                                                "z:1.5"], "0..1"), ([path, "--formats",
                                                                     "gif"], "'gif'"),
                        ([path, "--labels",
                          "a"], "1 names of 0 studies"), ([path, "--colour",
                                                           "red"], "--colour is not known")):
        code, said = refusal(*words)
        check(f"plot refuses {words[-2:]}", code == 2 and what in said and "\n" not in said,
              (code, said))


build = support.build_folder(__doc__)
with tempfile.TemporaryDirectory() as folder:
    output = os.path.join(folder, "run.vtkhdf")
    done = run(on_ranks(3, f"{build}/helmbone", *CASE, "--px", "3", "--output", output))
    if check("a run", done[0] == 0, done):
        a_run = record.read(output)
        check_residual(a_run)
        check_phases(a_run)
        check_imbalance(a_run)
        check_slices(a_run)
        check_roofline(a_run, folder)
        check_command(output, folder)
    check_many(folder)
    check_curves()
    check_comparison()
sys.exit(support.finish())
