/* SPDX-License-Identifier: BSD-3-Clause
 * Models of memory and traffic, and the figures of merit that follow from the timed solves.
 *
 *   fom_nekbone_gflops     = E (12 n^4 + 34 n^3) iterations / seconds / 1e9
 *   dof_iterations_per_s   = unique points * iterations / seconds
 *   points_iterations_per_s = E n^3 * iterations / seconds
 *
 * E elements of the whole box, seconds the median over the timed solves of the largest time over
 * ranks.  The first is Nekbone's and hipBone's nominal count, not the flops that are executed. */
#ifndef HB_APP_FIGURES_H
#define HB_APP_FIGURES_H

#include "app/bandwidth.h"
#include "app/entries.h"
#include "app/solver.h"

/* What this rank will hold at most, array by array, known before anything is allocated: each owner
 * is asked for its bytes.  On the host, and on its GPU, where there is one. */
enum hb_status hb_figures_memory(const struct hb_plan *plan, struct hb_entries *entries);
enum hb_status hb_figures_device_memory(const struct hb_plan *plan, struct hb_entries *entries);

/* Bytes of each of the three arrays of the bandwidth measurement: hb_bandwidth_array_bytes, or on a
 * device a third of what the solve takes there, 16 to 512 MiB; 64 KiB where it is interpreted. */
hb_global hb_figures_stream_bytes(const struct hb_plan *plan,
                                  const struct hb_entries *device_memory);

/* Collective.  HB_MACHINE_FAILED if the ranks of a node need more together than it has, or than a
 * group of processes that they are in has, or one more than its own limit: says needed and
 * available.  *known: every node could be asked.  root: as in hb_memory_read_limits. */
enum hb_status hb_figures_check_memory(const struct hb_comm *comm, const struct hb_entries *entries,
                                       const char *root, bool *known);

/* Bytes that one iteration moves on this rank, array by array: each array counted once for every
 * pass that reads it and once for every pass that writes it, whatever the caches save.  Of the
 * exchange on a GPU the packing and the sum alone are the device's memory. */
struct hb_traffic {
  struct hb_entries entries; /* owned */
  /* On a GPU: entries [0, operator_count) are the operator's, those up to pass_count the
   * residual's. */
  int operator_count, pass_count;
};
enum hb_status hb_figures_traffic(const struct hb_solver *solver, struct hb_traffic *traffic);
void hb_traffic_destroy(struct hb_traffic *traffic);

/* Not collective.  Bytes of geometry that an application of the operator reads a point of an
 * element. */
double hb_figures_geometry_bytes(const struct hb_solver *solver);

struct hb_figures {
  struct hb_traffic traffic;                       /* owned; of this rank */
  double min_seconds, median_seconds, max_seconds; /* of a solve */
  int iterations;
  double seconds_per_iteration;
  double fom_nekbone_gflops, dof_iterations_per_s, points_iterations_per_s;
  double useful_gflops;                    /* what the equations of an iteration need */
  double bytes_per_iteration, bytes_per_s; /* all ranks */
  /* On a GPU: seconds of this rank's passes an iteration, with launches, waits and the exchange in
   * the operator's, start and end of the solves in the residual's; and their bytes. */
  double operator_seconds, operator_bytes, residual_seconds, residual_bytes;
  double fraction_of_triad, fraction_of_copy; /* of the bandwidth measured in the same run */
};

/* Collective. */
enum hb_status hb_figures_compute(const struct hb_solver *solver, const struct hb_solves *solves,
                                  const struct hb_bandwidth *bandwidth, struct hb_figures *figures);
void hb_figures_destroy(struct hb_figures *figures);

#endif
