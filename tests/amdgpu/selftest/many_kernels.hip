/* SPDX-License-Identifier: BSD-3-Clause
 * A program with 120 kernels and 4 MB of code; only three are launched, so it has to begin soon. */
#include <hip/hip_runtime.h>

#include <chrono>
#include <cstdio>
#include <utility>

enum { KERNELS = 120, ADDITIONS = 4096, MOST_SECONDS = 10 };

template <int I> __global__ void many(double *a) {
  double x = a[threadIdx.x] + I;
  asm volatile(".rept 4096\n v_add_f64 %0, %0, 1.0\n .endr" : "+v"(x));
  a[threadIdx.x] = x;
}

using Kernel = void (*)(double *);
template <int... I> static Kernel pick(int i, std::integer_sequence<int, I...>) {
  const Kernel all[] = {many<I>...};
  return all[i];
}

int main() {
  const auto begin = std::chrono::steady_clock::now();
  double *d_a = nullptr, x = 0, expected = 0;
  if (hipMalloc((void **)&d_a, sizeof x) || hipMemset(d_a, 0, sizeof x)) return 3;
  for (int repeat = 0; repeat < 10; repeat++)
    for (int i : {0, KERNELS / 2, KERNELS - 1}) {
      pick(i, std::make_integer_sequence<int, KERNELS>())<<<1, 1>>>(d_a);
      expected += i + ADDITIONS;
    }
  if (hipMemcpy(&x, d_a, sizeof x, hipMemcpyDeviceToHost) || hipFree(d_a)) return 3;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  printf("%g, expected %g; %.2f s\n", x, expected, seconds);
  return x == expected && seconds < MOST_SECONDS ? 0 : 1;
}
