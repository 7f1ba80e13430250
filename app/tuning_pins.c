/* SPDX-License-Identifier: BSD-3-Clause
 * Pins: kernels that the options allow, and the refusal of what no kernel has. */
#include <string.h>

#include "app/tuning_internal.h"

enum { LIST_BYTES = 1536 };

/* A growing text that is cut where it ends. */
struct words {
  char *text;
  size_t size, used;
};

static void add(struct words *words, const char *separator, const char *name, const char *value) {
  if (words->used >= words->size) return;
  words->used += (size_t)snprintf(words->text + words->used, words->size - words->used, "%s%s%s",
                                  words->used > 0 ? separator : "", name, value);
}

static void add_number(struct words *words, const char *separator, const char *name, int value) {
  char number[16];
  snprintf(number, sizeof number, "%d", value);
  add(words, separator, name, number);
}

static bool is_auto(const char *name) { return strcmp(name, "auto") == 0; }

bool hb_pins_allow(const struct hb_options *options, const struct hb_kernel *kernel) {
  const struct hb_shape *shape = &kernel->shape;
  return (is_auto(options->kernel) || strcmp(options->kernel, kernel->variant->name) == 0) &&
         (options->tile == HB_MATRIX_NONE || options->tile == shape->tile) &&
         (options->wavefronts == 0 || options->wavefronts == shape->wavefronts) &&
         (options->elements_per_block == 0 || options->elements_per_block == shape->elements) &&
         (options->padding == HB_CUBE_NONE || options->padding == shape->layout) &&
         (options->ahead < 0 || options->ahead == shape->ahead);
}

static void add_shape_pins(const struct hb_options *options, struct words *words) {
  if (options->tile != HB_MATRIX_NONE)
    add(words, ", ", "tile = ", hb_matrix_tile_name(options->tile));
  if (options->wavefronts != 0) add_number(words, ", ", "wavefronts = ", options->wavefronts);
  if (options->elements_per_block != 0)
    add_number(words, ", ", "elements_per_block = ", options->elements_per_block);
  if (options->padding != HB_CUBE_NONE)
    add(words, ", ", "padding = ", hb_cube_layout_name(options->padding));
  if (options->ahead >= 0) add_number(words, ", ", "ahead = ", options->ahead);
}

void hb_pins_words(const struct hb_options *options, char text[HB_PIN_BYTES]) {
  struct words words = {text, HB_PIN_BYTES, 0};
  text[0] = '\0';
  if (!is_auto(options->kernel)) add(&words, "", "kernel = ", options->kernel);
  add_shape_pins(options, &words);
  if (words.used == 0) add(&words, "", "none", "");
}

bool hb_pins_any(const struct hb_options *options) {
  char text[HB_PIN_BYTES];
  hb_pins_words(options, text);
  return strcmp(text, "none") != 0;
}

/* The members of a shape that have several values. */
enum member { WAVEFRONTS, ELEMENTS, LAYOUT, AHEAD, NUM_MEMBERS };

static int member_of(const struct hb_shape *shape, enum member member) {
  switch (member) {
  case WAVEFRONTS: return shape->wavefronts;
  case ELEMENTS: return shape->elements;
  case LAYOUT: return (int)shape->layout;
  default: return shape->ahead;
  }
}

static bool alike(const struct hb_candidate *a, const struct hb_candidate *b) {
  return a->row == b->row && a->kernel.shape.tile == b->kernel.shape.tile;
}

/* "; wavefronts 1 2 4": every value once among the candidates like `first`. */
static void add_values(struct words *words, enum member member, const char *name, int count,
                       const struct hb_candidate *candidates, const struct hb_candidate *first) {
  bool begun = false;
  for (int c = 0; c < count; c++) {
    const int value = member_of(&candidates[c].kernel.shape, member);
    bool seen = !alike(&candidates[c], first) || (value == 0 && member != AHEAD);
    for (int before = 0; before < c && !seen; before++)
      seen = alike(&candidates[before], first) &&
             member_of(&candidates[before].kernel.shape, member) == value;
    if (seen) continue;
    if (!begun) add(words, ", ", name, "");
    begun = true;
    if (member == LAYOUT)
      add(words, " ", "", hb_cube_layout_name((enum hb_cube_layout)value));
    else
      add_number(words, " ", "", value);
  }
}

static bool has_choice(const struct hb_shape *shape) {
  return shape->tile != HB_MATRIX_NONE || shape->wavefronts != 0 || shape->elements != 0 ||
         shape->layout != HB_CUBE_NONE || shape->ahead != 0;
}

/* One entry a kernel and tile: "kstep; mfma_staged tile 16x16x4, wavefronts 2 4, ...". */
static void list_possible(int count, const struct hb_candidate *candidates, const char *kernel,
                          char text[LIST_BYTES]) {
  struct words words = {text, LIST_BYTES, 0};
  text[0] = '\0';
  for (int c = 0; c < count; c++) {
    const struct hb_candidate *candidate = &candidates[c];
    bool listed = kernel != NULL && strcmp(kernel, candidate->kernel.variant->name) != 0;
    for (int before = 0; before < c; before++)
      listed = listed || alike(&candidates[before], candidate);
    if (listed) continue;
    add(&words, "; ", candidate->kernel.variant->name, "");
    if (!has_choice(&candidate->kernel.shape)) {
      add(&words, "", " without choice of shape", "");
      continue;
    }
    if (candidate->kernel.shape.tile != HB_MATRIX_NONE)
      add(&words, "", " tile ", hb_matrix_tile_name(candidate->kernel.shape.tile));
    add_values(&words, WAVEFRONTS, "wavefronts", count, candidates, candidate);
    add_values(&words, ELEMENTS, "elements_per_block", count, candidates, candidate);
    add_values(&words, LAYOUT, "padding", count, candidates, candidate);
    add_values(&words, AHEAD, "ahead", count, candidates, candidate);
  }
}

enum hb_status hb_pins_refuse(const struct hb_options *options, const struct hb_tuning_case *of,
                              const char *architecture, int count,
                              const struct hb_candidate *candidates) {
  enum hb_status status = HB_OK;
  char pins[HB_PIN_BYTES], possible[LIST_BYTES];
  hb_pins_words(options, pins);
  list_possible(count, candidates, is_auto(options->kernel) ? NULL : options->kernel, possible);
  if (possible[0] == '\0') list_possible(count, candidates, NULL, possible);
  HB_FAIL(HB_BAD_INPUT, "%s: no kernel is so for degree %d in %s on %s; possible: %s", pins,
          of->n - 1, of->precision == HB_F64 ? "f64" : "f32", architecture, possible);
done:
  return status;
}

enum hb_status hb_tuning_check_host(const struct hb_options *options) {
  enum hb_status status = HB_OK;
  char text[HB_PIN_BYTES];
  struct words words = {text, sizeof text, 0};
  text[0] = '\0';
  add_shape_pins(options, &words);
  if (words.used > 0)
    HB_FAIL(HB_BAD_INPUT,
            "%s: kernels of the host backend have no shapes; allowed: auto, wavefronts = 0, "
            "elements_per_block = 0, ahead = -1",
            text);
done:
  return status;
}
