# SPDX-License-Identifier: BSD-3-Clause
# Scaling studies: commands of each launcher, job scripts, bad input.
"""Usage: end_to_end_scale_launch.py BUILD_FOLDER"""
import glob
import os
import shlex
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import support
from support import check, run

support.require("h5py", "matplotlib")
from study_support import BOX, QUICK, Stubs, inside, tables
from study import launch

VERSIONS = {
    "hydra": "HYDRA build details:\n    Version: 4.1\n", "4": "mpirun (Open MPI) 4.1.4\n",
    "5": "mpirun (Open MPI) 5.0.3\n", "pals": "PALS 1.2\n"
}


def launched(stubs, ranks, *more, version=None, **environment):
    """Settings and words before the program of one run, as --dry-run prints them."""
    if version:
        with open(os.path.join(stubs.bin, "mpirun.version"), "w", encoding="utf-8") as file:
            file.write(VERSIONS[version])
    code, text, errors = stubs.scale("strong", QUICK, *BOX, "--ranks", ranks, "--folder",
                                     os.path.join(stubs.place, "none"), "--dry-run", *more,
                                     **environment)
    check(f"launched {more} {version} {environment}", code == 0, errors)
    words = shlex.split(text)
    words = words[:words.index(stubs.program)]
    settings = [word for word in words if "_MCA_" in word or word.startswith("OMPI_")]
    return [word for word in words if word not in settings], settings


def check_launchers(stubs):
    for name in [name for name in os.environ if name.startswith(("OMPI_", "PRTE_", "SLURM_"))]:
        del os.environ[name]
    stubs.words()
    words, _ = launched(stubs, 3, "--launch-options", "--cpu-bind=cores -v", SLURM_JOB_ID="7")
    check("srun in a Slurm job",
          words == "srun -n 3 --kill-on-bad-exit=1 --cpu-bind=cores -v".split(), words)
    words, _ = launched(stubs, 5, "--launcher", "srun", "--per-node", "2")
    check("srun on nodes",
          words == "srun -n 5 --kill-on-bad-exit=1 -N 3 --ntasks-per-node=2".split(), words)
    words, _ = launched(stubs, 3, SLURM_JOB_ID="7", FLUX_URI="local:///x")
    check("flux in an instance of it", words == "flux run -n 3".split(), words)
    words, said = launched(stubs, 3, "--per-node", "2", version="hydra")
    check("hydra by its version", words == "mpiexec.hydra -n 3 -ppn 2".split() and said == [],
          (words, said))
    many = 4 * len(os.sched_getaffinity(0))
    words, said = launched(stubs, many, version="4")
    check(
        "Open MPI 4", words == ["mpirun", "-n", str(many)] and
        "OMPI_MCA_rmaps_base_oversubscribe=1" in said and
        not any(setting.startswith("PRTE") for setting in said), (words, said))
    words, said = launched(stubs, many, version="5")
    check(
        "Open MPI 5", words == ["mpirun", "-n", str(many)] and
        "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe" in said, (words, said))
    words, said = launched(stubs, 4, version="5", PRTE_MCA_hwloc_default_binding_policy="numa")
    check("settings of the user's own stay",
          not any("binding_policy" in setting for setting in said), said)
    words, said = launched(stubs, 4, "--per-node", "2", version="5")
    check(
        "Open MPI on nodes", words == "mpirun -n 4 --map-by ppr:2:node".split() and
        not any("_MCA_" in setting for setting in said), (words, said))
    words, said = launched(stubs,
                           4,
                           version="5",
                           SLURM_JOB_ID="7",
                           SLURM_JOB_NUM_NODES="2",
                           **{"SLURM_NTASKS": "9"})
    check("srun before mpirun in a job", words[0] == "srun", words)
    words, said = launched(stubs, 4, "--launcher", "mpirun", version="5", SLURM_JOB_NUM_NODES="2")
    check("Open MPI in a job of several nodes", not any("_MCA_" in setting for setting in said),
          said)
    words, _ = launched(stubs, 4, "--per-node", "2", version="pals")
    check("another mpirun", words == "mpirun -n 4 --ppn 2".split(), words)
    launched(stubs, 4, version="5")
    code, _, errors = stubs.scale("strong", QUICK, *BOX, "--ranks", many, "--folder",
                                  os.path.join(stubs.place, "mpi"))
    with open(stubs.log + ".environment", encoding="utf-8") as file:
        check("its settings arrive", code == 0 and
              "PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe" in file.read(), errors)
    done = subprocess.run(["/bin/bash", launch.SCRIPT, "--launch", "auto", "4"],
                          capture_output=True,
                          text=True,
                          check=False,
                          env={"PATH": stubs.place})
    check("no launcher at all", done.returncode == 3 and "no launcher" in done.stderr, done)


def check_scripts(stubs):
    for system, words in (("slurm", [
            "#SBATCH --ntasks=4", "#SBATCH --nodes=2", "#SBATCH --ntasks-per-node=2",
            "#SBATCH --time=7", "#SBATCH --partition=gpu", "srun -n 4 "
    ]), ("flux", [
            "# flux: -n 4", "# flux: -N 2", "# flux: -t 7m", "# flux: --partition=gpu",
            "flux run -n 4 -N 2 "
    ])):
        folder = os.path.join(stubs.place, f"{system} jobs")
        stubs.words()
        series_words = [
            "strong", QUICK, *BOX, "--ranks", "1,4", "--folder", folder, "--per-node", "2"
        ]
        code, text, errors = stubs.scale(*series_words, "--script", system, "--minutes", "6.5",
                                         "--job-options", "--partition=gpu --account=me")
        check(f"{system}: scripts", code == 0 and "jobs: 2;" in text and "--collect" in text,
              errors)
        paths = sorted(glob.glob(glob.escape(folder) + "/jobs/*.sh"))
        check(f"{system}: one a run, one for all",
              [os.path.basename(path)
               for path in paths] == ["ranks-000001.sh", "ranks-000004.sh", "submit-all.sh"], paths)
        for path in paths:
            check(f"{path}: bash -n", run(["bash", "-n", path])[0] == 0)
            if shutil.which("shellcheck"):
                check(f"{path}: shellcheck",
                      run(["shellcheck", path])[0] == 0, run(["shellcheck", path]))
        script = support.read(paths[1]).decode()
        for word in words + [f"--output='{folder}/ranks-000004.log'"]:
            check(f"{system}: {word}", word in script, script)
        check(f"{system}: nothing was run", stubs.words() == [])
        code, _, errors = run(
            ["env", *[f"{n}={v}" for n, v in stubs.environment.items()], "FAIL=4 1", paths[-1]])
        check(f"{system}: a job's exit code is its run's", code == 1, (code, errors))
        code, text, errors = stubs.scale(*series_words, "--collect")
        check(
            f"{system}: the table of the jobs", code == 1 and "failed: code 1" in text and
            tables(folder)[0]["rows"][0]["status"] == "VALID", (code, text, errors))
        stubs.words()
        code, text, errors = stubs.scale(*series_words, "--script", system)
        check(f"{system}: only what is missing", code == 0 and "jobs: 1;" in text, text)
        code, _, errors = run(
            ["env", *[f"{n}={v}" for n, v in stubs.environment.items()], paths[-1]])
        code, text, errors = stubs.scale(*series_words, "--collect")
        check(f"{system}: all are there", code == 0, (code, text, errors))


def check_bad_input(stubs):
    given = ["--program", stubs.program, "--folder", os.path.join(stubs.place, "bad")]
    good = ["strong", QUICK, *BOX, *given]
    for words, what in ((["fast", QUICK], "'fast' is no kind"), (["strong"], "which case?"), ([
            "strong", "none.ini", *given
    ], "'none.ini': no such file"), ([*good, "--ranks"], "--ranks: a value is missing"),
                        ([*good, "--ranks",
                          "4..1"], "rising"), ([*good, "--ranks", "1",
                                                "--ranks=2"], "--ranks is given twice"),
                        ([*good, "--launcher",
                          "rsh"], "allowed: auto, mpirun"), ([*good, "--script",
                                                              "pbs"], "slurm, flux"),
                        ([*good, "--script", "flux", "--launcher",
                          "srun"], "launches by flux, not by srun"), ([*good, "--minutes",
                                                                       "0"], "a number above 0"),
                        ([*good, "--plots",
                          "gif"], "'gif' is not known"), ([*good, "--points", "100"],
                                                          "--points belongs to throughput"),
                        ([*good, "--output", "x.hdf"], "names its"), ([*good, "extra"], "'extra'"),
                        ([*good, "--size_is", "per_rank"], "size_is = per_rank in a strong study"),
                        ([*good, "--px", "1", "--py", "1", "--pz", "2", "--ranks", "2,4"],
                         "px, py and pz are all fixed"), (["strong", QUICK, "--nx", "0",
                                                           *given], "nx = '0'"),
                        (["throughput", QUICK, "--ranks", "1,2",
                          *given], "one number of ranks"), ([*good, "--collect"], "holds no study"),
                        ([*good, "--program", "x"], "--program is given twice"), ([
                            "strong", QUICK, "--program", stubs.place
                        ], "is no program"), ([*good[:-1], stubs.place], "is no study's")):
        code, _, said = inside(words, stubs.environment)
        check(f"bad input {words[-3:]}", code == 2 and what in said and said.count("\n") == 1,
              (code, said))
    good.extend(["--launcher", "srun"])
    code, text, errors = stubs.scale(*[word for word in good if word not in given[:2]],
                                     "--nonsense")
    check(
        "bad input in helmbone's words", code == 2 and text == "" and
        errors.endswith("unknown option '--nonsense'\n") and len(errors.splitlines()) == 1, errors)
    check("bad input leaves no folder", not os.path.exists(given[-1]))
    good = [word for word in good if word not in given[:2]]
    code, text, errors = stubs.scale(*good, "--ranks", "1,2", "--dry-run")
    lines = [shlex.split(line) for line in text.splitlines()]
    check(
        "--dry-run lists the commands", code == 0 and
        [line[:3] for line in lines] == [["srun", "-n", "1"], ["srun", "-n", "2"]] and
        all(stubs.program in line
            for line in lines) and not os.path.exists(good[-1]), (text, errors))


support.build_folder(__doc__)
with tempfile.TemporaryDirectory() as place:
    stand_ins = Stubs(place, "srun", "flux", "sbatch", "mpirun", "mpiexec.hydra")
    for part in (check_scripts, check_bad_input, check_launchers):
        part(stand_ins)
sys.exit(support.finish())
