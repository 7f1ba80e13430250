/* SPDX-License-Identifier: BSD-3-Clause
 * Small helpers over HDF5 that writer and reader share; for io/ only.
 *
 * Nothing here is collective: HDF5 is called by rank 0 alone, or by a serial reader. */
#ifndef HB_IO_FILE_HDF5_H
#define HB_IO_FILE_HDF5_H

#include <hdf5.h>

#include "io/field_file.h"

enum { HB_HDF5_NAME_BYTES = 256 };

/* HDF5 prints nothing of its own from here on. */
void hb_hdf5_silence(void);

/* The innermost entry of HDF5's error stack, right after a call that failed. */
void hb_hdf5_reason(char reason[HB_HDF5_NAME_BYTES]);

/* `result` is what an HDF5 call returned.  Negative: HB_MACHINE_FAILED "cannot ACTION NAME:
 * reason". */
enum hb_status hb_hdf5_check(int64_t result, const char *action, const char *name);

/* Closes any kind of identifier and sets it to H5I_INVALID_HID; negative ones are left alone. */
void hb_hdf5_release(hid_t *id);

/* Access of one process through POSIX calls, without file locks. */
enum hb_status hb_hdf5_access_serial(hid_t *access);

/* Property list of datasets: contiguous, storage allocated at once and never filled. */
enum hb_status hb_hdf5_dataset_properties(hid_t *properties);

/* Text of `width` bytes, filled with NUL, UTF-8 or ASCII. */
enum hb_status hb_hdf5_fixed_text(size_t width, H5T_cset_t characters, hid_t *type);

/* Truth values as h5py has them: enum of int8, FALSE = 0, TRUE = 1. */
enum hb_status hb_hdf5_truth(hid_t *type);
bool hb_hdf5_is_truth(hid_t type);

/* Makes group `path` and those on the way; one that is there is fine. */
enum hb_status hb_hdf5_make_group(hid_t file, const char *path);

/* Makes and writes a scalar attribute of the object `path`; HB_BAD_INPUT if it is there.  What it
 * adds to the checksum of the metadata is added to *metadata. */
enum hb_status hb_hdf5_write_attribute(hid_t file, const char *path,
                                       const struct hb_field_file_attribute *attribute,
                                       uint64_t *metadata);

/* The same for a text attribute of `object`, which is open and called `path`; NULL text: none is
 * made. */
enum hb_status hb_hdf5_write_text(hid_t object, const char *path, const char *name,
                                  const char *text, uint64_t *metadata);

/* Makes and writes attribute `name` of the object `path`: a checksum, uint64. */
enum hb_status hb_hdf5_write_checksum(hid_t file, const char *path, const char *name,
                                      uint64_t value);

/* Adds a dataset's shape and type to *metadata (words: io/schema.h). */
enum hb_status hb_hdf5_describe(hid_t dataset, const char *path, uint64_t *metadata);

/* Bytes of the items that the checksum of data of this type counts: of numbers, or 1. */
size_t hb_hdf5_checksum_item(hid_t type);

/* Overwrites an int64 attribute of the root group. */
enum hb_status hb_hdf5_set_integer(hid_t file, const char *name, hb_global value);

#endif
