/* SPDX-License-Identifier: BSD-3-Clause
 * Options on several ranks: the same result or the same error everywhere, read by rank 0 alone. */
#include <mpi.h>
#include <string.h>
#include <unistd.h>

#include "app/options.h"
#include "tests/check.h"

enum { MESSAGE_BYTES = 2048 };

/* Collective.  Is the text the same on all ranks? */
static bool same_everywhere(const struct hb_comm *comm, const void *bytes, size_t size) {
  char *first = hb_allocate((hb_global)size, 1, "copy of rank 0");
  memcpy(first, bytes, size);
  MPI_Bcast(first, (int)size, MPI_CHAR, 0, comm->mpi);
  const hb_global others = memcmp(first, bytes, size) != 0;
  hb_free(first);
  return hb_comm_sum_global(comm, others) == 0;
}

/* Collective.  Fails with HB_BAD_INPUT and the same message on all ranks. */
static void check_refused(struct hb_check *check, const struct hb_comm *comm, int argc, char **argv,
                          const char *words) {
  struct hb_options options;
  char message[MESSAGE_BYTES] = "";
  hb_error_clear();
  CHECK_EQUAL(check, hb_options_parse(comm, argc, argv, &options), HB_BAD_INPUT);
  snprintf(message, sizeof message, "%s", hb_error_message());
  CHECK(check, strstr(message, words) != NULL);
  CHECK(check, same_everywhere(comm, message, sizeof message));
  hb_error_clear();
}

/* Collective. */
static void write_case(const struct hb_comm *comm, const char *path, const char *text) {
  if (comm->rank == 0) {
    FILE *file = fopen(path, "w");
    if (file != NULL) {
      fputs(text, file);
      fclose(file);
    }
  }
  hb_comm_barrier(comm);
}

static void check_case_file(struct hb_check *check, const struct hb_comm *comm, char *path) {
  struct hb_options options;
  char program[] = "helmbone", degree[] = "--degree", five[] = "5", wrong[] = "--degree=0";
  char *only_file[] = {program, path, NULL}, *over_file[] = {program, path, degree, five, NULL};
  char *before_file[] = {program, degree, five, path, NULL}, *bad[] = {program, path, wrong, NULL};
  write_case(comm, path, "[mesh]\ndegree = 3\nnx = 6\n[output]\nfile = out.vtkhdf\n");
  CHECK_OK(check, hb_options_parse(comm, 2, only_file, &options));
  CHECK(check, options.degree == 3 && options.nx == 6 && strcmp(options.case_file, path) == 0);
  CHECK(check, strcmp(options.file, "out.vtkhdf") == 0);
  CHECK(check, same_everywhere(comm, &options, sizeof options));
  CHECK_OK(check, hb_options_parse(comm, 4, over_file, &options));
  CHECK(check, options.degree == 5 && options.nx == 6);
  CHECK_OK(check, hb_options_parse(comm, 4, before_file, &options));
  CHECK(check, options.degree == 5 && options.nx == 6);
  check_refused(check, comm, 3, bad, "command line: --degree: '0' is out of range");
  write_case(comm, path, "[mesh]\ndegree = 3\nnx = six\n");
  check_refused(check, comm, 2, only_file, ".ini:3: nx: 'six' is not an integer");
}

/* A file that is too large, no file, and different arguments on the last rank. */
static void check_failures(struct hb_check *check, const struct hb_comm *comm, char *path) {
  struct hb_options options;
  char program[] = "helmbone", missing[] = "no/such/case.ini", five[] = "--degree=5";
  char six[] = "--degree=6", help[] = "--help";
  const bool last = comm->rank == comm->size - 1 && comm->size > 1;
  char *no_file[] = {program, missing, NULL}, *large[] = {program, path, NULL};
  char *differ[] = {program, last ? six : five, NULL};
  char *with_help[] = {program, missing, help, NULL};
  check_refused(check, comm, 2, no_file, "cannot open the case file 'no/such/case.ini': No such");
  if (comm->rank == 0) CHECK_EQUAL(check, truncate(path, (1 << 20) + 1), 0);
  hb_comm_barrier(comm);
  check_refused(check, comm, 2, large, "is too large; allowed: at most 1048576 bytes");
  if (comm->size > 1)
    check_refused(check, comm, 2, differ, "has other arguments than rank 0");
  else
    CHECK_OK(check, hb_options_parse(comm, 2, differ, &options));
  CHECK_OK(check, hb_options_parse(comm, 3, with_help, &options));
  CHECK(check, options.help && same_everywhere(comm, &options, sizeof options));
}

/* Only rank 0 opens the file: from the other ranks' folder its name leads nowhere. */
static void check_rank_0_reads(struct hb_check *check, const struct hb_comm *comm, char *path) {
  char program[] = "helmbone", *arguments[] = {program, path, NULL};
  struct hb_options options;
  write_case(comm, path, "[mesh]\nnz = 11\n");
  if (comm->rank != 0) CHECK_EQUAL(check, chdir("/"), 0);
  CHECK_OK(check, hb_options_parse(comm, 2, arguments, &options));
  CHECK_EQUAL(check, options.nz, 11);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  char path[64];
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  snprintf(path, sizeof path, "mpi_options_%d.ini", comm->size);
  check_case_file(&check, comm, path);
  check_failures(&check, comm, path);
  check_rank_0_reads(&check, comm, path);
  hb_comm_barrier(comm);
  if (comm->rank == 0) CHECK_EQUAL(&check, unlink(path), 0);
  hb_comm_destroy(&comm);
  MPI_Finalize();
  return hb_check_finish(&check);
}
