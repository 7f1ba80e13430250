/* SPDX-License-Identifier: BSD-3-Clause
 * The tuner: which variant of the operator, in which shape, is the fastest on this device.
 *
 * Candidates are variants in a shape and a geometry mode.  Each is first verified: it is run on
 * random data, on full blocks of elements and a part of one, or, if its waves go on from element to
 * element, for three rounds of some of them, and compared entry by entry with
 * hb_helmholtz_host_f64, which has stored factors, from what the mode keeps (kept.h); p, x and the
 * sum of u.w are compared as well.  The error is max |difference| / (sum of the magnitudes that
 * went into the entry), the bound hb_helmholtz_tolerance of a magnitude of 1.  One that is wrong,
 * writes NaN or nothing, or fails, is never timed and cannot win.
 *
 * Those that are right are timed in turn, three rounds of several launches; a candidate's time is
 * the least of its rounds, its spread the middle one less the least (one disturbed round does not
 * count).  The fastest wins, unless others differ from it by less than the larger of the two
 * spreads: that is a tie, and the simplest of these wins: the earlier mode, then the earlier row of
 * the table, then the simpler shape (hb_shape_compare).
 *
 * Clocks are read through hb_device_time_start and _stop alone.  Nothing here is collective. */
#ifndef HB_KERNELS_TUNE_AUTOTUNE_H
#define HB_KERNELS_TUNE_AUTOTUNE_H

#include "kernels/helmholtz/variants.h"

enum hb_tuned_operator {
  HB_TUNED_SCALAR, /* on assembled vectors, with a direction, as CG applies it */
  HB_TUNED_VECTOR, /* on local vectors of three components */
  HB_NUM_TUNED_OPERATORS
};

enum hb_verdict {
  HB_UNTRIED,
  HB_VERIFIED, /* agrees with the reference */
  HB_WRONG,    /* does not */
  HB_FAILED    /* a launch or a copy failed */
};

struct hb_candidate {
  struct hb_kernel kernel;
  int row; /* of the table: what comes earlier is simpler */
  /* The following by hb_autotune. */
  enum hb_verdict verdict;
  double error, bound;    /* NaN if not compared */
  double seconds, spread; /* of one launch; NaN if not timed */
  bool chosen, tied;      /* tied: cannot be told from the fastest, which is tied too then */
  char failure[160];      /* what failed, else empty */
};

struct hb_autotune {
  struct hb_device *device; /* borrowed */
  enum hb_tuned_operator operator_kind;
  int n;
  struct hb_geometry geometry; /* in the mode of each candidate, whatever its own */
  enum hb_precision precision;
  bool with_dinv;                     /* the direction has a preconditioner, as the solve */
  const double *points, *weights, *D; /* GLL: [n], [n], [n][n]; borrowed */
  hb_local num_elements;              /* to be timed on, >= 1 */
  double seconds;                     /* that timing may take, about */
  int threads;                        /* of the host, for what is compared there; 0 as 1 */
};

/* "scalar", "vector"; "untried", "right", "wrong", "failed". */
const char *hb_tuned_operator_name(enum hb_tuned_operator operator_kind);
const char *hb_verdict_name(enum hb_verdict verdict);

/* For every mode of `modes`, bits 1 << mode: every row that has it, and its shapes on a device of
 * this architecture, in the order of the table, as a new array (hb_free) with at least one place;
 * *count may be 0. */
enum hb_status hb_autotune_list(enum hb_tuned_operator operator_kind, const char *architecture,
                                unsigned modes, int n, enum hb_precision precision,
                                struct hb_candidate **candidates, int *count);

/* Bytes on the device that timing candidates of these modes takes for each element. */
double hb_autotune_element_bytes(const struct hb_autotune *request, unsigned modes);

/* Verifies and times the candidates, marks one as chosen and gives its number.  HB_MACHINE_FAILED
 * if none is right, with the first one's fault; or if memory does not suffice. */
enum hb_status hb_autotune(const struct hb_autotune *request, int count,
                           struct hb_candidate *candidates, int *chosen);

/* The choice among candidates that have their times, as above; -1 if none has. */
int hb_autotune_choose(int count, struct hb_candidate *candidates);

#endif
