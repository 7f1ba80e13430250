/* SPDX-License-Identifier: BSD-3-Clause
 * The options of a solve.  The table (options_table.c) has name, section, type, unit, range,
 * default and help of each; what is done with a table stands in option.h.
 *
 * Command line: helmbone [CASE.ini] [--NAME VALUE | --NAME=VALUE | --FLAG]...   over the file.
 * File: [section] and `name = value` lines; # and ; begin comments; lists do not exist. */
#ifndef HB_APP_OPTIONS_H
#define HB_APP_OPTIONS_H

#include "app/option.h"
#include "kernels/element/shape.h"
#include "mesh/box.h"
#include "mesh/exchange.h"

enum hb_size_is { HB_SIZE_GLOBAL = 0, HB_SIZE_PER_RANK = 1 };
enum hb_stop { HB_STOP_TOLERANCE = 0, HB_STOP_COUNT = 1 };
enum hb_preconditioner_kind { HB_PLAIN = 0, HB_JACOBI = 1 };
enum hb_field_precision { HB_FIELDS_AS_SOLVED = 0, HB_FIELDS_F32 = 1 };
enum hb_graphs { HB_GRAPHS_AUTO = 0, HB_GRAPHS_OFF = 1 };
enum hb_progress { HB_PROGRESS_AUTO = 0, HB_PROGRESS_ON = 1, HB_PROGRESS_OFF = 2 };

/* Of `geometry`; any other value is a mode (geometry.h), plus 1. */
enum { HB_GEOMETRY_AUTO = 0 };

/* auto: the GPU where the program is built for one. */
enum hb_backend_wish { HB_BACKEND_AUTO = 0, HB_BACKEND_ONLY_HOST = 1, HB_BACKEND_ONLY_GPU = 2 };

struct hb_options {
  /* [mesh] */
  int degree;
  hb_global nx, ny, nz; /* elements of the box, or of a rank where size_is = per_rank */
  enum hb_size_is size_is;
  double lx, ly, lz; /* m */
  enum hb_boundary boundary[3];
  enum hb_deformation deformation;
  double amplitude;
  double epsilon_y, epsilon_z;
  /* [ranks] */
  int px, py, pz; /* 0 = chosen */
  /* [problem] */
  double h1;
  double h2;           /* 1/m^2 */
  double h1_variation; /* h1 (1 + h1_variation v(x)), v smooth, |v| <= 1 */
  double h2_variation;
  /* [solver] */
  enum hb_preconditioner_kind preconditioner;
  enum hb_stop stop;
  double tolerance; /* |r| / |b| */
  int iterations;   /* limit, or the count */
  enum hb_precision precision;
  int geometry;                    /* how the operator comes by its factors */
  char kernel[32];                 /* auto, or a name of the table of variants */
  struct hb_shape pins;            /* of a GPU kernel; what is open (HB_SHAPE_MEMBERS) is tuned */
  enum hb_graphs graphs;           /* of launches on a GPU */
  bool autotune;                   /* time what the pins leave open */
  char tuning_file[HB_PATH_BYTES]; /* none: nothing is kept */
  int warmup;                      /* untimed solves first */
  int repeats;                     /* timed solves, at least */
  double min_time;                 /* s, of the timed solves together, at least */
  /* [output] */
  char file[HB_PATH_BYTES]; /* NAME.vtkhdf, or none */
  char fields[64];          /* yes: all; no: the tables alone; or names with commas */
  enum hb_field_precision field_precision;
  int pieces;                 /* of the mesh in the file, 0 = chosen */
  char report[HB_PATH_BYTES]; /* NAME.json, or none */
  /* [run] */
  enum hb_progress progress;
  enum hb_backend_wish backend;
  enum hb_gpu_aware gpu_aware;
  enum hb_exchange_wish exchange;
  double walltime, watchdog; /* s; 0: none */
  int gate_seed;             /* of what the gates choose at random, 0 = anew in each run */
  /* command line alone */
  bool oversubscribe, check_launches, retune, verbose;
  bool dry_run, help, version;
  char case_file[HB_PATH_BYTES]; /* empty: none */
};

/* Collective.  Rank 0 reads the file; every rank gets the same options or the same error.
 * HB_BAD_INPUT names file and line (or the argument), the value given and what is allowed. */
enum hb_status hb_options_parse(const struct hb_comm *comm, int argc, char **argv,
                                struct hb_options *options);

/* The defaults, without communication. */
void hb_options_defaults(struct hb_options *options);

/* Not collective.  The table as --help text; the effective values as a valid .ini file. */
void hb_options_help(FILE *stream);
void hb_options_echo(FILE *stream, const struct hb_options *options);

/* Visits every option of the table in order, with its value as text (for the output file). */
void hb_options_visit(const struct hb_options *options,
                      void (*visit)(void *context, const char *section, const char *name,
                                    const char *value),
                      void *context);

#endif
