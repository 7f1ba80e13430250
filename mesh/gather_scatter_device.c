/* SPDX-License-Identifier: BSD-3-Clause
 * Exchange of device buffers, through MPI directly or staged through pinned memory. */
#include "mesh/gather_scatter_device.h"

enum { EXCHANGE_TAG = 12 };

static hb_global bytes_of(const struct hb_device_exchange *exchange) {
  return hb_gather_scatter_bytes(exchange->gs, exchange->precision);
}

/* A list of the host on the device. */
static enum hb_status upload_list(struct hb_device *device, hb_global count, const hb_local *list,
                                  const char *what, hb_local **d_list) {
  enum hb_status status = HB_OK;
  *d_list = hb_device_allocate(device, count, sizeof **d_list, what);
  if (*d_list == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  HB_TRY(hb_device_upload(device, *d_list, list, count * (hb_global)sizeof *list));
done:
  return status;
}

enum hb_status hb_device_exchange_create(struct hb_gather_scatter *gs, struct hb_device *device,
                                         enum hb_precision precision, bool gpu_aware,
                                         struct hb_device_exchange **exchange_out) {
  enum hb_status status = HB_OK;
  const hb_local total = gs->start[gs->num_neighbours];
  const size_t size = hb_precision_bytes(precision);
  struct hb_device_exchange *exchange = NULL;
  *exchange_out = NULL;
  HB_ALLOC(exchange, 1, "device exchange");
  *exchange = (struct hb_device_exchange){
      .gs = gs, .device = device, .precision = precision, .gpu_aware = gpu_aware};
  exchange->d_send = hb_device_allocate(device, total, size, "send buffer");
  exchange->d_received = hb_device_allocate(device, total, size, "receive buffer");
  if (exchange->d_send == NULL || exchange->d_received == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  if (!gpu_aware) {
    exchange->send = hb_pinned_allocate(device, total, size, "staged send buffer");
    exchange->received = hb_pinned_allocate(device, total, size, "staged receive buffer");
    if (exchange->send == NULL || exchange->received == NULL) status = HB_MACHINE_FAILED;
    HB_TRY(status);
  }
  HB_TRY(upload_list(device, total, gs->index, "shared points", &exchange->d_index));
  HB_TRY(upload_list(device, (hb_global)gs->num_shared + 1, gs->source_start,
                     "starts of shared sums", &exchange->d_source_start));
  HB_TRY(upload_list(device, (hb_global)total + gs->num_shared, gs->source, "terms of shared sums",
                     &exchange->d_source));
  *exchange_out = exchange;
done:
  if (status != HB_OK) hb_device_exchange_destroy(&exchange);
  return status;
}

hb_global hb_device_exchange_bytes(const struct hb_box *box, const struct hb_partition *partition,
                                   enum hb_precision precision) {
  return (hb_global)(2 * hb_precision_bytes(precision) + 3 * sizeof(hb_local)) *
         hb_numbering_most_shared(box, partition);
}

hb_global hb_device_exchange_pinned_bytes(const struct hb_box *box,
                                          const struct hb_partition *partition,
                                          enum hb_precision precision) {
  return 2 * (hb_global)hb_precision_bytes(precision) * hb_numbering_most_shared(box, partition);
}

void hb_device_exchange_destroy(struct hb_device_exchange **exchange_in) {
  struct hb_device_exchange *exchange = *exchange_in;
  if (exchange == NULL) return;
  hb_device_free(exchange->device, exchange->d_send);
  hb_device_free(exchange->device, exchange->d_received);
  hb_pinned_free(exchange->device, exchange->send);
  hb_pinned_free(exchange->device, exchange->received);
  hb_device_free(exchange->device, exchange->d_index);
  hb_device_free(exchange->device, exchange->d_source_start);
  hb_device_free(exchange->device, exchange->d_source);
  hb_free(exchange);
  *exchange_in = NULL;
}

void hb_device_exchange_describe(const struct hb_device_exchange *exchange,
                                 struct hb_device_assembly *assembly) {
  assembly->num_send = exchange->gs->start[exchange->gs->num_neighbours];
  assembly->d_send_index = exchange->d_index;
  assembly->d_source_start = exchange->d_source_start;
  assembly->d_source = exchange->d_source;
  assembly->d_received = exchange->d_received;
}

enum hb_status hb_device_exchange_start(struct hb_device_exchange *exchange) {
  enum hb_status status = HB_OK;
  if (exchange->gpu_aware || exchange->gs->num_neighbours == 0) return HB_OK;
  HB_TRY(hb_device_wait(exchange->device, HB_STREAM_COPY, HB_EVENT_PACKED));
  HB_TRY(hb_device_copy(exchange->device, HB_STREAM_COPY, exchange->send, exchange->d_send,
                        bytes_of(exchange)));
  HB_TRY(hb_device_mark(exchange->device, HB_EVENT_SENT, HB_STREAM_COPY));
done:
  return status;
}

enum hb_status hb_device_exchange_post(struct hb_device_exchange *exchange) {
  struct hb_gather_scatter *gs = exchange->gs;
  const MPI_Datatype type = exchange->precision == HB_F64 ? MPI_DOUBLE : MPI_FLOAT;
  const size_t size = hb_precision_bytes(exchange->precision);
  char *received = exchange->gpu_aware ? exchange->d_received : exchange->received;
  const char *send = exchange->gpu_aware ? exchange->d_send : exchange->send;
  enum hb_status status = HB_OK;
  if (gs->num_neighbours == 0) return HB_OK;
  for (int q = 0; q < gs->num_neighbours; q++)
    MPI_Irecv(received + (size_t)gs->start[q] * size, gs->start[q + 1] - gs->start[q], type,
              gs->rank[q], EXCHANGE_TAG, gs->comm->mpi, &gs->requests[q]);
  status =
      hb_device_wait_host(exchange->device, exchange->gpu_aware ? HB_EVENT_PACKED : HB_EVENT_SENT);
  for (int q = 0; q < gs->num_neighbours; q++)
    MPI_Isend(send + (size_t)gs->start[q] * size, gs->start[q + 1] - gs->start[q], type,
              gs->rank[q], EXCHANGE_TAG, gs->comm->mpi, &gs->requests[gs->num_neighbours + q]);
  return status;
}

enum hb_status hb_device_exchange_finish(struct hb_device_exchange *exchange) {
  enum hb_status status = HB_OK;
  struct hb_gather_scatter *gs = exchange->gs;
  if (gs->num_neighbours == 0) return HB_OK;
  MPI_Waitall(2 * gs->num_neighbours, gs->requests, MPI_STATUSES_IGNORE);
  if (exchange->gpu_aware) return HB_OK;
  HB_TRY(hb_device_copy(exchange->device, HB_STREAM_COPY, exchange->d_received, exchange->received,
                        bytes_of(exchange)));
  HB_TRY(hb_device_mark(exchange->device, HB_EVENT_RECEIVED, HB_STREAM_COPY));
  HB_TRY(hb_device_wait(exchange->device, HB_STREAM_COMPUTE, HB_EVENT_RECEIVED));
done:
  return status;
}
