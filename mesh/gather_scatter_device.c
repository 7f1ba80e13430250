/* SPDX-License-Identifier: BSD-3-Clause
 * Exchange of device buffers: through MPI directly, staged through pinned memory, or by peers. */
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

static enum hb_status reserve_pinned(struct hb_device_exchange *exchange) {
  const hb_local total = exchange->gs->start[exchange->gs->num_neighbours];
  const size_t size = hb_precision_bytes(exchange->precision);
  if (exchange->send == NULL)
    exchange->send = hb_pinned_allocate(exchange->device, total, size, "staged send buffer");
  if (exchange->received == NULL)
    exchange->received = hb_pinned_allocate(exchange->device, total, size, "staged receive buffer");
  return exchange->send != NULL && exchange->received != NULL ? HB_OK : HB_MACHINE_FAILED;
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
  *exchange = (struct hb_device_exchange){.gs = gs,
                                          .device = device,
                                          .precision = precision,
                                          .way = gpu_aware ? HB_WAY_PAIRWISE_DIRECT
                                                           : HB_WAY_PAIRWISE_STAGED};
  HB_TRY(hb_messages_create(gs->comm, gs->num_neighbours, gs->rank, gs->start, EXCHANGE_TAG,
                            &exchange->messages));
  exchange->d_own_send = hb_device_allocate(device, total, size, "send buffer");
  exchange->d_received = hb_device_allocate(device, total, size, "receive buffer");
  if (exchange->d_own_send == NULL || exchange->d_received == NULL) status = HB_MACHINE_FAILED;
  HB_TRY(status);
  exchange->d_send = exchange->d_own_send;
  if (!gpu_aware) HB_TRY(reserve_pinned(exchange));
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
  /* Two buffers, two halves that peers read while that is tried, and the lists. */
  return (hb_global)(4 * hb_precision_bytes(precision) + 3 * sizeof(hb_local)) *
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
  hb_messages_destroy(&exchange->messages);
  hb_peers_disconnect(&exchange->peers);
  hb_device_free(exchange->device, exchange->d_own_send);
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

/* ---- ways ------------------------------------------------------------------------------------ */

static bool is_staged(const struct hb_device_exchange *exchange) {
  return exchange->way == HB_WAY_PAIRWISE_STAGED || exchange->way == HB_WAY_NEIGHBOUR_STAGED;
}

static bool is_of_neighbourhood(const struct hb_device_exchange *exchange) {
  return exchange->way == HB_WAY_NEIGHBOUR_STAGED || exchange->way == HB_WAY_NEIGHBOUR_DIRECT;
}

enum hb_status hb_device_exchange_select(struct hb_device_exchange *exchange,
                                         enum hb_exchange_way way) {
  enum hb_status status = HB_OK;
  const bool staged = way == HB_WAY_PAIRWISE_STAGED || way == HB_WAY_NEIGHBOUR_STAGED;
  HB_TRY(hb_comm_agree(exchange->gs->comm, staged ? reserve_pinned(exchange) : HB_OK));
  if (way == HB_WAY_PEER && exchange->peers == NULL)
    HB_TRY(hb_peers_connect(exchange->gs, exchange->device, exchange->precision, &exchange->peers));
  exchange->way = way;
  exchange->d_send = way == HB_WAY_PEER ? hb_peers_packed(exchange->peers) : exchange->d_own_send;
  hb_messages_select(&exchange->messages, way == HB_WAY_PEER              ? HB_MESSAGES_EMPTY
                                          : is_of_neighbourhood(exchange) ? HB_MESSAGES_NEIGHBOUR
                                                                          : HB_MESSAGES_PAIRWISE);
done:
  return status;
}

void hb_device_exchange_trim(struct hb_device_exchange *exchange) {
  if (exchange->way != HB_WAY_PEER) hb_peers_disconnect(&exchange->peers);
  if (is_staged(exchange)) return;
  hb_pinned_free(exchange->device, exchange->send);
  hb_pinned_free(exchange->device, exchange->received);
  exchange->send = exchange->received = NULL;
}

/* ---- one exchange ---------------------------------------------------------------------------- */

enum hb_status hb_device_exchange_start(struct hb_device_exchange *exchange) {
  enum hb_status status = HB_OK;
  if (!is_staged(exchange) || exchange->gs->num_neighbours == 0) return HB_OK;
  HB_TRY(hb_device_wait(exchange->device, HB_STREAM_COPY, HB_EVENT_PACKED));
  HB_TRY(hb_device_copy(exchange->device, HB_STREAM_COPY, exchange->send, exchange->d_send,
                        bytes_of(exchange)));
  HB_TRY(hb_device_mark(exchange->device, HB_EVENT_SENT, HB_STREAM_COPY));
done:
  return status;
}

enum hb_status hb_device_exchange_post(struct hb_device_exchange *exchange) {
  const bool staged = is_staged(exchange);
  void *received = staged ? exchange->received : exchange->d_received;
  enum hb_status status = HB_OK;
  hb_messages_expect(&exchange->messages, exchange->precision, received);
  if (exchange->gs->num_neighbours > 0)
    status = hb_device_wait_host(exchange->device, staged ? HB_EVENT_SENT : HB_EVENT_PACKED);
  hb_messages_send(&exchange->messages, exchange->precision,
                   staged ? exchange->send : exchange->d_send, received);
  return status;
}

/* Into d_received, on the copy stream. */
static enum hb_status fetch(struct hb_device_exchange *exchange) {
  enum hb_status status = HB_OK;
  if (exchange->way != HB_WAY_PEER)
    return hb_device_copy(exchange->device, HB_STREAM_COPY, exchange->d_received,
                          exchange->received, bytes_of(exchange));
  status = hb_peers_read(exchange->peers, exchange->d_received);
  exchange->d_send = hb_peers_packed(exchange->peers);
  return status;
}

enum hb_status hb_device_exchange_finish(struct hb_device_exchange *exchange) {
  enum hb_status status = HB_OK;
  hb_messages_wait(&exchange->messages);
  if (exchange->gs->num_neighbours == 0) return HB_OK;
  if (exchange->way != HB_WAY_PEER && !is_staged(exchange)) return HB_OK;
  HB_TRY(fetch(exchange));
  HB_TRY(hb_device_mark(exchange->device, HB_EVENT_RECEIVED, HB_STREAM_COPY));
  HB_TRY(hb_device_wait(exchange->device, HB_STREAM_COMPUTE, HB_EVENT_RECEIVED));
done:
  return status;
}
