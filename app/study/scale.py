# SPDX-License-Identifier: BSD-3-Clause
# The verb scale: a scaling study from one command, its table and its plots.
"""scale strong|weak|throughput CASE [OPTION...]
    strong      the box of CASE on each number of ranks
    weak        CASE's elements on each rank; the box is multiplied along x, y, z by the grid of
                ranks, px >= py >= pz, as near to a cube as their number's divisors allow
                (size_is = per_rank); its lengths stay those of CASE
    throughput  one number of ranks, sizes from CASE's elements a rank down, each half of the one
                before in a near-cubic box, until the efficiency is below 80 %; gives n_0.8

    --ranks LIST         1,2,4 or 2..8 (each number), 8..64+8 (plus 8), 1..64x2 (times 2), also
                         mixed with commas; throughput takes one; default 1, 2, 4 ... up to the
                         processors or GPUs
    --points LIST        of throughput: points a rank instead of halves, 1e3..1e6x10
    --folder DIR         keeps the files; default MODE-CASE.  What is there, VALID and of the same
                         inputs is not run again: the same command goes on with a series
    --launcher KIND      mpirun, hydra, srun, flux or auto: what is there
    --launch-options WORDS  more words for it, '--gpus-per-task=1 --gpu-bind=closest'
    --per-node N         ranks a node
    --minutes X          a run is stopped after them; in job scripts 30 where none are given
    --program FILE       a helmbone to run instead of this folder's build
    --script slurm|flux  writes job scripts, DIR/jobs/submit-all.sh among them, and runs nothing
    --job-options WORDS  more lines for their heads, '--partition=gpu --account=NAME'
    --collect            runs nothing, makes table and plots of what is there
    --plots NAMES        png,svg (default), also pdf; none
    --dry-run            prints the commands of what is missing, runs nothing
All other options are helmbone's, for every run.  Written into the folder: a file and a log a run,
table.txt, study.csv, study.json, plots as PNG and SVG.
Exit code: 0 all runs are VALID, 1 not all, 2 bad input, 3 the machine lacks something."""
import os
import shlex
import sys
import tempfile

from study import case as cases
from study import folder as folders
from study import jobs, launch, record, runner, series, table
from study.base import (FORMATS, Refusal, choice, names, positive, ranks_words, read_options,
                        refuse, whole, write_whole)

VALUED = {
    "ranks": cases.LIST_WORDS, "points": cases.LIST_WORDS, "folder": "a folder",
    "launcher": ", ".join(launch.KINDS), "launch_options": "words for the launcher",
    "per_node": "a number", "minutes": "a number", "program": "a helmbone",
    "plots": f"{', '.join(FORMATS)}, none", "script": "slurm, flux",
    "job_options": "words for the job's head", "most": "a number"
}
FLAGS = ("collect", "dry_run", "help")
ENOUGH = 0.8


class Study:
    """A series with all that its runs need."""
    def __init__(self, mode, path, given, options):
        self.mode, self.given = mode, given
        self.case = cases.Case(path, options)
        self.program = os.path.realpath(given.get("program", ""))
        if not os.access(self.program, os.X_OK) or os.path.isdir(self.program):
            refuse(f"--program '{given.get('program', '')}' is no program")
        minutes = given.get("minutes")
        self.limit_s = 0 if minutes is None else 60 * positive("minutes", minutes, 10**5)
        self.formats = [] if given.get("plots") == "none" else \
            names("plots", given.get("plots", "png,svg"), FORMATS)
        given.setdefault("job_options", "")
        self.system = given.get("script")
        self.launcher = self.make_launcher()
        most = whole("most", given["most"], 1, cases.MOST_RANKS) if "most" in given else \
            int(os.environ.get("SLURM_NTASKS", 0)) or len(os.sched_getaffinity(0))
        self.runs = series.make(mode, self.case, given, most)
        stem = os.path.splitext(os.path.basename(path))[0]
        self.folder = folders.Folder(given.get("folder", f"{mode}-{stem}"))
        self.title = f"{stem}, degree {self.case.degree()}"
        self.inputs = folders.inputs(mode, self.case, self.program, self.launcher,
                                     self.runs[0].ranks)

    def make_launcher(self):
        kind = choice("launcher", self.given.get("launcher", "auto"), launch.KINDS)
        per_node = whole("per-node", self.given.get("per_node", "0"), 0, cases.MOST_RANKS)
        if self.system is not None:
            choice("script", self.system, jobs.HEADS)
            if kind not in ("auto", jobs.LAUNCHERS[self.system]):
                refuse(f"--script {self.system} launches by {jobs.LAUNCHERS[self.system]}, "
                       f"not by {kind}")
            kind = jobs.LAUNCHERS[self.system]
        return launch.Launcher(kind, per_node, self.given.get("launch_options", ""))

    def words(self, run):
        return self.folder.program(self.program, self.case, run)

    def command(self, run):
        return self.launcher.command(run.ranks, self.words(run))

    def state(self, run):
        return self.folder.state(run, self.words(run))

    def missing(self):
        return [run for run in self.runs if self.state(run)[0] != "VALID"]


def row(study, run):
    status, reason, found = study.state(run)
    return record.row_of(found) if found else record.empty_row(run, status, reason)


def far_enough(study, rows):
    """Of sizes that halve: has the efficiency fallen below 80 %?"""
    valid = [one for one in rows if one["status"] == "VALID"]
    if study.mode != "throughput" or len(valid) < 2:
        return False
    table.add_efficiency(study.mode, valid)
    return valid[-1]["efficiency"] < ENOUGH


def rows_of(study):
    """Of all runs, up to where a series of halves has ended."""
    rows = []
    for run in study.runs:
        if run.if_needed and far_enough(study, rows):
            break
        rows.append(row(study, run))
    return rows


def notes_of(study):
    """Options over the case; runs of several builds or processors, which are no series."""
    words = study.case.words({})
    notes = [f"options: {shlex.join(words)}"] if words else []
    for what in ("git_commit", "compiler", "device", "kernel", "mpi_library"):
        seen = {
            found.attributes.get(what)
            for found in (study.state(run)[2] for run in study.runs) if found
        }
        if len(seen) > 1:
            notes.append(
                f"note: runs of several values of {what}: {', '.join(sorted(map(str, seen)))}")
    return notes


def own_time(study):
    found = first_found(study)
    return found.own()[1] if found else " + ".join(record.OWN)


def first_found(study):
    return next((found for found in (study.state(run)[2] for run in study.runs) if found), None)


def tell(study):
    """Writes and prints table and plots; 0 if all runs are VALID."""
    rows = rows_of(study)
    found = first_found(study)
    about = {
        "title": study.title, "case": study.case.path, "inputs": study.inputs,
        "device": found.attributes["device"] if found else "", "launcher": study.launcher.kind,
        "notes": notes_of(study)
    }
    made = table.make(study.mode, about, rows, own_time(study))
    kinds = {"table.txt": table.as_text, "study.csv": table.as_csv, "study.json": table.as_json}
    for name, text in kinds.items():
        write_whole(study.folder.file(name), text(made))
    sys.stdout.write(table.as_text(made))
    sys.stdout.flush()
    draw(study, made)
    bad = [one for one in rows if one["status"] != "VALID"]
    if bad:
        print(f"scale: {len(bad)} of {len(rows)} runs are not VALID", file=sys.stderr)
    return 1 if bad else 0


def draw(study, made):
    drawable = study.formats and any(one["status"] == "VALID" for one in made["rows"])
    try:
        if drawable:
            from study import curves, style
            for name, figure in curves.of_studies([made]).items():
                style.save(figure, study.folder.file(name), study.formats)
    except ImportError as error:
        print(f"scale: no plots: {error}", file=sys.stderr)
    print(f"scale: files and tables are in {study.folder.path}", file=sys.stderr)


def try_first(study):
    """Bad input is refused before the series begins and its folder is made, in helmbone's words."""
    if not study.missing():
        return
    run = min(study.missing(), key=lambda run: run.ranks)
    with tempfile.TemporaryDirectory() as place:
        words, settings = study.launcher.command(run.ranks, study.words(run)[:-2] + ["--dry-run"])
        log = os.path.join(place, "log")
        try:
            code = runner.execute(words, settings, log, 300, lambda: None)
        except OSError as error:
            raise Refusal(3, f"{words[0]} cannot be started: {error.strerror}") from error
        with open(log, encoding="utf-8", errors="replace") as file:
            said = file.read().strip()
        if code == 2:
            errors = [line
                      for line in said.splitlines() if "error" in line] or said.splitlines()[-1:]
            refuse(errors[0].replace("helmbone: error: ", ""
                                     ) if errors else f"{shlex.join(words)} ended with code 2")


def run_missing(study):
    """Runs what is not there and VALID."""
    wanted, rows = study.missing(), []
    progress = runner.Progress(series.weights(wanted, series.slots(study.launcher.kind)))
    for run in study.runs:
        if run.if_needed and far_enough(study, rows):
            break
        if run in wanted:
            said = runner.one(study.folder, run, *study.command(run), study.limit_s, progress)
            progress.end(outcome(study, run, said))
        rows.append(row(study, run))


def outcome(study, run, said):
    status, reason, found = study.state(run)
    detail = f", {table.plain(1e6 * found.seconds_per_iteration())} us an iteration" if found else \
        f" ({reason or said})"
    return f"scale: {ranks_words(run.ranks)}, {run.elements:.6g} elements a rank: {status}{detail}"


def show(study):
    """--dry-run"""
    for run in study.missing():
        print(launch.shell_line(*study.command(run)))
    if any(run.if_needed for run in study.runs):
        print("# the series ends at the first size below 80 %")
    return 0


def write_jobs(study, arguments):
    """--script"""
    wanted = [(run, study.command(run)) for run in study.missing()]
    back = shlex.join(["scale", *arguments, "--collect"])
    paths = jobs.write(study.system, study.folder, wanted, study.launcher, study.limit_s,
                       study.given["job_options"], f"./run {back}")
    print(f"jobs: {len(wanted)}; submit them by {paths[-1]}, then: ./run {back}")
    return 0


def main(arguments):
    if not arguments or "--help" in arguments:
        print(__doc__)
        return 0 if arguments else 2
    given, rest = read_options(arguments, VALUED, FLAGS, ("launch_options", "job_options"))
    mode = rest.pop(0) if rest else ""
    if mode not in series.MODES:
        refuse(f"'{mode}' is no kind of study; allowed: {', '.join(series.MODES)}")
    if not rest or rest[0].startswith("--"):
        refuse(f"which case? allowed: scale {mode} CASE [OPTION...]")
    study = Study(mode, rest[0], given, cases.read_arguments(rest[1:]))
    collect, dry = "collect" in given, "dry_run" in given
    if dry:
        known = study.folder.known_inputs()
        if known is not None:
            study.folder.compare(study.inputs, known, ())
        return show(study)
    if collect and study.folder.known_inputs() is None:
        refuse(f"'{study.folder.path}' holds no study")
    if collect or study.system:
        study.folder.claim(study.inputs, study.case,
                           ("launcher", "launch-options", "per-node") if collect else ())
        return tell(study) if collect else write_jobs(study, arguments)
    return run_all(study)


def run_all(study):
    runner.stop_on_signals()
    try:
        try_first(study)
        study.folder.claim(study.inputs, study.case)
        run_missing(study)
        return tell(study)
    except runner.Stopped as stopped:
        print(f"\nscale: stopped by a signal; the same command goes on ({study.folder.path})",
              file=sys.stderr)
        return 128 + stopped.signal
