/* SPDX-License-Identifier: BSD-3-Clause
 * Candidates for the exchange, and what they are tried on, on the host and of a device. */
#include "mesh/exchange.h"

#include <stdio.h>
#include <string.h>

/* A way, as tables below list them. */
struct way {
  const char *name;
  enum hb_exchange_wish wish; /* that asks for it */
  enum hb_exchange_way way;   /* of a device */
};

enum { NUM_HOST_WAYS = 2, NUM_DEVICE_WAYS = 5 };

static const struct way host_ways[NUM_HOST_WAYS] = {
    {"pairwise", HB_EXCHANGE_PAIRWISE, HB_WAY_PAIRWISE_STAGED},
    {"neighbour", HB_EXCHANGE_NEIGHBOUR, HB_WAY_NEIGHBOUR_STAGED}};

static const struct way device_ways[NUM_DEVICE_WAYS] = {
    {"pairwise-staged", HB_EXCHANGE_PAIRWISE, HB_WAY_PAIRWISE_STAGED},
    {"neighbour-staged", HB_EXCHANGE_NEIGHBOUR, HB_WAY_NEIGHBOUR_STAGED},
    {"pairwise-direct", HB_EXCHANGE_PAIRWISE, HB_WAY_PAIRWISE_DIRECT},
    {"neighbour-direct", HB_EXCHANGE_NEIGHBOUR, HB_WAY_NEIGHBOUR_DIRECT},
    {"peer", HB_EXCHANGE_PEER, HB_WAY_PEER}};

static const char *const wish_names[] = {"auto", "pairwise", "neighbour", "peer"};

enum hb_status hb_exchange_check(bool on_device, const struct hb_exchange_request *request) {
  enum hb_status status = HB_OK;
  if (!on_device && request->wish == HB_EXCHANGE_PEER)
    HB_FAIL(HB_BAD_INPUT, "exchange = peer: the run is on the host, where there is no device's "
                          "memory to read; allowed: auto, pairwise, neighbour");
  if (on_device && request->wish == HB_EXCHANGE_PEER && request->gpu_aware == HB_GPU_AWARE_ON)
    HB_FAIL(HB_BAD_INPUT,
            "exchange = peer and gpu_aware = on: nothing goes through MPI then; allowed: exchange "
            "= auto, pairwise or neighbour, or gpu_aware = auto or off");
done:
  return status;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static void add(struct hb_exchange_choice *choice, const char *name) {
  choice->candidate[choice->count++] =
      (struct hb_exchange_candidate){.name = name, .verdict = HB_EXCHANGE_UNTRIED};
}

/* The last one is not to be chosen. */
static void leave_out(struct hb_exchange_choice *choice, const char *before, const char *words) {
  struct hb_exchange_candidate *last = &choice->candidate[choice->count - 1];
  last->verdict = HB_EXCHANGE_LEFT_OUT;
  snprintf(last->words, sizeof last->words, "%s%s", before, words);
}

/* Preset and reason, from what is left. */
static void finish_list(const struct hb_exchange_request *request, int preset,
                        struct hb_exchange_choice *choice) {
  int left = 0;
  choice->preset = preset;
  choice->reason = request->timing;
  for (int c = 0; c < choice->count; c++)
    left += choice->candidate[c].verdict == HB_EXCHANGE_UNTRIED;
  for (int c = choice->count - 1; c >= 0; c--)
    if (choice->candidate[choice->preset].verdict != HB_EXCHANGE_UNTRIED &&
        choice->candidate[c].verdict == HB_EXCHANGE_UNTRIED)
      choice->preset = c;
  if (left == 1 && request->wish != HB_EXCHANGE_AUTO) choice->reason = HB_EXCHANGE_PINNED;
}

void hb_exchange_list_host(const struct hb_exchange_request *request,
                           struct hb_exchange_choice *choice) {
  *choice = (struct hb_exchange_choice){.chosen = -1};
  for (int w = 0; w < NUM_HOST_WAYS; w++) {
    add(choice, host_ways[w].name);
    if (request->wish != HB_EXCHANGE_AUTO && request->wish != host_ways[w].wish)
      leave_out(choice, "exchange = ", wish_names[request->wish]);
  }
  finish_list(request, 0, choice);
}

static bool is_direct(enum hb_exchange_way way) {
  return way == HB_WAY_PAIRWISE_DIRECT || way == HB_WAY_NEIGHBOUR_DIRECT;
}

void hb_exchange_list_device(const struct hb_exchange_request *request, bool takes_device,
                             const char *reason, struct hb_exchange_choice *choice) {
  int preset = 0;
  *choice = (struct hb_exchange_choice){.chosen = -1};
  for (int w = 0; w < NUM_DEVICE_WAYS; w++) {
    const bool direct = is_direct(device_ways[w].way);
    add(choice, device_ways[w].name);
    if (request->wish != HB_EXCHANGE_AUTO && request->wish != device_ways[w].wish)
      leave_out(choice, "exchange = ", wish_names[request->wish]);
    else if (direct && !takes_device)
      leave_out(choice, "gpu_aware: ", reason);
    else if (!direct && takes_device && request->gpu_aware == HB_GPU_AWARE_ON)
      leave_out(choice, "gpu_aware = ", "on");
    else if (direct && (device_ways[w].way == HB_WAY_PAIRWISE_DIRECT ||
                        request->wish == HB_EXCHANGE_NEIGHBOUR))
      preset = w;
  }
  finish_list(request, preset, choice);
}

/* ---- what they are tried on: the host -------------------------------------------------------- */

static enum hb_status select_host(void *context, int candidate) {
  struct hb_gather_scatter *gs = context;
  hb_messages_select(&gs->messages, host_ways[candidate].wish == HB_EXCHANGE_NEIGHBOUR
                                        ? HB_MESSAGES_NEIGHBOUR
                                        : HB_MESSAGES_PAIRWISE);
  return HB_OK;
}

/* The messages of doubles, which are the longer ones. */
static void bring(struct hb_gather_scatter *gs) {
  hb_messages_expect(&gs->messages, HB_F64, gs->receive);
  hb_messages_send(&gs->messages, HB_F64, gs->send, gs->receive);
  hb_messages_wait(&gs->messages);
}

static enum hb_status exchange_host(void *context, const void *send, void *received) {
  struct hb_gather_scatter *gs = context;
  const size_t bytes = (size_t)hb_gather_scatter_bytes(gs, HB_F64);
  memcpy(gs->send, send, bytes);
  memcpy(gs->receive, received, bytes);
  bring(gs);
  memcpy(received, gs->receive, bytes);
  return HB_OK;
}

static enum hb_status repeat_host(void *context, int times) {
  for (int i = 0; i < times; i++) bring(context);
  return HB_OK;
}

struct hb_exchange_bench hb_exchange_bench_host(struct hb_gather_scatter *gs) {
  return (struct hb_exchange_bench){.comm = gs->comm,
                                    .precision = HB_F64,
                                    .count = gs->start[gs->num_neighbours],
                                    .context = gs,
                                    .select = select_host,
                                    .exchange = exchange_host,
                                    .repeat = repeat_host};
}

enum hb_status hb_exchange_choose_host(struct hb_gather_scatter *gs,
                                       const struct hb_exchange_request *request) {
  const struct hb_exchange_bench bench = hb_exchange_bench_host(gs);
  hb_exchange_list_host(request, &gs->choice);
  return hb_exchange_tune(&bench, &gs->choice);
}

/* ---- a device -------------------------------------------------------------------------------- */

static enum hb_status select_device(void *context, int candidate) {
  return hb_device_exchange_select(context, device_ways[candidate].way);
}

/* One exchange of what is packed, until the compute stream has it; goes on after a failure, so that
 * no neighbour waits for ever. */
static enum hb_status bring_device(struct hb_device_exchange *exchange) {
  enum hb_status status = hb_device_mark(exchange->device, HB_EVENT_PACKED, HB_STREAM_COMPUTE);
  if (status == HB_OK) status = hb_device_exchange_start(exchange);
  const enum hb_status posted = hb_device_exchange_post(exchange);
  const enum hb_status finished = hb_device_exchange_finish(exchange);
  if (status == HB_OK) status = posted;
  if (status == HB_OK) status = finished;
  if (status == HB_OK) status = hb_device_synchronise(exchange->device, HB_STREAM_COMPUTE);
  return status;
}

static enum hb_status exchange_device(void *context, const void *send, void *received) {
  enum hb_status status = HB_OK;
  struct hb_device_exchange *exchange = context;
  const hb_global bytes = hb_gather_scatter_bytes(exchange->gs, exchange->precision);
  status = hb_device_upload(exchange->device, exchange->d_send, send, bytes);
  if (status == HB_OK)
    status = hb_device_upload(exchange->device, exchange->d_received, received, bytes);
  if (exchange->received != NULL) memcpy(exchange->received, received, (size_t)bytes);
  const enum hb_status brought = bring_device(exchange);
  HB_TRY(status);
  HB_TRY(brought);
  HB_TRY(hb_device_download(exchange->device, received, exchange->d_received, bytes));
done:
  return status;
}

/* The buffer is filled on the device each time, as packing does it: on a GPU that ranks share, ways
 * with kernels of their own would else be the only ones that wait for their turn. */
static enum hb_status repeat_device(void *context, int times) {
  enum hb_status status = HB_OK;
  struct hb_device_exchange *exchange = context;
  const hb_global bytes = hb_gather_scatter_bytes(exchange->gs, exchange->precision);
  for (int i = 0; i < times; i++) {
    if (status == HB_OK)
      status = hb_device_set_zero(exchange->device, HB_STREAM_COMPUTE, exchange->d_send, bytes);
    const enum hb_status brought = bring_device(exchange);
    if (status == HB_OK) status = brought;
  }
  return status;
}

struct hb_exchange_bench hb_exchange_bench_device(struct hb_device_exchange *exchange) {
  return (struct hb_exchange_bench){.comm = exchange->gs->comm,
                                    .precision = exchange->precision,
                                    .count = exchange->gs->start[exchange->gs->num_neighbours],
                                    .context = exchange,
                                    .select = select_device,
                                    .exchange = exchange_device,
                                    .repeat = repeat_device};
}

enum hb_status hb_exchange_choose_device(struct hb_device_exchange *exchange,
                                         const struct hb_exchange_request *request,
                                         bool takes_device, const char *reason) {
  enum hb_status status = HB_OK;
  const struct hb_exchange_bench bench = hb_exchange_bench_device(exchange);
  struct hb_exchange_choice *choice = &exchange->gs->choice;
  hb_exchange_list_device(request, takes_device, reason, choice);
  HB_TRY(hb_exchange_tune(&bench, choice));
  if (choice->chosen >= 0) hb_device_exchange_trim(exchange);
done:
  return status;
}
