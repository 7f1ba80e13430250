/* SPDX-License-Identifier: BSD-3-Clause
 * Pieces of work on several threads of the process, for passes over the host's memory. */
#ifndef HB_KERNELS_THREADS_H
#define HB_KERNELS_THREADS_H

#include "kernels/base.h"

enum { HB_MAX_THREADS = 64, HB_MAX_PROCESSORS = 4096 };

/* allowed [HB_MAX_PROCESSORS]: may this process run there?  None, if the system does not say. */
void hb_threads_processors(bool *allowed);

/* work(context, piece) of each piece 0 .. count - 1 on up to `threads` threads, the caller's among
 * them; returns when all are done.  Which thread takes a piece is left to chance: a piece must not
 * depend on another.  It may allocate and record an error.  Threads that cannot be started are done
 * without. */
typedef void hb_piece_of_work(void *context, int piece);
void hb_threads_run(int threads, int count, hb_piece_of_work *work, void *context);

/* Where piece `piece` of `count` items in `pieces` of about one size begins; the next one's begin
 * is its end.  The pieces' number must not be that of the threads where their results are put
 * together by rounding. */
static inline hb_global hb_piece_begin(hb_global count, int pieces, int piece) {
  return count / pieces * piece + count % pieces * piece / pieces;
}

#endif
