# SPDX-License-Identifier: BSD-3-Clause
# Plants in the solve: exchange, sums, kernel, conjugate gradients, figures.
from plant import FIGURE, FILE, after, before, hook, instead, plant

SOLVER = "app/solver.c"
SOLVE = "status = solve_once(solver, timed, &request, solves);"
hook(before(SOLVER, SOLVE, """hb_plant_solve = solve, hb_plant_passes = 0;
    hb_plant_last_solve = solve == options->warmup + options->repeats - 1;
    """),
     after(SOLVER, SOLVE, "\n    hb_plant_solve = -1, hb_plant_last_solve = 0;"))
FIRST, LAST = "hb_plant_solve == 0", "hb_plant_last_solve"

# ---- exchange ------------------------------------------------------------------------------------

EXCHANGE = "mesh/gather_scatter.c"
SUM = "if (precision == HB_F64)\n    hb_gather_sum_f64"
hook(before(EXCHANGE, SUM, """const size_t hb_size = hb_precision_bytes(precision);
  int hb_least = 0;
  for (int q = 1; q < gs->num_neighbours; q++)
    if (gs->start[q + 1] - gs->start[q] < gs->start[hb_least + 1] - gs->start[hb_least]) hb_least = q;
  (void)hb_size;
  """))


def exchange(name, text, part=None):
    plant(name, "exchange", "continuity repeat residual consistency solution symmetry null_space",
          before(EXCHANGE, SUM, f"if (PLANT && gs->num_neighbours > 0) {{ {text} }}\n  "), part=part)


ALL = "gs->start[gs->num_neighbours]"
exchange("message_zero", "if (hb_plant_rank == 1) memset(gs->receive, 0, (size_t)gs->start[1] * hb_size);", part="q5")
exchange("message_zero_all", f"memset(gs->receive, 0, (size_t){ALL} * hb_size);")
exchange("message_edge", "if (hb_plant_rank == 0) memset((char *)gs->receive + (size_t)gs->start[hb_least] * hb_size, 0, hb_size);")
exchange("message_last_entry", f"if (hb_plant_rank == 0) memset((char *)gs->receive + (size_t)({ALL} - 1) * hb_size, 0, hb_size);")
exchange("message_half", "if (hb_plant_rank == 1) memset((char *)gs->receive + (size_t)(gs->start[1] / 2) * hb_size, 0, (size_t)(gs->start[1] / 2) * hb_size);")
exchange("message_lost_first_solve", f"if ({FIRST} && hb_plant_passes == 10 && hb_plant_rank == 1) memset(gs->receive, 0, (size_t)gs->start[1] * hb_size);")
exchange("message_lost_last_solve", f"if ({LAST} && hb_plant_passes == 10 && hb_plant_rank == 1) memset(gs->receive, 0, (size_t)gs->start[1] * hb_size);", part="q5")
exchange("message_lost_set_up", "if (hb_plant_solve < 0 && hb_plant_passes == 0 && hb_plant_rank == 0) memset(gs->receive, 0, (size_t)gs->start[1] * hb_size);")
exchange("message_lost_both_sides", f"if ({LAST} && hb_plant_passes == 10) memset(gs->receive, 0, (size_t){ALL} * hb_size);")
LISTS = "HB_TRY(list_sources(comm, gs));"
plant("index_swapped", "exchange", "continuity consistency symmetry null_space kernel solution",
      before(EXCHANGE, LISTS, "if (PLANT && hb_plant_rank == 0 && gs->num_neighbours > 0 && gs->start[1] > 1) { const hb_local i = gs->index[0]; gs->index[0] = gs->index[1]; gs->index[1] = i; }\n  "))
plant("index_one_off", "exchange", "continuity consistency symmetry null_space kernel solution",
      before(EXCHANGE, LISTS, "if (PLANT && hb_plant_rank == 0 && gs->num_neighbours > 0) gs->index[gs->start[1] / 2] = gs->index[0];\n  "))
plant("shared_own_twice", "exchange", "continuity consistency null_space solution",
      instead("kernels/vectors/gather_pack.c", "sum += source[q] < 0 ? shared[s] : received[source[q]];",
              "sum += source[q] < 0 ? (PLANT && s == 0 ? 2 : 1) * shared[s] : received[source[q]];"))

# ---- sums over ranks -----------------------------------------------------------------------------

COMM = "mesh/comm.c"
ADDED = "sum_together(comm, count - first, values + first);"
for name, text, seers in [
        ("sum_without_rank", "if (comm->rank == comm->size - 1) for (int i = 0; i < count; i++) values[i] = 0;", "residual volume symmetry reduction solution"),
        ("sum_rank_twice", "if (comm->rank == comm->size - 1) for (int i = 0; i < count; i++) values[i] *= 2;", "residual volume symmetry reduction solution"),
        ("sum_rank_lost_in_solve", "if (hb_plant_solve >= 0 && comm->rank == comm->size - 1) for (int i = 0; i < count; i++) values[i] = 0;", "residual reduction solution"),
        ("sum_lost_once", f"if ({LAST} && hb_plant_passes == 10 && comm->rank == 0) for (int i = 0; i < count; i++) values[i] = 0;", "repeat residual reduction")]:
    plant(name, "sum", seers, before(COMM, ADDED, f"if (PLANT) {{ {text} }}\n  "),
          part="q7" if name == "sum_lost_once" else None)
plant("sum_differs_on_rank", "sum", "continuity repeat residual reduction timeout error",
      after(COMM, ADDED, f"\n  if (PLANT && {LAST} && hb_plant_passes == 10 && comm->rank == 0) values[0] *= 1.001;"))
plant("sum_differs_on_last_rank", "sum", "continuity repeat residual reduction timeout error",
      after(COMM, ADDED, f"\n  if (PLANT && {LAST} && hb_plant_passes == 20 && comm->rank == comm->size - 1) values[0] += 1e-9 * values[0];"))
plant("dots_over_copies", "sum", "residual reduction points solution symmetry",
      instead(SOLVER, ".num_owned = numbering->num_owned,",
              ".num_owned = PLANT ? numbering->num_points : numbering->num_owned,"))

# ---- kernels -------------------------------------------------------------------------------------

SIMD = "kernels/helmholtz/simd.c"
KERNEL = "kernel symmetry null_space consistency factors"
plant("kernel_energy_of_block", "kernel", "kernel reduction residual",
      instead(SIMD, "sum += apply_cube(n,", "sum += (PLANT && block == 1 ? 0.0 : 1.0) * apply_cube(n,"),
      part="q4")
plant("kernel_block_factors", "kernel", KERNEL,
      instead(SIMD, "factors + block * points * num_factors, block_values",
              "factors + (PLANT && block == 2 ? 1 : block) * points * num_factors, block_values"))
POINT = "t[point] = gt;"
for name, text in [("kernel_cross_rs", "r[point] -= g[1] * us, s[point] -= g[1] * ur;"),
                   ("kernel_cross_one_side", "r[point] -= g[2] * ut;"),
                   ("kernel_one_point", "if (point == 1) t[point] *= (hb_real)1.001;"),
                   ("kernel_last_point", "if (point == n * n - 1) s[point] *= (hb_real)0.999;")]:
    plant(name, "kernel", KERNEL, after(SIMD, POINT, f"\n    if (PLANT) {{ {text} }}"))
plant("kernel_mass_doubled", "kernel", KERNEL,
      instead(SIMD, "with_mass ? 1 : 0, h->D,", "with_mass ? (PLANT ? 2 : 1) : 0, h->D,"))
plant("kernel_surface_lost", "kernel", KERNEL,
      before(SIMD, "add_surface(w, at.surface + HB_SIMD_LANES, cube[n - 1]);",
             "if (!(PLANT && k == 1 && j == 1))\n        "))
plant("kernel_block_once", "kernel", "kernel residual repeat consistency factors",
      before(SIMD, "if (full)\n      add_block(n, w, at, block_values);",
             f"if (PLANT && {LAST} && hb_plant_passes == 15 && block == 0) block_values[0] *= (hb_real)1.01;\n    "))
plant("kernel_partial_block", "kernel", KERNEL,
      instead("kernels/element/blocks.c", "for (int lane = 0; lane < active; lane++)\n          if (inside)\n            interior[lane] = values[lane];",
              "for (int lane = 0; lane < active; lane++)\n          if (PLANT && lane > 0 && lane == active - 1 && inside)\n            interior[lane] = 0;\n          else if (inside)\n            interior[lane] = values[lane];"))
REFERENCE = "kernels/helmholtz/host.c"
plant("reference_cross", "kernel", KERNEL,
      instead(REFERENCE, "gs[k][j][i] = g[1] * d[0] + g[3] * d[1] + g[4] * d[2];",
              "gs[k][j][i] = (PLANT ? 0 : 1) * g[1] * d[0] + g[3] * d[1] + g[4] * d[2];"))
plant("reference_mass", "kernel", KERNEL,
      instead(REFERENCE, "if (with_mass) sum += G[k][j][i][HB_MASS_FACTOR] * u[k][j][i];",
              "if (with_mass && !(PLANT && k == 0)) sum += G[k][j][i][HB_MASS_FACTOR] * u[k][j][i];"))
plant("reference_energy", "kernel", "kernel reduction residual",
      instead(REFERENCE, "sum += (double)u_element[point] * (double)w_element[point];",
              "sum += (PLANT && point == 0 ? 0 : 1) * (double)u_element[point] * (double)w_element[point];"))
VECTORS = "kernels/vectors/vector_ops_simd.c"
plant("vector_tail_direction", "kernel", "residual repeat consistency reduction continuity",
      instead(VECTORS, "p[i] = (has_dinv ? dinv[i] * r[i] : r[i]) + beta * old;",
              "p[i] = (has_dinv ? dinv[i] * r[i] : r[i]) + (PLANT ? 0 : beta) * old;"))
plant("vector_residual_sum", "kernel", "residual reduction repeat",
      instead(VECTORS, "sums[0] = sum_total(&rr);", "sums[0] = (PLANT ? 0.25 : 1.0) * sum_total(&rr);"))
plant("vector_solution_update", "kernel", "residual continuity",
      after(VECTORS, "const hb_vec old = hb_vec_load(p + i);",
            "\n    if (PLANT && i == 2 * HB_SIMD_LANES) hb_vec_store(x + i, hb_vec_load(x + i) * (hb_real)0.999);"))
plant("vector_set_at", "kernel", "symmetry kernel residual consistency",
      instead(VECTORS, "for (hb_local s = 0; s < count; s++) w[index[s]] = (hb_real)value;",
              "for (hb_local s = 0; s < count - (PLANT ? 1 : 0); s++) w[index[s]] = (hb_real)value;"))
APPLIED = "double mark = hb_timer_mark(op->timers);\n  double sum = local("
plant("operator_every_second", "operator", "residual reduction counts solution",
      before("app/operator_host.c", APPLIED, """static double hb_sum;
  static int hb_count;
  if (PLANT && hb_plant_solve >= 0 && hb_count++ % 2 == 1) {
    if (u_dot_w != NULL) *u_dot_w = hb_sum;
    return;
  }
  """), after("app/operator_host.c", "if (u_dot_w != NULL) *u_dot_w = sum;", "\n  hb_sum = sum;"))
plant("operator_once_wrong", "operator", "residual repeat",
      before("app/operator_host.c", "if (u_dot_w != NULL) *u_dot_w = sum;",
             f"if (PLANT && {LAST} && hb_plant_passes == 20 && hb_plant_rank == 0 && op->precision == HB_F64) ((double *)w)[0] *= 1.5;\n  "),
      part="q7")
plant("operator_twice", "operator", "counts residual",
      before("app/cg_host.c", "system->apply(system->context, host->p, host->w, &p_dot_w);",
             "if (PLANT) { double hb_unused; system->apply(system->context, host->p, host->w, &hb_unused); memset(host->w, 0, bytes_of(system)); }\n  "),
      harm=FIGURE)

# ---- conjugate gradients -------------------------------------------------------------------------

CG, HOST = "app/cg.c", "app/cg_host.c"
BEGUN = "double mark = hb_timer_mark(timers), p_dot_w = 0.0;"
hook(after(HOST, BEGUN, "\n  hb_plant_passes++;"))
DONE = "solution reduction residual consistency"
for name, text in [("alpha_1.1", "alpha *= 1.1;"),
                   ("alpha_0.9", "alpha *= 0.9;"),
                   ("alpha_once", f"if ({LAST} && cg->iterations == 20) alpha *= 1.5;"),
                   ("alpha_noise", "alpha *= 1 + 0.3 * (cg->iterations % 2);")]:
    plant(name, "cg", DONE, after(CG, "alpha = rz / p_dot_w;", f"\n    if (PLANT) {{ {text} }}"),
          part="nek7" if name == "alpha_1.1" else None)
for name, text in [("beta_half", "beta *= 0.5;"),
                   ("beta_zero", "beta = 0;"),
                   ("beta_once", f"if ({LAST} && cg->iterations == 20) beta = 0;"),
                   ("beta_1.01", "beta *= 1.01;")]:
    plant(name, "cg", DONE, after(CG, "beta = sums[1] / rz;", f"\n    if (PLANT) {{ {text} }}"))
plant("x_skipped_20th", "cg", "residual",
      after(HOST, BEGUN, f"\n  if (PLANT && {LAST} && hb_plant_passes == 20) alpha = 0;"), part="q7")
plant("x_skipped_first", "cg", "residual",
      after(HOST, BEGUN, f"\n  if (PLANT && {LAST} && hb_plant_passes == 2) alpha = 0;"))
plant("x_skipped_last", "cg", "residual",
      before(HOST, "system->ops->add_scaled(system->num_points, alpha, hb_cg_host(passes)->p, system->x);",
             "if (!PLANT)\n    "))
plant("x_of_rank", "cg", "residual continuity",
      after(HOST, BEGUN, f"\n  if (PLANT && {LAST} && hb_plant_passes == 20 && hb_plant_rank == 1) alpha *= 1.001;"))
plant("residual_step", "cg", "residual repeat",
      before(HOST, "update_residual(hb_cg_host(passes), alpha, sums);",
             f"if (PLANT && {LAST} && hb_plant_passes == 20) alpha *= 0.99;\n  "))
plant("residual_start", "cg", "residual solution",
      after(HOST, "memcpy(host->r, passes->system.b, bytes);",
            "\n  if (PLANT && hb_plant_rank == 0) hb_real_set(passes->system.precision, host->r, 0, 0.5 * hb_real_at(passes->system.precision, host->r, 0));"))
plant("x_not_cleared", "cg", "residual repeat solution",
      before(HOST, "memset(passes->system.x, 0, bytes);", "if (!PLANT) "))
plant("tolerance_100", "cg", "reduction",
      instead(CG, "const double tolerance = request->tolerance;",
              "const double tolerance = request->tolerance * (PLANT ? 100.0 : 1.0);"))
plant("iteration_less", "cg", "counts reduction",
      instead(CG, "while (cg->iterations < cg->max_iterations) {",
              "while (cg->iterations < cg->max_iterations - (PLANT ? 1 : 0)) {"))
plant("iteration_more", "cg", "counts reduction",
      instead(CG, "sums[0] <= goal)) cg->end = HB_CG_CONVERGED;\n    if (!isfinite",
              "sums[0] <= goal && !(PLANT && cg->iterations < 3))) cg->end = HB_CG_CONVERGED;\n    if (!isfinite"))
SOLVED = "HB_TRY(hb_comm_agree(comm, solver->passes->type->fetch_solution(solver->passes)));"
hook(after(SOLVER, SOLVED, """
  const struct hb_numbering *hb_n = solver->mesh->numbering;
  const enum hb_precision hb_p = solver->op->precision;
#define X(i, factor) hb_real_set(hb_p, solver->x, (i), (factor) * hb_real_at(hb_p, solver->x, (i)))"""))
for name, text, seers in [
        ("x_entry", "if (hb_plant_rank == 0) X(hb_n->surface_start / 2, 1.001);", "residual reduction"),
        ("x_entry_last", "if (hb_plant_rank == hb_plant_ranks - 1) X(hb_n->surface_start - 1, 1.01);", "residual reduction"),
        ("x_element", "if (hb_plant_rank == 0) for (hb_local i = 0; i < hb_n->surface_start / hb_n->num_elements; i++) X(i, 1.001);", "residual reduction"),
        ("x_all", "for (hb_local i = 0; i < hb_n->num_points; i++) X(i, 1.0001);", "residual reduction"),
        ("x_zero_rank", "if (hb_plant_rank == 1) for (hb_local i = 0; i < hb_n->num_points; i++) X(i, 0);", "residual reduction continuity"),
        ("x_copies", "if (hb_plant_rank == 1 && hb_n->num_points > hb_n->num_private) hb_real_set(hb_p, solver->x, hb_n->num_private, hb_real_at(hb_p, solver->x, hb_n->num_private) + 1e-10);", "continuity"),
        ("x_f32", "for (hb_local i = 0; i < hb_n->num_points; i++) hb_real_set(hb_p, solver->x, i, (float)hb_real_at(hb_p, solver->x, i));", "residual reduction")]:
    plant(name, "answer", seers, after(SOLVER, SOLVED, f"\n  if (PLANT) {{ {text} }}"),
          part="q5" if name == "x_copies" else None)

# ---- figures -------------------------------------------------------------------------------------


def figure(name, seers, *edits, part=None):
    plant(name, "figure", seers, *edits, harm=FIGURE, part=part)


MEASURED = "double seconds = hb_timer_end(timers, HB_PHASE_REDUCTION) - start;"
figure("seconds_half", "clock", after(SOLVER, MEASURED, "\n  if (PLANT) seconds *= 0.5;"), part="q7")
figure("seconds_double", "clock", after(SOLVER, MEASURED, "\n  if (PLANT) seconds *= 2;"))
figure("seconds_0.9", "clock", after(SOLVER, MEASURED, "\n  if (PLANT) seconds *= 0.9;"))
figure("seconds_of_one_solve", "clock",
       after(SOLVER, MEASURED, "\n  if (PLANT && timed == 1) seconds *= 0.5;"))
figure("seconds_of_rank", "clock",
       after(SOLVER, MEASURED, "\n  if (PLANT && hb_plant_rank == 0) seconds *= 3;"))
figure("seconds_without_largest", "clock",
       before(SOLVER, "solves->seconds[timed] = seconds;", "if (PLANT) seconds *= 0.8;\n  "))
figure("solve_before_start", "clock",
       before(SOLVER, "const double start = hb_timer_begin(timers);",
              "if (PLANT) hb_cg_solve(solver->cg, solver->passes, request), hb_cg_clear(solver->cg);\n  "))
TIMERS = "app/timers.h"
NOW = "return MPI_Wtime(); }"
figure("clock_half", "clock", before(TIMERS, NOW, "if (PLANT) return 0.5 * MPI_Wtime(); "), part="q7")
figure("clock_1.1", "clock", before(TIMERS, NOW, "if (PLANT) return 1.1 * MPI_Wtime(); "))
figure("clock_0.98", "clock", before(TIMERS, NOW, "if (PLANT) return 0.98 * MPI_Wtime(); "))
figure("clock_steps", "clock", before(TIMERS, NOW, "if (PLANT && hb_plant_passes > 30) return 1.0 + MPI_Wtime(); "))
figure("clock_stands", "clock", before(TIMERS, NOW, "if (PLANT && hb_plant_passes > 30) return 0.0; "))
ADD = "timers->seconds[phase] += now - *mark;"
figure("phases_double", "clock",
       before(TIMERS, ADD, "if (PLANT) timers->seconds[phase] += now - *mark;\n  "))
figure("phase_operator_lost", "clock",
       before(TIMERS, ADD, "if (PLANT && phase == HB_PHASE_OPERATOR) { *mark = now; return; }\n  "))
figure("phase_reduction_half", "clock",
       before(TIMERS, ADD, "if (PLANT && phase == HB_PHASE_REDUCTION) timers->seconds[phase] -= 0.5 * (now - *mark);\n  "))
FIGURES = "app/figures.c"
COUNTED = ".iterations = solver->cg->iterations};"
figure("iterations_double", "counts figures",
       after(FIGURES, COUNTED, "\n  if (PLANT) figures->iterations *= 2;"), part="q7")
figure("iterations_one_more", "counts figures",
       after(FIGURES, COUNTED, "\n  if (PLANT) figures->iterations++;"))
figure("iterations_of_limit", "counts figures",
       after(FIGURES, COUNTED, "\n  if (PLANT) figures->iterations = solver->plan->options->iterations;"))
RATED = "figures->fom_nekbone_gflops = 1e-9 * elements * hb_nekbone_flops(n) * rate;"
figure("fom_1.1", "figures", after(FIGURES, RATED, "\n  if (PLANT) figures->fom_nekbone_gflops *= 1.1;"))
figure("fom_order", "figures", after(FIGURES, RATED, "\n  if (PLANT) figures->fom_nekbone_gflops = 1e-9 * elements * hb_nekbone_flops(n + 1) * rate;"))
figure("dof_of_copies", "figures",
       instead(FIGURES, "figures->dof_iterations_per_s = unique * rate;",
               "figures->dof_iterations_per_s = (PLANT ? elements * hb_points_per_element(n) : unique) * rate;"))
figure("points_of_unique", "figures",
       instead(FIGURES, "figures->points_iterations_per_s = elements * hb_points_per_element(n) * rate;",
               "figures->points_iterations_per_s = (PLANT ? unique : elements * hb_points_per_element(n)) * rate;"))
figure("median_is_less", "figures",
       after(FIGURES, "figures->median_seconds = hb_sort_median(count, sorted);",
             "\n  if (PLANT) figures->median_seconds *= 0.9;"))
figure("fraction_of_triad", "figures",
       after(FIGURES, "figures->fraction_of_triad = figures->bytes_per_s / bandwidth->all_triad;",
             "\n  if (PLANT) figures->fraction_of_triad *= 1.5;"))
figure("seconds_per_iteration", "figures",
       after(FIGURES, "figures->seconds_per_iteration = 1.0 / rate;", "\n  if (PLANT) figures->seconds_per_iteration *= 0.5;"))
figure("bytes_per_s", "figures",
       after(FIGURES, "figures->bytes_per_s = figures->bytes_per_iteration * rate;", "\n  if (PLANT) figures->bytes_per_s *= 1.2;"))
figure("min_seconds", "figures",
       after(FIGURES, "figures->min_seconds = sorted[0];", "\n  if (PLANT) figures->min_seconds = figures->max_seconds = 0;"))
figure("useful_flops", "figures",
       before(FIGURES, "figures->bytes_per_s = figures->bytes_per_iteration * rate;", "if (PLANT) figures->useful_gflops *= 1.1;\n  "))
PASS = "cg->history[++cg->iterations] = sqrt(sums[0]);"
plant("history_row_missing", "figure", "counts file",
      instead("app/cg.c", PASS, "++cg->iterations;\n    if (!(PLANT && cg->iterations == 30)) cg->history[cg->iterations] = sqrt(sums[0]);"),
      harm=FILE, part="q5")
plant("history_row_moved", "figure", "counts file",
      instead("app/cg.c", "if (request->watch != NULL)\n      request->watch(", "if (PLANT && cg->iterations == 12) cg->history[13] = cg->history[12], cg->iterations++;\n    if (request->watch != NULL)\n      request->watch("),
      harm=FILE)
plant("operator_not_counted", "figure", "counts",
      instead("app/operator_host.c", "op->num_passes++;", "if (!PLANT || op->num_passes % 10 != 3) op->num_passes++;"),
      harm=FIGURE)
figure("bytes_of_rank", "figures",
       before(FIGURES, "hb_comm_sum(solver->plan->comm, 1, &figures->bytes_per_iteration);",
              "if (!PLANT) "))
