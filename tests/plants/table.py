# SPDX-License-Identifier: BSD-3-Clause
# The plants, by what is wrong, and the cases that they are run in.
import collections

from plant import plants
import table_system
import table_solve
import table_file

assert table_system and table_solve and table_file and plants

# Case: input and options; `resolved`: options of a run that shows what the mesh resolves, where the
# case itself does not go that far.
Case = collections.namedtuple("Case", "name ranks words resolved")
TO_THE_END = ["--stop", "tolerance", "--tolerance", "1e-12", "--iterations", "5000"]
SMALL = ["--nx", "4", "--ny", "4", "--nz", "4"]
CASES = [
    Case("q3", 2, ["quick.ini", "--degree", "3"], []),
    Case("q5", 3, ["quick.ini", "--degree", "5"], []),
    Case("q4", 8, ["quick.ini", "--degree", "4", *SMALL], []),
    Case("q7", 2, ["quick.ini"], []),
    Case("nek7", 2, ["nekbone.ini", "--degree", "7", *SMALL], TO_THE_END),
    Case("nek9", 2, ["nekbone.ini"], TO_THE_END),
    Case("kershaw4", 2, ["kershaw.ini", "--degree", "4"], []),
    Case("q5f32", 3, ["quick.ini", "--degree", "5", "--precision", "f32", "--tolerance", "1e-5"], []),
    Case("q3ref", 1, ["quick.ini", "--degree", "3", "--kernel", "reference"], []),
]
