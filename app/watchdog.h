/* SPDX-License-Identifier: BSD-3-Clause
 * Ends a run that makes no progress, and names the ranks that hold it up.
 *
 * Every rank has a thread that looks at the pulses of all ranks of its node, in memory that they
 * share.  If none of them has moved for the given time, one of the threads prints who holds the
 * node up (on standard error), and all end their processes with code 3; launchers then end those
 * that cannot do so themselves.  Held up by:
 *   ranks whose own thread does not beat any more: their process is stopped, or gone
 *   else ranks that do not wait in MPI, while others wait for them
 *   else nobody of this node: all wait; said only if no other node has ended the run meanwhile
 * The thread calls no MPI.  A stage that shows no steps (tuning, gates, a file that is written)
 * must be shorter than the time given. */
#ifndef HB_APP_WATCHDOG_H
#define HB_APP_WATCHDOG_H

#include "app/pulse.h"
#include "mesh/comm.h"

struct hb_watchdog;

/* Collective; seconds > 0 must be the same on all ranks. */
enum hb_status hb_watchdog_start(const struct hb_comm *comm, double seconds,
                                 struct hb_watchdog **watchdog);
/* Collective.  Accepts NULL on all ranks, clears the caller's pointer. */
void hb_watchdog_stop(struct hb_watchdog **watchdog);

/* Not collective.  Where this rank publishes; NULL of NULL. */
struct hb_pulse *hb_watchdog_pulse(struct hb_watchdog *watchdog);

/* What a thread has seen of a rank. */
struct hb_watched {
  int rank, phase, solve, iteration;
  bool waits, beats;
  long process;
  const char *stage;
};

/* Says who of the node holds it up: "rank 1 (process 7) is stopped, in operator of iteration 3 ...;
 * waiting: ranks 0,2".  False if all wait. */
bool hb_watchdog_judge(int count, const struct hb_watched *ranks, size_t size, char *words);

#endif
