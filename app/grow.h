/* SPDX-License-Identifier: BSD-3-Clause
 * Arrays that grow as they are filled. */
#ifndef HB_APP_GROW_H
#define HB_APP_GROW_H

#include "kernels/base.h"

/* The owned array with room for one more than its `count` entries of `size` bytes: itself, or a
 * larger copy in its place, whose capacity is in *capacity.  An array that is not there yet is
 * NULL.  NULL if memory is missing: the array is then as it was. */
void *hb_grown(void *array, int count, int *capacity, size_t size, const char *what);

#endif
