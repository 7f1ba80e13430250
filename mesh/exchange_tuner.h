/* SPDX-License-Identifier: BSD-3-Clause
 * Which way an exchange goes: every way there is, compared with a reference, timed, chosen.
 *
 * A way is right if what arrives is bitwise what the reference brings, for changing random data on
 * every rank; one that is wrong is never chosen, however fast.  A way's time is the largest over
 * ranks, the median of rounds in which all ways take turns.  All ranks get one answer. */
#ifndef HB_MESH_EXCHANGE_TUNER_H
#define HB_MESH_EXCHANGE_TUNER_H

#include "mesh/comm.h"

enum { HB_MOST_EXCHANGES = 8, HB_EXCHANGE_WORDS_BYTES = 384 };

enum hb_exchange_verdict {
  HB_EXCHANGE_LEFT_OUT,    /* not to be chosen: the options say so, or nothing is timed */
  HB_EXCHANGE_UNTRIED,     /* may be chosen */
  HB_EXCHANGE_UNAVAILABLE, /* cannot be had here */
  HB_EXCHANGE_WRONG,
  HB_EXCHANGE_RIGHT
};

struct hb_exchange_candidate {
  const char *name; /* borrowed */
  enum hb_exchange_verdict verdict;
  char words[HB_EXCHANGE_WORDS_BYTES]; /* why it is left out, unavailable or wrong */
  double seconds;                      /* of an exchange; NaN: not timed */
};

enum hb_exchange_reason {
  HB_EXCHANGE_ALONE,       /* a single rank exchanges nothing; `chosen` is -1 */
  HB_EXCHANGE_FASTEST,     /* of those timed */
  HB_EXCHANGE_PINNED,      /* the options leave one */
  HB_EXCHANGE_ONLY,        /* no other is right or available */
  HB_EXCHANGE_NO_TUNING,   /* the preset, as the options ask */
  HB_EXCHANGE_INTERPRETED, /* the same, where times would mean nothing */
};

struct hb_exchange_choice {
  int count; /* at most HB_MOST_EXCHANGES; 0: nothing was decided, the reference is in use */
  int preset, chosen;
  enum hb_exchange_reason reason;
  int timed;                                                 /* how many were */
  struct hb_exchange_candidate candidate[HB_MOST_EXCHANGES]; /* 0 is the reference */
};

/* What ways are tried on.  All functions are collective; a failure of one rank alone is agreed on
 * by the tuner. */
struct hb_exchange_bench {
  const struct hb_comm *comm;
  enum hb_precision precision;
  hb_local count; /* entries that this rank sends and receives */
  void *context;
  /* From now on exchanges go that way; the same way is selected again and again.  Fails, on all
   * ranks or on some, if it cannot be had, which is when it is selected first. */
  enum hb_status (*select)(void *context, int candidate);
  /* One exchange of send [count] on the host into received [count], from start to end.  What
   * `received` holds lies beforehand wherever entries are to arrive. */
  enum hb_status (*exchange)(void *context, const void *send, void *received);
  /* So many exchanges, whatever is in the buffers, each from start to end. */
  enum hb_status (*repeat)(void *context, int times);
};

/* Collective.  Tries the candidates that are not left out and selects one.  On entry names,
 * verdicts (LEFT_OUT or UNTRIED), preset and the reason for which nothing is timed, or FASTEST, are
 * set, the same on all ranks.  Without timing the preset alone is tried.  HB_MACHINE_FAILED if no
 * candidate is left that is right, with what each one lacks; or if an exchange fails. */
enum hb_status hb_exchange_tune(const struct hb_exchange_bench *bench,
                                struct hb_exchange_choice *choice);

/* "fastest of 3", "exchange = peer", ... */
const char *hb_exchange_reason_name(enum hb_exchange_reason reason);
/* Name of the way chosen; "none" of a single rank, the reference's if nothing was decided. */
const char *hb_exchange_name(const struct hb_exchange_choice *choice);

#endif
