/* SPDX-License-Identifier: BSD-3-Clause
 * The writer's last look before a file is complete: read back by other ranks than those that wrote
 * it, compared with checksums of memory, and checked for what its parts say of one another. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "io/checksum.h"
#include "io/field_file_internal.h"
#include "io/field_file_read_internal.h"
#include "io/schema.h"

enum { VERIFY_TAG = 7310, BOX_NUMBERS = 6, ALIGNMENT = 64 };

/* What this rank reads back, and with what. */
struct reading {
  const struct hb_field_file *file;
  int descriptor;
  int partner; /* the rank whose part it is; -1: of all ranks */
  hb_global start[3], count[3];
  uint64_t *expected, *found; /* owned [num_arrays]: checksums of that part */
  hb_global chunk;            /* elements that are read together */
  char *buffer;               /* owned: of every array its place, [chunk] elements */
  char **values;              /* owned [num_arrays], into buffer */
  const void **fields;        /* owned [num_arrays]: those of them that are fields */
  struct hb_identities identities;
};

static hb_global item_bytes(const struct hb_file_array *array) {
  return array->components * (hb_global)array->item_bytes;
}

static hb_global element_bytes(const struct hb_file_array *array) {
  return array->rows_per_element * item_bytes(array);
}

static enum hb_status read_bytes(const struct reading *reading, const struct hb_file_array *array,
                                 hb_global first, hb_global bytes, char *values) {
  enum hb_status status = HB_OK;
  while (bytes > 0) {
    const ssize_t got =
        pread(reading->descriptor, values, (size_t)bytes, (off_t)(array->offset + first));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot read back %s: %s", reading->file->path,
              array->path, strerror(errno));
    if (got == 0)
      HB_FAIL(HB_GATE_FAILED, "output file '%s': the file ends before %s does, which was written",
              reading->file->path, array->path);
    values += got;
    first += got;
    bytes -= got;
  }
done:
  return status;
}

/* Elements first .. first + count - 1, which follow one another in the file. */
static enum hb_status read_elements(struct reading *reading, hb_global first, hb_global count) {
  enum hb_status status = HB_OK;
  const struct hb_field_file *file = reading->file;
  int num_fields = 0;
  for (int a = 0; a < file->num_arrays; a++) {
    const struct hb_file_array *array = &file->arrays[a];
    const hb_global bytes = element_bytes(array);
    const hb_global items = array->rows_per_element * array->components;
    if (array->fill_rows != NULL) continue;
    HB_TRY(read_bytes(reading, array, first * bytes, count * bytes, reading->values[a]));
    reading->found[a] +=
        hb_checksum(first * items, count * items, array->item_bytes, reading->values[a]);
    if (array->caller_fill != NULL) reading->fields[num_fields++] = reading->values[a];
  }
  hb_identities_add(&reading->identities, first, count, reading->fields);
done:
  return status;
}

/* The box of elements, run by run of those that follow one another. */
static enum hb_status read_box(struct reading *reading) {
  enum hb_status status = HB_OK;
  const hb_global *all = reading->file->content->elements, *start = reading->start;
  const bool whole_rows = reading->count[0] == all[0];
  const hb_global runs = whole_rows ? 1 : reading->count[1];
  const hb_global run = whole_rows ? reading->count[0] * reading->count[1] : reading->count[0];
  for (hb_global z = 0; z < reading->count[2]; z++)
    for (hb_global y = 0; y < runs; y++) {
      const hb_global first = start[0] + all[0] * (start[1] + y + all[1] * (start[2] + z));
      for (hb_global e = 0; e < run; e += reading->chunk)
        HB_TRY(
            read_elements(reading, first + e, run - e < reading->chunk ? run - e : reading->chunk));
    }
done:
  return status;
}

/* The rows of array number a, which every rank has written some of. */
static enum hb_status read_rows(struct reading *reading, int a) {
  enum hb_status status = HB_OK;
  const struct hb_file_array *array = &reading->file->arrays[a];
  const int size = reading->file->comm->size, partner = reading->partner;
  const hb_global item = (hb_global)array->item_bytes;
  const hb_global most = reading->chunk * element_bytes(array) / item;
  const hb_global end =
      partner < 0 ? array->rows : hb_file_piece_first(array->rows, size, partner + 1);
  hb_global first = partner < 0 ? 0 : hb_file_piece_first(array->rows, size, partner);
  while (first < end) {
    const hb_global count = end - first < most ? end - first : most;
    HB_TRY(read_bytes(reading, array, first * item, count * item, reading->values[a]));
    reading->found[a] += hb_checksum(first, count, array->item_bytes, reading->values[a]);
    first += count;
  }
done:
  return status;
}

/* Collective.  How many ranks have, `shift` ranks on, a rank on another node? */
static hb_global strangers(const struct hb_comm *comm, int shift) {
  const int from = (comm->rank + shift) % comm->size;
  const int to = (comm->rank - shift + comm->size) % comm->size;
  int other = comm->node_number;
  MPI_Sendrecv(&comm->node_number, 1, MPI_INT, to, VERIFY_TAG, &other, 1, MPI_INT, from, VERIFY_TAG,
               comm->mpi, MPI_STATUS_IGNORE);
  return hb_comm_sum_global(comm, other != comm->node_number ? 1 : 0);
}

/* Collective.  Who reads what: where all ranks write, each the part of another one, if possible on
 * another node; else rank 0 all of it. */
static void share_out(struct reading *reading) {
  const struct hb_field_file *file = reading->file;
  const struct hb_comm *comm = file->comm;
  const struct hb_field_file_content *content = file->content;
  hb_global mine[BOX_NUMBERS], box[BOX_NUMBERS];
  double widest = comm->node_size;
  hb_comm_max(comm, 1, &widest);
  int shift = 1 % comm->size;
  const int node_shift = (int)widest % comm->size;
  if (strangers(comm, node_shift) > strangers(comm, shift)) shift = node_shift;
  const int from = (comm->rank + shift) % comm->size;
  const int to = (comm->rank - shift + comm->size) % comm->size;
  for (int a = 0; a < 3; a++) {
    mine[a] = content->element_start[a];
    mine[3 + a] = content->element_count[a];
  }
  MPI_Sendrecv(mine, BOX_NUMBERS, HB_MPI_GLOBAL, to, VERIFY_TAG, box, BOX_NUMBERS, HB_MPI_GLOBAL,
               from, VERIFY_TAG, comm->mpi, MPI_STATUS_IGNORE);
  for (int a = 0; a < file->num_arrays; a++) {
    const uint64_t written = file->arrays[a].checksum;
    reading->found[a] = 0;
    if (file->way.direct)
      MPI_Sendrecv(&written, 1, MPI_UINT64_T, to, VERIFY_TAG, &reading->expected[a], 1,
                   MPI_UINT64_T, from, VERIFY_TAG, comm->mpi, MPI_STATUS_IGNORE);
    else
      MPI_Reduce(&written, &reading->expected[a], 1, MPI_UINT64_T, MPI_SUM, 0, comm->mpi);
  }
  reading->partner = file->way.direct ? from : -1;
  for (int a = 0; a < 3; a++) {
    reading->start[a] = file->way.direct ? box[a] : 0;
    reading->count[a] = file->way.direct ? box[3 + a] : comm->rank == 0 ? content->elements[a] : 0;
  }
}

/* Not collective. */
static enum hb_status make_sums(struct reading *reading) {
  enum hb_status status = HB_OK;
  const int count = reading->file->num_arrays;
  HB_ALLOC(reading->expected, count, "checksums of the output file");
  HB_ALLOC(reading->found, count, "checksums of the output file");
  HB_ALLOC(reading->values, count, "arrays of the output file");
  HB_ALLOC(reading->fields, count, "fields of the output file");
done:
  return status;
}

/* Not collective.  The share is known. */
static enum hb_status make_buffer(struct reading *reading) {
  enum hb_status status = HB_OK;
  const struct hb_field_file *file = reading->file;
  const hb_global layer = reading->count[0] * reading->count[1];
  hb_global element = 0, offset = 0;
  for (int a = 0; a < file->num_arrays; a++) element += element_bytes(&file->arrays[a]) + ALIGNMENT;
  reading->chunk = file->piece_bytes / element;
  if (reading->chunk > layer) reading->chunk = layer;
  if (reading->chunk < 1) reading->chunk = 1;
  HB_ALLOC(reading->buffer, reading->chunk * element, "output file, read back");
  for (int a = 0; a < file->num_arrays; a++) {
    reading->values[a] = reading->buffer + offset;
    offset += reading->chunk * element_bytes(&file->arrays[a]);
    offset += (ALIGNMENT - offset % ALIGNMENT) % ALIGNMENT;
  }
done:
  return status;
}

/* Not collective. */
static enum hb_status make_identities(struct reading *reading,
                                      const struct hb_identity_facts *facts) {
  enum hb_status status = HB_OK;
  const struct hb_field_file *file = reading->file;
  struct hb_identities *identities = &reading->identities;
  int f = 0;
  HB_TRY(hb_identities_create(file->content->num_fields + 1, identities));
  identities->n = file->n;
  identities->facts = *facts;
  for (int a = 0; a < 3; a++) {
    identities->elements[a] = file->content->elements[a];
    identities->periodic[a] = file->content->periodic[a];
  }
  for (int a = 0; a < file->num_arrays; a++) {
    const struct hb_file_array *array = &file->arrays[a];
    if (array->caller_fill == NULL) continue;
    identities->field[f++] =
        (struct hb_identity_field){.path = array->path,
                                   .role = hb_field_role_of(strrchr(array->path, '/') + 1),
                                   .precision = file->content->precision,
                                   .components = array->components};
  }
  hb_identities_begin(identities);
done:
  return status;
}

/* Not collective.  Reads this rank's share and compares its checksums. */
static enum hb_status read_back(struct reading *reading) {
  enum hb_status status = HB_OK;
  const struct hb_field_file *file = reading->file;
  if (!file->way.direct && file->comm->rank > 0) goto done;
  reading->descriptor = open(file->partial, O_RDONLY | O_CLOEXEC);
  if (reading->descriptor < 0)
    HB_FAIL(HB_MACHINE_FAILED, "output file '%s': cannot read it back: %s", file->partial,
            strerror(errno));
  /* Among nodes from where the file is kept, not from this node's memory. */
  if (file->comm->node_size < file->comm->size)
    posix_fadvise(reading->descriptor, 0, 0, POSIX_FADV_DONTNEED);
  HB_TRY(read_box(reading));
  for (int a = 0; a < file->num_arrays; a++)
    if (file->arrays[a].fill_rows != NULL) HB_TRY(read_rows(reading, a));
  for (int a = 0; a < file->num_arrays; a++) {
    if (reading->found[a] == reading->expected[a]) continue;
    if (reading->partner >= 0)
      HB_FAIL(HB_GATE_FAILED,
              "output file '%s': rank %d's part of %s, read back, is not what it wrote", file->path,
              reading->partner, file->arrays[a].path);
    HB_FAIL(HB_GATE_FAILED, "output file '%s': %s, read back, is not what was written", file->path,
            file->arrays[a].path);
  }
done:
  return status;
}

static enum hb_status complain(void *context, const char *words) {
  enum hb_status status = HB_OK;
  const struct hb_field_file *file = context;
  HB_FAIL(HB_GATE_FAILED, "output file '%s': %s", file->path, words);
done:
  return status;
}

/* Collective.  The sums of all ranks; judged by rank 0. */
static enum hb_status judge(struct reading *reading) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = reading->file->comm;
  struct hb_identities *of = &reading->identities;
  double squares[3] = {of->error_square, of->residual_square, of->solution_square};
  for (int f = 0; f < of->num_fields; f++)
    MPI_Allreduce(MPI_IN_PLACE, of->field[f].faces, 3, MPI_UINT64_T, MPI_SUM, comm->mpi);
  of->wrong_errors = hb_comm_sum_global(comm, of->wrong_errors);
  of->wrong_points = hb_comm_sum_global(comm, of->wrong_points);
  hb_comm_sum(comm, 3, squares);
  hb_comm_max(comm, 1, &of->largest_error);
  of->error_square = squares[0];
  of->residual_square = squares[1];
  of->solution_square = squares[2];
  if (comm->rank == 0) status = hb_identities_judge(of, complain, (void *)reading->file);
  return hb_comm_agree(comm, status);
}

/* Collective.  Mesh and fields. */
static enum hb_status verify_arrays(const struct hb_field_file *file,
                                    const struct hb_identity_facts *facts) {
  enum hb_status status = HB_OK;
  struct reading reading = {.file = file, .descriptor = -1};
  HB_TRY(hb_comm_agree(file->comm, make_sums(&reading)));
  share_out(&reading);
  status = make_buffer(&reading);
  if (status == HB_OK) status = make_identities(&reading, facts);
  HB_TRY(hb_comm_agree(file->comm, status));
  HB_TRY(hb_comm_agree(file->comm, read_back(&reading)));
  HB_TRY(judge(&reading));
done:
  if (reading.descriptor >= 0) close(reading.descriptor);
  hb_identities_destroy(&reading.identities);
  hb_free(reading.buffer);
  hb_free(reading.fields);
  hb_free(reading.values);
  hb_free(reading.expected);
  hb_free(reading.found);
  return status;
}

/* Collective.  The rows of a table, which rank 0 has read: each to the rank that it should be of.
 */
static enum hb_status check_owners(const struct hb_field_file *file,
                                   const struct hb_field_file_table *table, const char *rows) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = file->comm;
  const hb_global bytes = hb_file_table_row_bytes(table), repeats = table->num_rows / comm->size;
  char *row = hb_allocate(bytes, 1, "row of a table");
  HB_TRY(hb_comm_agree(comm, row != NULL ? HB_OK : HB_MACHINE_FAILED));
  for (hb_global repeat = 0; repeat < repeats; repeat++) {
    const char *from = rows == NULL ? NULL : rows + repeat * comm->size * bytes;
    MPI_Scatter(from, (int)bytes, MPI_BYTE, row, (int)bytes, MPI_BYTE, 0, comm->mpi);
    const char *column = hb_file_table_wrong_column(table, repeat, row);
    if (column != NULL && status == HB_OK)
      status = hb_error_record(HB_GATE_FAILED, __FILE__, __LINE__,
                               "output file '%s': %s: column %s of row %lld is not that of rank %d",
                               file->path, table->path, column,
                               (long long)(repeat * comm->size + comm->rank), comm->rank);
  }
done:
  hb_free(row);
  return hb_comm_agree(comm, status);
}

/* Rank 0 alone. */
static enum hb_status read_table(const struct hb_field_file *file,
                                 const struct hb_field_file_table *table, char **rows) {
  enum hb_status status = HB_OK;
  hid_t access = H5I_INVALID_HID, hdf5 = H5I_INVALID_HID;
  HB_ALLOC(*rows, hb_file_table_bytes(table), "rows of a table, read back");
  HB_TRY(hb_hdf5_access_serial(&access));
  hdf5 = H5Fopen(file->partial, H5F_ACC_RDONLY, access);
  HB_TRY(hb_hdf5_check(hdf5, "open", file->partial));
  HB_TRY(hb_file_table_read(hdf5, table, *rows));
done:
  hb_hdf5_release(&hdf5);
  hb_hdf5_release(&access);
  return status;
}

/* Collective. */
static enum hb_status verify_owners(const struct hb_field_file *file) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = file->comm;
  char *rows = NULL;
  for (int t = 0; t < file->content->num_tables; t++) {
    const struct hb_field_file_table *table = &file->content->tables[t];
    if (!hb_file_table_has_owners(table, comm->size)) continue;
    HB_TRY(hb_comm_agree(comm, comm->rank == 0 ? read_table(file, table, &rows) : HB_OK));
    HB_TRY(check_owners(file, table, rows));
    hb_free(rows);
    rows = NULL;
  }
done:
  hb_free(rows);
  return status;
}

/* Rank 0 alone.  Attributes and tables, as helmbone-inspect reads and checks them. */
static enum hb_status verify_description(const struct hb_field_file *file,
                                         struct hb_identity_facts *facts) {
  enum hb_status status = HB_OK;
  struct hb_field_file_summary *summary = NULL;
  HB_TRY(hb_read_description(file->partial, true, &summary));
  if (summary->num_faults > 0)
    HB_FAIL(HB_GATE_FAILED, "output file '%s': read back: %s%s", file->path, summary->faults[0],
            summary->num_faults > 1 ? " (and more)" : "");
  hb_summary_facts(summary, facts);
done:
  hb_field_file_summary_destroy(&summary);
  return status;
}

enum hb_status hb_file_verify(struct hb_field_file *file) {
  enum hb_status status = HB_OK;
  const struct hb_comm *comm = file->comm;
  struct hb_identity_facts facts = {.rms_error = {.known = false}};
  HB_TRY(hb_comm_agree(comm, comm->rank == 0 ? verify_description(file, &facts) : HB_OK));
  HB_TRY(verify_owners(file));
  if (!file->content->fields) goto done;
  MPI_Bcast(&facts, (int)sizeof facts, MPI_BYTE, 0, comm->mpi);
  HB_TRY(verify_arrays(file, &facts));
done:
  return status;
}
