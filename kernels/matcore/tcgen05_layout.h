/* SPDX-License-Identifier: BSD-3-Clause
 * Where tcgen05.mma (NVIDIA Blackwell) wants its operands: tensor memory and shared memory.
 *
 * D = A B + C on M x N x K, M being the total of the g blocks (CTAs) of the group; it has no f64.
 *     D (M/g, N) and, if it comes from there, A (M/g, K): tensor memory, 128 lanes a CTA
 *     A (M/g, K) and B (N/g, K): shared memory, described by byte strides
 *
 * Tensor memory, as hb_tile_layout: lane = 128 cta + lane in the CTA; a slot of D is a 32-bit cell,
 * of A an element (32 / bits a cell).  With r = row in the CTA and c = column:
 *     rows of a CTA            layout   lane                           slot
 *     128                      A, D     r                              c
 *     64, stationary or g = 2  E, B     r + 64 (c / (N/2))             c % (N/2)
 *     64, else                 F        r % 16 + 32 (r / 16)           c
 *     32, stationary           G        r + 32 (c / (N/4))             c % (N/4)
 * The letters are those of the PTX ISA.  A in tensor memory lies like D, its columns whole, once
 * for each bank of B, E and G: block = copies cta + copy.
 *
 * Sources: the PTX ISA's tcgen05 chapters; Apache TVM's description of the instruction; CUTLASS for
 * B, F and G.  The lane formulas of E and G are inferred, from E's bank boundaries and from
 * CUTLASS's equivalent layouts; nothing here was run. */
#ifndef HB_KERNELS_MATCORE_TCGEN05_LAYOUT_H
#define HB_KERNELS_MATCORE_TCGEN05_LAYOUT_H

#include "kernels/matcore/tile_layout.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { HB_TCGEN05_LANES = 128, HB_TCGEN05_MAX_N = 256, HB_TCGEN05_COLUMNS = 512 };

struct hb_tcgen05 {
  int m, n, k;
  int group;       /* CTAs that work together: 1 or 2 */
  bool stationary; /* the .ws form */
  int bits;        /* of an element of A and B: 32 (tf32), 16 (f16, bf16), 8 (f8) */
};

/* "tcgen05.mma[.ws|.2cta].mMnNkK.f16|tf32|f8".  HB_BAD_INPUT with what is allowed in the message.
 */
enum hb_status hb_tcgen05_parse(const char *name, struct hb_tcgen05 *instruction);

/* The letter of D's layout, A to G without C (which is sparse). */
char hb_tcgen05_letter(const struct hb_tcgen05 *instruction);

/* Banks of D: groups of lanes that take consecutive parts of the columns. */
int hb_tcgen05_banks(const struct hb_tcgen05 *instruction);

/* Operand A, C or D in tensor memory. */
struct hb_tile_layout hb_tcgen05_tensor_layout(const struct hb_tcgen05 *instruction, char operand);

/* (repeat, M/g, N): `repeats` tiles one after the other in the columns of tensor memory; tile t
 * holds the blocks from t times the blocks of one.  HB_BAD_INPUT if they need more than 512
 * columns. */
enum hb_status hb_tcgen05_repeat(const struct hb_tcgen05 *instruction, char operand, int repeats,
                                 struct hb_tile_layout *layout);

/* The split-N trap.  Two issues of N/2 at consecutive columns of tensor memory fill the cells of
 * one issue of N, but with bank boundaries of N/(2 banks) columns.  The column of the one issue
 * whose cell receives column `col` of issue `issue`, 0 <= col < N/2: where it is not
 * issue N/2 + col, B and the view of C have to be prepared for it. */
int hb_tcgen05_split_column(const struct hb_tcgen05 *instruction, int issue, int col);

/* Shared memory: the byte walk of a descriptor.
 *
 * x is the index of M or N, k that of K, both in bytes where they are contiguous.  Swizzle s =
 * 0..3: a row has R = 16 << s bytes and a row group G = 8 rows; s = 4: R = 128, G = 4, MN-major and
 * 32 bits only.  K-major: rows are x, bytes in a row k; MN-major: rows are k, bytes in a row x.
 *     walk = (row % G) R + (row / G) group stride + byte % R + (byte / R) chunk stride
 *     byte address = walk ^ (walk >> 3 & 16 (2^s - 1)),   s = 4: walk ^ (walk >> 2 & 96)
 * Strides:  K-major and MN-major swizzled: group = stride, chunk = leading; MN-major without
 * swizzle: group = leading, chunk = stride.  Swizzled K-major rows hold all of K. */
struct hb_tcgen05_shared {
  int leading_bytes, stride_bytes; /* multiples of 16, below 2^18 */
  int swizzle;                     /* 0..4 */
  bool mn_major;
  int mn, k, bits; /* extents in elements, bits of an element */
};

/* HB_BAD_INPUT if a stride, the swizzle or an extent is not allowed, or two elements would share
 * bytes. */
enum hb_status hb_tcgen05_shared_check(const struct hb_tcgen05_shared *shared);

/* (x, k) -> byte from the origin, and its inverse; of a shared operand that passes the check.  The
 * byte may be any of an element's. */
enum hb_status hb_tcgen05_byte(const struct hb_tcgen05_shared *shared, int x, int k, int *byte);
enum hb_status hb_tcgen05_at_byte(const struct hb_tcgen05_shared *shared, int byte, int *x, int *k);

/* The permutation of byte offsets, which is its own inverse, and the bytes after which it repeats:
 * allocations are aligned to them, and an origin inside is permuted before it is encoded. */
int hb_tcgen05_swizzle(int swizzle, int offset);
int hb_tcgen05_swizzle_period(int swizzle);

#ifdef __cplusplus
}
#endif

#endif
