/* SPDX-License-Identifier: BSD-3-Clause
 * peer.h in a build without GPU: an error. */
#include "kernels/peer.h"

enum hb_status hb_peer_export(struct hb_device *device, void *d_pointer,
                              struct hb_peer_handle *handle) {
  return hb_built_without_gpu(device, d_pointer, handle);
}
enum hb_status hb_peer_open(struct hb_device *device, const struct hb_peer_handle *handle,
                            void **d_pointer) {
  *d_pointer = NULL;
  return hb_built_without_gpu(device, handle);
}
void hb_peer_close(struct hb_device *device, void *d_pointer) {
  if (d_pointer != NULL) hb_built_without_gpu(device);
}
enum hb_status hb_peer_gather(struct hb_device *device, size_t size,
                              const struct hb_peer_parts *parts, void *d_to) {
  return hb_built_without_gpu(device, size, parts, d_to);
}
