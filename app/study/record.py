# SPDX-License-Identifier: BSD-3-Clause
# What a study takes from an output file of helmbone: figures, shares of phases, the slowest rank.
import dataclasses
import os

from study.base import refuse

# The phases of the timed solves, which add up to their time: name in the file, in tables and plots.
PHASES = {
    "operator_s": "operator", "vector_s": "vectors", "exchange_wait_s": "exchange",
    "reduction_s": "sums"
}
# A rank's own work; the other phases hold the wait for others.
OWN = ("operator_s", "vector_s")
# Where files have it: what a rank took for itself, of which the first is unknown on a GPU.
OWN_TABLE, OWN_COLUMNS = "timings/own", ("work_s", "kernel_s")


def text(value):
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def attributes(item):
    return {
        name: text(value) if isinstance(value, (bytes, str)) else value.item()
        for name, value in item.attrs.items()
    }


@dataclasses.dataclass
class Record:
    """A run's file; times in seconds."""
    path: str
    attributes: dict  # of the file
    solver: dict  # of /solver
    ranks: int
    times: dict  # phase: array over ranks
    measured_own: dict  # of OWN_TABLE: column: array over ranks
    hosts: list
    devices: list

    def own(self):
        """Each rank's own time, and what it is the sum of."""
        for column in OWN_COLUMNS:
            own = self.measured_own.get(column)
            if own is not None and (own > 0).all():
                return own, column
        return sum(self.times[phase] for phase in OWN), " + ".join(OWN)

    def solves(self):
        """Seconds of all timed solves: the sum of the phases, averaged over the ranks."""
        return float(sum(self.times[phase].mean() for phase in PHASES))

    def shares(self):
        """Of each phase in the time of the solves, averaged over ranks; their sum is 1."""
        whole = self.solves()
        return {
            phase: float(self.times[phase].mean()) / whole if whole > 0 else 0.0
            for phase in PHASES
        }

    def imbalance(self):
        """Maximum over mean of the ranks' own time, and the rank of the maximum."""
        own, _ = self.own()
        mean = float(own.mean())
        return float(own.max()) / mean if mean > 0 else 1.0, int(own.argmax())

    def seconds_per_iteration(self):
        return self.solver["median_solve_s"] / max(self.solver["iterations"], 1)


def read(path):
    """The record of a file; raises OSError, KeyError or ValueError where it is none."""
    import h5py
    with h5py.File(path, "r") as file:
        about = attributes(file)
        if about.get("schema") != "helmbone-output":
            raise ValueError("no output file of helmbone")
        if about.get("complete") != 1:
            raise ValueError("not complete")
        table = file["timings/per_rank"][:]
        ranks = int(about["mpi_ranks"])
        if len(table) != ranks:
            raise ValueError(f"timings of {len(table)} of {ranks} ranks")
        own = file[OWN_TABLE][:] if OWN_TABLE in file else None
        devices = file["timings/device"][:] if "timings/device" in file else []
        return Record(path, about, attributes(file["solver"]), ranks, {
            name: table[name]
            for name in table.dtype.names if name != "rank"
        }, {name: own[name]
            for name in OWN_COLUMNS if own is not None and name in own.dtype.names},
                      [text(host) for host in file["timings/host"][:]],
                      [text(device) for device in devices] or [about["device"]] * ranks)


def stem(one):
    """The name of its file."""
    return os.path.splitext(os.path.basename(one.path))[0]


def read_or_refuse(path):
    try:
        return read(path)
    except (OSError, KeyError, ValueError) as error:
        reason = "no such file" if not os.path.exists(path) else str(error).strip("'\"")
        return refuse(f"'{path}': {reason}")


def program_options(command_line):
    """The options of a command line of helmbone as a dict, without the file that it writes."""
    words, options = command_line.split()[1:], {}
    if words and not words[0].startswith("--"):
        words.pop(0)
    while words:
        word = words.pop(0)
        name = word[2:].replace("-", "_")
        value = words.pop(0) if words and not words[0].startswith("--") else None
        options[name] = value
    options.pop("output", None)
    return options


def row_of(record):
    """A row of a study's table; efficiency comes when all rows are there."""
    slowest = record.imbalance()[1]
    row = {
        "status": record.solver["status"], "reason": "", "ranks": record.ranks,
        "elements": record.attributes["num_elements"], "points": record.solver["unique_points"],
        "elements_per_rank": record.attributes["num_elements"] / record.ranks,
        "points_per_rank": record.solver["unique_points"] / record.ranks,
        "iterations": record.solver["iterations"],
        "seconds_per_iteration": record.seconds_per_iteration(),
        "fom_nekbone_gflops": record.solver.get("fom_nekbone_gflops"),
        "dof_iterations_per_s": record.solver.get("dof_iterations_per_s"), "efficiency": None
    }
    for phase, share in record.shares().items():
        row[f"{PHASES[phase]}_share"] = share
    row.update(imbalance=record.imbalance()[0],
               slowest_rank=slowest,
               slowest_host=record.hosts[slowest],
               slowest_device=record.devices[slowest],
               file=os.path.basename(record.path))
    if row["status"] != "VALID":
        failed = record.solver.get("failed_gates", "")
        row["reason"] = f"gates: {failed}" if failed else "no gate could judge in their place"
    return row


def empty_row(run, status, reason):
    """Of a run without a file."""
    return {
        "status": status, "reason": reason, "ranks": run.ranks, "elements": None, "points": None,
        "elements_per_rank": run.elements, "points_per_rank": None, "iterations": None,
        "seconds_per_iteration": None, "fom_nekbone_gflops": None, "dof_iterations_per_s": None,
        "efficiency": None, **{f"{name}_share": None
                               for name in PHASES.values()}, "imbalance": None,
        "slowest_rank": None, "slowest_host": "", "slowest_device": "", "file": ""
    }
