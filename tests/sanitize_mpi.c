/* SPDX-License-Identifier: BSD-3-Clause
 * For the leak sanitizer: what MPI allocates at its start and end is MPI's own, and libraries that
 * it has loaded stay, so that reports know them (lsan.supp).  Linked into what starts
 * MPI in sanitizer builds. */
#include <mpi.h>
#include <sanitizer/lsan_interface.h>

int MPI_Init(int *num_arguments, char ***arguments) {
  __lsan_disable();
  const int code = PMPI_Init(num_arguments, arguments);
  __lsan_enable();
  return code;
}

int MPI_Finalize(void) {
  __lsan_disable();
  const int code = PMPI_Finalize();
  __lsan_enable();
  return code;
}

int dlclose(void *handle);
int dlclose(void *handle) {
  (void)handle;
  return 0;
}
