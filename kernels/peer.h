/* SPDX-License-Identifier: BSD-3-Clause
 * Memory of a device that other processes of the node read, by handles that can be sent.
 *
 * Plain C; peer.hip implements it, peer_none.c where the program is built without a GPU.  Nothing
 * here is collective.  Who reads has to know that what it reads is there: the writer's stream has
 * passed it, which the writer's host has waited for, and the reader's host has been told so. */
#ifndef HB_KERNELS_PEER_H
#define HB_KERNELS_PEER_H

#include "kernels/device.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of a handle; processes that one launch reads from at most: the neighbours in a grid. */
enum { HB_PEER_HANDLE_BYTES = 64, HB_MOST_PEERS = 26 };

struct hb_peer_handle {
  unsigned char bytes[HB_PEER_HANDLE_BYTES];
};

/* Of the block that starts at d_pointer, from hb_device_allocate.  HB_MACHINE_FAILED with the
 * runtime's words where it cannot be had. */
enum hb_status hb_peer_export(struct hb_device *device, void *d_pointer,
                              struct hb_peer_handle *handle);
/* The block of another process in this one's addresses, until it is closed, which must be before
 * its owner frees it.  Errors as before; *d_pointer is NULL then. */
enum hb_status hb_peer_open(struct hb_device *device, const struct hb_peer_handle *handle,
                            void **d_pointer);
/* Accepts NULL. */
void hb_peer_close(struct hb_device *device, void *d_pointer);

/* What is gathered: entries start[q] .. start[q + 1] - 1 are the first ones at d_from[q]. */
struct hb_peer_parts {
  int count; /* at most HB_MOST_PEERS */
  hb_local start[HB_MOST_PEERS + 1];
  const void *d_from[HB_MOST_PEERS];
};

/* All parts into d_to [start[count]], by one kernel of the copy stream; entries of `size` bytes, 4
 * or 8. */
enum hb_status hb_peer_gather(struct hb_device *device, size_t size,
                              const struct hb_peer_parts *parts, void *d_to);

#ifdef __cplusplus
}
#endif

#endif
