/* SPDX-License-Identifier: BSD-3-Clause
 * What launchers say of the number of ranks, in variables of the environment. */
#include "app/launch.h"

#include <stdlib.h>
#include <string.h>

/* A launcher and what it sets: the number of processes that it has started. */
struct launcher {
  const char *variable, *name;
};

/* Process managers of MPI libraries; they may run inside a step of a batch system. */
static const struct launcher managers[] = {
    {"OMPI_COMM_WORLD_SIZE", "Open MPI's mpirun"},
    {"MV2_COMM_WORLD_SIZE", "MVAPICH's mpirun_rsh"},
    {"PMI_SIZE", "a launcher by PMI (mpiexec of MPICH or Intel MPI, srun --mpi=pmi2)"},
    {"JSM_NAMESPACE_SIZE", "jsrun"},
};
/* Batch systems' steps; of PALS the processes on this host. */
static const struct launcher steps[] = {
    {"PALS_SIZE", "mpiexec of HPE's PALS"},
    {"PALS_LOCAL_SIZE", "mpiexec of HPE's PALS"},
    {"FLUX_JOB_SIZE", "flux run"},
    {"SLURM_STEP_NUM_TASKS", "srun"},
};

/* 0: not set, or no number. */
static long size_said(const char *variable) {
  const char *value = getenv(variable);
  char *end = NULL;
  if (value == NULL || *value == '\0') return 0;
  const long size = strtol(value, &end, 10);
  return *end == '\0' && size > 0 ? size : 0;
}

/* The first of the list that says more than one; *set: one of them is there. */
static const struct launcher *find(const struct launcher *list, size_t count, bool *set) {
  const struct launcher *found = NULL;
  *set = false;
  for (size_t i = 0; i < count; i++) {
    const long size = size_said(list[i].variable);
    if (size > 0) *set = true;
    if (size > 1 && found == NULL) found = &list[i];
  }
  return found;
}

enum hb_status hb_launch_check(const struct hb_comm *comm) {
  enum hb_status status = HB_OK;
  char mpi[MPI_MAX_LIBRARY_VERSION_STRING];
  bool managed = false, in_step = false;
  int length = 0;
  if (comm->size > 1) goto done;
  const struct launcher *by = find(managers, sizeof managers / sizeof *managers, &managed);
  if (by == NULL && !managed) by = find(steps, sizeof steps / sizeof *steps, &in_step);
  if (by == NULL) goto done;
  MPI_Get_library_version(mpi, &length);
  mpi[strcspn(mpi, "\n,")] = '\0';
  HB_FAIL(
      HB_BAD_INPUT,
      "this program runs alone, as one rank, but %s = %ld: %s has started as many programs that "
      "know nothing of each other, because it is not the launcher of this program's MPI library "
      "(%s); start it with that library's own mpirun or mpiexec, or under Slurm with the PMI "
      "that the library has (srun --mpi=list; pmix for Open MPI, pmi2 for MPICH), or under flux "
      "with its own PMI; if one rank is meant: env -u %s ...",
      by->variable, size_said(by->variable), by->name, mpi, by->variable);
done:
  return status;
}
