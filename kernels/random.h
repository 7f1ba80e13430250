/* SPDX-License-Identifier: BSD-3-Clause
 * Random numbers that depend on their place alone: splitmix64 (Steele, Lea, Flood, 2014). */
#ifndef HB_KERNELS_RANDOM_H
#define HB_KERNELS_RANDOM_H

#include <stdint.h>

#define HB_RANDOM_STEP UINT64_C(0x9e3779b97f4a7c15)

/* 64 random bits from 64 others. */
static inline uint64_t hb_random_mix(uint64_t z) {
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* Uniform in [0, 1) from 64 random bits. */
static inline double hb_random_fraction(uint64_t bits) { return (double)(bits >> 11) * 0x1p-53; }

/* Number `i` of the sequence of a seed, in [0, 1). */
static inline double hb_random_in_sequence(uint64_t seed, uint64_t i) {
  return hb_random_fraction(hb_random_mix(seed + (i + 1) * HB_RANDOM_STEP));
}

/* A number in [-1, 1) from any two numbers, as the global id of a point and a seed. */
static inline double hb_random_at(int64_t id, int64_t seed) {
  const uint64_t z = (uint64_t)id * HB_RANDOM_STEP + (uint64_t)seed * UINT64_C(0xd1b54a32d192ed03);
  return 2.0 * hb_random_fraction(hb_random_mix(z)) - 1.0;
}

#endif
