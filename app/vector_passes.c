/* SPDX-License-Identifier: BSD-3-Clause
 * Passes over vectors of the host in pieces, a thread after the other. */
#include "app/vector_passes.h"

#include <float.h>
#include <string.h>

#include "kernels/threads.h"

enum { NUM_PIECES = 256 };

/* A pass; what the pieces of one that sums, or looks for extremes, find. */
struct pass {
  const struct hb_vector_space *space;
  double alpha;
  const void *x;
  void *y;
  double sum[NUM_PIECES], smallest[NUM_PIECES], largest[NUM_PIECES];
};

struct piece {
  hb_local begin, count;
  const char *x;
  char *y;
};

/* A part of the pass's vectors, where x has entries of `size` bytes. */
static struct piece piece_of(const struct pass *pass, int piece, size_t size) {
  const hb_local begin = (hb_local)hb_piece_begin(pass->space->count, NUM_PIECES, piece);
  const hb_local end = (hb_local)hb_piece_begin(pass->space->count, NUM_PIECES, piece + 1);
  const size_t own_size = hb_precision_bytes(pass->space->precision);
  const char *x = pass->x;
  char *y = pass->y;
  return (struct piece){.begin = begin,
                        .count = end - begin,
                        .x = x != NULL ? x + (size_t)begin * size : NULL,
                        .y = y != NULL ? y + (size_t)begin * own_size : NULL};
}

/* A thread more for every so many points: with fewer it costs more to start than it saves. */
int hb_vector_threads(const struct hb_comm *comm, hb_local count) {
  const int worth = 1 + (int)(count >> 16);
  return worth < comm->threads ? worth : comm->threads;
}

static void run(struct pass *pass, hb_piece_of_work *work) {
  hb_threads_run(hb_vector_threads(pass->space->comm, pass->space->count), NUM_PIECES, work, pass);
}

static void convert(void *context, int number) {
  const struct pass *pass = context;
  const struct piece piece = piece_of(pass, number, sizeof(double));
  pass->space->ops->from_double(piece.count, (const double *)piece.x, piece.y);
}

void hb_vector_from_double(const struct hb_vector_space *space, const double *x, void *y) {
  struct pass pass = {.space = space, .x = x, .y = y};
  run(&pass, convert);
}

static void add(void *context, int number) {
  const struct pass *pass = context;
  const struct piece piece = piece_of(pass, number, hb_precision_bytes(pass->space->precision));
  pass->space->ops->add_scaled(piece.count, pass->alpha, piece.x, piece.y);
}

void hb_vector_add_scaled(const struct hb_vector_space *space, double alpha, const void *x,
                          void *y) {
  struct pass pass = {.space = space, .alpha = alpha, .x = x, .y = y};
  run(&pass, add);
}

static void invert(void *context, int number) {
  const struct pass *pass = context;
  const struct piece piece = piece_of(pass, number, 0);
  pass->space->ops->invert(piece.count, piece.y);
}

void hb_vector_invert(const struct hb_vector_space *space, void *d) {
  struct pass pass = {.space = space, .y = d};
  run(&pass, invert);
}

static void clear(void *context, int number) {
  const struct pass *pass = context;
  const struct piece piece = piece_of(pass, number, 0);
  memset(piece.y, 0, (size_t)piece.count * hb_precision_bytes(pass->space->precision));
}

void hb_vector_clear(const struct hb_vector_space *space, void *y) {
  struct pass pass = {.space = space, .y = y};
  run(&pass, clear);
}

static void sum(void *context, int number) {
  struct pass *pass = context;
  const struct piece piece = piece_of(pass, number, sizeof(double));
  struct hb_long_sum all = {0.0, 0.0};
  for (hb_local i = 0; i < piece.count; i++) hb_long_sum_add(&all, ((const double *)piece.x)[i]);
  pass->sum[number] = all.value;
}

double hb_vector_sum(const struct hb_vector_space *space, const double *x) {
  struct pass pass = {.space = space, .x = x};
  struct hb_long_sum all = {0.0, 0.0};
  run(&pass, sum);
  for (int piece = 0; piece < NUM_PIECES; piece++) hb_long_sum_add(&all, pass.sum[piece]);
  return all.value;
}

static void find_range(void *context, int number) {
  struct pass *pass = context;
  const struct piece piece = piece_of(pass, number, hb_precision_bytes(pass->space->precision));
  double smallest = DBL_MAX, largest = 0.0;
  for (hb_local i = 0; i < piece.count; i++) {
    const double value = hb_real_at(pass->space->precision, piece.x, i);
    largest = hb_max(largest, value);
    if (value > 0.0) smallest = hb_min(smallest, value);
  }
  pass->smallest[number] = smallest;
  pass->largest[number] = largest;
}

void hb_vector_range(const struct hb_vector_space *space, const void *x, double *smallest,
                     double *largest) {
  struct pass pass = {.space = space, .x = x};
  run(&pass, find_range);
  *smallest = DBL_MAX;
  *largest = 0.0;
  for (int piece = 0; piece < NUM_PIECES; piece++) {
    *smallest = hb_min(*smallest, pass.smallest[piece]);
    *largest = hb_max(*largest, pass.largest[piece]);
  }
}
