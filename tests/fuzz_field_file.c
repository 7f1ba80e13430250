/* SPDX-License-Identifier: BSD-3-Clause
 * The reader of output files, on files that HDF5 finds right and the layout does not: the input is
 * a list of edits of a small valid file, made through HDF5.  (What HDF5 does with damaged bytes is
 * not ours to mend: end_to_end_damage.py gives such files to the guarded reader.) */
#include <fcntl.h>
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/field_file_read.h"
#include "tests/fuzz.h"
#include "tests/small_file.h"

enum { MOST_EDITS = 12, PATH_BYTES = 96, MOST_DATA = 1 << 14, OWN_BYTES = 40 << 20 };

static struct hb_comm *comm;
static char folder[64], original[PATH_BYTES], edited[PATH_BYTES];

/* The bytes of the input, one after another; zeros at the end. */
struct input {
  const uint8_t *next, *end;
};

static unsigned take(struct input *input, unsigned count) {
  return input->next < input->end ? *input->next++ % count : 0;
}

static const char *take_path(struct input *input) {
  static const char *const paths[] = {"/",
                                      HB_SCHEMA_VTK,
                                      HB_SCHEMA_NUM_POINTS,
                                      HB_SCHEMA_NUM_CELLS,
                                      HB_SCHEMA_NUM_IDS,
                                      HB_SCHEMA_POINTS,
                                      HB_SCHEMA_CONNECTIVITY,
                                      HB_SCHEMA_OFFSETS,
                                      HB_SCHEMA_TYPES,
                                      HB_SCHEMA_POINT_DATA,
                                      HB_SCHEMA_POINT_DATA "/zero",
                                      HB_SCHEMA_POINT_DATA "/new",
                                      HB_SCHEMA_CELL_DATA,
                                      HB_SCHEMA_ELEMENT_ID,
                                      HB_SCHEMA_MPI_RANK,
                                      HB_SCHEMA_FIELDS,
                                      HB_SCHEMA_REFERENCE,
                                      HB_SCHEMA_GLL_NODES,
                                      HB_SCHEMA_GLL_WEIGHTS,
                                      HB_SCHEMA_CONFIGURATION,
                                      "/timings",
                                      HB_SCHEMA_TIMINGS,
                                      HB_SCHEMA_HOSTS,
                                      "/solver",
                                      HB_SCHEMA_RESIDUALS,
                                      HB_SCHEMA_GATES,
                                      HB_SCHEMA_TUNING,
                                      "/a",
                                      "/a/b",
                                      "/solver/\xff\"\\"};
  return paths[take(input, sizeof paths / sizeof *paths)];
}

static const char *take_name(struct input *input) {
  static const char *const names[] = {HB_SCHEMA_SCHEMA,
                                      HB_SCHEMA_COMPLETE,
                                      HB_SCHEMA_HAS_FIELDS,
                                      HB_SCHEMA_RANKS,
                                      HB_SCHEMA_ORDER,
                                      HB_SCHEMA_NODES,
                                      HB_SCHEMA_ELEMENTS,
                                      HB_SCHEMA_ELEMENTS_X,
                                      HB_SCHEMA_ELEMENTS_Y,
                                      HB_SCHEMA_ELEMENTS_Z,
                                      HB_SCHEMA_PERIODIC_X,
                                      HB_SCHEMA_ALL_POINTS,
                                      "Version",
                                      "Type",
                                      "units",
                                      "long_name",
                                      "rank",
                                      "iteration",
                                      "residual_norm",
                                      "relative_residual",
                                      "total_s",
                                      "name",
                                      "observed",
                                      "bound",
                                      "passed",
                                      "title",
                                      "mesh.degree",
                                      "_s",
                                      "\x01\xfe"};
  return names[take(input, sizeof names / sizeof *names)];
}

static hsize_t take_size(struct input *input) {
  static const hsize_t sizes[] = {0,    1,        2,        3,          4,          16, 17,
                                  1000, 1u << 20, 1u << 31, 1ull << 40, 1ull << 62, 8,  48};
  return sizes[take(input, sizeof sizes / sizeof *sizes)];
}

static int64_t take_integer(struct input *input) {
  static const int64_t values[] = {0,
                                   1,
                                   2,
                                   -1,
                                   16,
                                   17,
                                   15,
                                   INT64_MIN,
                                   INT64_MAX,
                                   INT32_MAX,
                                   1LL << 40,
                                   INT64_MIN + 1,
                                   32,
                                   0x3ff000000000000,
                                   0x7ff000000000000,
                                   -5};
  return values[take(input, sizeof values / sizeof *values)];
}

static hid_t take_type(struct input *input, bool compound_allowed);

/* Columns side by side; a name that is there already is left out. */
static hid_t take_compound(struct input *input) {
  enum { MOST = 4 };
  const unsigned count = 1 + take(input, MOST);
  const char *names[MOST];
  hid_t members[MOST];
  size_t bytes = 0, offset = 0;
  for (unsigned c = 0; c < count; c++) {
    names[c] = take_name(input);
    members[c] = take_type(input, false);
    bytes += H5Tget_size(members[c]);
  }
  hid_t row = H5Tcreate(H5T_COMPOUND, bytes);
  for (unsigned c = 0; c < count; c++) {
    bool known = false;
    for (unsigned before = 0; before < c; before++)
      known = known || strcmp(names[before], names[c]) == 0;
    if (!known) H5Tinsert(row, names[c], offset, members[c]);
    offset += H5Tget_size(members[c]);
    H5Tclose(members[c]);
  }
  return row;
}

static hid_t take_type(struct input *input, bool compound_allowed) {
  const hsize_t two = 2;
  const int8_t none = 0, one = 1;
  hid_t type = H5I_INVALID_HID, base = H5I_INVALID_HID;
  switch (take(input, 16)) {
  case 0: return H5Tcopy(H5T_NATIVE_DOUBLE);
  case 1: return H5Tcopy(H5T_NATIVE_FLOAT);
  case 2: return H5Tcopy(H5T_NATIVE_INT32);
  case 3: return H5Tcopy(H5T_NATIVE_INT64);
  case 4: return H5Tcopy(H5T_NATIVE_INT8);
  case 5: return H5Tcopy(H5T_NATIVE_UINT8);
  case 6: return H5Tcopy(H5T_STD_U64BE);
  case 7: return H5Tcopy(H5T_IEEE_F64BE);
  case 8: return H5Tcreate(H5T_OPAQUE, 1 + take(input, 64));
  case 9: return H5Tarray_create2(H5T_NATIVE_DOUBLE, 1, &two);
  case 10: return H5Tvlen_create(H5T_NATIVE_INT32);
  case 11:
    type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, H5T_VARIABLE);
    if (take(input, 2) > 0) H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
  case 12:
    base = H5Tcopy(H5T_NATIVE_INT8);
    type = H5Tenum_create(base);
    H5Tenum_insert(type, take(input, 2) > 0 ? "FALSE" : "none", &none);
    H5Tenum_insert(type, "TRUE", &one);
    H5Tclose(base);
    return type;
  case 13:
  case 14:
    if (compound_allowed) return take_compound(input);
    return H5Tcopy(H5T_STD_REF_OBJ);
  default:
    type = H5Tcopy(H5T_C_S1);
    H5Tset_size(type, 1 + take(input, 4) * 300);
    if (take(input, 2) > 0) H5Tset_strpad(type, H5T_STR_NULLPAD);
    if (take(input, 2) > 0) H5Tset_cset(type, H5T_CSET_UTF8);
    return type;
  }
}

static hid_t take_space(struct input *input, hsize_t *items) {
  const int rank = (int)take(input, 4);
  hsize_t shape[3] = {1, 1, 1};
  *items = 1;
  for (int d = 0; d < rank; d++) {
    shape[d] = take_size(input);
    *items *= shape[d] < MOST_DATA ? shape[d] : MOST_DATA + 1; /* no more is ever written */
    if (*items > MOST_DATA) *items = MOST_DATA + 1;
  }
  if (rank == 0) return H5Screate(take(input, 2) > 0 ? H5S_NULL : H5S_SCALAR);
  return H5Screate_simple(rank, shape, NULL);
}

/* Values of one repeated byte; text of variable length and lists stay unwritten. */
static void write_values(struct input *input, hid_t dataset, hid_t type, hsize_t items) {
  static uint8_t values[MOST_DATA];
  const size_t bytes = H5Tget_size(type);
  const bool pointers = H5Tdetect_class(type, H5T_VLEN) > 0 || H5Tis_variable_str(type) > 0 ||
                        H5Tdetect_class(type, H5T_REFERENCE) > 0;
  const unsigned value = take(input, 256);
  if (pointers || bytes == 0 || items > MOST_DATA / bytes) return;
  memset(values, (int)value, items * bytes);
  if (H5Tdetect_class(type, H5T_COMPOUND) > 0 && H5Tdetect_class(type, H5T_STRING) > 0) return;
  H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
}

static void make_dataset(struct input *input, hid_t file, const char *path) {
  hsize_t items = 0;
  hid_t type = take_type(input, true), space = take_space(input, &items);
  hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  const unsigned layout = take(input, 5);
  const int rank = H5Sget_simple_extent_ndims(space);
  const hsize_t chunk[3] = {1 + take_size(input) % 64, 3, 2};
  if (layout == 1) H5Pset_layout(properties, H5D_COMPACT);
  if (layout >= 2 && rank > 0) H5Pset_chunk(properties, rank, chunk);
  if (layout == 3 && rank > 0) H5Pset_deflate(properties, 9);
  H5Ldelete(file, path, H5P_DEFAULT);
  hid_t dataset = H5Dcreate2(file, path, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  if (dataset >= 0) {
    write_values(input, dataset, type, items);
    H5Dclose(dataset);
  }
  H5Pclose(properties);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
}

static void make_attribute(struct input *input, hid_t file, const char *path, const char *name) {
  static uint8_t values[MOST_DATA];
  hsize_t items = 0;
  hid_t object = H5Oopen(file, path, H5P_DEFAULT);
  if (object < 0) return;
  hid_t type = take_type(input, true), space = take_space(input, &items);
  H5Adelete(object, name);
  hid_t attribute = items > MOST_DATA || type < 0 || space < 0
                        ? H5I_INVALID_HID
                        : H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  memset(values, (int)take(input, 256), sizeof values);
  const char *text = take(input, 2) > 0 ? "yes" : "\xc3(\x1b";
  if (attribute >= 0 && H5Tis_variable_str(type) > 0 && items == 1)
    H5Awrite(attribute, type, &text);
  else if (attribute >= 0 && H5Tdetect_class(type, H5T_VLEN) == 0 &&
           H5Tdetect_class(type, H5T_STRING) == 0 && items <= MOST_DATA / H5Tget_size(type))
    H5Awrite(attribute, type, values);
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  if (type >= 0) H5Tclose(type);
  H5Oclose(object);
}

static void set_integer(struct input *input, hid_t file) {
  const char *name = take_name(input);
  const int64_t value = take_integer(input);
  hid_t attribute = H5Aopen_by_name(file, "/", name, H5P_DEFAULT, H5P_DEFAULT);
  if (attribute < 0) return;
  hid_t space = H5Aget_space(attribute);
  if (H5Sget_simple_extent_npoints(space) == 1) H5Awrite(attribute, H5T_NATIVE_INT64, &value);
  H5Sclose(space);
  H5Aclose(attribute);
}

static void overwrite(struct input *input, hid_t file, const char *path) {
  hid_t dataset = H5Dopen2(file, path, H5P_DEFAULT);
  if (dataset < 0) return;
  hid_t type = H5Dget_type(dataset), space = H5Dget_space(dataset);
  const hssize_t items = H5Sget_simple_extent_npoints(space);
  if (items > 0) write_values(input, dataset, type, (hsize_t)items);
  H5Sclose(space);
  H5Tclose(type);
  H5Dclose(dataset);
}

static void edit(struct input *input, hid_t file) {
  const unsigned kind = take(input, 9);
  const char *path = take_path(input);
  hid_t group = H5I_INVALID_HID;
  switch (kind) {
  case 0: H5Ldelete(file, path, H5P_DEFAULT); break;
  case 1: make_dataset(input, file, path); break;
  case 2: make_attribute(input, file, path, take_name(input)); break;
  case 3: H5Lcreate_hard(file, path, file, take_path(input), H5P_DEFAULT, H5P_DEFAULT); break;
  case 4: H5Lcreate_soft(path, file, take_path(input), H5P_DEFAULT, H5P_DEFAULT); break;
  case 5: overwrite(input, file, path); break;
  case 6: set_integer(input, file); break;
  case 7:
    group = H5Gcreate2(file, path, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (group >= 0) H5Gclose(group);
    break;
  default: H5Adelete_by_name(file, path, take_name(input), H5P_DEFAULT); break;
  }
}

static void copy_original(void) {
  static char bytes[1 << 20];
  const int from = open(original, O_RDONLY), to = open(edited, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  FUZZ_REQUIRE(from >= 0 && to >= 0);
  const ssize_t size = read(from, bytes, sizeof bytes);
  FUZZ_REQUIRE(size > 0 && size < (ssize_t)sizeof bytes && write(to, bytes, (size_t)size) == size);
  close(from);
  close(to);
}

/* Reads and prints the file both ways, in memory that its size accounts for. */
static void read_and_print(void) {
  struct hb_field_file_summary *summary = NULL;
  struct stat about;
  char *text = NULL;
  size_t bytes = 0;
  FUZZ_REQUIRE(stat(edited, &about) == 0);
  hb_error_clear();
  const enum hb_status status = hb_field_file_read(edited, &summary);
  FUZZ_REQUIRE(status == HB_OK || status == HB_MACHINE_FAILED);
  FUZZ_REQUIRE((status == HB_OK) == (hb_error_message()[0] == '\0'));
  FUZZ_REQUIRE((status == HB_OK) == (summary != NULL));
  FILE *stream = open_memstream(&text, &bytes);
  FUZZ_REQUIRE(stream != NULL);
  if (summary != NULL) {
    FUZZ_REQUIRE(hb_field_file_print(summary, stream) == HB_OK);
    FUZZ_REQUIRE(hb_field_file_print_json(summary, stream) == HB_OK);
  }
  fclose(stream);
  free(text);
  hb_field_file_summary_destroy(&summary);
  FUZZ_REQUIRE(hb_memory_use().peak_bytes <= OWN_BYTES + 64 * (hb_global)about.st_size);
}

static void finish(void) {
  hb_comm_destroy(&comm);
  unlink(original);
  unlink(edited);
  rmdir(folder);
  MPI_Finalize();
}

int LLVMFuzzerInitialize(int *argc, char ***argv) {
  struct hb_field_file_summary *summary = NULL;
  const bool memory = access("/dev/shm", W_OK) == 0;
  MPI_Init(argc, argv);
  FUZZ_REQUIRE(hb_comm_create(MPI_COMM_SELF, &comm) == HB_OK);
  snprintf(folder, sizeof folder, "%s/fuzz_field_file.XXXXXX", memory ? "/dev/shm" : "/tmp");
  FUZZ_REQUIRE(mkdtemp(folder) != NULL);
  snprintf(original, sizeof original, "%s/original.vtkhdf", folder);
  snprintf(edited, sizeof edited, "%s/edited.vtkhdf", folder);
  FUZZ_REQUIRE(small_file_write(comm, original) == HB_OK);
  atexit(finish);
  FUZZ_REQUIRE(hb_field_file_read(original, &summary) == HB_OK && summary->num_faults == 0);
  hb_field_file_summary_destroy(&summary);
  return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct input input = {data, data + size};
  const hb_global live = hb_memory_use().live_allocations;
  copy_original();
  hid_t file = H5Fopen(edited, H5F_ACC_RDWR, H5P_DEFAULT);
  FUZZ_REQUIRE(file >= 0);
  for (int e = 0; e < MOST_EDITS && input.next < input.end; e++) edit(&input, file);
  H5Fclose(file);
  read_and_print();
  FUZZ_REQUIRE(hb_memory_use().live_allocations == live);
  return 0;
}
