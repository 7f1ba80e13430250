/* SPDX-License-Identifier: BSD-3-Clause
 * The parts of the reader, for io/field_file_read*.c and io/field_file_check*.c only. */
#ifndef HB_IO_FIELD_FILE_READ_INTERNAL_H
#define HB_IO_FIELD_FILE_READ_INTERNAL_H

#include "io/field_file_read.h"
#include "io/field_identities.h"
#include "io/file_hdf5.h"

enum hb_number {
  HB_NUMBER_OTHER,
  HB_NUMBER_INT8,
  HB_NUMBER_UINT8,
  HB_NUMBER_INT32,
  HB_NUMBER_INT64,
  HB_NUMBER_F32,
  HB_NUMBER_F64
};

/* A dataset as it is; id < 0 if it is none or cannot be opened and described. */
struct hb_read_dataset {
  hid_t id; /* owned; released by hb_read_dataset_close */
  enum hb_number number;
  size_t item_bytes; /* in the file */
  int rank;
  hb_global shape[2]; /* of the first two dimensions */
};

/* Rows first..first+count-1 of a dataset in work, as f64 or int64. */
struct hb_read_piece {
  hb_global first, count;
  const double *reals;
  const int64_t *integers;
};

/* Adds a sentence to the faults; past a limit only one more, that there are more. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
enum hb_status
hb_add_fault(struct hb_field_file_summary *summary, const char *format, ...);

/* Counts `bytes` of the file as read.  *allowed is false, with a fault, if the file is smaller, or
 * if by now more is read than it can hold; then left_bytes is 0 and the walk over the groups ends.
 */
enum hb_status hb_read_charge(struct hb_field_file_summary *summary, const char *path,
                              hb_global bytes, bool *allowed);

/* The same for the values of an open dataset of items of item_bytes: they must be stored in this
 * file, in as many bytes as they are, or compressed no more than deflate can. */
enum hb_status hb_read_charge_dataset(struct hb_field_file_summary *summary, const char *path,
                                      hid_t dataset, hb_global items, size_t item_bytes,
                                      bool *allowed);

/* Makes room for one more entry behind `count` ones of `size` bytes. */
enum hb_status hb_list_grow(void **entries, int count, size_t size);
/* A copy of the first `length` bytes, with a NUL behind. */
enum hb_status hb_copy_text(const char *text, size_t length, char **copy);

enum hb_number hb_number_of(hid_t type);
/* A count of HDF5 as ours, HB_GLOBAL_MAX if it is larger. */
hb_global hb_read_count(hsize_t count);
struct hb_read_dataset hb_read_dataset_open(hid_t file, const char *path);
void hb_read_dataset_close(struct hb_read_dataset *dataset);

/* Hands the whole dataset, rank 1 or 2, piece by piece to `visit`, which sets *stop to end early.
 * An unreadable piece becomes a fault. */
enum hb_status hb_read_pieces(struct hb_field_file_summary *summary, const char *path,
                              const struct hb_read_dataset *dataset, bool as_reals,
                              enum hb_status (*visit)(void *context,
                                                      const struct hb_read_piece *piece,
                                                      bool *stop),
                              void *context);

/* Visits the attributes of an object by their names; `visit` gets a struct hb_attribute_walk, in
 * which it leaves its status, and gives a negative number for a failure, above 0 to end the walk.
 */
struct hb_attribute_walk {
  struct hb_field_file_summary *summary;
  const char *path;
  enum hb_status status;
};
enum hb_status hb_walk_attributes(struct hb_field_file_summary *summary, hid_t object,
                                  const char *path, H5A_operator2_t visit);

/* field_file_read.c and field_file_read_table.c: into the summary. */
enum hb_status hb_read_attributes(struct hb_field_file_summary *summary, hid_t object,
                                  const char *path);
enum hb_status hb_read_table(struct hb_field_file_summary *summary, hid_t dataset,
                             const char *path);
void hb_read_table_clear(struct hb_read_table *table);

/* For the writer: description and small data of a file that is not complete yet (writing), without
 * mesh and fields; else all. */
enum hb_status hb_read_description(const char *path, bool writing,
                                   struct hb_field_file_summary **summary);
/* What the description says of the fields. */
void hb_summary_facts(const struct hb_field_file_summary *summary, struct hb_identity_facts *facts);

/* field_file_check.c: attributes and tables; field_file_check_run.c: what the run says of itself,
 * field_file_check_own.c: of its ranks' times;
 * field_file_check_vtk.c: mesh and fields; field_file_check_fields.c: identities among fields. */
enum hb_status hb_check_description(struct hb_field_file_summary *summary);
enum hb_status hb_check_run(struct hb_field_file_summary *summary);
enum hb_status hb_check_own(struct hb_field_file_summary *summary);
enum hb_status hb_check_vtk(struct hb_field_file_summary *summary, hid_t file);

/* What the attributes say about the mesh. */
struct hb_read_mesh {
  hb_global n, p, elements[3];
  hb_global num_elements, num_points, num_cells;
  int pieces;
};
enum hb_status hb_check_fields(struct hb_field_file_summary *summary, hid_t file,
                               const struct hb_read_mesh *mesh);

/* field_file_check_sums.c.  An object's attributes, and a dataset's shape and type, are added to
 * the metadata's checksum; a dataset's data is compared with its own.  The last: the sum with what
 * the root group says. */
enum hb_status hb_sum_attributes(struct hb_field_file_summary *summary, hid_t object,
                                 const char *path);
enum hb_status hb_check_data(struct hb_field_file_summary *summary, hid_t dataset,
                             const char *path);
enum hb_status hb_check_metadata(struct hb_field_file_summary *summary, hid_t root);

#endif
