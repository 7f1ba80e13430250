# SPDX-License-Identifier: BSD-3-Clause
# The memory that a run takes is what its report says beforehand.
"""Usage: end_to_end_memory.py BUILD_FOLDER"""
import re
import resource
import sys
import tempfile

sys.dont_write_bytecode = True
import support
from support import check, run

# 9216 elements of degree 7: more than the arrays of the bandwidth measurement take.
CASE = ["--degree", "7", "--nx", "24", "--ny", "24", "--nz", "16", "--stop", "count",
        "--iterations", "10", "--warmup", "0", "--repeats", "1"]
FACTOR, ALLOWANCE_MB = 1.3, 60.0  # the allowance: MPI's libraries and the program itself


def main():
    with tempfile.TemporaryDirectory() as folder: # with a file: writing takes memory too
        code, text, errors = run([f"{build}/helmbone", *CASE, "--verbose", "--output",
                                  f"{folder}/m.vtkhdf"])
    peak_mb = 1e-6 * 1024 * resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    check("exit code 0", code == 0, errors)
    lines = dict((name, float(megabytes)) for name, megabytes in
                 re.findall(r"^memory of rank 0, (.+): (\S+) MB$", text, re.MULTILINE))
    total = lines.pop("total", 0.0)
    check("the total is the sum of its lines", total > 0 and
          abs(sum(lines.values()) - total) < 1e-3 * total, (lines, total))
    check("the solve, not the bandwidth measurement, takes most", total > 200 and
          lines.get("bandwidth measurement (above)", 0.0) == 0.0, lines)
    check("the peak stays within what is printed", peak_mb < FACTOR * total + ALLOWANCE_MB,
          (peak_mb, total))
    check("what is printed is not far above the peak", peak_mb > total / FACTOR,
          (peak_mb, total))
    result = support.parse_result(text)
    setup = support.parse_phases(text).get("setup")
    if check("set-up and iterations are timed", setup and "seconds_per_iteration" in result):
        print(f"peak {peak_mb:.0f} MB, printed {total:.0f} MB; set-up costs "
              f"{setup[2] / float(result['seconds_per_iteration']):.1f} iterations")
    return support.finish()


if __name__ == "__main__":
    build = support.build_folder(__doc__)
    sys.exit(main())
