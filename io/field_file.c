/* SPDX-License-Identifier: BSD-3-Clause
 * The writer's protocol: make and reserve, write layer by layer, mark complete, rename. */
#include "io/field_file.h"

#include <stdio.h>
#include <string.h>

#include "io/field_file_internal.h"
#include "io/file_path.h"
#include "io/schema.h"

/* A piece must be below 2 GiB, since MPI counts its bytes in an int. */
static const hb_global DEFAULT_PIECE_BYTES = (hb_global)64 << 20;
static const hb_global MAX_PIECE_BYTES = (hb_global)1 << 30;

static hb_global at_least_one(hb_global value) { return value > 0 ? value : 1; }

static hb_global at_most(hb_global value, hb_global limit) { return value < limit ? value : limit; }

static hb_global divide_up(hb_global a, hb_global b) { return (a + b - 1) / b; }

enum hb_status hb_field_file_check_path(const struct hb_comm *comm, const char *path,
                                        hb_global needed_bytes) {
  return hb_comm_agree(comm, comm->rank == 0 ? hb_path_check(path, needed_bytes) : HB_OK);
}

/* Everything this rank can do on its own. */
static enum hb_status prepare(const struct hb_comm *comm, const char *path,
                              const struct hb_field_file_content *content,
                              struct hb_field_file **file_out) {
  enum hb_status status = HB_OK;
  struct hb_field_file *file = NULL;
  HB_TRY(hb_file_check_content(content));
  HB_ALLOC(file, 1, "output file");
  const hb_global n = content->n, p = n - 1;
  const hb_global all = content->elements[0] * content->elements[1] * content->elements[2];
  *file = (struct hb_field_file){
      .comm = comm,
      .content = content,
      .num_elements = all,
      .num_points = all * n * n * n,
      .num_cells = all * p * p * p,
      .piece_bytes = at_most(content->piece_bytes > 0 ? content->piece_bytes : DEFAULT_PIECE_BYTES,
                             MAX_PIECE_BYTES),
      .own = {.lock = -1},
      .n = content->n};
  *file_out = file;
  HB_ALLOC(file->path, strlen(path) + 1, "path of the output file");
  memcpy(file->path, path, strlen(path) + 1);
  HB_ALLOC(file->partial, PATH_MAX, "path of the output file");
  HB_TRY(hb_file_arrays_create(file));
done:
  return status;
}

static enum hb_status check_cover(const struct hb_field_file *file) {
  enum hb_status status = HB_OK;
  const hb_local *count = file->content->element_count;
  const hb_global mine = (hb_global)count[0] * count[1] * count[2];
  const hb_global all = hb_comm_sum_global(file->comm, mine);
  if (file->content->fields && all != file->num_elements)
    HB_FAIL(HB_BAD_INPUT, "output file: the ranks hold %lld elements of %lld", (long long)all,
            (long long)file->num_elements);
done:
  return status;
}

/* Can the file be written still?  What was right before the solve and is not now is no bad input.
 */
static enum hb_status check_again(const struct hb_field_file *file) {
  const enum hb_status status = hb_path_check(file->path, 0);
  if (status != HB_BAD_INPUT || file->content->before == NULL) return status;
  char message[HB_HDF5_NAME_BYTES + PATH_MAX];
  snprintf(message, sizeof message, "%s (before the solve it could be written)",
           hb_error_message());
  return hb_error_adopt(HB_MACHINE_FAILED, message, hb_error_location());
}

/* Rank 0 alone. */
static enum hb_status make_partial(struct hb_field_file *file) {
  enum hb_status status = HB_OK;
  HB_TRY(check_again(file));
  if (file->content->before == NULL) file->before = hb_path_version_of(file->path);
  HB_TRY(hb_partial_make(file->path, &file->own));
  memcpy(file->partial, file->own.name, PATH_MAX);
  HB_TRY(hb_path_check_space(file->own.target, hb_file_content_bytes(file->content)));
  HB_TRY(hb_file_make_layout(file));
  HB_TRY(hb_path_reserve(file->partial));
done:
  return status;
}

/* Collective.  The partial file's name and the offsets of the datasets, from rank 0. */
static void share_place(struct hb_field_file *file) {
  MPI_Bcast(file->partial, PATH_MAX, MPI_CHAR, 0, file->comm->mpi);
  for (int a = 0; a < file->num_arrays; a++)
    MPI_Bcast(&file->arrays[a].offset, 1, HB_MPI_GLOBAL, 0, file->comm->mpi);
}

enum hb_status hb_field_file_create(const struct hb_comm *comm, const char *path,
                                    const struct hb_field_file_content *content,
                                    struct hb_field_file **file_out) {
  enum hb_status status = HB_OK;
  struct hb_field_file *file = NULL;
  *file_out = NULL;
  H5dont_atexit();
  hb_hdf5_silence();
  HB_TRY(hb_comm_agree(comm, prepare(comm, path, content, &file)));
  HB_TRY(check_cover(file));
  HB_TRY(hb_comm_agree(comm, comm->rank == 0 ? make_partial(file) : HB_OK));
  share_place(file);
  if (content->fields) HB_TRY(hb_file_transfer_open(file, &file->transfer));
  *file_out = file;
  file = NULL;
done:
  hb_field_file_destroy(&file);
  return status;
}

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

/* Not collective.  Fetches the layers of chunk number `chunk` into `buffer`, without gaps. */
static enum hb_status fetch(const struct hb_field_file *file, const struct hb_file_array *array,
                            hb_global chunk, const struct cut *cut, char *buffer) {
  enum hb_status status = HB_OK;
  const hb_local *count = file->content->element_count;
  const hb_global items =
      array->rows_per_element * array->components * (hb_global)count[0] * count[1];
  const hb_global first = chunk * cut->layers;
  const hb_global last = at_most(first + cut->layers, count[2]);
  for (hb_global layer = first; layer < last; layer++)
    HB_TRY(array->fill(file, array, (hb_local)layer,
                       buffer + (layer - first) * items * (hb_global)array->item_bytes));
done:
  return status;
}

/* Collective.  The last entry of Offsets, from the rank with the last element. */
static enum hb_status write_last_row(const struct hb_field_file *file,
                                     const struct hb_file_array *array) {
  const struct hb_field_file_content *content = file->content;
  const int64_t wide = HB_SCHEMA_CORNERS * file->num_cells;
  const int32_t narrow = (int32_t)wide;
  struct hb_file_slab slab = {.first = file->num_cells, .num_rows = 1, .block_rows = 1};
  bool mine = true;
  for (int axis = 0; axis < 3; axis++)
    mine = mine && content->element_count[axis] > 0 &&
           content->element_start[axis] + content->element_count[axis] == content->elements[axis];
  slab.num_layers = mine ? 1 : 0;
  return hb_file_transfer_write(file->transfer, array, HB_OK, &slab,
                                array->item_bytes == sizeof wide ? (const void *)&wide : &narrow);
}

/* Collective: all ranks write the same number of pieces, some of them empty. */
static enum hb_status write_array(const struct hb_field_file *file,
                                  const struct hb_file_array *array) {
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
  if (array->last_row) HB_TRY(write_last_row(file, array));
done:
  hb_free(buffer);
  return status;
}

enum hb_status hb_field_file_write_fields(struct hb_field_file *file) {
  enum hb_status status = HB_OK;
  if (!file->content->fields) goto done;
  for (int a = 0; a < file->num_arrays; a++) HB_TRY(write_array(file, &file->arrays[a]));
  HB_TRY(hb_file_transfer_close(file->transfer));
done:
  hb_file_transfer_destroy(&file->transfer);
  if (status != HB_OK) hb_partial_abandon(&file->own);
  return status;
}

/* Rank 0 alone. */
static enum hb_status complete(struct hb_field_file *file) {
  enum hb_status status = HB_OK;
  const struct hb_field_file_content *content = file->content;
  hid_t access = H5I_INVALID_HID, hdf5 = H5I_INVALID_HID;
  bool overtaken = false;
  if (!hb_partial_is_ours(&file->own))
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': another program has removed '%s'", file->path,
            file->partial);
  HB_TRY(hb_hdf5_access_serial(&access));
  hdf5 = H5Fopen(file->partial, H5F_ACC_RDWR, access);
  HB_TRY(hb_hdf5_check(hdf5, "open", file->partial));
  for (int t = 0; t < content->num_tables; t++)
    HB_TRY(hb_file_table_write(hdf5, &content->tables[t]));
  /* What HDF5 flushes at once has no order: the mark comes when all else is in the file. */
  HB_TRY(hb_hdf5_check(H5Fflush(hdf5, H5F_SCOPE_GLOBAL), "flush", file->partial));
  HB_TRY(hb_hdf5_set_integer(hdf5, HB_SCHEMA_COMPLETE, 1));
  HB_TRY(hb_hdf5_check(H5Fflush(hdf5, H5F_SCOPE_GLOBAL), "flush", file->partial));
  const herr_t closed = H5Fclose(hdf5);
  hdf5 = H5I_INVALID_HID;
  HB_TRY(hb_hdf5_check(closed, "close", file->partial));
  HB_TRY(hb_partial_publish(&file->own, content->before != NULL ? content->before : &file->before,
                            &overtaken));
  if (content->overtaken != NULL) *content->overtaken = overtaken;
done:
  hb_hdf5_release(&hdf5);
  hb_hdf5_release(&access);
  return status;
}

enum hb_status hb_field_file_finish(struct hb_field_file **file) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = (*file)->comm;
  HB_ASSERT((*file)->transfer == NULL); /* the fields have been written */
  status = hb_comm_agree(comm, comm->rank == 0 ? complete(*file) : HB_OK);
  hb_field_file_destroy(file);
  return status;
}

void hb_field_file_destroy(struct hb_field_file **file) {
  if (*file == NULL) return;
  hb_partial_abandon(&(*file)->own);
  hb_file_transfer_destroy(&(*file)->transfer);
  hb_free((*file)->arrays);
  hb_free((*file)->partial);
  hb_free((*file)->path);
  hb_free(*file);
  *file = NULL;
}

enum hb_status hb_field_file_write(const struct hb_comm *comm, const char *path,
                                   const struct hb_field_file_content *content) {
  enum hb_status status = HB_OK;
  struct hb_field_file *file = NULL;
  HB_TRY(hb_field_file_create(comm, path, content, &file));
  HB_TRY(hb_field_file_write_fields(file));
  HB_TRY(hb_field_file_finish(&file));
done:
  hb_field_file_destroy(&file);
  return status;
}
