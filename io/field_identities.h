/* SPDX-License-Identifier: BSD-3-Clause
 * What must hold among the fields of an output file, found out in one pass over its elements in any
 * order and by any number of processes: for the writer's read-back and for helmbone-inspect alike.
 *
 *   error = solution - exact_solution     in f64 bit by bit; in f32 within its rounding
 *   Points = the map of the box       where the options put the nodes, but for rounding
 *   copies of shared points are equal     bit by bit, in Points and all fields; across the ends of
 * a periodic axis in solution and residual rms and largest |error| over unique points = attributes
 * rms_error, max_error |residual| over unique points = true_relative_residual |b|,  |b| the first
 * row of the history
 *
 * Copies are compared by sums: over the faces between neighbours, of a mix (io/checksum.h) of place
 * and value on the lower face minus that of the upper; it is 0 if all are equal, and otherwise but
 * for one chance in 2^64.  Fields that the file does not have are left out; a number that is not
 * finite equals any other such. */
#ifndef HB_IO_FIELD_IDENTITIES_H
#define HB_IO_FIELD_IDENTITIES_H

#include "io/field_positions.h"

enum hb_field_role {
  HB_ROLE_SOLUTION,
  HB_ROLE_EXACT,
  HB_ROLE_ERROR,
  HB_ROLE_RESIDUAL,
  HB_ROLE_POINTS,
  HB_ROLE_OTHER, /* any other field */
  HB_NUM_ROLES
};

struct hb_identity_field {
  const char *path; /* borrowed */
  enum hb_field_role role;
  enum hb_precision precision;
  int components;
  uint64_t faces[3]; /* sum along each axis; so far */
};

/* What the file's description says; not known: NaN with known = false. */
struct hb_identity_fact {
  bool known;
  double value;
};
struct hb_identity_facts {
  struct hb_identity_fact rms_error, max_error, residual_norm;
  struct hb_field_map map;
};

struct hb_identities {
  int n; /* nodes per direction */
  hb_global elements[3];
  bool periodic[3];
  struct hb_identity_facts facts;
  int num_fields;
  struct hb_identity_field *field; /* owned [num_fields], to be filled by the caller */
  const struct hb_identity_field *of[HB_NUM_ROLES]; /* set by begin; NULL: there is none */
  struct hb_gll gll;                                /* set by begin, if the map is known */
  /* Sums so far, of the elements that were added: */
  hb_global wrong_errors; /* points where error is not solution - exact_solution */
  hb_global wrong_points;
  double error_square, residual_square, solution_square; /* over their expected size, squared */
  double largest_error;
};

/* n, elements, periodic and facts are set by the caller afterwards, and the fields. */
enum hb_status hb_identities_create(int num_fields, struct hb_identities *identities);
void hb_identities_destroy(struct hb_identities *identities);

/* Role of the field called `name`. */
enum hb_field_role hb_field_role_of(const char *name);

/* The fields have been filled: clears the sums. */
void hb_identities_begin(struct hb_identities *identities);

/* Adds elements first .. first + count - 1: values[f] are those of field f,
 * [count][n^3][components] of its precision. */
void hb_identities_add(struct hb_identities *identities, hb_global first, hb_global count,
                       const void *const *values);

/* All elements have been added (sums of several processes: added, but for largest_error).  Calls
 * `complain` with a sentence for each identity that does not hold, until it fails. */
typedef enum hb_status hb_identity_complaint(void *context, const char *words);
enum hb_status hb_identities_judge(const struct hb_identities *identities,
                                   hb_identity_complaint *complain, void *context);

#endif
