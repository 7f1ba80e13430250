/* SPDX-License-Identifier: BSD-3-Clause
 * Writer of the output file NAME.vtkhdf: plain arrays in, one HDF5 file out (layout: io/schema.h).
 *
 *   hb_field_file_check_path(comm, path, bytes);    before the solve
 *   hb_field_file_create(comm, path, content, &file);
 *   hb_field_file_write_fields(file);               the time of output can be taken here
 *   hb_field_file_finish(&file);                    reads the rows of the tables, checks, renames
 *
 * Crash-safe: everything goes to a partial file, NAME.vtkhdf.HOST-PID.partial, whose full size is
 * reserved first; only a complete file, flushed to disk, is renamed to NAME.vtkhdf.  An older file
 * of that name survives every failure and a kill at any moment; of several runs that write one name
 * the first has it (file_partial.h).  A name that is a symbolic link stands for the file that it
 * leads to.
 * Only rank 0 calls HDF5, which may be serial.  The large arrays are written to their places in the
 * file by every rank itself; or, where the ranks do not see one file, sent to rank 0 in pieces.
 * Before the file is marked complete it is read back and checked as helmbone-inspect checks files
 * (io/field_file_read.h): checksums of what was in memory, and all that follows from the rest.
 * Errors are agreed upon: all ranks return the same status with the same message.  After a
 * failure the partial file is gone and the run may go on. */
#ifndef HB_IO_FIELD_FILE_H
#define HB_IO_FIELD_FILE_H

#include "io/file_partial.h"
#include "kernels/base.h"
#include "mesh/comm.h"

/* Gives values[ey][ex][k][j][i] (three components: values[ey][ex][k][j][i][3]) of the elements of
 * one z-layer of this rank's sub-box, 0 <= ex < element_count[0] and so on; always f64.  Called
 * once a layer, in order, on this rank only: it must not communicate. */
typedef enum hb_status hb_field_file_fill(void *context, hb_local layer, double *values);

/* One array over the points: PointData/name. */
struct hb_field_file_field {
  const char *name;      /* letters, digits, _ */
  const char *long_name; /* a few words for a plot's axis */
  const char *units;     /* "1" if it has none */
  int components;        /* 1 or 3 */
  hb_field_file_fill *fill;
  void *context; /* passed to fill */
};

enum hb_attribute_kind { HB_ATTRIBUTE_TEXT, HB_ATTRIBUTE_INTEGER, HB_ATTRIBUTE_REAL };

/* One attribute of a group: UTF-8 text, int64 or f64. */
struct hb_field_file_attribute {
  const char *object; /* group, made if need be: "/solver"; NULL: the root group */
  const char *name;
  enum hb_attribute_kind kind;
  const char *text; /* the value, by kind; NULL is written as "" */
  hb_global integer;
  double real;
};

/* One option of the run: attribute "section.name" of /configuration. */
struct hb_field_file_option {
  const char *section, *name, *value;
};

enum hb_column_kind {
  HB_COLUMN_INT32,
  HB_COLUMN_INT64,
  HB_COLUMN_REAL, /* f64 */
  HB_COLUMN_TEXT, /* char[width], filled with NUL, UTF-8 */
  HB_COLUMN_BOOL  /* C bool; h5py's boolean in the file */
};

struct hb_field_file_column {
  const char *name; /* NULL, in a table of one column: a plain array, not a compound */
  enum hb_column_kind kind;
  int width;          /* text: bytes a value, >= 1; otherwise unused */
  const void *values; /* the value of row 0; needed on rank 0 only */
  size_t stride;      /* bytes from a row to the next; 0: the values are packed */
  /* Needed on all ranks or NULL on all: what must stand in row `rank` after the write; and where
   * there are several rows a rank, `stride` bytes on, in row rank + number of ranks, and so on. */
  const void *mine;
};

struct hb_field_file_table {
  const char *path; /* "/timings/per_rank"; groups on the way are made */
  const char *description;
  const char *units; /* of all real columns, or NULL */
  hb_global num_rows;
  int num_columns; /* >= 1 */
  const struct hb_field_file_column *columns;
};

/* What goes into the file.  All pointers are borrowed until hb_field_file_finish has returned.
 * Equal on all ranks, except element_start, element_count, fill functions and their contexts.
 * The tables' values are read on rank 0, by hb_field_file_finish. */
struct hb_field_file_content {
  bool fields;                 /* false: attributes, options and tables only */
  enum hb_precision precision; /* of Points and fields in the file */
  int pieces; /* that the mesh is stored in, for readers that work in parallel; 0: one */

  int n;                      /* nodes per direction, 2..HB_MAX_N */
  hb_global elements[3];      /* of the whole box, each >= 1 */
  bool periodic[3];           /* noted as attributes; the picture is never wrapped */
  hb_global element_start[3]; /* this rank's sub-box of elements; the ranks' boxes tile the box */
  hb_local element_count[3];  /* any 0: this rank has none */
  const double *gll_nodes;    /* [n] on [-1,1] */
  const double *gll_weights;  /* [n] */
  hb_field_file_fill *fill_points; /* positions in m, three components */
  void *points_context;

  int num_fields;
  const struct hb_field_file_field *field;
  int num_attributes; /* must hold HB_SCHEMA_CALLER_ATTRIBUTES, none that io sets itself */
  const struct hb_field_file_attribute *attributes;
  int num_options;
  const struct hb_field_file_option *options;
  int num_tables; /* must hold HB_SCHEMA_CALLER_TABLES */
  const struct hb_field_file_table *tables;

  hb_global piece_bytes; /* most bytes a rank writes or sends in one call; 0: 64 MiB */
  const struct hb_path_version *before; /* under the name before the solve, where the path was
                                         * checked; NULL: as found by create.  Rank 0's */
};

struct hb_field_file; /* a file being written */

/* Bytes of the fields part of a file in one piece (a piece takes 4 or 8 more); -1 if they do not
 * fit in 64 bit.  num_components: sum of the fields' components. */
hb_global hb_field_file_bytes(int n, const hb_global elements[3], int num_components,
                              enum hb_precision precision);

/* Collective; the arguments must be the same on all ranks.  Can `path` be written by rank 0?
 * HB_BAD_INPUT: it does not end in .vtkhdf, its folder does not exist or cannot be written, it is
 * there and no plain file or read-only.  HB_MACHINE_FAILED: fewer than needed_bytes are free (0:
 * any will do). Leaves nothing behind. */
enum hb_status hb_field_file_check_path(const struct hb_comm *comm, const char *path,
                                        hb_global needed_bytes);

/* Collective; `path` must be the same on all ranks, `content` as said there.  Makes the partial
 * file at its full size.  On failure *file is NULL: HB_BAD_INPUT for path or content,
 * HB_MACHINE_FAILED if it cannot be made (a full disk: bytes needed and available), or if a path
 * that was checked before (content->before) has gone bad since. */
enum hb_status hb_field_file_create(const struct hb_comm *comm, const char *path,
                                    const struct hb_field_file_content *content,
                                    struct hb_field_file **file);

/* Collective.  Every rank writes its own part, or rank 0 writes for all (io/file_system.h).  Writes
 * mesh and fields, layer by layer; nothing to do without fields.
 * A failing fill function gives its own status. */
enum hb_status hb_field_file_write_fields(struct hb_field_file *file);

/* Which ranks write the arrays, and why, in words; "" without fields.  Belongs to the file. */
const char *hb_field_file_way(const struct hb_field_file *file);

/* Collective.  Writes the tables, flushes the file to disk and reads it back: each rank what
 * another has written.  Then marks it complete and gives it its name.  HB_GATE_FAILED: what was
 * read is not what was in memory, or the parts of the file contradict one another.  Frees *file and
 * clears it, also on failure. */
enum hb_status hb_field_file_finish(struct hb_field_file **file);

/* Not collective.  Gives up an unfinished file: rank 0 removes the partial file.  Accepts NULL,
 * clears the caller's pointer. */
void hb_field_file_destroy(struct hb_field_file **file);

/* Collective.  Create, write_fields, finish. */
enum hb_status hb_field_file_write(const struct hb_comm *comm, const char *path,
                                   const struct hb_field_file_content *content);

#endif
