/* SPDX-License-Identifier: BSD-3-Clause
 * Many programs of one rank, started by a launcher that is not their MPI library's, are refused. */
#include <stdlib.h>

#include "app/launch.h"
#include "tests/check.h"

static const char *const variables[] = {
    "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE",
    "JSM_NAMESPACE_SIZE",   "PALS_SIZE",           "PALS_LOCAL_SIZE",
    "FLUX_JOB_SIZE",        "SLURM_STEP_NUM_TASKS"};
enum { NUM_VARIABLES = sizeof variables / sizeof *variables };

static void forget(void) {
  for (int v = 0; v < NUM_VARIABLES; v++) unsetenv(variables[v]);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  MPI_Init(&argc, &argv);
  const struct hb_comm alone = {.mpi = MPI_COMM_WORLD, .size = 1};
  const struct hb_comm several = {.mpi = MPI_COMM_WORLD, .size = 4};
  forget();
  CHECK_OK(&check, hb_launch_check(&alone));
  for (int v = 0; v < NUM_VARIABLES; v++) {
    char cure[128];
    snprintf(cure, sizeof cure, "env -u %s", variables[v]);
    setenv(variables[v], "4", 1);
    CHECK_FAILS(&check, hb_launch_check(&alone), HB_BAD_INPUT, cure);
    CHECK_OK(&check, hb_launch_check(&several));
    setenv(variables[v], "1", 1);
    CHECK_OK(&check, hb_launch_check(&alone));
    setenv(variables[v], "many", 1); /* says nothing */
    CHECK_OK(&check, hb_launch_check(&alone));
    forget();
  }
  /* Daemons of an mpirun are a step of several tasks; what they start is one rank. */
  setenv("SLURM_STEP_NUM_TASKS", "4", 1);
  setenv("OMPI_COMM_WORLD_SIZE", "1", 1);
  CHECK_OK(&check, hb_launch_check(&alone));
  /* Slurm's PMI, which the MPI library does not have. */
  setenv("PMI_SIZE", "4", 1);
  CHECK_FAILS(&check, hb_launch_check(&alone), HB_BAD_INPUT, "PMI_SIZE = 4");
  MPI_Finalize();
  return hb_check_finish(&check);
}
