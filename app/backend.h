/* SPDX-License-Identifier: BSD-3-Clause
 * Where a run computes and by which kernel: the host, or the ranks' GPUs.
 *
 * Made once, with the plan.  The kernel may then still be open; hb_backend_tune decides, and from
 * then on nothing of it changes.  Whoever does things differently on a GPU asks
 * hb_backend_on_gpu, or has a table by kind; the members of the GPU are for those alone that work
 * on it. */
#ifndef HB_APP_BACKEND_H
#define HB_APP_BACKEND_H

#include <stdio.h>

#include "app/device_binding.h"
#include "app/options.h"
#include "app/tuning.h"
#include "kernels/helmholtz/variants.h"

enum { HB_NUM_BACKENDS = 2, HB_GPU_AWARE_BYTES = 160 };

struct hb_backend {
  enum hb_backend_kind kind;
  const struct hb_comm *comm; /* borrowed, as the next */
  const struct hb_options *options;
  struct hb_kernel kernel; /* variant NULL while hb_backend_is_pending */
  /* Of a GPU alone. */
  struct hb_device *device;          /* borrowed from the binding */
  struct hb_device_binding *binding; /* owned, as the next */
  struct hb_tuning *tuning;
  bool gpu_aware; /* as the next, known after hb_backend_settle */
  char gpu_aware_reason[HB_GPU_AWARE_BYTES];
};

/* Not collective.  What the options' backend means in this program, and the row of the table that
 * their kernel names there, or the default, with the lightest of *modes (bits 1 << mode) that it
 * has.  *modes: what is left open, that mode, or where it is one of stored and nodes those of both
 * that there were; stored is the default then.  HB_BAD_INPUT: a GPU is asked for and
 * the program is built without; a shape is pinned on the host; no such kernel.  HB_MACHINE_FAILED:
 * the processor lacks what the host's kernels are built for. */
enum hb_status hb_backend_choose(const struct hb_options *options, unsigned *modes,
                                 struct hb_kernel *kernel);

/* Collective.  Of a GPU: opens the ranks' devices and finds out what is known of the kernel, for
 * the case `of`.  chosen: by hb_backend_choose.  Errors as of hb_device_binding_create and
 * hb_tuning_create. */
enum hb_status hb_backend_create(const struct hb_comm *comm, const struct hb_options *options,
                                 const struct hb_kernel *chosen, const struct hb_tuning_case *of,
                                 struct hb_backend **backend);
/* Not collective.  Closes the device.  Accepts NULL, clears the caller's pointer. */
void hb_backend_destroy(struct hb_backend **backend);

static inline bool hb_backend_on_gpu(const struct hb_backend *backend) {
  return backend->kind == HB_BACKEND_GPU;
}
/* Is the kernel still to be found by timing? */
static inline bool hb_backend_is_pending(const struct hb_backend *backend) {
  return backend->kernel.variant == NULL;
}

/* Collective.  Times kernels if the choice is pending.  Nothing on the host. */
enum hb_status hb_backend_tune(struct hb_backend *backend);

/* Collective.  After that, and before a solver: finds out whether MPI takes pointers of the device.
 * Nothing on the host. */
enum hb_status hb_backend_settle(struct hb_backend *backend);

/* Elements that a block of the kernel holds side by side. */
int hb_backend_lanes(const struct hb_backend *backend, enum hb_precision precision);
/* Blocks of n points per direction that show all that the kernel does: as many as it takes at a
 * time, and a part of the next. */
hb_local hb_backend_blocks_together(const struct hb_backend *backend, int n);
/* Ranks that compute on what this rank computes on, itself among them. */
int hb_backend_ranks_sharing(const struct hb_backend *backend);
/* There is no GPU here: what is asked for is a plan alone, --dry-run on a login node. */
bool hb_backend_is_assumed(const struct hb_backend *backend);
/* The GPU is an interpreter of machine code: its times mean nothing. */
bool hb_backend_is_interpreted(const struct hb_backend *backend);

/* Collective.  HB_MACHINE_FAILED if the ranks that share a device together need more than it has
 * free, each `bytes` of its own: says which, needed, free and how many ranks.  Of an assumed device
 * nothing is known. */
enum hb_status hb_backend_check_memory(const struct hb_backend *backend, double bytes);

/* Not collective; called on rank 0.  The line `backend: ...` with the devices; the kernel, or what
 * will be timed; what was timed; warnings, once. */
void hb_backend_print(FILE *stream, const struct hb_backend *backend);
void hb_backend_print_kernel(FILE *stream, const struct hb_backend *backend);
void hb_backend_print_tuning(FILE *stream, const struct hb_backend *backend);
void hb_backend_print_warning(FILE *warnings, const struct hb_backend *backend);

/* Name of the processor, as the system gives it; "unknown" if it does not. */
void hb_backend_processor(size_t size, char *name);
/* What a rank computes on: the GPU's name; on the host `processor`.  In a line, with architecture
 * and bus: empty on the host. */
const char *hb_backend_device_name(const struct hb_backend *backend, const char *processor);
void hb_backend_device_words(const struct hb_backend *backend, int rank, size_t size, char *text);

#endif
