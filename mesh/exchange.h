/* SPDX-License-Identifier: BSD-3-Clause
 * The ways of the exchange of gather_scatter.h, on the host and of a device, and their choice.
 *
 *   pairwise   a message to each neighbour (MPI_Isend, MPI_Irecv); the reference
 *   neighbour  one call for all of them (MPI_Ineighbor_alltoallv)
 *   peer       of devices on one node: each rank reads from its neighbours' devices (IPC handles)
 * Of a device the first two are "staged", through pinned memory of the host, or "direct", where MPI
 * takes the device's memory.  All bring the same entries to the same places, so sums are bitwise
 * the same. */
#ifndef HB_MESH_EXCHANGE_H
#define HB_MESH_EXCHANGE_H

#include "mesh/gather_scatter_device.h"

/* What may be asked for; the order is that of the option's words. */
enum hb_exchange_wish {
  HB_EXCHANGE_AUTO = 0,
  HB_EXCHANGE_PAIRWISE = 1,
  HB_EXCHANGE_NEIGHBOUR = 2,
  HB_EXCHANGE_PEER = 3
};

struct hb_exchange_request {
  enum hb_exchange_wish wish;
  enum hb_gpu_aware gpu_aware; /* of a device: ON leaves direct ones, OFF those that are not */
  /* FASTEST, or the reason for which nothing is timed: the preset is taken, pairwise, direct where
   * MPI takes the device's memory. */
  enum hb_exchange_reason timing;
};

/* Not collective.  HB_BAD_INPUT if what is asked for cannot be, whatever the machine is. */
enum hb_status hb_exchange_check(bool on_device, const struct hb_exchange_request *request);

/* Collective; the request must be the same on all ranks and have passed the check.  Decides how
 * the exchange goes from now on and leaves what was found in gs->choice.  Errors as of
 * hb_exchange_tune. */
enum hb_status hb_exchange_choose_host(struct hb_gather_scatter *gs,
                                       const struct hb_exchange_request *request);
/* As before.  takes_device: does MPI take the device's memory, by hb_gpu_aware_decide; `reason`:
 * its words. */
enum hb_status hb_exchange_choose_device(struct hb_device_exchange *exchange,
                                         const struct hb_exchange_request *request,
                                         bool takes_device, const char *reason);

/* For the two above and for tests of the tuner: their candidates, and what these are tried on. */
void hb_exchange_list_host(const struct hb_exchange_request *request,
                           struct hb_exchange_choice *choice);
void hb_exchange_list_device(const struct hb_exchange_request *request, bool takes_device,
                             const char *reason, struct hb_exchange_choice *choice);
struct hb_exchange_bench hb_exchange_bench_host(struct hb_gather_scatter *gs);
struct hb_exchange_bench hb_exchange_bench_device(struct hb_device_exchange *exchange);

#endif
