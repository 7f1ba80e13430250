/* SPDX-License-Identifier: BSD-3-Clause
 * Sums that travel with what tells equal copies from different ones. */
#include "app/consensus.h"

#include <math.h>
#include <string.h>

#include "kernels/random.h"

/* Keys have 16 bits: their squares are summed exactly over up to 2^20 ranks. */
enum { KEY_BITS = 16 };

struct hb_consensus hb_consensus_begin(const struct hb_comm *comm) {
  return (struct hb_consensus){.comm = comm};
}

/* NaN has many forms, and zero two, which may differ between ranks that agree. */
static uint64_t bits_of(double value) {
  uint64_t bits = 0;
  if (isnan(value)) return 1;
  if (value != 0.0) memcpy(&bits, &value, sizeof bits);
  return bits;
}

static double short_key(const struct hb_consensus *consensus) {
  return (double)(consensus->key >> (64 - KEY_BITS));
}

/* The sum of halves against the sum: halving is exact, so only what is lost below the smallest
 * numbers may differ. */
static bool halves_fit(double value, double half) {
  if (isnan(value)) return isnan(half);
  if (isinf(value)) return fabs(half) >= 0x1p1022; /* the sum of halves may be finite yet */
  return half == -0.5 * value || hb_max(fabs(value), fabs(half)) < 0x1p-1000;
}

static bool keys_equal(const struct hb_consensus *consensus, const double sums[2]) {
  const double size = consensus->comm->size;
  return size * sums[1] == sums[0] * sums[0] && sums[0] == size * short_key(consensus);
}

void hb_consensus_sum(struct hb_consensus *consensus, int count, double *values) {
  const int whole = count + 1; /* the values, and how many ranks have seen a difference */
  double message[2 * (HB_CONSENSUS_MAX_SUMS + 1) + 2], *keys = message + 2 * whole;
  bool fits = true;
  HB_ASSERT(count <= HB_CONSENSUS_MAX_SUMS);
  for (int i = 0; i < count; i++) message[i] = values[i];
  message[count] = consensus->seen ? 1.0 : 0.0;
  for (int i = 0; i < whole; i++) message[whole + i] = -0.5 * message[i];
  keys[0] = short_key(consensus);
  keys[1] = keys[0] * keys[0];
  hb_comm_sum(consensus->comm, 2 * whole + 2, message);
  for (int i = 0; i < whole; i++) fits = fits && halves_fit(message[i], message[whole + i]);
  consensus->parted = message[count] > 0.0 && message[whole + count] == -0.5 * message[count];
  consensus->seen = consensus->seen || !fits || !keys_equal(consensus, keys);
  for (int i = 0; i < count; i++) {
    values[i] = message[i];
    consensus->key = hb_random_mix(consensus->key + HB_RANDOM_STEP + bits_of(values[i]));
  }
}

enum hb_status hb_consensus_end(struct hb_consensus *consensus, int iterations) {
  enum hb_status status = HB_OK;
  if (!consensus->parted) hb_consensus_sum(consensus, 0, NULL);
  if (consensus->seen || consensus->parted)
    HB_FAIL(HB_MACHINE_FAILED,
            "the ranks have parted at iteration %d: their copies of a sum over all ranks differ; "
            "memory, network or MPI of a rank is at fault, no result of this run can be trusted",
            iterations);
done:
  return status;
}
