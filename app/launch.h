/* SPDX-License-Identifier: BSD-3-Clause
 * Was the program started by the launcher of its MPI library?  A launcher of another one starts
 * many programs of one rank, each of which would solve, and print a figure of, the whole problem.
 */
#ifndef HB_APP_LAUNCH_H
#define HB_APP_LAUNCH_H

#include "mesh/comm.h"

/* Collective; looks only where the communicator has one rank, so that all ranks return the same.
 * HB_BAD_INPUT if a launcher's variables say that it has started more than this program: names the
 * variable, what it says, and the cure.  Those of the launcher that is nearest count: mpirun's
 * before those of the batch system's step in which it runs. */
enum hb_status hb_launch_check(const struct hb_comm *comm);

#endif
