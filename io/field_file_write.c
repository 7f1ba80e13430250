/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays over the elements, cut into pieces that are filled, summed up and written. */
#include "io/checksum.h"
#include "io/field_file_internal.h"

static hb_global at_least_one(hb_global value) { return value > 0 ? value : 1; }

static hb_global at_most(hb_global value, hb_global limit) { return value < limit ? value : limit; }

static hb_global divide_up(hb_global a, hb_global b) { return (a + b - 1) / b; }

/* How this rank's part of an array is cut: chunks of whole z-layers that are fetched together,
 * each written at once; or, where one layer is too large, layers fetched one by one and written
 * in runs of elements that do not cross a row (a row is ex = 0..count[0]-1 of one ey). */
struct cut {
  hb_global layers; /* z-layers of a chunk, >= 1 */
  hb_global num_chunks;
  hb_global rows, columns;             /* rows of a piece, elements of a row of a piece */
  hb_global row_pieces, column_pieces; /* pieces of a chunk: their product */
  hb_global num_pieces;
  hb_global buffer_bytes;
};

static struct cut cut_array(const struct hb_field_file *file, const struct hb_file_array *array) {
  const hb_local *count = file->content->element_count;
  const size_t item = array->caller_fill != NULL ? sizeof(double) : array->item_bytes;
  const hb_global element = array->rows_per_element * array->components * (hb_global)item;
  const hb_global row = element * count[0], layer = row * count[1];
  struct cut cut = {.layers = 1};
  if (layer == 0 || count[2] == 0) return cut;
  cut.layers = at_most(at_least_one(file->piece_bytes / layer), count[2]);
  cut.num_chunks = divide_up(count[2], cut.layers);
  cut.rows = at_most(at_least_one(file->piece_bytes / row), count[1]);
  cut.columns = at_most(at_least_one(file->piece_bytes / element), count[0]);
  cut.row_pieces = divide_up(count[1], cut.rows);
  cut.column_pieces = divide_up(count[0], cut.columns);
  cut.num_pieces = cut.num_chunks * cut.row_pieces * cut.column_pieces;
  cut.buffer_bytes = cut.layers * layer;
  return cut;
}

/* Piece number `piece` of this rank: where it goes, and its first element within the chunk. */
static struct hb_file_slab piece_slab(const struct hb_field_file *file,
                                      const struct hb_file_array *array, const struct cut *cut,
                                      hb_global piece, hb_global *first_in_chunk) {
  const struct hb_field_file_content *content = file->content;
  const hb_local *count = content->element_count;
  const hb_global *all = content->elements, *start = content->element_start;
  const hb_global pieces_of_chunk = cut->row_pieces * cut->column_pieces;
  const hb_global layer = piece / pieces_of_chunk * cut->layers, part = piece % pieces_of_chunk;
  const hb_global ex = part % cut->column_pieces * cut->columns;
  const hb_global ey = part / cut->column_pieces * cut->rows;
  const hb_global r = array->rows_per_element;
  *first_in_chunk = ex + count[0] * ey;
  return (struct hb_file_slab){
      .first = r * (start[0] + ex + all[0] * (start[1] + ey + all[1] * (start[2] + layer))),
      .layer_stride = r * all[0] * all[1],
      .row_stride = r * all[0],
      .num_layers = at_most(cut->layers, count[2] - layer),
      .num_rows = at_most(cut->rows, count[1] - ey),
      .block_rows = r * at_most(cut->columns, count[0] - ex)};
}

/* Adds a layer, which is without gaps, to the array's checksum: each row of elements by itself. */
static void add_layer(const struct hb_field_file_content *content, hb_local layer,
                      const char *values, struct hb_file_array *array) {
  const hb_global *all = content->elements, *start = content->element_start;
  const hb_global items = array->rows_per_element * array->components; /* of an element */
  const hb_global count = items * content->element_count[0];
  for (hb_local ey = 0; ey < content->element_count[1]; ey++) {
    const hb_global element = start[0] + all[0] * (start[1] + ey + all[1] * (start[2] + layer));
    array->checksum += hb_checksum(element * items, count, array->item_bytes,
                                   values + (hb_global)ey * count * (hb_global)array->item_bytes);
  }
}

/* Not collective.  Fetches the layers of chunk number `chunk` into `buffer`, without gaps. */
static enum hb_status fetch(const struct hb_field_file *file, struct hb_file_array *array,
                            hb_global chunk, const struct cut *cut, char *buffer) {
  enum hb_status status = HB_OK;
  const hb_local *count = file->content->element_count;
  const hb_global items =
      array->rows_per_element * array->components * (hb_global)count[0] * count[1];
  const hb_global first = chunk * cut->layers;
  const hb_global last = at_most(first + cut->layers, count[2]);
  for (hb_global layer = first; layer < last; layer++) {
    char *values = buffer + (layer - first) * items * (hb_global)array->item_bytes;
    HB_TRY(array->fill(file, array, (hb_local)layer, values));
    add_layer(file->content, (hb_local)layer, values, array);
  }
done:
  return status;
}

/* Collective: all ranks write the same number of pieces, some of them empty. */
static enum hb_status write_elements(struct hb_field_file *file, struct hb_file_array *array) {
  enum hb_status status = HB_OK, mine = HB_OK;
  const struct cut cut = cut_array(file, array);
  const hb_global pieces_of_chunk = cut.row_pieces * cut.column_pieces;
  hb_global num_pieces = cut.num_pieces;
  char *buffer = NULL;
  MPI_Allreduce(MPI_IN_PLACE, &num_pieces, 1, HB_MPI_GLOBAL, MPI_MAX, file->comm->mpi);
  buffer = hb_allocate(cut.buffer_bytes, 1, "layers of the output file");
  if (buffer == NULL) mine = HB_MACHINE_FAILED;
  for (hb_global piece = 0; piece < num_pieces; piece++) {
    struct hb_file_slab slab = {0};
    hb_global first = 0;
    if (piece < cut.num_pieces) {
      slab = piece_slab(file, array, &cut, piece, &first);
      if (mine == HB_OK && piece % pieces_of_chunk == 0)
        mine = fetch(file, array, piece / pieces_of_chunk, &cut, buffer);
    }
    const hb_global element_bytes =
        array->rows_per_element * array->components * (hb_global)array->item_bytes;
    HB_TRY(hb_file_transfer_write(file->transfer, array, mine, &slab,
                                  buffer == NULL ? NULL : buffer + first * element_bytes));
  }
done:
  hb_free(buffer);
  return status;
}

/* Collective.  An array that every rank can fill anywhere: each writes rows of its own. */
static enum hb_status write_rows(struct hb_field_file *file, struct hb_file_array *array) {
  enum hb_status status = HB_OK, mine = HB_OK;
  const struct hb_comm *comm = file->comm;
  const hb_global item = (hb_global)array->item_bytes;
  const hb_global most = at_least_one(file->piece_bytes / item);
  const hb_global end = hb_file_piece_first(array->rows, comm->size, comm->rank + 1);
  hb_global first = hb_file_piece_first(array->rows, comm->size, comm->rank);
  const hb_global num_pieces = divide_up(divide_up(array->rows, comm->size), most);
  char *buffer =
      hb_allocate(at_most(most, end - first), array->item_bytes, "rows of the output file");
  if (buffer == NULL) mine = HB_MACHINE_FAILED;
  for (hb_global piece = 0; piece < num_pieces; piece++) {
    const hb_global count = at_most(most, end - first);
    const struct hb_file_slab slab = {
        .first = first, .num_layers = count > 0 ? 1 : 0, .num_rows = 1, .block_rows = count};
    if (mine == HB_OK && count > 0) {
      array->fill_rows(file, array, first, count, buffer);
      array->checksum += hb_checksum(first, count, array->item_bytes, buffer);
    }
    HB_TRY(hb_file_transfer_write(file->transfer, array, mine, &slab, buffer));
    first += count;
  }
done:
  hb_free(buffer);
  return status;
}

enum hb_status hb_file_write_arrays(struct hb_field_file *file) {
  enum hb_status status = HB_OK;
  for (int a = 0; a < file->num_arrays; a++) {
    struct hb_file_array *array = &file->arrays[a];
    HB_TRY(array->fill_rows != NULL ? write_rows(file, array) : write_elements(file, array));
  }
done:
  return status;
}
