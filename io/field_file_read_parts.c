/* SPDX-License-Identifier: BSD-3-Clause
 * Parts of the reader: growing lists, faults, attributes, large arrays in pieces. */
#include <stdarg.h>
#include <string.h>

#include "io/field_file_read_internal.h"

enum { MAX_FAULTS = 40, FAULT_BYTES = 512, PIECE_ITEMS = 1 << 20 };

/* The capacity is the next power of two, so it need not be kept. */
enum hb_status hb_list_grow(void **entries, int count, size_t size) {
  enum hb_status status = HB_OK;
  char *larger = NULL;
  if (count > 0 && (count & (count - 1)) != 0) goto done;
  larger = hb_allocate(count > 0 ? 2 * (hb_global)count : 1, size, "list of the reader");
  if (larger == NULL) {
    status = HB_MACHINE_FAILED;
    goto done;
  }
  if (count > 0) memcpy(larger, *entries, (size_t)count * size);
  hb_free(*entries);
  *entries = larger;
done:
  return status;
}

enum hb_status hb_copy_text(const char *text, size_t length, char **copy) {
  enum hb_status status = HB_OK;
  HB_ALLOC(*copy, length + 1, "text of the reader");
  memcpy(*copy, text, length);
  (*copy)[length] = '\0';
done:
  return status;
}

enum hb_status hb_add_fault(struct hb_field_file_summary *summary, const char *format, ...) {
  enum hb_status status = HB_OK;
  char fault[FAULT_BYTES];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault, sizeof fault, format, arguments);
  va_end(arguments);
  if (summary->num_faults > MAX_FAULTS) goto done;
  if (summary->num_faults == MAX_FAULTS) snprintf(fault, sizeof fault, "and more");
  HB_TRY(hb_list_grow((void **)&summary->faults, summary->num_faults, sizeof *summary->faults));
  HB_TRY(hb_copy_text(fault, strlen(fault), &summary->faults[summary->num_faults]));
  summary->num_faults++;
done:
  return status;
}

enum hb_number hb_number_of(hid_t type) {
  const H5T_class_t class = H5Tget_class(type);
  const size_t size = H5Tget_size(type);
  if (class == H5T_FLOAT && size == sizeof(float)) return HB_NUMBER_F32;
  if (class == H5T_FLOAT && size == sizeof(double)) return HB_NUMBER_F64;
  if (class != H5T_INTEGER) return HB_NUMBER_OTHER;
  const bool is_signed = H5Tget_sign(type) == H5T_SGN_2;
  if (size == 1) return is_signed ? HB_NUMBER_INT8 : HB_NUMBER_UINT8;
  if (size == sizeof(int32_t) && is_signed) return HB_NUMBER_INT32;
  if (size == sizeof(int64_t) && is_signed) return HB_NUMBER_INT64;
  return HB_NUMBER_OTHER;
}

struct hb_read_dataset hb_read_dataset_open(hid_t file, const char *path) {
  struct hb_read_dataset dataset = {.id = H5Dopen2(file, path, H5P_DEFAULT)};
  if (dataset.id < 0) return dataset;
  hid_t type = H5Dget_type(dataset.id), space = H5Dget_space(dataset.id);
  hsize_t shape[H5S_MAX_RANK] = {0};
  dataset.number = hb_number_of(type);
  dataset.rank = H5Sget_simple_extent_dims(space, shape, NULL);
  for (int d = 0; d < 2; d++) dataset.shape[d] = d < dataset.rank ? (hb_global)shape[d] : 1;
  hb_hdf5_release(&space);
  hb_hdf5_release(&type);
  return dataset;
}

void hb_read_dataset_close(struct hb_read_dataset *dataset) { hb_hdf5_release(&dataset->id); }

/* Rows `piece` of the dataset, converted to `type`. */
static herr_t read_rows(const struct hb_read_dataset *dataset, const struct hb_read_piece *piece,
                        hid_t type, void *values) {
  const hsize_t start[2] = {(hsize_t)piece->first, 0};
  const hsize_t count[2] = {(hsize_t)piece->count, (hsize_t)dataset->shape[1]};
  const hsize_t items = count[0] * count[1];
  hid_t space = H5Dget_space(dataset->id), memory = H5Screate_simple(1, &items, NULL);
  herr_t result = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
  if (result >= 0) result = H5Dread(dataset->id, type, memory, space, H5P_DEFAULT, values);
  hb_hdf5_release(&memory);
  hb_hdf5_release(&space);
  return result;
}

enum hb_status hb_read_pieces(struct hb_field_file_summary *summary, const char *path,
                              const struct hb_read_dataset *dataset, bool as_reals,
                              enum hb_status (*visit)(void *context,
                                                      const struct hb_read_piece *piece,
                                                      bool *stop),
                              void *context) {
  enum hb_status status = HB_OK;
  int64_t *values = NULL; /* or doubles: of the same size */
  bool stop = false;
  const hb_global width = dataset->shape[1] > 0 ? dataset->shape[1] : 1;
  const hb_global rows = PIECE_ITEMS / width > 0 ? PIECE_ITEMS / width : 1;
  if (dataset->rank < 1 || dataset->rank > 2) goto done;
  HB_ALLOC(values, rows * width, "piece of an array of the file");
  for (hb_global first = 0; first < dataset->shape[0] && !stop; first += rows) {
    struct hb_read_piece piece = {.first = first, .count = dataset->shape[0] - first};
    if (piece.count > rows) piece.count = rows;
    if (as_reals)
      piece.reals = (const double *)(const void *)values;
    else
      piece.integers = values;
    const hid_t type = as_reals ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64;
    if (read_rows(dataset, &piece, type, values) < 0) {
      HB_TRY(hb_add_fault(summary, "%s: the data cannot be read", path));
      goto done;
    }
    HB_TRY(visit(context, &piece, &stop));
  }
done:
  hb_free(values);
  return status;
}
