/* SPDX-License-Identifier: BSD-3-Clause
 * Terminal detection through launchers, and the line of progress. */
#include "app/terminal.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { COLUMNS = 79, TARGET_BYTES = 64 }; /* one line of the narrowest usual terminal */
static const double REDRAW_INTERVAL_S = 0.2;

static bool launched(void) {
  static const char *const variables[] = {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"};
  for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++)
    if (getenv(variables[i]) != NULL) return true;
  return false;
}

/* Standard output of the parent, by the name of what it is connected to. */
static bool parent_at_terminal(void) {
  char link[TARGET_BYTES], target[TARGET_BYTES];
  snprintf(link, sizeof link, "/proc/%ld/fd/1", (long)getppid());
  const ssize_t length = readlink(link, target, sizeof target - 1);
  if (length < 0) return false;
  target[length] = '\0';
  return strncmp(target, "/dev/pts/", 9) == 0 || strncmp(target, "/dev/tty", 8) == 0;
}

bool hb_terminal_attached(void) {
  return launched() ? parent_at_terminal() : isatty(STDOUT_FILENO) == 1;
}

static double now_s(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void hb_progress_init(struct hb_progress_line *line, FILE *stream, bool shown, bool redraws) {
  memset(line, 0, sizeof *line);
  line->stream = stream;
  line->shown = shown;
  line->redraws = redraws;
}

static void describe(char text[COLUMNS + 1], const char *label, hb_global done, hb_global total) {
  if (total > 0)
    snprintf(text, COLUMNS + 1, "%s: %lld of %lld (%.0f %%)", label, (long long)done,
             (long long)total, 100.0 * (double)done / (double)total);
  else
    snprintf(text, COLUMNS + 1, "%s: %lld", label, (long long)done);
}

/* Draws over the present line; blanks cover what is left of a longer one. */
static void draw(struct hb_progress_line *line, const char *text) {
  fprintf(line->stream, "\r%-*s", line->drawn, text);
  line->drawn = (int)strlen(text);
  line->last_s = now_s();
  fflush(line->stream);
}

void hb_progress_stage(struct hb_progress_line *line, const char *label) {
  char text[COLUMNS + 1];
  if (!line->shown) return;
  snprintf(text, sizeof text, "%s", label);
  if (line->redraws)
    draw(line, text);
  else
    fprintf(line->stream, "stage: %s\n", label);
  fflush(line->stream);
}

void hb_progress_update(struct hb_progress_line *line, const char *label, hb_global done,
                        hb_global total) {
  char text[COLUMNS + 1];
  if (!line->shown || !line->redraws || now_s() - line->last_s < REDRAW_INTERVAL_S) return;
  describe(text, label, done, total);
  draw(line, text);
}

void hb_progress_clear(struct hb_progress_line *line) {
  if (!line->shown || line->drawn == 0) return;
  draw(line, "");
  fputc('\r', line->stream);
  fflush(line->stream);
  line->drawn = 0;
}
