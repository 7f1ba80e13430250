/* SPDX-License-Identifier: BSD-3-Clause
 * How the ranks of a run exchange the points that they share: as the options pin it, or as the
 * tuner of mesh/exchange.h finds. */
#ifndef HB_APP_EXCHANGE_CHOICE_H
#define HB_APP_EXCHANGE_CHOICE_H

#include "app/operator.h"

/* Not collective.  HB_BAD_INPUT if the options' exchange cannot be on the host, or of a GPU with
 * their gpu_aware. */
enum hb_status hb_exchange_wish_check(bool on_gpu, const struct hb_options *options);

/* Collective; after hb_backend_settle.  Tries, times and decides for the operator's exchange; what
 * was found is in its mesh's gs->choice.  Nothing is timed on one rank, with autotune = no, and
 * where the GPU is an interpreter.  HB_MACHINE_FAILED if what is pinned does not work here. */
enum hb_status hb_exchange_settle(const struct hb_backend *backend, struct hb_operator *op);

/* Not collective; called on rank 0.  What is chosen and why; each candidate's time or why it is
 * not available; with `all` those, too, that were left out. */
void hb_exchange_print(FILE *stream, const struct hb_exchange_choice *choice, bool all);

#endif
