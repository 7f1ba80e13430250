/* SPDX-License-Identifier: BSD-3-Clause
 * Ways of exchanging are compared with the reference, timed, and one is chosen. */
#include "mesh/exchange_tuner.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/random.h"

/* Buffers are used again after two exchanges: a way that brings old data is seen in the third. */
enum { VERIFY_ROUNDS = 4, TIMED_ROUNDS = 5, PILOT_TIMES = 2, MOST_TIMES = 64 };
/* Of a round of one candidate, about; and how much faster than the preset it must be. */
static const double ROUND_S = 1e-3, ADVANTAGE = 0.95;

/* Owned; [count] of the bench each. */
struct trial {
  const struct hb_exchange_bench *bench;
  struct hb_exchange_choice *choice;
  void *send, *expected, *received;
  size_t bytes;
  int round; /* of verification */
};

const char *hb_exchange_reason_name(enum hb_exchange_reason reason) {
  static const char *const names[] = {"a single rank exchanges nothing",
                                      "the fastest",
                                      "as asked",
                                      "the only one",
                                      "not timed, autotune = no",
                                      "not timed, an interpreter's times mean nothing"};
  return names[reason];
}

const char *hb_exchange_name(const struct hb_exchange_choice *choice) {
  if (choice->count == 0) return "pairwise";
  return choice->chosen < 0 ? "none" : choice->candidate[choice->chosen].name;
}

static enum hb_status trial_create(const struct hb_exchange_bench *bench,
                                   struct hb_exchange_choice *choice, struct trial *trial) {
  const size_t size = hb_precision_bytes(bench->precision);
  *trial = (struct trial){.bench = bench, .choice = choice, .bytes = (size_t)bench->count * size};
  trial->send = hb_allocate(bench->count, size, "exchange that is tried");
  trial->expected = hb_allocate(bench->count, size, "exchange that is tried");
  trial->received = hb_allocate(bench->count, size, "exchange that is tried");
  const bool all = trial->send != NULL && trial->expected != NULL && trial->received != NULL;
  return hb_comm_agree(bench->comm, all ? HB_OK : HB_MACHINE_FAILED);
}

static void trial_destroy(struct trial *trial) {
  hb_free(trial->send);
  hb_free(trial->expected);
  hb_free(trial->received);
}

/* Puts the record, the same on all ranks, beside the candidate, and goes on. */
static void set_aside(struct hb_exchange_candidate *candidate, enum hb_exchange_verdict verdict) {
  candidate->verdict = verdict;
  snprintf(candidate->words, sizeof candidate->words, "%s", hb_error_message());
  hb_error_clear();
}

static enum hb_status select_way(const struct hb_exchange_bench *bench, int candidate) {
  return hb_comm_agree(bench->comm, bench->select(bench->context, candidate));
}

/* Collective.  One exchange that way, into what is all ones before. */
static enum hb_status exchange_once(const struct trial *trial, int candidate, void *received) {
  const struct hb_exchange_bench *bench = trial->bench;
  const enum hb_status selected = bench->select(bench->context, candidate);
  memset(received, 0xff, trial->bytes);
  const enum hb_status exchanged = bench->exchange(bench->context, trial->send, received);
  return hb_comm_agree(bench->comm, selected != HB_OK ? selected : exchanged);
}

/* HB_GATE_FAILED, recorded, if what this rank has received is wrong. */
static enum hb_status compare(const struct trial *trial) {
  const struct hb_exchange_bench *bench = trial->bench;
  const size_t size = hb_precision_bytes(bench->precision);
  const char *expected = trial->expected, *received = trial->received;
  hb_local wrong = 0;
  for (hb_local i = 0; i < bench->count; i++)
    if (memcmp(expected + (size_t)i * size, received + (size_t)i * size, size) != 0) wrong++;
  if (wrong == 0) return HB_OK;
  return hb_error_record(HB_GATE_FAILED, __FILE__, __LINE__,
                         "rank %d received %d of %d entries wrong in exchange %d",
                         bench->comm->rank, wrong, bench->count, trial->round);
}

/* Collective.  A round of all that are right so far. */
static enum hb_status verify_round(struct trial *trial) {
  enum hb_status status = HB_OK;
  const struct hb_exchange_bench *bench = trial->bench;
  const int rank = bench->comm->rank;
  trial->round++;
  for (hb_local i = 0; i < bench->count; i++)
    hb_real_set(bench->precision, trial->send, i,
                hb_random_at(i, (int64_t)rank << 32 | trial->round));
  HB_TRY(exchange_once(trial, 0, trial->expected));
  for (int c = 1; c < trial->choice->count; c++) {
    struct hb_exchange_candidate *candidate = &trial->choice->candidate[c];
    if (candidate->verdict != HB_EXCHANGE_RIGHT) continue;
    HB_TRY(exchange_once(trial, c, trial->received));
    if (hb_comm_agree(bench->comm, compare(trial)) != HB_OK)
      set_aside(candidate, HB_EXCHANGE_WRONG);
  }
done:
  return status;
}

/* Candidates of that verdict. */
static int count_of(const struct hb_exchange_choice *choice, enum hb_exchange_verdict verdict) {
  int count = 0;
  for (int c = 0; c < choice->count; c++) count += choice->candidate[c].verdict == verdict;
  return count;
}

/* Collective.  What can be had counts as right until it is seen to be wrong. */
static enum hb_status verify(struct trial *trial) {
  enum hb_status status = HB_OK;
  struct hb_exchange_choice *choice = trial->choice;
  HB_TRY(select_way(trial->bench, 0));
  for (int c = 0; c < choice->count; c++) {
    struct hb_exchange_candidate *candidate = &choice->candidate[c];
    if (candidate->verdict != HB_EXCHANGE_UNTRIED) continue;
    if (c > 0 && select_way(trial->bench, c) != HB_OK)
      set_aside(candidate, HB_EXCHANGE_UNAVAILABLE);
    else
      candidate->verdict = HB_EXCHANGE_RIGHT;
  }
  for (int round = 0; round < VERIFY_ROUNDS; round++)
    if (count_of(choice, HB_EXCHANGE_RIGHT) > (choice->candidate[0].verdict == HB_EXCHANGE_RIGHT))
      HB_TRY(verify_round(trial));
done:
  return status;
}

/* Collective.  Seconds of an exchange, the largest over ranks; with the time goes whether a rank
 * has failed. */
static enum hb_status time_way(const struct hb_exchange_bench *bench, int candidate, int times,
                               double *seconds) {
  double all[2] = {0.0, 0.0};
  enum hb_status status = bench->select(bench->context, candidate);
  hb_comm_barrier(bench->comm);
  const double start = MPI_Wtime();
  const enum hb_status repeated = bench->repeat(bench->context, times);
  all[0] = (MPI_Wtime() - start) / times;
  if (status == HB_OK) status = repeated;
  all[1] = status == HB_OK ? 0.0 : 1.0;
  hb_comm_max(bench->comm, 2, all);
  *seconds = all[0];
  return all[1] > 0.0 ? hb_comm_agree(bench->comm, status) : HB_OK;
}

static double median(int count, double *values) {
  for (int i = 1; i < count; i++)
    for (int j = i; j > 0 && values[j] < values[j - 1]; j--) {
      const double value = values[j];
      values[j] = values[j - 1];
      values[j - 1] = value;
    }
  return values[count / 2];
}

/* Collective.  All that are right, in turns. */
static enum hb_status time_all(struct trial *trial) {
  enum hb_status status = HB_OK;
  struct hb_exchange_choice *choice = trial->choice;
  double rounds[HB_MOST_EXCHANGES][TIMED_ROUNDS];
  int times[HB_MOST_EXCHANGES];
  for (int round = -1; round < TIMED_ROUNDS; round++) /* the first tells how many are a round */
    for (int c = 0; c < choice->count; c++) {
      double seconds = 0.0;
      if (choice->candidate[c].verdict != HB_EXCHANGE_RIGHT) continue;
      HB_TRY(time_way(trial->bench, c, round < 0 ? PILOT_TIMES : times[c], &seconds));
      if (round < 0)
        times[c] = (int)hb_max(1.0, hb_min(MOST_TIMES, ROUND_S / hb_max(seconds, 1e-9)));
      else
        rounds[c][round] = seconds;
    }
  for (int c = 0; c < choice->count; c++) {
    if (choice->candidate[c].verdict != HB_EXCHANGE_RIGHT) continue;
    choice->candidate[c].seconds = median(TIMED_ROUNDS, rounds[c]);
    choice->timed++;
  }
  HB_TRY(verify_round(trial)); /* many in a row leave nothing behind */
done:
  return status;
}

/* The preset, if it is right, and there is none that is faster by more than chance. */
static int best_of(const struct hb_exchange_choice *choice) {
  int best = choice->preset;
  for (int c = 0; c < choice->count; c++) {
    const struct hb_exchange_candidate *candidate = &choice->candidate[c];
    if (candidate->verdict != HB_EXCHANGE_RIGHT) continue;
    if (choice->candidate[best].verdict != HB_EXCHANGE_RIGHT ||
        candidate->seconds < ADVANTAGE * choice->candidate[best].seconds)
      best = c;
  }
  return choice->candidate[best].verdict == HB_EXCHANGE_RIGHT ? best : -1;
}

/* Why there is nothing to choose. */
static enum hb_status refuse(const struct hb_exchange_choice *choice) {
  char text[1024] = "";
  size_t used = 0;
  for (int c = 0; c < choice->count && used < sizeof text; c++) {
    const struct hb_exchange_candidate *candidate = &choice->candidate[c];
    const bool wrong = candidate->verdict == HB_EXCHANGE_WRONG;
    if (candidate->verdict == HB_EXCHANGE_LEFT_OUT) continue;
    used +=
        (size_t)snprintf(text + used, sizeof text - used, "%s%s %s: %s", used > 0 ? "; " : "",
                         candidate->name, wrong ? "is wrong" : "cannot be had", candidate->words);
  }
  return hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__,
                         "no exchange is left that works here: %s", text);
}

/* Without timing the preset alone is tried. */
static void leave_out_others(struct hb_exchange_choice *choice) {
  for (int c = 0; c < choice->count; c++) {
    struct hb_exchange_candidate *candidate = &choice->candidate[c];
    if (c == choice->preset || candidate->verdict != HB_EXCHANGE_UNTRIED) continue;
    candidate->verdict = HB_EXCHANGE_LEFT_OUT;
    snprintf(candidate->words, sizeof candidate->words, "%s",
             hb_exchange_reason_name(choice->reason));
  }
}

enum hb_status hb_exchange_tune(const struct hb_exchange_bench *bench,
                                struct hb_exchange_choice *choice) {
  enum hb_status status = HB_OK;
  struct trial trial = {.bench = bench};
  choice->timed = 0;
  choice->chosen = -1;
  for (int c = 0; c < choice->count; c++) choice->candidate[c].seconds = (double)NAN;
  if (bench->comm->size == 1) choice->reason = HB_EXCHANGE_ALONE;
  if (choice->reason != HB_EXCHANGE_FASTEST) leave_out_others(choice);
  if (choice->reason == HB_EXCHANGE_ALONE) return HB_OK;
  HB_TRY(trial_create(bench, choice, &trial));
  HB_TRY(verify(&trial));
  if (choice->reason == HB_EXCHANGE_FASTEST && count_of(choice, HB_EXCHANGE_RIGHT) > 1)
    HB_TRY(time_all(&trial));
  if (choice->reason == HB_EXCHANGE_FASTEST && choice->timed == 0)
    choice->reason = HB_EXCHANGE_ONLY;
  choice->chosen = best_of(choice);
  MPI_Bcast(&choice->chosen, 1, MPI_INT, 0, bench->comm->mpi);
  if (choice->chosen < 0) HB_TRY(refuse(choice));
  HB_TRY(select_way(bench, choice->chosen));
done:
  trial_destroy(&trial);
  return status;
}
