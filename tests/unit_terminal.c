/* SPDX-License-Identifier: BSD-3-Clause
 * Who is looking (a terminal, a file, a launcher between them), and what a line of progress
 * prints. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "app/terminal.h"
#include "tests/check.h"

enum { TEXT_BYTES = 4096 };

static const char *const launchers[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};

static void set_launcher(const char *variable) {
  for (int i = 0; i < 3; i++) unsetenv(launchers[i]);
  if (variable != NULL) setenv(variable, "0", 1);
}

/* What hb_terminal_attached says in a process whose standard output is `own` and whose parent's is
 * `parent`; -1 if no process could be had. */
static int attached(const char *launcher, int own, int parent) {
  int result = -1;
  fflush(stdout);
  const pid_t middle = fork();
  if (middle == 0) {
    dup2(parent, STDOUT_FILENO);
    const pid_t child = fork();
    if (child == 0) {
      dup2(own, STDOUT_FILENO);
      set_launcher(launcher);
      _exit(hb_terminal_attached() ? 1 : 0);
    }
    if (child < 0 || waitpid(child, &result, 0) != child) _exit(2);
    _exit(WIFEXITED(result) ? WEXITSTATUS(result) : 2);
  }
  if (middle < 0 || waitpid(middle, &result, 0) != middle || !WIFEXITED(result)) return -1;
  return WEXITSTATUS(result) <= 1 ? WEXITSTATUS(result) : -1;
}

static void check_attached(struct hb_check *check) {
  const int file = open("/dev/null", O_WRONLY);
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  CHECK(check, file >= 0 && master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
  const int terminal = open(ptsname(master), O_RDWR | O_NOCTTY);
  CHECK(check, terminal >= 0);
  CHECK_EQUAL(check, attached(NULL, terminal, file), 1);
  CHECK_EQUAL(check, attached(NULL, file, terminal), 0);
  for (int i = 0; i < 3; i++) { /* behind a launcher only the launcher's output counts */
    CHECK_EQUAL(check, attached(launchers[i], terminal, file), 0);
    CHECK_EQUAL(check, attached(launchers[i], file, terminal), 1);
    CHECK_EQUAL(check, attached(launchers[i], terminal, terminal), 1);
  }
  close(terminal);
  close(master);
  close(file);
}

static void wait_for(double seconds) {
  const struct timespec time = {0, (long)(1e9 * seconds)};
  nanosleep(&time, NULL);
}

/* What a run of four steps prints; the third comes late enough to be drawn, the others do not. */
static void run(bool shown, bool redraws, const char *label, char text[TEXT_BYTES]) {
  struct hb_progress_line line;
  FILE *stream = tmpfile();
  hb_progress_init(&line, stream, shown, redraws);
  hb_progress_stage(&line, label);
  hb_progress_update(&line, label, 1, 4);
  hb_progress_update(&line, label, 2, 4);
  wait_for(0.25);
  hb_progress_update(&line, "cg", 3, 4);
  hb_progress_update(&line, label, 4, 4);
  hb_progress_clear(&line);
  rewind(stream);
  text[fread(text, 1, TEXT_BYTES - 1, stream)] = '\0';
  fclose(stream);
}

static void check_lines(struct hb_check *check) {
  char text[TEXT_BYTES], label[200];
  run(false, true, "solve", text);
  CHECK(check, strcmp(text, "") == 0);
  run(true, false, "solve", text);
  CHECK(check, strcmp(text, "stage: solve\n") == 0);
  run(true, true, "solve", text);
  CHECK(check, strcmp(text, "\rsolve\rcg: 3 of 4 (75 %)\r                 \r") == 0);
  memset(label, 'x', sizeof label);
  label[sizeof label - 1] = '\0';
  run(true, true, label, text); /* never wider than a terminal, or it could not be drawn over */
  CHECK_EQUAL(check, strcspn(text + 1, "\r"), 79);
  CHECK(check, strchr(text, '\n') == NULL);
}

static void check_without_total(struct hb_check *check) {
  struct hb_progress_line line;
  char text[TEXT_BYTES];
  FILE *stream = tmpfile();
  hb_progress_init(&line, stream, true, true);
  hb_progress_update(&line, "tune", 12, 0);
  rewind(stream);
  text[fread(text, 1, TEXT_BYTES - 1, stream)] = '\0';
  fclose(stream);
  CHECK(check, strcmp(text, "\rtune: 12") == 0);
}

int main(void) {
  struct hb_check check = {0, 0};
  check_attached(&check);
  check_lines(&check);
  check_without_total(&check);
  return hb_check_finish(&check);
}
