/* SPDX-License-Identifier: BSD-3-Clause
 * Checksums and identities of the output file: the same however the elements are dealt out, and
 * faults of each kind seen, one value among many among them. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "io/checksum.h"
#include "io/field_identities.h"
#include "kernels/random.h"
#include "tests/check.h"

enum { N = 4, NODES = N * N * N, X = 3, Y = 2, Z = 4, ELEMENTS = X * Y * Z, FIELDS = 5 };
enum { SOLUTION, EXACT, ERROR, RESIDUAL, POINTS };

/* Fields of a mesh that is periodic along y. */
struct fields {
  enum hb_precision precision;
  double wide[FIELDS][3 * NODES * ELEMENTS];
  float narrow[FIELDS][3 * NODES * ELEMENTS];
};

static const bool periodic[3] = {false, true, false};
static const hb_global elements[3] = {X, Y, Z};

/* Lattice coordinate of node i of element e. */
static int lattice(int axis, int e, int i) {
  const int g = e * (N - 1) + i, all = (int)elements[axis] * (N - 1);
  return periodic[axis] ? g % all : g;
}

static double value_at(int field, const int g[3]) {
  const double r = hb_random_at(g[0] + 100 * (g[1] + 100 * g[2]), field);
  return field == ERROR ? 0.0 : field == RESIDUAL ? 1e-10 * r : 1.0 + r;
}

/* Fills the fields; returns the facts that hold. */
static struct hb_identity_facts fill(struct fields *fields, enum hb_precision precision) {
  struct hb_identity_facts facts = {
      .rms_error.known = true, .max_error.known = true, .residual_norm.known = true};
  hb_global at = 0, points = 0;
  fields->precision = precision;
  for (int e = 0; e < ELEMENTS; e++)
    for (int node = 0; node < NODES; node++, at++) {
      const int place[3] = {e % X, e / X % Y, e / X / Y};
      const int ijk[3] = {node % N, node / N % N, node / N / N};
      int g[3], owned = 1;
      for (int a = 0; a < 3; a++) {
        g[a] = lattice(a, place[a], ijk[a]);
        if (ijk[a] == N - 1 && (periodic[a] || place[a] < elements[a] - 1)) owned = 0;
        fields->wide[POINTS][3 * at + a] = place[a] * (N - 1) + ijk[a];
      }
      for (int f = SOLUTION; f <= RESIDUAL; f++) fields->wide[f][at] = value_at(f, g);
      fields->wide[ERROR][at] = fields->wide[SOLUTION][at] - fields->wide[EXACT][at];
      if (!owned) continue;
      points++;
      facts.rms_error.value += fields->wide[ERROR][at] * fields->wide[ERROR][at];
      facts.max_error.value = fmax(facts.max_error.value, fabs(fields->wide[ERROR][at]));
      facts.residual_norm.value += fields->wide[RESIDUAL][at] * fields->wide[RESIDUAL][at];
    }
  for (int f = 0; f < FIELDS; f++)
    for (int i = 0; i < 3 * NODES * ELEMENTS; i++)
      fields->narrow[f][i] = f == POINTS || i < NODES * ELEMENTS ? (float)fields->wide[f][i] : 0.0f;
  facts.rms_error.value = sqrt(facts.rms_error.value / (double)points);
  facts.residual_norm.value = sqrt(facts.residual_norm.value);
  return facts;
}

static enum hb_status create(const struct fields *fields, const struct hb_identity_facts *facts,
                             struct hb_identities *identities) {
  static const char *const paths[FIELDS] = {"solution", "exact_solution", "error", "residual",
                                            "Points"};
  enum hb_status status = HB_OK;
  HB_TRY(hb_identities_create(FIELDS, identities));
  identities->n = N;
  memcpy(identities->elements, elements, sizeof elements);
  memcpy(identities->periodic, periodic, sizeof periodic);
  identities->facts = *facts;
  for (int f = 0; f < FIELDS; f++)
    identities->field[f] = (struct hb_identity_field){.path = paths[f],
                                                      .role = hb_field_role_of(paths[f]),
                                                      .precision = fields->precision,
                                                      .components = f == POINTS ? 3 : 1};
  hb_identities_begin(identities);
done:
  return status;
}

static void add(const struct fields *fields, hb_global first, hb_global count,
                struct hb_identities *identities) {
  const void *values[FIELDS];
  for (int f = 0; f < FIELDS; f++) {
    const hb_global offset = first * NODES * (f == POINTS ? 3 : 1);
    values[f] = fields->precision == HB_F64 ? (const void *)&fields->wide[f][offset]
                                            : (const void *)&fields->narrow[f][offset];
  }
  hb_identities_add(identities, first, count, values);
}

/* What was complained of. */
struct complaints {
  int count;
  char first[400];
};

static enum hb_status complain(void *context, const char *words) {
  struct complaints *complaints = context;
  if (complaints->count++ == 0) snprintf(complaints->first, 400, "%s", words);
  return HB_OK;
}

/* All elements in pieces of `piece`, last piece first. */
static struct complaints judge(struct hb_check *check, const struct fields *fields,
                               const struct hb_identity_facts *facts, hb_global piece) {
  struct complaints complaints = {.count = 0};
  struct hb_identities identities;
  CHECK_OK(check, create(fields, facts, &identities));
  for (hb_global first = (ELEMENTS - 1) / piece * piece; first >= 0; first -= piece)
    add(fields, first, first + piece < ELEMENTS ? piece : ELEMENTS - first, &identities);
  CHECK_OK(check, hb_identities_judge(&identities, complain, &complaints));
  hb_identities_destroy(&identities);
  return complaints;
}

static void check_right(struct hb_check *check, struct fields *fields) {
  for (int p = 0; p < 2; p++) {
    struct hb_identity_facts facts = fill(fields, p == 0 ? HB_F64 : HB_F32);
    for (hb_global piece = 1; piece <= ELEMENTS; piece++) {
      const struct complaints none = judge(check, fields, &facts, piece);
      CHECK_EQUAL(check, none.count, 0);
    }
    facts.rms_error.value = facts.max_error.value = 77.0; /* what is not said is not compared */
    facts.rms_error.known = facts.max_error.known = false;
    CHECK_EQUAL(check, judge(check, fields, &facts, 5).count, 0);
  }
}

/* A solve that ended in no number: nothing contradicts anything. */
static void check_no_number(struct hb_check *check, struct fields *fields) {
  struct hb_identity_facts facts = fill(fields, HB_F64);
  facts.rms_error.value = facts.max_error.value = facts.residual_norm.value = NAN;
  for (int f = SOLUTION; f <= RESIDUAL; f++)
    for (int i = 0; f != EXACT && i < NODES * ELEMENTS; i++)
      fields->wide[f][i] = i % 2 == 0 ? NAN : -NAN;
  CHECK_EQUAL(check, judge(check, fields, &facts, 7).count, 0);
  facts.rms_error.value = 1e-3;
  CHECK(check, judge(check, fields, &facts, 7).count > 0);
}

/* One value of one field at node `node` of element `element` is another: is it seen? */
static void check_one_value(struct hb_check *check, struct fields *fields,
                            const struct hb_identity_facts *facts, int field, int element,
                            int node) {
  const int at = element * NODES + node, width = field == POINTS ? 3 : 1;
  double *value = &fields->wide[field][at * width];
  float *narrow = &fields->narrow[field][at * width];
  const double before = *value;
  const float narrow_before = *narrow;
  *value = field == ERROR ? nextafter(before, INFINITY) : before + 1e-14; /* values are up to 2 */
  *narrow = narrow_before * (1.0f + 8.0f * FLT_EPSILON) + FLT_MIN;
  const struct complaints seen = judge(check, fields, facts, 5);
  const int i = node % N, j = node / N % N, k = node / N / N;
  const int ex = element % X, ez = element / X / Y;
  const bool shared = (i == 0 && ex > 0) || (i == N - 1 && ex < X - 1) || (k == 0 && ez > 0) ||
                      (k == N - 1 && ez < Z - 1) ||
                      ((j == 0 || j == N - 1) && (field == SOLUTION || field == RESIDUAL));
  if (shared || (field <= ERROR && fields->precision == HB_F64)) CHECK(check, seen.count > 0);
  if (shared) CHECK(check, strstr(seen.first, "copies of points") != NULL);
  *value = before;
  *narrow = narrow_before;
}

static void check_faults(struct hb_check *check, struct fields *fields) {
  for (int p = 0; p < 2; p++) {
    const struct hb_identity_facts facts = fill(fields, p == 0 ? HB_F64 : HB_F32);
    for (int f = 0; f < FIELDS; f++)
      for (int element = 0; element < ELEMENTS; element += 5)
        for (int node = 0; node < NODES; node++)
          check_one_value(check, fields, &facts, f, element, node);
    struct hb_identity_facts other = facts;
    other.rms_error.value *= p == 0 ? 1.0 + 1e-11 : 1.0 + 1e-6;
    CHECK(check, strstr(judge(check, fields, &other, 5).first, "rms_error") != NULL);
    other = facts;
    other.max_error.value *= 1.0 - 1e-6;
    CHECK(check, strstr(judge(check, fields, &other, 5).first, "max_error") != NULL);
    other = facts;
    other.residual_norm.value *= 1.0 + 1e-6;
    CHECK(check, strstr(judge(check, fields, &other, 5).first, "residual") != NULL);
  }
}

static void check_checksums(struct hb_check *check) {
  uint64_t items[1000];
  const size_t widths[] = {1, 2, 4, 8};
  for (int i = 0; i < 1000; i++) items[i] = hb_random_mix((uint64_t)i);
  for (size_t w = 0; w < 4; w++) {
    const hb_global count = (hb_global)(sizeof items / widths[w]);
    const uint64_t whole = hb_checksum(7, count, widths[w], items);
    uint64_t parts = 0;
    for (hb_global first = 0; first < count; first += 123) {
      const hb_global left = count - first, part = left < 123 ? left : 123;
      parts += hb_checksum(7 + first, part, widths[w],
                           (const char *)items + first * (hb_global)widths[w]);
    }
    CHECK(check, parts == whole && whole != hb_checksum(8, count, widths[w], items));
    for (int bit = 0; bit < 64; bit++) {
      items[bit] ^= UINT64_C(1) << bit;
      CHECK(check, hb_checksum(7, count, widths[w], items) != whole);
      items[999 - bit] ^= UINT64_C(1) << bit; /* and a second one */
      CHECK(check, hb_checksum(7, count, widths[w], items) != whole);
      items[bit] ^= UINT64_C(1) << bit;
      items[999 - bit] ^= UINT64_C(1) << bit;
    }
  }
  CHECK(check, hb_checksum_words("/a", "b", "c", 1) != hb_checksum_words("/a", "bc", "", 0));
  CHECK(check, hb_checksum_words("/a", "x", "1", 1) + hb_checksum_words("/a", "y", "2", 1) !=
                   hb_checksum_words("/a", "x", "2", 1) + hb_checksum_words("/a", "y", "1", 1));
}

/* Nodes of an element of the box by its map, moved as `fault` says; how many are wrong. */
static hb_global count_wrong(const struct hb_field_map *map, const struct hb_gll *gll,
                             enum hb_precision precision, int fault) {
  static double wide[3 * HB_MAX_N * HB_MAX_N * HB_MAX_N];
  static float narrow[3 * HB_MAX_N * HB_MAX_N * HB_MAX_N];
  const hb_global element[3] = {map->box.elements[0] - 1, 1, 0};
  const int n = gll->n, nodes = n * n * n;
  for (int node = 0; node < nodes; node++) {
    const int ijk[3] = {node % n, node / n % n, node / (n * n)};
    double s[3], *x = wide + (ptrdiff_t)3 * node;
    for (int a = 0; a < 3; a++)
      s[a] = fmin(((double)element[a] + 0.5 * (1.0 + gll->nodes[ijk[a]])) /
                      (double)map->box.elements[a],
                  1.0);
    hb_box_map(&map->box, s, x);
    if (fault == 1 && node == nodes - 1) x[2] *= 1.0 + 1e-5;
    if (fault == 2) x[1] *= 0.999;
    if (fault == 3 && node == 0) x[0] = NAN;
    for (int a = 0; a < 3; a++) narrow[3 * node + a] = (float)x[a];
  }
  const void *points = precision == HB_F64 ? (const void *)wide : (const void *)narrow;
  return hb_field_map_wrong_points(map, gll, element, precision, points);
}

static void check_positions(struct hb_check *check) {
  for (int deformation = HB_UNDEFORMED; deformation <= HB_KERSHAW; deformation++)
    for (int degree = 1; degree <= HB_MAX_DEGREE; degree += 7)
      for (int precision = HB_F64; precision <= HB_F32; precision++) {
        const struct hb_field_map map = {.known = true,
                                         .box = {.degree = degree,
                                                 .elements = {6, 5, 4},
                                                 .length = {1.5, 1.0 / 3.0, 0.8},
                                                 .deformation = (enum hb_deformation)deformation,
                                                 .amplitude = 0.05,
                                                 .epsilon = {0.3, 0.4}}};
        const enum hb_precision of = (enum hb_precision)precision;
        const hb_global nodes = (hb_global)(degree + 1) * (degree + 1) * (degree + 1);
        struct hb_gll gll;
        CHECK_OK(check, hb_gll_init(degree, &gll));
        CHECK_EQUAL(check, count_wrong(&map, &gll, of, 0), 0);
        CHECK_EQUAL(check, count_wrong(&map, &gll, of, 1), 1);
        CHECK_EQUAL(check, count_wrong(&map, &gll, of, 2), nodes);
        CHECK_EQUAL(check, count_wrong(&map, &gll, of, 3), 1);
      }
}

int main(void) {
  struct hb_check check = {0, 0};
  struct fields *fields = hb_allocate(1, sizeof *fields, "fields");
  check_checksums(&check);
  check_right(&check, fields);
  check_no_number(&check, fields);
  check_faults(&check, fields);
  hb_free(fields);
  CHECK_EQUAL(&check, hb_memory_use().live_allocations, 0);
  check_positions(&check);
  return hb_check_finish(&check);
}
