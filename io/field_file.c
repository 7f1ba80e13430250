/* SPDX-License-Identifier: BSD-3-Clause
 * The writer's protocol: make and reserve, write layer by layer, mark complete, rename. */
#include "io/field_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/field_file_internal.h"
#include "io/file_path.h"
#include "io/schema.h"

/* A piece must be below 2 GiB, since MPI counts its bytes in an int. */
static const hb_global DEFAULT_PIECE_BYTES = (hb_global)64 << 20;
static const hb_global MAX_PIECE_BYTES = (hb_global)1 << 30;

static hb_global at_least_one(hb_global value) { return value > 0 ? value : 1; }

static hb_global at_most(hb_global value, hb_global limit) { return value < limit ? value : limit; }

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
      .n = content->n,
      .pieces = (int)at_most(at_least_one(at_most(content->pieces, HB_SCHEMA_MOST_PIECES)), all)};
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

enum hb_status hb_field_file_write_fields(struct hb_field_file *file) {
  enum hb_status status = HB_OK;
  if (!file->content->fields) goto done;
  HB_TRY(hb_file_write_arrays(file));
  HB_TRY(hb_file_transfer_close(file->transfer));
done:
  hb_file_transfer_destroy(&file->transfer);
  if (status != HB_OK) hb_partial_abandon(&file->own);
  return status;
}

/* Makes sure that the attributes to come can be written: if HDF5 cannot write what it keeps of
 * them, it does not close the file, and crashes when the program ends.  It cuts the file again. */
static enum hb_status try_disk(const struct hb_field_file *file) {
  static const char zeros[1 << 16] = {0};
  enum hb_status status = HB_OK;
  struct stat info;
  ssize_t written = -1;
  const int descriptor = open(file->partial, O_WRONLY | O_CLOEXEC);
  if (descriptor >= 0 && fstat(descriptor, &info) == 0)
    written = pwrite(descriptor, zeros, sizeof zeros, info.st_size);
  if (written != (ssize_t)sizeof zeros)
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot write tables: %s", file->path,
            written < 0 ? strerror(errno) : "the disk is full");
done:
  if (descriptor >= 0) close(descriptor);
  return status;
}

/* The tables' rows, then the checksums of all. */
static enum hb_status write_tables(struct hb_field_file *file, hid_t hdf5, uint64_t *table_sums,
                                   const uint64_t *array_sums) {
  enum hb_status status = HB_OK;
  const struct hb_field_file_content *content = file->content;
  const struct hb_field_file_attribute way = {
      .name = HB_SCHEMA_WRITTEN_BY, .kind = HB_ATTRIBUTE_TEXT, .text = file->way.words};
  for (int t = 0; t < content->num_tables; t++)
    HB_TRY(hb_file_table_write(hdf5, &content->tables[t], &table_sums[t]));
  for (int t = 0; t < content->num_tables; t++)
    HB_TRY(
        hb_hdf5_write_checksum(hdf5, content->tables[t].path, HB_SCHEMA_CHECKSUM, table_sums[t]));
  for (int a = 0; a < file->num_arrays; a++)
    HB_TRY(hb_hdf5_write_checksum(hdf5, file->arrays[a].path, HB_SCHEMA_CHECKSUM, array_sums[a]));
  HB_TRY(hb_hdf5_write_attribute(hdf5, "/", &way, &file->metadata));
  HB_TRY(hb_hdf5_write_checksum(hdf5, "/", HB_SCHEMA_METADATA, file->metadata));
done:
  return status;
}

/* Rank 0 alone.  All but the mark. */
static enum hb_status describe(struct hb_field_file *file, const uint64_t *checksums) {
  enum hb_status status = HB_OK;
  uint64_t *table_sums = NULL;
  hid_t access = H5I_INVALID_HID, hdf5 = H5I_INVALID_HID;
  if (!hb_partial_is_ours(&file->own))
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': another program has removed '%s'", file->path,
            file->partial);
  HB_TRY(try_disk(file));
  HB_ALLOC(table_sums, file->content->num_tables, "checksums of tables");
  HB_TRY(hb_hdf5_access_serial(&access));
  hdf5 = H5Fopen(file->partial, H5F_ACC_RDWR, access);
  HB_TRY(hb_hdf5_check(hdf5, "open", file->partial));
  HB_TRY(write_tables(file, hdf5, table_sums, checksums));
  const herr_t closed = H5Fclose(hdf5);
  hdf5 = H5I_INVALID_HID;
  HB_TRY(hb_hdf5_check(closed, "close", file->partial));
done:
  hb_free(table_sums);
  hb_hdf5_release(&hdf5);
  hb_hdf5_release(&access);
  return status;
}

/* Rank 0 alone.  The mark comes when all else is in the file and has been looked at. */
static enum hb_status complete(struct hb_field_file *file) {
  enum hb_status status = HB_OK;
  const struct hb_field_file_content *content = file->content;
  hid_t access = H5I_INVALID_HID, hdf5 = H5I_INVALID_HID;
  HB_TRY(hb_hdf5_access_serial(&access));
  hdf5 = H5Fopen(file->partial, H5F_ACC_RDWR, access);
  HB_TRY(hb_hdf5_check(hdf5, "open", file->partial));
  HB_TRY(hb_hdf5_set_integer(hdf5, HB_SCHEMA_COMPLETE, 1));
  HB_TRY(hb_hdf5_check(H5Fflush(hdf5, H5F_SCOPE_GLOBAL), "flush", file->partial));
  const herr_t closed = H5Fclose(hdf5);
  hdf5 = H5I_INVALID_HID;
  HB_TRY(hb_hdf5_check(closed, "close", file->partial));
  HB_TRY(hb_partial_publish(&file->own, content->before != NULL ? content->before : &file->before));
done:
  hb_hdf5_release(&hdf5);
  hb_hdf5_release(&access);
  return status;
}

/* Collective.  On rank 0 the sums over all ranks of the arrays' checksums; owned by the caller. */
static enum hb_status gather_checksums(const struct hb_field_file *file, uint64_t **checksums) {
  enum hb_status status = HB_OK;
  *checksums = hb_allocate(file->num_arrays, sizeof **checksums, "checksums of the output file");
  HB_TRY(hb_comm_agree(file->comm, *checksums != NULL ? HB_OK : HB_MACHINE_FAILED));
  for (int a = 0; a < file->num_arrays; a++)
    MPI_Reduce(&file->arrays[a].checksum, &(*checksums)[a], 1, MPI_UINT64_T, MPI_SUM, 0,
               file->comm->mpi);
done:
  return status;
}

enum hb_status hb_field_file_finish(struct hb_field_file **file) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = (*file)->comm;
  const bool first = comm->rank == 0;
  uint64_t *checksums = NULL;
  HB_ASSERT((*file)->transfer == NULL); /* the fields have been written */
  HB_TRY(gather_checksums(*file, &checksums));
  HB_TRY(hb_comm_agree(comm, first ? describe(*file, checksums) : HB_OK));
  HB_TRY(hb_file_verify(*file));
  HB_TRY(hb_comm_agree(comm, first ? complete(*file) : HB_OK));
done:
  hb_free(checksums);
  hb_field_file_destroy(file);
  return status;
}

const char *hb_field_file_way(const struct hb_field_file *file) { return file->way.words; }

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
