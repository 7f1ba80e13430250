/* SPDX-License-Identifier: BSD-3-Clause
 * The passes of a conjugate gradient iteration on the host. */
#include "app/cg_host.h"

#include <math.h>
#include <string.h>

static size_t bytes_of(const struct hb_cg_system *system) {
  return (size_t)hb_cg_host_vector_bytes(system->precision, system->num_points);
}

/* z from r, and sums[1] = r.z, where the vector passes have not done it. */
static void precondition(struct hb_cg_host *host, double sums[2]) {
  const struct hb_cg_system *system = &host->passes.system;
  struct hb_preconditioner *preconditioner = system->preconditioner;
  if (preconditioner->fuses) return;
  const enum hb_status status = preconditioner->type->apply(preconditioner, host->r, host->z);
  if (status != HB_OK && host->passes.failure == HB_OK) host->passes.failure = status;
  sums[1] = system->ops->dot(system->num_owned, host->r, host->z);
  if (host->passes.failure != HB_OK) sums[0] = sums[1] = (double)NAN;
}

static void update_residual(struct hb_cg_host *host, double alpha, double sums[2]) {
  const struct hb_cg_system *system = &host->passes.system;
  system->ops->update_residual(system->num_points, system->num_owned, system->surface_start, alpha,
                               system->preconditioner->diagonal, host->w, host->r, sums);
  precondition(host, sums);
}

static void start(struct hb_cg_passes *passes, double sums[2]) {
  struct hb_cg_host *host = hb_cg_host(passes);
  const size_t bytes = bytes_of(&passes->system);
  memset(passes->system.x, 0, bytes);
  memset(host->p, 0, bytes);
  memset(host->w, 0, bytes);
  memcpy(host->r, passes->system.b, bytes);
  update_residual(host, 0.0, sums);
}

static double direction(struct hb_cg_passes *passes, double alpha, double beta,
                        struct hb_timers *timers) {
  const struct hb_cg_host *host = hb_cg_host(passes);
  const struct hb_cg_system *system = &passes->system;
  double mark = hb_timer_mark(timers), p_dot_w = 0.0;
  system->ops->update_direction(system->num_points, alpha, beta, system->preconditioner->diagonal,
                                host->z, host->p, system->x);
  hb_timer_count(timers, HB_PHASE_VECTOR, &mark);
  system->apply(system->context, host->p, host->w, &p_dot_w);
  return p_dot_w;
}

static void residual(struct hb_cg_passes *passes, double alpha, struct hb_timers *timers,
                     double sums[2]) {
  double mark = hb_timer_mark(timers);
  update_residual(hb_cg_host(passes), alpha, sums);
  hb_timer_count(timers, HB_PHASE_VECTOR, &mark);
}

static void finish(struct hb_cg_passes *passes, double alpha) {
  const struct hb_cg_system *system = &passes->system;
  system->ops->add_scaled(system->num_points, alpha, hb_cg_host(passes)->p, system->x);
}

static enum hb_status fetch_solution(struct hb_cg_passes *passes) {
  (void)passes; /* it is there */
  return HB_OK;
}

static enum hb_status fetch_residual(const struct hb_cg_passes *passes, void *r) {
  memcpy(r, ((const struct hb_cg_host *)passes)->r, bytes_of(&passes->system));
  return HB_OK;
}

static hb_global bytes(const struct hb_cg_passes *passes) {
  const int vectors = passes->system.preconditioner->fuses ? 3 : 4;
  return vectors * (hb_global)bytes_of(&passes->system);
}

static void destroy(struct hb_cg_passes *passes) {
  struct hb_cg_host *host = hb_cg_host(passes);
  if (host->z != host->r) hb_free(host->z);
  hb_free(host->r);
  hb_free(host->p);
  hb_free(host->w);
  hb_free(host);
}

static const struct hb_cg_passes_type type = {.start = start,
                                              .direction = direction,
                                              .residual = residual,
                                              .finish = finish,
                                              .fetch_solution = fetch_solution,
                                              .fetch_residual = fetch_residual,
                                              .bytes = bytes,
                                              .destroy = destroy};

struct hb_cg_host *hb_cg_host(struct hb_cg_passes *passes) {
  HB_ASSERT(passes->type == &type);
  return (struct hb_cg_host *)passes;
}

enum hb_status hb_cg_host_create(const struct hb_cg_system *system, struct hb_cg_passes **passes) {
  enum hb_status status = HB_OK;
  const size_t size = hb_precision_bytes(system->precision);
  struct hb_cg_host *host = NULL;
  *passes = NULL;
  HB_ALLOC(host, 1, "passes of conjugate gradients");
  *host = (struct hb_cg_host){.passes = {.type = &type, .system = *system}};
  *passes = &host->passes;
  host->r = hb_allocate(system->num_points, size, "residual");
  host->p = hb_allocate(system->num_points, size, "search direction");
  host->w = hb_allocate(system->num_points, size, "operator result");
  host->z = host->r;
  if (!system->preconditioner->fuses)
    host->z = hb_allocate(system->num_points, size, "preconditioned residual");
  if (host->r == NULL || host->p == NULL || host->w == NULL || host->z == NULL)
    status = HB_MACHINE_FAILED;
done:
  if (status != HB_OK) hb_cg_passes_destroy(passes);
  return status;
}

hb_global hb_cg_host_vector_bytes(enum hb_precision precision, hb_global num_points) {
  return (hb_global)hb_precision_bytes(precision) * num_points;
}
