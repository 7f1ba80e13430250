/* SPDX-License-Identifier: BSD-3-Clause
 * Raw data to the datasets' places in the file: every rank by itself, or in pieces to rank 0.
 *
 * Neither MPI-IO nor HDF5 takes part.  In both of them a collective write that fails on one rank
 * leaves the others waiting; here the ranks write alone and agree afterwards. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/field_file_internal.h"
#include "io/file_path.h"

enum { PIECE_TAG = 7300, SLAB_NUMBERS = 6 };

struct hb_file_transfer {
  const struct hb_field_file *file; /* borrowed */
  int descriptor;                   /* owned; -1 on ranks that do not write */
  char *received;                   /* owned; rank 0: a piece of another rank */
  hb_global received_bytes;
};

/* Joins blocks that follow each other without a gap. */
static struct hb_file_slab joined(struct hb_file_slab slab) {
  if (slab.row_stride == slab.block_rows || slab.num_rows == 1) {
    slab.block_rows *= slab.num_rows;
    slab.num_rows = 1;
  }
  if (slab.num_rows == 1 && slab.layer_stride == slab.block_rows) {
    slab.block_rows *= slab.num_layers;
    slab.num_layers = 1;
  }
  return slab;
}

static hb_global row_bytes(const struct hb_file_array *array) {
  return array->components * (hb_global)array->item_bytes;
}

static hb_global slab_bytes(const struct hb_file_array *array, const struct hb_file_slab *slab) {
  return slab->num_layers * slab->num_rows * slab->block_rows * row_bytes(array);
}

static enum hb_status write_block(const struct hb_file_transfer *transfer,
                                  const struct hb_file_array *array, const char *values,
                                  hb_global bytes, hb_global offset) {
  enum hb_status status = HB_OK;
  while (bytes > 0) {
    const ssize_t written =
        pwrite(transfer->descriptor, values, (size_t)bytes, (off_t)(array->offset + offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0)
      HB_FAIL(HB_MACHINE_FAILED,
              "output file '%s': cannot write %s: %s: %lld bytes needed, %lld bytes available "
              "on this disk",
              transfer->file->path, array->path, strerror(written < 0 ? errno : ENOSPC),
              (long long)bytes, (long long)hb_path_available_bytes(transfer->file->partial));
    values += written;
    offset += written;
    bytes -= written;
  }
done:
  return status;
}

static enum hb_status write_slab(const struct hb_file_transfer *transfer,
                                 const struct hb_file_array *array,
                                 const struct hb_file_slab *given, const char *values) {
  enum hb_status status = HB_OK;
  const struct hb_file_slab slab = joined(*given);
  const hb_global row = row_bytes(array), block_bytes = slab.block_rows * row;
  for (hb_global l = 0; l < slab.num_layers; l++)
    for (hb_global r = 0; r < slab.num_rows; r++) {
      const hb_global first = slab.first + l * slab.layer_stride + r * slab.row_stride;
      HB_TRY(write_block(transfer, array, values, block_bytes, first * row));
      values += block_bytes;
    }
done:
  return status;
}

/* One message: a slab, then its data.  Rank 0 receives all, whatever has happened to it. */
static enum hb_status receive_and_write(struct hb_file_transfer *transfer,
                                        const struct hb_file_array *array, int rank,
                                        enum hb_status status) {
  const MPI_Comm comm = transfer->file->comm->mpi;
  hb_global numbers[SLAB_NUMBERS];
  MPI_Recv(numbers, SLAB_NUMBERS, HB_MPI_GLOBAL, rank, PIECE_TAG, comm, MPI_STATUS_IGNORE);
  const struct hb_file_slab slab = {.first = numbers[0],
                                    .layer_stride = numbers[1],
                                    .row_stride = numbers[2],
                                    .num_layers = numbers[3],
                                    .num_rows = numbers[4],
                                    .block_rows = numbers[5]};
  const hb_global bytes = slab_bytes(array, &slab);
  if (bytes == 0) return status;
  /* A piece that is larger than the buffer is an error of MPI, which ends all ranks. */
  const hb_global room = bytes < transfer->received_bytes ? bytes : transfer->received_bytes;
  MPI_Recv(transfer->received, (int)room, MPI_BYTE, rank, PIECE_TAG, comm, MPI_STATUS_IGNORE);
  return status == HB_OK ? write_slab(transfer, array, &slab, transfer->received) : status;
}

static void send_slab(const struct hb_file_transfer *transfer, const struct hb_file_array *array,
                      const struct hb_file_slab *slab, const void *values) {
  const hb_global numbers[SLAB_NUMBERS] = {slab->first,      slab->layer_stride, slab->row_stride,
                                           slab->num_layers, slab->num_rows,     slab->block_rows};
  const hb_global bytes = slab_bytes(array, slab);
  const MPI_Comm comm = transfer->file->comm->mpi;
  MPI_Send(numbers, SLAB_NUMBERS, HB_MPI_GLOBAL, 0, PIECE_TAG, comm);
  if (bytes > 0) MPI_Send(values, (int)bytes, MPI_BYTE, 0, PIECE_TAG, comm);
}

enum hb_status hb_file_transfer_write(struct hb_file_transfer *transfer,
                                      const struct hb_file_array *array, enum hb_status mine,
                                      const struct hb_file_slab *slab, const void *values) {
  enum hb_status status = mine;
  const struct hb_comm *comm = transfer->file->comm;
  if (transfer->file->way.direct) {
    if (status == HB_OK) status = write_slab(transfer, array, slab, values);
    HB_TRY(hb_comm_agree(comm, status));
    goto done;
  }
  HB_TRY(hb_comm_agree(comm, mine));
  if (comm->rank > 0)
    send_slab(transfer, array, slab, values);
  else
    status = write_slab(transfer, array, slab, values);
  for (int rank = 1; rank < comm->size && comm->rank == 0; rank++)
    status = receive_and_write(transfer, array, rank, status);
  HB_TRY(hb_comm_agree(comm, status));
done:
  return status;
}

/* Rank 0's buffer for a piece: piece_bytes, except that one element is never divided. */
static enum hb_status make_receive_buffer(struct hb_file_transfer *transfer) {
  enum hb_status status = HB_OK;
  const struct hb_field_file *file = transfer->file;
  hb_global bytes = file->piece_bytes;
  for (int a = 0; a < file->num_arrays; a++) {
    const struct hb_file_array *array = &file->arrays[a];
    const hb_global element = array->rows_per_element * row_bytes(array);
    if (element > bytes) bytes = element;
  }
  HB_ALLOC(transfer->received, bytes, "pieces of other ranks for the output file");
  transfer->received_bytes = bytes;
done:
  return status;
}

/* Collective.  Do all ranks see the file that rank 0 has made, and may they write parts of it? */
static void decide(struct hb_field_file *file, int descriptor) {
  const struct hb_comm *comm = file->comm;
  struct stat info = {0};
  struct hb_file_system system = {.magic = 0};
  bool through_rank_0 = false;
#ifdef HB_WRITE_THROUGH_RANK_0
  through_rank_0 = true;
#endif
  const bool known = descriptor >= 0 && fstat(descriptor, &info) == 0;
  if (known) hb_file_system_of(descriptor, &system);
  hb_global identity[2] = {(hb_global)info.st_ino, (hb_global)info.st_size};
  MPI_Bcast(identity, 2, HB_MPI_GLOBAL, 0, comm->mpi);
  int seen =
      known && identity[0] == (hb_global)info.st_ino && identity[1] == (hb_global)info.st_size;
  MPI_Allreduce(MPI_IN_PLACE, &seen, 1, MPI_INT, MPI_MIN, comm->mpi);
  /* Rank 0's file system, as another node may have mounted it under another name. */
  MPI_Bcast(&system, (int)sizeof system, MPI_BYTE, 0, comm->mpi);
  const hb_global num_nodes = hb_comm_sum_global(comm, comm->node_rank == 0 ? 1 : 0);
  hb_file_system_decide(&system, seen != 0, (int)num_nodes, through_rank_0, &file->way);
}

/* Rank 0 must be able to write in any case. */
static enum hb_status open_descriptor(struct hb_file_transfer *transfer) {
  enum hb_status status = HB_OK;
  transfer->descriptor = open(transfer->file->partial, O_WRONLY | O_CLOEXEC);
  if (transfer->descriptor < 0 && transfer->file->comm->rank == 0)
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot open: %s", transfer->file->partial,
            strerror(errno));
done:
  return status;
}

enum hb_status hb_file_transfer_open(struct hb_field_file *file,
                                     struct hb_file_transfer **transfer_out) {
  enum hb_status status = HB_OK;
  struct hb_file_transfer *transfer = hb_allocate(1, sizeof *transfer, "state of the output file");
  *transfer_out = NULL;
  if (transfer == NULL)
    status = HB_MACHINE_FAILED;
  else
    *transfer = (struct hb_file_transfer){.file = file, .descriptor = -1};
  HB_TRY(hb_comm_agree(file->comm, status));
  HB_TRY(hb_comm_agree(file->comm, open_descriptor(transfer)));
  decide(file, transfer->descriptor);
  const bool receives = !file->way.direct && file->comm->rank == 0 && file->comm->size > 1;
  HB_TRY(hb_comm_agree(file->comm, receives ? make_receive_buffer(transfer) : HB_OK));
  *transfer_out = transfer;
  transfer = NULL;
done:
  hb_file_transfer_destroy(&transfer);
  return status;
}

enum hb_status hb_file_transfer_close(struct hb_file_transfer *transfer) {
  enum hb_status status = HB_OK;
  const bool wrote = transfer->file->way.direct || transfer->file->comm->rank == 0;
  if (wrote && fsync(transfer->descriptor) != 0)
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot flush to disk: %s",
            transfer->file->partial, strerror(errno));
done:
  return hb_comm_agree(transfer->file->comm, status);
}

void hb_file_transfer_destroy(struct hb_file_transfer **transfer) {
  if (*transfer == NULL) return;
  if ((*transfer)->descriptor >= 0) close((*transfer)->descriptor);
  hb_free((*transfer)->received);
  hb_free(*transfer);
  *transfer = NULL;
}
