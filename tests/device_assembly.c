/* SPDX-License-Identifier: BSD-3-Clause
 * Assembly on a device: the lists against a search, then packing, storing and the residual against
 * sums in the same order; private and shared points, Dirichlet faces, both precisions, no points of
 * a kind. */
#include "kernels/vectors/assembly.h"

#include <string.h>

#include "tests/device_data.h"

enum { MOST_TERMS = 8, MOST_RANKS = 5 };

/* Points of each range of numbering.h. */
struct sizes {
  hb_local interior, private_surface, owned_shared, foreign_shared;
};
static const struct sizes SIZES[] = {{500, 300, 57, 43},      {0, 1, 0, 0}, {1, 256, 0, 0},
                                     {1030, 255, 257, 1},     {0, 0, 5, 3}, {3, 0, 0, 0},
                                     {5000, 9001, 1100, 1030}};

/* A made-up rank: terms and masks of its surface points, what it exchanges, its vectors. */
struct rank {
  struct hb_device *device;
  enum hb_precision precision;
  hb_local num_terms, num_surface, num_shared, num_masked, num_source;
  hb_local *index, *masked; /* [num_terms] points; [num_masked] */
  bool *is_masked;          /* [num_surface] */
  struct hb_assembly_lists *lists;
  struct hb_mirror pair, extra, surface, send_index, source_start, source, received, send;
  struct hb_mirror dinv, w, r, partials;
  double *sum; /* [num_surface] of the terms; of shared points then over ranks */
  struct hb_device_assembly a;
};

static int random_below(struct hb_random *random, int count) {
  return (int)(hb_random_bits(random) % (uint64_t)count);
}

static void rank_free(struct rank *k) {
  struct hb_mirror *mirrors[] = {&k->pair,   &k->extra,    &k->surface, &k->send_index,
                                 &k->source, &k->received, &k->send,    &k->source_start,
                                 &k->dinv,   &k->w,        &k->r,       &k->partials};
  for (size_t i = 0; i < sizeof mirrors / sizeof *mirrors; i++)
    hb_mirror_free(k->device, mirrors[i]);
  hb_free(k->index);
  hb_free(k->masked);
  hb_free(k->is_masked);
  hb_free(k->sum);
  hb_assembly_lists_destroy(&k->lists);
}

/* Points with the numbers of elements that faces, edges and corners have, and others, shuffled. */
static enum hb_status make_terms(struct rank *k, struct hb_random *random) {
  enum hb_status status = HB_OK;
  static const hb_local COUNTS[] = {1, 2, 4, MOST_TERMS, 2, 1, 3, 6, 2, 5, 7};
  const hb_local kinds = (hb_local)(sizeof COUNTS / sizeof *COUNTS);
  HB_ALLOC(k->index, k->num_surface * MOST_TERMS, "test");
  HB_ALLOC(k->masked, k->num_surface, "test");
  HB_ALLOC(k->is_masked, k->num_surface, "test");
  k->num_terms = k->num_masked = 0;
  for (hb_local s = 0; s < k->num_surface; s++) {
    for (hb_local q = 0; q < COUNTS[s % kinds]; q++)
      k->index[k->num_terms++] = k->a.surface_start + s;
    k->is_masked[s] = random_below(random, 5) == 0;
    if (k->is_masked[s]) k->masked[k->num_masked++] = k->a.surface_start + s;
  }
  for (hb_local q = 0; q < k->num_terms; q++) {
    const hb_local other = random_below(random, q + 1), point = k->index[q];
    k->index[q] = k->index[other];
    k->index[other] = point;
  }
done:
  return status;
}

/* Shared points: two to five ranks, this one at a random place among them; one message entry for
 * each other rank, at shuffled places. */
static enum hb_status make_exchange(struct rank *k, struct hb_random *random) {
  enum hb_status status = HB_OK;
  hb_local *place = NULL, messages = 0;
  HB_TRY(hb_mirror_init(k->device, k->num_shared + 1, sizeof(hb_local), &k->source_start));
  HB_TRY(hb_mirror_init(k->device, k->num_shared * MOST_RANKS, sizeof(hb_local), &k->source));
  HB_TRY(hb_mirror_init(k->device, k->num_shared * (MOST_RANKS - 1), sizeof(hb_local),
                        &k->send_index));
  HB_ALLOC(place, k->num_shared * (MOST_RANKS - 1), "test");
  hb_local *start = k->source_start.h, *source = k->source.h, *send_index = k->send_index.h;
  start[0] = k->num_source = 0;
  for (hb_local s = 0; s < k->num_shared; s++) {
    const int ranks = 2 + random_below(random, MOST_RANKS - 1), own = random_below(random, ranks);
    for (int rank = 0; rank < ranks; rank++)
      source[k->num_source++] = rank == own ? -1 : messages++;
    start[s + 1] = k->num_source;
  }
  for (hb_local q = 0; q < messages; q++) {
    const hb_local other = random_below(random, q + 1);
    place[q] = q;
    place[q] = place[other];
    place[other] = q;
  }
  for (hb_local s = 0; s < k->num_shared; s++)
    for (hb_local q = start[s]; q < start[s + 1]; q++) {
      if (source[q] < 0) continue;
      source[q] = place[source[q]];
      send_index[source[q]] = k->a.num_private + s;
    }
  k->a.num_send = messages;
done:
  hb_free(place);
  return status;
}

static void fill_random(const struct rank *k, const struct hb_mirror *mirror,
                        struct hb_random *random) {
  for (hb_global i = 0; i < mirror->count; i++)
    hb_real_set(k->precision, mirror->h, i, hb_random_value(random));
}

static enum hb_status make_vectors(struct rank *k, struct hb_random *random) {
  enum hb_status status = HB_OK;
  const size_t real = hb_precision_bytes(k->precision);
  HB_TRY(hb_mirror_init(k->device, k->num_terms, real, &k->surface));
  HB_TRY(hb_mirror_init(k->device, k->a.num_send, real, &k->received));
  HB_TRY(hb_mirror_init(k->device, k->a.num_send + HB_GUARD, real, &k->send));
  HB_TRY(hb_mirror_init(k->device, k->a.num_points, real, &k->dinv));
  HB_TRY(hb_mirror_init(k->device, k->a.num_points + HB_GUARD, real, &k->w));
  HB_TRY(hb_mirror_init(k->device, k->a.num_points + HB_GUARD, real, &k->r));
  HB_TRY(hb_mirror_init(k->device, 2 * (HB_FIRST_PARTIAL + HB_ASSEMBLY_PARTIALS), sizeof(double),
                        &k->partials));
  fill_random(k, &k->surface, random);
  fill_random(k, &k->received, random);
  fill_random(k, &k->dinv, random);
  HB_ALLOC(k->sum, k->num_surface, "test");
done:
  return status;
}

static enum hb_status upload_all(struct rank *k) {
  enum hb_status status = HB_OK;
  struct hb_mirror *inputs[] = {&k->pair,         &k->extra,  &k->surface,  &k->send_index,
                                &k->source_start, &k->source, &k->received, &k->dinv};
  for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
    HB_TRY(hb_mirror_upload(k->device, inputs[i]));
  k->a.d_pair = k->pair.d;
  k->a.d_extra = k->extra.d;
  k->a.d_surface = k->surface.d;
  k->a.d_send_index = k->send_index.d;
  k->a.d_source_start = k->source_start.d;
  k->a.d_source = k->source.d;
  k->a.d_received = k->received.d;
done:
  return status;
}

static enum hb_status rank_init(struct hb_device *device, const struct sizes *sizes,
                                enum hb_precision precision, uint64_t seed, struct rank *k) {
  enum hb_status status = HB_OK;
  struct hb_random random = {seed};
  memset(k, 0, sizeof *k);
  k->device = k->a.device = device;
  k->precision = precision;
  k->a.surface_start = sizes->interior;
  k->a.num_private = k->a.surface_start + sizes->private_surface;
  k->a.num_owned = k->a.num_private + sizes->owned_shared;
  k->a.num_points = k->a.num_owned + sizes->foreign_shared;
  k->num_surface = k->a.num_points - k->a.surface_start;
  k->num_shared = k->a.num_points - k->a.num_private;
  HB_TRY(make_terms(k, &random));
  HB_TRY(make_exchange(k, &random));
  HB_TRY(make_vectors(k, &random));
  HB_TRY(hb_assembly_lists_create(k->num_terms, k->index, k->a.surface_start, k->a.num_points,
                                  k->num_masked, k->masked, &k->lists));
  HB_TRY(hb_mirror_init(device, 2 * (hb_global)k->num_surface, sizeof(hb_local), &k->pair));
  HB_TRY(hb_mirror_init(device, k->lists->num_extra, sizeof(hb_local), &k->extra));
  memcpy(k->pair.h, k->lists->pair, (size_t)k->pair.bytes);
  memcpy(k->extra.h, k->lists->extra, (size_t)k->extra.bytes);
  HB_TRY(upload_all(k));
done:
  return status;
}

/* Points whose terms, decoded from the lists as assembly.h says, are not those that a search
 * through all terms finds, in ascending order; or whose mark is wrong. */
static long count_wrong_lists(const struct rank *k) {
  long wrong = 0;
  for (hb_local s = 0; s < k->lists->num_surface; s++) {
    const hb_local *pair = k->lists->pair + 2 * (ptrdiff_t)s, b = pair[1];
    const hb_local a = pair[0] < 0 ? -1 - pair[0] : pair[0];
    hb_local terms[MOST_TERMS] = {a, b}, count = b >= 0 ? 2 : b == -1 ? 1 : -b, found = 0;
    bool right = count <= MOST_TERMS && (pair[0] < 0) == k->is_masked[s];
    if (b < -1) right = right && a + count <= k->lists->num_extra;
    for (hb_local q = 0; b < -1 && right && q < count; q++) terms[q] = k->lists->extra[a + q];
    for (hb_local q = 0; q < k->num_terms; q++) {
      if (k->index[q] != k->a.surface_start + s) continue;
      if (found >= count || terms[found] != q) right = false;
      found++;
    }
    if (!right || found != count) wrong++;
  }
  return wrong;
}

static void check_lists(struct hb_check *check, struct rank *k) {
  struct hb_assembly_lists *lists = NULL;
  CHECK_EQUAL(check, k->lists->num_surface, k->num_surface);
  CHECK_EQUAL(check, count_wrong_lists(k), 0);
  if (k->num_surface < 20) return;
  /* Planted: a mark, an order, a term. */
  k->is_masked[3] = !k->is_masked[3];
  CHECK_EQUAL(check, count_wrong_lists(k), 1);
  k->is_masked[3] = !k->is_masked[3];
  k->lists->extra[0]++;
  CHECK_EQUAL(check, count_wrong_lists(k), 1);
  k->lists->extra[0]--;
  k->index[5]++;
  CHECK(check, count_wrong_lists(k) >= 1);
  k->index[5]--;
  /* A point that no element has. */
  CHECK_FAILS(check,
              hb_assembly_lists_create(k->num_terms, k->index, k->a.surface_start,
                                       k->a.num_points + 1, k->num_masked, k->masked, &lists),
              HB_BAD_INPUT, "surface point");
  CHECK(check, lists == NULL);
}

/* sum of each surface point: over its terms, ascending, and where over_ranks, over ranks in their
 * order; every addition rounded as on the device, so that only the same order gives the same. */
static void sum_plainly(const struct rank *k, bool over_ranks) {
  const hb_local *start = k->source_start.h, *source = k->source.h;
  for (hb_local s = 0; s < k->num_surface; s++) k->sum[s] = 0.0;
  for (hb_local q = 0; q < k->num_terms; q++) {
    double *sum = &k->sum[k->index[q] - k->a.surface_start];
    *sum = hb_round_to(k->precision, *sum + hb_real_at(k->precision, k->surface.h, q));
  }
  for (hb_local shared = 0; over_ranks && shared < k->num_shared; shared++) {
    double *own = &k->sum[k->a.num_private - k->a.surface_start + shared], sum = 0.0;
    for (hb_local q = start[shared]; q < start[shared + 1]; q++)
      sum = hb_round_to(
          k->precision,
          sum + (source[q] < 0 ? *own : hb_real_at(k->precision, k->received.h, source[q])));
    *own = sum;
  }
}

static enum hb_status run_pack(struct rank *k) {
  enum hb_status status = HB_OK;
  hb_fill(k->precision, k->send.h, k->send.count, HB_SENTINEL);
  hb_fill(k->precision, k->send.h, k->a.num_send, (double)NAN);
  HB_TRY(hb_mirror_upload(k->device, &k->send));
  HB_TRY(k->precision == HB_F64 ? hb_assembly_pack_f64(&k->a, k->send.d)
                                : hb_assembly_pack_f32(&k->a, k->send.d));
  HB_TRY(hb_mirror_download(k->device, &k->send));
done:
  return status;
}

static void check_pack(struct hb_check *check, struct rank *k) {
  const hb_local *send_index = k->send_index.h;
  long wrong = 0;
  CHECK_OK(check, run_pack(k));
  sum_plainly(k, false);
  for (hb_global q = 0; q < k->send.count; q++) {
    const double value = hb_real_at(k->precision, k->send.h, q);
    const hb_local s = q < k->a.num_send ? send_index[q] - k->a.surface_start : 0;
    if (q >= k->a.num_send)
      wrong += value != HB_SENTINEL;
    else
      wrong += value != k->sum[s];
  }
  CHECK_EQUAL(check, wrong, 0);
}

/* The part's points, and those of them on element surfaces. */
struct range {
  hb_local begin, surface_begin, end;
};
static struct range range_of(const struct rank *k, enum hb_assembly_part part) {
  if (part == HB_ASSEMBLY_PRIVATE) return (struct range){0, k->a.surface_start, k->a.num_private};
  return (struct range){k->a.num_private, k->a.num_private, k->a.num_points};
}

/* Wrong entries of w: at the part's surface points the sum, elsewhere untouched. */
static enum hb_status store_and_count(struct rank *k, enum hb_assembly_part part, bool masked,
                                      long *wrong) {
  enum hb_status status = HB_OK;
  const struct range range = range_of(k, part);
  *wrong = 0;
  hb_fill(k->precision, k->w.h, k->w.count, HB_SENTINEL);
  for (hb_local i = range.surface_begin; i < range.end; i++)
    hb_real_set(k->precision, k->w.h, i, (double)NAN);
  HB_TRY(hb_mirror_upload(k->device, &k->w));
  HB_TRY(k->precision == HB_F64 ? hb_assembly_store_f64(&k->a, part, masked, k->w.d)
                                : hb_assembly_store_f32(&k->a, part, masked, k->w.d));
  HB_TRY(hb_mirror_download(k->device, &k->w));
  sum_plainly(k, true);
  for (hb_global i = 0; i < k->w.count; i++) {
    const double value = hb_real_at(k->precision, k->w.h, i);
    const hb_local s = (hb_local)i - k->a.surface_start;
    if (i < range.surface_begin || i >= range.end)
      *wrong += value != HB_SENTINEL;
    else if (masked && k->is_masked[s])
      *wrong += value != 0.0;
    else
      *wrong += value != k->sum[s];
  }
done:
  return status;
}

static void check_store(struct hb_check *check, struct rank *k) {
  for (int part = HB_ASSEMBLY_PRIVATE; part <= HB_ASSEMBLY_SHARED; part++)
    for (int masked = 0; masked <= 1; masked++) {
      long wrong = -1;
      CHECK_OK(check, store_and_count(k, (enum hb_assembly_part)part, masked == 1, &wrong));
      CHECK_EQUAL(check, wrong, 0);
    }
}

/* w: interior results, NaN on surfaces, where it must not be read.  r: the part's points random. */
static enum hb_status run_residual(struct rank *k, enum hb_assembly_part part, double alpha,
                                   bool with_dinv, hb_local *num_partials) {
  enum hb_status status = HB_OK;
  struct hb_random random = {7};
  const struct hb_device_factor factor = {.value = alpha};
  const struct range range = range_of(k, part);
  const void *dinv = with_dinv ? k->dinv.d : NULL;
  hb_fill(k->precision, k->w.h, k->w.count, (double)NAN);
  hb_fill(k->precision, k->r.h, k->r.count, HB_SENTINEL);
  for (hb_local i = range.begin; i < range.end; i++) {
    hb_real_set(k->precision, k->r.h, i, hb_random_value(&random));
    if (i < k->a.surface_start) hb_real_set(k->precision, k->w.h, i, hb_random_value(&random));
  }
  hb_fill(HB_F64, k->partials.h, k->partials.count, (double)NAN);
  HB_TRY(hb_mirror_upload(k->device, &k->w));
  HB_TRY(hb_mirror_upload(k->device, &k->r));
  HB_TRY(hb_mirror_upload(k->device, &k->partials));
  *num_partials = HB_FIRST_PARTIAL;
  HB_TRY(k->precision == HB_F64 ? hb_assembly_residual_f64(&k->a, part, factor, dinv, k->w.d,
                                                           k->r.d, k->partials.d, num_partials)
                                : hb_assembly_residual_f32(&k->a, part, factor, dinv, k->w.d,
                                                           k->r.d, k->partials.d, num_partials));
  HB_TRY(hb_mirror_download(k->device, &k->partials));
done:
  return status;
}

/* Wrong entries of new_r after run_residual, which left the old one in k->r.h: a product and a sum,
 * rounded each. */
static long count_wrong_residual(const struct rank *k, enum hb_assembly_part part, double alpha,
                                 const void *new_r) {
  const struct range range = range_of(k, part);
  long wrong = 0;
  for (hb_global i = 0; i < k->r.count; i++) {
    const double r = hb_real_at(k->precision, k->r.h, i),
                 value = hb_real_at(k->precision, new_r, i);
    const hb_local s = (hb_local)i - k->a.surface_start;
    if (i < range.begin || i >= range.end) {
      wrong += value != HB_SENTINEL;
      continue;
    }
    double step = 0.0;
    if (s < 0)
      step = alpha * hb_real_at(k->precision, k->w.h, i);
    else if (!k->is_masked[s])
      step = alpha * k->sum[s];
    const double bound = 2.0 * hb_precision_epsilon(k->precision) * (fabs(r) + fabs(step));
    if (!(fabs(value - (r - step)) <= bound)) wrong++;
  }
  return wrong;
}

/* The pairs of partial sums against sums of the new r: products in double, dinv r rounded to the
 * precision; the sums of as many terms as there are points. */
static void check_sums(struct hb_check *check, const struct rank *k, enum hb_assembly_part part,
                       bool with_dinv, hb_local num_partials, const void *new_r) {
  const struct range range = range_of(k, part);
  const hb_local end = range.end < k->a.num_owned ? range.end : k->a.num_owned;
  const double *partials = k->partials.h;
  long double sums[2] = {0, 0}, expected[2] = {0, 0}, size = 0;
  long outside = 0;
  for (hb_local i = range.begin; i < end; i++) {
    const long double r = hb_real_at(k->precision, new_r, i);
    const long double rz = r * r * (with_dinv ? hb_real_at(k->precision, k->dinv.h, i) : 1.0);
    expected[0] += r * r;
    expected[1] += rz;
    size += r * r; /* |dinv| <= 1 */
  }
  for (hb_global i = 0; i < k->partials.count; i++) {
    const bool within = i >= 2 * HB_FIRST_PARTIAL && i < 2 * (hb_global)num_partials;
    if (within) sums[i % 2] += partials[i];
    if (!within && !isnan(partials[i])) outside++;
  }
  const double terms = (double)(range.end - range.begin);
  const double bound = (terms + 2.0) * hb_precision_epsilon(HB_F64) * (double)size;
  CHECK_EQUAL(check, outside, 0);
  CHECK_NEAR(check, (double)sums[0], (double)expected[0], bound);
  CHECK_NEAR(check, (double)sums[1], (double)expected[1],
             bound + hb_precision_epsilon(k->precision) * (double)size);
}

static void check_residual(struct hb_check *check, struct rank *k, enum hb_assembly_part part,
                           bool with_dinv) {
  enum hb_status status = HB_OK;
  const double alpha = 0.375; /* exact in both precisions */
  hb_local num_partials = 0, again = 0;
  void *new_r = NULL, *repeated = NULL, *partials = NULL;
  HB_ALLOC(new_r, k->r.bytes, "test");
  HB_ALLOC(repeated, k->r.bytes, "test");
  HB_ALLOC(partials, k->partials.bytes, "test");
  HB_TRY(run_residual(k, part, alpha, with_dinv, &num_partials));
  HB_TRY(hb_device_download(k->device, new_r, k->r.d, k->r.bytes));
  memcpy(partials, k->partials.h, (size_t)k->partials.bytes);
  sum_plainly(k, true);
  CHECK_EQUAL(check, count_wrong_residual(k, part, alpha, new_r), 0);
  CHECK(check, num_partials - HB_FIRST_PARTIAL <= HB_ASSEMBLY_PARTIALS / 2);
  check_sums(check, k, part, with_dinv, num_partials, new_r);
  HB_TRY(run_residual(k, part, alpha, with_dinv, &again));
  HB_TRY(hb_device_download(k->device, repeated, k->r.d, k->r.bytes));
  CHECK_EQUAL(check, num_partials, again);
  CHECK(check, hb_same_bits(new_r, repeated, (size_t)k->r.bytes));
  CHECK(check, hb_same_bits(partials, k->partials.h, (size_t)k->partials.bytes));
done:
  CHECK_EQUAL(check, status, HB_OK);
  hb_free(new_r);
  hb_free(repeated);
  hb_free(partials);
}

/* Wrong lists on the device, each of which store_and_count must see: two points' terms swapped, a
 * Dirichlet mark missing, the last rank of a point left out. */
static void check_planted(struct hb_check *check, struct rank *k) {
  hb_local *pair = k->pair.h, *start = k->source_start.h, *source = k->source.h;
  const hb_local marked = k->masked[0] - k->a.surface_start, kept = pair[0], last = pair[2];
  long wrong = 0;
  pair[0] = last;
  CHECK_OK(check, hb_mirror_upload(k->device, &k->pair));
  CHECK_OK(check, store_and_count(k, HB_ASSEMBLY_PRIVATE, false, &wrong));
  CHECK_EQUAL(check, wrong, 1);
  pair[0] = kept;
  pair[2 * marked] = -1 - pair[2 * marked];
  CHECK_OK(check, hb_mirror_upload(k->device, &k->pair));
  CHECK_OK(check, store_and_count(k, HB_ASSEMBLY_PRIVATE, true, &wrong));
  CHECK_EQUAL(check, wrong, 1);
  pair[2 * marked] = -1 - pair[2 * marked];
  const hb_local place = source[start[1] - 1] < 0 ? start[1] - 2 : start[1] - 1;
  source[place] = (source[place] + 1) % k->a.num_send;
  CHECK_OK(check, upload_all(k));
  source[place] = (source[place] + k->a.num_send - 1) % k->a.num_send;
  CHECK_OK(check, store_and_count(k, HB_ASSEMBLY_SHARED, false, &wrong));
  CHECK_EQUAL(check, wrong, 1);
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  if (hb_device_count() == 0) return hb_skip_without_device();
  CHECK_OK(&check, hb_device_open(0, false, &device));
  for (size_t i = 0; i < sizeof SIZES / sizeof *SIZES && device != NULL; i++)
    for (int p = HB_F64; p <= HB_F32; p++) {
      struct rank k;
      CHECK_OK(&check, rank_init(device, &SIZES[i], (enum hb_precision)p, 11 * i + 1, &k));
      if (k.num_surface < 1000 && p == HB_F64) check_lists(&check, &k);
      check_pack(&check, &k);
      check_store(&check, &k);
      for (int part = HB_ASSEMBLY_PRIVATE; part <= HB_ASSEMBLY_SHARED; part++)
        for (int dinv = 0; dinv <= 1; dinv++)
          check_residual(&check, &k, (enum hb_assembly_part)part, dinv == 1);
      if (i == 0) check_planted(&check, &k);
      rank_free(&k);
    }
  return hb_device_check_finish(&check, &device);
}
