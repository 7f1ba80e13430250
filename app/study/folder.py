# SPDX-License-Identifier: BSD-3-Clause
# A study's folder: with which inputs it was made, and what of its runs is there.
import fcntl
import hashlib
import json
import os
import re

from study import record
from study.base import Refusal, refuse, write_whole

INPUTS, CASE, LOCK = "inputs.json", "case.ini", ".lock"
SUFFIX, LOG, CODE = ".vtkhdf", ".log", ".code"
LINE_BYTES = 4095  # of a command line, in a file; longer ones are cut off there


def digest(path):
    try:
        with open(path, "rb") as file:
            return hashlib.sha256(file.read()).hexdigest()[:16]
    except OSError as error:
        raise Refusal(2, f"program '{path}': {error.strerror}") from error


def inputs(mode, case, program, launcher, ranks):
    """What must be the same for a series to go on; the values are texts."""
    options = {name: "" if value is None else value for name, value in case.options}
    made = {"mode": mode}
    made.update((f"case {name}", value) for name, value in sorted(case.values.items()))
    made.update((f"option --{name}", value) for name, value in sorted(options.items()))
    made.update({"program": digest(program), "launcher": launcher.kind,
                 "launch-options": " ".join(launcher.more) or "none",
                 "per-node": str(launcher.per_node)})
    if mode == "throughput":
        made["ranks"] = str(ranks)
    return made


class Folder:
    def __init__(self, path):
        self.path = os.path.realpath(path)
        self.lock = None

    def file(self, name):
        return os.path.join(self.path, name)

    def claim(self, made, case, ignored=()):
        """Creates the folder with these inputs; or takes it up, if its inputs are the same or
        nothing has run in it."""
        if os.path.exists(self.path) and not os.path.isdir(self.path):
            refuse(f"--folder '{self.path}' is no folder")
        known = self.known_inputs()
        if known is None and os.path.isdir(self.path) and os.listdir(self.path):
            refuse(f"--folder '{self.path}' has files, but is no study's; take another --folder")
        if known is not None:
            self.compare(made, known, ignored)
        try:
            os.makedirs(self.path, exist_ok=True)
            self.hold()
        except OSError as error:
            raise Refusal(3, f"--folder '{self.path}': {error.strerror}") from error
        if known is None or self.is_unused():
            write_whole(self.file(INPUTS), json.dumps(made, indent=1) + "\n")
            with open(case.path, encoding="utf-8") as file:
                write_whole(self.file(CASE), file.read())

    def is_unused(self):
        return not any(name.endswith((SUFFIX, LOG, CODE)) for name in os.listdir(self.path))

    def known_inputs(self):
        try:
            with open(self.file(INPUTS), encoding="utf-8") as file:
                return dict(json.load(file))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as error:
            return refuse(f"'{self.file(INPUTS)}' cannot be read ({error}); take another --folder")

    def compare(self, made, known, ignored):
        names = [
            name for name in {**made, **known}
            if name not in ignored and made.get(name) != known.get(name)
        ]
        said = [
            f"{name} is {made.get(name, 'not given') or 'given'}, there "
            f"{known.get(name, 'not given') or 'given'}" for name in names[:3]
        ]
        if names and not self.is_unused():
            more = f" and {len(names) - 3} more" if len(names) > 3 else ""
            refuse(f"folder '{self.path}' holds a study of other inputs: {'; '.join(said)}{more}; "
                   f"take another --folder")

    def hold(self):
        """One series at a time; where the file system cannot lock, nobody is kept out."""
        # pylint: disable-next=consider-using-with
        self.lock = open(self.file(LOCK), "w", encoding="utf-8")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            refuse(f"another scale works in '{self.path}'")
        except OSError:
            pass

    def program(self, program, case, run):
        """The words of a run's program, with this folder's files."""
        own = {**run.options}
        if "fields" not in dict(case.options):
            own["fields"] = "no"
        kept = self.file(CASE)
        return [program, kept if os.path.exists(kept) else case.path
                ] + case.words(own) + ["--output", self.file(run.name + SUFFIX)]

    def clear(self, run):
        """What an earlier, failed attempt has left."""
        for suffix in (SUFFIX, CODE):
            if os.path.exists(self.file(run.name + suffix)):
                os.remove(self.file(run.name + suffix))

    def state(self, run, words):
        """(status, reason, record): VALID, INVALID, INCONCLUSIVE; failed; other; missing."""
        path = self.file(run.name + SUFFIX)
        if not os.path.exists(path):
            return self.failure(run) + (None,)
        try:
            found = record.read(path)
        except (OSError, KeyError, ValueError) as error:
            return "failed", f"its file cannot be read: {error}", None
        if found.ranks != run.ranks:
            return "failed", (
                f"{run.ranks} ranks were launched, the file is of {found.ranks}: launcher and "
                "MPI library do not match"), None
        line = found.attributes["command_line"]
        if len(line) < LINE_BYTES and not same_options(line, words):
            return "other", "its file was made with other options", None
        return found.solver["status"], "", found

    def failure(self, run):
        """Why there is no file, from the exit code that was kept and the last words of the log."""
        try:
            with open(self.file(run.name + CODE), encoding="utf-8") as file:
                code = file.read().strip()
        except OSError:
            return "missing", "it has not run, or was interrupted"
        return "failed", f"{code}{self.last_error(run)}"

    def last_error(self, run):
        try:
            with open(self.file(run.name + LOG), encoding="utf-8", errors="replace") as file:
                lines = [line.strip() for line in file if line.strip()]
        except OSError:
            return ""
        errors = [line for line in lines if re.search(r"\berror\b", line, re.IGNORECASE)]
        last = (errors or lines or [""])[0 if errors else -1]
        return f": {last[:200]}" if last else ""


def same_options(line, words):
    """Does a file's command line have these options?  Paths may differ: folders move."""
    for path, name in ((words[0], "program"), (words[1], "case"), (words[-1], "file")):
        line = line.replace(path, name)
    expected = " ".join(["program", "case", *words[2:-1], "file"])
    return record.program_options(line) == record.program_options(expected)
