/* SPDX-License-Identifier: BSD-3-Clause
 * The device layer: opening and its proof, counted memory, copies, streams, events, refusals. */
#include <string.h>

#include "kernels/device.h"
#include "kernels/vectors/stream.h"
#include "tests/check.h"

/* The runtime, as another library of the process calls it. */
#ifdef HB_HAVE_MFMA
int hipSetDevice(int device);
int hipPeekAtLastError(void);
static int call_wrongly(void) { return hipSetDevice(12345); }
static int kept_error(void) { return hipPeekAtLastError(); }
#else
int cudaSetDevice(int device);
int cudaPeekAtLastError(void);
static int call_wrongly(void) { return cudaSetDevice(12345); }
static int kept_error(void) { return cudaPeekAtLastError(); }
#endif

enum { COUNT = 1000 };

static void check_description(struct hb_check *check, const struct hb_device *device) {
  struct hb_device_info info;
  CHECK(check,
        strcmp(hb_device_platform(), "amd") == 0 || strcmp(hb_device_platform(), "nvidia") == 0);
  CHECK(check, strlen(hb_device_architectures()) > 0);
  CHECK_OK(check, hb_device_info(device, &info));
  CHECK(check, strlen(info.name) > 0);
  CHECK(check,
        strncmp(info.architecture, "gfx", 3) == 0 || strncmp(info.architecture, "sm_", 3) == 0);
  CHECK(check, strchr(info.architecture, ':') == NULL);
  CHECK(check, strlen(info.pci_bus_id) >= 7 && strchr(info.pci_bus_id, ':') != NULL);
  CHECK(check, info.memory_bytes > 0);
  CHECK(check, info.memory_free_bytes > 0 && info.memory_free_bytes <= info.memory_bytes);
  CHECK(check, info.multiprocessors > 0);
}

static void check_memory(struct hb_check *check, struct hb_device *device) {
  const hb_global before = hb_device_memory_use().live_bytes;
  void *d_pointers[100] = {NULL};
  void *pinned = hb_pinned_allocate(device, COUNT, sizeof(double), "test");
  CHECK(check, pinned != NULL);
  CHECK_EQUAL(check, hb_device_memory_use().live_bytes, before + COUNT * (hb_global)sizeof(double));
  for (int p = 0; p < 100; p++) {
    d_pointers[p] = hb_device_allocate(device, p * COUNT, 1, "test");
    CHECK(check, d_pointers[p] != NULL && (uintptr_t)d_pointers[p] % 256 == 0);
  }
  CHECK_EQUAL(check, hb_device_memory_use().live_allocations, 101);
  for (int p = 0; p < 100; p += 2) hb_device_free(device, d_pointers[p]);
  hb_pinned_free(device, pinned);
  for (int p = 99; p > 0; p -= 2) hb_device_free(device, d_pointers[p]);
  hb_device_free(device, NULL);
  hb_pinned_free(device, NULL);
  CHECK_EQUAL(check, hb_device_memory_use().live_allocations, 0);
  CHECK_EQUAL(check, hb_device_memory_use().live_bytes, before);
  CHECK(check, hb_device_memory_use().peak_bytes >= before + 99 * 50 * COUNT);
}

/* The call gives NULL and a message with the words. */
#define CHECK_REFUSED(check, call, words)                                                          \
  do {                                                                                             \
    hb_error_clear();                                                                              \
    CHECK((check), (call) == NULL);                                                                \
    CHECK((check), strstr(hb_error_message(), (words)) != NULL);                                   \
    hb_error_clear();                                                                              \
  } while (0)

static void check_refusals(struct hb_check *check, struct hb_device *device) {
  const hb_global too_many = (hb_global)1 << 45;
  CHECK_REFUSED(check, hb_device_allocate(device, too_many, 8, "fields"), "fields: 281474");
  CHECK_REFUSED(check, hb_device_allocate(device, too_many, 8, "fields"), "GB free of the");
  CHECK_REFUSED(check, hb_device_allocate(device, HB_GLOBAL_MAX, 8, "fields"), "addressed");
  CHECK_REFUSED(check, hb_device_allocate(device, -1, 8, "fields"), "addressed");
  CHECK_REFUSED(check, hb_pinned_allocate(device, HB_GLOBAL_MAX, 8, "buffers"), "addressed");
  CHECK_OK(check, hb_device_check_launch(device, "none")); /* no error is left behind */
}

static void check_copies(struct hb_check *check, struct hb_device *device) {
  const hb_global bytes = COUNT * (hb_global)sizeof(double);
  double sent[COUNT], received[COUNT];
  double *d_a = hb_device_allocate(device, COUNT, sizeof *d_a, "a");
  double *d_b = hb_device_allocate(device, COUNT, sizeof *d_b, "b");
  double *pinned = hb_pinned_allocate(device, COUNT, sizeof *pinned, "pinned");
  CHECK(check, d_a != NULL && d_b != NULL && pinned != NULL);
  for (int i = 0; i < COUNT; i++) sent[i] = i + 0.5;
  CHECK_OK(check, hb_device_upload(device, d_a, sent, bytes));
  CHECK_OK(check, hb_device_download(device, received, d_a, bytes));
  CHECK(check, memcmp(sent, received, sizeof sent) == 0);

  /* On the device by one stream, to pinned memory by the other, which waits for the first. */
  CHECK_OK(check, hb_device_copy(device, HB_STREAM_COMPUTE, d_b, d_a, bytes));
  CHECK_OK(check, hb_device_mark(device, HB_EVENT_PACKED, HB_STREAM_COMPUTE));
  CHECK_OK(check, hb_device_wait(device, HB_STREAM_COPY, HB_EVENT_PACKED));
  CHECK_OK(check, hb_device_copy(device, HB_STREAM_COPY, pinned, d_b, bytes));
  CHECK_OK(check, hb_device_mark(device, HB_EVENT_SENT, HB_STREAM_COPY));
  CHECK_OK(check, hb_device_wait_host(device, HB_EVENT_SENT));
  CHECK(check, memcmp(sent, pinned, sizeof sent) == 0);

  /* And back: from pinned memory by the copy stream, cleared in part by the compute stream. */
  for (int i = 0; i < COUNT; i++) pinned[i] = -sent[i];
  CHECK_OK(check, hb_device_copy(device, HB_STREAM_COPY, d_a, pinned, bytes));
  CHECK_OK(check, hb_device_mark(device, HB_EVENT_RECEIVED, HB_STREAM_COPY));
  CHECK_OK(check, hb_device_wait(device, HB_STREAM_COMPUTE, HB_EVENT_RECEIVED));
  CHECK_OK(check, hb_device_set_zero(device, HB_STREAM_COMPUTE, d_a, 3 * (hb_global)sizeof *d_a));
  CHECK_OK(check, hb_device_synchronise(device, HB_STREAM_COMPUTE));
  CHECK_OK(check, hb_device_download(device, received, d_a, bytes));
  for (int i = 0; i < COUNT; i++) CHECK(check, received[i] == (i < 3 ? 0.0 : -sent[i]));

  CHECK_OK(check, hb_device_copy(device, HB_STREAM_COPY, NULL, NULL, 0));
  CHECK_OK(check, hb_device_set_zero(device, HB_STREAM_COPY, NULL, 0));
  CHECK_OK(check, hb_device_upload(device, NULL, NULL, 0));
  CHECK_OK(check, hb_device_download(device, NULL, NULL, 0));
  hb_device_free(device, d_a);
  hb_device_free(device, d_b);
  hb_pinned_free(device, pinned);
}

static void check_time(struct hb_check *check, struct hb_device *device) {
  double seconds = -1.0;
  double *d_a = hb_device_allocate(device, COUNT, sizeof *d_a, "a");
  CHECK_OK(check, hb_device_time_start(device));
  CHECK_OK(check, hb_device_set_zero(device, HB_STREAM_COMPUTE, d_a, COUNT * 8));
  CHECK_OK(check, hb_device_time_stop(device, &seconds));
  CHECK(check, seconds >= 0.0 && seconds < 60.0);
  hb_device_free(device, d_a);
}

/* Another library's failed call is no failure of the next kernel; what fails at a launch is. */
static void check_errors_of_others(struct hb_check *check, struct hb_device *device) {
  double copy_s = 0.0, triad_s = 0.0;
  CHECK(check, call_wrongly() != 0 && kept_error() != 0);
  CHECK_OK(check, hb_stream_device(device, COUNT, 1, &copy_s, &triad_s));
  CHECK(check, call_wrongly() != 0);
  CHECK_FAILS(check, hb_device_check_launch(device, "planted"), HB_MACHINE_FAILED, "planted");
  CHECK_OK(check, hb_device_check_launch(device, "none"));
}

static void check_device(struct hb_check *check, int index, bool synchronise) {
  struct hb_device *device = NULL;
  CHECK(check, call_wrongly() != 0 && kept_error() != 0); /* before this program's first call */
  CHECK_OK(check, hb_device_open(index, synchronise, &device));
  if (device == NULL) return;
  CHECK(check, hb_device_stream(device, HB_STREAM_COMPUTE) != NULL);
  CHECK(check,
        hb_device_stream(device, HB_STREAM_COMPUTE) != hb_device_stream(device, HB_STREAM_COPY));
  check_description(check, device);
  check_memory(check, device);
  check_refusals(check, device);
  check_copies(check, device);
  check_time(check, device);
  check_errors_of_others(check, device);
  hb_device_close(&device);
  CHECK(check, device == NULL);
  hb_device_close(&device);
}

int main(void) {
  struct hb_check check = {0, 0};
  struct hb_device *device = NULL;
  const int count = hb_device_count();
  if (count == 0) {
    printf("skipped: no device\n");
    return HB_CHECK_SKIPPED;
  }
  for (int index = 0; index < count; index++) check_device(&check, index, index % 2 == 0);
  check_device(&check, 0, true);
  CHECK_FAILS(&check, hb_device_open(count, false, &device), HB_MACHINE_FAILED,
              "this process sees");
  CHECK_FAILS(&check, hb_device_open(-1, false, &device), HB_MACHINE_FAILED, "device -1");
  CHECK(&check, device == NULL);
  CHECK_EQUAL(&check, hb_device_memory_use().live_allocations, 0);
  return hb_check_finish(&check);
}
