/* SPDX-License-Identifier: BSD-3-Clause
 * Child processes with limits, and how one has ended. */
#include "io/guard.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#if defined(__SANITIZE_ADDRESS__)
#define LIMITS_MEMORY 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define LIMITS_MEMORY 0
#endif
#endif
#ifndef LIMITS_MEMORY
#define LIMITS_MEMORY 1
#endif

/* Exit codes of a child that came to a result begin here: below are those of libraries that end a
 * process, and of sanitizers. */
enum { CODE_BASE = 64 };

/* Address space of this process in bytes, 0 if unknown. */
static hb_global own_address_space(void) {
  long long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL) return 0;
  if (fscanf(file, "%lld", &pages) != 1) pages = 0;
  fclose(file);
  return (hb_global)pages * (hb_global)sysconf(_SC_PAGESIZE);
}

/* Never raises a limit that the process has already. */
static const struct rlimit *lowered(struct rlimit *limit, hb_global most) {
  if (limit->rlim_cur == RLIM_INFINITY || limit->rlim_cur > (rlim_t)most)
    limit->rlim_cur = (rlim_t)most;
  return limit;
}

static void limit_child(const struct hb_guard_limits *limits) {
  static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGXCPU};
  struct rlimit limit;
  for (size_t f = 0; f < sizeof fatal / sizeof *fatal; f++) signal(fatal[f], SIG_DFL);
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL); /* it does not outlive a parent that is killed */
#endif
  if (getrlimit(RLIMIT_CORE, &limit) == 0) setrlimit(RLIMIT_CORE, lowered(&limit, 0));
  if (limits->cpu_seconds > 0 && getrlimit(RLIMIT_CPU, &limit) == 0)
    setrlimit(RLIMIT_CPU, lowered(&limit, limits->cpu_seconds));
  const hb_global own = own_address_space();
  if (LIMITS_MEMORY && limits->memory_bytes > 0 && own > 0 &&
      limits->memory_bytes < HB_GLOBAL_MAX - own && getrlimit(RLIMIT_AS, &limit) == 0)
    setrlimit(RLIMIT_AS, lowered(&limit, own + limits->memory_bytes));
}

/* The user's signals, sent to parent and child or to the child for a pipe that nobody reads. */
static bool from_outside(int signal_number) {
  static const int outside[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
  for (size_t o = 0; o < sizeof outside / sizeof *outside; o++)
    if (signal_number == outside[o]) return true;
  return false;
}

static enum hb_status explain(int ended, const struct hb_guard_limits *limits, int *code) {
  enum hb_status status = HB_OK;
  const int signal_number = WIFSIGNALED(ended) ? WTERMSIG(ended) : 0;
  const int exit_code = WIFEXITED(ended) ? WEXITSTATUS(ended) : 0;
  if (from_outside(signal_number)) {
    signal(signal_number, SIG_DFL);
    raise(signal_number);
  }
  if (signal_number == SIGXCPU)
    HB_FAIL(HB_MACHINE_FAILED, "the process came to no end in %lld s of processor time",
            (long long)limits->cpu_seconds);
  if (signal_number != 0)
    HB_FAIL(HB_MACHINE_FAILED, "the process was ended by signal %d (%s)", signal_number,
            strsignal(signal_number));
  if (exit_code < CODE_BASE || exit_code > CODE_BASE + HB_GUARD_MAX_CODE)
    HB_FAIL(HB_MACHINE_FAILED, "the process was ended by a library with exit code %d", exit_code);
  *code = exit_code - CODE_BASE;
done:
  return status;
}

enum hb_status hb_guard_run(const struct hb_guard_limits *limits, int (*work)(void *context),
                            void *context, int *code) {
  enum hb_status status = HB_OK;
  int ended = 0;
  fflush(NULL);             /* nothing is printed twice */
  signal(SIGCHLD, SIG_DFL); /* where it is ignored, a child that ended is not to be had */
  const pid_t child = fork();
  if (child < 0) HB_FAIL(HB_MACHINE_FAILED, "no process can be started: %s", strerror(errno));
  if (child == 0) {
    limit_child(limits);
    const int result = work(context);
    HB_ASSERT(result >= 0 && result <= HB_GUARD_MAX_CODE);
    exit(CODE_BASE + result); /* the one end of a child; leak checkers do their work here */
  }
  while (waitpid(child, &ended, 0) < 0)
    if (errno != EINTR) HB_FAIL(HB_MACHINE_FAILED, "the process is lost: %s", strerror(errno));
  HB_TRY(explain(ended, limits, code));
done:
  return status;
}
