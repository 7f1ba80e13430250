/* SPDX-License-Identifier: BSD-3-Clause
 * Shapes: how a device variant of the operator lays out its work.  The tuner chooses among them,
 * options pin them, and a launch gets one in struct hb_device_helmholtz. */
#ifndef HB_KERNELS_ELEMENT_SHAPE_H
#define HB_KERNELS_ELEMENT_SHAPE_H

#include "kernels/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Matrix instructions, M x N x K: AMD's of mfma_layout.h, in f64 and f32; 8x8x4 is NVIDIA's, f64.
 */
enum hb_matrix_tile {
  HB_MATRIX_NONE,
  HB_MATRIX_16X16X4,
  HB_MATRIX_4X4X4, /* four blocks */
  HB_MATRIX_4X4X1, /* sixteen blocks */
  HB_MATRIX_8X8X4,
  HB_NUM_MATRIX_TILES
};

/* Cubes in LDS: slot(i,j,k) = i + L j + L n k with L = n, or n + 1; or (i + n j + n^2 k) ^ mask. */
enum hb_cube_layout {
  HB_CUBE_NONE,
  HB_CUBE_PLAIN,
  HB_CUBE_PADDED,
  HB_CUBE_SWIZZLED,
  HB_NUM_CUBE_LAYOUTS
};

/* All zeros where a variant leaves no choice. */
struct hb_shape {
  enum hb_matrix_tile tile;
  int wavefronts; /* waves of a block; tensor: of a multiprocessor */
  int elements;   /* of a block, or of a wave if wavefronts = 1 */
  enum hb_cube_layout layout;
  int ahead; /* planes, or groups of elements, whose factors are asked for before they are needed */
};

/* The members of struct hb_shape, in the order in which they are said; all that there is to say of
 * one stands here, and drives options, pins, words, tuning file, output columns and the tuner.
 *
 *   WORD(member, option, names, words, sizes, rank, help)        an enum; 0, "none", is open
 *     names, words   of all values, of shape.c; of those but 0, as one text
 *     sizes          of the values, of shape.c, where they are not in order; else NULL
 *   NUMBER(member, option, open, lowest, highest, one, many, letter, rank, help)
 *     open           what an option has where nothing is pinned; lowest, highest: of the option
 *     one, many      the word behind the number 1 and others; letter: before it in short words
 *
 *   option, help   of the option that pins it
 *   rank           its turn, from 1, where shapes are compared by simplicity: less is simpler */
#define HB_SHAPE_MEMBERS(WORD, NUMBER)                                                             \
  WORD(tile, "tile", tile_names, "16x16x4 4x4x4 4x4x1 8x8x4", tile_sizes, 2,                       \
       "matrix instruction of a GPU kernel, auto = tuned")                                         \
  NUMBER(wavefronts, "wavefronts", 0, 0, 16, "wavefront", "wavefronts", "w", 1,                    \
         "wavefronts of a GPU block (tensor: of an SM), 0 = tuned")                                \
  NUMBER(elements, "elements_per_block", 0, 0, 1024, "element", "elements", "e", 3,                \
         "elements of a block of a GPU kernel, 0 = tuned")                                         \
  WORD(layout, "padding", layout_names, "plain padded swizzled", NULL, 4,                          \
       "layout of a GPU kernel's cubes in LDS, auto = tuned")                                      \
  NUMBER(ahead, "ahead", -1, -1, 16, "ahead", "ahead", "a", 5,                                     \
         "planes or elements that a GPU kernel fetches ahead, -1 = tuned")

#define HB_SHAPE_ONE_OF_WORDS(...)   +1
#define HB_SHAPE_ONE_OF_NUMBERS(...) +1
enum {
  HB_NUM_SHAPE_MEMBERS = 0 HB_SHAPE_MEMBERS(HB_SHAPE_ONE_OF_WORDS, HB_SHAPE_ONE_OF_NUMBERS),
  HB_SHAPE_VALUE_BYTES = 24
};

/* A row of the list. */
struct hb_shape_member {
  const char *name;         /* of the member: key of the tuning file, column of the output */
  const char *option;       /* that pins it */
  const char *const *names; /* of its values; NULL: it is a number */
  size_t offset;            /* an int or an enum of its size */
  int open;                 /* of an option: not pinned */
  const char *one, *many, *letter;
  const int *sizes;
  int rank;
  int num_names;
};
const struct hb_shape_member *hb_shape_member(int index);

/* The value of a member; as text: a name or a number. */
int hb_shape_get(const struct hb_shape *shape, int member);
void hb_shape_set(struct hb_shape *shape, int member, int value);
void hb_shape_format(int member, int value, char text[HB_SHAPE_VALUE_BYTES]);
/* The value that hb_shape_format wrote so; false: it is none. */
bool hb_shape_parse(int member, const char *text, int *value);

bool hb_shape_equal(const struct hb_shape *a, const struct hb_shape *b);
/* Negative: a is simpler; 0: they are equal, or as simple. */
int hb_shape_compare(const struct hb_shape *a, const struct hb_shape *b);

enum { HB_MAX_SHAPES = 64 };

/* Fills the shapes that the variant has for n on a device of this architecture, the most promising
 * first, and returns their number; 0: it cannot run there.  Those beyond HB_MAX_SHAPES are counted
 * and left out (hb_shape_add); more than that is a fault, which the tuner refuses. */
typedef int hb_shapes(const char *architecture, int n, enum hb_precision precision,
                      struct hb_shape *shapes);

/* Adds to an array of HB_MAX_SHAPES, if it is not full, and returns count + 1. */
int hb_shape_add(struct hb_shape *shapes, int count, const struct hb_shape *shape);

/* Elements that a block, or a wave that is alone, takes together at most: where the shape leaves it
 * to the kernel, as many as 256 threads have room for, one a line of points. */
int hb_shape_elements(const struct hb_shape *shape, int n);

/* "none", "16x16x4", ...; "none", "plain", "padded", "swizzled". */
const char *hb_matrix_tile_name(enum hb_matrix_tile tile);
const char *hb_cube_layout_name(enum hb_cube_layout layout);

/* "16x16x4, 4 wavefronts, 2 elements, padded, 1 ahead", without what is zero; "" if all is. */
enum { HB_SHAPE_WORDS_BYTES = 96 };
void hb_shape_words(const struct hb_shape *shape, char text[HB_SHAPE_WORDS_BYTES]);

/* The same in one word: "16x16x4/w4/e2/padded/a1"; "none" if all is zero. */
enum { HB_SHAPE_WORD_BYTES = 64 };
void hb_shape_word(const struct hb_shape *shape, char text[HB_SHAPE_WORD_BYTES]);

#ifdef __cplusplus
}
#endif

#endif
