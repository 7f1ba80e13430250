/* SPDX-License-Identifier: BSD-3-Clause
 * The interpreter's HIP runtime, function by function: runtime devices|no_device|no_binary.
 *
 * devices: run with ISARUN_DEVICES=3 and ISARUN_MEMORY_BYTES=1000000, by both of ISARUN_ERRORS. */
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <set>
#include <string>

static int done, failed;
#define CHECK(condition)                                                                           \
  do {                                                                                             \
    done++;                                                                                        \
    if (!(condition)) {                                                                            \
      failed++;                                                                                    \
      printf("runtime.hip:%d: failed: %s\n", __LINE__, #condition);                                \
    }                                                                                              \
  } while (0)
#define CHECK_ERROR(call, error)                                                                   \
  do {                                                                                             \
    CHECK((call) == (error));                                                                      \
    CHECK(hipPeekAtLastError() == (error));                                                        \
    CHECK(hipGetLastError() == (error));                                                           \
    CHECK(hipGetLastError() == hipSuccess);                                                        \
  } while (0)
#define CHECK_OK(call) CHECK((call) == hipSuccess)

enum { MEMORY = 1000000, DEVICES = 3 };

__global__ void twice(double *a) { a[threadIdx.x] *= 2; }
/* Half of the LDS: one workgroup at a time next to its own kind makes two. */
__global__ void much_lds(double *a) {
  __shared__ double s[4096];
  s[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = s[63 - threadIdx.x];
}
/* Uses register v200: two waves a SIMD. */
__global__ __launch_bounds__(256) void many_registers(double *a) {
  asm volatile("v_mov_b32 v200, 0" ::: "v200");
  a[threadIdx.x] = 0;
}
__global__ void dynamic_lds(int *a) {
  extern __shared__ int shared[];
  shared[threadIdx.x] = a[threadIdx.x];
  __syncthreads();
  a[threadIdx.x] = shared[blockDim.x - 1 - threadIdx.x];
}

static void test_devices() {
  int count = 0, device = -1, value = 0;
  std::set<std::string> buses;
  CHECK_OK(hipGetDeviceCount(&count));
  CHECK(count == DEVICES);
  for (int d = 0; d < count; d++) {
    char bus[32] = "", expected[32];
    hipDeviceProp_t p;
    CHECK_OK(hipSetDevice(d));
    CHECK(hipGetDevice(&device) == hipSuccess && device == d);
    CHECK_OK(hipDeviceGetPCIBusId(bus, sizeof bus, d));
    buses.insert(bus);
    CHECK_OK(hipGetDeviceProperties(&p, d));
    snprintf(expected, sizeof expected, "%04x:%02x:%02x.0", p.pciDomainID, p.pciBusID,
             p.pciDeviceID);
    CHECK(strcmp(bus, expected) == 0);
    CHECK(strcmp(p.gcnArchName, "gfx90a:sramecc+:xnack-") == 0);
    CHECK(p.multiProcessorCount == 110 && p.sharedMemPerBlock == 65536 && p.warpSize == 64);
    CHECK(p.maxThreadsPerBlock == 1024 && p.totalGlobalMem == MEMORY && p.regsPerBlock > 0);
    CHECK(hipDeviceGetAttribute(&value, hipDeviceAttributePciBusId, d) == hipSuccess &&
          value == p.pciBusID);
  }
  CHECK(buses.size() == DEVICES);
  CHECK(hipDeviceGetAttribute(&value, hipDeviceAttributeMultiprocessorCount, 0) == hipSuccess &&
        value == 110);
  CHECK_ERROR(hipSetDevice(DEVICES), hipErrorInvalidDevice);
  CHECK(hipDriverGetVersion(&value) == hipSuccess && value > 0);
  CHECK(hipRuntimeGetVersion(&value) == hipSuccess && value > 0);
  CHECK(strcmp(hipGetErrorName(hipErrorOutOfMemory), "hipErrorOutOfMemory") == 0);
  CHECK(strcmp(hipGetErrorString(hipErrorOutOfMemory), "out of memory") == 0);
}

/* The last failure is kept through a success, or is not, by the rules that were asked for. */
static void test_kept_errors() {
  const char *rules = getenv("ISARUN_ERRORS");
  const bool cleared = rules && strcmp(rules, "rocm6") == 0;
  CHECK(hipSetDevice(DEVICES) == hipErrorInvalidDevice);
  CHECK_OK(hipSetDevice(0));
  CHECK(hipPeekAtLastError() == (cleared ? hipSuccess : hipErrorInvalidDevice));
  CHECK(hipGetLastError() == (cleared ? hipSuccess : hipErrorInvalidDevice));
  CHECK_OK(hipGetLastError());
}

static void test_memory() {
  size_t available = 0, total = 0;
  void *p = nullptr, *q = nullptr, *host = nullptr;
  CHECK_OK(hipSetDevice(1));
  CHECK_OK(hipMalloc(&p, MEMORY - 1000));
  CHECK_OK(hipMemGetInfo(&available, &total));
  CHECK(available == 1000 && total == MEMORY);
  CHECK_ERROR(hipMalloc(&q, 1001), hipErrorOutOfMemory);
  CHECK(q == nullptr);
  CHECK_OK(hipSetDevice(2)); /* has memory of its own */
  CHECK_OK(hipMalloc(&q, 2000));
  hipPointerAttribute_t a;
  CHECK(hipPointerGetAttributes(&a, (char *)q + 8) == hipSuccess && a.device == 2);
  CHECK_OK(hipFree(q));
  CHECK_OK(hipFree(p));
  CHECK_ERROR(hipFree(p), hipErrorInvalidValue);
  CHECK_OK(hipSetDevice(1));
  CHECK(hipMemGetInfo(&available, &total) == hipSuccess && available == MEMORY);
  CHECK_OK(hipHostMalloc(&host, 2 * MEMORY, 0)); /* is no memory of the device */
  CHECK(hipMemGetInfo(&available, &total) == hipSuccess && available == MEMORY);
  CHECK_OK(hipHostFree(host));
  CHECK_ERROR(hipPointerGetAttributes(&a, &total), hipErrorInvalidValue);
  double mine[64] = {1};
  CHECK_OK(hipHostRegister(mine, sizeof mine, 0));
  twice<<<1, 64>>>(mine);
  CHECK_OK(hipGetLastError());
  CHECK(mine[0] == 2);
  CHECK_OK(hipHostUnregister(mine));
  CHECK_OK(hipFree(nullptr));
  CHECK_OK(hipSetDevice(0));
}

static void test_streams() {
  hipStream_t s = nullptr, t = nullptr;
  hipEvent_t a, b, untimed;
  int least = 0, greatest = 0;
  float ms = -1;
  double *d_a = nullptr, h_a[64], x = 21;
  CHECK(hipDeviceGetStreamPriorityRange(&least, &greatest) == hipSuccess && greatest <= least);
  CHECK_OK(hipStreamCreateWithFlags(&s, hipStreamNonBlocking));
  CHECK_OK(hipStreamCreateWithPriority(&t, hipStreamNonBlocking, greatest));
  CHECK_OK(hipEventCreate(&a));
  CHECK_OK(hipEventCreate(&b));
  CHECK_OK(hipEventCreateWithFlags(&untimed, hipEventDisableTiming));
  CHECK_ERROR(hipEventElapsedTime(&ms, a, b), hipErrorInvalidHandle);
  CHECK_OK(hipMalloc((void **)&d_a, sizeof h_a));
  CHECK_OK(hipEventRecord(a, s));
  CHECK_OK(hipMemsetAsync(d_a, 0, sizeof h_a, s));
  CHECK_OK(hipMemcpyAsync(d_a, &x, sizeof x, hipMemcpyHostToDevice, s));
  twice<<<1, 64, 0, s>>>(d_a);
  CHECK_OK(hipEventRecord(b, s));
  CHECK_OK(hipEventRecord(untimed, s));
  CHECK_OK(hipStreamWaitEvent(t, b, 0));
  CHECK_OK(hipMemcpyAsync(h_a, d_a, sizeof h_a, hipMemcpyDeviceToHost, t));
  CHECK(hipStreamSynchronize(t) == hipSuccess && hipStreamQuery(s) == hipSuccess);
  CHECK(hipEventSynchronize(b) == hipSuccess && hipEventQuery(b) == hipSuccess);
  CHECK(hipEventElapsedTime(&ms, a, b) == hipSuccess && ms >= 0);
  CHECK_ERROR(hipEventElapsedTime(&ms, a, untimed), hipErrorInvalidHandle);
  CHECK(h_a[0] == 42 && h_a[63] == 0);
  CHECK_OK(hipMemset(d_a, 0, sizeof x));
  CHECK_OK(hipMemcpy(h_a, d_a, sizeof x, hipMemcpyDeviceToHost));
  CHECK(h_a[0] == 0);
  CHECK_ERROR(hipMemcpy(h_a, d_a, sizeof h_a + 1, hipMemcpyDeviceToHost), hipErrorInvalidValue);
  CHECK_OK(hipEventDestroy(a));
  CHECK_OK(hipEventDestroy(b));
  CHECK_OK(hipEventDestroy(untimed));
  CHECK_OK(hipStreamDestroy(s));
  CHECK_OK(hipStreamDestroy(t));
  CHECK_ERROR(hipStreamSynchronize(t), hipErrorInvalidHandle);
  CHECK(hipDeviceSynchronize() == hipSuccess && hipFree(d_a) == hipSuccess);
}

/* Recorded work happens when the graph is launched, in its order, with the arguments of then. */
static void test_graphs() {
  hipStream_t s;
  hipGraph_t graph;
  hipGraphExec_t exec;
  double value = 0.0, *d_a = nullptr, *d_b = nullptr;
  const double one = 1.0;
  CHECK_OK(hipMalloc((void **)&d_a, 512));
  CHECK_OK(hipMalloc((void **)&d_b, 512));
  CHECK_OK(hipStreamCreate(&s));
  CHECK_OK(hipMemcpy(d_a, &one, sizeof one, hipMemcpyHostToDevice));
  CHECK_OK(hipStreamBeginCapture(s, hipStreamCaptureModeThreadLocal));
  CHECK_ERROR(hipStreamBeginCapture(s, hipStreamCaptureModeThreadLocal), hipErrorIllegalState);
  double *argument = d_a;
  twice<<<1, 64, 0, s>>>(argument);
  CHECK_OK(hipGetLastError());
  argument = nullptr;
  CHECK_OK(hipMemcpyAsync(d_b, d_a, sizeof one, hipMemcpyDeviceToDevice, s));
  twice<<<1, 64, 0, s>>>(d_a);
  twice<<<1, 2048, 0, s>>>(d_a);
  CHECK(hipGetLastError() == hipErrorInvalidConfiguration);
  CHECK_ERROR(hipStreamSynchronize(s), hipErrorStreamCaptureUnsupported);
  CHECK_OK(hipMemcpy(&value, d_a, sizeof value, hipMemcpyDeviceToHost));
  CHECK(value == 1.0);
  CHECK_OK(hipStreamEndCapture(s, &graph));
  CHECK_OK(hipGraphInstantiateWithFlags(&exec, graph, 0));
  CHECK_OK(hipGraphDestroy(graph));
  CHECK_ERROR(hipGraphDestroy(graph), hipErrorInvalidHandle);
  for (int launches = 1; launches <= 2; launches++) {
    CHECK_OK(hipGraphLaunch(exec, s));
    CHECK_OK(hipStreamSynchronize(s));
    CHECK_OK(hipMemcpy(&value, d_a, sizeof value, hipMemcpyDeviceToHost));
    CHECK(value == (launches == 1 ? 4.0 : 16.0));
    CHECK_OK(hipMemcpy(&value, d_b, sizeof value, hipMemcpyDeviceToHost));
    CHECK(value == (launches == 1 ? 2.0 : 8.0));
  }
  CHECK_OK(hipGraphExecDestroy(exec));
  CHECK_ERROR(hipGraphLaunch(exec, s), hipErrorInvalidHandle);
  CHECK_ERROR(hipStreamEndCapture(s, &graph), hipErrorIllegalState);
  CHECK_OK(hipStreamDestroy(s));
  CHECK_OK(hipFree(d_a));
  CHECK_OK(hipFree(d_b));
}

static int blocks_per_cu(const void *kernel, int threads, size_t lds) {
  int blocks = -1;
  CHECK_OK(hipOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, lds));
  return blocks;
}

static void test_kernels() {
  hipFuncAttributes a;
  const void *dynamic = (const void *)dynamic_lds;
  CHECK_OK(hipFuncGetAttributes(&a, (const void *)much_lds));
  CHECK(a.sharedSizeBytes == 32768 && a.localSizeBytes == 0 && a.numRegs > 0);
  CHECK(hipFuncGetAttributes(&a, (const void *)many_registers) == hipSuccess && a.numRegs >= 201);
  CHECK(a.maxThreadsPerBlock == 256);
  CHECK(blocks_per_cu((const void *)twice, 64, 0) == 32);
  CHECK(blocks_per_cu((const void *)twice, 256, 0) == 8);
  CHECK(blocks_per_cu((const void *)much_lds, 64, 0) == 2);
  CHECK(blocks_per_cu((const void *)many_registers, 256, 0) == 2);
  CHECK(blocks_per_cu(dynamic, 64, 16384) == 4);
  CHECK_OK(hipFuncSetAttribute(dynamic, hipFuncAttributeMaxDynamicSharedMemorySize, 65536));
  CHECK_ERROR(hipFuncSetAttribute(dynamic, hipFuncAttributeMaxDynamicSharedMemorySize, 65537),
              hipErrorInvalidValue);
  CHECK_ERROR(hipFuncGetAttributes(&a, &failed), hipErrorInvalidDeviceFunction);
  int *d_a = nullptr, last = 7;
  CHECK_OK(hipMalloc((void **)&d_a, 1024 * sizeof(int)));
  CHECK_OK(hipMemset(d_a, 0, 1024 * sizeof(int)));
  CHECK_OK(hipMemcpy(d_a + 1023, &last, sizeof last, hipMemcpyHostToDevice));
  dynamic_lds<<<1, 1024, 65536>>>(d_a);
  CHECK_OK(hipGetLastError());
  CHECK(hipMemcpy(&last, d_a, sizeof last, hipMemcpyDeviceToHost) == hipSuccess && last == 7);
  dynamic_lds<<<1, 64, 65540>>>(d_a);
  CHECK(hipGetLastError() == hipErrorInvalidConfiguration);
  many_registers<<<1, 512>>>((double *)d_a);
  CHECK(hipGetLastError() == hipErrorInvalidConfiguration);
  CHECK_OK(hipFree(d_a));
}

static void test_no_device() {
  int count = 7;
  void *p;
  CHECK_ERROR(hipGetDeviceCount(&count), hipErrorNoDevice);
  CHECK(count == 0);
  CHECK_ERROR(hipSetDevice(0), hipErrorNoDevice);
  CHECK_ERROR(hipMalloc(&p, 8), hipErrorNoDevice);
  twice<<<1, 64>>>(nullptr);
  CHECK(hipGetLastError() == hipErrorNoDevice);
}

/* The program has no code for the devices that there are. */
static void test_no_binary() {
  hipFuncAttributes a;
  hipDeviceProp_t p;
  double *d_a = nullptr;
  CHECK(hipGetDeviceProperties(&p, 0) == hipSuccess && strncmp(p.gcnArchName, "gfx908:", 7) == 0);
  CHECK(p.multiProcessorCount == 120);
  CHECK_OK(hipMalloc((void **)&d_a, 512));
  CHECK_ERROR(hipFuncGetAttributes(&a, (const void *)twice), hipErrorNoBinaryForGpu);
  twice<<<1, 64>>>(d_a);
  CHECK(hipGetLastError() == hipErrorNoBinaryForGpu);
  CHECK_OK(hipFree(d_a));
}

int main(int argc, char **argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "devices") {
    test_devices();
    test_kept_errors();
    test_memory();
    test_streams();
    test_graphs();
    test_kernels();
  } else if (what == "no_device") {
    test_no_device();
  } else if (what == "no_binary") {
    test_no_binary();
  }
  printf("%d checks, %d failed\n", done, failed);
  return failed || !done;
}
