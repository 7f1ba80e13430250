/* SPDX-License-Identifier: BSD-3-Clause
 * Which kernel a run on GPUs takes: as the options pin it, as an earlier run found, as rank 0 times
 * it, or the table's default; the same on all ranks. */
#ifndef HB_APP_TUNING_H
#define HB_APP_TUNING_H

#include <stdio.h>

#include "app/device_binding.h"
#include "app/options.h"
#include "app/tuning_file.h"
#include "kernels/tune/autotune.h"

enum hb_tuning_reason {
  HB_TUNING_PENDING,     /* nothing yet: hb_tuning_run times the candidates */
  HB_TUNING_FASTEST,     /* of those timed */
  HB_TUNING_TIE,         /* the simplest of those that cannot be told from the fastest */
  HB_TUNING_FROM_FILE,   /* an earlier run's */
  HB_TUNING_PINNED,      /* the only one that the options leave */
  HB_TUNING_ONLY,        /* the only one there is */
  HB_TUNING_OFF,         /* autotune = no: the default */
  HB_TUNING_INTERPRETED, /* the same, where times would mean nothing */
  HB_NUM_TUNING_REASONS
};

/* What decides about the kernel, the same on all ranks. */
struct hb_tuning_case {
  int n;
  struct hb_geometry geometry; /* whatever its mode */
  unsigned modes;              /* that may be taken, bits 1 << mode */
  enum hb_precision precision;
  bool with_preconditioner;
  hb_local max_elements; /* of the rank that has most */
};

struct hb_tuning {
  const struct hb_comm *comm; /* borrowed, as the next two */
  const struct hb_options *options;
  const struct hb_device_binding *binding;
  struct hb_tuning_case of;
  enum hb_tuning_reason reason;
  struct hb_kernel kernel; /* the choice; variant NULL and the default's mode while it is pending */
  /* What the options leave, [count], the same on all ranks; owned.  Errors and times on rank 0. */
  struct hb_candidate *candidates;
  int count;
  hb_local num_elements;                 /* that are, or would be, timed on */
  char *key;                             /* in the file, on rank 0; owned, NULL until needed */
  char warning[HB_TUNING_WARNING_BYTES]; /* of the file, on rank 0; empty: none */
};

/* Collective.  Finds the candidates, and decides if that needs no timing.  HB_BAD_INPUT: no kernel
 * is as the options pin it (says what is possible), the tuning file is something else, the ranks
 * have GPUs of several architectures, or --retune meets autotune = no. */
enum hb_status hb_tuning_create(const struct hb_comm *comm, const struct hb_options *options,
                                const struct hb_device_binding *binding,
                                const struct hb_tuning_case *of, struct hb_tuning **tuning);
/* Not collective.  Accepts NULL, clears the caller's pointer. */
void hb_tuning_destroy(struct hb_tuning **tuning);

/* Collective.  If the choice is pending: rank 0 verifies and times the candidates on its device,
 * and all ranks take what it finds; it is kept in the tuning file.  HB_MACHINE_FAILED if no
 * candidate is right. */
enum hb_status hb_tuning_run(struct hb_tuning *tuning);

/* Was anything timed in this run? */
static inline bool hb_tuning_timed(const struct hb_tuning *tuning) {
  return tuning->reason == HB_TUNING_FASTEST || tuning->reason == HB_TUNING_TIE;
}

/* Not collective; called on rank 0.  Lines on what is chosen or will be timed; after hb_tuning_run
 * on each candidate and the choice; warnings to `warnings`, once. */
void hb_tuning_print_plan(FILE *stream, const struct hb_tuning *tuning);
void hb_tuning_print_results(FILE *stream, const struct hb_tuning *tuning);
void hb_tuning_print_warning(FILE *warnings, struct hb_tuning *tuning);

/* Why the kernel is what it is, in words, with the file's name where it is from there. */
void hb_tuning_reason_words(const struct hb_tuning *tuning, size_t size, char *text);

/* Not collective.  HB_BAD_INPUT if the options pin a shape and the run is on the host. */
enum hb_status hb_tuning_check_host(const struct hb_options *options);

/* Not collective.  The GPU is an interpreter of machine code: its times mean nothing. */
bool hb_binding_is_interpreted(const struct hb_device_binding *binding);

#endif
