# SPDX-License-Identifier: BSD-3-Clause
# A rank that is stopped for good is named by the watchdog, with where it is, and the job ends.
"""Usage: end_to_end_watchdog.py BUILD_FOLDER"""
import os
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import support
from support import alive, check, children, on_ranks, run

RANKS, STOPPED, WATCHDOG_S = 3, 1, 4
LONG = ["--degree", "5", "--nx", "6", "--ny", "6", "--nz", "6", "--stop", "count", "--iterations",
        "1000", "--warmup", "100", "--repeats", "1000", "--progress", "off", "--watchdog",
        str(WATCHDOG_S)]
SMALL = ["--degree", "2", "--nx", "3", "--ny", "2", "--nz", "2", "--repeats", "2"]


def start_and_stop(*options):
    """Stops a rank in the middle of the solves; exit code, errors and how long it took to end."""
    process = subprocess.Popen(on_ranks(RANKS, f"{build}/helmbone", *LONG, *options), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for line in process.stdout:
        if line == "stage: solving\n":
            break
    time.sleep(0.5)
    pids = {support.rank_of(pid): pid for pid in children(process.pid)}
    check("the ranks are there", sorted(pids) == list(range(RANKS)), pids)
    begin = time.time()
    os.kill(pids[STOPPED], signal.SIGSTOP)
    try:
        _, errors = process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        _, errors = process.communicate()
        check("the job ends", False)
    left = [pid for pid in pids.values() if alive(pid)]
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return process.returncode, errors, time.time() - begin, pids, left


def check_stopped():
    code, errors, took_s, pids, left = start_and_stop()
    check("stopped rank: code 3", code == 3, (code, errors))
    check("stopped rank: after the time given, and soon after it",
          WATCHDOG_S < took_s < WATCHDOG_S + 20, took_s)
    told = re.findall(r"^helmbone: error: watchdog: no progress for 4\.0 s on \S+: (.*)$", errors,
                      re.MULTILINE)
    if check("stopped rank: told once", len(told) == 1, errors):
        named, _, waiting = told[0].partition("; waiting: ")
        check("stopped rank: it alone is named, where it is", re.fullmatch(
            rf"rank {STOPPED} \(process {pids[STOPPED]}\) is stopped, in "
            r"(operator|exchange|vector|reduction) of iteration \d+ of solve \d+", named), told)
        check("stopped rank: the others wait", re.match(r"rank 0 in (exchange|reduction) of", waiting)
              and ", 2 in " in waiting, told)
    check("stopped rank: no rank is left", not left, left)


def check_quiet():
    """A run that goes on is left alone, though it takes longer than the time given."""
    code, text, errors = run(on_ranks(2, f"{build}/helmbone", *SMALL, "--min_time", "5",
                                      "--watchdog", "4"))
    check("a run that goes on: left alone", code == 0 and "watchdog" not in errors, (code, errors))
    check("a run that goes on: valid", support.parse_result(text).get("status") == "VALID")


if __name__ == "__main__":
    build = support.build_folder(__doc__)
    check_stopped()
    check_quiet()
    sys.exit(support.finish())
