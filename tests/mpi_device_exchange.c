/* SPDX-License-Identifier: BSD-3-Clause
 * Ways of the exchange of a device bring the same bits, in a row and with changing data; the tuner
 * finds all of them right, takes what is pinned, and says why there is no peer memory. */
#include "app/exchange_choice.h"
#include "mesh/exchange.h"
#include "tests/mesh_device.h"
#include "tests/solver_case.h"

enum { ROUNDS = 20, NUM_WAYS = HB_WAY_PEER + 1 };

static bool is_interpreted(void) { return getenv("ISARUN_ARCH") != NULL; }

/* Ways that can be had: MPI takes the interpreter's memory, which is the host's. */
static bool has_way(int way, bool takes_device) {
  return takes_device || (way != HB_WAY_PAIRWISE_DIRECT && way != HB_WAY_NEIGHBOUR_DIRECT);
}

/* ---- the same bits --------------------------------------------------------------------------- */

/* ROUNDS messages of a rank, sent one after the other, and what came; on the device. */
struct rows {
  struct hb_device *device;
  hb_global bytes; /* of a round */
  char *d_sent, *d_received;
};

/* Collective.  One exchange, which nothing but streams and messages orders. */
static enum hb_status exchange_row(struct hb_device_exchange *exchange, const struct rows *rows,
                                   int round) {
  enum hb_status status = HB_OK;
  const hb_global at = round * rows->bytes;
  status = hb_device_copy(rows->device, HB_STREAM_COMPUTE, exchange->d_send, rows->d_sent + at,
                          rows->bytes);
  if (status == HB_OK) status = hb_device_mark(rows->device, HB_EVENT_PACKED, HB_STREAM_COMPUTE);
  if (status == HB_OK) status = hb_device_exchange_start(exchange);
  const enum hb_status posted = hb_device_exchange_post(exchange);
  const enum hb_status finished = hb_device_exchange_finish(exchange);
  HB_TRY(status);
  HB_TRY(posted);
  HB_TRY(finished);
  HB_TRY(hb_device_copy(rows->device, HB_STREAM_COMPUTE, rows->d_received + at,
                        exchange->d_received, rows->bytes));
done:
  return status;
}

/* Collective.  All rounds that way into `received` on the host; some ranks late. */
static void exchange_rows(struct hb_check *check, struct hb_device_exchange *exchange,
                          const struct rows *rows, enum hb_exchange_way way, void *received) {
  const int rank = exchange->gs->comm->rank;
  CHECK_OK(check, hb_device_set_zero(rows->device, HB_STREAM_COMPUTE, rows->d_received,
                                     ROUNDS * rows->bytes));
  CHECK_OK(check, hb_device_exchange_select(exchange, way));
  for (int round = 0; round < ROUNDS; round++) {
    const double start = MPI_Wtime();
    while (round % 5 == rank % 5 && MPI_Wtime() < start + 1e-3) continue;
    CHECK_OK(check, exchange_row(exchange, rows, round));
  }
  CHECK_OK(check,
           hb_device_download(rows->device, received, rows->d_received, ROUNDS * rows->bytes));
}

/* Collective.  All ways against the first, twice, in turns. */
static void check_ways(struct hb_check *check, struct hb_gather_scatter *gs,
                       struct hb_device *device, enum hb_precision precision, bool takes_device) {
  struct hb_device_exchange *exchange = NULL;
  struct rows rows = {.device = device, .bytes = hb_gather_scatter_bytes(gs, precision)};
  const size_t bytes = (size_t)(ROUNDS * rows.bytes);
  const hb_global count = (hb_global)ROUNDS * gs->start[gs->num_neighbours];
  char *sent = hb_allocate(ROUNDS * rows.bytes, 1, "what is sent");
  char *expected = hb_allocate(ROUNDS * rows.bytes, 1, "what comes");
  char *received = hb_allocate(ROUNDS * rows.bytes, 1, "what comes");
  CHECK_OK(check, hb_device_exchange_create(gs, device, precision, false, &exchange));
  rows.d_sent = hb_device_allocate(device, ROUNDS * rows.bytes, 1, "what is sent");
  rows.d_received = hb_device_allocate(device, ROUNDS * rows.bytes, 1, "what comes");
  for (hb_global i = 0; i < count; i++)
    hb_real_set(precision, sent, i, hb_random_at(i, gs->comm->rank));
  CHECK_OK(check, hb_device_upload(device, rows.d_sent, sent, ROUNDS * rows.bytes));
  exchange_rows(check, exchange, &rows, HB_WAY_PAIRWISE_STAGED, expected);
  CHECK(check, gs->num_neighbours == 0 || memcmp(sent, expected, bytes) != 0);
  for (int turn = 1; turn < 2 * NUM_WAYS; turn++) {
    const enum hb_exchange_way way = (enum hb_exchange_way)(turn % NUM_WAYS);
    if (!has_way(way, takes_device)) continue;
    memset(received, 0xff, bytes);
    exchange_rows(check, exchange, &rows, way, received);
    CHECK(check, memcmp(expected, received, bytes) == 0);
  }
  hb_device_free(device, rows.d_sent);
  hb_device_free(device, rows.d_received);
  hb_device_exchange_destroy(&exchange);
  hb_free(sent);
  hb_free(expected);
  hb_free(received);
}

/* ---- the tuner ------------------------------------------------------------------------------- */

/* Collective.  Everything is tried, found right and timed; what is not in use is given back. */
static void check_tuner(struct hb_check *check, struct hb_gather_scatter *gs,
                        struct hb_device *device, bool takes_device) {
  const struct hb_exchange_request request = {.timing = HB_EXCHANGE_FASTEST};
  const struct hb_exchange_choice *choice = &gs->choice;
  struct hb_device_exchange *exchange = NULL;
  CHECK_OK(check, hb_device_exchange_create(gs, device, HB_F64, false, &exchange));
  CHECK_OK(check,
           hb_exchange_choose_device(exchange, &request, takes_device, "off, as the test says"));
  if (gs->comm->size == 1) {
    CHECK(check, choice->reason == HB_EXCHANGE_ALONE && choice->chosen == -1);
  } else {
    for (int c = 0; c < choice->count; c++) {
      const bool has = has_way(c, takes_device);
      CHECK_EQUAL(check, choice->candidate[c].verdict,
                  has ? HB_EXCHANGE_RIGHT : HB_EXCHANGE_LEFT_OUT);
      CHECK(check, !has || choice->candidate[c].seconds > 0.0);
      if (has && gs->comm->rank == 0)
        printf("%s: %.1f us\n", choice->candidate[c].name, 1e6 * choice->candidate[c].seconds);
    }
    CHECK_EQUAL(check, choice->reason, HB_EXCHANGE_FASTEST);
    CHECK_EQUAL(check, exchange->way, choice->chosen);
    CHECK_EQUAL(check, exchange->peers != NULL, exchange->way == HB_WAY_PEER);
    CHECK_EQUAL(check, exchange->send != NULL, exchange->way <= HB_WAY_NEIGHBOUR_STAGED);
  }
  hb_device_exchange_destroy(&exchange);
}

/* Collective.  On a system that shares no device memory: said, and refused if pinned. */
static void check_no_peers(struct hb_check *check, struct hb_gather_scatter *gs,
                           struct hb_device *device) {
  struct hb_exchange_request request = {.timing = HB_EXCHANGE_FASTEST};
  struct hb_device_exchange *exchange = NULL;
  const bool last = gs->comm->rank == gs->comm->size - 1; /* one rank is enough */
  if (!is_interpreted() || gs->comm->size == 1) return;
  if (last) setenv("ISARUN_IPC", "off", 1);
  CHECK_OK(check, hb_device_exchange_create(gs, device, HB_F64, false, &exchange));
  CHECK_OK(check, hb_exchange_choose_device(exchange, &request, false, "off, as the test says"));
  const struct hb_exchange_candidate *peer = &gs->choice.candidate[HB_WAY_PEER];
  CHECK_EQUAL(check, peer->verdict, HB_EXCHANGE_UNAVAILABLE);
  CHECK(check, strstr(peer->words, "hipErrorNotSupported") != NULL);
  CHECK(check, gs->choice.chosen == 0 || gs->choice.chosen == 1);
  request.wish = HB_EXCHANGE_PEER;
  CHECK_FAILS(check, hb_exchange_choose_device(exchange, &request, false, "off"), HB_MACHINE_FAILED,
              "peer cannot be had: handle of a device's memory: hipErrorNotSupported");
  if (last) unsetenv("ISARUN_IPC");
  CHECK_OK(check, hb_exchange_choose_device(exchange, &request, false, "off"));
  CHECK(check, exchange->way == HB_WAY_PEER && gs->choice.reason == HB_EXCHANGE_PINNED);
  hb_device_exchange_destroy(&exchange);
}

/* ---- solves ---------------------------------------------------------------------------------- */

/* Collective.  The history of a solve with that exchange, [iterations + 1] in all. */
static int solve(struct hb_check *check, const struct hb_comm *comm, enum hb_exchange_wish wish,
                 double *history, int most) {
  struct hb_options options;
  struct hb_timers timers = {.started = 0.0};
  struct hb_plan *plan = NULL;
  struct hb_solver *solver = NULL;
  struct hb_solves solves = {0};
  int count = 0;
  hb_options_defaults(&options);
  options.degree = 3;
  options.nx = 3;
  options.ny = options.nz = 2;
  options.warmup = 0;
  options.repeats = 1;
  options.iterations = most - 1;
  options.autotune = false;
  options.oversubscribe = true;
  options.gpu_aware = HB_GPU_AWARE_OFF;
  options.backend = HB_BACKEND_ONLY_GPU;
  options.exchange = wish;
  CHECK_OK(check, solver_case_create(comm, &options, &timers, &plan, &solver));
  if (solver == NULL) return 0;
  if (comm->size > 1 && wish == HB_EXCHANGE_PEER)
    CHECK(check, strcmp(hb_exchange_name(&solver->mesh->gs->choice), "peer") == 0);
  CHECK_OK(check, hb_solver_run(solver, NULL, NULL, &solves));
  count = solver->cg->iterations + 1;
  memcpy(history, solver->cg->history, (size_t)count * sizeof *history);
  hb_solves_destroy(&solves);
  solver_case_destroy(&plan, &solver);
  return count;
}

static void check_solves(struct hb_check *check, const struct hb_comm *comm) {
  enum { MOST = 100 };
  double expected[MOST], history[MOST];
  const int count = solve(check, comm, HB_EXCHANGE_PAIRWISE, expected, MOST);
  CHECK(check, count > 10);
  for (int wish = HB_EXCHANGE_NEIGHBOUR; wish <= HB_EXCHANGE_PEER; wish++) {
    CHECK_EQUAL(check, solve(check, comm, (enum hb_exchange_wish)wish, history, MOST), count);
    CHECK(check, memcmp(expected, history, (size_t)count * sizeof *history) == 0);
  }
}

static void check_all(struct hb_check *check, const struct hb_comm *comm,
                      struct hb_device *device) {
  const bool takes_device = is_interpreted();
  const int first = getenv("HB_TEST_ALL") != NULL ? 0 : NUM_BOUNDARY_CASES - 1;
  int boxes = 0;
  for (int index = first; index < NUM_MESH_CASES; index++) {
    const struct hb_box box = mesh_case(index);
    struct hb_mesh *mesh = NULL;
    if (mesh_create(comm, &box, 1, &mesh) != HB_OK) {
      hb_error_clear();
      continue;
    }
    check_ways(check, mesh->gs, device, index % 2 == 0 ? HB_F64 : HB_F32, takes_device);
    if (boxes == 0) check_tuner(check, mesh->gs, device, takes_device);
    if (boxes++ == 0) check_no_peers(check, mesh->gs, device);
    hb_mesh_destroy(&mesh);
  }
  CHECK(check, boxes >= (NUM_MESH_CASES - first) / 2);
  check_solves(check, comm);
}

int main(int argc, char **argv) { return mesh_device_main(argc, argv, check_all); }
