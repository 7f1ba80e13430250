# SPDX-License-Identifier: BSD-3-Clause
# The exchange as the options ask for it: what is reported, the same answer, and what is refused.
"""Usage: end_to_end_exchange.py BUILD_FOLDER"""
import re
import sys

sys.dont_write_bytecode = True
import support
from support import check, on_ranks, run

build = support.build_folder(__doc__)
SIZES = ("--degree", "3", "--nx", "4", "--ny", "3", "--nz", "2", "--repeats", "1", "--warmup", "0")


def solve(ranks, *options):
    """Exit code, RESULT, report and errors of a small solve."""
    code, text, errors = run(on_ranks(ranks, f"{build}/helmbone", *SIZES, *options))
    return code, support.parse_result(text), text, errors


def lines_of(text):
    """{"": the line of the choice, name: the line of a candidate}"""
    return {name.lstrip(", "): words
            for name, words in re.findall(r"^exchange(, [a-z-]+)?: (.*)$", text, re.MULTILINE)}


def check_choices():
    answers = {}
    for wish in ("auto", "pairwise", "neighbour"):
        code, result, text, errors = solve(2, "--exchange", wish)
        lines = lines_of(text)
        what = f"exchange = {wish}"
        if not check(f"{what}: VALID", code == 0 and result.get("status") == "VALID",
                     (code, text[-600:], errors[-300:])):
            continue
        chosen = result.get("exchange")
        answers[wish] = result["residual"], result["rms_error"], result["iterations"]
        check(f"{what}: reported", lines.get("", "").startswith(f"{chosen} ("), lines)
        tried = {"pairwise", "neighbour"} if wish == "auto" else {wish}
        check(f"{what}: what was tried has a line", set(lines) == {"", *tried}, lines)
        if wish == "auto":
            check("auto: both are timed", lines[""].endswith("(the fastest of 2)") and all(
                re.fullmatch(r"\d+\.\d us, right", lines.get(name, ""))
                for name in ("pairwise", "neighbour")), lines)
        else:
            check(f"{what}: taken, not timed", chosen == wish and "as asked" in lines[""] and
                  lines[wish] == "right, not timed", lines)
    check("all give the same", len(answers) == 3 and len(set(answers.values())) == 1, answers)


def check_nothing_to_choose():
    code, result, text, errors = solve(1, "--exchange", "neighbour")
    check("one rank: none", code == 0 and result.get("exchange") == "none" and
          lines_of(text) == {"": "none (a single rank exchanges nothing)"},
          (code, text[-600:], errors))
    code, result, text, errors = solve(2, "--autotune", "no", "--verbose")
    check("autotune = no: the preset, not timed", code == 0 and
          result.get("exchange") == "pairwise" and lines_of(text).get("neighbour") ==
          "left out, not timed, autotune = no",
          (code, text[-600:], errors))


def check_refused():
    """What cannot be, before anything is done."""
    code, _, text, errors = solve(2, "--exchange", "peer", "--backend", "host")
    check("peer on the host: refused once", code == 2 and errors.count("exchange = peer") == 1 and
          "the run is on the host" in errors and "allowed: auto, pairwise, neighbour" in errors,
          (code, errors[-400:]))
    check("peer on the host: before anything is done", "RESULT" not in text, text[-300:])
    code, _, _, errors = solve(1, "--exchange", "pears")
    check("a word that is none", code == 2 and "auto | pairwise | neighbour | peer" in errors,
          (code, errors[-300:]))


if __name__ == "__main__":
    check_choices()
    check_nothing_to_choose()
    check_refused()
    sys.exit(support.finish())
