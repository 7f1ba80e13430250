# SPDX-License-Identifier: BSD-3-Clause
# The command line: python3 app/study scale|plot ARGUMENT...
import os
import sys

sys.dont_write_bytecode = True
sys.path[0] = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
from study.base import Refusal  # pylint: disable=wrong-import-position


def main(arguments):
    verb = arguments[0] if arguments else ""
    try:
        if verb == "scale":
            from study import scale
            return scale.main(arguments[1:])
        if verb == "plot":
            from study import plot
            return plot.main(arguments[1:])
        raise Refusal(2, f"'{verb}' is not known; allowed: scale, plot")
    except Refusal as refusal:
        print(f"{verb or 'study'}: {refusal}", file=sys.stderr)
        return refusal.code
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 3


sys.exit(main(sys.argv[1:]))
