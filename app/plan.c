/* SPDX-License-Identifier: BSD-3-Clause
 * The plan of a run, from its options. */
#include "app/plan.h"

#include "app/exchange_choice.h"
#include "app/geometry_choice.h"
#include "app/input_range.h"
#include "app/operator_device.h"
#include "app/output_plan.h"

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

/* What every rank finds alone: box, partition, problem. */
static enum hb_status divide(struct hb_plan *plan) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = plan->comm;
  const struct hb_options *options = plan->options;
  const int requested[3] = {options->px, options->py, options->pz};
  const bool per_rank = options->size_is == HB_SIZE_PER_RANK;
  int grid[3];
  if (per_rank) HB_TRY(hb_partition_rank_grid(comm->size, requested, grid));
  make_box(options, grid, &plan->box);
  HB_TRY(hb_box_check(&plan->box));
  HB_TRY(hb_partition_create(&plan->box, comm->size, comm->rank, per_rank ? grid : requested,
                             &plan->partition));
  HB_TRY(hb_problem_init(&plan->box, options->h1, options->h2, options->h1_variation,
                         options->h2_variation, &plan->problem));
  plan->geometry = hb_problem_geometry(&plan->problem);
  HB_TRY(hb_input_range_check(options, &plan->box));
done:
  return status;
}

enum hb_status hb_plan_create(const struct hb_comm *comm, const struct hb_options *options,
                              struct hb_plan **plan_out) {
  enum hb_status status = HB_OK;
  struct hb_plan *plan = NULL;
  struct hb_kernel chosen;
  unsigned modes = 0;
  *plan_out = NULL;
  HB_ALLOC(plan, 1, "plan");
  *plan = (struct hb_plan){.comm = comm, .options = options};
  HB_TRY(divide(plan));
done:
  status = hb_comm_agree(comm, status);
  if (status == HB_OK)
    status = hb_geometry_choose(comm, options, &plan->box, &plan->partition, &modes);
  if (status == HB_OK) status = hb_comm_agree(comm, hb_backend_choose(options, &modes, &chosen));
  if (status == HB_OK && chosen.variant->backend == HB_BACKEND_GPU)
    status = hb_comm_agree(
        comm, hb_operator_device_check_size(options->degree + 1, plan->partition.max_elements));
  if (status == HB_OK)
    status = hb_comm_agree(
        comm, hb_exchange_wish_check(chosen.variant->backend == HB_BACKEND_GPU, options));
  if (status == HB_OK) status = hb_output_check(comm, options, &plan->box, &plan->output_before);
  if (status == HB_OK) {
    const struct hb_tuning_case of = {.n = options->degree + 1,
                                      .geometry = plan->geometry,
                                      .modes = modes,
                                      .precision = options->precision,
                                      .with_preconditioner = options->preconditioner != HB_PLAIN,
                                      .max_elements = (hb_local)plan->partition.max_elements};
    status = hb_backend_create(comm, options, &chosen, &of, &plan->backend);
  }
  if (status == HB_OK) plan->geometry.mode = plan->backend->kernel.mode;
  if (status == HB_OK)
    *plan_out = plan;
  else
    hb_plan_destroy(&plan);
  return status;
}

enum hb_status hb_plan_tune(struct hb_plan *plan) {
  const enum hb_status status = hb_backend_tune(plan->backend);
  plan->geometry.mode = plan->backend->kernel.mode;
  return status;
}

void hb_plan_destroy(struct hb_plan **plan) {
  if (*plan == NULL) return;
  hb_backend_destroy(&(*plan)->backend);
  hb_free(*plan);
  *plan = NULL;
}

hb_global hb_plan_points(const struct hb_plan *plan) {
  return hb_numbering_num_points(&plan->box, &plan->partition);
}
