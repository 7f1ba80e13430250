/* SPDX-License-Identifier: BSD-3-Clause
 * Ways of the exchange on the host give the same bits; the tuner rejects planted wrong ways by
 * name, says what cannot be had, ends all ranks with one message, and decides for all. */
#include <string.h>

#include "mesh/exchange.h"
#include "tests/mesh_cases.h"

enum { ROUNDS = 20 };

/* ---- the same bits --------------------------------------------------------------------------- */

/* Values of a round, whose shared entries are random. */
static void fill(const struct hb_mesh *mesh, enum hb_precision precision, int round, void *values) {
  for (hb_local s = 0; s < mesh->numbering->num_points; s++)
    hb_real_set(precision, values, s, hb_random_at(s, 1000 * (mesh->comm->rank + 1) + round));
}

/* Collective.  ROUNDS exchanges in a row that way, with changing data, into sums [round][point]. */
static void exchange_rounds(const struct hb_mesh *mesh, enum hb_precision precision,
                            enum hb_message_kind kind, char *sums) {
  const size_t bytes = (size_t)mesh->numbering->num_points * hb_precision_bytes(precision);
  hb_messages_select(&mesh->gs->messages, kind);
  for (int round = 0; round < ROUNDS; round++) {
    void *values = sums + (size_t)round * bytes;
    fill(mesh, precision, round, values);
    hb_gather_scatter_start(mesh->gs, precision, values);
    hb_gather_scatter_finish(mesh->gs, precision, values);
  }
}

/* Collective.  False if the box does not go on so many ranks. */
static bool check_box(struct hb_check *check, const struct hb_comm *comm, int index) {
  const struct hb_box box = mesh_case(index);
  struct hb_mesh *mesh = NULL;
  if (mesh_create(comm, &box, 1, &mesh) != HB_OK) {
    hb_error_clear();
    return false;
  }
  const hb_global count = (hb_global)ROUNDS * mesh->numbering->num_points;
  char *expected = hb_allocate(count, sizeof(double), "sums, pairwise");
  char *sums = hb_allocate(count, sizeof(double), "sums, of a neighbourhood");
  for (int p = 0; p < 2; p++) {
    const enum hb_precision precision = p == 0 ? HB_F64 : HB_F32;
    const size_t bytes = (size_t)count * hb_precision_bytes(precision);
    exchange_rounds(mesh, precision, HB_MESSAGES_PAIRWISE, expected);
    memset(sums, 0xff, bytes);
    exchange_rounds(mesh, precision, HB_MESSAGES_NEIGHBOUR, sums);
    CHECK(check, memcmp(expected, sums, bytes) == 0);
    if (mesh->gs->num_neighbours > 0) { /* the sums are sums */
      fill(mesh, precision, 0, sums);
      CHECK(check, memcmp(expected, sums, bytes / ROUNDS) != 0);
    }
  }
  hb_free(expected);
  hb_free(sums);
  hb_mesh_destroy(&mesh);
  return true;
}

/* ---- planted ways ---------------------------------------------------------------------------- */

enum { DROPS = 2, LATE, WRONG_ONCE, NOT_THERE, BREAKS, BREAKS_LATER, NUM_PLANTED };
static const char *const planted_names[NUM_PLANTED] = {
    [DROPS] = "drops an entry",           [LATE] = "a round late",
    [WRONG_ONCE] = "wrong in the fourth", [NOT_THERE] = "not there",
    [BREAKS] = "breaks a rank",           [BREAKS_LATER] = "breaks a rank while it is timed"};

/* The host's bench with planted ways, which go pairwise, take no time and do their wrong on the
 * last rank alone. */
struct planted {
  struct hb_exchange_bench real;
  int way, calls; /* of WRONG_ONCE */
  bool here;
  void *last; /* owned [count]: what the way that is late brings next */
};

static enum hb_status select_planted(void *context, int candidate) {
  struct planted *planted = context;
  planted->way = candidate;
  if (candidate == NOT_THERE && planted->here)
    return hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__, "nothing of the kind on rank %d",
                           planted->real.comm->rank);
  return planted->real.select(planted->real.context, candidate < DROPS ? candidate : 0);
}

static enum hb_status broken(const struct planted *planted) {
  return hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__, "rank %d broke",
                         planted->real.comm->rank);
}

static enum hb_status exchange_planted(void *context, const void *send, void *received) {
  struct planted *planted = context;
  const size_t bytes = (size_t)planted->real.count * sizeof(double);
  double *values = received, *last = planted->last, first = values[0];
  const enum hb_status status = planted->real.exchange(planted->real.context, send, received);
  if (!planted->here || status != HB_OK) return status;
  if (planted->way == DROPS) values[0] = first;
  if (planted->way == WRONG_ONCE && ++planted->calls == 4)
    values[planted->real.count - 1] += 0x1p-52;
  if (planted->way == LATE)
    for (size_t i = 0; i < bytes / sizeof(double); i++) {
      const double value = last[i];
      last[i] = values[i];
      values[i] = value;
    }
  return planted->way == BREAKS ? broken(planted) : HB_OK;
}

static enum hb_status repeat_planted(void *context, int times) {
  struct planted *planted = context;
  if (planted->way == BREAKS_LATER && planted->here) return broken(planted);
  return planted->way < DROPS ? planted->real.repeat(planted->real.context, times) : HB_OK;
}

/* Collective.  The host's ways and those planted whose bit is set; the error of the tuner. */
static enum hb_status tune_planted(const struct hb_mesh *mesh, unsigned planted_ways,
                                   const struct hb_exchange_request *request,
                                   struct hb_exchange_choice *choice) {
  struct planted planted = {.real = hb_exchange_bench_host(mesh->gs)};
  struct hb_exchange_bench bench = planted.real;
  planted.here = mesh->comm->rank == mesh->comm->size - 1;
  planted.last = hb_allocate(bench.count, sizeof(double), "last exchange");
  memset(planted.last, 0, (size_t)bench.count * sizeof(double));
  bench.context = &planted;
  bench.select = select_planted;
  bench.exchange = exchange_planted;
  bench.repeat = repeat_planted;
  hb_exchange_list_host(request, choice);
  for (; choice->count < NUM_PLANTED; choice->count++)
    choice->candidate[choice->count] = (struct hb_exchange_candidate){
        .name = planted_names[choice->count],
        .verdict =
            (planted_ways >> choice->count & 1) != 0 ? HB_EXCHANGE_UNTRIED : HB_EXCHANGE_LEFT_OUT};
  const enum hb_status status = hb_exchange_tune(&bench, choice);
  hb_free(planted.last);
  return status;
}

/* Collective.  On several ranks. */
static void check_planted(struct hb_check *check, const struct hb_mesh *mesh) {
  static const struct hb_exchange_request request = {.timing = HB_EXCHANGE_FASTEST};
  const unsigned wrong = 1u << DROPS | 1u << LATE | 1u << WRONG_ONCE;
  struct hb_exchange_choice choice;
  char words[64];
  CHECK_OK(check, tune_planted(mesh, wrong | 1u << NOT_THERE, &request, &choice));
  for (int c = DROPS; c <= WRONG_ONCE; c++) {
    CHECK_EQUAL(check, choice.candidate[c].verdict, HB_EXCHANGE_WRONG);
    snprintf(words, sizeof words, "rank %d received ", mesh->comm->size - 1);
    CHECK(check, strstr(choice.candidate[c].words, words) != NULL);
    CHECK(check, isnan(choice.candidate[c].seconds));
  }
  CHECK(check, strstr(choice.candidate[DROPS].words, "received 1 of ") != NULL);
  CHECK(check, strstr(choice.candidate[WRONG_ONCE].words, "in exchange 4") != NULL);
  CHECK_EQUAL(check, choice.candidate[NOT_THERE].verdict, HB_EXCHANGE_UNAVAILABLE);
  CHECK(check, strstr(choice.candidate[NOT_THERE].words, "nothing of the kind") != NULL);
  CHECK(check, choice.chosen == 0 || choice.chosen == 1);
  CHECK(check, choice.reason == HB_EXCHANGE_FASTEST && choice.timed == 2);
  for (int c = 0; c < DROPS; c++) {
    CHECK_EQUAL(check, choice.candidate[c].verdict, HB_EXCHANGE_RIGHT);
    CHECK(check, choice.candidate[c].seconds > 0.0);
  }
  CHECK_EQUAL(check, hb_comm_sum_global(mesh->comm, choice.chosen),
              choice.chosen * mesh->comm->size);
  CHECK(check, hb_error_message()[0] == '\0');
  snprintf(words, sizeof words, "rank %d broke", mesh->comm->size - 1);
  CHECK_FAILS(check, tune_planted(mesh, 1u << BREAKS, &request, &choice), HB_MACHINE_FAILED, words);
  CHECK_FAILS(check, tune_planted(mesh, 1u << BREAKS_LATER, &request, &choice), HB_MACHINE_FAILED,
              words);
}

/* ---- pins ------------------------------------------------------------------------------------ */

/* Collective.  What is asked for is taken, and nothing is timed. */
static void check_pins(struct hb_check *check, const struct hb_mesh *mesh) {
  const bool alone = mesh->comm->size == 1;
  struct hb_exchange_choice *choice = &mesh->gs->choice;
  struct hb_exchange_request request = {.wish = HB_EXCHANGE_NEIGHBOUR,
                                        .timing = HB_EXCHANGE_FASTEST};
  CHECK(check, strcmp(hb_exchange_name(choice), "pairwise") == 0); /* nothing was decided */
  for (int wish = HB_EXCHANGE_PAIRWISE; wish <= HB_EXCHANGE_NEIGHBOUR; wish++) {
    request.wish = (enum hb_exchange_wish)wish;
    CHECK_OK(check, hb_exchange_check(false, &request));
    CHECK_OK(check, hb_exchange_choose_host(mesh->gs, &request));
    CHECK_EQUAL(check, choice->chosen, alone ? -1 : wish - 1);
    CHECK_EQUAL(check, choice->reason, alone ? HB_EXCHANGE_ALONE : HB_EXCHANGE_PINNED);
    CHECK(check, choice->timed == 0 && isnan(choice->candidate[wish - 1].seconds));
    if (!alone)
      CHECK_EQUAL(check, mesh->gs->messages.kind,
                  wish == HB_EXCHANGE_NEIGHBOUR ? HB_MESSAGES_NEIGHBOUR : HB_MESSAGES_PAIRWISE);
  }
  CHECK(check, strcmp(hb_exchange_name(choice), alone ? "none" : "neighbour") == 0);
  request = (struct hb_exchange_request){.timing = HB_EXCHANGE_NO_TUNING};
  CHECK_OK(check, hb_exchange_choose_host(mesh->gs, &request));
  CHECK_EQUAL(check, choice->chosen, alone ? -1 : 0);
  CHECK_EQUAL(check, choice->reason, alone ? HB_EXCHANGE_ALONE : HB_EXCHANGE_NO_TUNING);
  if (alone) return;
  /* The only one that is left, and it is not to be had. */
  struct hb_exchange_choice refused;
  request = (struct hb_exchange_request){.wish = HB_EXCHANGE_PEER, .timing = HB_EXCHANGE_FASTEST};
  CHECK_FAILS(check, tune_planted(mesh, 1u << NOT_THERE, &request, &refused), HB_MACHINE_FAILED,
              "not there cannot be had: nothing of the kind");
}

/* Of what may be chosen, bits 1 << candidate. */
static unsigned left(const struct hb_exchange_choice *choice) {
  unsigned bits = 0;
  for (int c = 0; c < choice->count; c++)
    if (choice->candidate[c].verdict == HB_EXCHANGE_UNTRIED) bits |= 1u << c;
  return bits;
}

/* What the two options leave of a device's ways, and what they refuse. */
static void check_lists(struct hb_check *check) {
  static const struct {
    enum hb_exchange_wish wish;
    enum hb_gpu_aware gpu_aware;
    bool takes;
    unsigned left; /* pairwise and neighbour staged, the same direct, peer: from bit 0 on */
    int preset;
  } rows[] = {{HB_EXCHANGE_AUTO, HB_GPU_AWARE_OFF, false, 0x13, 0},
              {HB_EXCHANGE_AUTO, HB_GPU_AWARE_AUTO, false, 0x13, 0},
              {HB_EXCHANGE_AUTO, HB_GPU_AWARE_AUTO, true, 0x1f, 2},
              {HB_EXCHANGE_AUTO, HB_GPU_AWARE_ON, true, 0x0c, 2},
              {HB_EXCHANGE_PAIRWISE, HB_GPU_AWARE_OFF, false, 0x01, 0},
              {HB_EXCHANGE_PAIRWISE, HB_GPU_AWARE_AUTO, true, 0x05, 2},
              {HB_EXCHANGE_NEIGHBOUR, HB_GPU_AWARE_AUTO, true, 0x0a, 3},
              {HB_EXCHANGE_NEIGHBOUR, HB_GPU_AWARE_OFF, false, 0x02, 1},
              {HB_EXCHANGE_NEIGHBOUR, HB_GPU_AWARE_ON, true, 0x08, 3},
              {HB_EXCHANGE_PEER, HB_GPU_AWARE_AUTO, true, 0x10, 4},
              {HB_EXCHANGE_PEER, HB_GPU_AWARE_OFF, false, 0x10, 4}};
  struct hb_exchange_choice choice;
  struct hb_exchange_request request = {.wish = HB_EXCHANGE_PEER, .gpu_aware = HB_GPU_AWARE_ON};
  CHECK_FAILS(check, hb_exchange_check(false, &request), HB_BAD_INPUT, "the run is on the host");
  CHECK_FAILS(check, hb_exchange_check(true, &request), HB_BAD_INPUT, "gpu_aware = on");
  for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
    request = (struct hb_exchange_request){
        .wish = rows[r].wish, .gpu_aware = rows[r].gpu_aware, .timing = HB_EXCHANGE_FASTEST};
    CHECK_OK(check, hb_exchange_check(true, &request));
    hb_exchange_list_device(&request, rows[r].takes, "off, as asked", &choice);
    CHECK_EQUAL(check, left(&choice), rows[r].left);
    CHECK_EQUAL(check, choice.preset, rows[r].preset);
    for (int c = 0; c < choice.count; c++)
      CHECK_EQUAL(check, choice.candidate[c].words[0] != '\0',
                  choice.candidate[c].verdict == HB_EXCHANGE_LEFT_OUT);
  }
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  struct hb_mesh *mesh = NULL;
  const struct hb_box box = {.degree = 3, .elements = {5, 4, 4}, .length = {1.0, 1.0, 1.0}};
  int boxes = 0;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  for (int index = 0; index < NUM_MESH_CASES; index++) boxes += check_box(&check, comm, index);
  CHECK(&check, boxes >= NUM_MESH_CASES / 2);
  check_lists(&check);
  CHECK_OK(&check, mesh_create(comm, &box, 1, &mesh));
  check_pins(&check, mesh);
  if (comm->size > 1) check_planted(&check, mesh);
  hb_mesh_destroy(&mesh);
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}
