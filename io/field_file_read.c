/* SPDX-License-Identifier: BSD-3-Clause
 * Opens an output file, walks over its groups and collects what describes the run. */
#include "io/field_file_read.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/field_file_read_internal.h"
#include "io/schema.h"

enum { LINK_BYTES = 16, TIMES_FILE = 6 }; /* least bytes of a link; what may be read, in files */

static bool is_under(const char *path, const char *group) {
  const size_t length = strlen(group);
  return strncmp(path, group, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

static enum hb_status walk_group(struct hb_field_file_summary *summary, hid_t group,
                                 const char *path);

/* One hard link of a group; mesh and fields are left to hb_check_vtk. */
static enum hb_status walk_object(struct hb_field_file_summary *summary, hid_t group,
                                  const char *name, const char *path) {
  enum hb_status status = HB_OK;
  const hid_t object = H5Oopen(group, name, H5P_DEFAULT);
  hid_t open = object;
  if (object < 0) {
    HB_TRY(hb_add_fault(summary, "%s cannot be opened", path));
    goto done;
  }
  const H5I_type_t type = H5Iget_type(object);
  HB_TRY(hb_sum_attributes(summary, object, path));
  if (type == H5I_GROUP) HB_TRY(walk_group(summary, object, path));
  if (type != H5I_DATASET) goto done;
  HB_TRY(hb_check_data(summary, object, path));
  if (!is_under(path, HB_SCHEMA_VTK) && !is_under(path, HB_SCHEMA_REFERENCE))
    HB_TRY(hb_read_table(summary, object, path));
done:
  hb_hdf5_release(&open);
  return status;
}

/* *more: the next link of the group can be tried. */
static enum hb_status walk_link(struct hb_field_file_summary *summary, hid_t group,
                                const char *group_path, hsize_t index, bool *more) {
  enum hb_status status = HB_OK;
  char name[HB_HDF5_NAME_BYTES], path[2 * HB_HDF5_NAME_BYTES];
  H5L_info_t info;
  const ssize_t length = H5Lget_name_by_idx(group, ".", H5_INDEX_NAME, H5_ITER_INC, index, name,
                                            sizeof name, H5P_DEFAULT);
  *more = length >= 0;
  if (length < 0 || (size_t)length >= sizeof name) {
    HB_TRY(hb_add_fault(summary, "group %s: the name of link %lld cannot be read", group_path,
                        (long long)index));
    goto done;
  }
  HB_TRY(hb_read_charge(summary, group_path, length + LINK_BYTES, more));
  if (!*more) goto done;
  snprintf(path, sizeof path, "%.255s/%.254s", strcmp(group_path, "/") == 0 ? "" : group_path,
           name);
  if (strlen(path) >= HB_HDF5_NAME_BYTES)
    HB_TRY(hb_add_fault(summary, "group %s: the paths in it are too long", group_path));
  else if (H5Lget_info(group, name, &info, H5P_DEFAULT) < 0)
    HB_TRY(hb_add_fault(summary, "link %s cannot be read", path));
  else if (info.type == H5L_TYPE_HARD)
    HB_TRY(walk_object(summary, group, name, path));
done:
  return status;
}

/* Groups may contain each other: hb_read_charge ends that. */
static enum hb_status walk_group(struct hb_field_file_summary *summary, hid_t group,
                                 const char *path) {
  enum hb_status status = HB_OK;
  bool more = true;
  H5G_info_t info;
  if (!is_under(path, HB_SCHEMA_VTK)) HB_TRY(hb_read_attributes(summary, group, path));
  if (H5Gget_info(group, &info) < 0) {
    HB_TRY(hb_add_fault(summary, "group %s cannot be listed", path));
    goto done;
  }
  for (hsize_t index = 0; index < info.nlinks && more && summary->left_bytes > 0; index++)
    HB_TRY(walk_link(summary, group, path, index, &more));
done:
  return status;
}

struct hb_guard_limits hb_field_file_read_limits(const char *path) {
  const hb_global memory = (hb_global)256 << 20, times_file = 32; /* a bool becomes eight bytes */
  const hb_global seconds = 30, bytes_a_second = 4 << 20;
  struct stat about = {0};
  struct hb_guard_limits limits = {0, 0};
  hb_global bytes =
      stat(path, &about) == 0 && S_ISREG(about.st_mode) ? (hb_global)about.st_size : 0;
  limits.cpu_seconds = seconds + bytes / bytes_a_second;
  if (hb_multiply(bytes, times_file, &bytes) && bytes < HB_GLOBAL_MAX - memory)
    limits.memory_bytes = memory + bytes;
  return limits;
}

static enum hb_status open_file(const char *path, hid_t *file, hb_global *bytes) {
  enum hb_status status = HB_OK;
  hid_t properties = H5I_INVALID_HID;
  struct stat about;
  if (access(path, R_OK) != 0 || stat(path, &about) != 0)
    HB_FAIL(HB_MACHINE_FAILED, "'%s': %s", path, strerror(errno));
  if (!S_ISREG(about.st_mode)) HB_FAIL(HB_MACHINE_FAILED, "'%s' is no plain file", path);
  *bytes = (hb_global)about.st_size;
  HB_TRY(hb_hdf5_access_serial(&properties));
  *file = H5Fopen(path, H5F_ACC_RDONLY, properties);
  if (*file < 0)
    HB_FAIL(HB_MACHINE_FAILED, "'%s' is no readable HDF5 file (%s)", path,
            H5Fis_hdf5(path) > 0 ? "damaged or cut short" : "it does not begin as one");
done:
  hb_hdf5_release(&properties);
  return status;
}

static herr_t visit_nothing(hid_t object, const char *name, const H5O_info_t *info, void *context) {
  (void)object, (void)name, (void)info, (void)context;
  return 0;
}

/* HDF5's own way over all objects, as other readers go it: it looks at more of what groups consist
 * of than the walk does. */
static enum hb_status check_objects(struct hb_field_file_summary *summary, hid_t root) {
#if H5_VERSION_GE(1, 12, 0)
  const herr_t visited =
      H5Ovisit3(root, H5_INDEX_NAME, H5_ITER_INC, visit_nothing, NULL, H5O_INFO_ALL);
#else
  const herr_t visited = H5Ovisit(root, H5_INDEX_NAME, H5_ITER_INC, visit_nothing, NULL);
#endif
  return visited >= 0 ? HB_OK : hb_add_fault(summary, "the groups cannot all be visited by HDF5");
}

/* What is found is compared with what the layout wants of it; a file of another version of it is
 * none of that. */
static enum hb_status check_all(struct hb_field_file_summary *summary, hid_t file, hid_t root) {
  enum hb_status status = HB_OK;
  const hb_global version = hb_summary_integer(summary, HB_SCHEMA_SCHEMA_VERSION, 0);
  if (version != 0 && version != HB_SCHEMA_VERSION) {
    HB_TRY(hb_add_fault(summary,
                        "attribute schema_version is %lld, not %d: a file of another version of "
                        "Helmbone, of which nothing else was checked",
                        (long long)version, HB_SCHEMA_VERSION));
    goto done;
  }
  HB_TRY(check_objects(summary, root));
  HB_TRY(hb_check_metadata(summary, root));
  HB_TRY(hb_check_description(summary));
  HB_TRY(hb_check_run(summary));
  if (!summary->writing) HB_TRY(hb_check_vtk(summary, file));
done:
  return status;
}

enum hb_status hb_read_description(const char *path, bool writing,
                                   struct hb_field_file_summary **summary_out) {
  enum hb_status status = HB_OK;
  struct hb_field_file_summary *summary = NULL;
  hid_t file = H5I_INVALID_HID, root = H5I_INVALID_HID;
  hb_global bytes = 0;
  *summary_out = NULL;
  H5dont_atexit();
  hb_hdf5_silence();
  HB_TRY(open_file(path, &file, &bytes));
  HB_ALLOC(summary, 1, "summary of an output file");
  *summary = (struct hb_field_file_summary){.file_bytes = bytes, .writing = writing};
  if (!hb_multiply(bytes, TIMES_FILE, &summary->left_bytes)) summary->left_bytes = HB_GLOBAL_MAX;
  HB_TRY(hb_copy_text(path, strlen(path), &summary->path));
  HB_TRY(hb_hdf5_check(root = H5Gopen2(file, "/", H5P_DEFAULT), "open root group of", path));
  HB_TRY(hb_sum_attributes(summary, root, "/"));
  HB_TRY(walk_group(summary, root, "/"));
  HB_TRY(check_all(summary, file, root));
  *summary_out = summary;
  summary = NULL;
done:
  hb_hdf5_release(&root);
  hb_hdf5_release(&file);
  hb_field_file_summary_destroy(&summary);
  return status;
}

enum hb_status hb_field_file_read(const char *path, struct hb_field_file_summary **summary) {
  return hb_read_description(path, false, summary);
}

void hb_field_file_summary_destroy(struct hb_field_file_summary **summary_in) {
  struct hb_field_file_summary *summary = *summary_in;
  if (summary == NULL) return;
  for (int a = 0; a < summary->num_attributes; a++) {
    hb_free(summary->attributes[a].object);
    hb_free(summary->attributes[a].name);
    hb_free(summary->attributes[a].text);
  }
  for (int t = 0; t < summary->num_tables; t++) hb_read_table_clear(&summary->tables[t]);
  for (int r = 0; r < summary->num_ranges; r++) hb_free(summary->ranges[r].path);
  for (int f = 0; f < summary->num_faults; f++) hb_free(summary->faults[f]);
  hb_free(summary->attributes);
  hb_free(summary->tables);
  hb_free(summary->ranges);
  hb_free(summary->faults);
  hb_free(summary->path);
  hb_free(summary);
  *summary_in = NULL;
}

const struct hb_read_attribute *hb_summary_attribute(const struct hb_field_file_summary *summary,
                                                     const char *object, const char *name) {
  for (int a = 0; a < summary->num_attributes; a++)
    if (strcmp(summary->attributes[a].object, object) == 0 &&
        strcmp(summary->attributes[a].name, name) == 0)
      return &summary->attributes[a];
  return NULL;
}

hb_global hb_summary_integer(const struct hb_field_file_summary *summary, const char *name,
                             hb_global otherwise) {
  const struct hb_read_attribute *attribute = hb_summary_attribute(summary, "/", name);
  return attribute != NULL && attribute->kind == HB_ATTRIBUTE_INTEGER ? attribute->integer
                                                                      : otherwise;
}

const struct hb_read_table *hb_summary_table(const struct hb_field_file_summary *summary,
                                             const char *path) {
  for (int t = 0; t < summary->num_tables; t++)
    if (strcmp(summary->tables[t].path, path) == 0) return &summary->tables[t];
  return NULL;
}

const struct hb_read_column *hb_table_column(const struct hb_read_table *table, const char *name) {
  for (int c = 0; table != NULL && c < table->num_columns; c++)
    if (strcmp(table->columns[c].name, name) == 0) return &table->columns[c];
  return NULL;
}

enum hb_status hb_statistics_of(const double *values, hb_global count, struct hb_statistics *of) {
  enum hb_status status = HB_OK;
  double *sorted = NULL, sum = 0.0;
  HB_ASSERT(count >= 1);
  HB_ALLOC(sorted, count, "statistics of a column");
  for (hb_global i = 0; i < count; i++) sum += sorted[i] = values[i];
  if (isnan(sum)) {
    *of = (struct hb_statistics){NAN, NAN, NAN, NAN};
    goto done;
  }
  of->median = hb_sort_median(count, sorted);
  of->min = sorted[0];
  of->max = sorted[count - 1];
  of->imbalance = sum != 0.0 ? of->max * (double)count / sum : 1.0;
done:
  hb_free(sorted);
  return status;
}
