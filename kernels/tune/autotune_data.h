/* SPDX-License-Identifier: BSD-3-Clause
 * What the tuner applies the operator to: deterministic random data on a box of elements that share
 * points, on the host as far as it is needed, and on the device. */
#ifndef HB_KERNELS_TUNE_AUTOTUNE_DATA_H
#define HB_KERNELS_TUNE_AUTOTUNE_DATA_H

#include "kernels/geometry/kept.h"
#include "kernels/helmholtz/compare.h"
#include "kernels/tune/autotune.h"

enum hb_tuning_array {
  HB_TUNING_FACTORS,  /* random, as the next five; what the mode keeps at points */
  HB_TUNING_ELEMENTS, /* and of elements */
  HB_TUNING_R,        /* of a direction; u of local vectors */
  HB_TUNING_DINV,
  HB_TUNING_P_OLD,
  HB_TUNING_X,
  HB_TUNING_P, /* written by kernels, as all below */
  HB_TUNING_W,
  HB_TUNING_SURFACE,
  HB_TUNING_PARTIALS,
  HB_NUM_TUNING_ARRAYS
};

struct hb_tuning_data {
  struct hb_device *device; /* borrowed */
  enum hb_precision precision;
  hb_global most_held; /* values of an array on the host, at most */
  int threads;         /* that may work on them */
  int components;      /* 1: assembled, with a direction; 3: local */
  hb_local *index;     /* [element][surface point], with HB_OWNS_POINT; owned, as all below */
  hb_local *d_index;   /* both NULL for local vectors */
  struct hb_kept_basis basis;        /* borrowed */
  double growth;                     /* of the factors' rounding, the most; 0: they are stored */
  void *D, *d_D, *values, *d_values; /* in the precision; values: points and weights, [2][n] */
  struct {
    hb_global count, held; /* values of the array, and the first of them that are on the host */
    size_t size;
    void *h, *d;
  } array[HB_NUM_TUNING_ARRAYS];        /* count 0: not used */
  void *d_poison;                       /* NaN, as many as the longest array that kernels write */
  struct hb_device_helmholtz helmholtz; /* without a shape */
  struct hb_device_direction direction; /* d_dinv NULL without a preconditioner */
};

/* Data on num_elements elements; of an array the host has at most `most_held` values, which the
 * device repeats.  Freed by hb_tuning_data_free, also after a failure. */
enum hb_status hb_tuning_data_init(const struct hb_autotune *request, hb_local num_elements,
                                   hb_global most_held, struct hb_tuning_data *data);
void hb_tuning_data_free(struct hb_tuning_data *data);

/* What the mode, which is not stored, keeps of the first num_elements, on the host; and
 * factors [element][point][f] of all, which the host holds. */
enum hb_status hb_tuning_keep(struct hb_tuning_data *data, hb_global num_elements);
enum hb_status hb_tuning_factors(const struct hb_tuning_data *data, double *factors);

/* One launch over elements [begin, end). */
enum hb_status hb_tuning_launch(const struct hb_tuning_data *data, const struct hb_kernel *kernel,
                                hb_local begin, hb_local end, hb_local *num_partials);

/* The reference on data that the host holds whole, and what the operator is applied to.  Freed by
 * hb_reference_free, also after a failure. */
enum hb_status hb_tuning_expect(struct hb_tuning_data *data, struct hb_reference *expected);

/* Runs a candidate on poisoned memory and sets its error, bound and verdict; a failure of the
 * device becomes the verdict.  HB_MACHINE_FAILED if the host's memory does not suffice. */
enum hb_status hb_tuning_verify(struct hb_tuning_data *data, const struct hb_reference *expected,
                                struct hb_candidate *candidate);

/* Keeps the words of the latest failure with the candidate and clears the record. */
void hb_tuning_fail(struct hb_candidate *candidate);

#endif
