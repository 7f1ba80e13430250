/* SPDX-License-Identifier: BSD-3-Clause
 * device.h, helmholtz_device.h and assembly.h in a build without GPU: no devices, and an error. */
#include <string.h>

#include "kernels/assembly.h"
#include "kernels/helmholtz_device.h"
#include "kernels/mfma_probe.h"

/* Takes every parameter of a function that does nothing with them. */
static enum hb_status built_without_gpu(const void *first, ...) {
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
  return built_without_gpu(NULL, index, synchronise);
}
void hb_device_close(struct hb_device **device) { *device = NULL; }
enum hb_status hb_device_info(const struct hb_device *device, struct hb_device_info *info) {
  memset(info, 0, sizeof *info);
  return built_without_gpu(device);
}

void *hb_device_allocate(struct hb_device *device, hb_global count, size_t size, const char *what) {
  built_without_gpu(device, count, size, what);
  return NULL;
}
void hb_device_free(struct hb_device *device, void *d_pointer) {
  if (d_pointer != NULL) built_without_gpu(device);
}
void *hb_pinned_allocate(struct hb_device *device, hb_global count, size_t size, const char *what) {
  built_without_gpu(device, count, size, what);
  return NULL;
}
void hb_pinned_free(struct hb_device *device, void *pointer) {
  if (pointer != NULL) built_without_gpu(device);
}
struct hb_memory_use hb_device_memory_use(void) {
  const struct hb_memory_use nothing = {0, 0, 0};
  return nothing;
}

enum hb_status hb_device_upload(struct hb_device *device, void *d_to, const void *from,
                                hb_global bytes) {
  return built_without_gpu(device, d_to, from, bytes);
}
enum hb_status hb_device_download(struct hb_device *device, void *to, const void *d_from,
                                  hb_global bytes) {
  return built_without_gpu(device, to, d_from, bytes);
}
enum hb_status hb_device_copy(struct hb_device *device, enum hb_stream stream, void *to,
                              const void *from, hb_global bytes) {
  return built_without_gpu(device, stream, to, from, bytes);
}
enum hb_status hb_device_set_zero(struct hb_device *device, enum hb_stream stream, void *d_to,
                                  hb_global bytes) {
  return built_without_gpu(device, stream, d_to, bytes);
}

enum hb_status hb_device_mark(struct hb_device *device, enum hb_event event,
                              enum hb_stream stream) {
  return built_without_gpu(device, event, stream);
}
enum hb_status hb_device_wait(struct hb_device *device, enum hb_stream stream,
                              enum hb_event event) {
  return built_without_gpu(device, stream, event);
}
enum hb_status hb_device_wait_host(struct hb_device *device, enum hb_event event) {
  return built_without_gpu(device, event);
}
enum hb_status hb_device_synchronise(struct hb_device *device, enum hb_stream stream) {
  return built_without_gpu(device, stream);
}
void *hb_device_stream(const struct hb_device *device, enum hb_stream stream) {
  built_without_gpu(device, stream);
  return NULL;
}
enum hb_status hb_device_check_launch(struct hb_device *device, const char *kernel) {
  return built_without_gpu(device, kernel);
}
enum hb_status hb_device_time_start(struct hb_device *device) { return built_without_gpu(device); }
enum hb_status hb_device_time_stop(struct hb_device *device, double *seconds) {
  *seconds = 0.0;
  return built_without_gpu(device);
}

enum hb_status hb_stream_device(struct hb_device *device, hb_global count, int passes,
                                double *copy_s, double *triad_s) {
  *copy_s = *triad_s = 0.0;
  return built_without_gpu(device, count, passes);
}
enum hb_status hb_device_reduce(struct hb_device *device, hb_local count, int components,
                                const double *d_partials, double *sums) {
  return built_without_gpu(device, count, components, d_partials, sums);
}

enum hb_status hb_device_reduce_quotient(struct hb_device *device, hb_local count,
                                         const double *d_partials, double *sums, double numerator,
                                         double *d_quotient) {
  return built_without_gpu(device, count, d_partials, sums, numerator, d_quotient);
}

#define OTHERS(bits)                                                                               \
  enum hb_status hb_helmholtz_device_diagonal_##bits(const struct hb_device_helmholtz *helmholtz,  \
                                                     void *d_w) {                                  \
    return built_without_gpu(helmholtz, d_w);                                                      \
  }                                                                                                \
  enum hb_status hb_geometric_factors_device_##bits(const struct hb_device_geometry *geometry) {   \
    return built_without_gpu(geometry);                                                            \
  }                                                                                                \
  enum hb_status hb_assembly_pack_##bits(const struct hb_device_assembly *assembly,                \
                                         void *d_send) {                                           \
    return built_without_gpu(assembly, d_send);                                                    \
  }                                                                                                \
  enum hb_status hb_assembly_store_##bits(const struct hb_device_assembly *assembly,               \
                                          enum hb_assembly_part part, bool masked, void *d_w) {    \
    return built_without_gpu(assembly, part, masked, d_w);                                         \
  }                                                                                                \
  enum hb_status hb_assembly_residual_##bits(                                                      \
      const struct hb_device_assembly *assembly, enum hb_assembly_part part,                       \
      struct hb_device_factor alpha, const void *d_dinv, const void *d_w, void *d_r,               \
      double *d_partials, hb_local *num_partials) {                                                \
    return built_without_gpu(assembly, part, alpha.value, d_dinv, d_w, d_r, d_partials,            \
                             num_partials);                                                        \
  }                                                                                                \
  enum hb_status hb_device_add_scaled_##bits(struct hb_device *device, hb_local count,             \
                                             double alpha, const void *d_x, void *d_y) {           \
    return built_without_gpu(device, count, alpha, d_x, d_y);                                      \
  }                                                                                                \
  enum hb_status hb_device_dots_##bits(struct hb_device *device, hb_local owned,                   \
                                       const void *d_dinv, const void *d_r, double *d_partials,    \
                                       hb_local *num_partials) {                                   \
    return built_without_gpu(device, owned, d_dinv, d_r, d_partials, num_partials);                \
  }

OTHERS(f64)
OTHERS(f32)

enum hb_status hb_mfma_execute(struct hb_device *device, const struct hb_mfma *instruction,
                               int count, const void *d_a, const void *d_b, void *d_d) {
  return built_without_gpu(device, instruction, count, d_a, d_b, d_d);
}
