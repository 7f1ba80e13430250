/* SPDX-License-Identifier: BSD-3-Clause
 * Lines on the choice of the kernel. */
#include "app/tuning_internal.h"

void hb_tuning_reason_words(const struct hb_tuning *tuning, size_t size, char *text) {
  static const char *const words[HB_NUM_TUNING_REASONS] = {"pending",
                                                           "fastest",
                                                           "tie, the simplest of those as fast",
                                                           "from file ",
                                                           "set by hand",
                                                           "the only kernel there is",
                                                           "not tuned: autotune = no",
                                                           "not tuned: interpreted"};
  const bool from_file = tuning->reason == HB_TUNING_FROM_FILE;
  snprintf(text, size, "%s%s", words[tuning->reason],
           from_file ? tuning->options->tuning_file : "");
}

/* "kernel: kstep (GPU, ...)", with the shape's words if there are any. */
static void print_kernel(FILE *stream, const struct hb_tuning *tuning) {
  const struct hb_helmholtz_variant *variant = tuning->kernel.variant;
  char shape[HB_SHAPE_WORDS_BYTES];
  hb_shape_words(&tuning->kernel.shape, shape);
  fprintf(stream, "kernel: %s (%s), geometry %s%s%s\n", variant->name, variant->description,
          hb_geometry_mode_name(tuning->kernel.mode), shape[0] != '\0' ? ", " : "", shape);
}

void hb_tuning_print_plan(FILE *stream, const struct hb_tuning *tuning) {
  char pins[HB_PIN_BYTES], reason[HB_PATH_BYTES + 64];
  hb_pins_words(tuning->options, pins);
  if (tuning->reason == HB_TUNING_PENDING && hb_device_binding_is_assumed(tuning->binding)) {
    fprintf(stream, "tuning: of %d candidates, where there is a GPU (pins: %s)\n", tuning->count,
            pins);
    return;
  }
  if (tuning->reason == HB_TUNING_PENDING) {
    fprintf(stream, "tuning: of %d candidates, on %d elements (pins: %s)\n", tuning->count,
            (int)tuning->num_elements, pins);
    return;
  }
  print_kernel(stream, tuning);
  hb_tuning_reason_words(tuning, sizeof reason, reason);
  fprintf(stream, "tuning: %s\n", reason);
}

static void print_candidate(FILE *stream, const struct hb_candidate *candidate) {
  char shape[HB_SHAPE_WORDS_BYTES];
  hb_shape_words(&candidate->kernel.shape, shape);
  fprintf(stream, "tuning, %s, %s%s%s: error %.2e bound %.2e", candidate->kernel.variant->name,
          hb_geometry_mode_name(candidate->kernel.mode), shape[0] != '\0' ? ", " : "", shape,
          candidate->error, candidate->bound);
  if (candidate->seconds >= 0.0)
    fprintf(stream, " time %.2f us spread %.2f us", 1e6 * candidate->seconds,
            1e6 * candidate->spread);
  fprintf(stream, " %s%s%s%s%s\n", hb_verdict_name(candidate->verdict),
          candidate->tied ? ", tie" : "", candidate->chosen ? ", chosen" : "",
          candidate->failure[0] != '\0' ? ": " : "", candidate->failure);
}

void hb_tuning_print_results(FILE *stream, const struct hb_tuning *tuning) {
  char reason[HB_PATH_BYTES + 64];
  if (!hb_tuning_timed(tuning)) return;
  for (int c = 0; c < tuning->count; c++) print_candidate(stream, &tuning->candidates[c]);
  if (hb_binding_is_interpreted(tuning->binding))
    fprintf(stream, "note: the GPU is interpreted on the CPU, these times mean nothing\n");
  print_kernel(stream, tuning);
  hb_tuning_reason_words(tuning, sizeof reason, reason);
  fprintf(stream, "tuning: %s\n", reason);
}

void hb_tuning_print_warning(FILE *warnings, struct hb_tuning *tuning) {
  if (tuning->warning[0] != '\0') fprintf(warnings, "helmbone: warning: %s\n", tuning->warning);
  tuning->warning[0] = '\0';
}
