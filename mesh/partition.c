/* SPDX-License-Identifier: BSD-3-Clause
 * Choice of the grid of ranks: all arrangements are tried, the cheapest is taken. */
#include "mesh/partition.h"

#include <stdio.h>

/* No 32-bit number has more divisors. */
enum { MAX_DIVISORS = 1536 };
static const char AXIS_NAME[3] = {'x', 'y', 'z'};

/* What ranks of a grid are compared by; less is better, in this order. */
struct candidate {
  int grid[3];
  hb_global cost;         /* points of the largest rank, and twice the points it shares */
  hb_global max_elements; /* of a rank */
  hb_global min_elements;
};

hb_global hb_partition_split(hb_global elements, int p, int c) {
  /* floor(c E / p), without the product of order E p */
  return elements / p * c + elements % p * c / p;
}

static int divisors_of(int number, int divisors[MAX_DIVISORS]) {
  int count = 0;
  for (int64_t d = 1; d * d <= number; d++) {
    if (number % d != 0) continue;
    divisors[count++] = (int)d;
    if (d * d != number) divisors[count++] = (int)(number / d);
  }
  return count;
}

/* One axis of one rank: its lattice points, and how many planes of them other ranks hold too. */
struct extent {
  hb_global points, shared;
};

/* The extents on an axis that can make a rank the one with most halo: the larger and the smaller
 * count of elements, each with as many neighbours as a coordinate of that count has. */
static int axis_extents(const struct hb_box *box, int axis, int p, struct extent extents[2]) {
  const hb_global small = box->elements[axis] / p, extra = box->elements[axis] % p;
  const bool periodic = box->boundary[axis] == HB_PERIODIC;
  const int large_shared = periodic ? 2 : extra >= 2 ? 2 : 1; /* the last coordinate is large, */
  const int small_shared = periodic ? 2 : p - extra >= 2 ? 2 : 1; /* the first one is small */
  if (p == 1) {
    extents[0] = (struct extent){small * box->degree + (periodic ? 0 : 1), 0};
    return 1;
  }
  if (extra == 0) {
    extents[0] = (struct extent){small * box->degree + 1, periodic || p > 2 ? 2 : 1};
    return 1;
  }
  extents[0] = (struct extent){(small + 1) * box->degree + 1, large_shared};
  extents[1] = (struct extent){small * box->degree + 1, small_shared};
  return 2;
}

/* Largest number of a rank's lattice points that other ranks hold too. */
static hb_global largest_halo(const struct hb_box *box, const int grid[3]) {
  struct extent extents[3][2];
  int choices[3];
  hb_global largest = 0;
  for (int a = 0; a < 3; a++) choices[a] = axis_extents(box, a, grid[a], extents[a]);
  for (int k = 0; k < choices[2]; k++)
    for (int j = 0; j < choices[1]; j++)
      for (int i = 0; i < choices[0]; i++) {
        const struct extent x = extents[0][i], y = extents[1][j], z = extents[2][k];
        const hb_global halo = x.points * y.points * z.points - (x.points - x.shared) *
                                                                    (y.points - y.shared) *
                                                                    (z.points - z.shared);
        if (halo > largest) largest = halo;
      }
  return largest;
}

static bool is_better(const struct candidate *a, const struct candidate *b) {
  if (a->cost != b->cost) return a->cost < b->cost;
  if (a->max_elements != b->max_elements) return a->max_elements < b->max_elements;
  if (a->min_elements != b->min_elements) return a->min_elements > b->min_elements;
  if (a->grid[2] != b->grid[2]) return a->grid[2] > b->grid[2];
  return a->grid[1] > b->grid[1];
}

static struct candidate evaluate(const struct hb_box *box, const int grid[3]) {
  struct candidate candidate = {{grid[0], grid[1], grid[2]}, 0, 1, 1};
  for (int a = 0; a < 3; a++) {
    candidate.min_elements *= box->elements[a] / grid[a];
    candidate.max_elements *= (box->elements[a] + grid[a] - 1) / grid[a];
  }
  return candidate;
}

/* n^3 points for each of its elements; the unique points of a rank are fewer. */
static hb_global element_points(const struct hb_box *box, hb_global elements) {
  const hb_global n = box->degree + 1;
  return elements * n * n * n;
}

static bool allows(const struct hb_box *box, const int requested[3], int axis, int p) {
  return p <= box->elements[axis] && (requested[axis] == 0 || requested[axis] == p);
}

/* Tries every arrangement px py pz = num_ranks.  best->grid stays 0 if none fits into a rank's
 * index type; least_elements is then the smallest largest rank, or 0 if there is no arrangement. */
static void search_grids(const struct hb_box *box, int num_ranks, const int requested[3],
                         struct candidate *best, hb_global *least_elements) {
  int divisors[MAX_DIVISORS];
  const int num_divisors = divisors_of(num_ranks, divisors);
  *best = (struct candidate){{0, 0, 0}, 0, 0, 0};
  *least_elements = 0;
  for (int i = 0; i < num_divisors; i++) {
    const int px = divisors[i], rest = num_ranks / px;
    if (!allows(box, requested, 0, px)) continue;
    for (int j = 0; j < num_divisors; j++) {
      const int py = divisors[j];
      if (rest % py != 0 || !allows(box, requested, 1, py) || !allows(box, requested, 2, rest / py))
        continue;
      struct candidate candidate = evaluate(box, (const int[3]){px, py, rest / py});
      if (*least_elements == 0 || candidate.max_elements < *least_elements)
        *least_elements = candidate.max_elements;
      if (element_points(box, candidate.max_elements) > HB_LOCAL_MAX) continue;
      candidate.cost = candidate.max_elements * box->degree * box->degree * box->degree +
                       2 * largest_halo(box, candidate.grid);
      if (best->grid[0] == 0 || is_better(&candidate, best)) *best = candidate;
    }
  }
}

/* Rank counts next to `ranks` that can be written as a b c with each factor within its limit;
 * 0 = there is none.  Ascending limits allow a <= b <= c; a count above `ranks` is found below
 * 2 ranks, because a factor of the nearest count below can be raised by one. */
static void find_nearest(const hb_global limits[3], hb_global ranks, hb_global *below,
                         hb_global *above) {
  hb_global low = limits[0], middle = limits[1], high = limits[2], swap = 0;
  if (low > middle) swap = low, low = middle, middle = swap;
  if (middle > high) swap = middle, middle = high, high = swap;
  if (low > middle) swap = low, low = middle, middle = swap;
  *below = *above = 0;
  for (hb_global a = 1; a <= low && a * a * a <= 2 * ranks; a++)
    for (hb_global b = a; b <= middle && a * b * b <= 2 * ranks; b++) {
      const hb_global fits = ranks / (a * b), c = fits < high ? fits : high;
      if (a * b * c > *below) *below = a * b * c;
      if (fits < high && (*above == 0 || a * b * (fits + 1) < *above)) *above = a * b * (fits + 1);
    }
}

enum { TEXT_BYTES = 128 };

/* "px = 2, py <= 4, pz <= 4": what is asked for, and what the elements allow. */
static void describe_limits(const struct hb_box *box, const int requested[3], char *text) {
  size_t used = 0;
  for (int a = 0; a < 3; a++) {
    const hb_global value = requested[a] > 0 ? requested[a] : box->elements[a];
    used += (size_t)snprintf(text + used, TEXT_BYTES - used, "%sp%c %s %lld", a > 0 ? ", " : "",
                             AXIS_NAME[a], requested[a] > 0 ? "=" : "<=", (long long)value);
  }
}

/* Records why no arrangement exists, and the rank counts next to it that have one. */
static enum hb_status refuse_count(const struct hb_box *box, int num_ranks,
                                   const int requested[3]) {
  char limits_text[TEXT_BYTES], nearest[TEXT_BYTES];
  hb_global limits[3], fixed = 1, below = 0, above = 0;
  for (int a = 0; a < 3; a++) {
    limits[a] = requested[a] > 0 ? 1 : box->elements[a];
    if (requested[a] > 0) fixed *= requested[a];
  }
  find_nearest(limits, num_ranks / fixed, &below, &above);
  if (above > 0)
    snprintf(nearest, sizeof nearest, "%lld or %lld ranks", (long long)(below * fixed),
             (long long)(above * fixed));
  else
    snprintf(nearest, sizeof nearest, "%lld ranks", (long long)(below * fixed));
  describe_limits(box, requested, limits_text);
  return hb_error_record(HB_BAD_INPUT, __FILE__, __LINE__,
                         "%d ranks cannot be arranged over %lld x %lld x %lld elements so that "
                         "each has an element: px py pz = %d has no solution with %s; nearest "
                         "possible: %s",
                         num_ranks, (long long)box->elements[0], (long long)box->elements[1],
                         (long long)box->elements[2], num_ranks, limits_text, nearest);
}

/* The requested entries on their own: signs and product. */
static enum hb_status check_product(int num_ranks, const int requested[3]) {
  enum hb_status status = HB_OK;
  const int px = requested[0], py = requested[1], pz = requested[2];
  hb_global product = 1;
  bool fits = true;
  for (int a = 0; a < 3; a++) {
    if (requested[a] < 0)
      HB_FAIL(HB_BAD_INPUT, "p%c = %d: allowed are 1 and more, or 0 for free", AXIS_NAME[a],
              requested[a]);
    if (requested[a] > 0) fits = fits && hb_multiply(product, requested[a], &product);
  }
  if (px > 0 && py > 0 && pz > 0 && fits && product != num_ranks)
    HB_FAIL(HB_BAD_INPUT, "px py pz = %d x %d x %d = %lld, but the run has %d ranks", px, py, pz,
            (long long)product, num_ranks);
  if (!fits || num_ranks % product != 0)
    HB_FAIL(HB_BAD_INPUT,
            "px, py, pz = %d, %d, %d (0 = free): their product does not divide the "
            "run's %d ranks",
            px, py, pz, num_ranks);
done:
  return status;
}

static enum hb_status check_request(const struct hb_box *box, int num_ranks,
                                    const int requested[3]) {
  enum hb_status status = HB_OK;
  HB_TRY(check_product(num_ranks, requested));
  for (int a = 0; a < 3; a++)
    if (requested[a] > box->elements[a])
      HB_FAIL(HB_BAD_INPUT, "p%c = %d ranks for n%c = %lld elements: at most one rank an element",
              AXIS_NAME[a], requested[a], AXIS_NAME[a], (long long)box->elements[a]);
done:
  return status;
}

enum hb_status hb_partition_rank_grid(int num_ranks, const int requested[3], int grid[3]) {
  enum hb_status status = HB_OK;
  int divisors[MAX_DIVISORS];
  hb_global least = HB_GLOBAL_MAX; /* surface of the grid */
  HB_TRY(check_product(num_ranks, requested));
  const int num_divisors = divisors_of(num_ranks, divisors);
  for (int i = 0; i < num_divisors; i++)
    for (int j = 0; j < num_divisors; j++) {
      const hb_global x = divisors[i], y = divisors[j];
      if (num_ranks % x != 0 || num_ranks / x % y != 0) continue;
      const hb_global z = num_ranks / x / y, surface = x * y + y * z + z * x;
      if (surface > least || (surface == least && (x < grid[0] || (x == grid[0] && y < grid[1]))))
        continue;
      if ((requested[0] > 0 && requested[0] != x) || (requested[1] > 0 && requested[1] != y) ||
          (requested[2] > 0 && requested[2] != z))
        continue;
      least = surface;
      grid[0] = (int)x, grid[1] = (int)y, grid[2] = (int)z;
    }
done:
  return status;
}

static enum hb_status choose_grid(const struct hb_box *box, int num_ranks, const int requested[3],
                                  struct candidate *best) {
  enum hb_status status = HB_OK;
  const hb_global elements = hb_box_num_elements(box);
  hb_global least_elements = 0;
  if (num_ranks > elements)
    HB_FAIL(HB_BAD_INPUT,
            "%d ranks for %lld x %lld x %lld = %lld elements: at most one rank an element",
            num_ranks, (long long)box->elements[0], (long long)box->elements[1],
            (long long)box->elements[2], (long long)elements);
  HB_TRY(check_request(box, num_ranks, requested));
  search_grids(box, num_ranks, requested, best, &least_elements);
  if (least_elements == 0) HB_TRY(refuse_count(box, num_ranks, requested));
  if (best->grid[0] == 0)
    HB_FAIL(HB_BAD_INPUT,
            "%lld x %lld x %lld elements of degree %d on %d ranks: the largest rank would have "
            "%lld elements with %lld points, at most %d are possible; more ranks are needed, at "
            "least %lld",
            (long long)box->elements[0], (long long)box->elements[1], (long long)box->elements[2],
            box->degree, num_ranks, (long long)least_elements,
            (long long)element_points(box, least_elements), HB_LOCAL_MAX,
            (long long)(element_points(box, elements) / HB_LOCAL_MAX + 1));
done:
  return status;
}

enum hb_status hb_partition_create(const struct hb_box *box, int num_ranks, int rank,
                                   const int requested[3], struct hb_partition *partition) {
  enum hb_status status = HB_OK;
  struct candidate best;
  HB_ASSERT(num_ranks >= 1 && rank >= 0 && rank < num_ranks);
  HB_TRY(choose_grid(box, num_ranks, requested, &best));
  *partition = (struct hb_partition){
      .num_elements = 1, .max_elements = best.max_elements, .min_elements = best.min_elements};
  for (int a = 0, rest = rank; a < 3; a++) {
    const int p = best.grid[a], c = rest % p;
    const hb_global start = hb_partition_split(box->elements[a], p, c);
    const hb_global end = hb_partition_split(box->elements[a], p, c + 1);
    rest /= p;
    partition->grid[a] = p;
    partition->coordinate[a] = c;
    partition->start[a] = start;
    partition->count[a] = (hb_local)(end - start);
    partition->num_elements *= partition->count[a];
  }
done:
  return status;
}

int hb_partition_neighbour(const struct hb_box *box, const struct hb_partition *partition,
                           const int offset[3]) {
  int neighbour = 0;
  for (int a = 2; a >= 0; a--) {
    const int p = partition->grid[a];
    int64_t c = (int64_t)partition->coordinate[a] + offset[a];
    if (box->boundary[a] == HB_PERIODIC)
      c = (c % p + p) % p;
    else if (c < 0 || c >= p)
      return -1;
    neighbour = neighbour * p + (int)c;
  }
  return neighbour;
}
