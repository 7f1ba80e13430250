# SPDX-License-Identifier: BSD-3-Clause
# The cases that plants are run in, and the part of it that is in every run of the tests.
import collections

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
    Case("q5f32", 3, ["quick.ini", "--degree", "5", "--precision", "f32", "--tolerance", "1e-4"],
         []),
    Case("q3ref", 2, ["quick.ini", "--degree", "3", "--kernel", "reference"], []),
    Case("q5nodes", 2, ["quick.ini", "--degree", "5", "--geometry", "nodes"], []),
    Case("q5auto", 2, ["quick.ini", "--degree", "5", "--geometry", "auto"], []),
    Case("u5straight", 2, ["quick.ini", "--degree", "5", "--deformation", "none", "--geometry",
                           "trilinear"], []),
    Case("u5affine", 3, ["quick.ini", "--degree", "5", "--deformation", "none", "--h1_variation",
                         "0", "--geometry", "affine"], []),
]

# One plant of each kind, in the case that shows it best: the part for every run of the tests.
PART = {
    "factor_rr_1": "q5", "mass_half": "q5", "diagonal_shared": "q5", "deformation_ignored": "q5",
    "mask_last": "q5", "surface_swap": "q5", "D_scaled": "q5", "positions_plane": "q5",
    "b_entry": "q5", "h1_gradient_sign": "q5",
    "message_edge": "q5", "message_lost_first_solve": "q5",
    "sum_differs_on_rank": "q5", "kernel_block_factors": "q5", "operator_once_wrong": "q5",
    "x_skipped_20th": "q5", "x_copies": "q5", "seconds_half": "q5", "iterations_double": "q5",
    "history_row_missing": "q5", "timings_exchanged": "q5",
    "solution_is_exact": "q5", "array_last_missing": "q5", "attribute_iterations": "q5",
    "kept_x_point": "q5nodes", "kept_element_value": "u5straight", "kept_G11": "u5affine",
    "mode_too_light": "q5auto",
    "h1_element": "q5", "lifting_left_out": "q5", "alpha_1.1": "q5",
}

# Plants and parts of helmbone-bench that have no speed then.
BENCH = {
    "kernel_block_factors": {"operator", "operator_updates", "iteration"},
    "kernel_cross_rs": {"operator", "operator_updates", "iteration"},
    "kernel_metric_point": {"operator", "operator_updates", "iteration"},
    "vector_residual_sum": {"residual", "iteration"},
    "vector_solution_update": {"operator_updates", "iteration"},
    "index_swapped": {"exchange", "packing", "iteration"},
}
