/* SPDX-License-Identifier: BSD-3-Clause
 * How the kernels 1d and kstep lay out their work in a block of threads: elements, threads, and how
 * many points a thread has.  WAVE: lanes of a wave, of which a block is a multiple.  Plain C++, for
 * the kernels and for what reads their machine code. */
#ifndef HB_KERNELS_HELMHOLTZ_BLOCK_LAYOUTS_H
#define HB_KERNELS_HELMHOLTZ_BLOCK_LAYOUTS_H

/* 1d: at most 512 threads an element, at least 192 a block. */
template <int N, int WAVE> struct hb_line_layout {
  static constexpr int cube = N * N * N;
  static constexpr int per_thread = (cube + 511) / 512;
  static constexpr int per_element = (cube + per_thread - 1) / per_thread; /* threads */
  static constexpr int elements = per_element >= 192 ? 1 : 256 / per_element;
  static constexpr int threads = (elements * per_element + WAVE - 1) / WAVE * WAVE;
};

/* kstep: a thread has the points of one (j,i). */
template <int N, int WAVE> struct hb_kstep_layout {
  static constexpr int threads_of(int elements) {
    return (elements * N * N + WAVE - 1) / WAVE * WAVE;
  }
  /* The fewest elements that fill 64 threads (224 for n = 2, to leave fewer partial sums)
   * and leave at most an eighth of them idle; if none up to 256 threads does, those that leave the
   * fewest idle. */
  static constexpr int choose_elements() {
    const int least = N == 2 ? 224 : 56;
    int best = 1;
    for (int e = 1; e <= 64 && threads_of(e) <= 256; e++) {
      const int threads = threads_of(e), idle = threads - e * N * N;
      if (e * N * N >= least && 8 * idle <= threads) return e;
      if (idle * threads_of(best) < (threads_of(best) - best * N * N) * threads) best = e;
    }
    return best;
  }
  static constexpr int per_thread = N;
  static constexpr int elements = choose_elements();
  static constexpr int threads = threads_of(elements);
};

#endif
