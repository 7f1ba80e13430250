/* SPDX-License-Identifier: BSD-3-Clause
 * How far a long stage is, told to whoever watches. */
#ifndef HB_APP_WATCH_H
#define HB_APP_WATCH_H

#include "kernels/base.h"

/* `done` of `total` steps of this rank's part of the stage are done.  Must not communicate. */
typedef void hb_watch(void *context, const char *stage, hb_global done, hb_global total);

struct hb_watcher {
  hb_watch *tell;
  void *context; /* passed to tell */
};

/* watcher may be NULL: nobody watches. */
static inline void hb_watcher_tell(const struct hb_watcher *watcher, const char *stage,
                                   hb_global done, hb_global total) {
  if (watcher != NULL) watcher->tell(watcher->context, stage, done, total);
}

#endif
