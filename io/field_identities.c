/* SPDX-License-Identifier: BSD-3-Clause
 * Identities among the fields of an output file. */
#include "io/field_identities.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "io/checksum.h"
#include "io/schema.h"

enum { WORDS_BYTES = 400 };
#define POINTS "Points" /* the last part of HB_SCHEMA_POINTS */

enum hb_status hb_identities_create(int num_fields, struct hb_identities *identities) {
  enum hb_status status = HB_OK;
  *identities = (struct hb_identities){.num_fields = num_fields};
  HB_ALLOC(identities->field, num_fields, "fields of the output file");
done:
  return status;
}

void hb_identities_destroy(struct hb_identities *identities) {
  hb_free(identities->field);
  *identities = (struct hb_identities){.num_fields = 0};
}

enum hb_field_role hb_field_role_of(const char *name) {
  static const char *const names[HB_ROLE_OTHER] = {HB_SCHEMA_SOLUTION, HB_SCHEMA_EXACT,
                                                   HB_SCHEMA_ERROR, HB_SCHEMA_RESIDUAL, POINTS};
  for (int role = 0; role < HB_ROLE_OTHER; role++)
    if (strcmp(name, names[role]) == 0) return (enum hb_field_role)role;
  return HB_ROLE_OTHER;
}

void hb_identities_begin(struct hb_identities *identities) {
  for (int role = 0; role < HB_NUM_ROLES; role++) identities->of[role] = NULL;
  for (int f = 0; f < identities->num_fields; f++) {
    struct hb_identity_field *field = &identities->field[f];
    for (int a = 0; a < 3; a++) field->faces[a] = 0;
    const int components = field->role == HB_ROLE_POINTS ? 3 : 1;
    if (field->role != HB_ROLE_OTHER && field->components == components)
      identities->of[field->role] = field;
  }
  struct hb_field_map *map = &identities->facts.map;
  map->known = map->known && map->box.degree == identities->n - 1 &&
               hb_gll_init(map->box.degree, &identities->gll) == HB_OK;
  for (int a = 0; a < 3; a++)
    map->known = map->known && map->box.elements[a] == identities->elements[a];
  identities->wrong_errors = identities->wrong_points = 0;
  identities->error_square = identities->residual_square = identities->solution_square = 0.0;
  identities->largest_error = 0.0;
}

/* The bits of a value; all zeros are equal, and all that are no numbers. */
static uint64_t key_of(double value) {
  uint64_t bits = 0;
  if (value == 0.0) return 0;
  if (isnan(value)) return UINT64_MAX;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

/* One element: its number and its place in the box. */
struct element {
  hb_global number, at[3];
  hb_global index; /* among those that are added together */
};

static struct element element_at(const struct hb_identities *identities, hb_global number,
                                 hb_global first) {
  const hb_global *all = identities->elements;
  return (struct element){
      .number = number,
      .at = {number % all[0], number / all[0] % all[1], number / all[0] / all[1]},
      .index = number - first};
}

/* Sum over one face across axis `axis`, node `side` there, as the lower face of element `owner`. */
static uint64_t face_sum(const struct hb_identities *identities,
                         const struct hb_identity_field *field, const void *values, int axis,
                         int side, hb_global owner) {
  const int n = identities->n, stride[3] = {1, n, n * n};
  const int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
  hb_global place = owner * n * n * field->components;
  uint64_t sum = 0;
  for (int q = 0; q < n; q++)
    for (int p = 0; p < n; p++) {
      const hb_global node = side * stride[axis] + p * stride[u] + q * stride[v];
      for (int c = 0; c < field->components; c++)
        sum += hb_checksum_item(
            place++, key_of(hb_real_at(field->precision, values, node * field->components + c)));
    }
  return sum;
}

/* A face is compared unless it lies on the boundary of the box: the upper one with the lower one of
 * the next element. */
static void add_faces(const struct hb_identities *identities, const struct element *element,
                      struct hb_identity_field *field, const void *values) {
  const bool wraps = field->role == HB_ROLE_SOLUTION || field->role == HB_ROLE_RESIDUAL;
  hb_global below = 1; /* elements between two neighbours along the axis */
  for (int axis = 0; axis < 3; axis++) {
    const hb_global all = identities->elements[axis], at = element->at[axis];
    const bool closed = wraps && identities->periodic[axis];
    if (at > 0 || closed)
      field->faces[axis] += face_sum(identities, field, values, axis, 0, element->number);
    if (at < all - 1 || closed) {
      const hb_global next = element->number + (at < all - 1 ? below : -(all - 1) * below);
      field->faces[axis] -= face_sum(identities, field, values, axis, identities->n - 1, next);
    }
    below *= all;
  }
}

/* Is node (i,j,k) of the element the one of its copies that counts? */
static bool counts(const struct hb_identities *identities, const struct element *element, int i,
                   int j, int k) {
  const int node[3] = {i, j, k};
  for (int a = 0; a < 3; a++) {
    const bool last = element->at[a] == identities->elements[a] - 1 && !identities->periodic[a];
    if (node[a] == identities->n - 1 && !last) return false;
  }
  return true;
}

static double scale_of(const struct hb_identity_fact *fact) {
  return fact->known && isfinite(fact->value) && fact->value > 0.0 ? fact->value : 1.0;
}

/* Sum of (value / scale)^2 over the points that count; *largest: |value|, NULL: not wanted. */
static double square_of(const struct hb_identities *identities, const struct element *element,
                        const struct hb_identity_field *field, const void *values, double scale,
                        double *largest) {
  const int n = identities->n;
  double sum = 0.0;
  hb_global node = 0;
  for (int k = 0; k < n; k++)
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++, node++) {
        if (!counts(identities, element, i, j, k)) continue;
        const double value = hb_real_at(field->precision, values, node);
        sum += value / scale * (value / scale);
        if (largest != NULL) *largest = hb_max(*largest, fabs(value));
      }
  return sum;
}

/* Points where error differs from solution - exact by more than the file's precision explains: each
 * of the three is rounded by half a unit. */
static hb_global wrong_errors(const struct hb_identities *identities, const void *solution,
                              const void *exact, const void *error, enum hb_precision precision) {
  const double half = precision == HB_F64 ? 0.0 : 0.51 * (double)FLT_EPSILON;
  const double least = precision == HB_F64 ? 0.0 : (double)FLT_MIN;
  const hb_global nodes = (hb_global)identities->n * identities->n * identities->n;
  hb_global wrong = 0;
  for (hb_global i = 0; i < nodes; i++) {
    const double u = hb_real_at(precision, solution, i), x = hb_real_at(precision, exact, i);
    const double e = hb_real_at(precision, error, i);
    const double bound = half * (fabs(u) + fabs(x) + fabs(e)) + least;
    const bool none = !isfinite(e) && !isfinite(u - x);
    if (!(fabs(e - (u - x)) <= bound) && !none) wrong++;
  }
  return wrong;
}

/* Values of the element in a field, NULL where the file has no such field. */
static const void *values_of(const struct hb_identities *identities, const struct element *element,
                             const struct hb_identity_field *field, const void *const *values) {
  if (field == NULL) return NULL;
  const hb_global nodes = (hb_global)identities->n * identities->n * identities->n;
  const hb_global bytes =
      nodes * field->components * (hb_global)hb_precision_bytes(field->precision);
  return (const char *)values[field - identities->field] + element->index * bytes;
}

static void add_element(struct hb_identities *identities, const struct element *element,
                        const void *const *values) {
  const struct hb_identity_facts *facts = &identities->facts;
  const struct hb_identity_field *const *of = identities->of;
  const void *role[HB_NUM_ROLES];
  for (int r = 0; r < HB_NUM_ROLES; r++) role[r] = values_of(identities, element, of[r], values);
  const void *solution = role[HB_ROLE_SOLUTION], *exact = role[HB_ROLE_EXACT];
  const void *error = role[HB_ROLE_ERROR], *residual = role[HB_ROLE_RESIDUAL];
  for (int f = 0; f < identities->num_fields; f++)
    add_faces(identities, element, &identities->field[f],
              values_of(identities, element, &identities->field[f], values));
  if (solution != NULL && exact != NULL && error != NULL)
    identities->wrong_errors +=
        wrong_errors(identities, solution, exact, error, of[HB_ROLE_ERROR]->precision);
  if (role[HB_ROLE_POINTS] != NULL && facts->map.known)
    identities->wrong_points +=
        hb_field_map_wrong_points(&facts->map, &identities->gll, element->at,
                                  of[HB_ROLE_POINTS]->precision, role[HB_ROLE_POINTS]);
  if (error != NULL)
    identities->error_square += square_of(identities, element, of[HB_ROLE_ERROR], error,
                                          scale_of(&facts->rms_error), &identities->largest_error);
  if (residual != NULL)
    identities->residual_square += square_of(identities, element, of[HB_ROLE_RESIDUAL], residual,
                                             scale_of(&facts->residual_norm), NULL);
  if (solution != NULL)
    identities->solution_square +=
        square_of(identities, element, of[HB_ROLE_SOLUTION], solution, 1.0, NULL);
}

void hb_identities_add(struct hb_identities *identities, hb_global first, hb_global count,
                       const void *const *values) {
  for (hb_global e = first; e < first + count; e++) {
    const struct element element = element_at(identities, e, first);
    add_element(identities, &element, values);
  }
}

static hb_global unique_points(const struct hb_identities *identities) {
  hb_global points = 1;
  for (int a = 0; a < 3; a++)
    points *= identities->elements[a] * (identities->n - 1) + (identities->periodic[a] ? 0 : 1);
  return points;
}

/* found = said, but for `bound` relative to it and `slack`; both may be no numbers. */
static enum hb_status compare(const struct hb_identity_fact *said, const char *what, double found,
                              double bound, double slack, hb_identity_complaint *complain,
                              void *context) {
  enum hb_status status = HB_OK;
  char words[WORDS_BYTES];
  const double value = said->value;
  if (!said->known || (!isfinite(value) && !isfinite(found))) goto done;
  if (fabs(found - value) <= bound * fabs(value) + slack) goto done;
  snprintf(words, sizeof words, "%s is %.9g, by the field %.9g", what, value, found);
  HB_TRY(complain(context, words));
done:
  return status;
}

static enum hb_status judge_norms(const struct hb_identities *identities,
                                  hb_identity_complaint *complain, void *context) {
  enum hb_status status = HB_OK;
  const struct hb_identity_facts *facts = &identities->facts;
  const struct hb_identity_field *const *of = identities->of;
  const double points = (double)unique_points(identities);
  /* Sums of as many terms in another order; fields in f32 are rounded besides. */
  const double bound = 4.0 * DBL_EPSILON * (points + 100.0);
  /* The exact solution may have been evaluated in another order of operations. */
  const double slack = 16.0 * DBL_EPSILON * sqrt(identities->solution_square / points);
  const double rounding = 2.0 * (double)FLT_EPSILON, least = (double)FLT_MIN;
  if (of[HB_ROLE_ERROR] != NULL) {
    const bool narrow = of[HB_ROLE_ERROR]->precision == HB_F32;
    HB_TRY(compare(&facts->rms_error, "attribute rms_error",
                   scale_of(&facts->rms_error) * sqrt(identities->error_square / points),
                   bound + (narrow ? rounding : 0.0), slack + (narrow ? least : 0.0), complain,
                   context));
    HB_TRY(compare(&facts->max_error, "attribute max_error", identities->largest_error,
                   DBL_EPSILON + (narrow ? rounding : 0.0), 4.0 * slack + (narrow ? least : 0.0),
                   complain, context));
  }
  if (of[HB_ROLE_RESIDUAL] != NULL) {
    const bool narrow = of[HB_ROLE_RESIDUAL]->precision == HB_F32;
    HB_TRY(compare(&facts->residual_norm, "the norm of b - A u by attribute true_relative_residual",
                   scale_of(&facts->residual_norm) * sqrt(identities->residual_square),
                   bound + (narrow ? rounding : 0.0), narrow ? least * sqrt(points) : 0.0, complain,
                   context));
  }
done:
  return status;
}

enum hb_status hb_identities_judge(const struct hb_identities *identities,
                                   hb_identity_complaint *complain, void *context) {
  enum hb_status status = HB_OK;
  char words[WORDS_BYTES];
  for (int f = 0; f < identities->num_fields; f++)
    for (int axis = 0; axis < 3; axis++) {
      if (identities->field[f].faces[axis] == 0) continue;
      snprintf(words, sizeof words,
               "%.255s: copies of points that elements share along %c are not equal",
               identities->field[f].path, "xyz"[axis]);
      HB_TRY(complain(context, words));
    }
  if (identities->wrong_errors > 0) {
    snprintf(words, sizeof words, "error is not solution - exact_solution at %lld points",
             (long long)identities->wrong_errors);
    HB_TRY(complain(context, words));
  }
  if (identities->wrong_points > 0) {
    snprintf(words, sizeof words, "%s: %lld points are not where the options put them", POINTS,
             (long long)identities->wrong_points);
    HB_TRY(complain(context, words));
  }
  HB_TRY(judge_norms(identities, complain, context));
done:
  return status;
}
