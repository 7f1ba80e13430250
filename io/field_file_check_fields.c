/* SPDX-License-Identifier: BSD-3-Clause
 * The identities among the fields of a file, in one pass over its elements. */
#include <stdio.h>
#include <string.h>

#include "io/field_file_read_internal.h"
#include "io/schema.h"

enum { PIECE_BYTES = 16 << 20, MOST_FIELDS = 64 };

/* The fields of a file, open together. */
struct pass {
  struct hb_field_file_summary *summary;
  const struct hb_read_mesh *mesh;
  struct hb_identities identities;
  int num_fields;
  struct hb_read_dataset dataset[MOST_FIELDS];
  char path[MOST_FIELDS][2 * HB_HDF5_NAME_BYTES];
  char *values[MOST_FIELDS]; /* owned: [elements] */
  hb_global elements;        /* that are read together */
};

/* Opens one more field if it has the right type and shape; others have their own faults. */
static void add_field(struct pass *pass, hid_t file, const char *path) {
  const int f = pass->num_fields;
  struct hb_read_dataset dataset = hb_read_dataset_open(file, path);
  const bool real = dataset.number == HB_NUMBER_F32 || dataset.number == HB_NUMBER_F64;
  const bool shape = (dataset.rank == 1 || (dataset.rank == 2 && dataset.shape[1] == 3)) &&
                     dataset.shape[0] == pass->mesh->num_points;
  if (f == MOST_FIELDS || dataset.id < 0 || !real || !shape) {
    hb_read_dataset_close(&dataset);
    return;
  }
  snprintf(pass->path[f], sizeof pass->path[f], "%s", path);
  pass->dataset[f] = dataset;
  pass->num_fields++;
}

static void open_fields(struct pass *pass, hid_t file) {
  hid_t group = H5Gopen2(file, HB_SCHEMA_POINT_DATA, H5P_DEFAULT);
  H5G_info_t info = {.nlinks = 0};
  char name[HB_HDF5_NAME_BYTES], path[2 * HB_HDF5_NAME_BYTES];
  add_field(pass, file, HB_SCHEMA_POINTS);
  if (group >= 0 && H5Gget_info(group, &info) < 0) info.nlinks = 0;
  for (hsize_t index = 0; index < info.nlinks && pass->num_fields < MOST_FIELDS; index++) {
    const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, index, name,
                                              sizeof name, H5P_DEFAULT);
    if (length < 0 || (size_t)length >= sizeof name) break;
    snprintf(path, sizeof path, "%s/%s", HB_SCHEMA_POINT_DATA, name);
    add_field(pass, file, path);
  }
  hb_hdf5_release(&group);
}

static enum hb_status prepare(struct pass *pass) {
  enum hb_status status = HB_OK;
  const struct hb_read_mesh *mesh = pass->mesh;
  const hb_global nodes = mesh->n * mesh->n * mesh->n;
  const hb_global element = nodes * 3 * (hb_global)sizeof(double);
  static const char *const periodic[3] = {HB_SCHEMA_PERIODIC_X, HB_SCHEMA_PERIODIC_Y,
                                          HB_SCHEMA_PERIODIC_Z};
  struct hb_identities *identities = &pass->identities;
  HB_TRY(hb_identities_create(pass->num_fields, identities));
  identities->n = (int)mesh->n;
  for (int a = 0; a < 3; a++) {
    identities->elements[a] = mesh->elements[a];
    identities->periodic[a] = hb_summary_integer(pass->summary, periodic[a], 0) == 1;
  }
  hb_summary_facts(pass->summary, &identities->facts);
  pass->elements = PIECE_BYTES / (element * pass->num_fields);
  if (pass->elements < 1) pass->elements = 1;
  if (pass->elements > mesh->num_elements) pass->elements = mesh->num_elements;
  for (int f = 0; f < pass->num_fields; f++) {
    const struct hb_read_dataset *dataset = &pass->dataset[f];
    const int components = dataset->rank == 2 ? 3 : 1;
    identities->field[f] =
        (struct hb_identity_field){.path = pass->path[f],
                                   .role = hb_field_role_of(strrchr(pass->path[f], '/') + 1),
                                   .precision = dataset->number == HB_NUMBER_F32 ? HB_F32 : HB_F64,
                                   .components = components};
    pass->values[f] = hb_allocate(pass->elements * nodes * components, dataset->item_bytes,
                                  "elements of a field of the file");
    if (pass->values[f] == NULL) status = HB_MACHINE_FAILED;
  }
  HB_TRY(status);
  hb_identities_begin(identities);
done:
  return status;
}

/* The rows of `count` elements, in the file's own type; a failure is a fault elsewhere. */
static bool read_elements(const struct pass *pass, int f, hb_global first, hb_global count) {
  const struct hb_read_dataset *dataset = &pass->dataset[f];
  const hb_global nodes = pass->mesh->n * pass->mesh->n * pass->mesh->n;
  const hsize_t start[2] = {(hsize_t)(first * nodes), 0};
  const hsize_t shape[2] = {(hsize_t)(count * nodes), (hsize_t)dataset->shape[1]};
  const hid_t type = dataset->number == HB_NUMBER_F32 ? H5T_NATIVE_FLOAT : H5T_NATIVE_DOUBLE;
  hid_t space = H5Dget_space(dataset->id), memory = H5Screate_simple(2, shape, NULL);
  const bool read = space >= 0 && memory >= 0 &&
                    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, shape, NULL) >= 0 &&
                    H5Dread(dataset->id, type, memory, space, H5P_DEFAULT, pass->values[f]) >= 0;
  hb_hdf5_release(&memory);
  hb_hdf5_release(&space);
  return read;
}

static enum hb_status complain(void *context, const char *words) {
  return hb_add_fault(context, "%s", words);
}

enum hb_status hb_check_fields(struct hb_field_file_summary *summary, hid_t file,
                               const struct hb_read_mesh *mesh) {
  enum hb_status status = HB_OK;
  struct pass *pass = NULL;
  bool allowed = true;
  HB_ALLOC(pass, 1, "fields of the file");
  memset(pass, 0, sizeof *pass);
  pass->summary = summary;
  pass->mesh = mesh;
  open_fields(pass, file);
  for (int f = 0; f < pass->num_fields && allowed; f++)
    HB_TRY(hb_read_charge_dataset(summary, pass->path[f], pass->dataset[f].id,
                                  mesh->num_points * pass->dataset[f].shape[1],
                                  pass->dataset[f].item_bytes, &allowed));
  if (!allowed || pass->num_fields == 0) goto done;
  HB_TRY(prepare(pass));
  for (hb_global e = 0; e < mesh->num_elements; e += pass->elements) {
    const hb_global left = mesh->num_elements - e;
    const hb_global count = left < pass->elements ? left : pass->elements;
    for (int f = 0; f < pass->num_fields; f++)
      if (!read_elements(pass, f, e, count)) goto done;
    hb_identities_add(&pass->identities, e, count, (const void *const *)pass->values);
  }
  HB_TRY(hb_identities_judge(&pass->identities, complain, summary));
done:
  for (int f = 0; pass != NULL && f < pass->num_fields; f++) {
    hb_read_dataset_close(&pass->dataset[f]);
    hb_free(pass->values[f]);
  }
  if (pass != NULL) hb_identities_destroy(&pass->identities);
  hb_free(pass);
  return status;
}
