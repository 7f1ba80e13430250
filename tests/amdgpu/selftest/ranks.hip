/* SPDX-License-Identifier: BSD-3-Clause
 * Several ranks, each with a device of its own; rank 0 of several uses none. */
#include <hip/hip_runtime.h>
#include <mpi.h>

#include <cstdio>

__global__ void fill(double *a, double x) { a[threadIdx.x] = x + threadIdx.x; }

static int run_on_device(int rank, double *sum) {
  const int n = 64;
  double *d_a = nullptr, a[n];
  int devices = 0;
  if (hipGetDeviceCount(&devices) || hipSetDevice(rank % devices)) return 1;
  if (hipMalloc((void **)&d_a, sizeof a)) return 1;
  fill<<<1, n>>>(d_a, rank);
  if (hipGetLastError() || hipMemcpy(a, d_a, sizeof a, hipMemcpyDeviceToHost)) return 1;
  for (double x : a) *sum += x;
  return hipFree(d_a) ? 1 : 0;
}

int main(int argc, char **argv) {
  int rank, size;
  double sum = 0, total = 0, expected = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  int failed = rank > 0 || size == 1 ? run_on_device(rank, &sum) : 0;
  MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  for (int r = size > 1; r < size; r++) expected += 64 * r + 64 * 63 / 2;
  if (total != expected) failed = 1;
  if (rank == 0) printf("%d ranks: %g, expected %g\n", size, total, expected);
  MPI_Finalize();
  return failed;
}
