# SPDX-License-Identifier: BSD-3-Clause
# A rank that is slow is named by its own time; those that wait for it are not.
"""Usage: end_to_end_slow_rank.py BUILD_FOLDER"""
import os
import re
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
import support
from support import check, children, on_ranks

RANKS, SLOW = 3, 1
CASE = ["--degree", "7", "--nx", "9", "--ny", "8", "--nz", "8", "--stop", "count", "--iterations",
        "50", "--warmup", "0", "--repeats", "6", "--progress", "off"]


def hold_up(process, pid):
    """Stops the rank most of the time until the solve is done."""
    while process.poll() is None and os.path.exists(f"/proc/{pid}"):
        try:
            os.kill(pid, signal.SIGSTOP)
            time.sleep(0.03)
            os.kill(pid, signal.SIGCONT)
            time.sleep(0.01)
        except ProcessLookupError:
            return


def solve_held_up():
    """Report of a run one of whose ranks is stopped now and then, from the solve on."""
    process = subprocess.Popen(on_ranks(RANKS, f"{build}/helmbone", *CASE), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    text = ""
    for line in process.stdout:
        text += line
        if line == "stage: solving\n":
            pids = {support.rank_of(pid): pid for pid in children(process.pid)}
            hold_up(process, pids[SLOW])
            break
    rest, errors = process.communicate(timeout=120)
    return process.returncode, text + rest, errors


def main():
    code, text, errors = solve_held_up()
    check("solved", code == 0, (code, errors))
    slow = re.findall(r"^slow: rank (\d+) is slow by its own time: (.*)$", text, re.MULTILINE)
    check("the rank that was held up is named, by its work", any(
        int(rank) == SLOW and "work an iteration" in words for rank, words in slow), slow)
    worst = max(slow, default=("none", ""),
                key=lambda one: max(map(float, re.findall(r"iteration (\S+) ms", one[1])),
                                    default=0.0))
    check("and is the slowest of those named", worst[0] == str(SLOW), slow)
    check("with host and processors", all(re.search(r" on \S+, processors \d", words)
                                          for _, words in slow), slow)
    reduction = re.search(r"^reduction: least (\d+\.\d+) us, mean (\d+\.\d+) us", text, re.MULTILINE)
    check("least and mean of a reduction", reduction is not None and
          0 < float(reduction[1]) < float(reduction[2]), text[-2000:])


if __name__ == "__main__":
    build = support.build_folder(__doc__)
    main()
    sys.exit(support.finish())
