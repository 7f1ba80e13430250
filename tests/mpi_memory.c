/* SPDX-License-Identifier: BSD-3-Clause
 * Limits of memory: read from made-up systems, and judged with those that share them. */
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "app/figures.h"
#include "kernels/memory.h"
#include "tests/mesh_cases.h"

enum { PATH_BYTES = 512, TEXT_BYTES = 64 };
static const hb_global GIB = (hb_global)1 << 30;

/* Root of the files of a made-up system, one a rank. */
struct made_up {
  char root[PATH_BYTES];
};

static void begin(struct made_up *made_up) {
  snprintf(made_up->root, sizeof made_up->root, "/tmp/mpi_memory_XXXXXX");
  if (mkdtemp(made_up->root) == NULL) abort();
}

static void end(const struct made_up *made_up) {
  char command[2 * PATH_BYTES];
  snprintf(command, sizeof command, "rm -r '%s'", made_up->root);
  if (system(command) != 0) abort();
}

/* A file of the system; folders on the way are made. */
static void put(const struct made_up *made_up, const char *name, const char *text) {
  char path[2 * PATH_BYTES];
  snprintf(path, sizeof path, "%s%s", made_up->root, name);
  for (char *c = path + strlen(made_up->root) + 1; *c != '\0'; c++)
    if (*c == '/') {
      *c = '\0';
      mkdir(path, 0700);
      *c = '/';
    }
  FILE *file = fopen(path, "w");
  if (file == NULL || fputs(text, file) < 0 || fclose(file) != 0) abort();
}

static void put_number(const struct made_up *made_up, const char *folder, const char *name,
                       hb_global value) {
  char path[PATH_BYTES], text[TEXT_BYTES];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  snprintf(text, sizeof text, "%lld\n", (long long)value);
  put(made_up, path, text);
}

/* A level of version 2. */
static void put_v2(const struct made_up *made_up, const char *group, hb_global limit,
                   hb_global used) {
  char folder[PATH_BYTES];
  snprintf(folder, sizeof folder, "/sys/fs/cgroup%s", group);
  put_number(made_up, folder, "memory.max", limit);
  put_number(made_up, folder, "memory.current", used);
}

static void put_machine(const struct made_up *made_up, hb_global available) {
  char text[2 * TEXT_BYTES];
  snprintf(text, sizeof text, "MemTotal: 999 kB\nMemFree: 1 kB\nMemAvailable: %lld kB\n",
           (long long)(available / 1024));
  put(made_up, "/proc/meminfo", text);
}

static hb_global least(const struct made_up *made_up, struct hb_memory_limits *limits) {
  hb_global least = HB_GLOBAL_MAX;
  hb_memory_read_limits(made_up->root, limits);
  for (int l = 0; l < limits->count; l++)
    if (limits->limit[l].available < least) least = limits->limit[l].available;
  return least;
}

/* The limit is on a level above the process; pages that would be given back count as free. */
static void check_version_2(struct hb_check *check) {
  struct made_up made_up;
  struct hb_memory_limits limits;
  begin(&made_up);
  put_machine(&made_up, 100 * GIB);
  put(&made_up, "/proc/self/cgroup", "0::/slurm/job_7/step_0/task_1\n");
  put(&made_up, "/sys/fs/cgroup/slurm/job_7/step_0/task_1/memory.max", "max\n");
  put_number(&made_up, "/sys/fs/cgroup/slurm/job_7/step_0/task_1", "memory.current", GIB);
  put_v2(&made_up, "/slurm/job_7/step_0", 8 * GIB, 3 * GIB);
  put_v2(&made_up, "/slurm/job_7", 20 * GIB, 3 * GIB);
  CHECK_EQUAL(check, least(&made_up, &limits), 5 * GIB);
  CHECK(check, strcmp(limits.own_group, "/slurm/job_7/step_0/task_1") == 0);
  CHECK(check, limits.machine_known && limits.count == 3);
  CHECK(check, strcmp(limits.limit[1].group, "/slurm/job_7/step_0") == 0);
  put(&made_up, "/sys/fs/cgroup/slurm/job_7/step_0/memory.stat",
      "anon 7\ninactive_file 1073741824\nslab_reclaimable 1024\nactive_file 5\n");
  CHECK_EQUAL(check, least(&made_up, &limits), 6 * GIB + 1024);
  put_v2(&made_up, "/slurm/job_7", 4 * GIB, 3 * GIB); /* the smallest counts, wherever it is */
  CHECK_EQUAL(check, least(&made_up, &limits), GIB);
  put_v2(&made_up, "/slurm/job_7", 2 * GIB, 3 * GIB);
  CHECK_EQUAL(check, least(&made_up, &limits), 0);
  end(&made_up);
}

/* In a container the group's name leads nowhere: its files are at the root of what is mounted. */
static void check_container(struct hb_check *check) {
  struct made_up made_up;
  struct hb_memory_limits limits;
  begin(&made_up);
  put_machine(&made_up, 100 * GIB);
  put(&made_up, "/proc/self/cgroup",
      "5:cpu,cpuacct:/docker/1f\n4:memory:/docker/1f\n0::/docker/1f\n");
  put_number(&made_up, "/sys/fs/cgroup/memory", "memory.limit_in_bytes", 6 * GIB);
  put_number(&made_up, "/sys/fs/cgroup/memory", "memory.usage_in_bytes", 2 * GIB);
  put(&made_up, "/sys/fs/cgroup/memory/memory.stat", "inactive_file 5\ntotal_inactive_file 1024\n");
  CHECK_EQUAL(check, least(&made_up, &limits), 4 * GIB + 1024);
  put_number(&made_up, "/sys/fs/cgroup/memory/docker/1f", "memory.limit_in_bytes", 3 * GIB);
  put_number(&made_up, "/sys/fs/cgroup/memory/docker/1f", "memory.usage_in_bytes", 2 * GIB);
  CHECK_EQUAL(check, least(&made_up, &limits), GIB);
  CHECK(check, strcmp(limits.own_group, "/docker/1f") == 0);
  put_number(&made_up, "/sys/fs/cgroup/memory/docker/1f", "memory.limit_in_bytes",
             9223372036854771712); /* no limit, in version 1 */
  CHECK_EQUAL(check, least(&made_up, &limits), 4 * GIB + 1024);
  put(&made_up, "/proc/self/cgroup", "0::/\n"); /* version 2 with a name space of its own */
  put_v2(&made_up, "", 2 * GIB, GIB);
  CHECK_EQUAL(check, least(&made_up, &limits), GIB);
  CHECK(check, strcmp(limits.own_group, "/") == 0);
  end(&made_up);
}

/* Limit k of the process: 0 its addresses, 1 its data. */
static int get_limit(int k, struct rlimit *limit) {
  return k == 0 ? getrlimit(RLIMIT_AS, limit) : getrlimit(RLIMIT_DATA, limit);
}
static int set_limit(int k, const struct rlimit *limit) {
  return k == 0 ? setrlimit(RLIMIT_AS, limit) : setrlimit(RLIMIT_DATA, limit);
}

/* A system that tells nothing; the machine alone; the process's own limits. */
static void check_others(struct hb_check *check) {
  struct made_up made_up;
  struct hb_memory_limits limits;
  struct rlimit before, lower;
  char text[2 * TEXT_BYTES];
  begin(&made_up);
  hb_memory_read_limits(made_up.root, &limits);
  CHECK(check, limits.count == 0 && !limits.machine_known);
  put_machine(&made_up, 7 * GIB);
  CHECK_EQUAL(check, least(&made_up, &limits), 7 * GIB);
  /* Limits that do not stand in the way of this program, and what a made-up one uses of them. */
  const hb_global limit = (hb_global)1 << 46;
  snprintf(text, sizeof text, "Name: x\nVmSize:\t %lld kB\nVmData:\t %lld kB\n",
           (long long)((limit - 5 * GIB) / 1024), (long long)((limit - 4 * GIB) / 1024));
  put(&made_up, "/proc/self/status", text);
  for (int k = 0; k < 2; k++) {
    CHECK(check, get_limit(k, &before) == 0);
    lower = before;
    lower.rlim_cur = (rlim_t)limit;
    CHECK(check, set_limit(k, &lower) == 0);
    CHECK_EQUAL(check, least(&made_up, &limits), (5 - k) * GIB);
    CHECK(check, limits.limit[1].sharer == HB_MEMORY_OF_PROCESS);
    set_limit(k, &before);
  }
  CHECK(check, hb_memory_in_group("/a/b", "/a") && hb_memory_in_group("/a", "/a"));
  CHECK(check, hb_memory_in_group("/a", "/") && !hb_memory_in_group("/ab", "/a"));
  CHECK(check, !hb_memory_in_group("/a", "/a/b"));
  end(&made_up);
}

static enum hb_status judge(const struct hb_comm *comm, const struct made_up *made_up,
                            hb_global needed, bool *known) {
  const struct hb_entries entries = {.total = (double)needed};
  return hb_figures_check_memory(comm, &entries, made_up->root, known);
}

/* Every rank needs 1 GiB.  Its task's limit is its own, that of the step all ranks'. */
static void check_sharing(struct hb_check *check, const struct hb_comm *comm) {
  const hb_global all = comm->size;
  struct made_up made_up;
  char own[PATH_BYTES], line[2 * PATH_BYTES];
  bool known = false;
  begin(&made_up);
  put_machine(&made_up, (all + 1) * GIB);
  snprintf(own, sizeof own, "/job/step/task_%d", comm->rank);
  snprintf(line, sizeof line, "0::%s\n", own);
  put(&made_up, "/proc/self/cgroup", line);
  put_v2(&made_up, own, 3 * GIB / 2, 0);
  put_v2(&made_up, "/job/step", all * GIB + 7, 0);
  CHECK_OK(check, judge(comm, &made_up, GIB, &known));
  CHECK(check, known);
  put_v2(&made_up, "/job/step", all * GIB - 1, 0);
  CHECK_FAILS(check, judge(comm, &made_up, GIB, &known), HB_MACHINE_FAILED,
              "their group /job/step");
  put_v2(&made_up, "/job/step", all * GIB, 0);
  put_v2(&made_up, own, comm->rank == comm->size - 1 ? GIB - 1 : GIB, 0); /* one rank's alone */
  CHECK_FAILS(check, judge(comm, &made_up, GIB, &known), HB_MACHINE_FAILED,
              "1 ranks of a node need");
  put_v2(&made_up, own, GIB, 0);
  CHECK_OK(check, judge(comm, &made_up, GIB, &known));
  put_machine(&made_up, all * GIB - 1024);
  CHECK_FAILS(check, judge(comm, &made_up, GIB, &known), HB_MACHINE_FAILED, "ranks of a node need");
  end(&made_up);
  begin(&made_up); /* one rank's node says nothing */
  if (comm->rank > 0) put_machine(&made_up, (all + 1) * GIB);
  CHECK_OK(check, judge(comm, &made_up, GIB, &known));
  CHECK(check, !known);
  end(&made_up);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  if (comm->rank == 0) {
    check_version_2(&check);
    check_container(&check);
    check_others(&check);
  }
  check_sharing(&check, comm);
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}
