# SPDX-License-Identifier: BSD-3-Clause
# A study's table: efficiencies with their definition, n_0.8; as text, CSV and JSON, and read again.
import csv
import io
import json
import math

from study.base import refuse

SCHEMA, VERSION = "helmbone-study", 1
EFFICIENCY = {
    "strong": "R0 t(R0) / (R t(R)), t seconds an iteration, R ranks, R0 the fewest ranks of the "
              "table that are VALID",
    "weak": "t(R0) / t(R), t seconds an iteration, R0 the fewest ranks of the table that are VALID",
    "throughput": "rate / largest rate of the table, rate = unique points x iterations / (seconds "
                  "x ranks)",
}
N_08 = ("unique points a rank at which the efficiency, coming down from the largest rate to "
        "smaller sizes, first falls to 0.8; between two runs linear in the logarithm of the points")
OTHERS = ("imbalance: maximum over mean of the ranks' own time, {own}; the slowest rank has that "
          "maximum.  Shares: of the time of the solves, mean over ranks; they hold the wait for "
          "slower ranks.  Figure of merit: fom_nekbone_gflops, of all ranks.  An iteration: the "
          "median solve over its iterations.")
COLUMNS = [  # title, of rows: key, how it is written
    ("ranks", "ranks", "d"),
    ("elements/rank", "elements_per_rank", "g"),
    ("points/rank", "points_per_rank", ".0f"),
    ("iterations", "iterations", "d"),
    ("us/iteration", "seconds_per_iteration", "us"),
    ("GFLOP/s", "fom_nekbone_gflops", "4"),
    ("efficiency", "efficiency", ".3f"),
    ("exchange", "exchange_share", "%"),
    ("sums", "sums_share", "%"),
    ("imbalance", "imbalance", ".2f"),
    ("slowest rank", "slowest_rank", "d"),
]


def plain(value, digits=4):
    """So many digits that count, never with an exponent, always with a point."""
    if value == 0 or not math.isfinite(value):
        return f"{value:.1f}"
    return f"{value:.{max(digits - 1 - math.floor(math.log10(abs(value))), 1)}f}"


def add_efficiency(mode, rows):
    """Into the VALID rows; what the others have is no measurement."""
    valid = [row for row in rows if row["status"] == "VALID"]
    if not valid:
        return
    if mode == "throughput":
        rate = lambda row: row["dof_iterations_per_s"] / row["ranks"]
        best = max(map(rate, valid))
        for row in valid:
            row["efficiency"] = rate(row) / best
        return
    first = min(valid, key=lambda row: row["ranks"])
    for row in valid:
        row["efficiency"] = first["seconds_per_iteration"] / row["seconds_per_iteration"]
        if mode == "strong":
            row["efficiency"] *= first["ranks"] / row["ranks"]


def n_08(rows, level=0.8):
    """See N_08: the points a rank, or None with the reason in words."""
    valid = sorted((row for row in rows if row["status"] == "VALID"),
                   key=lambda row: row["points_per_rank"],
                   reverse=True)
    if not valid:
        return None, "no run is VALID"
    at = max(range(len(valid)), key=lambda i: valid[i]["efficiency"])
    for above, below in zip(valid[at:], valid[at + 1:]):
        high, low = above["efficiency"], below["efficiency"]
        if low <= level:
            part = (high - level) / (high - low)
            larger, smaller = math.log(above["points_per_rank"]), math.log(below["points_per_rank"])
            return math.exp(larger + part * (smaller - larger)), ""
    return None, f"below {valid[-1]['points_per_rank']:.0f}, the smallest size of the table"


def make(mode, about, rows, own):
    """about: what the study was made with, name: value."""
    add_efficiency(mode, rows)
    table = {
        "schema": SCHEMA, "schema_version": VERSION, "mode": mode,
        **about, "efficiency_is": EFFICIENCY[mode], "other_columns": OTHERS.format(own=own)
    }
    if mode == "throughput":
        points, reason = n_08(rows)
        table.update(n_08=points, n_08_is=N_08, n_08_reason=reason)
    table["rows"] = rows
    return table


def cell(row, key, how):
    value = row[key]
    if value is None:
        return "-"
    return {
        "us": lambda: plain(1e6 * value), "4": lambda: plain(value),
        "%": lambda: f"{100 * value:.1f} %", "g": lambda: f"{value:.6g}"
    }.get(how, lambda: format(value, how))()


def as_text(table):
    cells = [[title for title, _, _ in COLUMNS] + ["its host and device"]]
    for row in table["rows"]:
        where = ", ".join(word for word in (row["slowest_host"], row["slowest_device"]) if word)
        if row["status"] != "VALID":
            where = f"{row['status']}: {row['reason']}"
        cells.append([cell(row, key, how) for _, key, how in COLUMNS] + [where])
    widths = [max(len(line[c]) for line in cells) for c in range(len(COLUMNS))]
    lines = [
        "  ".join([word.rjust(width) for word, width in zip(line, widths)] + [line[-1]])
        for line in cells
    ]
    head = [f"{table['mode']} scaling, {table['title']}", *table["notes"]]
    tail = [f"efficiency: {table['efficiency_is']}", *table["other_columns"].split("  ")]
    if table["mode"] == "throughput":
        points = table["n_08"]
        tail.append(
            f"n_0.8: {table['n_08_reason'] if points is None else f'{points:.0f} points a rank'}"
            f" ({table['n_08_is']})")
    return "\n".join(head + [""] + lines + [""] + tail) + "\n"


def as_csv(table):
    """One line of names; mode, title and definition stand in every row, not in comments."""
    stream = io.StringIO()
    names = ["mode", "title", "efficiency_is", *table["rows"][0]]
    writer = csv.DictWriter(stream, names, lineterminator="\n")
    writer.writeheader()
    for row in table["rows"]:
        writer.writerow({
            "mode": table["mode"], "title": table["title"], "efficiency_is": table["efficiency_is"],
            **{key: "" if value is None else value
               for key, value in row.items()}
        })
    return stream.getvalue()


def as_json(table):
    return json.dumps(table, indent=1) + "\n"


def read(path):
    """A table from its JSON or CSV."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            table = from_csv(file) if path.endswith(".csv") else json.load(file)
        if table.get("schema") != SCHEMA or table["mode"] not in EFFICIENCY or not table["rows"]:
            raise ValueError("no table of a study")
        return table
    except OSError as error:
        return refuse(f"'{path}': {error.strerror}")
    except (ValueError, KeyError, AttributeError, UnicodeDecodeError):
        return refuse(
            f"'{path}' is no table of a study (study.json or study.csv that scale has written)")


def number(text):
    if text == "":
        return None
    try:
        return int(text) if text.lstrip("-").isdigit() else float(text)
    except ValueError:
        return text


def from_csv(file):
    rows = list(csv.DictReader(file))
    shared = {name: rows[0][name] for name in ("mode", "title", "efficiency_is")} if rows else {}
    texts = ("status", "reason", "slowest_host", "slowest_device", "file")
    table = {
        "schema": SCHEMA, **shared, "notes": [], "rows": [{
            name: value if name in texts else number(value)
            for name, value in row.items() if name not in shared
        } for row in rows]
    }
    if table.get("mode") == "throughput":
        table["n_08"], table["n_08_reason"] = n_08(table["rows"])
    return table
