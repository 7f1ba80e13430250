/* SPDX-License-Identifier: BSD-3-Clause
 * The audit of what is set up on a device, on that device: a sweep over layers of elements. */
#include <string.h>

#include "app/gate_audit.h"
#include "app/gate_device.h"

static hb_global values_of_layer(const struct hb_device_lattice *lattice) {
  return hb_device_audit_layer(lattice) * HB_AUDIT_VALUES * hb_points_per_element(lattice->n);
}

static hb_global blocks_of_layer(hb_global layer) {
  return layer < HB_AUDIT_BLOCKS ? layer : HB_AUDIT_BLOCKS;
}

/* As create allocates, with the elements around. */
hb_global hb_gates_device_bytes(const struct hb_plan *plan) {
  const hb_local *count = plan->partition.count;
  const hb_global points = hb_points_per_element(plan->box.degree + 1);
  const hb_global layer = (hb_global)(count[0] + 2) * (count[1] + 2);
  const bool stored = plan->geometry.mode == HB_GEOMETRY_STORED;
  const hb_global expanded =
      stored ? 0 : HB_GROUP_POINTS * (HB_MAX_FACTORS * (hb_global)sizeof(double));
  return (hb_global)sizeof(double) * (2 * layer * (HB_AUDIT_VALUES * points + 1) +
                                      blocks_of_layer(layer) * HB_AUDIT_VALUES * points +
                                      HB_AUDIT_BLOCKS * HB_AUDIT_FOUND) +
         expanded + 2 * hb_device_lattice_bytes(plan->partition.num_elements);
}

static void *allocate(const struct hb_court *court, hb_global count, size_t size) {
  return hb_device_allocate(court->device->od->device, count, size, "audit");
}

/* Positions of the rank's elements by their coordinates. */
static enum hb_status put_positions(const struct hb_court *court, struct hb_device_audit *audit) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = court->solver->mesh->numbering;
  hb_local *position = NULL, *d_position = NULL;
  HB_ALLOC(position, numbering->num_elements, "audit, positions of elements");
  for (hb_local p = 0; p < numbering->num_elements; p++) position[numbering->element[p]] = p;
  d_position = allocate(court, numbering->num_elements, sizeof *d_position);
  audit->d_position = d_position;
  if (d_position == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_TRY(hb_device_upload(court->device->od->device, d_position, position,
                          numbering->num_elements * (hb_global)sizeof *position));
done:
  hb_free(position);
  return status;
}

static enum hb_status create(const struct hb_court *court, struct hb_device_audit *audit) {
  enum hb_status status = HB_OK;
  const struct hb_solver *solver = court->solver;
  const struct hb_gate_device *device = court->device;
  const struct hb_device_lattice *lattice = &device->lattice;
  const hb_global layer = hb_device_audit_layer(lattice);
  *audit = (struct hb_device_audit){.lattice = *lattice,
                                    .seed = court->gates->seed + 4,
                                    .num_factors =
                                        hb_geometry_num_factors(&solver->op->helmholtz.geometry),
                                    .source_scale = hb_audit_largest_source(&solver->plan->problem),
                                    .d_pair = device->od->d_pair,
                                    .d_w = court->work.w,
                                    .d_b = device->cg->d_b};
  memcpy(audit->size, solver->mesh->numbering->lattice_size, sizeof audit->size);
  for (int q = 0; q < 2; q++) {
    audit->d_values[q] = allocate(court, values_of_layer(lattice), sizeof(double));
    audit->d_bound[q] = allocate(court, layer, sizeof(double));
  }
  audit->d_scratch =
      allocate(court, blocks_of_layer(layer) * HB_AUDIT_VALUES * hb_points_per_element(lattice->n),
               sizeof(double));
  audit->d_found = allocate(court, HB_AUDIT_BLOCKS * HB_AUDIT_FOUND, sizeof(double));
  if (audit->d_values[0] == NULL || audit->d_values[1] == NULL || audit->d_bound[0] == NULL ||
      audit->d_bound[1] == NULL || audit->d_scratch == NULL || audit->d_found == NULL)
    status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_TRY(put_positions(court, audit));
  HB_TRY(hb_device_set_zero(device->od->device, HB_STREAM_COMPUTE, audit->d_found,
                            HB_AUDIT_BLOCKS * HB_AUDIT_FOUND * (hb_global)sizeof(double)));
done:
  return status;
}

static void destroy(const struct hb_court *court, struct hb_device_audit *audit) {
  struct hb_device *device = court->device->od->device;
  for (int q = 0; q < 2; q++) {
    hb_device_free(device, audit->d_values[q]);
    hb_device_free(device, audit->d_bound[q]);
  }
  hb_device_free(device, audit->d_scratch);
  hb_device_free(device, audit->d_found);
  hb_device_free(device, (void *)audit->d_position);
}

/* The planes of the rank's lattice, as their layers are there. */
static enum hb_status sweep(const struct hb_court *court, const struct hb_device_audit *audit) {
  enum hb_status status = HB_OK;
  const struct hb_device_lattice *lattice = &audit->lattice;
  hb_device_audit_compare_type *compare = court->solver->op->precision == HB_F64
                                              ? hb_device_audit_compare_f64
                                              : hb_device_audit_compare_f32;
  const hb_local degree = lattice->n - 1, planes = audit->size[2];
  int below = -1;
  for (hb_local ez = lattice->first[2]; ez < lattice->last[2]; ez++) {
    const int here = below == 0 ? 1 : 0;
    const hb_local left = planes - ez * degree;
    HB_TRY(hb_device_audit_elements(audit, ez, here));
    if (ez >= 0 && left > 0)
      HB_TRY(compare(audit, ez * degree, left < degree ? left : degree, below, here));
    below = here;
  }
  if (lattice->last[2] * degree < planes)
    HB_TRY(compare(audit, lattice->last[2] * degree, 1, below, -1));
done:
  return status;
}

static enum hb_status compare_f64(void *audit, hb_local begin, hb_local end,
                                  const void *d_factors) {
  return hb_device_audit_factors_f64(audit, begin, end, d_factors);
}
static enum hb_status compare_f32(void *audit, hb_local begin, hb_local end,
                                  const void *d_factors) {
  return hb_device_audit_factors_f32(audit, begin, end, d_factors);
}

static enum hb_status collect(struct hb_court *court, const struct hb_device_audit *audit) {
  enum hb_status status = HB_OK;
  double(*found)[HB_AUDIT_FOUND] = NULL;
  HB_ALLOC(found, HB_AUDIT_BLOCKS, "audit");
  HB_TRY(hb_device_download(court->device->od->device, found, audit->d_found,
                            HB_AUDIT_BLOCKS * (hb_global)sizeof *found));
  for (int block = 0; block < HB_AUDIT_BLOCKS; block++) {
    court->worst_product = hb_max(court->worst_product, found[block][0]);
    court->worst_right_side = hb_max(court->worst_right_side, found[block][1]);
    court->wrong_mask = hb_max(court->wrong_mask, found[block][2]);
    court->worst_factor = hb_max(court->worst_factor, found[block][3]);
  }
done:
  hb_free(found);
  return status;
}

enum hb_status hb_gate_audit_device(struct hb_court *court) {
  enum hb_status status = court->solver->op->failure;
  struct hb_device_audit audit = {.d_scratch = NULL};
  HB_TRY(status);
  HB_TRY(create(court, &audit));
  HB_TRY(sweep(court, &audit));
  HB_TRY(hb_operator_device_visit_factors(
      court->device->od, court->solver->op->precision == HB_F64 ? compare_f64 : compare_f32,
      &audit));
  HB_TRY(collect(court, &audit));
done:
  destroy(court, &audit);
  return status;
}
