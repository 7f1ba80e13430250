/* SPDX-License-Identifier: BSD-3-Clause
 * One source, two precisions: files that include this are compiled once with HB_REAL_BITS 64 and
 * once with 32, and their external names end in _f64 or _f32. */
#ifndef HB_KERNELS_REAL_H
#define HB_KERNELS_REAL_H

#if HB_REAL_BITS == 64
typedef double hb_real;
#define HB_REAL_NAME(name) name##_f64
#elif HB_REAL_BITS == 32
typedef float hb_real;
#define HB_REAL_NAME(name) name##_f32
#else
#error "compile with -DHB_REAL_BITS=64 or 32"
#endif

#endif
