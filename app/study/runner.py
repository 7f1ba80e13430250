# SPDX-License-Identifier: BSD-3-Clause
# Runs a series one by one, with a line of progress; ends what it has started when it is stopped.
import os
import signal
import subprocess
import sys
import time

from study.base import ranks_words, seconds_words, write_whole
from study.folder import CODE, LOG


class Stopped(Exception):
    def __init__(self, number):
        super().__init__(f"signal {number}")
        self.signal = number


def stop_on_signals():
    """The first one stops; later ones must not disturb the end of what was started.  A signal that
    is ignored, as by nohup, stays so."""
    numbers = [
        number for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
        if signal.getsignal(number) != signal.SIG_IGN
    ]

    def stop(number, _):
        for each in numbers:
            signal.signal(each, signal.SIG_IGN)
        raise Stopped(number)

    for number in numbers:
        signal.signal(number, stop)


class Progress:
    """weights: of all runs still to do, in order."""
    def __init__(self, weights):
        self.weights, self.done, self.spent = list(weights), 0, 0.0
        self.began = self.started = time.monotonic()
        self.redraws = sys.stderr.isatty()

    def left(self):
        """Seconds to the end by the runs that are done, or None before the first."""
        if self.done == 0:
            return None
        pace = self.spent / sum(self.weights[:self.done])
        running = time.monotonic() - self.started
        return max(pace * sum(self.weights[self.done:]) - running, 0.0)

    def line(self, what):
        left = self.left()
        gone = seconds_words(time.monotonic() - self.began)
        return (
            f"scale: run {min(self.done + 1, len(self.weights))} of {len(self.weights)}, {what}; "
            f"{gone} gone, " +
            ("time left unknown" if left is None else f"about {seconds_words(left)} left"))

    def begin(self, what):
        self.started = time.monotonic()
        print(self.line(what), file=sys.stderr, end="" if self.redraws else "\n", flush=True)

    def tick(self, what):
        if self.redraws:
            print("\r\033[K" + self.line(what), file=sys.stderr, end="", flush=True)

    def end(self, what):
        self.spent += time.monotonic() - self.started
        self.done += 1
        print(("\r\033[K" if self.redraws else "") + what, file=sys.stderr, flush=True)


def kill(process):
    """The launcher and what is in its group; it is asked first, so that it ends its ranks."""
    for number, patience_s in ((signal.SIGTERM, 10), (signal.SIGKILL, 5)):
        try:
            os.killpg(process.pid, number)
            process.wait(patience_s)
            return
        except ProcessLookupError:
            return
        except subprocess.TimeoutExpired:
            continue


def execute(words, settings, log, limit_s, tick):
    """Exit code, or None if the limit was reached."""
    with open(log, "wb") as stream:
        # pylint: disable-next=consider-using-with
        process = subprocess.Popen(words,
                                   env={**os.environ, **settings},
                                   stdin=subprocess.DEVNULL,
                                   stdout=stream,
                                   stderr=subprocess.STDOUT,
                                   start_new_session=True)
    began = time.monotonic()
    try:
        while True:
            try:
                return process.wait(0.2)
            except subprocess.TimeoutExpired:
                tick()
            if limit_s and time.monotonic() - began > limit_s:
                kill(process)
                return None
    except BaseException:
        kill(process)
        raise


def code_words(code, limit_s):
    if code is None:
        return f"stopped after {seconds_words(limit_s)}"
    return f"signal {-code}" if code < 0 else f"code {code}"


def one(folder, run, words, settings, limit_s, progress):
    """Runs it; its log and its exit code are kept beside its file."""
    what = f"{ranks_words(run.ranks)}, {run.elements:.6g} elements a rank"
    folder.clear(run)
    progress.begin(what)
    try:
        code = execute(words, settings, folder.file(run.name + LOG), limit_s,
                       lambda: progress.tick(what))
        said = code_words(code, limit_s)
    except OSError as error:
        said = f"{words[0]} cannot be started: {error.strerror}"
    write_whole(folder.file(run.name + CODE), said + "\n")
    return said
