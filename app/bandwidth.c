/* SPDX-License-Identifier: BSD-3-Clause
 * Copy and triad passes, all ranks at once. */
#include "app/bandwidth.h"

#include <math.h>
#include <unistd.h>

#include "app/timers.h"
#include "kernels/vectors/stream.h"

enum { PASSES = 5 };

hb_global hb_bandwidth_array_bytes(const struct hb_comm *comm) {
  const hb_global least = (hb_global)16 << 20, most = (hb_global)48 << 20;
  long cache = -1;
#ifdef _SC_LEVEL3_CACHE_SIZE
  cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
#endif
  if (cache <= 0) cache = 32L << 20;
  const hb_global bytes = (hb_global)cache / comm->node_size;
  return bytes < least ? least : bytes > most ? most : bytes;
}

/* Fastest of the passes, in seconds; every pass starts on all ranks together. */
static void run_passes(const struct hb_comm *comm, hb_global count, double *a, double *b, double *c,
                       double *copy_s, double *triad_s) {
  *copy_s = *triad_s = INFINITY;
  for (int pass = 0; pass < PASSES; pass++) {
    hb_comm_barrier(comm);
    double start = hb_timer_now();
    hb_stream_copy(count, a, c);
    *copy_s = fmin(*copy_s, hb_timer_now() - start);
    hb_comm_barrier(comm);
    start = hb_timer_now();
    hb_stream_triad(count, 0.5, b, c, a);
    *triad_s = fmin(*triad_s, hb_timer_now() - start);
  }
}

static enum hb_status measure_host(const struct hb_comm *comm, hb_global count, double *copy_s,
                                   double *triad_s) {
  enum hb_status status = HB_OK;
  double *a = NULL, *b = NULL, *c = NULL;
  HB_ALLOC(a, count, "bandwidth array");
  HB_ALLOC(b, count, "bandwidth array");
  HB_ALLOC(c, count, "bandwidth array");
  for (hb_global i = 0; i < count; i++) {
    a[i] = 1.0;
    b[i] = 2.0;
    c[i] = 0.0;
  }
done:
  status = hb_comm_agree(comm, status);
  if (status == HB_OK) run_passes(comm, count, a, b, c, copy_s, triad_s);
  hb_free(a);
  hb_free(b);
  hb_free(c);
  return status;
}

static enum hb_status measure_device(const struct hb_backend *backend, hb_global count,
                                     double *copy_s, double *triad_s) {
  hb_comm_barrier(backend->comm);
  return hb_comm_agree(backend->comm,
                       hb_stream_device(backend->device, count, PASSES, copy_s, triad_s));
}

enum hb_status hb_bandwidth_measure(const struct hb_backend *backend, hb_global array_bytes,
                                    struct hb_bandwidth *bandwidth) {
  enum hb_status status = HB_OK;
  const int sharing = hb_backend_ranks_sharing(backend);
  const hb_global count = array_bytes / (hb_global)sizeof(double);
  double copy_s = 0.0, triad_s = 0.0;
  *bandwidth = (struct hb_bandwidth){.array_bytes = array_bytes};
  if (hb_backend_on_gpu(backend))
    status = measure_device(backend, count, &copy_s, &triad_s);
  else
    status = measure_host(backend->comm, count, &copy_s, &triad_s);
  HB_TRY(status);
  bandwidth->copy_bytes_per_s = (double)(count * HB_COPY_BYTES) / copy_s / sharing;
  bandwidth->triad_bytes_per_s = (double)(count * HB_TRIAD_BYTES) / triad_s / sharing;
  double sums[2] = {bandwidth->copy_bytes_per_s, bandwidth->triad_bytes_per_s};
  hb_comm_sum(backend->comm, 2, sums);
  bandwidth->all_copy = sums[0];
  bandwidth->all_triad = sums[1];
done:
  return status;
}
