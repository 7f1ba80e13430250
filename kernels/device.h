/* SPDX-License-Identifier: BSD-3-Clause
 * One GPU of this process: memory, copies, streams, events, and the check of every launch.
 *
 * Plain C; device.hip implements it on HIP (AMD) or the CUDA runtime (NVIDIA), device_none.c where
 * the program is built without a GPU: there are no devices then.  Nothing here is collective.
 * Failures record HB_MACHINE_FAILED with the runtime's words.  A pointer named d_... is memory of
 * the device.  All work is ordered by streams; host memory handed to an asynchronous copy must be
 * pinned and stay until the stream has passed it. */
#ifndef HB_KERNELS_DEVICE_H
#define HB_KERNELS_DEVICE_H

#include "kernels/base.h"

#ifdef __cplusplus
extern "C" {
#endif

struct hb_device; /* opaque; made by hb_device_open */

enum hb_stream { HB_STREAM_COMPUTE, HB_STREAM_COPY, HB_NUM_STREAMS };
/* Marks in streams that other streams, or the host, wait for. */
enum hb_event {
  HB_EVENT_PACKED,
  HB_EVENT_SENT,
  HB_EVENT_RECEIVED,
  HB_EVENT_SCALARS,
  HB_EVENT_AHEAD_EVEN,
  HB_EVENT_AHEAD_ODD,
  HB_NUM_EVENTS
};

struct hb_device_info {
  char name[128], architecture[64], pci_bus_id[32]; /* "gfx90a", "sm_90"; "0000:c1:00.0" */
  hb_global memory_bytes, memory_free_bytes;
  int multiprocessors, driver_version, runtime_version;
  bool interpreted; /* its machine code is interpreted by a CPU: its times mean nothing */
};

/* "none", "amd" or "nvidia"; the architectures built in, separated by blanks ("" for none). */
const char *hb_device_platform(void);
const char *hb_device_architectures(void);

/* Devices that this process sees; 0 without a driver or in a build without GPU. */
int hb_device_count(void);

/* Opens device `index` (0 <= index < count) and proves, by a kernel that returns the architecture
 * it was compiled for and a checksum, that code for this device is in the program.  Otherwise fails
 * with the device's architecture, those built in and the CMake variable to set.
 * synchronise: wait after every launch, so that a failing kernel is named.  One device a process.
 */
enum hb_status hb_device_open(int index, bool synchronise, struct hb_device **device);
/* Waits, frees streams and events.  Accepts NULL, clears the caller's pointer. */
void hb_device_close(struct hb_device **device);
enum hb_status hb_device_info(const struct hb_device *device, struct hb_device_info *info);

/* `count` items of `size` bytes, 256-byte aligned, contents undefined.  NULL, with needed and free
 * bytes recorded, if the device has not as much.  Counted; freed by hb_device_free (accepts NULL).
 */
void *hb_device_allocate(struct hb_device *device, hb_global count, size_t size, const char *what);
void hb_device_free(struct hb_device *device, void *d_pointer);
/* The same for page-locked host memory, which the device can also read and write. */
void *hb_pinned_allocate(struct hb_device *device, hb_global count, size_t size, const char *what);
void hb_pinned_free(struct hb_device *device, void *pointer);
/* Of the device's memory and of pinned memory, this process. */
struct hb_memory_use hb_device_memory_use(void);

/* Copies that are done when they return; to and from any host memory; ordered after all work of
 * the compute stream.  Any thread may call the download, one at a time. */
enum hb_status hb_device_upload(struct hb_device *device, void *d_to, const void *from,
                                hb_global bytes);
enum hb_status hb_device_download(struct hb_device *device, void *to, const void *d_from,
                                  hb_global bytes);
/* In stream order: between pinned memory and the device in either direction, or on the device. */
enum hb_status hb_device_copy(struct hb_device *device, enum hb_stream stream, void *to,
                              const void *from, hb_global bytes);
enum hb_status hb_device_set_zero(struct hb_device *device, enum hb_stream stream, void *d_to,
                                  hb_global bytes);

/* Marks the place in the stream; makes a stream, or the host, wait for the latest mark. */
enum hb_status hb_device_mark(struct hb_device *device, enum hb_event event, enum hb_stream stream);
enum hb_status hb_device_wait(struct hb_device *device, enum hb_stream stream, enum hb_event event);
enum hb_status hb_device_wait_host(struct hb_device *device, enum hb_event event);
/* Waits until the stream is empty; reports what failed in it. */
enum hb_status hb_device_synchronise(struct hb_device *device, enum hb_stream stream);

/* Work of the compute stream that is recorded once and then launched as one.  Between begin and end
 * launches, copies and fills of that stream are taken down and do not happen, and nothing may wait;
 * pointers and numbers handed to them stay as they are, so they must live as long as the graph. */
struct hb_device_graph; /* opaque */
enum hb_status hb_device_graph_begin(struct hb_device *device);
/* *graph is NULL after a failure, also of what was recorded. */
enum hb_status hb_device_graph_end(struct hb_device *device, struct hb_device_graph **graph);
enum hb_status hb_device_graph_launch(struct hb_device *device,
                                      const struct hb_device_graph *graph);
/* Accepts NULL, clears the caller's pointer. */
void hb_device_graph_destroy(struct hb_device_graph **graph);
/* Told of every launch, whether its kernel begins with hb_follow_launch (kernels/launch.h): may its
 * blocks stand ready before the launch before it, which is such a one too, has ended? */
bool hb_device_may_overlap(struct hb_device *device, bool follows);
/* Does the device wait after every launch, as it was opened?  Then nothing can be recorded. */
bool hb_device_waits(const struct hb_device *device);

/* For files that launch: the runtime's stream (hipStream_t), and the check after every launch; what
 * the runtime holds of other libraries' errors has to be put away before it (kernels/launch.h). */
void *hb_device_stream(const struct hb_device *device, enum hb_stream stream);
/* Where a number is kept that such a file asks the runtime for, under an address and a size: 0 at
 * first, and again if many others were asked for since.  Valid until the next call. */
int *hb_device_kept(struct hb_device *device, const void *key, size_t size);
enum hb_status hb_device_check_launch(struct hb_device *device, const char *kernel);

/* Seconds, by the device's clock, that the compute stream took between start and stop. */
enum hb_status hb_device_time_start(struct hb_device *device);
enum hb_status hb_device_time_stop(struct hb_device *device, double *seconds);

/* In a build without GPU alone: what the functions of a device do there.  Records that, whatever
 * the arguments are. */
enum hb_status hb_built_without_gpu(const void *first, ...);

#ifdef __cplusplus
}
#endif

#endif
