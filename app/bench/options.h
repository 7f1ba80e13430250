/* SPDX-License-Identifier: BSD-3-Clause
 * The options of helmbone-bench. */
#ifndef HB_APP_BENCH_OPTIONS_H
#define HB_APP_BENCH_OPTIONS_H

#include "app/bench/parts.h"

enum hb_bench_format { HB_BENCH_TEXT, HB_BENCH_CSV, HB_BENCH_JSON, HB_BENCH_HDF5 };
enum { HB_BENCH_LIST_BYTES = 256, HB_BENCH_MOST_SAMPLES = 1000, HB_BENCH_MOST_FILES = 8 };

/* As given; a number that is 0 is chosen by where the program runs. */
struct hb_bench_options {
  char degrees[HB_BENCH_LIST_BYTES], precision[HB_BENCH_LIST_BYTES], variants[HB_BENCH_LIST_BYTES],
      geometry[HB_BENCH_LIST_BYTES], parts[HB_BENCH_LIST_BYTES];
  double points;   /* unique ones of a rank, about */
  double min_time; /* s of all samples of a part together; < 0: chosen */
  int samples;
  bool mass;
  enum hb_preconditioner_kind preconditioner;
  enum hb_bench_format format; /* of standard output */
  char output[HB_PATH_BYTES];  /* names of files with commas; none */
  enum hb_backend_wish backend;
  enum hb_graphs graphs;
  enum hb_gpu_aware gpu_aware;
  bool autotune, oversubscribe, check_launches, help, version;
  /* What the lists say. */
  bool degree[HB_MAX_DEGREE + 1];
  unsigned precisions, geometries, chosen_parts; /* bits 1 << enum */
  unsigned rows;                                 /* of the table of variants; 0: `auto` */
  int num_files;
  char file[HB_BENCH_MOST_FILES][HB_PATH_BYTES];
  enum hb_bench_format file_format[HB_BENCH_MOST_FILES];
};

/* Collective.  Defaults, command line, lists; the same on all ranks.  HB_BAD_INPUT names the
 * argument, the value given and what is allowed; a file that cannot be written is refused here. */
enum hb_status hb_bench_options_parse(const struct hb_comm *comm, int argc, char **argv,
                                      struct hb_bench_options *options);

/* Not collective. */
void hb_bench_options_help(FILE *stream);

#endif
