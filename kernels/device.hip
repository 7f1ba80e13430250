/* SPDX-License-Identifier: BSD-3-Clause
 * device.h on HIP: AMD's own, or its names on the CUDA runtime. */
#include "kernels/platform/gpu.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "kernels/device.h"

#define TEXT_OF(words) #words
#define TEXT(words)    TEXT_OF(words)

namespace {

constexpr hb_global MIN_BYTES = 256; /* what a count of 0 takes */
constexpr int NUM_LAUNCHES = 4;      /* kept names */
constexpr int NUM_KEPT = 64;         /* kept numbers */

struct block {
  void *pointer;
  hb_global bytes;
};

struct kept {
  const void *key;
  size_t size;
  int value;
};

/* The architectures are handed over with _ between them: compiler drivers trip over blanks. */
struct architectures {
  char text[256] = {};
  constexpr architectures() {
    const char given[] = TEXT(HB_GPU_ARCHITECTURES);
    for (size_t c = 0; c < sizeof given; c++) text[c] = given[c] == '_' ? ' ' : given[c];
  }
};
constexpr architectures built_in;

} /* namespace */

/* The only state outside of structs, as in base.c. */
static struct hb_memory_use memory_use;

struct hb_device {
  int index;
  bool synchronise, overlaps;
  bool follows; /* the last launch */
  char name[128], architecture[64], pci_bus_id[32];
  int multiprocessors;
  hipStream_t streams[HB_NUM_STREAMS];
  hipEvent_t events[HB_NUM_EVENTS], time_start, time_stop;
  struct block *blocks; /* owned [max_blocks]; what is allocated */
  int num_blocks, max_blocks;
  const char *launches[NUM_LAUNCHES]; /* borrowed; the last kernels, a ring */
  int next_launch, num_launches;      /* place of the next name; names there */
  struct kept kept[NUM_KEPT];         /* a ring */
  int next_kept;                      /* place of the next number */
};

/* ---- errors ---------------------------------------------------------------------------------- */

/* The names of the kernels launched last, newest first. */
static void list_launches(const struct hb_device *device, char *text, size_t size) {
  size_t used = 0;
  text[0] = '\0';
  for (int l = 0; l < device->num_launches && used < size; l++) {
    const int launch = (device->next_launch - 1 - l + 2 * NUM_LAUNCHES) % NUM_LAUNCHES;
    used += (size_t)snprintf(text + used, size - used, "%s%s", l > 0 ? ", " : "",
                             device->launches[launch]);
  }
}

/* `device` may be NULL.  The runtime's last error is cleared: it is in the record now. */
static enum hb_status check(const struct hb_device *device, hipError_t error, const char *call,
                            int line) {
  char launches[512] = "";
  if (error == hipSuccess) return HB_OK;
  (void)hipGetLastError();
  if (device != NULL) list_launches(device, launches, sizeof launches);
  return hb_error_record(HB_MACHINE_FAILED, __FILE__, line, "%s: %s: %s%s%s", call,
                         hipGetErrorName(error), hipGetErrorString(error),
                         launches[0] == '\0' ? "" : "; kernels launched last: ", launches);
}

/* Of a call that frees: its caller goes on, so it is no failure of what comes later. */
static void check_freed(hipError_t error, const char *call, int line) {
  if (error == hipSuccess) return;
  (void)hipGetLastError();
  hb_error_remark(__FILE__, line, "%s: %s: %s", call, hipGetErrorName(error),
                  hipGetErrorString(error));
}

/* The call as the runtime knows it, and without its arguments in the message. */
#define TRY_GPU(device, function, ...)                                                             \
  HB_TRY(check((device), function(__VA_ARGS__), TEXT(function), __LINE__))

enum hb_status hb_device_check_launch(struct hb_device *device, const char *kernel) {
  hipError_t error = hipGetLastError();
  device->launches[device->next_launch] = kernel;
  device->next_launch = (device->next_launch + 1) % NUM_LAUNCHES;
  if (device->num_launches < NUM_LAUNCHES) device->num_launches++;
  if (error != hipSuccess) { /* of this launch, or of a kernel still running before it */
    char launches[512];
    list_launches(device, launches, sizeof launches);
    return hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__,
                           "launch of kernel %s, or a kernel before it: %s: %s; launched last: %s "
                           "(--check-launches tells which)",
                           kernel, hipGetErrorName(error), hipGetErrorString(error), launches);
  }
  if (!device->synchronise) return HB_OK;
  error = hipDeviceSynchronize();
  if (error == hipSuccess) return HB_OK;
  (void)hipGetLastError();
  return hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__, "kernel %s: %s: %s", kernel,
                         hipGetErrorName(error), hipGetErrorString(error));
}

/* ---- the proof that the program holds code for the device ------------------------------------ */

#if defined(__CUDACC__)

/* The architecture that this code was compiled for, 0 on the host. */
__device__ static unsigned compiled_for() {
#if defined(__CUDA_ARCH__)
  return __CUDA_ARCH__ / 10;
#else
  return 0;
#endif
}

/* The driver also translates code of an older architecture: only trying tells. */
static bool may_serve(const struct hb_device *) { return true; }
static bool serves(unsigned architecture, const struct hb_device *device) {
  return architecture > 0 && architecture <= (unsigned)atoi(device->architecture + 3);
}
/* Code for less has no hb_follow_launch. */
static bool can_overlap(unsigned architecture) { return architecture >= 90; }

#else

/* 0x90a of "gfx90a"; the features after the name do not count. */
__host__ __device__ static constexpr unsigned number_of(const char *name) {
  unsigned number = 0;
  for (int c = 3; name[c] != '\0' && name[c] != ':'; c++)
    number = 16 * number + (unsigned)(name[c] <= '9' ? name[c] - '0' : name[c] - 'a' + 10);
  return number;
}

/* The architecture that this code was compiled for, 0 on the host. */
__device__ static unsigned compiled_for() {
#if defined(__amdgcn_processor__)
  constexpr unsigned number = number_of(__amdgcn_processor__);
  return number;
#else
  return 0;
#endif
}

/* Looked up before anything is launched: some runtimes end the process for want of code. */
static bool may_serve(const struct hb_device *device) {
  return strstr(built_in.text, device->architecture) != NULL;
}
static bool serves(unsigned architecture, const struct hb_device *device) {
  return architecture == number_of(device->architecture);
}
static bool can_overlap(unsigned) { return false; }

#endif

/* One wave: result[0] = the architecture of the code, result[1] = sum of (lane + 1) input[lane]
 * over the lanes that gpu.h promises. */
__global__ static void canary(const unsigned *input, unsigned *result) {
  unsigned sum = (threadIdx.x + 1) * input[threadIdx.x];
  for (int mask = HB_WAVE / 2; mask > 0; mask /= 2) sum += hb_lane_xor(sum, mask);
  if (threadIdx.x == 0) {
    result[0] = compiled_for();
    result[1] = sum;
  }
}

static enum hb_status no_code(const struct hb_device *device) {
  const bool nvidia = strncmp(device->architecture, "sm_", 3) == 0;
  return hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__,
                         "device %d (%s, %s): this program holds code for %s; build with "
                         "-DHELMBONE_GPU_ARCHITECTURES=%s",
                         device->index, device->name, device->architecture,
                         hb_device_architectures(),
                         device->architecture + (nvidia ? 3 : 0)); /* 90 of sm_90 */
}

static enum hb_status prove(struct hb_device *device) {
  enum hb_status status = HB_OK;
  hipError_t error = hipSuccess;
  unsigned *buffer = NULL, sum = 0; /* pinned: input [HB_WAVE], result [2] */
  if (!may_serve(device)) return no_code(device);
  buffer = (unsigned *)hb_pinned_allocate(device, HB_WAVE + 2, sizeof *buffer, "canary");
  if (buffer == NULL) return HB_MACHINE_FAILED;
  for (unsigned lane = 0; lane < HB_WAVE; lane++) {
    buffer[lane] = 2654435761u * (lane + 1);
    sum += (lane + 1) * buffer[lane];
  }
  buffer[HB_WAVE] = buffer[HB_WAVE + 1] = 0;
  (void)hipGetLastError(); /* of others */
  canary<<<1, HB_WAVE, 0, device->streams[HB_STREAM_COMPUTE]>>>(buffer, buffer + HB_WAVE);
  error = hipGetLastError();
  if (error == hipErrorNoBinaryForGpu || error == hipErrorInvalidDeviceFunction) {
    status = no_code(device);
    goto done;
  }
  HB_TRY(check(NULL, error, "launch of the canary kernel", __LINE__));
  TRY_GPU(NULL, hipStreamSynchronize, device->streams[HB_STREAM_COMPUTE]);
  if (!serves(buffer[HB_WAVE], device)) {
    status = no_code(device);
    goto done;
  }
  if (buffer[HB_WAVE + 1] != sum)
    HB_FAIL(HB_MACHINE_FAILED, "device %d (%s, %s) computes wrongly: checksum %u instead of %u",
            device->index, device->name, device->architecture, buffer[HB_WAVE + 1], sum);
  device->overlaps = can_overlap(buffer[HB_WAVE]);
done:
  hb_pinned_free(device, buffer);
  return status;
}

/* ---- the device ------------------------------------------------------------------------------ */

const char *hb_device_platform(void) { return HB_PLATFORM; }

const char *hb_device_architectures(void) { return built_in.text; }

int hb_device_count(void) {
  int count = 0;
  if (hipGetDeviceCount(&count) == hipSuccess) return count;
  (void)hipGetLastError();
  return 0;
}

static enum hb_status describe(struct hb_device *device) {
  enum hb_status status = HB_OK;
  hipDeviceProp_t properties;
  TRY_GPU(NULL, hipGetDeviceProperties, &properties, device->index);
  TRY_GPU(NULL, hipDeviceGetPCIBusId, device->pci_bus_id, (int)sizeof device->pci_bus_id,
          device->index);
  for (char *c = device->pci_bus_id; *c != '\0'; c++) *c = (char)tolower(*c);
  snprintf(device->name, sizeof device->name, "%.127s", properties.name);
#if defined(__CUDACC__)
  snprintf(device->architecture, sizeof device->architecture, "sm_%d%d", properties.major,
           properties.minor);
#else
  snprintf(device->architecture, sizeof device->architecture, "%.*s",
           (int)strcspn(properties.gcnArchName, ":"), properties.gcnArchName);
#endif
  device->multiprocessors = properties.multiProcessorCount;
done:
  return status;
}

static enum hb_status make_streams(struct hb_device *device) {
  enum hb_status status = HB_OK;
  for (int s = 0; s < HB_NUM_STREAMS; s++)
    TRY_GPU(NULL, hipStreamCreateWithFlags, &device->streams[s], hipStreamNonBlocking);
  for (int e = 0; e < HB_NUM_EVENTS; e++)
    TRY_GPU(NULL, hipEventCreateWithFlags, &device->events[e], hipEventDisableTiming);
  TRY_GPU(NULL, hipEventCreateWithFlags, &device->time_start, hipEventDefault);
  TRY_GPU(NULL, hipEventCreateWithFlags, &device->time_stop, hipEventDefault);
done:
  return status;
}

enum hb_status hb_device_open(int index, bool synchronise, struct hb_device **device) {
  enum hb_status status = HB_OK;
  (void)hipGetLastError(); /* of a library that was here before */
  const int count = hb_device_count();
  struct hb_device *opened = NULL;
  *device = NULL;
  if (index < 0 || index >= count)
    HB_FAIL(HB_MACHINE_FAILED, "device %d: this process sees %d devices", index, count);
  opened = (struct hb_device *)hb_allocate(1, sizeof *opened, "device");
  if (opened == NULL) return HB_MACHINE_FAILED;
  memset(opened, 0, sizeof *opened);
  opened->index = index;
  opened->synchronise = synchronise;
  TRY_GPU(NULL, hipSetDevice, index);
  HB_TRY(describe(opened));
  HB_TRY(make_streams(opened));
  HB_TRY(prove(opened));
done:
  if (status != HB_OK) hb_device_close(&opened);
  *device = opened;
  return status;
}

void hb_device_close(struct hb_device **device) {
  struct hb_device *closed = *device;
  if (closed == NULL) return;
  *device = NULL;
  (void)hipDeviceSynchronize();
  for (int e = 0; e < HB_NUM_EVENTS; e++)
    if (closed->events[e] != NULL) (void)hipEventDestroy(closed->events[e]);
  if (closed->time_start != NULL) (void)hipEventDestroy(closed->time_start);
  if (closed->time_stop != NULL) (void)hipEventDestroy(closed->time_stop);
  for (int s = 0; s < HB_NUM_STREAMS; s++)
    if (closed->streams[s] != NULL) (void)hipStreamDestroy(closed->streams[s]);
  hb_free(closed->blocks);
  hb_free(closed);
}

enum hb_status hb_device_info(const struct hb_device *device, struct hb_device_info *info) {
  enum hb_status status = HB_OK;
  size_t memory_free = 0, memory_total = 0;
  memset(info, 0, sizeof *info);
  memcpy(info->name, device->name, sizeof info->name);
  memcpy(info->architecture, device->architecture, sizeof info->architecture);
  memcpy(info->pci_bus_id, device->pci_bus_id, sizeof info->pci_bus_id);
  info->multiprocessors = device->multiprocessors;
  /* The runtime of tests/amdgpu says so in its devices' names, nothing else does. */
  info->interpreted = strstr(device->name, "(interpreted)") != NULL;
  TRY_GPU(device, hipMemGetInfo, &memory_free, &memory_total);
  info->memory_bytes = (hb_global)memory_total;
  info->memory_free_bytes = (hb_global)memory_free;
  TRY_GPU(device, hipDriverGetVersion, &info->driver_version);
  TRY_GPU(device, hipRuntimeGetVersion, &info->runtime_version);
done:
  return status;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Room for one more entry in the list of blocks. */
static bool reserve_block(struct hb_device *device) {
  if (device->num_blocks < device->max_blocks) return true;
  const int max_blocks = device->max_blocks > 0 ? 2 * device->max_blocks : 64;
  struct block *blocks =
      (struct block *)hb_allocate(max_blocks, sizeof *blocks, "list of device memory");
  if (blocks == NULL) return false;
  if (device->num_blocks > 0)
    memcpy(blocks, device->blocks, (size_t)device->num_blocks * sizeof *blocks);
  hb_free(device->blocks);
  device->blocks = blocks;
  device->max_blocks = max_blocks;
  return true;
}

static void count_block(struct hb_device *device, void *pointer, hb_global bytes) {
  device->blocks[device->num_blocks++] = {pointer, bytes};
  memory_use.live_allocations++;
  memory_use.live_bytes += bytes;
  if (memory_use.live_bytes > memory_use.peak_bytes) memory_use.peak_bytes = memory_use.live_bytes;
}

static void discount_block(struct hb_device *device, const void *pointer) {
  int b = device->num_blocks - 1;
  while (b >= 0 && device->blocks[b].pointer != pointer) b--;
  HB_ASSERT(b >= 0); /* allocated here, and not freed before */
  if (b < 0) return;
  memory_use.live_allocations--;
  memory_use.live_bytes -= device->blocks[b].bytes;
  device->blocks[b] = device->blocks[--device->num_blocks];
}

/* Bytes, at least MIN_BYTES; -1, recorded, if that cannot be addressed. */
static hb_global count_bytes(hb_global count, size_t size, const char *what) {
  hb_global bytes = 0;
  if (count < 0 || size > (size_t)HB_GLOBAL_MAX || !hb_multiply(count, (hb_global)size, &bytes)) {
    hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__,
                    "%s: %lld items of %zu bytes are more than can be addressed", what,
                    (long long)count, size);
    return -1;
  }
  return bytes > MIN_BYTES ? bytes : MIN_BYTES;
}

static void refuse(struct hb_device *device, const char *what, hb_global bytes, hipError_t error) {
  size_t memory_free = 0, memory_total = 0;
  (void)hipGetLastError();
  if (error != hipErrorOutOfMemory || hipMemGetInfo(&memory_free, &memory_total) != hipSuccess)
    check(device, error, what, __LINE__);
  else
    hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__,
                    "%s: %.3f GB needed, %.3f GB free of the %.3f GB of device %d (%s, %s)", what,
                    1e-9 * (double)bytes, 1e-9 * (double)memory_free, 1e-9 * (double)memory_total,
                    device->index, device->name, device->pci_bus_id);
}

void *hb_device_allocate(struct hb_device *device, hb_global count, size_t size, const char *what) {
  const hb_global bytes = count_bytes(count, size, what);
  void *d_pointer = NULL;
  if (bytes < 0 || !reserve_block(device)) return NULL;
  const hipError_t error = hipMalloc(&d_pointer, (size_t)bytes);
  if (error != hipSuccess) {
    refuse(device, what, bytes, error);
    return NULL;
  }
  count_block(device, d_pointer, bytes);
#ifndef NDEBUG
  if (hipMemsetAsync(d_pointer, 0xff, (size_t)bytes, device->streams[HB_STREAM_COMPUTE]) ==
      hipSuccess)
    (void)hipStreamSynchronize(device->streams[HB_STREAM_COMPUTE]);
#endif
  return d_pointer;
}

void hb_device_free(struct hb_device *device, void *d_pointer) {
  if (d_pointer == NULL) return;
  discount_block(device, d_pointer);
  check_freed(hipFree(d_pointer), "hipFree", __LINE__);
}

void *hb_pinned_allocate(struct hb_device *device, hb_global count, size_t size, const char *what) {
  const hb_global bytes = count_bytes(count, size, what);
  void *pointer = NULL;
  if (bytes < 0 || !reserve_block(device)) return NULL;
  const hipError_t error = hipHostMalloc(&pointer, (size_t)bytes, hipHostMallocDefault);
  if (error != hipSuccess) {
    (void)hipGetLastError();
    hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__,
                    "%s: %.3f GB of page-locked memory needed, %.3f GB available: %s: %s", what,
                    1e-9 * (double)bytes, 1e-9 * (double)hb_memory_available(),
                    hipGetErrorName(error), hipGetErrorString(error));
    return NULL;
  }
  count_block(device, pointer, bytes);
#ifndef NDEBUG
  memset(pointer, 0xff, (size_t)bytes);
#endif
  return pointer;
}

void hb_pinned_free(struct hb_device *device, void *pointer) {
  if (pointer == NULL) return;
  discount_block(device, pointer);
  check_freed(hipHostFree(pointer), "hipHostFree", __LINE__);
}

struct hb_memory_use hb_device_memory_use(void) {
  return memory_use;
}

/* ---- copies ---------------------------------------------------------------------------------- */

enum hb_status hb_device_upload(struct hb_device *device, void *d_to, const void *from,
                                hb_global bytes) {
  enum hb_status status = HB_OK;
  hipStream_t stream = device->streams[HB_STREAM_COMPUTE];
  if (bytes == 0) return HB_OK;
  TRY_GPU(device, hipMemcpyAsync, d_to, from, (size_t)bytes, hipMemcpyHostToDevice, stream);
  TRY_GPU(device, hipStreamSynchronize, stream);
done:
  return status;
}

enum hb_status hb_device_download(struct hb_device *device, void *to, const void *d_from,
                                  hb_global bytes) {
  enum hb_status status = HB_OK;
  hipStream_t stream = device->streams[HB_STREAM_COMPUTE];
  if (bytes == 0) return HB_OK;
  TRY_GPU(device, hipSetDevice, device->index); /* each thread has a device of its own */
  TRY_GPU(device, hipMemcpyAsync, to, d_from, (size_t)bytes, hipMemcpyDeviceToHost, stream);
  TRY_GPU(device, hipStreamSynchronize, stream);
done:
  return status;
}

enum hb_status hb_device_copy(struct hb_device *device, enum hb_stream stream, void *to,
                              const void *from, hb_global bytes) {
  enum hb_status status = HB_OK;
  if (bytes == 0) return HB_OK;
  TRY_GPU(device, hipMemcpyAsync, to, from, (size_t)bytes, hipMemcpyDefault,
          device->streams[stream]);
done:
  return status;
}

enum hb_status hb_device_set_zero(struct hb_device *device, enum hb_stream stream, void *d_to,
                                  hb_global bytes) {
  enum hb_status status = HB_OK;
  if (bytes == 0) return HB_OK;
  TRY_GPU(device, hipMemsetAsync, d_to, 0, (size_t)bytes, device->streams[stream]);
done:
  return status;
}

/* ---- order ----------------------------------------------------------------------------------- */

enum hb_status hb_device_mark(struct hb_device *device, enum hb_event event,
                              enum hb_stream stream) {
  return check(device, hipEventRecord(device->events[event], device->streams[stream]),
               "hipEventRecord", __LINE__);
}

enum hb_status hb_device_wait(struct hb_device *device, enum hb_stream stream,
                              enum hb_event event) {
  return check(device, hipStreamWaitEvent(device->streams[stream], device->events[event], 0),
               "hipStreamWaitEvent", __LINE__);
}

enum hb_status hb_device_wait_host(struct hb_device *device, enum hb_event event) {
  return check(device, hipEventSynchronize(device->events[event]), "hipEventSynchronize", __LINE__);
}

enum hb_status hb_device_synchronise(struct hb_device *device, enum hb_stream stream) {
  return check(device, hipStreamSynchronize(device->streams[stream]), "hipStreamSynchronize",
               __LINE__);
}

int *hb_device_kept(struct hb_device *device, const void *key, size_t size) {
  for (int q = 0; q < NUM_KEPT; q++)
    if (device->kept[q].key == key && device->kept[q].size == size) return &device->kept[q].value;
  struct kept *place = &device->kept[device->next_kept];
  device->next_kept = (device->next_kept + 1) % NUM_KEPT;
  *place = {key, size, 0};
  return &place->value;
}

void *hb_device_stream(const struct hb_device *device, enum hb_stream stream) {
  return device->streams[stream];
}

/* ---- graphs ---------------------------------------------------------------------------------- */

struct hb_device_graph {
  hipGraphExec_t exec;
};

bool hb_device_may_overlap(struct hb_device *device, bool follows) {
  const bool may = device->overlaps && device->follows && follows;
  device->follows = follows;
  return may;
}

bool hb_device_waits(const struct hb_device *device) { return device->synchronise; }

enum hb_status hb_device_graph_begin(struct hb_device *device) {
  return check(
      device,
      hipStreamBeginCapture(device->streams[HB_STREAM_COMPUTE], hipStreamCaptureModeThreadLocal),
      "hipStreamBeginCapture", __LINE__);
}

enum hb_status hb_device_graph_end(struct hb_device *device, struct hb_device_graph **graph) {
  enum hb_status status = HB_OK;
  hipGraph_t recorded = NULL;
  struct hb_device_graph *made =
      (struct hb_device_graph *)hb_allocate(1, sizeof *made, "graph of launches");
  *graph = NULL;
  /* Ended even if there is no memory: the stream records until then. */
  TRY_GPU(device, hipStreamEndCapture, device->streams[HB_STREAM_COMPUTE], &recorded);
  if (made == NULL) HB_TRY(HB_MACHINE_FAILED);
  made->exec = NULL;
  TRY_GPU(device, hipGraphInstantiateWithFlags, &made->exec, recorded, 0);
  *graph = made;
  made = NULL;
done:
  if (recorded != NULL) check_freed(hipGraphDestroy(recorded), "hipGraphDestroy", __LINE__);
  hb_free(made);
  return status;
}

enum hb_status hb_device_graph_launch(struct hb_device *device,
                                      const struct hb_device_graph *graph) {
  return check(device, hipGraphLaunch(graph->exec, device->streams[HB_STREAM_COMPUTE]),
               "hipGraphLaunch", __LINE__);
}

void hb_device_graph_destroy(struct hb_device_graph **graph) {
  if (*graph == NULL) return;
  check_freed(hipGraphExecDestroy((*graph)->exec), "hipGraphExecDestroy", __LINE__);
  hb_free(*graph);
  *graph = NULL;
}

/* ---- time ------------------------------------------------------------------------------------ */

enum hb_status hb_device_time_start(struct hb_device *device) {
  return check(device, hipEventRecord(device->time_start, device->streams[HB_STREAM_COMPUTE]),
               "hipEventRecord", __LINE__);
}

enum hb_status hb_device_time_stop(struct hb_device *device, double *seconds) {
  enum hb_status status = HB_OK;
  float milliseconds = 0.0f;
  TRY_GPU(device, hipEventRecord, device->time_stop, device->streams[HB_STREAM_COMPUTE]);
  TRY_GPU(device, hipEventSynchronize, device->time_stop);
  TRY_GPU(device, hipEventElapsedTime, &milliseconds, device->time_start, device->time_stop);
  *seconds = 1e-3 * (double)milliseconds;
done:
  return status;
}
