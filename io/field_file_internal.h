/* SPDX-License-Identifier: BSD-3-Clause
 * The parts of the writer, for io/field_file*.c only. */
#ifndef HB_IO_FIELD_FILE_INTERNAL_H
#define HB_IO_FIELD_FILE_INTERNAL_H

#include "io/field_identities.h"
#include "io/file_hdf5.h"
#include "io/file_system.h"

/* One array over the elements: dataset `path` of rows_per_element rows an element, each of
 * `components` numbers of `type`.  fill gives the rows of one z-layer of this rank's elements,
 * first as fill_bytes an item, converted to item_bytes afterwards. Offsets has rows besides:
 * fill_rows gives any of its `rows`, which the ranks share out evenly. */
struct hb_file_array {
  char path[HB_HDF5_NAME_BYTES];
  const char *units, *long_name; /* borrowed; NULL: no attribute */
  hid_t type;                    /* one of HDF5's own */
  size_t item_bytes;
  int components;
  hb_global rows_per_element;
  hb_global rows;
  hb_global offset;  /* bytes from the begin of the file to the dataset's first row */
  uint64_t checksum; /* of what this rank has given to be written */
  enum hb_status (*fill)(const struct hb_field_file *file, const struct hb_file_array *array,
                         hb_local layer, void *values);
  void (*fill_rows)(const struct hb_field_file *file, const struct hb_file_array *array,
                    hb_global first, hb_global count, void *values); /* instead of fill */
  hb_field_file_fill *caller_fill; /* for fill, if the caller's numbers are written */
  void *caller_context;
};

struct hb_field_file {
  const struct hb_comm *comm;                  /* borrowed */
  const struct hb_field_file_content *content; /* borrowed */
  char *path, *partial;                        /* owned */
  hb_global num_elements, num_points, num_cells;
  hb_global piece_bytes;
  int n;
  int pieces;
  int num_arrays;
  struct hb_file_array *arrays;      /* owned */
  struct hb_file_transfer *transfer; /* owned; NULL without fields, and once they are written */
  struct hb_partial own;             /* rank 0's: the partial file */
  struct hb_path_version before;     /* under the name; where the caller has not looked */
  struct hb_write_way way;           /* of the transfer */
  uint64_t metadata;                 /* checksum so far; rank 0 */
};

/* Rows of a dataset: num_layers x num_rows blocks of block_rows rows each,
 * first + layer * layer_stride + row * row_stride + 0..block_rows-1, all in rows. */
struct hb_file_slab {
  hb_global first, layer_stride, row_stride, num_layers, num_rows, block_rows;
};

/* field_file_content.c.  Not collective: every rank checks what it has. */
enum hb_status hb_file_check_content(const struct hb_field_file_content *content);
/* Bytes of the whole file, about; -1 if they do not fit in 64 bit. */
hb_global hb_file_content_bytes(const struct hb_field_file_content *content);

/* field_file_arrays.c: what is written, in the order of writing. */
enum hb_status hb_file_arrays_create(struct hb_field_file *file);

/* field_file_layout.c.  Rank 0 alone: the file with all groups, attributes and datasets; sets the
 * arrays' offsets. */
enum hb_status hb_file_make_layout(struct hb_field_file *file);

/* file_table.c.  Rank 0 alone.  The first adds to *metadata what it makes. */
enum hb_status hb_file_table_create(hid_t file, const struct hb_field_file_table *table,
                                    uint64_t *metadata);
enum hb_status hb_file_table_write(hid_t file, const struct hb_field_file_table *table,
                                   uint64_t *checksum); /* of the rows in memory */
/* All rows, as they are in the file: hb_file_table_bytes. */
enum hb_status hb_file_table_read(hid_t file, const struct hb_field_file_table *table, void *rows);
/* Of any rank. */
hb_global hb_file_table_bytes(const struct hb_field_file_table *table);
hb_global hb_file_table_row_bytes(const struct hb_field_file_table *table);
/* Has a column values that are this rank's own (mine)?  The first column of which `row`, the
 * repeat-th of this rank, has another value; NULL: none. */
bool hb_file_table_has_owners(const struct hb_field_file_table *table, int num_ranks);
const char *hb_file_table_wrong_column(const struct hb_field_file_table *table, hb_global repeat,
                                       const char *row);

/* field_file_transfer.c: raw data to the datasets' places in the file. */
struct hb_file_transfer;
/* Collective.  Opens the file that rank 0 has made, and decides on file->way. */
enum hb_status hb_file_transfer_open(struct hb_field_file *file,
                                     struct hb_file_transfer **transfer);
/* Collective; `array` must be the same on all ranks.  Writes this rank's `slab` of the array from
 * `values`, which have no gaps; num_layers = 0: this rank has nothing (values may be NULL).  `mine`
 * is this rank's status so far: if a rank comes with a failure, all return it. */
enum hb_status hb_file_transfer_write(struct hb_file_transfer *transfer,
                                      const struct hb_file_array *array, enum hb_status mine,
                                      const struct hb_file_slab *slab, const void *values);
/* Collective.  Flushes what was written to disk. */
enum hb_status hb_file_transfer_close(struct hb_file_transfer *transfer);
/* Not collective.  Accepts NULL, clears the caller's pointer. */
void hb_file_transfer_destroy(struct hb_file_transfer **transfer);

/* field_file_write.c.  Collective.  All arrays, through file->transfer. */
enum hb_status hb_file_write_arrays(struct hb_field_file *file);

/* field_file_verify.c.  Collective.  The file, with all but the mark `complete`, against what was
 * in memory and against itself. */
enum hb_status hb_file_verify(struct hb_field_file *file);

/* Elements floor(q E / Q) and so on begin the pieces q = 0 .. Q. */
static inline hb_global hb_file_piece_first(hb_global elements, int pieces, hb_global q) {
  return elements / pieces * q + elements % pieces * q / pieces;
}
/* The piece of an element, or of anything else that is divided so. */
static inline hb_global hb_file_piece_of(hb_global elements, int pieces, hb_global element) {
  hb_global low = 0, high = pieces; /* first(low) <= element < first(high) */
  while (high - low > 1) {
    const hb_global middle = low + (high - low) / 2;
    if (hb_file_piece_first(elements, pieces, middle) <= element)
      low = middle;
    else
      high = middle;
  }
  return low;
}

#endif
