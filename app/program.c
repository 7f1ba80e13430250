/* SPDX-License-Identifier: BSD-3-Clause
 * Signals, locale and standard output of a program; and the main function of those of ranks. */
#include "app/program.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "app/terminal.h"
#include "kernels/device.h"

void hb_program_begin(void) {
  signal(SIGXFSZ, SIG_IGN);
  /* This thread's own: setlocale of others changes the process's, which it does not ask any more.
   */
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (plain != (locale_t)0) uselocale(plain);
}

enum hb_status hb_program_flush(void) {
  enum hb_status status = HB_OK;
  errno = 0;
  const bool flushed = fflush(stdout) == 0;
  if (!flushed || ferror(stdout))
    HB_FAIL(HB_MACHINE_FAILED,
            "standard output cannot be written: %s; what was printed is not whole",
            errno != 0 ? strerror(errno) : "an earlier write has failed");
done:
  return status;
}

/* Collective.  What was printed must have arrived; `status`, of the run, is kept if that failed. */
static enum hb_status finish_output(const struct hb_comm *comm, enum hb_status status) {
  if (status > HB_GATE_FAILED) return status;
  const enum hb_status flushed = hb_comm_agree(comm, comm->rank == 0 ? hb_program_flush() : HB_OK);
  return flushed != HB_OK ? flushed : status;
}

int hb_program_run(const struct hb_program *program, int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct hb_comm *comm = NULL;
  void *state = NULL;
  int rank = 0;
  const bool attached = hb_terminal_attached(); /* MPI_Init makes a lone process look launched */
  hb_memory_keep();
  hb_program_begin();
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  status = hb_comm_create(MPI_COMM_WORLD, &comm);
  if (status == HB_OK) {
    state = hb_allocate(1, program->state_bytes, "run");
    status = hb_comm_agree(comm, state != NULL ? HB_OK : HB_MACHINE_FAILED);
  }
  if (status == HB_OK) {
    memset(state, 0, program->state_bytes);
    status = finish_output(comm, program->run(state, comm, argc, argv, attached));
  }
  hb_free(state);
  if (status >= program->least_told && rank == 0) hb_error_print(program->name);
  hb_comm_destroy(&comm);
  HB_ASSERT(hb_memory_use().live_allocations == 0);
  HB_ASSERT(hb_device_memory_use().live_allocations == 0);
  fflush(stdout);
  MPI_Finalize();
  return (int)status;
}
