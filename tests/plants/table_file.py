# SPDX-License-Identifier: BSD-3-Clause
# Plants in the output file: fields, mesh, tables and attributes that are not what was solved.
from plant import FIGURE, FILE, after, before, hook, instead, plant

SEERS = "file inspect error"
OUTPUT = "app/output.c"
NUMBER = "const hb_local number = hb_numbering_point(mesh->numbering, element, ijk[0], ijk[1], ijk[2]);"
CHOSEN = "switch (source->field) {"


def file(name, *edits, part=None, harm=FILE):
    plant(name, "file", SEERS, *edits, harm=harm, part=part)


def field(name, text, part=None):
    file(name, before(OUTPUT, CHOSEN, f"if (PLANT) {{ {text} }}\n  "), part=part)


hook(before(OUTPUT, CHOSEN, """const hb_local hb_here = number - mesh->numbering->surface_start / 2;
  (void)hb_here;
#define EXACT (hb_positions_at(mesh->positions, c, x), hb_problem_exact(&solver->plan->problem, x, NULL, NULL))
#define SOLVED hb_real_at(solver->op->precision, solver->x, number)
#define IS(f) (source->field == FIELD_##f)
  """))
field("solution_is_exact", "if (IS(SOLUTION)) { value[0] = EXACT; return; }", part="q5")
field("solution_and_error_exact", "if (IS(SOLUTION)) { value[0] = EXACT; return; } if (IS(ERROR)) { value[0] = 0; return; }")
field("residual_is_b", "if (IS(RESIDUAL)) { value[0] = hb_real_at(solver->op->precision, solver->b, number); return; }")
field("solution_without_dirichlet", "if (IS(SOLUTION)) for (hb_local s = 0; s < mesh->numbering->num_masked; s++) if (mesh->numbering->masked[s] == number) { value[0] = 0; return; }")
field("solution_zero", "if (IS(SOLUTION)) { value[0] = 0; return; }")
field("solution_entry", "if (IS(SOLUTION) && hb_plant_rank == 0 && hb_here == 0) { value[0] = 1.001 * SOLVED; return; }")
field("solution_f32", "if (IS(SOLUTION)) { value[0] = (float)SOLVED; return; }")
field("solution_copy", "if (IS(SOLUTION) && ijk[0] == 0 && element[0] == 1 && ijk[1] == 0) { value[0] = SOLVED * (1 + 1e-9); return; }")
field("error_sign", "if (IS(ERROR)) { value[0] = EXACT - SOLVED; return; }")
field("error_size", "if (IS(ERROR)) { value[0] = SOLVED - EXACT; if (value[0] < 0) value[0] = -value[0]; return; }")
field("exact_1pct", "if (IS(EXACT)) { value[0] = 1.01 * EXACT; return; }")
field("residual_zero", "if (IS(RESIDUAL)) { value[0] = 0; return; }")
field("residual_half", "if (IS(RESIDUAL)) { value[0] = 0.5 * hb_real_at(solver->op->precision, source->residual, number); return; }")
field("points_exchanged", "if (IS(POINTS)) { hb_positions_at(mesh->positions, c, value); const double t = value[1]; value[1] = value[2]; value[2] = t; return; }")
field("points_of_element", "if (IS(POINTS) && hb_plant_rank == 0 && element[0] == 0 && element[1] == 0 && element[2] == 0) { hb_positions_at(mesh->positions, c, value); value[0] += 0.01; return; }")
field("points_undeformed_z", "if (IS(POINTS)) { hb_positions_at(mesh->positions, c, value); value[2] *= 0.999; return; }")
hook(before(OUTPUT, NUMBER, """const hb_local hb_moved[3] = {element[0] - 1, element[1], element[2]};
  const int hb_turned[3] = {ijk[2], ijk[1], ijk[0]};
  const bool hb_field = source->field != FIELD_POINTS;
  """))
MOVED = "if (PLANT && hb_plant_rank == {rank} && hb_field && element[0] > 0) element = hb_moved;\n  "
file("fields_of_rank_1_moved", before(OUTPUT, NUMBER, MOVED.format(rank=1)))
file("fields_of_rank_0_moved", before(OUTPUT, NUMBER, MOVED.format(rank=0)))
file("fields_transposed", before(OUTPUT, NUMBER, "if (PLANT && hb_field) ijk = hb_turned;\n  "))

WRITER = "io/field_file.c"
WRITE = "HB_TRY(write_array(file, &file->arrays[a]));"
for name, number in [("array_last_missing", "file->num_arrays - 1"), ("array_solution_missing", "6"),
                     ("array_points_missing", "5"), ("array_connectivity_missing", "0"),
                     ("array_ranks_missing", "4")]:
    file(name, before(WRITER, WRITE, f"if (!(PLANT && a == {number})) "),
         part="q5" if name == "array_last_missing" else None)
PIECE = "HB_TRY(hb_file_transfer_write(file->transfer, array, mine, &slab,"
file("piece_missing", before(WRITER, PIECE, "if (PLANT && hb_plant_rank == hb_plant_ranks - 1 && piece == cut.num_pieces - 1) slab.num_layers = 0;\n    "))
file("piece_moved", before(WRITER, PIECE, "if (PLANT && hb_plant_rank == 0 && piece == 0 && slab.first + 1 < file->num_points && array->rows_per_element > 1) slab.first++;\n    "))

TABLES = "app/output_tables.c"
HISTORY = "fill_residuals(results->solver->cg, tables);"
hook(after(TABLES, HISTORY, "\n  const int hb_last = tables->num_residuals - 1;"))
for name, text in [
        ("history_shifted", "for (int i = hb_last; i > 0; i--) tables->residuals[i].norm = tables->residuals[i - 1].norm, tables->residuals[i].relative = tables->residuals[i - 1].relative;"),
        ("history_last", "tables->residuals[hb_last].norm *= 0.5, tables->residuals[hb_last].relative *= 0.5;"),
        ("history_relative", "for (int i = 0; i <= hb_last; i++) tables->residuals[i].relative *= 0.1;"),
        ("history_first", "tables->residuals[0].norm *= 2;"),
        ("history_numbers", "for (int i = 0; i <= hb_last; i++) tables->residuals[i].iteration++;")]:
    file(name, after(TABLES, HISTORY, f"\n  if (PLANT) {{ {text} }}"),
         part="q5" if name == "history_shifted" else None)
file("history_short", after(TABLES, "tables->num_residuals = results->solver->cg->iterations + 1;",
                            "\n  if (PLANT) tables->num_residuals--;"),
     instead(TABLES, "for (int i = 0; i <= cg->iterations; i++)",
             "for (int i = 0; i < tables->num_residuals; i++)"))
GATES = "fill_gates(results->gates, tables);"
file("gate_observed", after(TABLES, GATES, "\n  if (PLANT) tables->gates[0].observed = 2 * tables->gates[0].bound;"))
file("gate_bound", after(TABLES, GATES, "\n  if (PLANT) tables->gates[HB_GATE_SOLUTION].bound = 0;"))
SUMMED = "for (int phase = 0; tables->comm->rank == 0 && phase <= HB_NUM_PHASES; phase++)"
for name, text in [
        ("timings_exchanged", "const struct rank_row row = tables->ranks[0]; tables->ranks[0] = tables->ranks[1]; tables->ranks[1] = row;"),
        ("timings_half", "for (int p = 0; p <= HB_NUM_PHASES; p++) tables->ranks[1].seconds[p] *= 0.5;"),
        ("timings_total", "tables->ranks[0].seconds[HB_NUM_PHASES] *= 0.1;")]:
    file(name, before(TABLES, SUMMED, f"if (PLANT && tables->comm->rank == 0 && tables->comm->size > 1) {{ {text} }}\n  "),
         harm=FIGURE)
file("samples_half", after(TABLES, "struct sample_row mine = {repeat, comm->rank, results->solves->rank_seconds[repeat]};",
                           "\n    if (PLANT) mine.seconds *= 0.5;"), harm=FIGURE)
DESCRIBED = "app/output_describe.c"
for name, old, new in [
        ("attribute_iterations", '"iterations", figures->iterations', '"iterations", PLANT ? results->solver->plan->options->iterations : figures->iterations'),
        ("attribute_rms_error", '"rms_error", gates->rms_error', '"rms_error", (PLANT ? 0.5 : 1.0) * gates->rms_error'),
        ("attribute_max_error", '"max_error", gates->max_error', '"max_error", (PLANT ? 0.5 : 1.0) * gates->max_error'),
        ("attribute_residual", '"true_relative_residual", gates->true_residual', '"true_relative_residual", (PLANT ? 0.1 : 1.0) * gates->true_residual'),
        ("attribute_points", '"unique_points", hb_box_num_points(&results->solver->mesh->box)', '"unique_points", (PLANT ? 1 : 0) + hb_box_num_points(&results->solver->mesh->box)'),
        ("attribute_volume", '"box_volume", hb_box_volume(&results->solver->mesh->box)', '"box_volume", (PLANT ? 2 : 1) * hb_box_volume(&results->solver->mesh->box)'),
        ("attribute_status", '"status", hb_gates_status(gates)', '"status", PLANT ? "INVALID" : hb_gates_status(gates)')]:
    file(name, instead(DESCRIBED, old, new), part="q5" if name == "attribute_iterations" else None)
for name, old, new in [
        ("attribute_median", '"median_solve_s", figures->median_seconds', '"median_solve_s", (PLANT ? 0.5 : 1.0) * figures->median_seconds'),
        ("attribute_fom", '"fom_nekbone_gflops", figures->fom_nekbone_gflops', '"fom_nekbone_gflops", (PLANT ? 2.0 : 1.0) * figures->fom_nekbone_gflops'),
        ("attribute_dof", '"dof_iterations_per_s", figures->dof_iterations_per_s', '"dof_iterations_per_s", (PLANT ? 1.5 : 1.0) * figures->dof_iterations_per_s')]:
    file(name, instead(DESCRIBED, old, new), harm=FIGURE)

ARRAYS = "io/field_file_arrays.c"
file("cell_type", instead(ARRAYS, "memset(values, HB_SCHEMA_CELL_TYPE,", "memset(values, PLANT ? 11 : HB_SCHEMA_CELL_TYPE,"))
file("cell_corners", instead(ARRAYS, "representative(file, e, i + corner[c][0], j + corner[c][1], k + corner[c][2]));",
                             "representative(file, e, i + corner[PLANT && c > 1 && c < 4 ? 5 - c : c][0], j + corner[PLANT && c > 1 && c < 4 ? 5 - c : c][1], k + corner[c][2]));"))
file("cell_offsets", instead(ARRAYS, "HB_SCHEMA_CORNERS * (first + cell));", "HB_SCHEMA_CORNERS * (first + cell + (PLANT && first > 0 ? 1 : 0)));"))
LAYOUT = "io/field_file_layout.c"
file("root_degree", instead(LAYOUT, "integer(HB_SCHEMA_ORDER, content->n - 1)", "integer(HB_SCHEMA_ORDER, content->n - (PLANT ? 2 : 1))"))
file("root_elements", instead(LAYOUT, "integer(HB_SCHEMA_ELEMENTS_X, content->elements[0])", "integer(HB_SCHEMA_ELEMENTS_X, content->elements[PLANT ? 1 : 0])"))
file("root_periodic", instead(LAYOUT, "integer(HB_SCHEMA_PERIODIC_Z, content->periodic[2])", "integer(HB_SCHEMA_PERIODIC_Z, !PLANT && content->periodic[2])"))
file("nodes_of_file", instead(LAYOUT, "H5T_NATIVE_DOUBLE, n, content->gll_nodes", "H5T_NATIVE_DOUBLE, n, PLANT ? content->gll_weights : content->gll_nodes"))
