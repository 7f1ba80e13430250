/* SPDX-License-Identifier: BSD-3-Clause
 * The options of a solve.  One table (options_table.c) gives name, section, type, unit, range,
 * default and help of each; it drives the .ini file, the command line, --help and the echo.
 *
 * Command line: helmbone [CASE.ini] [--NAME VALUE | --NAME=VALUE | --FLAG]...   over the file.
 * File: [section] and `name = value` lines; # and ; begin comments; lists do not exist. */
#ifndef HB_APP_OPTIONS_H
#define HB_APP_OPTIONS_H

#include <stdio.h>

#include "kernels/element/shape.h"
#include "mesh/box.h"
#include "mesh/gather_scatter_device.h"

enum { HB_PATH_BYTES = 4096 };

enum hb_size_is { HB_SIZE_GLOBAL = 0, HB_SIZE_PER_RANK = 1 };
enum hb_stop { HB_STOP_TOLERANCE = 0, HB_STOP_COUNT = 1 };
enum hb_preconditioner_kind { HB_PLAIN = 0, HB_JACOBI = 1 };
enum hb_progress { HB_PROGRESS_AUTO = 0, HB_PROGRESS_ON = 1, HB_PROGRESS_OFF = 2 };

/* auto: the GPU where the program is built for one. */
enum hb_backend_wish { HB_BACKEND_AUTO = 0, HB_BACKEND_ONLY_HOST = 1, HB_BACKEND_ONLY_GPU = 2 };

struct hb_options {
  /* [mesh] */
  int degree;              /* 1..15, default 7 */
  hb_global nx, ny, nz;    /* >= 1, default 4; of the box, or of a rank where size_is = per_rank */
  enum hb_size_is size_is; /* global | per_rank, default global */
  double lx, ly, lz;       /* > 0, m, default 1 */
  enum hb_boundary boundary[3];    /* boundary_x, _y, _z: dirichlet | neumann | periodic */
  enum hb_deformation deformation; /* none | smooth | kershaw, default none */
  double amplitude;                /* 0..0.5, default 0.05 */
  double epsilon_y, epsilon_z;     /* (0, 1], default 0.3 */
  /* [ranks] */
  int px, py, pz; /* >= 0, default 0 = chosen */
  /* [problem] */
  double h1;           /* > 0, default 1 */
  double h2;           /* >= 0, 1/m^2, default 1 */
  double h1_variation; /* 0..0.9, default 0: h1 (1 + h1_variation v(x)), v smooth, |v| <= 1 */
  double h2_variation;
  /* [solver] */
  enum hb_preconditioner_kind preconditioner; /* none | jacobi, default jacobi */
  enum hb_stop stop;                          /* tolerance | count, default tolerance */
  double tolerance;                           /* (0, 1), default 1e-10: |r| / |b| */
  int iterations;                             /* 1..1000000, default 1000: limit, or the count */
  enum hb_precision precision;                /* f64 | f32 */
  char kernel[32];                            /* auto, or a name of the table of variants */
  /* Shape of a GPU kernel; what is auto is tuned. */
  enum hb_matrix_tile tile;        /* auto (none) | 16x16x4 | 4x4x4 | 4x4x1 | 8x8x4 */
  int wavefronts;                  /* 0..16, default 0 = auto */
  int elements_per_block;          /* 0..1024, default 0 = auto */
  enum hb_cube_layout padding;     /* auto (none) | plain | padded | swizzled */
  int ahead;                       /* -1..16, default -1 = auto */
  bool autotune;                   /* yes | no, default yes: time what the pins leave open */
  char tuning_file[HB_PATH_BYTES]; /* default helmbone_tuning.txt; none: nothing is kept */
  int warmup;                      /* untimed solves first, 0..100, default 1 */
  int repeats;                     /* timed solves, 1..1000, default 3 */
  /* [output] */
  char file[HB_PATH_BYTES]; /* NAME.vtkhdf, or none (default) */
  bool fields;              /* yes | no, default yes: write the fields, not the tables alone */
  /* [run] */
  enum hb_progress progress;    /* auto | on | off */
  enum hb_backend_wish backend; /* auto | host | gpu, default auto */
  enum hb_gpu_aware gpu_aware;  /* auto | on | off, default auto */
  /* command line alone */
  bool oversubscribe, check_launches, retune;
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
