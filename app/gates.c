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
#include "kernels/threads.h"

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

/* A thread more for every so many points: with fewer it costs more to start than it saves. */
static int threads_for(const struct hb_solver *solver, hb_local points) {
  const int threads = solver->plan->comm->threads, worth = 1 + (int)(points >> 16);
  return worth < threads ? worth : threads;
}

/* A random vector in the making. */
struct random {
  const struct hb_solver *solver;
  int64_t seed;
  hb_global lattice[3];
  void *v;
};

/* A plane of the rank's lattice. */
static void set_random_plane(void *context, int z) {
  const struct random *random = context;
  const struct hb_mesh *mesh = random->solver->mesh;
  const hb_local *size = mesh->numbering->lattice_size;
  const hb_local *number = mesh->numbering->lattice + (ptrdiff_t)z * size[1] * size[0];
  hb_local c[3] = {0, 0, z};
  for (c[1] = 0; c[1] < size[1]; c[1]++) {
    c[0] = 0;
    hb_global id = hb_numbering_global_id(&mesh->box, &mesh->partition, c);
    /* A periodic axis starts again. */
    const hb_global next_row = id - id % random->lattice[0] + random->lattice[0];
    for (c[0] = 0; c[0] < size[0]; c[0]++, number++) {
      hb_real_set(random->solver->op->precision, random->v, *number,
                  hb_random_at(id, random->seed));
      if (++id == next_row) id -= random->lattice[0];
    }
  }
}

void hb_gate_set_random(const struct hb_solver *solver, int64_t seed, bool masked, void *v) {
  const struct hb_numbering *numbering = solver->mesh->numbering;
  struct random random = {.solver = solver, .seed = seed, .v = v};
  hb_box_lattice(&solver->mesh->box, random.lattice);
  hb_threads_run(threads_for(solver, numbering->num_points), numbering->lattice_size[2],
                 set_random_plane, &random);
  if (masked) solver->op->ops->set_at(numbering->num_masked, numbering->masked, 0.0, v);
}

enum hb_status hb_gate_work_create(const struct hb_solver *solver, struct hb_gate_work *work) {
  const size_t size = hb_precision_bytes(solver->op->precision);
  const hb_local num_points = solver->mesh->numbering->num_points;
  *work = (struct hb_gate_work){.u = hb_allocate(num_points, size, "work of gates"),
                                .v = hb_allocate(num_points, size, "work of gates"),
                                .w = hb_allocate(num_points, size, "work of gates")};
  return work->u != NULL && work->v != NULL && work->w != NULL ? HB_OK : HB_MACHINE_FAILED;
}

void hb_gate_work_destroy(struct hb_gate_work *work) {
  hb_free(work->u);
  hb_free(work->v);
  hb_free(work->w);
  *work = (struct hb_gate_work){NULL, NULL, NULL};
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
    if (solves->iterations[solve] != solves->iterations[last]) difference = INFINITY;
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
  return hb_gate_boundary(court->solver, court->exact, court->gates);
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

enum { PIECE = 4096, NUM_PIECES = 256, NUM_VALUES = 4 };

/* A visit of points by threads. */
struct visit {
  const struct hb_court *court;
  hb_gate_visit *visit;
  const void *context;
  hb_local count;
  struct hb_gate_values values[NUM_PIECES];
};

static void visit_piece(void *context, int piece) {
  struct visit *visit = context;
  const hb_local begin = (hb_local)((hb_global)visit->count * piece / NUM_PIECES);
  const hb_local end = (hb_local)((hb_global)visit->count * (piece + 1) / NUM_PIECES);
  visit->visit(visit->court, visit->context, begin, end, &visit->values[piece]);
}

struct hb_gate_values hb_gate_visit_points(const struct hb_court *court, hb_local count,
                                           hb_gate_visit *visit, const void *context) {
  struct visit all = {.court = court, .visit = visit, .context = context, .count = count};
  struct hb_long_sum sum[NUM_VALUES] = {{0.0, 0.0}};
  struct hb_gate_values values = {{0.0}, {0.0}};
  hb_threads_run(threads_for(court->solver, count), NUM_PIECES, visit_piece, &all);
  for (int piece = 0; piece < NUM_PIECES; piece++) {
    const struct hb_gate_values *of = &all.values[piece];
    for (int v = 0; v < NUM_VALUES; v++) hb_long_sum_add(&sum[v], of->sum[v]);
    for (int v = 0; v < 2; v++) values.largest[v] = hb_max(values.largest[v], of->largest[v]);
  }
  for (int v = 0; v < NUM_VALUES; v++) values.sum[v] = sum[v].value;
  return values;
}

/* context: x and y.  Sums PIECE points as they come. */
static void visit_dot(const struct hb_court *court, const void *context, hb_local begin,
                      hb_local end, struct hb_gate_values *values) {
  const char *const *vectors = context;
  const struct hb_operator *op = court->solver->op;
  const size_t size = hb_precision_bytes(op->precision);
  struct hb_long_sum sum = {0.0, 0.0};
  for (hb_local first = begin; first < end; first += PIECE) {
    const hb_local piece = end - first < PIECE ? end - first : PIECE;
    const size_t from = (size_t)first * size;
    hb_long_sum_add(&sum, op->ops->dot(piece, vectors[0] + from, vectors[1] + from));
  }
  values->sum[0] = sum.value;
}

double hb_gate_dot(const struct hb_court *court, const void *x, const void *y) {
  const struct hb_solver *solver = court->solver;
  const void *const vectors[2] = {x, y};
  struct hb_gate_values values =
      hb_gate_visit_points(court, solver->mesh->numbering->num_owned, visit_dot, vectors);
  hb_comm_sum(solver->plan->comm, 1, values.sum);
  return values.sum[0];
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

static void visit_error(const struct hb_court *court, const void *context, hb_local begin,
                        hb_local end, struct hb_gate_values *values) {
  const struct hb_solver *solver = court->solver;
  (void)context;
  for (hb_local i = begin; i < end; i++) {
    const double exact = court->exact[i];
    const double error = hb_real_at(solver->op->precision, solver->x, i) - exact;
    values->sum[0] += error * error;
    values->sum[1] += exact * exact;
    values->largest[0] = hb_max(values->largest[0], fabs(error));
    values->largest[1] = hb_max(values->largest[1], fabs(exact));
  }
}

/* Errors against the exact solution over unique points: root mean square, and largest. */
static void measure_error(struct hb_court *court) {
  const struct hb_solver *solver = court->solver;
  struct hb_gates *gates = court->gates;
  struct hb_gate_values values =
      hb_gate_visit_points(court, solver->mesh->numbering->num_owned, visit_error, NULL);
  hb_comm_sum(solver->plan->comm, 2, values.sum);
  hb_comm_max(solver->plan->comm, 2, values.largest);
  const double points = (double)hb_box_num_points(&solver->mesh->box);
  gates->rms_error = sqrt(values.sum[0] / points);
  gates->rms_solution = sqrt(values.sum[1] / points);
  gates->max_error = values.largest[0];
  gates->max_solution = values.largest[1];
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

static enum hb_status court_create(struct hb_court *court) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  HB_TRY(hb_gate_work_create(solver, &court->work));
  HB_ALLOC(court->exact, solver->mesh->numbering->num_points, "exact solution");
done:
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
  struct hb_court court = {.solver = solver, .solves = solves, .gates = gates};
  status = court_create(&court);
  HB_TRY(hb_comm_agree(solver->plan->comm, status));
  HB_TRY(find(&court));
  for (int c = 0; c < HB_NUM_CHECKS; c++) HB_TRY(check[order[c]](&court));
  cover(&court);
  gates->verdict = judge_all(gates);
  HB_TRY(hb_comm_agree(solver->plan->comm, solver->op->failure));
done:
  hb_gate_work_destroy(&court.work);
  hb_free(court.exact);
  return status;
}

enum hb_status hb_gates_run(const struct hb_solver *solver, const struct hb_solves *solves,
                            struct hb_gates *gates) {
  int order[HB_NUM_CHECKS];
  for (int c = 0; c < HB_NUM_CHECKS; c++) order[c] = c;
  return hb_gates_run_in_order(solver, solves, order, gates);
}
