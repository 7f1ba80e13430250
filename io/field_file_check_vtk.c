/* SPDX-License-Identifier: BSD-3-Clause
 * Layout check, second part: mesh and fields in the exact types and shapes that readers of VTK
 * files need, and their values. */
#include <math.h>
#include <string.h>

#include "io/field_file_read_internal.h"
#include "io/schema.h"

/* State of one pass over an array: the first wrong value ends it. */
struct pass {
  struct hb_field_file_summary *summary;
  const char *path;
  const struct hb_read_mesh *mesh;
  hb_global width;            /* values a row */
  struct hb_read_range range; /* for fields */
  hb_global (*expected)(const struct hb_read_mesh *mesh, hb_global index);
  hb_global limit; /* where expected is NULL: 0 <= value < limit */
};

static enum hb_status visit_integers(void *context, const struct hb_read_piece *piece, bool *stop) {
  enum hb_status status = HB_OK;
  struct pass *pass = context;
  for (hb_global i = 0; i < piece->count && !*stop; i++) {
    const hb_global value = piece->integers[i], index = piece->first + i;
    const hb_global expected = pass->expected ? pass->expected(pass->mesh, index) : 0;
    const bool right = pass->expected ? value == expected : value >= 0 && value < pass->limit;
    if (right) continue;
    *stop = true;
    if (pass->expected)
      HB_TRY(hb_add_fault(pass->summary, "%s[%lld] is %lld, not %lld", pass->path, (long long)index,
                          (long long)value, (long long)expected));
    else
      HB_TRY(hb_add_fault(pass->summary, "%s[%lld] is %lld, not in 0 to %lld", pass->path,
                          (long long)index, (long long)value,
                          (long long)(pass->limit > 0 ? pass->limit - 1 : 0)));
  }
done:
  return status;
}

static enum hb_status visit_reals(void *context, const struct hb_read_piece *piece, bool *stop) {
  struct pass *pass = context;
  struct hb_read_range *range = &pass->range;
  (void)stop;
  for (hb_global i = 0; i < piece->count * pass->width; i++) {
    const double value = piece->reals[i];
    if (!isfinite(value)) range->num_not_finite++;
    if (isfinite(value) && value < range->min) range->min = value;
    if (isfinite(value) && value > range->max) range->max = value;
  }
  return HB_OK;
}

/* Opens `path`; its id is negative, with a fault, unless it has the shape {rows} or {rows, width}
 * and one of the two types. */
static enum hb_status open_array(struct hb_field_file_summary *summary, hid_t file,
                                 const char *path, hb_global rows, hb_global width,
                                 const enum hb_number allowed[2], const char *words,
                                 struct hb_read_dataset *dataset) {
  enum hb_status status = HB_OK;
  *dataset = hb_read_dataset_open(file, path);
  if (dataset->id < 0) {
    HB_TRY(hb_add_fault(summary, "dataset %s is missing", path));
    goto done;
  }
  const bool shape = dataset->rank == (width > 1 ? 2 : 1) && dataset->shape[0] == rows &&
                     (width == 1 || dataset->shape[1] == width);
  const bool type = dataset->number == allowed[0] || dataset->number == allowed[1];
  if (!shape)
    HB_TRY(hb_add_fault(summary, "%s has the wrong shape (%d dimensions, %lld rows), not %lld rows",
                        path, dataset->rank, (long long)dataset->shape[0], (long long)rows));
  if (!type) HB_TRY(hb_add_fault(summary, "%s is not %s", path, words));
  if (!shape || !type) hb_read_dataset_close(dataset);
done:
  return status;
}

static enum hb_status check_integers(const struct pass *pass_in, hid_t file, hb_global rows,
                                     enum hb_number a, enum hb_number b, const char *words,
                                     enum hb_number *found) {
  enum hb_status status = HB_OK;
  struct pass pass = *pass_in;
  struct hb_read_dataset dataset = {.id = H5I_INVALID_HID};
  const enum hb_number allowed[2] = {a, b};
  HB_TRY(open_array(pass.summary, file, pass.path, rows, 1, allowed, words, &dataset));
  if (dataset.id < 0) goto done;
  if (found != NULL) *found = dataset.number;
  HB_TRY(hb_read_pieces(pass.summary, pass.path, &dataset, false, visit_integers, &pass));
done:
  hb_read_dataset_close(&dataset);
  return status;
}

static enum hb_status check_text_of(struct hb_field_file_summary *summary, hid_t dataset,
                                    const char *path, const char *name) {
  enum hb_status status = HB_OK;
  hid_t attribute = H5Aopen(dataset, name, H5P_DEFAULT), type = H5I_INVALID_HID;
  if (attribute >= 0) type = H5Aget_type(attribute);
  if (attribute < 0 || H5Tget_class(type) != H5T_STRING)
    HB_TRY(hb_add_fault(summary, "%s: text attribute %s is missing", path, name));
done:
  hb_hdf5_release(&type);
  hb_hdf5_release(&attribute);
  return status;
}

/* Reals over the points: type, shape, finite values; adds their range to the summary. */
static enum hb_status check_reals(struct hb_field_file_summary *summary, hid_t file,
                                  const char *path, hb_global rows, hb_global width) {
  static const enum hb_number allowed[2] = {HB_NUMBER_F32, HB_NUMBER_F64};
  enum hb_status status = HB_OK;
  struct hb_read_dataset dataset = {.id = H5I_INVALID_HID};
  struct pass pass = {.summary = summary, .path = path, .width = width};
  HB_TRY(open_array(summary, file, path, rows, width, allowed, "f32 or f64", &dataset));
  if (dataset.id < 0) goto done;
  HB_TRY(check_text_of(summary, dataset.id, path, "units"));
  HB_TRY(check_text_of(summary, dataset.id, path, "long_name"));
  pass.range = (struct hb_read_range){.components = (int)width, .min = INFINITY, .max = -INFINITY};
  HB_TRY(hb_read_pieces(summary, path, &dataset, true, visit_reals, &pass));
  if (pass.range.num_not_finite > 0)
    HB_TRY(hb_add_fault(summary, "%s: %lld values are not finite", path,
                        (long long)pass.range.num_not_finite));
  HB_TRY(hb_list_grow((void **)&summary->ranges, summary->num_ranges, sizeof *summary->ranges));
  HB_TRY(hb_copy_text(path, strlen(path), &pass.range.path));
  summary->ranges[summary->num_ranges++] = pass.range;
done:
  hb_read_dataset_close(&dataset);
  return status;
}

/* First element of piece q: floor(q E / Q). */
static hb_global piece_first(const struct hb_read_mesh *mesh, hb_global q) {
  const hb_global all = mesh->num_elements, pieces = mesh->pieces;
  return all / pieces * q + all % pieces * q / pieces;
}

/* The piece of an element, by bisection. */
static hb_global piece_of(const struct hb_read_mesh *mesh, hb_global element) {
  hb_global low = 0, high = mesh->pieces;
  while (high - low > 1) {
    const hb_global middle = (low + high) / 2;
    if (piece_first(mesh, middle) <= element)
      low = middle;
    else
      high = middle;
  }
  return low;
}

/* Offsets have a row more than cells in each piece: row = cell + number of pieces before. */
static hb_global expected_offset(const struct hb_read_mesh *mesh, hb_global index) {
  const hb_global cells = mesh->p * mesh->p * mesh->p;
  hb_global low = 0, high = mesh->pieces;
  while (high - low > 1) {
    const hb_global middle = (low + high) / 2;
    if (piece_first(mesh, middle) * cells + middle <= index)
      low = middle;
    else
      high = middle;
  }
  return HB_SCHEMA_CORNERS * (index - piece_first(mesh, low) * cells - low);
}

static hb_global expected_type(const struct hb_read_mesh *mesh, hb_global index) {
  (void)mesh, (void)index;
  return HB_SCHEMA_CELL_TYPE;
}

static hb_global expected_element(const struct hb_read_mesh *mesh, hb_global index) {
  return index / (mesh->p * mesh->p * mesh->p);
}

/* Corner of a cell by its place in the lattice of all nodes, g = e p + i along an axis: the
 * elements that hold the node are (g - 1) / p and g / p.  Of those in the piece the first one gives
 * the id. */
static hb_global expected_corner(const struct hb_read_mesh *mesh, hb_global index) {
  static const int offset[3][HB_SCHEMA_CORNERS] = {
      {0, 1, 1, 0, 0, 1, 1, 0}, {0, 0, 1, 1, 0, 0, 1, 1}, {0, 0, 0, 0, 1, 1, 1, 1}};
  const hb_global p = mesh->p, n = mesh->n, corner = index % HB_SCHEMA_CORNERS;
  hb_global cell = index / HB_SCHEMA_CORNERS % (p * p * p);
  hb_global element = index / HB_SCHEMA_CORNERS / (p * p * p);
  const hb_global begin = mesh->pieces > 1 ? piece_first(mesh, piece_of(mesh, element)) : 0;
  hb_global g[3], smallest = HB_GLOBAL_MAX;
  for (int axis = 0; axis < 3; axis++) {
    g[axis] = element % mesh->elements[axis] * p + cell % p + offset[axis][corner];
    element /= mesh->elements[axis];
    cell /= p;
  }
  for (int choice = 0; choice < 8; choice++) {
    hb_global holder = 0, node = 0, elements_below = 1, nodes_below = 1;
    bool there = true;
    for (int axis = 0; axis < 3; axis++) {
      const hb_global e =
          (choice >> axis & 1) == 0 ? (g[axis] > 0 ? (g[axis] - 1) / p : 0) : g[axis] / p;
      there = there && e < mesh->elements[axis];
      holder += elements_below * e;
      node += nodes_below * (g[axis] - e * p);
      elements_below *= mesh->elements[axis];
      nodes_below *= n;
    }
    const hb_global id = (holder - begin) * n * n * n + node;
    if (there && holder >= begin && id < smallest) smallest = id;
    if (choice == 0 && there && holder >= begin) break; /* the first of all */
  }
  return smallest;
}

static hb_global expected_count(const struct hb_read_mesh *mesh, hb_global q) {
  return piece_first(mesh, q + 1) - piece_first(mesh, q);
}
static hb_global expected_points(const struct hb_read_mesh *mesh, hb_global q) {
  return expected_count(mesh, q) * mesh->n * mesh->n * mesh->n;
}
static hb_global expected_cells(const struct hb_read_mesh *mesh, hb_global q) {
  return expected_count(mesh, q) * mesh->p * mesh->p * mesh->p;
}
static hb_global expected_ids(const struct hb_read_mesh *mesh, hb_global q) {
  return HB_SCHEMA_CORNERS * expected_cells(mesh, q);
}

/* A number a piece. */
static enum hb_status check_counts(struct hb_field_file_summary *summary, hid_t file,
                                   const struct hb_read_mesh *mesh) {
  static const char *const paths[] = {HB_SCHEMA_NUM_POINTS, HB_SCHEMA_NUM_CELLS, HB_SCHEMA_NUM_IDS};
  static hb_global (*const expected[])(const struct hb_read_mesh *,
                                       hb_global) = {expected_points, expected_cells, expected_ids};
  enum hb_status status = HB_OK;
  struct pass pass = {.summary = summary, .mesh = mesh};
  for (int c = 0; c < 3; c++) {
    pass.path = paths[c];
    pass.expected = expected[c];
    HB_TRY(
        check_integers(&pass, file, mesh->pieces, HB_NUMBER_INT64, HB_NUMBER_INT64, "int64", NULL));
  }
done:
  return status;
}

static enum hb_status check_cells(struct hb_field_file_summary *summary, hid_t file,
                                  const struct hb_read_mesh *mesh) {
  enum hb_status status = HB_OK;
  const hb_global ids = HB_SCHEMA_CORNERS * mesh->num_cells;
  const enum hb_number wide =
      ids > INT32_MAX || mesh->num_points > INT32_MAX ? HB_NUMBER_INT64 : HB_NUMBER_INT32;
  enum hb_number corner = HB_NUMBER_OTHER, offset = HB_NUMBER_OTHER;
  struct pass pass = {.summary = summary, .mesh = mesh};
  pass.path = HB_SCHEMA_CONNECTIVITY;
  pass.expected = expected_corner;
  HB_TRY(check_integers(&pass, file, ids, wide, HB_NUMBER_INT64, "a signed integer of its width",
                        &corner));
  pass.path = HB_SCHEMA_OFFSETS;
  pass.expected = expected_offset;
  HB_TRY(check_integers(&pass, file, mesh->num_cells + mesh->pieces, wide, HB_NUMBER_INT64,
                        "a signed integer of its width", &offset));
  if (corner != HB_NUMBER_OTHER && offset != HB_NUMBER_OTHER && corner != offset)
    HB_TRY(hb_add_fault(summary, "%s and %s are of different types", HB_SCHEMA_CONNECTIVITY,
                        HB_SCHEMA_OFFSETS));
  pass.path = HB_SCHEMA_TYPES;
  pass.expected = expected_type;
  HB_TRY(check_integers(&pass, file, mesh->num_cells, HB_NUMBER_UINT8, HB_NUMBER_UINT8, "uint8",
                        NULL));
  pass.path = HB_SCHEMA_ELEMENT_ID;
  pass.expected = expected_element;
  HB_TRY(check_integers(&pass, file, mesh->num_cells, HB_NUMBER_INT32, HB_NUMBER_INT64,
                        "int32 or int64", NULL));
  pass.path = HB_SCHEMA_MPI_RANK;
  pass.expected = NULL;
  pass.limit = hb_summary_integer(summary, HB_SCHEMA_RANKS, 0);
  HB_TRY(check_integers(&pass, file, mesh->num_cells, HB_NUMBER_INT32, HB_NUMBER_INT32, "int32",
                        NULL));
done:
  return status;
}

/* One array over the points or cells, which must be one that VTK reads. */
static enum hb_status check_array(struct hb_field_file_summary *summary, hid_t file,
                                  const char *path, hb_global rows, bool point_data) {
  enum hb_status status = HB_OK;
  struct hb_read_dataset dataset = hb_read_dataset_open(file, path);
  const bool numbers = dataset.id >= 0 && dataset.number != HB_NUMBER_OTHER;
  const bool vector = dataset.rank == 2 && dataset.shape[1] == 3;
  const bool shape = (dataset.rank == 1 || vector) && dataset.shape[0] == rows;
  hb_read_dataset_close(&dataset);
  if (!numbers)
    HB_TRY(hb_add_fault(summary, "%s is no array of integers, f32 or f64", path));
  else if (!shape)
    HB_TRY(hb_add_fault(summary, "%s is neither {%lld} nor {%lld, 3}", path, (long long)rows,
                        (long long)rows));
  else if (point_data)
    HB_TRY(check_reals(summary, file, path, rows, vector ? 3 : 1));
done:
  return status;
}

static enum hb_status check_group(struct hb_field_file_summary *summary, hid_t file,
                                  const char *group_path, hb_global rows, bool point_data) {
  enum hb_status status = HB_OK;
  hid_t group = H5Gopen2(file, group_path, H5P_DEFAULT);
  H5G_info_t info = {0};
  char name[HB_HDF5_NAME_BYTES], path[2 * HB_HDF5_NAME_BYTES];
  if (group < 0 || H5Gget_info(group, &info) < 0) {
    HB_TRY(hb_add_fault(summary, "group %s is missing", group_path));
    goto done;
  }
  for (hsize_t index = 0; index < info.nlinks; index++) {
    const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, index, name,
                                              sizeof name, H5P_DEFAULT);
    bool allowed = length >= 0 && (size_t)length < sizeof name;
    if (!allowed)
      HB_TRY(hb_add_fault(summary, "group %s: the name of link %lld cannot be read", group_path,
                          (long long)index));
    else
      HB_TRY(hb_read_charge(summary, group_path, length + 1, &allowed));
    if (!allowed) break;
    snprintf(path, sizeof path, "%s/%s", group_path, name);
    HB_TRY(check_array(summary, file, path, rows, point_data));
  }
done:
  hb_hdf5_release(&group);
  return status;
}

/* Attributes of /VTKHDF: Version int64[2] = {1,0}; Type 16 bytes, null-padded ASCII, scalar. */
static enum hb_status check_header(struct hb_field_file_summary *summary, hid_t group) {
  enum hb_status status = HB_OK;
  hid_t version = H5Aopen(group, "Version", H5P_DEFAULT),
        kind = H5Aopen(group, "Type", H5P_DEFAULT);
  hid_t type = H5I_INVALID_HID, space = H5I_INVALID_HID;
  int64_t numbers[2] = {0};
  char text[HB_SCHEMA_VTK_TYPE_BYTES] = "";
  bool right = version >= 0;
  if (right) {
    type = H5Aget_type(version);
    space = H5Aget_space(version);
    right = hb_number_of(type) == HB_NUMBER_INT64 && H5Sget_simple_extent_ndims(space) == 1 &&
            H5Sget_simple_extent_npoints(space) == 2 &&
            H5Aread(version, H5T_NATIVE_INT64, numbers) >= 0 && numbers[0] == 1 && numbers[1] == 0;
    hb_hdf5_release(&space);
    hb_hdf5_release(&type);
  }
  if (!right) HB_TRY(hb_add_fault(summary, "%s: Version is not int64 {1, 0}", HB_SCHEMA_VTK));
  right = kind >= 0;
  if (right) {
    type = H5Aget_type(kind);
    space = H5Aget_space(kind);
    right = H5Tget_class(type) == H5T_STRING && H5Tis_variable_str(type) == 0 &&
            H5Tget_size(type) == sizeof text && H5Tget_strpad(type) == H5T_STR_NULLPAD &&
            H5Tget_cset(type) == H5T_CSET_ASCII && H5Sget_simple_extent_type(space) == H5S_SCALAR &&
            H5Aread(kind, type, text) >= 0 && memcmp(text, HB_SCHEMA_VTK_TYPE, sizeof text) == 0;
  }
  if (!right)
    HB_TRY(hb_add_fault(summary, "%s: Type is not \"%s\" in 16 bytes of null-padded ASCII",
                        HB_SCHEMA_VTK, HB_SCHEMA_VTK_TYPE));
done:
  hb_hdf5_release(&space);
  hb_hdf5_release(&type);
  hb_hdf5_release(&kind);
  hb_hdf5_release(&version);
  return status;
}

/* n f64 values of /reference_element: nodes rise from -1 to 1, weights are positive with sum 2. */
static enum hb_status check_reference(struct hb_field_file_summary *summary, hid_t file,
                                      const char *path, bool nodes, hb_global n) {
  static const enum hb_number allowed[2] = {HB_NUMBER_F64, HB_NUMBER_F64};
  static const double bound = 1e-12; /* of sums of at most 16 numbers near 1 */
  enum hb_status status = HB_OK;
  struct hb_read_dataset dataset = {.id = H5I_INVALID_HID};
  double values[HB_MAX_N] = {0.0}, sum = 0.0;
  bool right = true;
  HB_TRY(open_array(summary, file, path, n, 1, allowed, "f64", &dataset));
  if (dataset.id < 0) goto done;
  HB_TRY(hb_hdf5_check(
      H5Dread(dataset.id, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), "read", path));
  for (hb_global i = 0; i < n; i++) {
    sum += values[i];
    right = right && (nodes ? i == 0 || values[i] > values[i - 1] : values[i] > 0.0);
  }
  if (nodes) right = right && fabs(values[0] + 1.0) <= bound && fabs(values[n - 1] - 1.0) <= bound;
  if (!right || !(fabs(sum - (nodes ? 0.0 : 2.0)) <= bound))
    HB_TRY(hb_add_fault(summary, "%s are no %s on [-1,1]", path,
                        nodes ? "Gauss-Lobatto nodes" : "weights"));
done:
  hb_read_dataset_close(&dataset);
  return status;
}

static enum hb_status check_link(struct hb_field_file_summary *summary, hid_t file) {
  enum hb_status status = HB_OK;
  H5L_info_t info;
  char target[HB_HDF5_NAME_BYTES] = "";
  if (H5Lget_info(file, HB_SCHEMA_FIELDS, &info, H5P_DEFAULT) < 0 || info.type != H5L_TYPE_SOFT ||
      info.u.val_size > sizeof target ||
      H5Lget_val(file, HB_SCHEMA_FIELDS, target, sizeof target - 1, H5P_DEFAULT) < 0 ||
      strcmp(target, HB_SCHEMA_POINT_DATA) != 0)
    HB_TRY(
        hb_add_fault(summary, "%s is no soft link to %s", HB_SCHEMA_FIELDS, HB_SCHEMA_POINT_DATA));
done:
  return status;
}

/* False if the attributes do not describe a mesh: they have their own faults then. */
static bool mesh_of(const struct hb_field_file_summary *summary, struct hb_read_mesh *mesh) {
  static const char *const counts[] = {HB_SCHEMA_ELEMENTS_X, HB_SCHEMA_ELEMENTS_Y,
                                       HB_SCHEMA_ELEMENTS_Z};
  const hb_global limit = HB_GLOBAL_MAX / (2 * HB_SCHEMA_CORNERS * HB_MAX_N * HB_MAX_N * HB_MAX_N);
  *mesh = (struct hb_read_mesh){.num_elements = 1};
  for (int axis = 0; axis < 3; axis++) {
    mesh->elements[axis] = hb_summary_integer(summary, counts[axis], 0);
    if (mesh->elements[axis] < 1 ||
        !hb_multiply(mesh->num_elements, mesh->elements[axis], &mesh->num_elements))
      return false;
  }
  mesh->n = hb_summary_integer(summary, HB_SCHEMA_NODES, 0);
  if (mesh->n < HB_MIN_DEGREE + 1 || mesh->n > HB_MAX_N || mesh->num_elements > limit) return false;
  const hb_global pieces = hb_summary_integer(summary, HB_SCHEMA_PIECES, 0);
  if (pieces < 1 || pieces > HB_SCHEMA_MOST_PIECES || pieces > mesh->num_elements) return false;
  mesh->pieces = (int)pieces;
  mesh->p = mesh->n - 1;
  mesh->num_points = mesh->num_elements * mesh->n * mesh->n * mesh->n;
  mesh->num_cells = mesh->num_elements * mesh->p * mesh->p * mesh->p;
  return true;
}

enum hb_status hb_check_vtk(struct hb_field_file_summary *summary, hid_t file) {
  enum hb_status status = HB_OK;
  struct hb_read_mesh mesh;
  hid_t group = H5I_INVALID_HID;
  const struct hb_read_attribute *fields = hb_summary_attribute(summary, "/", HB_SCHEMA_HAS_FIELDS);
  const char *answer = fields != NULL && fields->text != NULL ? fields->text : "";
  const bool there = H5Lexists(file, HB_SCHEMA_VTK, H5P_DEFAULT) > 0;
  const bool yes = strcmp(answer, "yes") == 0, no = strcmp(answer, "no") == 0;
  if ((!yes && !no) || yes != there)
    HB_TRY(hb_add_fault(summary, "attribute fields is '%.20s', but %s is %s", answer, HB_SCHEMA_VTK,
                        there ? "there" : "not there"));
  if (!there || !mesh_of(summary, &mesh)) goto done;
  HB_TRY(hb_hdf5_check(group = H5Gopen2(file, HB_SCHEMA_VTK, H5P_DEFAULT), "open", HB_SCHEMA_VTK));
  HB_TRY(check_header(summary, group));
  HB_TRY(check_counts(summary, file, &mesh));
  HB_TRY(check_cells(summary, file, &mesh));
  HB_TRY(check_reals(summary, file, HB_SCHEMA_POINTS, mesh.num_points, 3));
  HB_TRY(check_group(summary, file, HB_SCHEMA_POINT_DATA, mesh.num_points, true));
  HB_TRY(check_group(summary, file, HB_SCHEMA_CELL_DATA, mesh.num_cells, false));
  HB_TRY(hb_check_fields(summary, file, &mesh));
  HB_TRY(check_link(summary, file));
  HB_TRY(check_reference(summary, file, HB_SCHEMA_GLL_NODES, true, mesh.n));
  HB_TRY(check_reference(summary, file, HB_SCHEMA_GLL_WEIGHTS, false, mesh.n));
done:
  hb_hdf5_release(&group);
  return status;
}
