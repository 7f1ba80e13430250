/* SPDX-License-Identifier: BSD-3-Clause
 * The watchdogs of a node, and the memory that they share. */
#include "app/watchdog.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { WORDS_BYTES = 4096, HOST_BYTES = 64 };
static const double LONGEST_LOOK_S = 0.5, LOOKS = 16.0; /* in the time given */
/* From the decision to the end of the process: of the rank that speaks where ranks hold up its
 * node; where none does, so that the node of one that does is heard; of all others. */
static const double AFTER_SPEAKING_S = 1.0, BEFORE_SPEAKING_S = 5.0, SILENT_S = 8.0;

/* What a thread remembers of a rank of its node. */
struct memory {
  unsigned long long steps, beats;
  double moved, beaten; /* when it saw these change */
};

struct hb_watchdog {
  MPI_Win window;          /* owned: of the pulses */
  struct hb_pulse **pulse; /* owned [count]; the pulses are the window's */
  struct memory *memory;   /* owned [count], as the next: the thread's */
  struct hb_watched *seen;
  int count, own; /* ranks of the node, and which of them this is */
  double seconds;
  bool started;
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t wake;
  bool ends; /* under the lock */
};

static double now_s(void) {
  struct timespec now = {0};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Sleeps; true if the watchdog is asked to end. */
static bool rest(struct hb_watchdog *dog, double seconds) {
  struct timespec until = {0};
  clock_gettime(CLOCK_MONOTONIC, &until);
  const long nanoseconds = until.tv_nsec + (long)(1e9 * (seconds - (double)(long)seconds));
  until.tv_sec += (long)seconds + nanoseconds / 1000000000L;
  until.tv_nsec = nanoseconds % 1000000000L;
  pthread_mutex_lock(&dog->lock);
  int timeout = 0;
  while (!dog->ends && timeout == 0)
    timeout = pthread_cond_timedwait(&dog->wake, &dog->lock, &until);
  const bool ends = dog->ends;
  pthread_mutex_unlock(&dog->lock);
  return ends;
}

/* Looks at all ranks; when the last of them moved. */
static double look(struct hb_watchdog *dog, double now) {
  double last = 0.0;
  for (int r = 0; r < dog->count; r++) {
    struct memory *memory = &dog->memory[r];
    const unsigned long long steps = atomic_load(&dog->pulse[r]->steps);
    const unsigned long long beats = atomic_load(&dog->pulse[r]->beats);
    if (steps != memory->steps) memory->moved = now;
    if (beats != memory->beats) memory->beaten = now;
    memory->steps = steps;
    memory->beats = beats;
    if (memory->moved > last) last = memory->moved;
  }
  return last;
}

/* The lowest rank of the node whose thread beats. */
static bool speaks(const struct hb_watchdog *dog) {
  for (int r = 0; r < dog->own; r++)
    if (dog->seen[r].beats) return false;
  return true;
}

static void speak(const struct hb_watchdog *dog, const char *who) {
  char words[WORDS_BYTES + 256], host[HOST_BYTES] = "";
  if (gethostname(host, sizeof host - 1) != 0) host[0] = '\0';
  const int length =
      snprintf(words, sizeof words, "helmbone: error: watchdog: no progress for %.1f s on %s: %s\n",
               dog->seconds, host, who);
  const size_t bytes = length < (int)sizeof words ? (size_t)length : sizeof words - 1;
  if (write(STDERR_FILENO, words, bytes) < 0) return; /* nobody can be told */
}

/* Nothing has moved: this process ends, unless the run goes on after all. */
static void end_run(struct hb_watchdog *dog, double now) {
  char who[WORDS_BYTES];
  for (int r = 0; r < dog->count; r++) {
    struct hb_pulse *pulse = dog->pulse[r];
    dog->seen[r] = (struct hb_watched){.rank = pulse->rank,
                                       .process = pulse->process,
                                       .phase = atomic_load(&pulse->phase),
                                       .solve = atomic_load(&pulse->solve),
                                       .iteration = atomic_load(&pulse->iteration),
                                       .waits = atomic_load(&pulse->waits) != 0,
                                       .beats = now - dog->memory[r].beaten < 0.5 * dog->seconds,
                                       .stage = pulse->stage};
  }
  dog->seen[dog->own].beats = true;
  const bool held_up = hb_watchdog_judge(dog->count, dog->seen, sizeof who, who);
  const bool first = speaks(dog);
  if (first && held_up) {
    speak(dog, who);
    (void)rest(dog, AFTER_SPEAKING_S);
    _exit(HB_MACHINE_FAILED);
  }
  if (rest(dog, first ? BEFORE_SPEAKING_S : SILENT_S)) return;
  if (look(dog, now_s()) > now) return;
  if (first) speak(dog, who);
  _exit(HB_MACHINE_FAILED);
}

static void *watch(void *argument) {
  struct hb_watchdog *dog = argument;
  const double look_s = hb_min(LONGEST_LOOK_S, dog->seconds / LOOKS);
  const double start = now_s();
  for (int r = 0; r < dog->count; r++)
    dog->memory[r] = (struct memory){.moved = start, .beaten = start};
  while (!rest(dog, look_s)) {
    const double now = now_s();
    atomic_fetch_add(&dog->pulse[dog->own]->beats, 1);
    if (now - look(dog, now) > dog->seconds) end_run(dog, now);
  }
  return NULL;
}

/* Collective over the node.  Each rank's pulse in memory that all of them see. */
static void share(const struct hb_comm *comm, struct hb_watchdog *dog) {
  struct hb_pulse *mine = NULL;
  /* Room to put it where its type may stand, whatever the window is aligned to. */
  const MPI_Aint bytes = (MPI_Aint)(sizeof *mine + _Alignof(struct hb_pulse));
  char *base = NULL;
  MPI_Win_allocate_shared(bytes, 1, MPI_INFO_NULL, comm->node, &base, &dog->window);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, dog->window);
  for (int r = 0; r < dog->count; r++) {
    MPI_Aint size = 0;
    int unit = 0;
    MPI_Win_shared_query(dog->window, r, &size, &unit, &base);
    /* The window begins at a page, so that all processes skip the same number of bytes. */
    const uintptr_t align = _Alignof(struct hb_pulse);
    dog->pulse[r] = (struct hb_pulse *)(((uintptr_t)base + align - 1) / align * align);
  }
  mine = dog->pulse[dog->own];
  memset(mine, 0, sizeof *mine);
  mine->rank = comm->rank;
  mine->process = (long)getpid();
  hb_pulse_stage(mine, "beginning");
  MPI_Win_sync(dog->window);
  MPI_Barrier(comm->node);
}

static enum hb_status start_thread(struct hb_watchdog *dog) {
  enum hb_status status = HB_OK;
  pthread_condattr_t attributes;
  sigset_t all, before;
  pthread_condattr_init(&attributes);
  pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_mutex_init(&dog->lock, NULL);
  pthread_cond_init(&dog->wake, &attributes);
  pthread_condattr_destroy(&attributes);
  sigfillset(&all); /* signals are the rank's */
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int failure = pthread_create(&dog->thread, NULL, watch, dog);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  dog->started = failure == 0;
  if (failure != 0)
    HB_FAIL(HB_MACHINE_FAILED, "watchdog: no thread can be started: %s", strerror(failure));
done:
  return status;
}

static enum hb_status allocate(const struct hb_comm *comm, double seconds,
                               struct hb_watchdog **watchdog) {
  enum hb_status status = HB_OK;
  struct hb_watchdog *dog = NULL;
  HB_ALLOC(dog, 1, "watchdog");
  memset(dog, 0, sizeof *dog);
  *watchdog = dog;
  dog->window = MPI_WIN_NULL;
  dog->count = comm->node_size;
  dog->own = comm->node_rank;
  dog->seconds = seconds;
  HB_ALLOC(dog->pulse, dog->count, "watchdog");
  HB_ALLOC(dog->memory, dog->count, "watchdog");
  HB_ALLOC(dog->seen, dog->count, "watchdog");
done:
  return status;
}

enum hb_status hb_watchdog_start(const struct hb_comm *comm, double seconds,
                                 struct hb_watchdog **watchdog) {
  enum hb_status status = HB_OK;
  *watchdog = NULL;
  HB_TRY(hb_comm_agree(comm, allocate(comm, seconds, watchdog)));
  share(comm, *watchdog);
  HB_TRY(hb_comm_agree(comm, start_thread(*watchdog)));
done:
  if (status != HB_OK) hb_watchdog_stop(watchdog);
  return status;
}

void hb_watchdog_stop(struct hb_watchdog **watchdog) {
  struct hb_watchdog *dog = *watchdog;
  if (dog == NULL) return;
  if (dog->started) {
    pthread_mutex_lock(&dog->lock);
    dog->ends = true;
    pthread_cond_signal(&dog->wake);
    pthread_mutex_unlock(&dog->lock);
    pthread_join(dog->thread, NULL);
    pthread_cond_destroy(&dog->wake);
    pthread_mutex_destroy(&dog->lock);
  }
  if (dog->window != MPI_WIN_NULL) {
    MPI_Win_unlock_all(dog->window);
    MPI_Win_free(&dog->window);
  }
  hb_free(dog->pulse);
  hb_free(dog->memory);
  hb_free(dog->seen);
  hb_free(dog);
  *watchdog = NULL;
}

struct hb_pulse *hb_watchdog_pulse(struct hb_watchdog *watchdog) {
  return watchdog != NULL ? watchdog->pulse[watchdog->own] : NULL;
}
