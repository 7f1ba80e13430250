/* SPDX-License-Identifier: BSD-3-Clause
 * Checksums of the output file: sums over items that depend on their place, so that ranks can form
 * them apart, each of its own items, and add.
 *
 *   checksum = sum over i of mix(v_i + (i + 1) 0x9e3779b97f4a7c15)       modulo 2^64
 *   mix(z):  z = (z ^ z >> 30) 0xbf58476d1ce4e5b9
 *            z = (z ^ z >> 27) 0x94d049bb133111eb
 *            z ^ z >> 31
 *
 * v_i is item i, 0 <= i, as an unsigned integer: a number's bits (1, 4 or 8 bytes), or one byte of
 * texts and rows of tables.  mix is one to one (splitmix64), so that one item that differs is
 * always seen; items that change places, or any others, but for one chance in 2^64.  In Python:
 *
 *   def mix(z):
 *       z = (z ^ z >> np.uint64(30)) * np.uint64(0xbf58476d1ce4e5b9)
 *       z = (z ^ z >> np.uint64(27)) * np.uint64(0x94d049bb133111eb)
 *       return z ^ z >> np.uint64(31)
 *   def checksum(array):                              # of file[PATH][()]
 *       size = array.dtype.itemsize if array.dtype.kind in 'iuf' else 1
 *       v = np.frombuffer(array.tobytes(), f'<u{size}').astype('u8')
 *       i = np.arange(1, v.size + 1, dtype='u8')
 *       return mix(v + i * np.uint64(0x9e3779b97f4a7c15)).sum()
 */
#ifndef HB_IO_CHECKSUM_H
#define HB_IO_CHECKSUM_H

#include "kernels/base.h"

/* The part of items first .. first + count - 1, of item_bytes = 1, 2, 4 or 8 bytes each. */
uint64_t hb_checksum(hb_global first, hb_global count, size_t item_bytes, const void *values);

/* The part of one more item, of value v. */
uint64_t hb_checksum_item(hb_global place, uint64_t v);

/* What an attribute adds to the checksum of the metadata: mix of the checksum of the bytes of
 * PATH NUL NAME NUL VALUE; the same for a dataset's shape and type, NAME being "". */
uint64_t hb_checksum_words(const char *path, const char *name, const void *value, size_t bytes);

#endif
