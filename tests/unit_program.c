/* SPDX-License-Identifier: BSD-3-Clause
 * A locale with decimal commas that a library sets changes no number; files that may not grow do
 * not end the program; output that is lost is noticed. */
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "app/options_table.h"
#include "app/program.h"
#include "tests/check.h"

/* Makes a locale with commas in a folder of its own; false: it cannot be had here. */
static bool make_comma(char folder[64]) {
  char command[256];
  snprintf(folder, 64, "/tmp/unit_program_XXXXXX");
  if (mkdtemp(folder) == NULL) return false;
  snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
           folder);
  if (system(command) != 0) return false;
  setenv("LOCPATH", folder, 1);
  return setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
}

static void check_locale(struct hb_check *check) {
  char folder[64], text[64], command[128];
  const char *const words[] = {"unit_program", "--lx", "1.5", "--h1=2.25e-3"};
  char *arguments[4];
  struct hb_options options;
  if (make_comma(folder)) {
    snprintf(text, sizeof text, "%g", 1.5);
    CHECK(check, strcmp(text, "1,5") == 0); /* it has commas, indeed */
    hb_program_begin();
    CHECK(check, setlocale(LC_ALL, "de_DE.UTF-8") != NULL); /* of a library, later on */
    snprintf(text, sizeof text, "%g", 1.5);
    CHECK(check, strcmp(text, "1.5") == 0);
    for (int i = 0; i < 4; i++) arguments[i] = strdup(words[i]);
    hb_options_defaults(&options);
    CHECK(check, options.amplitude == 0.05);
    CHECK_OK(check, hb_option_read_arguments(hb_options_table(), 4, arguments, &options));
    CHECK(check, options.lx == 1.5 && options.h1 == 2.25e-3);
    for (int i = 0; i < 4; i++) free(arguments[i]);
  } else {
    printf("left out: no locale with decimal commas can be made here\n");
  }
  snprintf(command, sizeof command, "rm -rf %s", folder);
  CHECK_EQUAL(check, system(command), 0);
}

/* A child that writes much to a file that may not grow, and little to `to`; its exit status. */
static int status_of_child(const char *to, rlim_t most) {
  int status = -1;
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit limit = {most, RLIM_INFINITY};
    hb_program_begin();
    if (freopen(to, "w", stdout) == NULL || setrlimit(RLIMIT_FSIZE, &limit) != 0) _exit(9);
    for (int i = 0; i < 1000; i++) printf("%08d\n", i);
    _exit((int)hb_program_flush());
  }
  return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

static void check_output(struct hb_check *check) {
  char name[] = "/tmp/unit_program_file_XXXXXX";
  const int file = mkstemp(name);
  CHECK(check, file >= 0);
  close(file);
  int status = status_of_child(name, RLIM_INFINITY);
  CHECK(check, WIFEXITED(status) && WEXITSTATUS(status) == HB_OK);
  status = status_of_child(name, 5000); /* would be signal SIGXFSZ */
  CHECK(check, WIFEXITED(status) && WEXITSTATUS(status) == HB_MACHINE_FAILED);
  status = status_of_child("/dev/full", RLIM_INFINITY);
  CHECK(check, WIFEXITED(status) && WEXITSTATUS(status) == HB_MACHINE_FAILED);
  unlink(name);
}

int main(void) {
  struct hb_check check = {0, 0};
  check_output(&check);
  check_locale(&check);
  return hb_check_finish(&check);
}
