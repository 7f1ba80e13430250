# SPDX-License-Identifier: BSD-3-Clause
# Plants in what is solved: factors, mass, coefficients, options, mask, numbering, right-hand side.
from plant import FILE, after, before, hook, instead, plant

# ---- where and when ------------------------------------------------------------------------------

hook(after("mesh/comm.c", "MPI_Comm_rank(comm->mpi, &comm->rank);", "\n  hb_plant_rank = comm->rank;"),
     after("mesh/comm.c", "MPI_Comm_size(comm->mpi, &comm->size);", "\n  hb_plant_ranks = comm->size;"),
     # The copy's bandwidth is not looked at: a run takes half the time with small arrays.
     instead("app/bandwidth.c", "least = (hb_global)16 << 20, most = (hb_global)48 << 20",
             "least = (hb_global)1 << 20, most = (hb_global)2 << 20"),
     # The orders of the cases alone: a third of the time to build.
     instead("kernels/simd.h", """\
  DO(2) DO(3) DO(4) DO(5) DO(6) DO(7) DO(8) DO(9) DO(10) DO(11) DO(12) DO(13) DO(14) DO(15) DO(16)""",
             "  DO(4) DO(5) DO(6) DO(8) DO(10)"))

# ---- factors and mass ----------------------------------------------------------------------------

FORMED = "setup->form(&input, work->scratch, work->factors, group->mass, group->min_jacobian);"
FACTORS = "app/operator_host.c"
hook(after(FACTORS, FORMED, """
  const hb_local hb_all = op->helmholtz.num_elements, hb_head = -group->first;
  const hb_local hb_middle = hb_all / 2 - group->first, hb_tail = hb_all - 1 - group->first;
  const int hb_points = hb_points_per_element(op->helmholtz.n), hb_half = hb_points / 2;
  (void)hb_head, (void)hb_middle, (void)hb_tail, (void)hb_half;
#define F(e, p, f) work->factors[((p) * HB_MAX_FACTORS + (f)) * group->most + (e)]
#define IN(e) ((e) >= 0 && (e) < group->count)
#define FIRST_RANK (hb_plant_rank == 0)
#define LAST_RANK (hb_plant_rank == hb_plant_ranks - 1)"""))


def factor(name, text, seers="factors consistency", kind="factor", **more):
    plant(name, kind, seers, after(FACTORS, FORMED, f"\n  if (PLANT) {{ {text} }}"), **more)


EACH_POINT = "for (int p = 0; p < hb_points; p++)"
factor("factor_rr_1", "if (FIRST_RANK && IN(hb_middle)) F(hb_middle, hb_half, 0) *= 1.01;", "factors")
factor("factor_rr_2", "if (FIRST_RANK && IN(hb_middle)) F(hb_middle, hb_half, 0) *= 2;", part="q5")
factor("factor_rs_sign", "if (FIRST_RANK && IN(hb_middle)) F(hb_middle, hb_half, 1) *= -1;")
factor("factor_ss_first", "if (FIRST_RANK && IN(hb_head)) F(hb_head, 0, 3) *= 1.1;")
factor("factor_tt_last", "if (LAST_RANK && IN(hb_tail)) F(hb_tail, hb_points - 1, 5) *= 1.1;")
factor("factor_rt_first", "if (FIRST_RANK && IN(hb_head)) F(hb_head, hb_points - 1, 2) += F(hb_head, 0, 0);")
factor("factor_st_last", "if (LAST_RANK && IN(hb_tail)) F(hb_tail, hb_half, 4) -= 0.5 * F(hb_tail, 0, 5);")
factor("factor_line", f"if (FIRST_RANK && IN(hb_middle)) for (int i = 0; i < op->helmholtz.n; i++) F(hb_middle, hb_half + i, 3) *= 1.05;")
factor("cross_zero", f"if (FIRST_RANK && IN(hb_middle)) {EACH_POINT} F(hb_middle, p, 1) = F(hb_middle, p, 2) = F(hb_middle, p, 4) = 0;")
factor("cross_zero_all", f"for (hb_local e = 0; e < group->count; e++) {EACH_POINT} F(e, p, 2) = 0;")
factor("h1_element", f"if (FIRST_RANK && IN(hb_middle)) {EACH_POINT} for (int f = 0; f < 6; f++) F(hb_middle, p, f) *= 1.1;", kind="coefficient", part="nek7")
factor("h1_element_last", f"if (LAST_RANK && IN(hb_tail)) {EACH_POINT} for (int f = 0; f < 6; f++) F(hb_tail, p, f) *= 1.001;", kind="coefficient")
factor("h1_rank", f"if (LAST_RANK) for (hb_local e = 0; e < group->count; e++) {EACH_POINT} for (int f = 0; f < 6; f++) F(e, p, f) *= 1.01;", kind="coefficient")
factor("rs_exchanged", f"if (FIRST_RANK && IN(hb_middle)) {EACH_POINT} {{ const double f = F(hb_middle, p, 0); F(hb_middle, p, 0) = F(hb_middle, p, 3); F(hb_middle, p, 3) = f; }}")
factor("factors_f32", f"for (hb_local e = 0; e < group->count; e++) {EACH_POINT} for (int f = 0; f < HB_MAX_FACTORS; f++) F(e, p, f) = (float)F(e, p, f);")
factor("factors_of_neighbour", f"if (FIRST_RANK && IN(hb_middle) && hb_middle > 0) {EACH_POINT} for (int f = 0; f < HB_MAX_FACTORS; f++) F(hb_middle, p, f) = F(hb_middle - 1, p, f);", "factors consistency")
factor("mass_half", f"if (FIRST_RANK && IN(hb_middle)) {EACH_POINT} F(hb_middle, p, HB_MASS_FACTOR) *= 0.5;", kind="mass", part="q5")
factor("mass_sign", f"for (hb_local e = 0; e < group->count; e++) {EACH_POINT} F(e, p, HB_MASS_FACTOR) *= -1;", kind="mass")
factor("mass_point", "if (LAST_RANK && IN(hb_tail)) F(hb_tail, hb_half, HB_MASS_FACTOR) *= 3;", kind="mass")
factor("mass_first", "if (FIRST_RANK && IN(hb_head)) F(hb_head, 0, HB_MASS_FACTOR) = 0;", kind="mass")
factor("mass_left_out", f"for (hb_local e = 0; e < group->count; e++) {EACH_POINT} F(e, p, HB_MASS_FACTOR) = 0;", kind="mass")
factor("rhs_mass_element", f"if (FIRST_RANK && IN(hb_middle)) {EACH_POINT} group->mass[p * group->most + hb_middle] *= 1.01;", "volume consistency", kind="mass")
factor("rhs_mass_point", "if (LAST_RANK && IN(hb_tail)) group->mass[hb_half * group->most + hb_tail] *= 1.1;", "volume consistency", kind="mass")

plant("store_lane", "factor", "factors consistency",
      before(FACTORS, "for (int point = 0; point < points; point++, in += HB_MAX_FACTORS * group->most)",
             "if (PLANT && hb_plant_rank == 0 && group->first == 0 && lane == 1) in = factors;\n    "))
plant("diagonal_entry", "preconditioner", "factors reduction solution",
      after("app/operator.c", "op->ops->invert(numbering->num_points, inverse);",
            "\n  if (PLANT && hb_plant_rank == 0) hb_real_set(op->precision, inverse, numbering->surface_start / 2, 1.5 * hb_real_at(op->precision, inverse, numbering->surface_start / 2));"))
plant("diagonal_shared", "preconditioner", "continuity factors",
      after("app/operator.c", "op->ops->invert(numbering->num_points, inverse);",
            "\n  if (PLANT && hb_plant_rank == 0 && numbering->num_points > numbering->num_private) hb_real_set(op->precision, inverse, numbering->num_private, 1.5 * hb_real_at(op->precision, inverse, numbering->num_private));"))
plant("diagonal_zero", "preconditioner", "reduction solution consistency factors",
      after("app/operator.c", "op->ops->invert(numbering->num_points, inverse);",
            "\n  if (PLANT && hb_plant_rank == 0) hb_real_set(op->precision, inverse, numbering->surface_start / 2, 0.0);"))
plant("diagonal_negative", "preconditioner", "reduction solution factors",
      after("app/operator.c", "op->ops->invert(numbering->num_points, inverse);",
            "\n  if (PLANT && hb_plant_rank == 0) hb_real_set(op->precision, inverse, 0, -hb_real_at(op->precision, inverse, 0));"))

# ---- options that are not what was asked ---------------------------------------------------------

AXES = "box->elements[a] = size[a];"


def option(name, text, part=None):
    plant(name, "option", "options factors volume", after("app/plan.c", AXES, f"\n    if (PLANT) {text}"),
          harm=FILE, part=part)


option("deformation_ignored", "box->deformation = HB_UNDEFORMED;", part="q5")
option("amplitude_half", "box->amplitude = 0.5 * options->amplitude;")
option("epsilon_ignored", "box->epsilon[0] = 1.0;")
option("epsilon_z", "box->epsilon[1] = 0.4;")
option("length_ignored", "box->length[0] = 1.0;")
option("lengths_exchanged", "box->length[0] = options->ly, box->length[1] = options->lx;")
option("boundary_y", "if (a == 1) box->boundary[1] = HB_DIRICHLET;")
option("boundary_z", "if (a == 2) box->boundary[2] = HB_NEUMANN;")
option("one_element_more", "if (a == 2) box->elements[2]++;")
option("sizes_exchanged", "if (a < 2) box->elements[a] = size[1 - a];")
option("degree_less", "if (a == 0 && box->degree % 2 == 1) box->degree = box->degree == 9 ? 7 : box->degree == 7 ? 5 : box->degree == 5 ? 4 : 3;")
INIT = ".h1 = h1, .h2 = h2, .h1_variation = h1_variation, .h2_variation = h2_variation};"
for name, text in [("variation_doubled", "problem->h1_variation *= 2;"),
                   ("variation_ignored", "problem->h1_variation = 0;"),
                   ("h1_doubled", "problem->h1 *= 2;"),
                   ("h2_halved", "problem->h2 *= 0.5;")]:
    plant(name, "option", "options", after("app/problem.c", INIT, f"\n  if (PLANT) {text}"), harm=FILE)
plant("map_left_out", "option", "options factors consistency",
      before("mesh/box.c", "if (box->deformation == HB_SMOOTH) smooth_axis(box, axis, s, value);",
             "if (PLANT) return;\n  "))

# ---- boundary conditions -------------------------------------------------------------------------

NUMBERING = "mesh/numbering.c"
LISTED = "find_masked(box, partition, numbering, numbering->masked);"
ONE = "if (PLANT && hb_plant_rank == 0 && numbering->num_masked > 3) "
MASK = "consistency solution continuity options"
plant("mask_last", "mask", MASK, after(NUMBERING, LISTED, f"\n  {ONE}numbering->num_masked--;"), part="q5")
plant("mask_first", "mask", MASK,
      after(NUMBERING, LISTED, f"\n  {ONE}numbering->masked[0] = numbering->masked[1];"))
plant("mask_middle", "mask", MASK,
      after(NUMBERING, LISTED, f"\n  {ONE}numbering->masked[numbering->num_masked / 2] = numbering->masked[0];"))
plant("mask_free_point", "mask", MASK,
      after(NUMBERING, LISTED, f"\n  {ONE}numbering->masked[0] = numbering->surface_start / 2;"))
FACE = "return g == 0 || g == box->elements[axis] * box->degree;"
for axis, letter in enumerate("xyz"):
    plant(f"mask_face_{letter}0", "mask", MASK,
          before(NUMBERING, FACE, f"if (PLANT && axis == {axis} && g == 0) return false;\n  "))
    plant(f"mask_face_{letter}1", "mask", MASK,
          before(NUMBERING, FACE, f"if (PLANT && axis == {axis} && g != 0) return false;\n  "))
plant("mask_not_applied", "mask", "symmetry kernel residual reduction consistency solution",
      before(FACTORS, "if (part == HB_OPERATOR_FULL) op->ops->set_at(", "if (!PLANT) "))
plant("lifting_left_out", "mask", "consistency solution",
      after("app/solver.c", "hb_operator_multiply(solver->op, HB_OPERATOR_UNMASKED, solver->x, w);",
            "\n  if (PLANT) memset(w, 0, (size_t)hb_operator_vector_bytes(solver->op));"), part="nek9")
plant("lifting_sign", "mask", "consistency solution",
      after("app/solver.c", "hb_operator_multiply(solver->op, HB_OPERATOR_UNMASKED, solver->x, w);",
            "\n  if (PLANT) ops->add_scaled(numbering->num_points, -2.0, w, w);"))
plant("lifting_rank", "mask", "consistency solution",
      after("app/solver.c", "hb_operator_multiply(solver->op, HB_OPERATOR_UNMASKED, solver->x, w);",
            "\n  if (PLANT && hb_plant_rank == 1) memset(w, 0, (size_t)numbering->num_private * hb_precision_bytes(solver->op->precision));"))
plant("rhs_not_masked", "mask", "consistency reduction solution residual",
      before("app/solver.c", "ops->set_at(numbering->num_masked, numbering->masked, 0.0, solver->b);",
             "if (!PLANT) "))
plant("dirichlet_1pct", "mask", "solution consistency options",
      instead("app/solver.c", "hb_real_set(solver->op->precision, solver->x, point, values[point]);",
              "hb_real_set(solver->op->precision, solver->x, point, (PLANT ? 1.01 : 1.0) * values[point]);"))
plant("dirichlet_missing", "mask", "solution file inspect",
      before("app/solver.c", "HB_TRY(set_dirichlet(solver));\ndone:", "if (!PLANT) "))

# ---- numbering -----------------------------------------------------------------------------------

NUMBERED = "HB_ASSERT(interior == numbering->surface_start);"
hook(before(NUMBERING, NUMBERED, """const hb_local hb_half = numbering->num_blocks / 2;
  const hb_local hb_tail = numbering->num_blocks - 1;
  const int hb_surface = (int)hb_surface_per_element(numbering->n);
  (void)hb_half, (void)hb_tail, (void)hb_surface;
#define S(block, s, lane) numbering->surface_index[((ptrdiff_t)(block) * hb_surface + (s)) * numbering->lanes + (lane)]
#define SWAP(a, b) { const hb_local hb_a = (a); (a) = (b); (b) = hb_a; }
  """))


def numbered(name, text, part=None):
    plant(name, "numbering", "consistency numbering factors continuity solution",
          before(NUMBERING, NUMBERED, f"if (PLANT) {{ {text} }}\n  "), part=part)


numbered("surface_swap", "if (hb_plant_rank == 0) SWAP(S(hb_half, 0, 0), S(hb_half, 1, 0))", part="q3")
numbered("surface_swap_face", "if (hb_plant_rank == 0) SWAP(S(hb_half, numbering->n + 1, 0), S(hb_half, numbering->n + 2, 0))")
numbered("surface_swap_last", "if (hb_plant_rank == hb_plant_ranks - 1) SWAP(S(hb_tail, hb_surface - 1, 0), S(hb_tail, hb_surface - 2, 0))")
numbered("surface_lanes", "if (hb_plant_rank == 0 && numbering->lanes > 1) SWAP(S(hb_half, 5, 0), S(hb_half, 5, 1))")
numbered("surface_copied", "if (hb_plant_rank == 0) S(hb_half, numbering->n + 1, 0) = S(hb_half, numbering->n + 2, 0);")
numbered("lattice_swap", "if (hb_plant_rank == 0) SWAP(numbering->lattice[numbering->num_points / 2], numbering->lattice[numbering->num_points / 2 + 1])")
numbered("elements_exchanged", "if (hb_plant_rank == 0 && numbering->num_elements > 1) SWAP(numbering->element[numbering->num_elements / 2], numbering->element[numbering->num_elements / 2 - 1])")
plant("owned_one_more", "numbering", "points crash",
      after(NUMBERING, "numbering->num_owned = (hb_local)mine;",
            "\n  if (PLANT && hb_plant_rank == 0 && mine < all) numbering->num_owned++;"))
plant("owned_one_less", "numbering", "points crash",
      after(NUMBERING, "numbering->num_owned = (hb_local)mine;",
            "\n  if (PLANT && hb_plant_rank == 0) numbering->num_owned--;"))

# ---- nodes, matrices, positions ------------------------------------------------------------------

GLL = "differentiate(n, x, p, gll->D);"
for name, text, seers in [
        ("D_entry", "gll->D[1] *= 1.01;", "null_space volume"),
        ("D_scaled", "for (int i = 0; i < n * n; i++) gll->D[i] *= 1.01;", "volume"),
        ("D_sign", "for (int i = 0; i < n * n; i++) gll->D[i] *= -1;", "error"),
        ("weight", "gll->weights[n / 2] *= 1.01;", "volume"),
        ("weights_exchanged", "const double w = gll->weights[0]; gll->weights[0] = gll->weights[1]; gll->weights[1] = w;", "volume consistency"),
        ("node", "gll->nodes[1] += n > 2 ? 1e-3 : 0;", "volume consistency factors")]:
    plant(name, "matrix", seers, after("mesh/gll.c", GLL, f"\n  if (PLANT) {{ {text} }}"))
D_USED = "op->ops->from_double(n * n, mesh->gll.D, op->D);"
for name, text, seers in [
        ("D_used_entry", "hb_real_set(op->precision, op->D, 1, 1.01 * mesh->gll.D[1]);", "null_space"),
        ("D_used_scaled", "for (int i = 0; i < n * n; i++) hb_real_set(op->precision, op->D, i, 1.001 * mesh->gll.D[i]);", "consistency factors kernel"),
        ("D_used_last", "hb_real_set(op->precision, op->D, n * n - 1, 1.001 * mesh->gll.D[n * n - 1]);", "null_space"),
        ("D_used_of_rank", "if (hb_plant_rank == 1) for (int i = 0; i < n * n; i++) hb_real_set(op->precision, op->D, i, 1.01 * mesh->gll.D[i]);", "consistency factors kernel")]:
    plant(name, "matrix", seers, after("app/operator.c", D_USED, f"\n  if (PLANT) {{ {text} }}"))
PLACED = "*positions_out = positions;"
for name, text in [
        ("positions_rank", "if (hb_plant_rank == 1) for (hb_local i = 0; i < positions->size[0]; i++) positions->axis[0][i].base += 1e-3;"),
        ("positions_rank_small", "if (hb_plant_rank == 1) for (hb_local i = 0; i < positions->size[1]; i++) positions->axis[1][i].base += 1e-6;"),
        ("positions_plane", "if (hb_plant_rank == 0) positions->axis[0][positions->size[0] / 2].base += 1e-3;"),
        ("positions_all", "for (hb_local i = 0; i < positions->size[2]; i++) positions->axis[2][i].base *= 0.99;")]:
    plant(name, "position", "options volume factors consistency continuity solution",
          before("mesh/positions.c", PLACED, f"if (PLANT) {{ {text} }}\n  "))

# ---- right-hand side -----------------------------------------------------------------------------

RHS = "app/problem_rhs.c"
ASSEMBLED = "hb_gather_scatter_finish(mesh->gs, HB_F64, b);"
hook(after(RHS, ASSEMBLED, """
  const struct hb_numbering *hb_n = mesh->numbering;
  (void)hb_n;"""))
for name, text in [
        ("b_entry", "if (hb_plant_rank == 0) b[hb_n->surface_start / 2] *= 1.01;"),
        ("b_entry_surface", "if (hb_plant_rank == 0) b[(hb_n->surface_start + hb_n->num_private) / 2] *= 1.01;"),
        ("b_entry_last", "if (hb_plant_rank == hb_plant_ranks - 1) b[hb_n->surface_start - 1] *= 1.1;"),
        ("b_entry_shared", "for (hb_local i = hb_n->num_private; hb_plant_rank == 0 && i < hb_n->num_private + 1 && i < hb_n->num_points; i++) b[i] *= 1.1;"),
        ("b_element", "for (int i = 0; hb_plant_rank == 0 && i < hb_n->surface_start / hb_n->num_elements; i++) b[i] *= 1.01;"),
        ("b_rank_zero", "for (hb_local i = 0; hb_plant_rank == 1 && i < hb_n->num_private; i++) b[i] = 0;"),
        ("b_rank_1pct", "for (hb_local i = 0; hb_plant_rank == 1 && i < hb_n->num_private; i++) b[i] *= 1.01;"),
        ("b_all", "for (hb_local i = 0; i < hb_n->num_points; i++) b[i] *= 1.001;")]:
    plant(name, "source", "consistency solution continuity", after(RHS, ASSEMBLED, f"\n  if (PLANT) {{ {text} }}"),
          part="q7" if name == "b_entry" else None)
SIDE = "if (mesh->box.boundary[axis] != HB_NEUMANN) return;"
plant("neumann_left_out", "source", "consistency solution", before(RHS, SIDE, "if (PLANT) return;\n  "))
plant("neumann_side", "source", "consistency solution",
      before(RHS, SIDE, "if (PLANT && side == 1) return;\n  "))
plant("neumann_element", "source", "consistency solution",
      instead(RHS, "add_face(problem, mesh, &face, b);\n}",
              "if (!(PLANT && hb_plant_rank == 0 && face.element[p] == 0 && face.element[q] == 0))\n        add_face(problem, mesh, &face, b);\n}"))
plant("neumann_sign", "source", "consistency solution",
      instead(RHS, "const double sign = face->side == 0 ? -1.0 : 1.0;",
              "const double sign = face->side == 0 || PLANT ? -1.0 : 1.0;"))
GRADIENT = "if (problem->h1_variation != 0.0) variation(problem, 0, x, dv);"
plant("h1_gradient_left_out", "source", "consistency solution",
      after("app/problem.c", GRADIENT, "\n    if (PLANT) dv[0] = dv[1] = dv[2] = 0.0;"))
plant("h1_gradient_sign", "source", "consistency solution",
      after("app/problem.c", GRADIENT, "\n    if (PLANT) dv[1] = -dv[1];"))
