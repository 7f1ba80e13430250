/* SPDX-License-Identifier: BSD-3-Clause
 * Whether MPI takes pointers of the device: what the library says, and what a real exchange shows.
 */
#include <stdio.h>
#include <string.h>

#include "mesh/gather_scatter_device.h"

#if defined(__has_include)
#if __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
#endif

enum { PROBE_TAG = 13, PROBE_COUNT = 4096 };

/* What the library says of the platform built for: 1 yes, 0 no, -1 it has no way to say. */
static int ask_library(void) {
  const bool amd = strcmp(hb_device_platform(), "amd") == 0;
  int answer = -1;
  (void)amd;
#if defined(MPIX_GPU_SUPPORT_CUDA) && defined(MPIX_GPU_SUPPORT_HIP) /* MPICH 4, Cray MPICH */
  int supported = 0;
  if (MPIX_GPU_query_support(amd ? MPIX_GPU_SUPPORT_HIP : MPIX_GPU_SUPPORT_CUDA, &supported) ==
      MPI_SUCCESS)
    answer = supported != 0;
#endif
#if defined(MPIX_CUDA_AWARE_SUPPORT) /* Open MPI */
  if (!amd) answer = MPIX_Query_cuda_support() == 1;
#endif
#if defined(MPIX_ROCM_AWARE_SUPPORT) /* Open MPI 5 */
  if (amd) answer = MPIX_Query_rocm_support() == 1;
#endif
  return answer;
}

/* Sends device memory to the next rank, receives from the one before, into device memory. */
static enum hb_status probe(const struct hb_comm *comm, struct hb_device *device, bool *right) {
  enum hb_status status = HB_OK;
  double values[PROBE_COUNT];
  double *d_send = hb_device_allocate(device, PROBE_COUNT, sizeof *d_send, "probe of MPI");
  double *d_received = hb_device_allocate(device, PROBE_COUNT, sizeof *d_received, "probe of MPI");
  const int next = (comm->rank + 1) % comm->size, last = (comm->rank + comm->size - 1) % comm->size;
  *right = true;
  if (d_send == NULL || d_received == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  for (int i = 0; i < PROBE_COUNT; i++) values[i] = comm->rank + 1e-4 * i;
  HB_TRY(hb_device_upload(device, d_send, values, (hb_global)sizeof values));
  HB_TRY(hb_device_set_zero(device, HB_STREAM_COMPUTE, d_received, (hb_global)sizeof values));
  HB_TRY(hb_device_synchronise(device, HB_STREAM_COMPUTE));
done:
  status = hb_comm_agree(comm, status);
  if (status == HB_OK) {
    MPI_Sendrecv(d_send, PROBE_COUNT, MPI_DOUBLE, next, PROBE_TAG, d_received, PROBE_COUNT,
                 MPI_DOUBLE, last, PROBE_TAG, comm->mpi, MPI_STATUS_IGNORE);
    memset(values, 0, sizeof values);
    status = hb_device_download(device, values, d_received, (hb_global)sizeof values);
    for (int i = 0; i < PROBE_COUNT; i++) *right = *right && values[i] == last + 1e-4 * i;
    status = hb_comm_agree(comm, status);
  }
  hb_device_free(device, d_send);
  hb_device_free(device, d_received);
  return status;
}

enum hb_status hb_gpu_aware_decide(const struct hb_comm *comm, struct hb_device *device,
                                   enum hb_gpu_aware wish, bool *gpu_aware, char *reason,
                                   size_t reason_bytes) {
  enum hb_status status = HB_OK;
  bool right = false;
  double doubt = ask_library() == 1 ? 0.0 : 1.0, wrong = 0.0;
  const char *says = "the library says that it can";
  *gpu_aware = false;
  snprintf(reason, reason_bytes, "off, as asked");
  if (wish == HB_GPU_AWARE_OFF) goto done;
  snprintf(reason, reason_bytes, "off, a single rank exchanges nothing");
  if (comm->size == 1) goto done;
  hb_comm_max(comm, 1, &doubt);
  if (doubt > 0.0)
    says = ask_library() < 0 ? "the library does not say" : "the library says that it cannot";
  snprintf(reason, reason_bytes, "off, %s", says);
  if (wish == HB_GPU_AWARE_AUTO && doubt > 0.0) goto done;
  HB_TRY(probe(comm, device, &right));
  wrong = right ? 0.0 : 1.0;
  hb_comm_max(comm, 1, &wrong);
  if (wrong > 0.0 && wish == HB_GPU_AWARE_ON)
    HB_FAIL(HB_MACHINE_FAILED,
            "gpu_aware = on: a test exchange of device memory arrived wrong "
            "(%s); take gpu_aware = off",
            says);
  *gpu_aware = wrong == 0.0;
  snprintf(reason, reason_bytes, "%s, %s, a test exchange arrived %s", wrong == 0.0 ? "on" : "off",
           says, wrong == 0.0 ? "right" : "wrong");
done:
  return status;
}
