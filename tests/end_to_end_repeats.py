# SPDX-License-Identifier: BSD-3-Clause
# As many timed solves as a count, a least time and a walltime ask for; all samples are kept.
"""Usage: end_to_end_repeats.py BUILD_FOLDER"""
import re
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import support
from support import check, on_ranks, run

RANKS = 2
CASE = ["--degree", "4", "--nx", "6", "--ny", "4", "--nz", "4", "--fields", "no", "--progress",
        "off"]


def solve(path, *options):
    """Report, RESULT, seconds of each timed solve (the longest over the ranks), wall time."""
    begin = time.time()
    code, text, errors = run(on_ranks(RANKS, f"{build}/helmbone", *CASE, "--output", path,
                                      *options))
    took_s = time.time() - begin
    check(f"{options}: valid", code == 0 and
          support.parse_result(text).get("status") == "VALID", (code, errors))
    with h5py.File(path) as file:
        samples = file["timings/samples"][:]
        median_s = file["solver"].attrs["median_solve_s"]
    longest = [max(row["seconds"] for row in samples if row["repeat"] == repeat)
               for repeat in range(len(samples) // RANKS)]
    check(f"{options}: every sample is kept", len(samples) == RANKS * len(longest) > 0)
    check(f"{options}: the median is theirs", abs(float(np.median(longest)) - median_s) <=
          1e-12 * median_s, (np.median(longest), median_s))
    timed = re.search(r"(\d+) timed", text)
    check(f"{options}: their number is said", timed and int(timed[1]) == len(longest), text[-600:])
    return text, longest, took_s


def main():
    with tempfile.TemporaryDirectory(prefix="helmbone_repeats_") as folder:
        path = f"{folder}/a.vtkhdf"
        text, longest, _ = solve(path, "--repeats", "2")
        check("a count alone", len(longest) == 2 and "note:" not in text, len(longest))
        least_s = 4 * max(longest) # a busy machine is slow
        text, longest, _ = solve(path, "--repeats", "1", "--min_time", f"{least_s:.6f}")
        check("a least time: reached, and by the last one", len(longest) == 1 or
              sum(longest) >= round(least_s, 6) > sum(longest[:-1]), (longest, least_s))
        check("a least time: more than the count, or one that is longer", len(longest) > 1 or
              longest[0] >= least_s, (longest, least_s))
        _, longest, _ = solve(path, "--repeats", "7", "--min_time", "1e-9")
        check("a count that takes longer than the time", len(longest) == 7, len(longest))
        text, longest, took_s = solve(path, "--min_time", "1e6", "--walltime", "6")
        check("walltime: an end, with report and file", took_s < 60 and "so that the walltime" in text
              and len(longest) >= 1, (took_s, len(longest)))
        text, longest, _ = solve(path, "--repeats", "500", "--walltime", "1e-3")
        check("walltime: one solve at least", len(longest) == 1 and "so that the walltime" in text,
              len(longest))
        for name, value in (("min_time", "-1"), ("walltime", "-1"), ("watchdog", "inf"),
                            ("repeats", "0")):
            code, _, errors = run([f"{build}/helmbone", f"--{name}", value])
            check(f"{name} = {value}: refused", code == 2 and name in errors, (code, errors))


if __name__ == "__main__":
    support.require("numpy", "h5py")
    import h5py
    import numpy as np
    build = support.build_folder(__doc__)
    main()
    sys.exit(support.finish())
