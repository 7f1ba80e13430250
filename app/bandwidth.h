/* SPDX-License-Identifier: BSD-3-Clause
 * The memory bandwidth of this run's ranks, all measuring at once. */
#ifndef HB_APP_BANDWIDTH_H
#define HB_APP_BANDWIDTH_H

#include "kernels/device.h"
#include "mesh/comm.h"

struct hb_bandwidth {
  double copy_bytes_per_s, triad_bytes_per_s; /* this rank's part, best of several passes */
  double all_copy, all_triad;                 /* sums over ranks */
  hb_global array_bytes;                      /* of each of the three arrays */
};

/* Collective.  On the host (device NULL) each of the three arrays has the size of the rank's share
 * of the last-level cache, 16 to 48 MiB; where a rank has more than 144 MiB of cache the figure is
 * that of the cache.  On a device they have device_bytes each, where less than
 * its cache gives the cache's figure; ranks that share a device (`sharing` with this one, itself
 * among them) are given an equal part of the rate that one of them measured.  Freed before return.
 */
enum hb_status hb_bandwidth_measure(const struct hb_comm *comm, struct hb_device *device,
                                    hb_global device_bytes, int sharing,
                                    struct hb_bandwidth *bandwidth);

/* Bytes of each of the three arrays. */
hb_global hb_bandwidth_array_bytes(const struct hb_comm *comm);

#endif
