# SPDX-License-Identifier: BSD-3-Clause
# Job scripts of a series, one a run, and one that submits them all.
import math
import os
import shlex

from study.base import ranks_words, refuse, write_whole
from study.folder import CODE, LOG, SUFFIX
from study.launch import shell_line

HEADS = {"slurm": "#SBATCH", "flux": "# flux:"}
LAUNCHERS = {"slurm": "srun", "flux": "flux"}
SUBMIT = {"slurm": "sbatch", "flux": "flux batch"}
MINUTES = 30


def resources(system, run, per_node, minutes, log):
    nodes = -(-run.ranks // per_node) if per_node else 0
    if system == "slurm":
        lines = [f"--ntasks={run.ranks}", f"--time={minutes}", f"--output={shlex.quote(log)}"]
        lines += [f"--nodes={nodes}", f"--ntasks-per-node={per_node}"] if nodes else []
    else:
        lines = [f"-n {run.ranks}", f"-t {minutes}m", f"--output={shlex.quote(log)}"]
        lines += [f"-N {nodes}"] if nodes else []
    return [f"--job-name=helmbone-{run.name}"] + lines


def script(system, folder, run, command, launcher, minutes, more):
    """The text of a job; it leaves the same files as a run from here."""
    words, settings = command
    log = folder.file(run.name + LOG)
    # Slurm reads % in the name of a log as the beginning of a job's number and the like.
    head = resources(system, run, launcher.per_node, minutes,
                     log.replace("%", "%%") if system == "slurm" else log) + more
    quoted = {
        name: shlex.quote(folder.file(run.name + suffix))
        for name, suffix in (("file", SUFFIX), ("code", CODE))
    }
    return "\n".join([
        "#!/bin/bash", *[f"{HEADS[system]} {line}" for line in head],
        f"# {ranks_words(run.ranks)}, {run.elements:.6g} elements a rank", "set -u",
        f"cd {shlex.quote(os.getcwd())} || exit 3", f"rm -f {quoted['file']} {quoted['code']}",
        shell_line(words, settings), "code=$?", f"echo \"code $code\" >{quoted['code']}",
        "exit $code", ""
    ])


def submit_all(system, paths, collect):
    lines = ["#!/bin/bash", "# Submits the runs that were missing when this was written.",
             f"# When they are done, their table and plots are made by {collect}", "set -eu"]
    return "\n".join(lines + [f"{SUBMIT[system]} {shlex.quote(path)}" for path in paths] + [""])


def write(system, folder, wanted, launcher, limit_s, options, collect):
    """wanted: runs with their commands.  Paths of the scripts, the one that submits all last."""
    minutes = math.ceil(limit_s / 60) or MINUTES
    try:
        more = shlex.split(options)
    except ValueError as error:
        refuse(f"--job-options '{options}': {error}")
    place = folder.file("jobs")
    os.makedirs(place, exist_ok=True)
    paths = []
    for run, command in wanted:
        paths.append(os.path.join(place, run.name + ".sh"))
        write_whole(
            paths[-1],
            script(system, folder, run, command, launcher, minutes,
                   [shlex.quote(word) for word in more]))
    last = os.path.join(place, "submit-all.sh")
    write_whole(last, submit_all(system, paths, collect))
    for path in paths + [last]:
        os.chmod(path, 0o755)
    return paths + [last]
