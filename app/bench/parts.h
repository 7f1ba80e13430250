/* SPDX-License-Identifier: BSD-3-Clause
 * What helmbone-bench measures: the parts of an iteration, one by one, as the solver runs them, and
 * what moves memory and messages beneath them.
 *
 *   operator          the local kernel over all elements of the rank: w = A u
 *   operator_updates  the same with the iteration's updates, x += alpha p and p = z + beta p: fused
 *                     into the kernel on a GPU, a vector pass before it on the host
 *   residual          r -= alpha w and the sums r.r, r.z; on a GPU it assembles w on the way
 *   packing           the shared points into the messages' buffer
 *   dot               sums over a vector: x.y on the host, r.r and r.z on a GPU
 *   exchange          a whole exchange with the neighbours, nothing beside it
 *   all_reduce        one sum over all ranks as the iteration makes it (consensus.h)
 *   launch            the smallest kernel, many behind each other: a GPU takes one every so often
 *   launch_wait       the smallest kernel and the wait for it, by the host's clock
 *   iteration         of a solve of a fixed number of iterations: its time over that number
 *   copy, triad       as the report measures them (bandwidth.h)
 *
 * Seconds of a part are the largest over ranks.  Kernels are timed by the device's clock on a GPU,
 * all else by the host's. */
#ifndef HB_APP_BENCH_PARTS_H
#define HB_APP_BENCH_PARTS_H

#include "app/bandwidth.h"
#include "app/solver.h"

enum hb_bench_part {
  HB_BENCH_OPERATOR,
  HB_BENCH_OPERATOR_UPDATES,
  HB_BENCH_RESIDUAL,
  HB_BENCH_PACKING,
  HB_BENCH_DOT,
  HB_BENCH_EXCHANGE,
  HB_BENCH_ALL_REDUCE,
  HB_BENCH_LAUNCH,
  HB_BENCH_LAUNCH_WAIT,
  HB_BENCH_ITERATION,
  HB_BENCH_COPY,
  HB_BENCH_TRIAD,
  HB_NUM_BENCH_PARTS
};

/* Names as above, [HB_NUM_BENCH_PARTS]. */
const char *const *hb_bench_part_names(void);

/* Those that there are: packing, exchange and all_reduce of several ranks, launches on a GPU. */
unsigned hb_bench_parts_there(bool on_gpu, int num_ranks);

/* What the parts work on; all borrowed but as said. */
struct hb_bench_work {
  struct hb_solver *solver;
  hb_global stream_bytes;      /* of an array of copy and triad */
  void *zeros;                 /* owned; on the host: a vector that exchanges leave as it is */
  struct hb_cg_passes *passes; /* the solver's, from a random right-hand side */
};

/* Collective.  The solver's right-hand side becomes random, so that an iteration's numbers are of
 * one size.  Freed by hb_bench_work_destroy, also after a failure. */
enum hb_status hb_bench_work_create(struct hb_solver *solver, hb_global stream_bytes,
                                    struct hb_bench_work *work);
void hb_bench_work_destroy(struct hb_bench_work *work);

/* Collective.  The part `repeats` times; *seconds: of one, on this rank, NaN after a failure.  An
 * iteration is that many solves.  Copy and triad are made by hb_bench_stream instead. */
enum hb_status hb_bench_run(struct hb_bench_work *work, enum hb_bench_part part, int repeats,
                            double *seconds);

/* Collective.  Seconds of one copy and one triad over the arrays of all ranks at once, and the
 * bytes that this rank's move. */
enum hb_status hb_bench_stream(const struct hb_bench_work *work, double seconds[2],
                               double bytes[2]);

/* Bytes and flops of a part on this rank, by the model of the report (figures.h): every array once
 * for each pass that reads or writes it; of an exchange what is sent.  NaN where nothing counts. */
struct hb_bench_model {
  double bytes, flops;
};
enum hb_status hb_bench_model(const struct hb_bench_work *work,
                              struct hb_bench_model model[HB_NUM_BENCH_PARTS]);

#endif
