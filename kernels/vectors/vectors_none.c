/* SPDX-License-Identifier: BSD-3-Clause
 * assembly.h, step.h and stream.h in a build without GPU: an error. */
#include "kernels/step.h"
#include "kernels/vectors/assembly.h"
#include "kernels/vectors/stream.h"

enum hb_status hb_stream_device(struct hb_device *device, hb_global count, int passes,
                                double *copy_s, double *triad_s) {
  *copy_s = *triad_s = 0.0;
  return hb_built_without_gpu(device, count, passes);
}
enum hb_status hb_device_reduce(struct hb_device *device, hb_local count, int components,
                                const double *d_partials, double *sums) {
  return hb_built_without_gpu(device, count, components, d_partials, sums);
}

enum hb_status hb_device_step_begin(struct hb_device *device, double rz, double goal,
                                    double nothing, int limit, struct hb_device_step *d_step) {
  return hb_built_without_gpu(device, rz, goal, nothing, limit, d_step);
}
enum hb_status hb_device_step_direction(struct hb_device *device, hb_local count,
                                        const double *d_partials,
                                        const struct hb_device_steps *steps) {
  return hb_built_without_gpu(device, count, d_partials, steps);
}
enum hb_status hb_device_step_residual(struct hb_device *device, hb_local count,
                                       const double *d_partials,
                                       const struct hb_device_steps *steps) {
  return hb_built_without_gpu(device, count, d_partials, steps);
}

#define OTHERS(bits)                                                                               \
  enum hb_status hb_assembly_pack_##bits(const struct hb_device_assembly *assembly,                \
                                         void *d_send) {                                           \
    return hb_built_without_gpu(assembly, d_send);                                                 \
  }                                                                                                \
  enum hb_status hb_assembly_store_##bits(const struct hb_device_assembly *assembly,               \
                                          enum hb_assembly_part part, bool masked, void *d_w) {    \
    return hb_built_without_gpu(assembly, part, masked, d_w);                                      \
  }                                                                                                \
  enum hb_status hb_assembly_residual_##bits(                                                      \
      const struct hb_device_assembly *assembly, enum hb_assembly_part part,                       \
      struct hb_device_factor alpha, const void *d_dinv, const void *d_w, void *d_r,               \
      double *d_partials, hb_local *num_partials) {                                                \
    return hb_built_without_gpu(assembly, part, alpha.value, d_dinv, d_w, d_r, d_partials,         \
                                num_partials);                                                     \
  }                                                                                                \
  enum hb_status hb_device_add_scaled_##bits(struct hb_device *device, hb_local count,             \
                                             double alpha, const void *d_x, void *d_y) {           \
    return hb_built_without_gpu(device, count, alpha, d_x, d_y);                                   \
  }                                                                                                \
  enum hb_status hb_device_dots_##bits(struct hb_device *device, hb_local owned,                   \
                                       const void *d_dinv, const void *d_r, double *d_partials,    \
                                       hb_local *num_partials) {                                   \
    return hb_built_without_gpu(device, owned, d_dinv, d_r, d_partials, num_partials);             \
  }

OTHERS(f64)
OTHERS(f32)
