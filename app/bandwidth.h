/* SPDX-License-Identifier: BSD-3-Clause
 * The memory bandwidth of this run's ranks, all measuring at once. */
#ifndef HB_APP_BANDWIDTH_H
#define HB_APP_BANDWIDTH_H

#include "app/backend.h"

struct hb_bandwidth {
  double copy_bytes_per_s, triad_bytes_per_s; /* this rank's part, best of several passes */
  double all_copy, all_triad;                 /* sums over ranks */
  hb_global array_bytes;                      /* of each of the three arrays */
};

/* Collective.  Where the backend computes, with three arrays of so many bytes each, which are freed
 * before return.  A device's arrays that are less than its cache give the cache's figure; ranks
 * that share a device are given an equal part of the rate that one of them measured. */
enum hb_status hb_bandwidth_measure(const struct hb_backend *backend, hb_global array_bytes,
                                    struct hb_bandwidth *bandwidth);

/* Bytes of each of the three arrays on the host: the rank's share of the last-level cache, 16 to 48
 * MiB; where a rank has more than 144 MiB of cache the figure is that of the cache. */
hb_global hb_bandwidth_array_bytes(const struct hb_comm *comm);

#endif
