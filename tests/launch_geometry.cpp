/* SPDX-License-Identifier: BSD-3-Clause
 * Prints how the operator's kernels lay out their work on AMD, from their own headers, for the
 * scripts that read machine code:  KERNEL N ELEMENTS THREADS POINTS (of a thread), and of kernels
 * by matrix instructions MFMA (those of a wave) TILE.  Kernels whose launches choose it are not
 * here. */
#include <cstdio>

#include "kernels/helmholtz/block_layouts.h"
#include "kernels/helmholtz/chained_layout.h"

enum { WAVE = 64 };

template <typename layout> static void print(const char *kernel, int n) {
  std::printf("%s %d %d %d %d\n", kernel, n, layout::elements, layout::threads, layout::per_thread);
}

/* A plane takes R along i and R + S along j, in each direction. */
template <int N> static void print_chained() {
  const int run = hb_chained_run(N), steps = hb_chained_steps(N);
  std::printf("hb_chained %d %d %d %d %d 16x16x4\n", N, hb_chained_elements(N), WAVE, N * run,
              2 * N * (2 * run + steps));
}

template <int N> static void print_all() {
  print<hb_line_layout<N, WAVE>>("hb_1d", N);
  print<hb_kstep_layout<N, WAVE>>("hb_kstep", N);
  print_chained<N>();
  if constexpr (N < 16) print_all<N + 1>();
}

int main() {
  print_all<2>();
  return 0;
}
