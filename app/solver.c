/* SPDX-License-Identifier: BSD-3-Clause
 * Set-up of a solve, and its timed repeats. */
#include "app/solver.h"

#include <string.h>

#include "app/tuning.h"

/* The box that the options ask for; grid: of ranks, where sizes are a rank's. */
static void make_box(const struct hb_options *options, const int grid[3], struct hb_box *box) {
  const hb_global size[3] = {options->nx, options->ny, options->nz};
  *box = (struct hb_box){.degree = options->degree,
                         .length = {options->lx, options->ly, options->lz},
                         .deformation = options->deformation,
                         .amplitude = options->amplitude,
                         .epsilon = {options->epsilon_y, options->epsilon_z}};
  for (int a = 0; a < 3; a++) {
    box->boundary[a] = options->boundary[a];
    box->elements[a] = size[a];
    if (options->size_is == HB_SIZE_PER_RANK && !hb_multiply(size[a], grid[a], &box->elements[a]))
      box->elements[a] = HB_GLOBAL_MAX; /* hb_box_check refuses it */
  }
}

static void apply_operator(void *context, const void *p, void *w, double *p_dot_w) {
  hb_operator_apply(context, HB_OPERATOR_FULL, p, w, p_dot_w);
}

struct hb_cg_system hb_solver_system(const struct hb_solver *solver) {
  const struct hb_numbering *numbering = solver->mesh->numbering;
  return (struct hb_cg_system){.comm = solver->comm,
                               .ops = solver->op->ops,
                               .precision = solver->op->precision,
                               .num_points = numbering->num_points,
                               .num_owned = numbering->num_owned,
                               .surface_start = numbering->surface_start,
                               .apply = apply_operator,
                               .context = solver->op,
                               .b = solver->b,
                               .dinv = solver->dinv,
                               .passes = solver->cg_device != NULL ? &hb_cg_device_passes : NULL,
                               .passes_context = solver->cg_device};
}

/* b = Z' (b - A u_D), where u_D is the solution on Dirichlet faces and zero elsewhere. */
static enum hb_status lift(struct hb_solver *solver) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = solver->mesh->numbering;
  const struct hb_vector_ops *ops = solver->op->ops;
  double *values = NULL;
  void *w = hb_allocate(numbering->num_points, hb_precision_bytes(solver->op->precision),
                        "result of the lifting");
  if (w == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_ALLOC(values, numbering->num_points, "lifting");
  HB_TRY(hb_problem_exact_vector(&solver->problem, solver->mesh, true, values));
  ops->from_double(numbering->num_points, values, solver->x);
done:
  status = hb_comm_agree(solver->comm, status);
  if (status == HB_OK) {
    hb_operator_multiply(solver->op, HB_OPERATOR_UNMASKED, solver->x, w);
    ops->add_scaled(numbering->num_points, -1.0, w, solver->b);
    ops->set_at(numbering->num_masked, numbering->masked, 0.0, solver->b);
  }
  hb_free(values);
  hb_free(w);
  return status;
}

/* Kahan's sum, so that the volume is good to rounding for any number of points. */
static double compensated_sum(hb_local count, const double *values) {
  double sum = 0.0, lost = 0.0;
  for (hb_local i = 0; i < count; i++) {
    const double term = values[i] - lost, next = sum + term;
    lost = (next - sum) - term;
    sum = next;
  }
  return sum;
}

/* Operator, and the right-hand side before lifting. */
static enum hb_status create_system(struct hb_solver *solver, const struct hb_watcher *watcher) {
  enum hb_status status = HB_OK;
  const struct hb_mesh *mesh = solver->mesh;
  const enum hb_precision precision = solver->options->precision;
  const hb_local num_points = mesh->numbering->num_points;
  const size_t size = hb_precision_bytes(precision);
  const struct hb_kernel kernel = {solver->variant, solver->shape};
  double *mass = NULL;
  solver->b = hb_allocate(num_points, size, "right-hand side");
  solver->x = hb_allocate(num_points, size, "solution");
  mass = hb_allocate(num_points, sizeof *mass, "mass");
  if (solver->b == NULL || solver->x == NULL || mass == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(hb_comm_agree(solver->comm, status));
  if (solver->device != NULL)
    HB_TRY(hb_operator_create_on_device(mesh, &solver->problem, &kernel, precision, solver->device,
                                        solver->gpu_aware, mass, watcher, &solver->op));
  else
    HB_TRY(hb_operator_create(mesh, &solver->problem, solver->variant, precision, mass, watcher,
                              &solver->op));
  solver->volume = compensated_sum(num_points, mass);
  hb_comm_sum(solver->comm, 1, &solver->volume);
  HB_TRY(hb_problem_rhs(&solver->problem, mesh, mass));
  solver->op->ops->from_double(num_points, mass, solver->b);
done:
  hb_free(mass);
  return status;
}

static enum hb_status create_work(struct hb_solver *solver) {
  enum hb_status status = HB_OK;
  const struct hb_options *options = solver->options;
  const hb_local num_points = solver->mesh->numbering->num_points;
  HB_TRY(hb_cg_create(options->precision, num_points, options->iterations, &solver->cg));
  if (options->preconditioner == HB_JACOBI) {
    solver->dinv =
        hb_allocate(num_points, hb_precision_bytes(options->precision), "inverse diagonal");
    if (solver->dinv == NULL) status = HB_MACHINE_FAILED;
  }
done:
  return status;
}

/* The vectors of the solve on the device, and what went wrong there before. */
static enum hb_status create_on_device(struct hb_solver *solver) {
  enum hb_status status = solver->op->failure;
  HB_TRY(status);
  HB_TRY(hb_cg_device_create(solver->op->device, solver->comm, solver->b, solver->dinv,
                             &solver->cg_device));
done:
  return status;
}

enum hb_status hb_solver_backend(const struct hb_options *options, enum hb_backend *backend) {
  enum hb_status status = HB_OK;
  const bool built = strcmp(hb_device_platform(), "none") != 0;
  *backend = built && options->backend != HB_BACKEND_ONLY_HOST ? HB_BACKEND_GPU : HB_BACKEND_HOST;
  if (options->backend == HB_BACKEND_ONLY_GPU && !built)
    HB_FAIL(HB_BAD_INPUT, "backend = gpu: this program is built without GPU, allowed: host, auto; "
                          "build it with -DHELMBONE_GPU=amd or nvidia");
done:
  return status;
}

/* The kernel given, or the device's default; on the host the plan's variant stays. */
static enum hb_status take_kernel(struct hb_solver *solver, const struct hb_kernel *given) {
  enum hb_status status = HB_OK;
  const struct hb_options *options = solver->options;
  struct hb_kernel kernel = {.variant = NULL};
  struct hb_device_info info;
  if (solver->device == NULL || solver->variant->backend != HB_BACKEND_GPU) return HB_OK;
  if (given != NULL) {
    kernel = *given;
  } else {
    HB_TRY(hb_device_info(solver->device, &info));
    HB_TRY(hb_helmholtz_default_kernel(options->kernel, info.architecture, options->degree + 1,
                                       options->precision, &kernel));
  }
  solver->variant = kernel.variant;
  solver->shape = kernel.shape;
done:
  return status;
}

enum hb_status hb_solver_create(const struct hb_comm *comm, const struct hb_options *options,
                                struct hb_device *device, const struct hb_kernel *kernel,
                                struct hb_timers *timers, const struct hb_watcher *watcher,
                                struct hb_solver **solver_out) {
  enum hb_status status = HB_OK;
  struct hb_solver *solver = hb_allocate(1, sizeof *solver, "solver");
  struct hb_partition partition;
  struct hb_box box;
  *solver_out = NULL;
  if (solver != NULL)
    *solver =
        (struct hb_solver){.comm = comm, .options = options, .timers = timers, .device = device};
  HB_TRY(hb_comm_agree(comm, solver != NULL ? HB_OK : HB_MACHINE_FAILED));
  HB_TRY(hb_solver_plan(comm, options, &box, &partition, &solver->problem, &solver->variant));
  HB_TRY(hb_comm_agree(comm, take_kernel(solver, kernel)));
  if ((device != NULL) != (solver->variant->backend == HB_BACKEND_GPU))
    HB_FAIL(HB_BAD_INPUT, "the %s backend is chosen and a device is %s open",
            hb_backend_name(solver->variant->backend), device != NULL ? "" : "not");
  if (device != NULL)
    HB_TRY(hb_gpu_aware_decide(comm, device, options->gpu_aware, &solver->gpu_aware,
                               solver->gpu_aware_reason, sizeof solver->gpu_aware_reason));
  HB_TRY(hb_mesh_create(comm, &box, partition.grid, solver->variant->lanes[options->precision],
                        &solver->mesh));
  HB_TRY(create_system(solver, watcher));
  if (hb_box_has_dirichlet(&box)) HB_TRY(lift(solver));
  HB_TRY(hb_comm_agree(comm, create_work(solver)));
  if (solver->dinv != NULL) hb_operator_inverse_diagonal(solver->op, solver->dinv);
  if (device != NULL) HB_TRY(hb_comm_agree(comm, create_on_device(solver)));
  *solver_out = solver;
done:
  if (status != HB_OK) hb_solver_destroy(&solver);
  return status;
}

void hb_solver_destroy(struct hb_solver **solver) {
  if (*solver == NULL) return;
  hb_free((*solver)->b);
  hb_free((*solver)->x);
  hb_free((*solver)->dinv);
  hb_cg_destroy(&(*solver)->cg);
  hb_cg_device_destroy(&(*solver)->cg_device);
  hb_operator_destroy(&(*solver)->op);
  hb_mesh_destroy(&(*solver)->mesh);
  hb_free(*solver);
  *solver = NULL;
}

enum hb_status hb_solver_plan(const struct hb_comm *comm, const struct hb_options *options,
                              struct hb_box *box, struct hb_partition *partition,
                              struct hb_problem *problem,
                              const struct hb_helmholtz_variant **variant) {
  enum hb_status status = HB_OK;
  const int requested[3] = {options->px, options->py, options->pz};
  int grid[3];
  enum hb_backend backend;
  HB_TRY(hb_solver_backend(options, &backend));
  if (backend == HB_BACKEND_HOST) HB_TRY(hb_tuning_check_host(options));
  HB_TRY(hb_helmholtz_find_variant(options->kernel, backend, options->degree + 1, variant));
  if (options->size_is == HB_SIZE_PER_RANK)
    HB_TRY(hb_partition_rank_grid(comm->size, requested, grid));
  make_box(options, grid, box);
  HB_TRY(hb_box_check(box));
  HB_TRY(hb_partition_create(box, comm->size, comm->rank,
                             options->size_is == HB_SIZE_PER_RANK ? grid : requested, partition));
  HB_TRY(hb_problem_init(box, options->h1, options->h2, options->h1_variation,
                         options->h2_variation, problem));
done:
  return hb_comm_agree(comm, status);
}

enum hb_status hb_solver_run(struct hb_solver *solver, hb_cg_watch *watch, void *watch_context,
                             struct hb_solves *solves) {
  enum hb_status status = HB_OK;
  const struct hb_options *options = solver->options;
  const struct hb_cg_system system = hb_solver_system(solver);
  const int total = options->warmup + options->repeats;
  const double tolerance = options->stop == HB_STOP_TOLERANCE ? options->tolerance : 0.0;
  *solves = (struct hb_solves){.num_warmup = options->warmup, .num_timed = options->repeats};
  HB_ALLOC(solves->seconds, options->repeats, "times of solves");
  HB_ALLOC(solves->rank_seconds, options->repeats, "times of solves");
  HB_ALLOC(solves->iterations, total, "iterations of solves");
  HB_ALLOC(solves->final_residual, total, "residuals of solves");
done:
  status = hb_comm_agree(solver->comm, status);
  for (int solve = 0; status == HB_OK && solve < total; solve++) {
    const bool timed = solve >= options->warmup;
    struct hb_timers *timers = timed ? solver->timers : NULL;
    solver->op->timers = timers;
    hb_comm_barrier(solver->comm);
    const double start = hb_timer_now();
    status = hb_cg_solve(solver->cg, &system, tolerance, timers, watch, watch_context, solver->x);
    double seconds = hb_timer_now() - start;
    if (!timed) solver->timers->seconds[HB_PHASE_OTHER] += seconds;
    if (timed) {
      solves->rank_seconds[solve - options->warmup] = seconds;
      hb_comm_max(solver->comm, 1, &seconds);
      solves->seconds[solve - options->warmup] = seconds;
    }
    solves->iterations[solve] = solver->cg->iterations;
    solves->final_residual[solve] = solver->cg->history[solver->cg->iterations];
    solves->end = solver->cg->end;
  }
  solver->op->timers = NULL;
  return status == HB_OK ? hb_comm_agree(solver->comm, hb_solver_fetch(solver)) : status;
}

enum hb_status hb_solver_fetch(struct hb_solver *solver) {
  if (solver->cg_device == NULL) return HB_OK;
  return hb_cg_device_fetch(solver->cg_device, solver->x, solver->cg->r);
}

void hb_solves_destroy(struct hb_solves *solves) {
  hb_free(solves->seconds);
  hb_free(solves->rank_seconds);
  hb_free(solves->iterations);
  hb_free(solves->final_residual);
  *solves = (struct hb_solves){0};
}
