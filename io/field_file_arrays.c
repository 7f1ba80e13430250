/* SPDX-License-Identifier: BSD-3-Clause
 * The arrays over the elements and how a z-layer of each is made. */
#include <stdio.h>
#include <string.h>

#include "io/field_file_internal.h"
#include "io/schema.h"

/* Elements of one z-layer of this rank. */
static hb_global layer_elements(const struct hb_field_file_content *content) {
  return (hb_global)content->element_count[0] * content->element_count[1];
}

/* Global id of element (ex, ey) of this rank's z-layer `layer`. */
static hb_global element_id(const struct hb_field_file_content *content, hb_local ex, hb_local ey,
                            hb_local layer) {
  const hb_global *start = content->element_start, *all = content->elements;
  return start[0] + ex + all[0] * (start[1] + ey + all[1] * (start[2] + layer));
}

/* The caller's f64, rounded to f32 in place where the file holds f32. */
static enum hb_status fill_from_caller(const struct hb_field_file *file,
                                       const struct hb_file_array *array, hb_local layer,
                                       void *values) {
  enum hb_status status = HB_OK;
  HB_TRY(array->caller_fill(array->caller_context, layer, values));
  if (file->content->precision == HB_F64) goto done;
  const hb_global items =
      layer_elements(file->content) * array->rows_per_element * array->components;
  char *bytes = values;
  for (hb_global i = 0; i < items; i++) {
    double from;
    memcpy(&from, bytes + i * (hb_global)sizeof from, sizeof from);
    const float to = (float)from;
    memcpy(bytes + i * (hb_global)sizeof to, &to, sizeof to);
  }
done:
  return status;
}

static void put_id(void *values, hb_global index, size_t item_bytes, hb_global id) {
  if (item_bytes == sizeof(int64_t))
    ((int64_t *)values)[index] = id;
  else
    ((int32_t *)values)[index] = (int32_t)id;
}

/* A node of element e, taken from the neighbours across the axes whose bits are set in `across`, on
 * the side where the node lies; counted from the first point of element `first`, negative before.
 */
static hb_global copy_of(const struct hb_field_file *file, const hb_global e[3], hb_global first,
                         const int node[3], int across) {
  const hb_global *all = file->content->elements;
  const hb_global n = file->n;
  hb_global element[3], at[3];
  for (int a = 0; a < 3; a++) {
    const bool below = node[a] == 0, taken = (across >> a & 1) != 0;
    element[a] = e[a] + (!taken ? 0 : below ? -1 : 1);
    at[a] = !taken ? node[a] : below ? n - 1 : 0;
  }
  const hb_global id = element[0] + all[0] * (element[1] + all[1] * element[2]);
  return (id - first) * n * n * n + at[0] + n * (at[1] + n * at[2]);
}

/* Smallest point id among the copies of a node of element e in its piece, whose first element is
 * `first`; counted from there.  On a face the node belongs to the neighbour too; the ids of those
 * below are smaller.  The ends of a periodic axis stay apart. */
static hb_global representative(const struct hb_field_file *file, const hb_global e[3],
                                hb_global first, const int node[3]) {
  int lower = 0, both = 0;
  for (int a = 0; a < 3; a++) {
    const bool above = node[a] == file->n - 1 && e[a] < file->content->elements[a] - 1;
    if (node[a] == 0 && e[a] > 0) lower |= 1 << a;
    if (above) both |= 1 << a;
  }
  both |= lower;
  hb_global smallest = copy_of(file, e, first, node, lower);
  if (smallest >= 0) return smallest; /* none is smaller */
  smallest = copy_of(file, e, first, node, 0);
  for (int across = both; across > 0; across = (across - 1) & both) {
    const hb_global point = copy_of(file, e, first, node, across);
    if (point >= 0 && point < smallest) smallest = point;
  }
  return smallest;
}

/* The eight corners of every cell of element e, from values[index] on. */
static hb_global put_cells(const struct hb_field_file *file, const struct hb_file_array *array,
                           const hb_global e[3], hb_global first, void *values, hb_global index) {
  static const int corner[HB_SCHEMA_CORNERS][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                                   {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
  const int p = file->n - 1;
  for (int k = 0; k < p; k++)
    for (int j = 0; j < p; j++)
      for (int i = 0; i < p; i++)
        for (int c = 0; c < HB_SCHEMA_CORNERS; c++) {
          const int node[3] = {i + corner[c][0], j + corner[c][1], k + corner[c][2]};
          put_id(values, index++, array->item_bytes, representative(file, e, first, node));
        }
  return index;
}

static enum hb_status fill_connectivity(const struct hb_field_file *file,
                                        const struct hb_file_array *array, hb_local layer,
                                        void *values) {
  const struct hb_field_file_content *content = file->content;
  hb_global index = 0;
  for (hb_local ey = 0; ey < content->element_count[1]; ey++)
    for (hb_local ex = 0; ex < content->element_count[0]; ex++) {
      const hb_global e[3] = {content->element_start[0] + ex, content->element_start[1] + ey,
                              content->element_start[2] + layer};
      const hb_global piece =
          hb_file_piece_of(file->num_elements, file->pieces, element_id(content, ex, ey, layer));
      const hb_global first = hb_file_piece_first(file->num_elements, file->pieces, piece);
      index = put_cells(file, array, e, first, values, index);
    }
  return HB_OK;
}

/* First row of piece q: its cells, and one row more for each piece before. */
static hb_global offsets_first(const struct hb_field_file *file, hb_global q) {
  const hb_global cells = file->num_cells / file->num_elements;
  return hb_file_piece_first(file->num_elements, file->pieces, q) * cells + q;
}

static void fill_offsets(const struct hb_field_file *file, const struct hb_file_array *array,
                         hb_global first, hb_global count, void *values) {
  hb_global q = 0, begin = 0, end = offsets_first(file, 1);
  for (hb_global row = first; row < first + count; row++) {
    while (end <= row) {
      begin = end;
      end = offsets_first(file, ++q + 1);
    }
    put_id(values, row - first, array->item_bytes, HB_SCHEMA_CORNERS * (row - begin));
  }
}

static enum hb_status fill_types(const struct hb_field_file *file,
                                 const struct hb_file_array *array, hb_local layer, void *values) {
  (void)layer;
  memset(values, HB_SCHEMA_CELL_TYPE,
         (size_t)(layer_elements(file->content) * array->rows_per_element));
  return HB_OK;
}

static enum hb_status fill_element_id(const struct hb_field_file *file,
                                      const struct hb_file_array *array, hb_local layer,
                                      void *values) {
  const struct hb_field_file_content *content = file->content;
  hb_global index = 0;
  for (hb_local ey = 0; ey < content->element_count[1]; ey++)
    for (hb_local ex = 0; ex < content->element_count[0]; ex++)
      for (hb_global cell = 0; cell < array->rows_per_element; cell++)
        put_id(values, index++, array->item_bytes, element_id(content, ex, ey, layer));
  return HB_OK;
}

static enum hb_status fill_mpi_rank(const struct hb_field_file *file,
                                    const struct hb_file_array *array, hb_local layer,
                                    void *values) {
  const hb_global items = layer_elements(file->content) * array->rows_per_element;
  (void)layer;
  for (hb_global i = 0; i < items; i++) ((int32_t *)values)[i] = file->comm->rank;
  return HB_OK;
}

/* The five arrays that follow from the mesh alone. */
static void set_mesh_arrays(const struct hb_field_file *file, struct hb_file_array *arrays) {
  const hb_global n = file->n, p = n - 1, cells = p * p * p;
  const bool wide =
      file->num_points > INT32_MAX || file->num_cells > INT32_MAX / HB_SCHEMA_CORNERS; /* of ids */
  const hid_t id = wide ? H5T_NATIVE_INT64 : H5T_NATIVE_INT32;
  const size_t id_bytes = wide ? sizeof(int64_t) : sizeof(int32_t);
  const bool wide_element = file->num_elements > INT32_MAX;
  arrays[0] = (struct hb_file_array){.path = HB_SCHEMA_CONNECTIVITY,
                                     .type = id,
                                     .item_bytes = id_bytes,
                                     .rows_per_element = HB_SCHEMA_CORNERS * cells,
                                     .fill = fill_connectivity};
  arrays[1] = (struct hb_file_array){.path = HB_SCHEMA_OFFSETS,
                                     .type = id,
                                     .item_bytes = id_bytes,
                                     .rows_per_element = cells,
                                     .fill_rows = fill_offsets};
  arrays[2] = (struct hb_file_array){.path = HB_SCHEMA_TYPES,
                                     .type = H5T_NATIVE_UINT8,
                                     .item_bytes = sizeof(uint8_t),
                                     .rows_per_element = cells,
                                     .fill = fill_types};
  arrays[3] = (struct hb_file_array){.path = HB_SCHEMA_ELEMENT_ID,
                                     .long_name = "number of the spectral element",
                                     .units = "1",
                                     .type = wide_element ? H5T_NATIVE_INT64 : H5T_NATIVE_INT32,
                                     .item_bytes = wide_element ? sizeof(int64_t) : sizeof(int32_t),
                                     .rows_per_element = cells,
                                     .fill = fill_element_id};
  arrays[4] = (struct hb_file_array){.path = HB_SCHEMA_MPI_RANK,
                                     .long_name = "MPI rank that owns the element",
                                     .units = "1",
                                     .type = H5T_NATIVE_INT32,
                                     .item_bytes = sizeof(int32_t),
                                     .rows_per_element = cells,
                                     .fill = fill_mpi_rank};
  for (int a = 0; a < 5; a++) arrays[a].components = 1;
}

static struct hb_file_array point_array(const struct hb_field_file *file,
                                        const struct hb_field_file_field *field) {
  const hb_global n = file->n;
  const bool f64 = file->content->precision == HB_F64;
  return (struct hb_file_array){.units = field->units,
                                .long_name = field->long_name,
                                .type = f64 ? H5T_NATIVE_DOUBLE : H5T_NATIVE_FLOAT,
                                .item_bytes = hb_precision_bytes(file->content->precision),
                                .components = field->components,
                                .rows_per_element = n * n * n,
                                .fill = fill_from_caller,
                                .caller_fill = field->fill,
                                .caller_context = field->context};
}

enum hb_status hb_file_arrays_create(struct hb_field_file *file) {
  enum { MESH_ARRAYS = 5 };
  enum hb_status status = HB_OK;
  const struct hb_field_file_content *content = file->content;
  const struct hb_field_file_field points = {.units = "m",
                                             .long_name = "position",
                                             .components = 3,
                                             .fill = content->fill_points,
                                             .context = content->points_context};
  if (!content->fields) goto done;
  HB_ALLOC(file->arrays, MESH_ARRAYS + 1 + content->num_fields, "arrays of the output file");
  set_mesh_arrays(file, file->arrays);
  struct hb_file_array *next = file->arrays + MESH_ARRAYS;
  *next = point_array(file, &points);
  snprintf(next->path, sizeof next->path, "%s", HB_SCHEMA_POINTS);
  for (int f = 0; f < content->num_fields; f++) {
    *++next = point_array(file, &content->field[f]);
    snprintf(next->path, sizeof next->path, "%s/%s", HB_SCHEMA_POINT_DATA, content->field[f].name);
  }
  file->num_arrays = MESH_ARRAYS + 1 + content->num_fields;
  for (int a = 0; a < file->num_arrays; a++) {
    struct hb_file_array *array = &file->arrays[a];
    array->rows = file->num_elements * array->rows_per_element;
    if (array->fill_rows != NULL) array->rows += file->pieces; /* Offsets: one more a piece */
  }
done:
  return status;
}
