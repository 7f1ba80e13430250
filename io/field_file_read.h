/* SPDX-License-Identifier: BSD-3-Clause
 * Serial reader of the output file: all that describes a run, the ranges of its fields, and checks
 * that need no trust in the writer.  Needs no MPI; large arrays are read in pieces.
 *
 * Checked are the layout (io/schema.h), the checksums of all data and of the metadata, the
 * identities among the fields (io/field_identities.h), and what the run says of itself:
 *   gates       a verdict PASS or FAIL as observed <= bound says, and passed with it; an
 * INCONCLUSIVE one is covered if covered_by names gates that passed; status and failed_gates follow
 *   history     iterations + 1 rows; relative_residual = residual_norm / that of the first row; the
 *               last row = recurrence_relative_residual
 *   timings     row r is rank r's; summary = per_rank; min, median, max_solve_s = samples
 *   figures     the figures of merit by their formulas; unique_points; box_volume by the options
 *   own         row r of /timings/own is rank r's; slow as its numbers say (io/slow_ranks.h)
 *   machine     row r of /machine is rank r's; hostname = the first row of /timings/host
 *
 * A file may be damaged: no more is allocated than its own bytes can account for.  HDF5 itself may
 * crash on such a file, or take no end; hb_guard_run keeps that from the caller. */
#ifndef HB_IO_FIELD_FILE_READ_H
#define HB_IO_FIELD_FILE_READ_H

#include <stdio.h>

#include "io/field_file.h"
#include "io/guard.h"

struct hb_read_attribute {
  char *object, *name; /* owned; group path, "/" for the root group */
  enum hb_attribute_kind kind;
  char *text; /* owned; NULL unless kind is text */
  hb_global integer;
  double real;
  bool as_written; /* scalar; UTF-8 of fixed length, int64 or f64, as the writer makes it */
};

struct hb_read_column {
  char *name; /* owned; "" in a plain array */
  enum hb_column_kind kind;
  int width;         /* text: bytes a value */
  int64_t *integers; /* owned [num_rows]; int32, int64, bool */
  double *reals;     /* owned [num_rows] */
  char *text;        /* owned [num_rows][width], filled with NUL */
};

struct hb_read_table {
  char *path; /* owned */
  bool compound;
  hb_global num_rows;
  int num_columns;
  struct hb_read_column *columns; /* owned */
};

struct hb_read_range {
  char *path; /* owned; of the dataset */
  int components;
  double min, max; /* of the finite values; min > max: there are none */
  hb_global num_not_finite;
};

/* Everything owned. */
struct hb_field_file_summary {
  char *path;
  int num_attributes, num_tables, num_ranges, num_faults;
  struct hb_read_attribute *attributes; /* in the order of the groups' names */
  struct hb_read_table *tables;
  struct hb_read_range *ranges; /* Points, then PointData */
  char **faults;                /* what is wrong with the layout, a sentence each */
  bool gates_failed;            /* a gate failed */
  bool gates_open;              /* a gate is inconclusive and no other covers it */
  bool writing;                 /* by the writer: not complete yet, numbers need not be finite */
  uint64_t metadata;            /* checksum of what was read */
  hb_global file_bytes;
  hb_global left_bytes; /* that may still be read: a few times the file, then it goes in circles */
};

/* HB_MACHINE_FAILED: the file cannot be read, or memory is short.  A file of wrong layout is
 * HB_OK with faults; unreadable parts are faults. */
enum hb_status hb_field_file_read(const char *path, struct hb_field_file_summary **summary);
/* What the reading and printing of file `path` may take, generously. */
struct hb_guard_limits hb_field_file_read_limits(const char *path);
/* Accepts NULL, clears the caller's pointer. */
void hb_field_file_summary_destroy(struct hb_field_file_summary **summary);

/* NULL if there is none.  The result belongs to the summary. */
const struct hb_read_attribute *hb_summary_attribute(const struct hb_field_file_summary *summary,
                                                     const char *object, const char *name);
/* Of the root group; `otherwise` if there is no such integer. */
hb_global hb_summary_integer(const struct hb_field_file_summary *summary, const char *name,
                             hb_global otherwise);
const struct hb_read_table *hb_summary_table(const struct hb_field_file_summary *summary,
                                             const char *path);
const struct hb_read_column *hb_table_column(const struct hb_read_table *table, const char *name);

/* Least, median, largest value, and largest over mean (1 if all are 0), of values[count],
 * count >= 1; NaN gives NaN. */
struct hb_statistics {
  double min, median, max, imbalance;
};
enum hb_status hb_statistics_of(const double *values, hb_global count, struct hb_statistics *of);

/* The summary as text for people, or as one JSON object (NaN and infinity are null). */
enum hb_status hb_field_file_print(const struct hb_field_file_summary *summary, FILE *stream);
enum hb_status hb_field_file_print_json(const struct hb_field_file_summary *summary, FILE *stream);

#endif
