/* SPDX-License-Identifier: BSD-3-Clause
 * Rows of the output file's tables, shared by the files that gather and describe them. */
#ifndef HB_APP_OUTPUT_TABLES_INTERNAL_H
#define HB_APP_OUTPUT_TABLES_INTERNAL_H

#include "app/output_content.h"
#include "app/output_tables.h"
#include "app/output_tuning.h"

enum { HOST_BYTES = 64, DEVICE_BYTES = 256, NAME_BYTES = 24, COVER_BYTES = 64 };

/* One row of /timings/per_rank: the phases, then the whole run. */
struct rank_row {
  int32_t rank;
  double seconds[HB_NUM_PHASES + 1];
};
struct machine_row {
  int32_t rank;
  char host[HOST_BYTES], device[DEVICE_BYTES];
  double copy_bytes_per_s, triad_bytes_per_s;
  char processors[HB_PLACE_LIST_BYTES], numa_nodes[HB_PLACE_LIST_BYTES], pci_bus_id[32];
  int32_t device_numa_node;
};
struct own_row {
  int32_t rank;
  int64_t elements;
  double kernel, kernel_median, work, reduction_least, reduction_mean;
  bool slow;
};
struct summary_row {
  char phase[NAME_BYTES];
  double min_s, median_s, mean_s, max_s;
  int32_t max_rank;
};
struct sample_row {
  int32_t repeat, rank;
  double seconds;
};
struct residual_row {
  int32_t iteration;
  double norm, relative;
};
struct gate_row {
  char name[NAME_BYTES];
  double observed, bound;
  bool passed;
  char verdict[NAME_BYTES], covered_by[COVER_BYTES];
};

struct hb_output_tables {
  const struct hb_comm *comm; /* borrowed */
  /* Rows; owned, those of all ranks on rank 0 only. */
  struct rank_row *ranks;
  struct machine_row *machine;
  struct own_row *own; /* on rank 0 alone it has rows of meaning */
  /* This rank's own rows of those tables, which the file's are compared with. */
  struct rank_row own_rank;
  struct machine_row own_machine;
  struct sample_row *own_samples; /* owned [repeats] */
  struct summary_row summary[HB_NUM_PHASES + 1];
  struct sample_row *samples;
  struct residual_row *residuals;
  struct gate_row gates[HB_NUM_GATES];
  struct hb_output_tuning *tuning; /* on a GPU */
  double *sorted;                  /* owned: work space of the summary */
  int num_residuals, num_tuning;
  hb_global num_samples;
  struct hb_output_content content; /* owned lists, which point into the rows and the texts below */
  char host[HOST_BYTES], processor[256], mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  char failed[256], kernel_shape[HB_SHAPE_WORD_BYTES], kernel_choice[HB_PATH_BYTES + 64];
  const char *command_line; /* borrowed */
};

/* "setup_s" and so on; after the phases "total_s". */
static inline const char *hb_output_phase_name(int phase) {
  return phase < HB_NUM_PHASES ? hb_phase_name((enum hb_phase)phase) : "total_s";
}

/* Not collective.  Describes tables and attributes of a finished run, whose rows are there but need
 * not be filled. */
void hb_output_tables_describe_all(struct hb_output_tables *tables,
                                   const struct hb_results *results);

#endif
