/* SPDX-License-Identifier: BSD-3-Clause
 * Choice and opening of a backend, its kernel, and what its kinds do differently. */
#include "app/backend.h"

#include <string.h>

#include "build_info.h"

enum { SHORT_LIST = 8 }; /* of devices, where not all are asked for */

/* The row for the first of the modes, in this order, that has one; or the last one's error. */
static enum hb_status find_kernel(const struct hb_options *options, enum hb_backend_kind kind,
                                  unsigned modes, struct hb_kernel *kernel) {
  static const enum hb_geometry_mode order[] = {HB_GEOMETRY_AFFINE, HB_GEOMETRY_TRILINEAR,
                                                HB_GEOMETRY_STORED, HB_GEOMETRY_NODES};
  enum hb_status status = HB_BAD_INPUT;
  for (int q = 0; q < HB_NUM_GEOMETRY_MODES && status == HB_BAD_INPUT; q++) {
    if ((modes >> order[q] & 1) == 0) continue;
    hb_error_clear();
    kernel->mode = order[q];
    status = hb_helmholtz_find_variant(options->kernel, kind, order[q], options->degree + 1,
                                       &kernel->variant);
  }
  return status;
}

enum hb_status hb_backend_choose(const struct hb_options *options, unsigned *modes,
                                 struct hb_kernel *kernel) {
  enum hb_status status = HB_OK;
  const unsigned curved = 1u << HB_GEOMETRY_STORED | 1u << HB_GEOMETRY_NODES;
  const bool built = strcmp(hb_device_platform(), "none") != 0;
  const enum hb_backend_kind kind =
      built && options->backend != HB_BACKEND_ONLY_HOST ? HB_BACKEND_GPU : HB_BACKEND_HOST;
  *kernel = (struct hb_kernel){.variant = NULL};
  if (options->backend == HB_BACKEND_ONLY_GPU && !built)
    HB_FAIL(HB_BAD_INPUT, "backend = gpu: this program is built without GPU, allowed: host, auto; "
                          "build it with -DHELMBONE_GPU=amd or nvidia");
  if (kind == HB_BACKEND_HOST) HB_TRY(hb_tuning_check_host(options));
  HB_TRY(find_kernel(options, kind, *modes, kernel));
  const unsigned chosen = 1u << kernel->mode;
  *modes = (chosen & curved) != 0 ? *modes & curved : chosen;
done:
  return status;
}

/* Collective.  A plan alone is asked for, and no rank sees a device. */
static bool plans_elsewhere(const struct hb_backend *backend) {
  double most = backend->options->dry_run ? hb_device_count() : 1.0;
  hb_comm_max(backend->comm, 1, &most);
  return most == 0.0;
}

/* The ranks' devices, and what is known of the kernel. */
static enum hb_status open_devices(struct hb_backend *backend, const struct hb_tuning_case *of) {
  enum hb_status status = HB_OK;
  const struct hb_options *options = backend->options;
  if (plans_elsewhere(backend))
    HB_TRY(hb_device_binding_assume(backend->comm, &backend->binding));
  else
    HB_TRY(hb_device_binding_create(backend->comm, options->check_launches, options->oversubscribe,
                                    &backend->binding));
  backend->device = backend->binding->device;
  HB_TRY(hb_tuning_create(backend->comm, options, backend->binding, of, &backend->tuning));
  backend->kernel = backend->tuning->kernel;
done:
  return status;
}

enum hb_status hb_backend_create(const struct hb_comm *comm, const struct hb_options *options,
                                 const struct hb_kernel *chosen, const struct hb_tuning_case *of,
                                 struct hb_backend **backend_out) {
  enum hb_status status = HB_OK;
  struct hb_backend *backend = NULL;
  *backend_out = NULL;
  HB_ALLOC(backend, 1, "backend");
  *backend = (struct hb_backend){
      .kind = chosen->variant->backend, .comm = comm, .options = options, .kernel = *chosen};
done:
  status = hb_comm_agree(comm, status);
  if (status == HB_OK && hb_backend_on_gpu(backend)) status = open_devices(backend, of);
  if (status == HB_OK)
    *backend_out = backend;
  else
    hb_backend_destroy(&backend);
  return status;
}

void hb_backend_destroy(struct hb_backend **backend) {
  if (*backend == NULL) return;
  hb_tuning_destroy(&(*backend)->tuning);
  hb_device_binding_destroy(&(*backend)->binding);
  hb_free(*backend);
  *backend = NULL;
}

enum hb_status hb_backend_tune(struct hb_backend *backend) {
  enum hb_status status = HB_OK;
  if (!hb_backend_on_gpu(backend)) return HB_OK;
  HB_TRY(hb_tuning_run(backend->tuning));
  backend->kernel = backend->tuning->kernel;
done:
  return status;
}

enum hb_status hb_backend_settle(struct hb_backend *backend) {
  enum hb_status status = HB_OK;
  if (!hb_backend_on_gpu(backend)) return HB_OK;
  HB_TRY(hb_gpu_aware_decide(backend->comm, backend->device, backend->options->gpu_aware,
                             &backend->gpu_aware, backend->gpu_aware_reason,
                             sizeof backend->gpu_aware_reason));
done:
  return status;
}

int hb_backend_lanes(const struct hb_backend *backend, enum hb_precision precision) {
  return hb_backend_on_gpu(backend) ? 1 : backend->kernel.variant->lanes[precision];
}

hb_local hb_backend_blocks_together(const struct hb_backend *backend, int n) {
  return hb_backend_on_gpu(backend) ? hb_shape_elements(&backend->kernel.shape, n) + 1 : 1;
}

int hb_backend_ranks_sharing(const struct hb_backend *backend) {
  return hb_backend_on_gpu(backend)
             ? hb_device_binding_ranks_sharing(backend->binding, backend->comm->rank)
             : 1;
}

bool hb_backend_is_assumed(const struct hb_backend *backend) {
  return hb_backend_on_gpu(backend) && hb_device_binding_is_assumed(backend->binding);
}

bool hb_backend_is_interpreted(const struct hb_backend *backend) {
  return hb_backend_on_gpu(backend) && hb_binding_is_interpreted(backend->binding);
}

/* Bytes that this rank and those that share its device need together. */
static double needed_together(const struct hb_backend *backend, const double *needed) {
  double sum = 0.0;
  for (int rank = 0; rank < backend->comm->size; rank++)
    if (hb_device_binding_same(backend->binding, rank, backend->comm->rank)) sum += needed[rank];
  return sum;
}

enum hb_status hb_backend_check_memory(const struct hb_backend *backend, double bytes) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = backend->comm;
  struct hb_device_info info;
  double *needed = NULL;
  if (!hb_backend_on_gpu(backend) || hb_backend_is_assumed(backend)) return HB_OK;
  HB_ALLOC(needed, comm->size, "memory needed by ranks");
  HB_TRY(hb_device_info(backend->device, &info));
done:
  status = hb_comm_agree(comm, status);
  if (status == HB_OK) {
    const struct hb_device_record *mine = &backend->binding->records[comm->rank];
    MPI_Allgather(&bytes, 1, MPI_DOUBLE, needed, 1, MPI_DOUBLE, comm->mpi);
    const double together = needed_together(backend, needed);
    if (together > (double)info.memory_free_bytes)
      status = hb_error_record(
          HB_MACHINE_FAILED, __FILE__, __LINE__,
          "GPU memory: rank %d's device %d (%s, %s on %s), shared by %d rank(s), needs %.3f GB and "
          "has %.3f GB free; take fewer elements, a lower degree or more GPUs",
          comm->rank, mine->index, mine->name, mine->pci_bus_id, mine->host,
          hb_backend_ranks_sharing(backend), 1e-9 * together,
          1e-9 * (double)info.memory_free_bytes);
    status = hb_comm_agree(comm, status);
  }
  hb_free(needed);
  return status;
}

void hb_backend_processor(size_t size, char *name) {
  FILE *file = fopen("/proc/cpuinfo", "r");
  char line[512];
  snprintf(name, size, "unknown");
  if (file == NULL) return;
  while (fgets(line, sizeof line, file) != NULL) {
    char *value = strchr(line, ':');
    if (strncmp(line, "model name", 10) != 0 || value == NULL) continue;
    value += strspn(value, ": \t");
    value[strcspn(value, "\n")] = '\0';
    snprintf(name, size, "%s", value);
    break;
  }
  fclose(file);
}

void hb_backend_print(FILE *stream, const struct hb_backend *backend) {
  char processor[256];
  hb_backend_processor(sizeof processor, processor);
  if (!hb_backend_on_gpu(backend)) {
    fprintf(stream, "backend: host, %s\n", processor);
    return;
  }
  fprintf(stream, "backend: gpu, %s, code for %s by %s (host %s)\n", hb_device_platform(),
          hb_device_architectures(), HB_GPU_COMPILER, processor);
  hb_device_binding_print_first(stream, backend->binding,
                                backend->options->verbose ? backend->comm->size : SHORT_LIST);
}

void hb_backend_print_kernel(FILE *stream, const struct hb_backend *backend) {
  const struct hb_helmholtz_variant *variant = backend->kernel.variant;
  if (hb_backend_on_gpu(backend))
    hb_tuning_print_plan(stream, backend->tuning);
  else
    fprintf(stream, "kernel: %s (%s)\n", variant->name, variant->description);
}

void hb_backend_print_tuning(FILE *stream, const struct hb_backend *backend) {
  if (hb_backend_on_gpu(backend)) hb_tuning_print_results(stream, backend->tuning);
}

void hb_backend_print_warning(FILE *warnings, const struct hb_backend *backend) {
  if (hb_backend_on_gpu(backend)) hb_tuning_print_warning(warnings, backend->tuning);
}

const char *hb_backend_device_name(const struct hb_backend *backend, const char *processor) {
  return hb_backend_on_gpu(backend) ? backend->binding->records[0].name : processor;
}

void hb_backend_device_words(const struct hb_backend *backend, int rank, size_t size, char *text) {
  text[0] = '\0';
  if (!hb_backend_on_gpu(backend)) return;
  const struct hb_device_record *record = &backend->binding->records[rank];
  snprintf(text, size, "%s, %s, %s", record->name, record->architecture, record->pci_bus_id);
}
