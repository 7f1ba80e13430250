/* SPDX-License-Identifier: BSD-3-Clause
 * Kernels with one fault each, and the same kernels mended: faults KERNEL broken|mended. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

enum { N = 128 };

/* A wave overwrites what the other has yet to read. */
template <bool BROKEN> __global__ void missing_barrier(const double *a, double *b) {
  __shared__ double s[N];
  const int t = threadIdx.x;
  s[t] = a[t];
  __syncthreads();
  const double x = s[N - 1 - t];
  if (!BROKEN) __syncthreads();
  s[t] = x + 1;
  __syncthreads();
  b[t] = s[t];
}

/* The first lane reads one element past the end. */
template <bool BROKEN> __global__ void stray_load(const double *a, double *b) {
  const int t = threadIdx.x;
  b[t] = a[BROKEN ? N - t : N - 1 - t] + 1;
}

/* Half of the elements are read before anything was written to them. */
template <bool BROKEN> __global__ void unwritten_lds(const double *a, double *b) {
  __shared__ double s[N];
  const int t = threadIdx.x;
  if (!BROKEN || t < N / 2) s[t] = a[t];
  __syncthreads();
  b[t] = s[N - 1 - t] + 1;
}

/* The first lane writes one element before the begin. */
template <bool BROKEN> __global__ void stray_store(const double *a, double *b) {
  const int t = threadIdx.x;
  b[BROKEN ? t - 1 : t] = a[N - 1 - t] + 1;
}

using Kernel = void (*)(const double *, double *);
struct Entry {
  const char *name;
  Kernel broken, mended;
};
static const Entry entries[] = {
    {"missing_barrier", missing_barrier<true>, missing_barrier<false>},
    {"stray_load", stray_load<true>, stray_load<false>},
    {"unwritten_lds", unwritten_lds<true>, unwritten_lds<false>},
    {"stray_store", stray_store<true>, stray_store<false>},
};

int main(int argc, char **argv) {
  if (argc != 3) return 2;
  Kernel kernel = nullptr;
  for (const Entry &e : entries)
    if (strcmp(e.name, argv[1]) == 0) kernel = strcmp(argv[2], "broken") ? e.mended : e.broken;
  if (!kernel) return 2;
  std::vector<double> a(N), b(N);
  for (int i = 0; i < N; i++) a[i] = i;
  double *d_a = nullptr, *d_b = nullptr;
  if (hipMalloc((void **)&d_a, sizeof(double) * N)) return 3;
  if (hipMalloc((void **)&d_b, sizeof(double) * N)) return 3;
  if (hipMemcpy(d_a, a.data(), sizeof(double) * N, hipMemcpyHostToDevice)) return 3;
  kernel<<<1, N>>>(d_a, d_b);
  if (hipGetLastError() || hipDeviceSynchronize()) return 3;
  if (hipMemcpy(b.data(), d_b, sizeof(double) * N, hipMemcpyDeviceToHost)) return 3;
  for (int i = 0; i < N; i++)
    if (b[i] != a[N - 1 - i] + 1) return 1;
  printf("%s: right\n", argv[1]);
  return hipFree(d_a) || hipFree(d_b) ? 3 : 0;
}
