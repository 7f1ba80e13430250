# SPDX-License-Identifier: BSD-3-Clause
# Commands that launch a program on ranks; what launchers want is known to .ci/launcher.sh alone.
import os
import shlex
import subprocess

from study.base import Refusal, refuse

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
SCRIPT = os.path.join(ROOT, ".ci", "launcher.sh")
KINDS = ("auto", "mpirun", "hydra", "srun", "flux")


class Launcher:
    """kind: one of KINDS, auto being settled here; words: the user's own, after the launcher's."""
    def __init__(self, kind, per_node=0, words=""):
        self.per_node = per_node
        try:
            self.more = shlex.split(words)
        except ValueError as error:
            refuse(f"--launch-options '{words}': {error}")
        self.kind = kind
        self.kind = self._ask(1)["kind"][0]

    def _ask(self, ranks):
        command = ["bash", SCRIPT, "--launch", self.kind, str(ranks), str(self.per_node)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Refusal(3, done.stderr.strip() or f"{SCRIPT} ended with {done.returncode}")
        answer = {"kind": [], "setting": [], "word": []}
        for line in done.stdout.splitlines():
            what, _, value = line.partition(" ")
            answer[what].append(value)
        return answer

    def command(self, ranks, program):
        """Words, and the settings of the environment, of which the user's own stay."""
        answer = self._ask(ranks)
        settings = dict(line.split("=", 1) for line in answer["setting"])
        settings = {name: value for name, value in settings.items() if name not in os.environ}
        return answer["word"] + self.more + program, settings


def shell_line(words, settings):
    """A command as a line for a shell."""
    return " ".join([f"{name}={shlex.quote(value)}"
                     for name, value in settings.items()] + [shlex.quote(word) for word in words])
