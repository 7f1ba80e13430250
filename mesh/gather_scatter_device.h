/* SPDX-License-Identifier: BSD-3-Clause
 * The exchange of gather_scatter.h for partial sums that lie on a device.
 *
 * Four steps, so that the device and the host go on meanwhile: the caller packs d_send on the
 * compute stream and marks HB_EVENT_PACKED; `start` lets the copy stream bring it to the host;
 * `post` waits for it and sends; `finish` waits for the neighbours, after which d_received is what
 * the compute stream reads next.  Direct, the device buffers themselves go to MPI; staged, they
 * pass through pinned memory, which works with every MPI; of peers, neighbours' devices read
 * d_send. */
#ifndef HB_MESH_GATHER_SCATTER_DEVICE_H
#define HB_MESH_GATHER_SCATTER_DEVICE_H

#include "kernels/vectors/assembly.h"
#include "mesh/exchange_peers.h"

enum hb_gpu_aware { HB_GPU_AWARE_AUTO = 0, HB_GPU_AWARE_ON = 1, HB_GPU_AWARE_OFF = 2 };

/* Collective.  Does this MPI take pointers of the device?  AUTO asks the library and, if it says
 * so, tries a real exchange; ON tries it whatever the library says (one that cannot may crash), and
 * fails with HB_MACHINE_FAILED if what arrives is wrong; OFF and a single rank need none.  All
 * ranks get one answer; `reason` [reason_bytes] says why, in words. */
enum hb_status hb_gpu_aware_decide(const struct hb_comm *comm, struct hb_device *device,
                                   enum hb_gpu_aware wish, bool *gpu_aware, char *reason,
                                   size_t reason_bytes);

/* How it goes; exchange.h says what each is. */
enum hb_exchange_way {
  HB_WAY_PAIRWISE_STAGED,
  HB_WAY_NEIGHBOUR_STAGED,
  HB_WAY_PAIRWISE_DIRECT,
  HB_WAY_NEIGHBOUR_DIRECT,
  HB_WAY_PEER
};

struct hb_device_exchange {
  struct hb_gather_scatter *gs; /* borrowed */
  struct hb_device *device;     /* borrowed */
  enum hb_precision precision;
  enum hb_exchange_way way;
  struct hb_messages messages; /* owned */
  struct hb_peers *peers;      /* owned; NULL until they are needed */
  void *d_own_send;            /* owned [entries of all messages] */
  void *d_send;                /* where the next exchange is packed: that, or a peer's half */
  void *d_received;            /* owned [entries of all messages], always there */
  void *send, *received;       /* owned, pinned; NULL until they are needed */
  hb_local *d_index, *d_source_start, *d_source; /* owned: gs's lists on the device */
};

/* Not collective.  Pairwise, direct if gpu_aware, else staged. */
enum hb_status hb_device_exchange_create(struct hb_gather_scatter *gs, struct hb_device *device,
                                         enum hb_precision precision, bool gpu_aware,
                                         struct hb_device_exchange **exchange);
/* Collective, if another way was ever selected.  Accepts NULL, clears the caller's pointer. */
void hb_device_exchange_destroy(struct hb_device_exchange **exchange);

/* Collective; `way` must be the same on all ranks.  From the next packing on it goes that way:
 * d_send may be another buffer then.  HB_MACHINE_FAILED, on all ranks, if there is no memory for it
 * or devices cannot share theirs; it is as it was then. */
enum hb_status hb_device_exchange_select(struct hb_device_exchange *exchange,
                                         enum hb_exchange_way way);
/* Collective.  Frees what the way in use does not need. */
void hb_device_exchange_trim(struct hb_device_exchange *exchange);

/* Bytes that hb_device_exchange_create will hold on this rank, at most: on the device, and in
 * pinned memory of the host. */
hb_global hb_device_exchange_bytes(const struct hb_box *box, const struct hb_partition *partition,
                                   enum hb_precision precision);
hb_global hb_device_exchange_pinned_bytes(const struct hb_box *box,
                                          const struct hb_partition *partition,
                                          enum hb_precision precision);

/* Fills in the members of the assembly that belong to the exchange. */
void hb_device_exchange_describe(const struct hb_device_exchange *exchange,
                                 struct hb_device_assembly *assembly);

/* Not collective; after HB_EVENT_PACKED was marked. */
enum hb_status hb_device_exchange_start(struct hb_device_exchange *exchange);
/* Collective.  Sends even after a failure, so that no neighbour waits for ever. */
enum hb_status hb_device_exchange_post(struct hb_device_exchange *exchange);
/* Collective. */
enum hb_status hb_device_exchange_finish(struct hb_device_exchange *exchange);

#endif
