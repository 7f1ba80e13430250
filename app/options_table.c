/* SPDX-License-Identifier: BSD-3-Clause
 * The table of the options of a solve. */
#include "app/options_table.h"

#include <limits.h>
#include <math.h>

#include "app/solver.h"
#include "io/schema.h"

#define ROW(in, of, kind, field, otherwise, what)                                                  \
  .section = (in), .name = (of), .type = (kind), HB_OPTION_MEMBER(hb_options, field),              \
  .preset = (otherwise), .help = (what)
#define INTEGER(in, name, min, max, preset, what)                                                  \
  { ROW(in, #name, HB_OPTION_INTEGER, name, preset, what), .lowest = (min), .highest = (max) }
#define REAL(in, name, min, min_open, max, max_open, unit_of, preset, what)                        \
  {                                                                                                \
    ROW(in, #name, HB_OPTION_REAL, name, preset, what), .low = (min), .low_open = (min_open),      \
                                                        .high = (max), .high_open = (max_open),    \
                                                        .unit = (unit_of)                          \
  }
#define CHOICE(in, name, field, names, preset, what)                                               \
  { ROW(in, name, HB_OPTION_CHOICE, field, preset, what), .choices = (names) }
/* Pins, as HB_SHAPE_MEMBERS lists the members of a shape. */
#define PIN_WORD(member, option, names, words, sizes, rank, what)                                  \
  CHOICE("solver", option, pins.member, "auto " words, "auto", what),
#define PIN_NUMBER(member, option, open, min, max, one, many, letter, rank, what)                  \
  {ROW("solver", option, HB_OPTION_INTEGER, pins.member, #open, what), .lowest = (min),            \
   .highest = (max)},
#define FLAG(name, field, what)                                                                    \
  { ROW(NULL, name, HB_OPTION_FLAG, field, "no", what) }

/* Enums of the options are read and written as int. */
_Static_assert(sizeof(enum hb_boundary) == sizeof(int), "an enum of the options is an int");
_Static_assert(sizeof(enum hb_precision) == sizeof(int), "an enum of the options is an int");
_Static_assert(sizeof(enum hb_matrix_tile) == sizeof(int), "an enum of the options is an int");
_Static_assert(sizeof(enum hb_cube_layout) == sizeof(int), "an enum of the options is an int");

#define INF        HUGE_VAL
#define BOUNDARIES "dirichlet neumann periodic"

static const struct hb_option table[] = {
    INTEGER("mesh", degree, HB_MIN_DEGREE, HB_MAX_DEGREE, "7", "degree of the polynomials"),
    INTEGER("mesh", nx, 1, HB_GLOBAL_MAX, "4", "elements along x, of the box or of a rank"),
    INTEGER("mesh", ny, 1, HB_GLOBAL_MAX, "4", "elements along y"),
    INTEGER("mesh", nz, 1, HB_GLOBAL_MAX, "4", "elements along z"),
    CHOICE("mesh", "size_is", size_is, "global per_rank", "global",
           "nx, ny, nz count the whole box, or one rank's part (weak scaling)"),
    REAL("mesh", lx, 0, true, INF, true, "m", "1", "length of the box along x"),
    REAL("mesh", ly, 0, true, INF, true, "m", "1", "length of the box along y"),
    REAL("mesh", lz, 0, true, INF, true, "m", "1", "length of the box along z"),
    CHOICE("mesh", "boundary_x", boundary[0], BOUNDARIES, "dirichlet", "both faces across x"),
    CHOICE("mesh", "boundary_y", boundary[1], BOUNDARIES, "dirichlet", "both faces across y"),
    CHOICE("mesh", "boundary_z", boundary[2], BOUNDARIES, "dirichlet", "both faces across z"),
    CHOICE("mesh", "deformation", deformation, "none smooth kershaw", "none",
           "how the elements are bent"),
    REAL("mesh", amplitude, 0, false, 0.5, false, "", "0.05", "size of the smooth deformation"),
    REAL("mesh", epsilon_y, 0, true, 1, false, "", "0.3", "kershaw deformation, 1 = none"),
    REAL("mesh", epsilon_z, 0, true, 1, false, "", "0.3", "kershaw deformation, 1 = none"),
    INTEGER("ranks", px, 0, INT_MAX, "0", "ranks along x, 0 = chosen for the smallest surface"),
    INTEGER("ranks", py, 0, INT_MAX, "0", "ranks along y, 0 = chosen"),
    INTEGER("ranks", pz, 0, INT_MAX, "0", "ranks along z, 0 = chosen"),
    REAL("problem", h1, 0, true, INF, true, "", "1", "coefficient of the diffusion term"),
    REAL("problem", h2, 0, false, INF, true, "1/m^2", "1", "coefficient of the mass term"),
    REAL("problem", h1_variation, 0, false, 0.9, false, "", "0",
         "h1 varies smoothly in space by this fraction"),
    REAL("problem", h2_variation, 0, false, 0.9, false, "", "0",
         "h2 varies smoothly in space by this fraction"),
    CHOICE("solver", "preconditioner", preconditioner, "none jacobi", "jacobi",
           "of the conjugate gradient iteration"),
    CHOICE("solver", "stop", stop, "tolerance count", "tolerance",
           "end at the tolerance, or after a fixed count of iterations"),
    REAL("solver", tolerance, 0, true, 1, true, "", "1e-10", "residual to reach, |r| / |b|"),
    INTEGER("solver", iterations, 1, 1000000, "1000", "most iterations, or the fixed count"),
    CHOICE("solver", "precision", precision, "f64 f32", "f64", "of all fields and sums"),
    CHOICE("solver", "geometry", geometry, "auto stored nodes trilinear affine", "stored",
           "source of the factors, auto = the lightest that fits"),
    {ROW("solver", "kernel", HB_OPTION_TEXT, kernel, "auto",
         "operator variant by name, auto = the best for backend and degree")},
    HB_SHAPE_MEMBERS(PIN_WORD, PIN_NUMBER){
        ROW("solver", "autotune", HB_OPTION_YESNO, autotune, "yes",
            "time GPU kernels and exchanges first, no = take the defaults")},
    CHOICE("solver", "graphs", graphs, "auto off", "auto",
           "launch iterations as a graph of kernels, auto = on a GPU of one rank"),
    {ROW("solver", "tuning_file", HB_OPTION_TEXT, tuning_file, "helmbone_tuning.txt",
         "file that keeps what tuning found, none = keep nothing")},
    INTEGER("solver", warmup, 0, 100, "1", "untimed solves before the timed ones"),
    INTEGER("solver", repeats, 1, HB_MOST_REPEATS, "3", "timed solves, at least"),
    REAL("solver", min_time, 0, false, INF, true, "s", "0",
         "as many timed solves as this takes, 0 = repeats alone"),
    {ROW("output", "file", HB_OPTION_TEXT, file, "none",
         "NAME.vtkhdf or NAME.hdf opens in ParaView, none = write nothing"),
     .alias = "output"},
    {ROW("output", "fields", HB_OPTION_TEXT, fields, "yes",
         "yes, no = tables alone, or solution,exact_solution,error,residual")},
    CHOICE("output", "field_precision", field_precision, "solve f32", "solve",
           "of the file, solve = that of the solve"),
    INTEGER("output", pieces, 0, HB_SCHEMA_MOST_PIECES, "0",
            "of the mesh, for a parallel ParaView, 0 = by the size"),
    {ROW("output", "report", HB_OPTION_TEXT, report, "none",
         "NAME.json: all that is known of the run, none = write nothing")},
    CHOICE("run", "progress", progress, "auto on off", "auto",
           "a line that shows how far the solve is, auto = at a terminal"),
    CHOICE("run", "backend", backend, "auto host gpu", "auto",
           "where it runs, auto = the GPU if built for one"),
    CHOICE("run", "gpu_aware", gpu_aware, "auto on off", "auto",
           "give GPU memory to MPI, auto = if it can and a test is right"),
    CHOICE("run", "exchange", exchange, "auto pairwise neighbour peer", "auto",
           "how ranks exchange shared points, auto = the fastest that is right"),
    INTEGER("run", gate_seed, 0, INT_MAX, "0",
            "of what the gates choose at random, as reported, 0 = anew"),
    REAL("run", walltime, 0, false, INF, true, "s", "0",
         "repeats end at three quarters of it, for gates and file, 0 = no end"),
    REAL("run", watchdog, 0, false, INF, true, "s", "0",
         "end and name who holds it up after so long without progress, 0 = off"),
    FLAG("oversubscribe", oversubscribe, "several ranks on one GPU are meant: no warning"),
    FLAG("check-launches", check_launches,
         "wait after every GPU kernel, so that an error names it (slow)"),
    FLAG("retune", retune, "tune the GPU kernels anew, whatever the tuning file has"),
    FLAG("verbose", verbose, "print every array of the memory and traffic models, and every gate"),
    FLAG("dry-run", dry_run, "check the input and show sizes and memory, solve nothing"),
    FLAG("help", help, "print this text"),
    FLAG("version", version, "print version and build"),
    {.name = "case file",
     .type = HB_OPTION_FILE,
     .words = 1,
     HB_OPTION_MEMBER(hb_options, case_file)},
};

const struct hb_option_table *hb_options_table(void) {
  static const struct hb_option_table all = {table, sizeof table / sizeof table[0]};
  return &all;
}
