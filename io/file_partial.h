/* SPDX-License-Identifier: BSD-3-Clause
 * The file that a run writes before it has its name: one of the run's own, and the change of names.
 *
 * Several runs may be started with one NAME, on other hosts and in other containers too, as by a
 * launcher that starts many programs of one rank.  Each has a partial file of its own,
 * NAME.HOST-PID.partial, made new and locked; none touches another's, but for what a run of this
 * host has left that is gone.  The change of names is one step, and runs take turns at it where the
 * file system has locks: the first one has the name, those that come later are refused, and keep
 * their file under another.  Of one process; nothing here communicates. */
#ifndef HB_IO_FILE_PARTIAL_H
#define HB_IO_FILE_PARTIAL_H

#include <limits.h>

#include "kernels/base.h"

/* What was under a name at a time, to tell whether it has changed. */
struct hb_path_version {
  bool there;
  uint64_t device, inode;
  int64_t bytes, seconds, nanoseconds;
};
struct hb_path_version hb_path_version_of(const char *path);

/* Do both names lead to one file that is there? */
bool hb_path_is_same(const char *path, const char *other);

/* Where `path` leads to: a name that is a symbolic link stands for the file behind it, which need
 * not be there.  HB_BAD_INPUT if the links have no end. */
enum hb_status hb_path_follow(const char *path, char target[PATH_MAX]);

struct hb_partial {
  char target[PATH_MAX], name[PATH_MAX]; /* the file to be, without links; the partial one */
  int lock;                              /* open while it is this run's; -1: none is made */
  uint64_t device, inode;
};

/* HB_BAD_INPUT, with the file, if another program that lives is writing `path`: its partial file is
 * locked, or is of a process of this host.  Where neither can be told nobody is. */
enum hb_status hb_partial_check_free(const char *path);

/* Makes an empty partial file for `path`.  HB_MACHINE_FAILED if the folder takes none. */
enum hb_status hb_partial_make(const char *path, struct hb_partial *partial);

/* Is the file under the partial name still the one that was made? */
bool hb_partial_is_ours(const struct hb_partial *partial);

/* Flushes the partial file to disk and gives it the name, in a way that survives a power failure.
 * HB_BAD_INPUT: a file stands there that was not `before`, so it is another program's; it stays,
 * and this one is kept as NAME.HOST-PID with NAME's suffix, which the message says.  On failure the
 * name is as it was. */
enum hb_status hb_partial_publish(struct hb_partial *partial, const struct hb_path_version *before);

/* Removes a partial file that is still this run's.  Nothing happens where none is made. */
void hb_partial_abandon(struct hb_partial *partial);

#endif
