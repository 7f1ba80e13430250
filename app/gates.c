/* SPDX-License-Identifier: BSD-3-Clause
 * All gates in a row, their verdict together, and what they share; most have files of their own. */
#include <float.h>
#include <math.h>
#include <time.h>
#include <unistd.h>

#include "app/gate_basis.h"
#include "app/gate_boundary.h"
#include "app/gate_figures.h"
#include "app/gate_resolution.h"
#include "app/gate_source.h"
#include "app/gates_internal.h"
#include "kernels/random.h"

void hb_gate_judge(struct hb_gates *gates, enum hb_gate_name name, double observed, double bound) {
  static const char *const names[HB_NUM_GATES] = {
      "case",        "points",     "basis",    "source",   "mask",       "factors",
      "volume",      "assembly",   "kernel",   "symmetry", "null_space", "right_side",
      "consistency", "continuity", "boundary", "residual", "reduction",  "energy",
      "solution",    "maximum",    "repeat",   "clock",    "counts",     "figures"};
  gates->gate[name] =
      (struct hb_gate){.name = names[name],
                       .observed = observed,
                       .bound = bound,
                       .verdict = observed <= bound ? HB_GATE_PASSES : HB_GATE_FAILS};
}

const char *hb_gate_verdict_word(enum hb_gate_verdict verdict) {
  static const char *const words[HB_NUM_GATE_VERDICTS] = {
      [HB_GATE_FAILS] = "FAIL", [HB_GATE_PASSES] = "PASS", [HB_GATE_INCONCLUSIVE] = "INCONCLUSIVE"};
  return words[verdict];
}

const char *hb_gates_status(const struct hb_gates *gates) {
  static const char *const words[HB_NUM_GATE_VERDICTS] = {[HB_GATE_FAILS] = "INVALID",
                                                          [HB_GATE_PASSES] = "VALID",
                                                          [HB_GATE_INCONCLUSIVE] = "INCONCLUSIVE"};
  return words[gates->verdict];
}

/* One that failed makes all fail; one that is neither passed nor covered leaves them open. */
static enum hb_gate_verdict judge_all(const struct hb_gates *gates) {
  enum hb_gate_verdict verdict = HB_GATE_PASSES;
  for (int g = 0; g < HB_NUM_GATES; g++) {
    const struct hb_gate *gate = &gates->gate[g];
    if (gate->verdict == HB_GATE_FAILS) return HB_GATE_FAILS;
    if (gate->verdict == HB_GATE_INCONCLUSIVE && gate->covered_by == NULL)
      verdict = HB_GATE_INCONCLUSIVE;
  }
  return verdict;
}

hb_global hb_gates_vector_bytes(const struct hb_plan *plan) {
  return (hb_global)hb_precision_bytes(plan->options->precision) * hb_plan_points(plan);
}

hb_global hb_gates_exact_bytes(const struct hb_plan *plan) {
  return (hb_global)sizeof(double) * hb_plan_points(plan);
}

hb_global hb_gates_reference_bytes(const struct hb_plan *plan) {
  const hb_global audit = hb_gate_audit_bytes(plan), kernel = hb_gates_exact_bytes(plan);
  return audit > kernel ? audit : kernel;
}

static enum hb_status gate_repeat(struct hb_court *court) {
  const struct hb_solves *solves = court->solves;
  const int last = solves->num_warmup + solves->num_timed - 1;
  double largest = 0.0;
  for (int solve = 0; solve < last; solve++) {
    double difference = fabs(solves->final_residual[solve] - solves->final_residual[last]);
    if (solves->iterations[solve] != solves->iterations[last] ||
        solves->history[solve] != solves->history[last])
      difference = INFINITY;
    largest = hb_max(largest, difference);
  }
  hb_gate_judge(court->gates, HB_GATE_REPEAT, largest, 0.0);
  return HB_OK;
}

static enum hb_status gate_basis(struct hb_court *court) {
  return hb_gate_basis(court->solver, court->gates);
}

static enum hb_status gate_source(struct hb_court *court) {
  hb_gate_source(court->solver, court->gates);
  return HB_OK;
}

static enum hb_status gate_boundary(struct hb_court *court) {
  hb_gate_boundary_judge(court->solver, &court->error.largest[2], court->gates);
  return HB_OK;
}

static enum hb_status gate_figures(struct hb_court *court) {
  return hb_gate_figures(court->solver, court->solves, court->gates);
}

static enum hb_status gate_continuity(struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  const double difference =
      hb_gather_scatter_max_difference(solver->mesh->gs, solver->op->precision, solver->x);
  hb_gate_judge(court->gates, HB_GATE_CONTINUITY, difference, 0.0);
  return HB_OK;
}

double hb_gate_dot(const struct hb_court *court, const void *x, const void *y) {
  double sum = court->place->dot(court, x, y);
  hb_comm_sum(court->solver->plan->comm, 1, &sum);
  return sum;
}

double hb_gate_geometry_rounding(const struct hb_mesh *mesh) {
  const struct hb_box *box = &mesh->box;
  double row = 0.0, cells = 1.0;
  for (int m = 0; m < mesh->gll.n; m++) row = row + fabs(mesh->gll.D[m]);
  for (int a = 0; a < 3; a++) {
    const double thin = box->deformation == HB_KERSHAW && a > 0 ? box->epsilon[a - 1] : 1.0;
    cells = fmax(cells, (double)box->elements[a] / thin);
  }
  return DBL_EPSILON * row * (400.0 + 16.0 * cells);
}

/* Errors against the exact solution over unique points: root mean square, and largest. */
static void measure_error(struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  struct hb_gates *gates = court->gates;
  struct hb_point_sums *values = &court->error;
  court->place->error(court, values);
  hb_comm_sum(solver->plan->comm, 2, values->sum);
  hb_comm_max(solver->plan->comm, HB_POINT_LARGEST, values->largest);
  const double points = (double)hb_box_num_points(&solver->mesh->box);
  gates->rms_error = sqrt(values->sum[0] / points);
  gates->rms_solution = sqrt(values->sum[1] / points);
  gates->max_error = values->largest[0];
  gates->max_solution = values->largest[1];
}

/* The seed of the options, or one that no run before had; the same on all ranks. */
static int64_t choose_seed(const struct hb_plan *plan) {
  struct timespec now;
  int64_t seed = plan->options->gate_seed;
  if (seed == 0) {
    clock_gettime(CLOCK_REALTIME, &now);
    const uint64_t time = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
    seed = (int64_t)(hb_random_mix(time ^ (uint64_t)getpid() << 40) % 2147483647u) + 1;
  }
  MPI_Bcast(&seed, 1, MPI_INT64_T, 0, plan->comm->mpi);
  return seed;
}

/* What more than one gate needs. */
static enum hb_status find(struct hb_court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  const struct hb_preconditioner *preconditioner = solver->preconditioner;
  struct hb_gates *gates = court->gates;
  const double b = solver->cg->history[0], scale = b > 0.0 ? 1.0 / b : 1.0;
  *gates = (struct hb_gates){.verdict = HB_GATE_FAILS, .seed = choose_seed(solver->plan)};
  hb_cg_eigenvalues(solver->cg, &gates->smallest_eigenvalue, &gates->largest_eigenvalue);
  preconditioner->type->range(preconditioner, &court->least_inverse, &court->largest_inverse);
  HB_TRY(hb_gate_find_growth(court));
  HB_TRY(hb_gate_find_set_up(court));
  HB_TRY(hb_gate_find_residual(court));
  HB_TRY(hb_gate_find_consistency(court));
  HB_TRY(hb_gate_resolution(solver->mesh, &solver->plan->problem, &court->resolution));
  measure_error(court);
  gates->true_residual = scale * court->residual;
  gates->recursive_residual = scale * solver->cg->history[solver->cg->iterations];
  gates->resolvable = court->resolution.solution;
done:
  return status;
}

/* The solution gates are covered by those that need not know how far the iteration went, if these
 * pass and the error is smaller than that of x = 0. */
static void cover(struct hb_court *court) {
  static const enum hb_gate_name covering[] = {HB_GATE_ENERGY, HB_GATE_CONSISTENCY,
                                               HB_GATE_RESIDUAL};
  struct hb_gate *gate = court->gates->gate;
  bool all = court->improvement < 1.0;
  for (size_t g = 0; g < sizeof covering / sizeof *covering; g++)
    all = all && gate[covering[g]].verdict == HB_GATE_PASSES;
  for (int g = HB_GATE_SOLUTION; g <= HB_GATE_MAXIMUM && all; g++)
    if (gate[g].verdict == HB_GATE_INCONCLUSIVE)
      gate[g].covered_by = "energy, consistency, residual";
}

static struct hb_court open_court(const struct hb_solver *solver, const struct hb_solves *solves,
                                  struct hb_gates *gates) {
  const bool on_gpu = hb_backend_on_gpu(solver->plan->backend);
  return (struct hb_court){.solver = solver,
                           .solves = solves,
                           .gates = gates,
                           .place = on_gpu ? &hb_gate_place_device : &hb_gate_place_host};
}

enum hb_status hb_gate_kernel_alone(const struct hb_solver *solver, struct hb_gates *gates) {
  enum hb_status status = HB_OK;
  struct hb_court court = open_court(solver, NULL, gates);
  HB_TRY(hb_comm_agree(solver->plan->comm, court.place->create(&court)));
  HB_TRY(hb_gate_find_growth(&court));
  HB_TRY(hb_gate_kernel(&court));
done:
  court.place->destroy(&court);
  return status;
}

enum hb_status hb_gates_run_in_order(const struct hb_solver *solver, const struct hb_solves *solves,
                                     const int order[HB_NUM_CHECKS], struct hb_gates *gates) {
  static hb_gate_check *const check[HB_NUM_CHECKS] = {
      hb_gate_case,     hb_gate_points,     hb_gate_audit,       hb_gate_volume,  hb_gate_kernel,
      hb_gate_symmetry, hb_gate_null_space, hb_gate_consistency, gate_continuity, hb_gate_residual,
      hb_gate_energy,   hb_gate_solution,   gate_repeat,         gate_figures,    gate_basis,
      gate_boundary,    gate_source};
  enum hb_status status = HB_OK;
  struct hb_court court = open_court(solver, solves, gates);
  status = court.place->create(&court);
  HB_TRY(hb_comm_agree(solver->plan->comm, status));
  HB_TRY(find(&court));
  for (int c = 0; c < HB_NUM_CHECKS; c++) HB_TRY(check[order[c]](&court));
  cover(&court);
  gates->verdict = judge_all(gates);
  HB_TRY(hb_comm_agree(solver->plan->comm, solver->op->failure));
done:
  court.place->destroy(&court);
  return status;
}

enum hb_status hb_gates_run(const struct hb_solver *solver, const struct hb_solves *solves,
                            struct hb_gates *gates) {
  int order[HB_NUM_CHECKS];
  for (int c = 0; c < HB_NUM_CHECKS; c++) order[c] = c;
  return hb_gates_run_in_order(solver, solves, order, gates);
}
