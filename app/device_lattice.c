/* SPDX-License-Identifier: BSD-3-Clause
 * Mesh and problem in the words of kernels/geometry/lattice.h. */
#include "app/device_lattice.h"

/* A copy on the device, to be freed by its owner. */
static enum hb_status put(struct hb_device *device, const void *from, hb_global bytes,
                          const void **d_to) {
  enum hb_status status = HB_OK;
  void *d_copy = hb_device_allocate(device, bytes, 1, "lattice of points");
  *d_to = d_copy;
  if (d_copy == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_TRY(hb_device_upload(device, d_copy, from, bytes));
done:
  return status;
}

_Static_assert(sizeof(struct hb_box_axis_value) == 4 * sizeof(double), "base and three factors");

/* The tables, each on its way to the device. */
static enum hb_status put_tables(const struct hb_mesh *mesh, const struct hb_lattice_axis axis[3],
                                 struct hb_device_lattice *lattice) {
  enum hb_status status = HB_OK;
  const int n = mesh->gll.n;
  const void *d_values = NULL;
  for (int a = 0; a < 3; a++) {
    const hb_global terms = (hb_global)(axis[a].last - axis[a].first) * n;
    HB_TRY(
        put(lattice->device, axis[a].value, terms * (hb_global)sizeof *axis[a].value, &d_values));
    lattice->d_axis[a] = d_values;
  }
  HB_TRY(put(lattice->device, mesh->gll.D, n * n * (hb_global)sizeof(double), &d_values));
  lattice->d_D = d_values;
  HB_TRY(put(lattice->device, mesh->gll.weights, n * (hb_global)sizeof(double), &d_values));
  lattice->d_weights = d_values;
  HB_TRY(put(lattice->device, mesh->numbering->element,
             lattice->num_elements * (hb_global)sizeof(hb_local), &d_values));
  lattice->d_element = d_values;
done:
  return status;
}

enum hb_status hb_device_lattice_init(struct hb_device *device, const struct hb_mesh *mesh,
                                      const struct hb_problem *problem,
                                      const struct hb_lattice_axis axis[3],
                                      const hb_local *d_surface_index,
                                      struct hb_device_lattice *lattice) {
  const struct hb_numbering *numbering = mesh->numbering;
  *lattice = (struct hb_device_lattice){.device = device,
                                        .n = mesh->gll.n,
                                        .num_elements = numbering->num_elements,
                                        .surface_start = numbering->surface_start,
                                        .d_surface_index = d_surface_index,
                                        .problem = hb_problem_lattice(problem)};
  for (int a = 0; a < 3; a++) {
    lattice->count[a] = mesh->partition.count[a];
    lattice->start[a] = mesh->partition.start[a];
    lattice->elements[a] = mesh->box.elements[a];
    lattice->first[a] = axis[a].first;
    lattice->last[a] = axis[a].last;
    lattice->given[a] = mesh->box.boundary[a] == HB_DIRICHLET;
    lattice->natural[a] = mesh->box.boundary[a] == HB_NEUMANN;
  }
  return put_tables(mesh, axis, lattice);
}

void hb_device_lattice_free(struct hb_device_lattice *lattice) {
  for (int a = 0; a < 3; a++) hb_device_free(lattice->device, (void *)lattice->d_axis[a]);
  hb_device_free(lattice->device, (void *)lattice->d_D);
  hb_device_free(lattice->device, (void *)lattice->d_weights);
  hb_device_free(lattice->device, (void *)lattice->d_element);
  *lattice = (struct hb_device_lattice){.device = NULL};
}
