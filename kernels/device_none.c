/* SPDX-License-Identifier: BSD-3-Clause
 * device.h in a build without GPU: no devices, and an error. */
#include "kernels/device.h"

#include <string.h>

enum hb_status hb_built_without_gpu(const void *first, ...) {
  (void)first;
  return hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__,
                         "this program is built without GPU; build with -DHELMBONE_GPU=amd or "
                         "nvidia");
}

const char *hb_device_platform(void) { return "none"; }
const char *hb_device_architectures(void) { return ""; }
int hb_device_count(void) { return 0; }

enum hb_status hb_device_open(int index, bool synchronise, struct hb_device **device) {
  *device = NULL;
  return hb_built_without_gpu(NULL, index, synchronise);
}
void hb_device_close(struct hb_device **device) { *device = NULL; }
enum hb_status hb_device_info(const struct hb_device *device, struct hb_device_info *info) {
  memset(info, 0, sizeof *info);
  return hb_built_without_gpu(device);
}

void *hb_device_allocate(struct hb_device *device, hb_global count, size_t size, const char *what) {
  hb_built_without_gpu(device, count, size, what);
  return NULL;
}
void hb_device_free(struct hb_device *device, void *d_pointer) {
  if (d_pointer != NULL) hb_built_without_gpu(device);
}
void *hb_pinned_allocate(struct hb_device *device, hb_global count, size_t size, const char *what) {
  hb_built_without_gpu(device, count, size, what);
  return NULL;
}
void hb_pinned_free(struct hb_device *device, void *pointer) {
  if (pointer != NULL) hb_built_without_gpu(device);
}
struct hb_memory_use hb_device_memory_use(void) {
  const struct hb_memory_use nothing = {0, 0, 0};
  return nothing;
}

enum hb_status hb_device_upload(struct hb_device *device, void *d_to, const void *from,
                                hb_global bytes) {
  return hb_built_without_gpu(device, d_to, from, bytes);
}
enum hb_status hb_device_download(struct hb_device *device, void *to, const void *d_from,
                                  hb_global bytes) {
  return hb_built_without_gpu(device, to, d_from, bytes);
}
enum hb_status hb_device_copy(struct hb_device *device, enum hb_stream stream, void *to,
                              const void *from, hb_global bytes) {
  return hb_built_without_gpu(device, stream, to, from, bytes);
}
enum hb_status hb_device_set_zero(struct hb_device *device, enum hb_stream stream, void *d_to,
                                  hb_global bytes) {
  return hb_built_without_gpu(device, stream, d_to, bytes);
}

enum hb_status hb_device_mark(struct hb_device *device, enum hb_event event,
                              enum hb_stream stream) {
  return hb_built_without_gpu(device, event, stream);
}
enum hb_status hb_device_wait(struct hb_device *device, enum hb_stream stream,
                              enum hb_event event) {
  return hb_built_without_gpu(device, stream, event);
}
enum hb_status hb_device_wait_host(struct hb_device *device, enum hb_event event) {
  return hb_built_without_gpu(device, event);
}
enum hb_status hb_device_synchronise(struct hb_device *device, enum hb_stream stream) {
  return hb_built_without_gpu(device, stream);
}
int *hb_device_kept(struct hb_device *device, const void *key, size_t size) {
  (void)hb_built_without_gpu(device, key, size);
  return NULL;
}
bool hb_device_may_overlap(struct hb_device *device, bool follows) {
  hb_built_without_gpu(device, follows);
  return false;
}
bool hb_device_waits(const struct hb_device *device) {
  hb_built_without_gpu(device);
  return false;
}
enum hb_status hb_device_graph_begin(struct hb_device *device) {
  return hb_built_without_gpu(device);
}
enum hb_status hb_device_graph_end(struct hb_device *device, struct hb_device_graph **graph) {
  *graph = NULL;
  return hb_built_without_gpu(device);
}
enum hb_status hb_device_graph_launch(struct hb_device *device,
                                      const struct hb_device_graph *graph) {
  return hb_built_without_gpu(device, graph);
}
void hb_device_graph_destroy(struct hb_device_graph **graph) {
  if (*graph != NULL) hb_built_without_gpu(*graph);
}
void *hb_device_stream(const struct hb_device *device, enum hb_stream stream) {
  hb_built_without_gpu(device, stream);
  return NULL;
}
enum hb_status hb_device_check_launch(struct hb_device *device, const char *kernel) {
  return hb_built_without_gpu(device, kernel);
}
enum hb_status hb_device_time_start(struct hb_device *device) {
  return hb_built_without_gpu(device);
}
enum hb_status hb_device_time_stop(struct hb_device *device, double *seconds) {
  *seconds = 0.0;
  return hb_built_without_gpu(device);
}
