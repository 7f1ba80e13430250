/* SPDX-License-Identifier: BSD-3-Clause
 * A whole HIP program as any other; under the interpreter's HIP runtime it must pass. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstring>
#include <vector>

__constant__ double factor[2];
__device__ int counter;
__global__ void scale(double *a, int n, float add) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = a[i] * factor[i & 1] + add;
  if (i == 0) atomicAdd(&counter, 1);
}
template <int B> __global__ void rev(const double *a, double *b) {
  extern __shared__ double s[];
  int t = threadIdx.x;
  s[t] = a[blockIdx.x * B + t];
  __syncthreads();
  b[blockIdx.x * B + t] = s[B - 1 - t];
}
static int bad;
#define OK(c)                                                                                      \
  do {                                                                                             \
    if (!(c)) {                                                                                    \
      printf("program.hip:%d: %s\n", __LINE__, #c);                                                \
      bad++;                                                                                       \
    }                                                                                              \
  } while (0)
int main() {
  hipDeviceProp_t p;
  int nd = 0, cnt = -1;
  OK(hipGetDeviceCount(&nd) == hipSuccess && nd >= 1);
  OK(hipGetDeviceProperties(&p, 0) == hipSuccess && p.warpSize == 64 &&
     !strncmp(p.gcnArchName, "gfx9", 4));
  const int n = 300;
  std::vector<double> h(n), r(n);
  for (int i = 0; i < n; i++) h[i] = i;
  double *d, *e, f[2] = {2, 3};
  hipStream_t st;
  hipEvent_t a, b;
  OK(hipStreamCreate(&st) == hipSuccess && hipEventCreate(&a) == hipSuccess &&
     hipEventCreate(&b) == hipSuccess);
  OK(hipMalloc((void **)&d, n * 8) == hipSuccess && hipMalloc((void **)&e, n * 8) == hipSuccess);
  OK(hipMemcpyToSymbol(HIP_SYMBOL(factor), f, sizeof f) == hipSuccess);
  OK(hipMemcpyAsync(d, h.data(), n * 8, hipMemcpyHostToDevice, st) == hipSuccess);
  OK(hipEventRecord(a, st) == hipSuccess);
  scale<<<(n + 127) / 128, 128, 0, st>>>(d, n, 0.5f);
  hipLaunchKernelGGL((rev<100>), 3, 100, 100 * 8, st, d, e);
  OK(hipGetLastError() == hipSuccess && hipEventRecord(b, st) == hipSuccess &&
     hipStreamSynchronize(st) == hipSuccess);
  float ms = -1;
  OK(hipEventElapsedTime(&ms, a, b) == hipSuccess && ms >= 0);
  OK(hipMemcpy(r.data(), e, n * 8, hipMemcpyDeviceToHost) == hipSuccess);
  for (int i = 0; i < n; i++) {
    int j = i / 100 * 100 + 99 - i % 100;
    OK(r[i] == j * f[j & 1] + 0.5);
  }
  OK(hipMemcpyFromSymbol(&cnt, HIP_SYMBOL(counter), sizeof cnt) == hipSuccess && cnt == 1);
  void *sp;
  OK(hipGetSymbolAddress(&sp, HIP_SYMBOL(counter)) == hipSuccess &&
     hipMemset(sp, 0, 4) == hipSuccess);
  OK(hipMemcpyFromSymbol(&cnt, HIP_SYMBOL(counter), sizeof cnt) == hipSuccess && cnt == 0);
  scale<<<1, 2000>>>(d, n, 0);
  OK(hipGetLastError() == hipErrorInvalidConfiguration && hipGetLastError() == hipSuccess);
  int blocks = 0;
  OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (const void *)scale, 128, 0) ==
         hipSuccess &&
     blocks > 0);
  OK(hipMemcpy(r.data(), e, n * 8 + 8, hipMemcpyDeviceToHost) != hipSuccess);
  OK(hipFree(d) == hipSuccess && hipFree(e) == hipSuccess && hipFree(e) != hipSuccess);
  printf("%s: %s\n", p.gcnArchName, bad ? "failed" : "passed");
  return bad ? 1 : 0;
}
