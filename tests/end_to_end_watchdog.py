# SPDX-License-Identifier: BSD-3-Clause
# A rank that is stopped for good is named by the watchdog, with where it is, and the job ends.
"""Usage: end_to_end_watchdog.py BUILD_FOLDER"""
import ctypes
import os
import re
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
import support
from support import alive, check, children, on_ranks, run

RANKS, STOPPED, WATCHDOG_S = 3, 1, 5
LIBC, PTRACE_ATTACH = ctypes.CDLL(None, use_errno=True), 16
LONG = ["--degree", "5", "--nx", "6", "--ny", "6", "--nz", "6", "--stop", "count", "--iterations",
        "1000", "--warmup", "100", "--repeats", "1000", "--progress", "off", "--watchdog",
        str(WATCHDOG_S)]
SMALL = ["--degree", "2", "--nx", "3", "--ny", "2", "--nz", "2", "--repeats", "2"]


def start_and_stop(ranks, stop, *options, rank=STOPPED):
    """Stops a rank in the middle of the solves; exit code, errors, how long it took to end, the ranks'
    processes, and those that are left."""
    process = subprocess.Popen(on_ranks(ranks, f"{build}/helmbone", *LONG, *options), text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    for line in process.stdout:
        if line == "stage: solving\n":
            break
    time.sleep(0.5)
    pids = {support.rank_of(pid): pid for pid in children(process.pid)}
    check("the ranks are there", sorted(pids) == list(range(ranks)), pids)
    begin = time.time()
    stop(pids[rank])
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
    code, errors, took_s, pids, left = start_and_stop(
        RANKS, lambda pid: os.kill(pid, signal.SIGSTOP))
    check("stopped rank: code 3", code == 3, (code, errors))
    check("stopped rank: after the time given, and soon after it",
          WATCHDOG_S < took_s < WATCHDOG_S + 20, took_s)
    told = re.findall(r"^helmbone: error: watchdog: no progress for 5\.0 s on \S+: (.*)$", errors,
                      re.MULTILINE)
    if check("stopped rank: told once", len(told) == 1, errors):
        named, _, waiting = told[0].partition("; waiting: ")
        check("stopped rank: it alone is named, where it is", re.fullmatch(
            rf"rank {STOPPED} \(process {pids[STOPPED]}\) is stopped, in "
            r"(operator|exchange|vector|reduction) of iteration \d+ of solve \d+", named), told)
        check("stopped rank: the others wait", re.match(r"rank 0 in (exchange|reduction) of", waiting)
              and ", 2 in " in waiting, told)
    check("stopped rank: no rank is left", not left, left)


def hold_main_thread(pid):
    """Stops the thread that solves, and no other of the process; False: not permitted here."""
    if LIBC.ptrace(PTRACE_ATTACH, pid, None, None) != 0:
        return False
    threading.Thread(target=reap, args=(pid,), daemon=True).start()
    return True


def reap(pid):
    """Takes note of the end of a process that is held: until then its parent does not hear of it."""
    try:
        while not os.WIFEXITED(os.waitpid(pid, 0)[1]):
            pass
    except ChildProcessError:
        pass


def check_hung():
    """A rank whose solving thread does not go on, as in a kernel that hangs: its process beats, and
    it does not wait, while others do.  Where it happens to be stopped in MPI, all wait and nobody is
    named; a rank alone never waits."""
    for ranks in (2, 1):
        permitted, rank = [], ranks - 1
        code, errors, _, _, _ = start_and_stop(
            ranks, lambda pid, answers=permitted: answers.append(hold_main_thread(pid)), "--degree",
            "7", "--nx", "12", "--ny", "8", "--nz", "8", rank=rank)
        if not permitted[0]:
            support.skip("a thread that hangs", "it may not be stopped here")
            return
        check(f"hung rank of {ranks}: code 3", code == 3, (code, errors))
        named = re.findall(r"rank (\d+) \(process \d+\) is in (?:operator|vector) of", errors)
        check(f"hung rank of {ranks}: nobody else is named", named in ([], [str(rank)]), errors)
    check("hung rank: named", named == ["0"], errors)


def check_quiet():
    """A run that goes on is left alone, though it takes longer than the time given."""
    code, text, errors = run(on_ranks(2, f"{build}/helmbone", *SMALL, "--min_time", "5.5",
                                      "--watchdog", "5"))
    check("a run that goes on: left alone", code == 0 and "watchdog" not in errors, (code, errors))
    check("a run that goes on: valid", support.parse_result(text).get("status") == "VALID")


if __name__ == "__main__":
    build = support.build_folder(__doc__)
    check_stopped()
    check_hung()
    check_quiet()
    sys.exit(support.finish())
