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

/* Adds a member's value, a name or a number. */
static void add_value(struct words *words, const char *separator, const char *name, int member,
                      int value) {
  char text[HB_SHAPE_VALUE_BYTES];
  hb_shape_format(member, value, text);
  add(words, separator, name, text);
}

static bool is_auto(const char *name) { return strcmp(name, "auto") == 0; }

static bool is_pinned(const struct hb_options *options, int member) {
  return hb_shape_get(&options->pins, member) != hb_shape_member(member)->open;
}

bool hb_pins_allow(const struct hb_options *options, const struct hb_kernel *kernel) {
  if (!is_auto(options->kernel) && strcmp(options->kernel, kernel->variant->name) != 0)
    return false;
  for (int m = 0; m < HB_NUM_SHAPE_MEMBERS; m++)
    if (is_pinned(options, m) && hb_shape_get(&options->pins, m) != hb_shape_get(&kernel->shape, m))
      return false;
  return true;
}

static void add_shape_pins(const struct hb_options *options, struct words *words) {
  for (int m = 0; m < HB_NUM_SHAPE_MEMBERS; m++) {
    if (!is_pinned(options, m)) continue;
    add(words, ", ", hb_shape_member(m)->option, "");
    add_value(words, "", " = ", m, hb_shape_get(&options->pins, m));
  }
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

static bool alike(const struct hb_candidate *a, const struct hb_candidate *b) {
  return a->row == b->row && a->kernel.shape.tile == b->kernel.shape.tile;
}

/* "; wavefronts 1 2 4": every value once among the candidates like `first`. */
static void add_values(struct words *words, int member, int count,
                       const struct hb_candidate *candidates, const struct hb_candidate *first) {
  const struct hb_shape_member *row = hb_shape_member(member);
  bool begun = false;
  for (int c = 0; c < count; c++) {
    const int value = hb_shape_get(&candidates[c].kernel.shape, member);
    bool seen = !alike(&candidates[c], first) || value == row->open;
    for (int before = 0; before < c && !seen; before++)
      seen = alike(&candidates[before], first) &&
             hb_shape_get(&candidates[before].kernel.shape, member) == value;
    if (seen) continue;
    if (!begun) add(words, ", ", row->option, "");
    begun = true;
    add_value(words, " ", "", member, value);
  }
}

static bool has_choice(const struct hb_shape *shape) {
  const struct hb_shape none = {.tile = HB_MATRIX_NONE};
  return !hb_shape_equal(shape, &none);
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
    for (int m = 0; m < HB_NUM_SHAPE_MEMBERS; m++)
      if (hb_shape_member(m)->offset != offsetof(struct hb_shape, tile))
        add_values(&words, m, count, candidates, candidate);
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
          of->n - 1, hb_precision_name(of->precision), architecture, possible);
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
