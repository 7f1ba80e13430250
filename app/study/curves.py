# SPDX-License-Identifier: BSD-3-Clause
# Plots of studies: scaling curves, shares of phases, and several machines beside each other.
import os

from study import record, style, table

LEVEL = 0.8


def valid(study):
    """The rows to draw, by rising numbers of ranks or sizes."""
    key = "points_per_rank" if study["mode"] == "throughput" else "ranks"
    return sorted((row for row in study["rows"] if row["status"] == "VALID"),
                  key=lambda row: row[key])


def of_studies(studies, labels=None):
    """name: figure.  Studies of one kind are drawn over each other."""
    figures = {}
    for mode in table.EFFICIENCY:
        alike = [study for study in studies if study["mode"] == mode and valid(study)]
        names = labels_of(alike) if labels is None else \
            [label for study, label in zip(studies, labels) if study in alike]
        suffix = "" if len({study["mode"] for study in studies}) == 1 else f"-{mode}"
        if len(alike) > 1:
            figures["comparison" + suffix] = comparison(mode, alike, names)
        elif alike:
            figures["scaling" + suffix] = scaling(alike[0])
            figures["shares" + suffix] = shares(alike[0])
    return figures


def labels_of(studies):
    """Machines, or what tells the studies apart."""
    first = lambda words: words.split(",")[0]
    for name in (lambda s: first(s.get("device") or valid(s)[0]["slowest_device"]),
                 lambda s: os.path.basename(os.path.dirname(s.get("path", ""))),
                 lambda s: s.get("path", ""), lambda s: s["title"]):
        names = [name(study) for study in studies]
        if len(set(names)) == len(names) and all(names):
            return names
    return [f"study {number + 1}" for number in range(len(studies))]


def title_of(study):
    bad = sum(row["status"] != "VALID" for row in study["rows"])
    words = f"{study['mode']} scaling: {study['title']}"
    return words + (f" ({bad} of {len(study['rows'])} runs are not VALID: left out)" if bad else "")


def scaling(study):
    made, axes = style.figure(2, title=title_of(study))
    if study["mode"] == "throughput":
        draw_rates(axes[0], [study], [""])
    else:
        draw_times(axes[0], [study], ["measured"])
    draw_efficiency(axes[1], [study], [""])
    return made


def comparison(mode, studies, labels):
    titles = {study["title"] for study in studies}
    made, axes = style.figure(
        3, title=f"{mode} scaling: {titles.pop() if len(titles) == 1 else 'several cases'}")
    if mode == "throughput":
        draw_rates(axes[0], studies, labels)
    else:
        draw_times(axes[0], studies, labels)
    draw_efficiency(axes[1], studies, labels)
    draw_ratio(axes[2], mode, studies, labels)
    return made


def x_of(study):
    key = "points_per_rank" if study["mode"] == "throughput" else "ranks"
    return [row[key] for row in valid(study)]


def x_axis(axes, studies):
    if studies[0]["mode"] == "throughput":
        axes.set_xscale("log")
        points = [x for study in studies for x in x_of(study)]
        style.plain_log(axes.xaxis, min(points), max(points))
        axes.set_xlabel(f"unique points a rank ({ranks_words(studies)})")
    else:
        style.count_axis(axes, [x for study in studies for x in x_of(study)], "MPI ranks")


def ranks_words(studies):
    ranks = sorted({row["ranks"] for study in studies for row in valid(study)})
    return f"{', '.join(map(str, ranks))} rank{'s' if ranks != [1] else ''}"


def draw_times(axes, studies, labels):
    factor, unit = style.time_unit(
        [row["seconds_per_iteration"] for s in studies for row in valid(s)])
    for number, (study, label) in enumerate(zip(studies, labels)):
        times = [factor * row["seconds_per_iteration"] for row in valid(study)]
        axes.plot(x_of(study), times, label=label, **style.line(number))
        ideal = [
            times[0] * (x_of(study)[0] / x if study["mode"] == "strong" else 1) for x in x_of(study)
        ]
        axes.plot(x_of(study),
                  ideal,
                  color=style.COLOURS[number % len(style.COLOURS)],
                  linewidth=0.8,
                  linestyle=":",
                  label="ideal" if number == len(studies) - 1 else None)
    axes.set_yscale("log")
    style.plain_log(axes.yaxis, *axes.get_ylim())
    axes.set_ylabel(f"time an iteration ({unit})")
    x_axis(axes, studies)
    axes.legend()


def draw_rates(axes, studies, labels):
    """Rate of a rank over its size; n_0.8 is marked."""
    for number, (study, label) in enumerate(zip(studies, labels)):
        rates = [1e-6 * row["dof_iterations_per_s"] / row["ranks"] for row in valid(study)]
        axes.plot(x_of(study), rates, label=label or None, **style.line(number))
        if study.get("n_08"):
            axes.axvline(study["n_08"],
                         color=style.COLOURS[number % len(style.COLOURS)],
                         linewidth=1,
                         linestyle=":",
                         label=f"n_0.8 = {study['n_08']:.0f}")
    axes.set_ylim(0, 1.08 * axes.dataLim.y1)
    axes.set_ylabel("points x iterations a rank (10^6/s)")
    x_axis(axes, studies)
    if axes.get_legend_handles_labels()[1]:
        axes.legend()


def draw_efficiency(axes, studies, labels):
    highest = 1.0
    for number, (study, label) in enumerate(zip(studies, labels)):
        values = [row["efficiency"] for row in valid(study)]
        highest = max([highest, *values])
        axes.plot(x_of(study), values, label=label or None, **style.line(number))
    axes.axhline(LEVEL, color=style.GREY, linewidth=0.8, linestyle="--", label="80 %")
    axes.set_ylim(0, 1.08 * highest)
    axes.set_ylabel("efficiency (1)")
    x_axis(axes, studies)
    axes.legend(loc="lower left" if studies[0]["mode"] != "throughput" else "lower right")


def rate(row):
    return row["fom_nekbone_gflops"]


def draw_ratio(axes, mode, studies, labels):
    """Figure of merit beside the first study's, where both have the same ranks or size."""
    reference = dict(zip(x_of(studies[0]), map(rate, valid(studies[0]))))
    for number, (study, label) in enumerate(zip(studies, labels)):
        pairs = [(x, rate(row) / reference[x]) for x, row in zip(x_of(study), valid(study))
                 if x in reference]
        if number > 0 and pairs:
            axes.plot(*zip(*pairs), label=label, **style.line(number))
    axes.axhline(1.0, color=style.GREY, linewidth=0.8, linestyle="--", label=f"1 = {labels[0]}")
    axes.set_ylim(0, 1.08 * max(axes.dataLim.y1, 1.0))
    axes.set_ylabel("figure of merit, ratio (1)")
    x_axis(axes, studies)
    axes.legend()
    if len(axes.lines) == 1:
        axes.set_title("no " + ("size" if mode == "throughput" else "number of ranks") +
                       " in common")


def shares(study):
    """Time an iteration, stacked by phases, at each number of ranks or size."""
    rows = valid(study)
    made, (axes, ) = style.figure(width=6, title=title_of(study))
    factor, unit = style.time_unit([row["seconds_per_iteration"] for row in rows])
    bottom = [0.0] * len(rows)
    for number, phase in enumerate(record.PHASES.values()):
        heights = [factor * row["seconds_per_iteration"] * row[f"{phase}_share"] for row in rows]
        axes.bar(range(len(rows)), heights, 0.7, bottom, label=phase, **style.area(number))
        bottom = [low + height for low, height in zip(bottom, heights)]
    keep = style.thinned(list(range(len(rows))), 12)
    axes.set_xticks(keep, [f"{x_of(study)[at]:.0f}" for at in keep])
    axes.grid(False, axis="x")
    axes.set_xlabel("unique points a rank" if study["mode"] == "throughput" else "MPI ranks")
    axes.set_ylabel(f"time an iteration, mean over ranks ({unit})")
    axes.legend(loc="upper left", bbox_to_anchor=(1.0, 1.0))
    return made
