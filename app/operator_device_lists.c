/* SPDX-License-Identifier: BSD-3-Clause
 * The operator's assembly lists, made on its device. */
#include "app/operator_device.h"
#include "kernels/geometry/lattice_lists.h"

static hb_local *allocate(const struct hb_operator_device *od, hb_global count) {
  return hb_device_allocate(od->device, count, sizeof(hb_local), "assembly lists");
}

/* Values of the rank's elements, or its masked points. */
static enum hb_status put(const struct hb_operator_device *od, hb_local count,
                          const hb_local *values, hb_local *d_values) {
  if (d_values == NULL) return HB_MACHINE_FAILED;
  return hb_device_upload(od->device, d_values, values, count * (hb_global)sizeof *values);
}

/* What is made for a while; owned. */
struct making {
  hb_local *position, *start; /* [element], on the host */
  hb_local *d_position, *d_start, *d_masked;
};

static enum hb_status create(const struct hb_operator_device *od, struct making *making) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = od->op.mesh->numbering;
  const hb_local num_elements = numbering->num_elements;
  HB_ALLOC(making->position, num_elements, "positions of elements");
  HB_ALLOC(making->start, num_elements, "starts of assembly lists");
  for (hb_local p = 0; p < num_elements; p++) making->position[numbering->element[p]] = p;
  making->d_position = allocate(od, num_elements);
  making->d_start = allocate(od, num_elements);
  making->d_masked = allocate(od, numbering->num_masked);
  if (making->d_start == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_TRY(put(od, num_elements, making->position, making->d_position));
  HB_TRY(put(od, numbering->num_masked, numbering->masked, making->d_masked));
done:
  return status;
}

static void destroy(const struct hb_operator_device *od, struct making *making) {
  hb_free(making->position);
  hb_free(making->start);
  hb_device_free(od->device, making->d_position);
  hb_device_free(od->device, making->d_start);
  hb_device_free(od->device, making->d_masked);
}

/* From the number of entries of each element to where its first is. */
static enum hb_status find_starts(struct hb_operator_device *od, const struct making *making) {
  enum hb_status status = HB_OK;
  const hb_local num_elements = od->op.mesh->numbering->num_elements;
  const hb_global bytes = num_elements * (hb_global)sizeof(hb_local);
  HB_TRY(hb_device_download(od->device, making->start, making->d_start, bytes));
  od->num_extra = 0;
  for (hb_local e = 0; e < num_elements; e++) {
    const hb_local count = making->start[e];
    making->start[e] = od->num_extra;
    od->num_extra += count;
  }
  HB_TRY(hb_device_upload(od->device, making->d_start, making->start, bytes));
done:
  return status;
}

enum hb_status hb_operator_device_make_lists(struct hb_operator_device *od) {
  enum hb_status status = HB_OK;
  const struct hb_numbering *numbering = od->op.mesh->numbering;
  const hb_local num_terms = numbering->num_elements * hb_surface_per_element(numbering->n);
  const hb_global num_surface = numbering->num_points - numbering->surface_start;
  struct making making = {.position = NULL};
  HB_TRY(create(od, &making));
  HB_TRY(put(od, num_terms, numbering->surface_index, od->d_surface_index));
  struct hb_device_lists lists = {.lattice = od->lattice,
                                  .d_position = making.d_position,
                                  .d_index = od->d_surface_index,
                                  .d_start = making.d_start};
  HB_TRY(hb_lattice_count_extra(&lists));
  HB_TRY(find_starts(od, &making));
  lists.d_pair = od->d_pair = allocate(od, 2 * num_surface);
  lists.d_extra = od->d_extra = allocate(od, od->num_extra);
  if (od->d_pair == NULL || od->d_extra == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_TRY(hb_lattice_fill_lists(&lists));
  HB_TRY(hb_lattice_mask_lists(&lists, numbering->num_masked, making.d_masked));
done:
  destroy(od, &making);
  return status;
}
