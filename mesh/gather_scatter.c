/* SPDX-License-Identifier: BSD-3-Clause
 * Exchange plan from the closed-form numbering, and the exchange itself. */
#include "mesh/gather_scatter.h"

#include <math.h>
#include <stdlib.h>

#include "kernels/vectors/gather_pack.h"

enum { MAX_SEGMENTS = 26, EXCHANGE_TAG = 7200 };

/* The points that one neighbour in the grid of ranks has in common with this rank.  A rank can be
 * neighbour in more than one direction (two ranks on a periodic axis). */
struct segment {
  int rank;
  int key;                  /* orders segments with the same rank alike on both sides */
  hb_local low[3], high[3]; /* box of lattice points, ends included */
};

static int compare_segments(const void *a, const void *b) {
  const struct segment *s = a, *t = b;
  if (s->rank != t->rank) return s->rank < t->rank ? -1 : 1;
  return s->key - t->key;
}

static int find_segments(const struct hb_comm *comm, const struct hb_box *box,
                         const struct hb_partition *partition, const struct hb_numbering *numbering,
                         struct segment segments[MAX_SEGMENTS]) {
  int found = 0;
  for (int direction = 0; direction < 27; direction++) {
    const int offset[3] = {direction % 3 - 1, direction / 3 % 3 - 1, direction / 9 - 1};
    struct segment segment = {.rank = -1};
    bool exists = direction != 13;
    for (int a = 0; a < 3 && exists; a++) {
      const hb_local end = numbering->lattice_size[a] - 1;
      exists =
          offset[a] == 0 || hb_numbering_side_is_shared(box, partition, a, offset[a] < 0 ? 0 : 1);
      segment.low[a] = offset[a] > 0 ? end : 0;
      segment.high[a] = offset[a] < 0 ? 0 : end;
    }
    if (!exists) continue;
    segment.rank = hb_partition_neighbour(box, partition, offset);
    segment.key = comm->rank < segment.rank ? direction : 26 - direction; /* 26 - d is -offset */
    segments[found++] = segment;
  }
  qsort(segments, (size_t)found, sizeof *segments, compare_segments);
  return found;
}

static hb_local segment_size(const struct segment *s) {
  return (s->high[0] - s->low[0] + 1) * (s->high[1] - s->low[1] + 1) * (s->high[2] - s->low[2] + 1);
}

static hb_local *list_segment(const struct segment *s, const struct hb_numbering *numbering,
                              hb_local *index) {
  const hb_local *size = numbering->lattice_size;
  for (hb_local z = s->low[2]; z <= s->high[2]; z++)
    for (hb_local y = s->low[1]; y <= s->high[1]; y++)
      for (hb_local x = s->low[0]; x <= s->high[0]; x++)
        *index++ = numbering->lattice[((ptrdiff_t)z * size[1] + y) * size[0] + x];
  return index;
}

/* Neighbours, their points, and messages' places. */
static enum hb_status list_neighbours(const struct hb_numbering *numbering, int num_segments,
                                      const struct segment *segments,
                                      struct hb_gather_scatter *gs) {
  enum hb_status status = HB_OK;
  hb_local total = 0, *next = NULL;
  for (int s = 0; s < num_segments; s++) total += segment_size(&segments[s]);
  HB_ALLOC(gs->rank, MAX_SEGMENTS, "neighbour ranks");
  HB_ALLOC(gs->start, MAX_SEGMENTS + 1, "neighbour starts");
  HB_ALLOC(gs->index, total, "shared points of neighbours");
  gs->start[0] = 0;
  next = gs->index;
  for (int s = 0; s < num_segments; s++) {
    next = list_segment(&segments[s], numbering, next);
    if (s + 1 < num_segments && segments[s + 1].rank == segments[s].rank) continue;
    gs->rank[gs->num_neighbours] = segments[s].rank;
    gs->start[++gs->num_neighbours] = (hb_local)(next - gs->index);
  }
done:
  return status;
}

/* Appends to the sums of shared points the entries of neighbours [first, last) of the plan. */
static void append_sources(const struct hb_gather_scatter *gs, int first, int last,
                           hb_local *fill) {
  for (hb_local q = gs->start[first]; q < gs->start[last]; q++)
    gs->source[fill[gs->index[q] - gs->first_shared]++] = q;
}

/* The terms of every shared point's sum, by ascending rank; -1 stands for this rank's own. */
static enum hb_status list_sources(const struct hb_comm *comm, struct hb_gather_scatter *gs) {
  enum hb_status status = HB_OK;
  hb_local *fill = NULL;
  const hb_local total = gs->start[gs->num_neighbours];
  int lower = 0;
  HB_ALLOC(gs->source_start, gs->num_shared + 1, "starts of shared sums");
  HB_ALLOC(gs->source, (hb_global)total + gs->num_shared, "terms of shared sums");
  HB_ALLOC(fill, gs->num_shared + 1, "fill of shared sums");
  for (hb_local s = 0; s <= gs->num_shared; s++) fill[s] = s < gs->num_shared ? 1 : 0;
  for (hb_local q = 0; q < total; q++) fill[gs->index[q] - gs->first_shared]++;
  gs->source_start[0] = 0;
  for (hb_local s = 0; s < gs->num_shared; s++)
    gs->source_start[s + 1] = gs->source_start[s] + fill[s];
  for (hb_local s = 0; s < gs->num_shared; s++) fill[s] = gs->source_start[s];
  while (lower < gs->num_neighbours && gs->rank[lower] < comm->rank) lower++;
  append_sources(gs, 0, lower, fill);
  for (hb_local s = 0; s < gs->num_shared; s++) gs->source[fill[s]++] = -1;
  append_sources(gs, lower, gs->num_neighbours, fill);
done:
  hb_free(fill);
  return status;
}

enum hb_status hb_gather_scatter_create(const struct hb_comm *comm, const struct hb_box *box,
                                        const struct hb_partition *partition,
                                        const struct hb_numbering *numbering,
                                        struct hb_gather_scatter **gs_out) {
  enum hb_status status = HB_OK;
  struct hb_gather_scatter *gs = NULL;
  struct segment segments[MAX_SEGMENTS];
  hb_local total = 0;
  *gs_out = NULL;
  const int num_segments = find_segments(comm, box, partition, numbering, segments);
  HB_ALLOC(gs, 1, "gather-scatter");
  *gs = (struct hb_gather_scatter){.comm = comm,
                                   .first_shared = numbering->num_private,
                                   .num_shared = numbering->num_points - numbering->num_private};
  HB_TRY(list_neighbours(numbering, num_segments, segments, gs));
  HB_TRY(list_sources(comm, gs));
  total = gs->start[gs->num_neighbours];
  gs->send = hb_allocate(total, sizeof(double), "send buffer");
  gs->receive = hb_allocate(total, sizeof(double), "receive buffer");
  if (gs->send == NULL || gs->receive == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_TRY(hb_messages_create(comm, gs->num_neighbours, gs->rank, gs->start, EXCHANGE_TAG,
                            &gs->messages));
done:
  status = hb_comm_agree(comm, status);
  if (status == HB_OK)
    *gs_out = gs;
  else
    hb_gather_scatter_destroy(&gs);
  return status;
}

/* Messages in double both ways, and of each point its index, its source and where that begins. */
hb_global hb_gather_scatter_memory(const struct hb_box *box, const struct hb_partition *partition) {
  return (hb_global)(2 * sizeof(double) + 3 * sizeof(hb_local)) *
         hb_numbering_most_shared(box, partition);
}

void hb_gather_scatter_destroy(struct hb_gather_scatter **gs) {
  if (*gs == NULL) return;
  hb_free((*gs)->rank);
  hb_free((*gs)->start);
  hb_free((*gs)->index);
  hb_free((*gs)->source_start);
  hb_free((*gs)->source);
  hb_free((*gs)->send);
  hb_free((*gs)->receive);
  hb_messages_destroy(&(*gs)->messages);
  hb_free(*gs);
  *gs = NULL;
}

void hb_gather_scatter_start(struct hb_gather_scatter *gs, enum hb_precision precision,
                             const void *values) {
  const hb_local total = gs->start[gs->num_neighbours];
  hb_messages_expect(&gs->messages, precision, gs->receive);
  if (precision == HB_F64)
    hb_gather_pack_f64(total, gs->index, values, gs->send);
  else
    hb_gather_pack_f32(total, gs->index, values, gs->send);
  hb_messages_send(&gs->messages, precision, gs->send, gs->receive);
}

void hb_gather_scatter_finish(struct hb_gather_scatter *gs, enum hb_precision precision,
                              void *values) {
  hb_messages_wait(&gs->messages);
  if (precision == HB_F64)
    hb_gather_sum_f64(gs->num_shared, gs->source_start, gs->source, gs->receive,
                      (double *)values + gs->first_shared);
  else
    hb_gather_sum_f32(gs->num_shared, gs->source_start, gs->source, gs->receive,
                      (float *)values + gs->first_shared);
}

double hb_gather_scatter_max_difference(struct hb_gather_scatter *gs, enum hb_precision precision,
                                        const void *values) {
  const hb_local total = gs->start[gs->num_neighbours];
  double largest = 0.0;
  hb_gather_scatter_start(gs, precision, values);
  hb_messages_wait(&gs->messages);
  for (hb_local q = 0; q < total; q++) {
    const hb_local s = gs->index[q];
    const double difference =
        precision == HB_F64
            ? fabs(((const double *)gs->receive)[q] - ((const double *)values)[s])
            : fabs((double)((const float *)gs->receive)[q] - (double)((const float *)values)[s]);
    largest = hb_max(largest, difference);
  }
  hb_comm_max(gs->comm, 1, &largest);
  return largest;
}
