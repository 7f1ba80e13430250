/* SPDX-License-Identifier: BSD-3-Clause
 * The candidates that a run has, and the decision among them. */
#include "app/tuning.h"

#include <stdarg.h>
#include <string.h>

#include "app/tuning_internal.h"
#include "build_info.h"
#include "kernels/element/architectures.h"
#include "mesh/gll.h"

/* Device memory that timing may take, and its share of what is free; seconds that it may. */
static const double MOST_BYTES = 2147483648.0, MOST_OF_FREE = 0.8, TIMING_SECONDS = 0.6;

/* What rank 0 has found, as it goes to all ranks. */
struct decision {
  bool made;
  enum hb_tuning_reason reason;
  struct hb_tuning_decision kernel;
};

bool hb_binding_is_interpreted(const struct hb_device_binding *binding) {
  return binding != NULL && binding->records[0].interpreted;
}

/* Number of the candidate that is so, or -1. */
static int find_candidate(const struct hb_tuning *tuning,
                          const struct hb_tuning_decision *decision) {
  for (int c = 0; c < tuning->count; c++)
    if (strcmp(tuning->candidates[c].kernel.variant->name, decision->kernel) == 0 &&
        tuning->candidates[c].kernel.mode == decision->mode &&
        hb_shape_equal(&tuning->candidates[c].kernel.shape, &decision->shape))
      return c;
  return -1;
}

static void decide(struct hb_tuning *tuning, int candidate, enum hb_tuning_reason reason) {
  for (int c = 0; c < tuning->count; c++) tuning->candidates[c].chosen = c == candidate;
  tuning->kernel = tuning->candidates[candidate].kernel;
  tuning->reason = reason;
}

/* Of the last row that is not known to be slow, in the first mode, its first shape: the most
 * promising. */
static int default_candidate(const struct hb_tuning *tuning) {
  int found = 0;
  for (int c = 1; c < tuning->count; c++) {
    const struct hb_kernel *kernel = &tuning->candidates[c].kernel;
    const bool slow = hb_helmholtz_is_slow(kernel->variant, kernel->mode, tuning->of.n);
    if (kernel->mode != tuning->candidates[0].kernel.mode) break;
    if (tuning->candidates[c].row != tuning->candidates[found].row && !slow) found = c;
  }
  return found;
}

static enum hb_status check_architectures(const struct hb_device_binding *binding) {
  enum hb_status status = HB_OK;
  const struct hb_device_record *records = binding->records;
  for (int r = 1; r < binding->num_ranks; r++)
    if (strcmp(records[r].architecture, records[0].architecture) != 0)
      HB_FAIL(HB_BAD_INPUT,
              "the ranks have GPUs of several architectures: rank 0 %s, rank %d %s; all ranks take "
              "one kernel, so take GPUs of one",
              records[0].architecture, r, records[r].architecture);
done:
  return status;
}

static enum hb_status check_retune(const struct hb_options *options) {
  enum hb_status status = HB_OK;
  if (options->retune && !options->autotune)
    HB_FAIL(HB_BAD_INPUT, "retune: nothing is tuned with autotune = no; allowed: autotune = yes");
done:
  return status;
}

static enum hb_status list_candidates(struct hb_tuning *tuning) {
  enum hb_status status = HB_OK;
  const struct hb_tuning_case *of = &tuning->of;
  const char *architecture = tuning->binding->records[0].architecture;
  struct hb_candidate *all = NULL;
  int num_all = 0;
  HB_TRY(hb_autotune_list(HB_TUNED_SCALAR, architecture, of->modes, of->n, of->precision, &all,
                          &num_all));
  HB_ALLOC(tuning->candidates, num_all + 1, "candidates of the tuner");
  for (int c = 0; c < num_all; c++)
    if (hb_pins_allow(tuning->options, &all[c].kernel))
      tuning->candidates[tuning->count++] = all[c];
  if (hb_architecture_is_unknown_amd(architecture))
    snprintf(tuning->warning, sizeof tuning->warning,
             "kernels by matrix cores do not know %s and are not taken; it is not in the table of "
             "architectures that this program was built with",
             architecture);
  if (tuning->count == 0) HB_TRY(hb_pins_refuse(tuning->options, of, architecture, num_all, all));
done:
  hb_free(all);
  return status;
}

/* Elements to time on: as a rank has, as far as they fit. */
static enum hb_status limit_elements(struct hb_tuning *tuning,
                                     const struct hb_device_info *device) {
  enum hb_status status = HB_OK;
  const struct hb_autotune request = {.operator_kind = HB_TUNED_SCALAR,
                                      .n = tuning->of.n,
                                      .geometry = tuning->of.geometry,
                                      .precision = tuning->of.precision};
  const double room = hb_min(MOST_BYTES, MOST_OF_FREE * (double)device->memory_free_bytes);
  const double fit = room / hb_autotune_element_bytes(&request, tuning->of.modes);
  tuning->num_elements =
      fit < (double)tuning->of.max_elements ? (hb_local)fit : tuning->of.max_elements;
  if (tuning->num_elements < 1)
    HB_FAIL(HB_MACHINE_FAILED,
            "tuning: GPU memory for one element is missing, %.3f GB is free; --autotune no does "
            "without",
            1e-9 * (double)device->memory_free_bytes);
done:
  return status;
}

/* A key as it grows: were it cut, it could be that of another run. */
struct key {
  char *text; /* owned */
  enum hb_status status;
};

/* Appends to the key, with blanks made _. */
#if defined(__GNUC__)
__attribute__((format(printf, 3, 4)))
#endif
static void
add_to_key(struct key *key, const char *name, const char *format, ...) {
  enum hb_status status = HB_OK;
  const char *before = key->text != NULL ? key->text : "", *blank = key->text != NULL ? " " : "";
  char *longer = NULL;
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const size_t value_bytes = (size_t)vsnprintf(NULL, 0, format, arguments) + 1;
  const size_t start = strlen(before) + strlen(blank) + strlen(name) + 1;
  HB_ALLOC(longer, start + value_bytes, "key of the tuning file");
  snprintf(longer, start + 1, "%s%s%s=", before, blank, name);
  vsnprintf(longer + start, value_bytes, format, again);
  for (char *c = longer + start; *c != '\0'; c++)
    if (*c == ' ' || *c == '\n') *c = '_';
  hb_free(key->text);
  key->text = longer;
done:
  va_end(arguments);
  va_end(again);
  if (key->status == HB_OK) key->status = status;
}

/* The modes that are open: one, or stored and nodes. */
static const char *modes_words(unsigned modes) {
  for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++)
    if (modes == 1u << mode) return hb_geometry_mode_name((enum hb_geometry_mode)mode);
  return "stored_or_nodes";
}

/* All that the decision depends on; of the number of elements the power of two below it. */
static enum hb_status make_key(struct hb_tuning *tuning, const struct hb_device_info *device) {
  const struct hb_tuning_case *of = &tuning->of;
  struct key key = {NULL, HB_OK};
  char pins[HB_PIN_BYTES];
  hb_local size = 1;
  while (size <= tuning->num_elements / 2) size *= 2;
  hb_pins_words(tuning->options, pins);
  add_to_key(&key, "operator", "%s%s", hb_tuned_operator_name(HB_TUNED_SCALAR),
             hb_geometry_has_mass(&of->geometry) ? "_mass" : "");
  add_to_key(&key, "n", "%d", of->n);
  add_to_key(&key, "preconditioner", "%s", of->with_preconditioner ? "yes" : "no");
  add_to_key(&key, "precision", "%s", hb_precision_name(of->precision));
  add_to_key(&key, "geometry", "%s%s", modes_words(of->modes),
             of->geometry.varying && of->modes != 1u << HB_GEOMETRY_STORED ? "_varying" : "");
  add_to_key(&key, "elements", "%d", (int)size);
  add_to_key(&key, "architecture", "%s", device->architecture);
  add_to_key(&key, "device", "%s", device->name);
  add_to_key(&key, "platform", "%s%s", hb_device_platform(),
             hb_binding_is_interpreted(tuning->binding) ? "_interpreted" : "");
  add_to_key(&key, "driver", "%d", device->driver_version);
  add_to_key(&key, "runtime", "%d", device->runtime_version);
  add_to_key(&key, "code", "%s+%s", HB_VERSION, HB_GIT_COMMIT);
  add_to_key(&key, "compiler", "%s", HB_GPU_COMPILER);
  add_to_key(&key, "launches", "%s", tuning->options->check_launches ? "checked" : "free");
  add_to_key(&key, "pins", "%s", pins);
  tuning->key = key.text;
  return key.status;
}

static bool has_file(const struct hb_tuning *tuning) {
  return tuning->options->autotune && strcmp(tuning->options->tuning_file, "none") != 0;
}

/* On rank 0: what the file has for this run, if it is among the candidates. */
static enum hb_status look_up(struct hb_tuning *tuning, struct decision *decision) {
  enum hb_status status = HB_OK;
  struct hb_device_info device;
  bool found = false;
  if (!tuning->options->autotune) return HB_OK;
  HB_TRY(hb_device_info(tuning->binding->device, &device));
  HB_TRY(limit_elements(tuning, &device));
  HB_TRY(make_key(tuning, &device));
  if (!has_file(tuning)) return HB_OK;
  /* Also where its decisions are not wanted: it is to be written. */
  HB_TRY(hb_tuning_file_find(tuning->options->tuning_file, tuning->key, &decision->kernel, &found,
                             tuning->warning));
  decision->reason = HB_TUNING_FROM_FILE;
  decision->made =
      found && !tuning->options->retune && find_candidate(tuning, &decision->kernel) >= 0;
done:
  return status;
}

/* Collective.  Every rank takes rank 0's decision. */
static enum hb_status take(struct hb_tuning *tuning, struct decision *decision) {
  enum hb_status status = HB_OK;
  int candidate = -1;
  MPI_Bcast(decision, (int)sizeof *decision, MPI_BYTE, 0, tuning->comm->mpi);
  if (!decision->made) return HB_OK;
  candidate = find_candidate(tuning, &decision->kernel);
  if (candidate < 0)
    status = hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__,
                             "rank %d does not have kernel %s, which rank 0 chose: the ranks run "
                             "different programs",
                             tuning->comm->rank, decision->kernel.kernel);
  HB_TRY(hb_comm_agree(tuning->comm, status));
  decide(tuning, candidate, decision->reason);
done:
  return status;
}

/* Collective.  The decision, if one can be made without timing. */
static enum hb_status decide_early(struct hb_tuning *tuning) {
  enum hb_status status = HB_OK;
  struct decision decision;
  memset(&decision, 0, sizeof decision);
  if (tuning->count == 1) {
    decide(tuning, 0, hb_pins_any(tuning->options) ? HB_TUNING_PINNED : HB_TUNING_ONLY);
    return HB_OK;
  }
  if (tuning->comm->rank == 0 && !hb_device_binding_is_assumed(tuning->binding))
    status = look_up(tuning, &decision);
  HB_TRY(hb_comm_agree(tuning->comm, status));
  MPI_Bcast(&tuning->num_elements, (int)sizeof tuning->num_elements, MPI_BYTE, 0,
            tuning->comm->mpi);
  HB_TRY(take(tuning, &decision));
  if (decision.made) return HB_OK;
  if (!tuning->options->autotune)
    decide(tuning, default_candidate(tuning), HB_TUNING_OFF);
  else if (hb_binding_is_interpreted(tuning->binding) && !tuning->options->retune)
    decide(tuning, default_candidate(tuning), HB_TUNING_INTERPRETED);
done:
  return status;
}

enum hb_status hb_tuning_create(const struct hb_comm *comm, const struct hb_options *options,
                                const struct hb_device_binding *binding,
                                const struct hb_tuning_case *of, struct hb_tuning **tuning_out) {
  enum hb_status status = HB_OK;
  struct hb_tuning *tuning = NULL;
  *tuning_out = NULL;
  HB_ALLOC(tuning, 1, "tuning");
  memset(tuning, 0, sizeof *tuning);
  while ((of->modes >> tuning->kernel.mode & 1) == 0) tuning->kernel.mode++; /* one is set */
  tuning->comm = comm;
  tuning->options = options;
  tuning->binding = binding;
  tuning->of = *of;
  HB_TRY(check_retune(options));
  HB_TRY(check_architectures(binding));
  HB_TRY(list_candidates(tuning));
done:
  status = hb_comm_agree(comm, status);
  if (status == HB_OK) status = decide_early(tuning);
  if (status == HB_OK)
    *tuning_out = tuning;
  else
    hb_tuning_destroy(&tuning);
  return status;
}

void hb_tuning_destroy(struct hb_tuning **tuning) {
  if (*tuning == NULL) return;
  hb_free((*tuning)->candidates);
  hb_free((*tuning)->key);
  hb_free(*tuning);
  *tuning = NULL;
}

/* On rank 0. */
static enum hb_status tune(struct hb_tuning *tuning, struct decision *decision) {
  enum hb_status status = HB_OK;
  struct hb_gll gll;
  int chosen = -1;
  struct hb_autotune request = {.device = tuning->binding->device,
                                .operator_kind = HB_TUNED_SCALAR,
                                .n = tuning->of.n,
                                .geometry = tuning->of.geometry,
                                .precision = tuning->of.precision,
                                .with_dinv = tuning->of.with_preconditioner,
                                .points = gll.nodes,
                                .weights = gll.weights,
                                .D = gll.D,
                                .num_elements = tuning->num_elements,
                                .seconds = TIMING_SECONDS,
                                .threads = tuning->comm->threads};
  HB_TRY(hb_gll_init(tuning->of.n - 1, &gll));
  HB_TRY(hb_autotune(&request, tuning->count, tuning->candidates, &chosen));
  const struct hb_candidate *candidate = &tuning->candidates[chosen];
  decision->made = true;
  decision->reason = candidate->tied ? HB_TUNING_TIE : HB_TUNING_FASTEST;
  decision->kernel.shape = candidate->kernel.shape;
  decision->kernel.mode = candidate->kernel.mode;
  decision->kernel.seconds = candidate->seconds;
  snprintf(decision->kernel.kernel, sizeof decision->kernel.kernel, "%s",
           candidate->kernel.variant->name);
done:
  return status;
}

/* On rank 0.  A file that cannot be written costs a warning. */
static void keep(struct hb_tuning *tuning, const struct hb_tuning_decision *decision) {
  if (!has_file(tuning) ||
      hb_tuning_file_keep(tuning->options->tuning_file, tuning->key, decision) == HB_OK)
    return;
  snprintf(tuning->warning, sizeof tuning->warning, "%.900s; the choice is not kept",
           hb_error_message());
  hb_error_clear();
}

enum hb_status hb_tuning_run(struct hb_tuning *tuning) {
  enum hb_status status = HB_OK;
  struct decision decision;
  memset(&decision, 0, sizeof decision);
  if (tuning->reason != HB_TUNING_PENDING) return HB_OK;
  if (tuning->comm->rank == 0) status = tune(tuning, &decision);
  HB_TRY(hb_comm_agree(tuning->comm, status));
  HB_TRY(take(tuning, &decision));
  if (tuning->comm->rank == 0) keep(tuning, &decision.kernel);
done:
  return status;
}
