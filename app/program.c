/* SPDX-License-Identifier: BSD-3-Clause
 * Signals, locale and standard output of a program. */
#include "app/program.h"

#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

void hb_program_begin(void) {
  signal(SIGXFSZ, SIG_IGN);
  /* This thread's own: setlocale of others changes the process's, which it does not ask any more.
   */
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (plain != (locale_t)0) uselocale(plain);
}

enum hb_status hb_program_flush(void) {
  enum hb_status status = HB_OK;
  errno = 0;
  const bool flushed = fflush(stdout) == 0;
  if (!flushed || ferror(stdout))
    HB_FAIL(HB_MACHINE_FAILED,
            "standard output cannot be written: %s; what was printed is not whole",
            errno != 0 ? strerror(errno) : "an earlier write has failed");
done:
  return status;
}
