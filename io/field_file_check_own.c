/* SPDX-License-Identifier: BSD-3-Clause
 * What a file says of the ranks' own times must agree: who is slow follows from the numbers. */
#include <string.h>

#include "io/field_file_read_internal.h"
#include "io/schema.h"
#include "io/slow_ranks.h"

static const struct hb_read_column *column_of(const struct hb_read_table *table, const char *name,
                                              enum hb_column_kind kind, hb_global rows) {
  const struct hb_read_column *column = hb_table_column(table, name);
  return column != NULL && column->kind == kind && table->num_rows == rows ? column : NULL;
}

/* One row; slow: as the numbers say. */
static enum hb_status check_row(struct hb_field_file_summary *summary,
                                const struct hb_read_table *table, hb_global row, bool slow) {
  static const char *const least[] = {"kernel_s", "reduction_least_s"};
  static const char *const most[] = {"kernel_median_s", "reduction_mean_s"};
  enum hb_status status = HB_OK;
  const struct hb_read_column *rank = hb_table_column(table, "rank");
  const struct hb_read_column *said = hb_table_column(table, "slow");
  if (rank->integers[row] != row)
    HB_TRY(hb_add_fault(summary, "%s: rank of row %lld is %lld", table->path, (long long)row,
                        (long long)rank->integers[row]));
  for (int c = 0; c < 2; c++) {
    const struct hb_read_column *low = column_of(table, least[c], HB_COLUMN_REAL, table->num_rows);
    const struct hb_read_column *high = column_of(table, most[c], HB_COLUMN_REAL, table->num_rows);
    if (low != NULL && high != NULL && low->reals[row] > high->reals[row])
      HB_TRY(hb_add_fault(summary, "%s: %s of rank %lld is %.9g, above %s = %.9g", table->path,
                          least[c], (long long)row, low->reals[row], most[c], high->reals[row]));
  }
  if ((said->integers[row] != 0) != slow)
    HB_TRY(hb_add_fault(summary, "%s: rank %lld is %sslow by its numbers, the table says %s",
                        table->path, (long long)row, slow ? "" : "not ",
                        said->integers[row] != 0 ? "slow" : "not"));
done:
  return status;
}

enum hb_status hb_check_own(struct hb_field_file_summary *summary) {
  enum hb_status status = HB_OK;
  const struct hb_read_table *table = hb_summary_table(summary, HB_SCHEMA_TIMING_OWN);
  const struct hb_read_table *machine = hb_summary_table(summary, HB_SCHEMA_MACHINE);
  const hb_global ranks = hb_summary_integer(summary, HB_SCHEMA_RANKS, 0);
  struct hb_slow_medians medians;
  struct hb_rank_speed *speeds = NULL;
  int *slow = NULL;
  if (table == NULL) return HB_OK;
  const struct hb_read_column *rank = column_of(table, "rank", HB_COLUMN_INT32, ranks);
  const struct hb_read_column *elements = column_of(table, "elements", HB_COLUMN_INT64, ranks);
  const struct hb_read_column *kernel = column_of(table, "kernel_s", HB_COLUMN_REAL, ranks);
  const struct hb_read_column *work = column_of(table, "work_s", HB_COLUMN_REAL, ranks);
  const struct hb_read_column *said = column_of(table, "slow", HB_COLUMN_BOOL, ranks);
  const struct hb_read_column *copy =
      machine != NULL ? column_of(machine, "copy_bytes_per_s", HB_COLUMN_REAL, ranks) : NULL;
  if (rank == NULL || elements == NULL || kernel == NULL || work == NULL || said == NULL ||
      copy == NULL || ranks < 1) {
    HB_TRY(hb_add_fault(summary, "%s: a column is missing or of another type, or not %lld rows",
                        HB_SCHEMA_TIMING_OWN, (long long)ranks));
    goto done;
  }
  HB_ALLOC(speeds, ranks, "speeds of ranks");
  HB_ALLOC(slow, ranks, "speeds of ranks");
  for (hb_global r = 0; r < ranks; r++)
    speeds[r] = (struct hb_rank_speed){.elements = elements->integers[r],
                                       .kernel_s = kernel->reals[r],
                                       .work_s = work->reals[r],
                                       .copy_bytes_per_s = copy->reals[r]};
  HB_TRY(hb_slow_ranks_find(ranks, speeds, slow, &medians));
  for (hb_global r = 0; r < ranks; r++) HB_TRY(check_row(summary, table, r, slow[r] != 0));
done:
  hb_free(speeds);
  hb_free(slow);
  return status;
}
