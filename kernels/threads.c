/* SPDX-License-Identifier: BSD-3-Clause
 * Threads that live for one call: started, and joined before it returns. */
#include "kernels/threads.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

/* What the threads of a call share. */
struct shared {
  hb_piece_of_work *work;
  void *context;
  int count;
  atomic_int next; /* the first piece that nobody has taken */
};

void hb_threads_processors(bool *allowed) {
  enum { BYTES = HB_MAX_PROCESSORS / 8 };
  cpu_set_t set[BYTES / sizeof(cpu_set_t)];
  const bool known = sched_getaffinity(0, sizeof set, set) == 0;
  for (size_t p = 0; p < HB_MAX_PROCESSORS; p++)
    allowed[p] = known && CPU_ISSET_S(p, sizeof set, set);
}

static void *take_pieces(void *argument) {
  struct shared *shared = argument;
  for (int piece; (piece = atomic_fetch_add(&shared->next, 1)) < shared->count;)
    shared->work(shared->context, piece);
  return NULL;
}

void hb_threads_run(int threads, int count, hb_piece_of_work *work, void *context) {
  struct shared shared = {.work = work, .context = context, .count = count};
  pthread_t started[HB_MAX_THREADS];
  sigset_t all, before;
  int num_started = 0;
  const int most = threads < count ? threads : count;
  sigfillset(&all); /* signals are the caller's */
  const bool blocked = most > 1 && pthread_sigmask(SIG_SETMASK, &all, &before) == 0;
  while (num_started + 1 < most && num_started < HB_MAX_THREADS &&
         pthread_create(&started[num_started], NULL, take_pieces, &shared) == 0)
    num_started++;
  if (blocked) pthread_sigmask(SIG_SETMASK, &before, NULL);
  take_pieces(&shared);
  for (int t = 0; t < num_started; t++) pthread_join(started[t], NULL);
}
