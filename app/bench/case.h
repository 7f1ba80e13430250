/* SPDX-License-Identifier: BSD-3-Clause
 * A configuration of helmbone-bench, set up as the solver program sets up a solve. */
#ifndef HB_APP_BENCH_CASE_H
#define HB_APP_BENCH_CASE_H

#include "app/bench/options.h"

struct hb_bench_place {
  bool interpreted;   /* by an interpreter of machine code: times mean nothing */
  double cache_bytes; /* last-level, a rank's share */
  double points;      /* of a rank, about, where the options leave it open */
};

/* Collective.  Where the program runs: opens the devices once, says on standard error what is wrong
 * with them.  `words` [bytes]: processor or GPU. */
enum hb_status hb_bench_look(const struct hb_comm *comm, const struct hb_bench_options *options,
                             struct hb_bench_place *place, size_t bytes, char *words);

struct hb_bench_configuration {
  int degree;
  enum hb_precision precision;
  enum hb_geometry_mode mode;
  const char *kernel; /* a variant's name, or "auto" */
};

struct hb_bench_case {
  struct hb_bench_configuration configuration;
  struct hb_options options; /* of a solve */
  struct hb_timers timers;
  struct hb_plan *plan; /* owned, as all below */
  struct hb_solver *solver;
  struct hb_bench_work work;
};

/* Collective.  An undeformed box of about as many points a rank as the options or the place say,
 * in equal parts.  HB_BAD_INPUT: there is no such kernel, or the options are impossible, as the
 * message says; HB_MACHINE_FAILED: memory or device, or no shape of a GPU's kernel is right. */
enum hb_status hb_bench_case_create(const struct hb_comm *comm,
                                    const struct hb_bench_options *options,
                                    const struct hb_bench_place *place,
                                    const struct hb_bench_configuration *configuration,
                                    struct hb_bench_case **out);
/* Collective.  The same kernel on a few bent elements, whose factors are all different and none of
 * which is zero: what it computes is looked at there, too.  *out is NULL where the geometry's mode
 * has no bent elements. */
enum hb_status hb_bench_case_bend(const struct hb_comm *comm,
                                  const struct hb_bench_options *options,
                                  const struct hb_bench_place *place,
                                  const struct hb_bench_configuration *configuration,
                                  struct hb_bench_case **out);
/* Not collective.  Accepts NULL, clears the caller's pointer. */
void hb_bench_case_destroy(struct hb_bench_case **out);

/* Elements along each axis of a rank's part: of about `points` unique points of this degree. */
void hb_bench_sizes(double points, int degree, hb_global elements[3]);

#endif
