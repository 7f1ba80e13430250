/* SPDX-License-Identifier: BSD-3-Clause
 * Parts of the reader: growing lists, faults, attributes, large arrays in pieces. */
#include <stdarg.h>
#include <string.h>

#include "io/field_file_read_internal.h"

enum { MAX_FAULTS = 40, FAULT_BYTES = 512, PIECE_ITEMS = 1 << 20 };
enum { DEFLATE_RATIO = 1032 }; /* no stream of deflate holds more than this many bytes a byte */

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

enum hb_status hb_read_charge(struct hb_field_file_summary *summary, const char *path,
                              hb_global bytes, bool *allowed) {
  enum hb_status status = HB_OK;
  *allowed = bytes >= 0 && bytes <= summary->file_bytes && bytes <= summary->left_bytes;
  if (*allowed) {
    summary->left_bytes -= bytes;
  } else if (bytes < 0 || bytes > summary->file_bytes) {
    HB_TRY(hb_add_fault(summary, "%s: claims more bytes than the file has", path));
  } else {
    if (summary->left_bytes > 0)
      HB_TRY(hb_add_fault(summary, "%s: groups and data hold more than the file, or one another",
                          path));
    summary->left_bytes = 0;
  }
done:
  return status;
}

/* Bytes that a dataset takes in this file, and the most that can come out of a byte; -1: its data
 * lies elsewhere. */
static enum hb_status stored_bytes(hid_t dataset, const char *path, hb_global *stored,
                                   hb_global *ratio) {
  enum hb_status status = HB_OK;
  hid_t properties = H5I_INVALID_HID;
  const hsize_t size = H5Dget_storage_size(dataset);
  *stored = -1;
  HB_TRY(hb_hdf5_check(properties = H5Dget_create_plist(dataset), "get properties of", path));
  const H5D_layout_t layout = H5Pget_layout(properties);
  const bool inside = layout == H5D_COMPACT || layout == H5D_CHUNKED ||
                      (layout == H5D_CONTIGUOUS && H5Pget_external_count(properties) == 0);
  if (inside && size <= (hsize_t)HB_GLOBAL_MAX) *stored = (hb_global)size;
  *ratio = layout == H5D_CHUNKED ? DEFLATE_RATIO : 1;
done:
  hb_hdf5_release(&properties);
  return status;
}

enum hb_status hb_read_charge_dataset(struct hb_field_file_summary *summary, const char *path,
                                      hid_t dataset, hb_global items, size_t item_bytes,
                                      bool *allowed) {
  enum hb_status status = HB_OK;
  hb_global bytes = 0, stored = 0, ratio = 1, most = 0;
  *allowed = false;
  HB_TRY(stored_bytes(dataset, path, &stored, &ratio));
  if (stored < 0) {
    HB_TRY(hb_add_fault(summary, "%s: the data is not in this file", path));
    goto done;
  }
  HB_TRY(hb_read_charge(summary, path, stored, allowed));
  if (!*allowed) goto done;
  *allowed = items >= 0 && item_bytes <= (size_t)HB_GLOBAL_MAX &&
             hb_multiply(items, (hb_global)item_bytes, &bytes) &&
             hb_multiply(stored, ratio, &most) && bytes <= most;
  if (!*allowed) HB_TRY(hb_add_fault(summary, "%s: claims more data than it has", path));
done:
  return status;
}

/* Exactly so: HDF5 would convert any other. */
enum hb_number hb_number_of(hid_t type) {
  const struct {
    hid_t type;
    enum hb_number number;
  } known[] = {{H5T_NATIVE_INT8, HB_NUMBER_INT8},   {H5T_NATIVE_UINT8, HB_NUMBER_UINT8},
               {H5T_NATIVE_INT32, HB_NUMBER_INT32}, {H5T_NATIVE_INT64, HB_NUMBER_INT64},
               {H5T_NATIVE_FLOAT, HB_NUMBER_F32},   {H5T_NATIVE_DOUBLE, HB_NUMBER_F64}};
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (H5Tequal(type, known[k].type) > 0) return known[k].number;
  return HB_NUMBER_OTHER;
}

hb_global hb_read_count(hsize_t count) {
  return count < (hsize_t)HB_GLOBAL_MAX ? (hb_global)count : HB_GLOBAL_MAX;
}

struct hb_read_dataset hb_read_dataset_open(hid_t file, const char *path) {
  struct hb_read_dataset dataset = {.id = H5Dopen2(file, path, H5P_DEFAULT)};
  if (dataset.id < 0) return dataset;
  hid_t type = H5Dget_type(dataset.id), space = H5Dget_space(dataset.id);
  hsize_t shape[H5S_MAX_RANK] = {0};
  dataset.number = type >= 0 ? hb_number_of(type) : HB_NUMBER_OTHER;
  dataset.item_bytes = type >= 0 ? H5Tget_size(type) : 0;
  dataset.rank = space >= 0 ? H5Sget_simple_extent_dims(space, shape, NULL) : -1;
  for (int d = 0; d < 2; d++) dataset.shape[d] = d < dataset.rank ? hb_read_count(shape[d]) : 1;
  const bool known = type >= 0 && dataset.item_bytes > 0 && dataset.rank >= 0;
  hb_hdf5_release(&space);
  hb_hdf5_release(&type);
  if (!known) hb_hdf5_release(&dataset.id);
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
  herr_t result = space < 0 || memory < 0 ? -1 : 0;
  if (result >= 0) result = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, count, NULL);
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
  bool stop = false, allowed = false;
  const hb_global width = dataset->shape[1] > 0 ? dataset->shape[1] : 1;
  hb_global items = 0;
  if (dataset->rank < 1 || dataset->rank > 2) goto done;
  if (width > PIECE_ITEMS || !hb_multiply(dataset->shape[0], width, &items)) {
    HB_TRY(hb_add_fault(summary, "%s: claims more data than it has", path));
    goto done;
  }
  HB_TRY(hb_read_charge_dataset(summary, path, dataset->id, items, dataset->item_bytes, &allowed));
  if (!allowed) goto done;
  const hb_global rows = PIECE_ITEMS / width;
  HB_ALLOC(values, items < rows * width ? items : rows * width, "piece of an array of the file");
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
