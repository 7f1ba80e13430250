/* SPDX-License-Identifier: BSD-3-Clause
 * Table and lists of the options of helmbone-bench. */
#include "app/bench/options.h"

#include <math.h>
#include <string.h>

#include "app/bench/lists.h"
#include "io/table_file.h"
#include "kernels/random.h"

#define ROW(kind, as, field, otherwise, what)                                                      \
  .name = (as), .type = (kind), HB_OPTION_MEMBER(hb_bench_options, field), .preset = (otherwise),  \
  .help = (what)
#define LIST(as, field, preset, what)                                                              \
  { ROW(HB_OPTION_TEXT, as, field, preset, what) }
#define CHOICE(as, field, names, preset, what)                                                     \
  { ROW(HB_OPTION_CHOICE, as, field, preset, what), .choices = (names) }
#define FLAG(as, field, what)                                                                      \
  { ROW(HB_OPTION_FLAG, as, field, "no", what) }

static const struct hb_option rows[] = {
    LIST("degrees", degrees, "3,7,11", "of the polynomials, 3,5..9 or all"),
    LIST("precision", precision, "f64,f32", "f64, f32 or both"),
    LIST("variants", variants, "auto",
         "kernels by name, all, or auto = the one that a solve takes"),
    LIST("geometry", geometry, "stored", "stored, nodes, trilinear, affine, several or all"),
    LIST("parts", parts, "all",
         "operator, operator_updates, residual, packing, dot, exchange, all_reduce, launch, "
         "launch_wait, iteration, copy, triad, several or all"),
    {ROW(HB_OPTION_REAL, "points", points, "0",
         "unique points of a rank, about; 0 = beyond its caches"),
     .low = 0, .high = 1e13},
    {ROW(HB_OPTION_REAL, "min_time", min_time, "-1",
         "that the samples of a part take together; -1 = 0.2, none where times mean nothing"),
     .low = -1, .high = 1e6, .unit = "s"},
    {ROW(HB_OPTION_INTEGER, "samples", samples, "0", "of each part, in turn; 0 = chosen"),
     .lowest = 0, .highest = HB_BENCH_MOST_SAMPLES},
    {ROW(HB_OPTION_YESNO, "mass", mass, "no", "with the mass term, h2 > 0")},
    CHOICE("preconditioner", preconditioner, "none jacobi", "none", "of the updates"),
    CHOICE("format", format, "text csv json", "text", "of what is printed"),
    {ROW(HB_OPTION_TEXT, "output", output, "none",
         "files besides, several with commas: NAME.txt, .csv, .json, .h5 or .hdf5")},
    CHOICE("backend", backend, "auto host gpu", "auto", "auto = the GPU if built for one"),
    CHOICE("graphs", graphs, "auto off", "auto", "launches of an iteration recorded, on one GPU"),
    CHOICE("gpu_aware", gpu_aware, "auto on off", "auto", "give GPU memory to MPI"),
    {ROW(HB_OPTION_YESNO, "autotune", autotune, "yes",
         "find a GPU kernel's shape by timing, no = its default")},
    FLAG("oversubscribe", oversubscribe, "several ranks on one GPU are meant: no warning"),
    FLAG("check-launches", check_launches,
         "wait after every GPU kernel, so that an error names it"),
    FLAG("help", help, "print this text"),
    FLAG("version", version, "print version and build"),
};

static const struct hb_option_table table = {rows, sizeof rows / sizeof *rows};

void hb_bench_options_help(FILE *stream) {
  fputs("Usage: helmbone-bench [--NAME VALUE | --NAME=VALUE | --FLAG]...\n"
        "Times the operator and its parts, each after it was compared with the reference.\n\n",
        stream);
  hb_option_help(&table, stream);
  fputs("exit code: 0 all right, 1 a kernel is wrong, 2 bad input, 3 the machine failed\n", stream);
}

/* Collective.  A launcher can start ranks with different arguments, which then wait for ever. */
static enum hb_status compare_arguments(const struct hb_comm *comm, int argc, char **argv) {
  enum hb_status status = HB_OK;
  uint64_t key = (uint64_t)argc;
  for (int i = 1; i < argc; i++) {
    for (const char *c = argv[i]; *c != '\0'; c++)
      key = hb_random_mix(key + HB_RANDOM_STEP + (unsigned char)*c);
    key = hb_random_mix(key + HB_RANDOM_STEP + 256);
  }
  double least = (double)(key >> 11), most = least; /* 53 bits: exact */
  hb_comm_min(comm, 1, &least);
  hb_comm_max(comm, 1, &most);
  if (least != most)
    HB_FAIL(HB_BAD_INPUT, "command line: the ranks have different arguments; allowed: the same on "
                          "all ranks");
done:
  return status;
}

static enum hb_status read_variants(struct hb_bench_options *options) {
  const char *names[32] = {NULL};
  const bool on_gpu =
      strcmp(hb_device_platform(), "none") != 0 && options->backend != HB_BACKEND_ONLY_HOST;
  if (strcmp(options->variants, "auto") == 0) return HB_OK;
  HB_ASSERT(hb_helmholtz_num_variants() <= 32);
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    const struct hb_helmholtz_variant *variant = hb_helmholtz_variant(row);
    if (variant->backend == (on_gpu ? HB_BACKEND_GPU : HB_BACKEND_HOST)) names[row] = variant->name;
  }
  return hb_bench_names("variants", options->variants, names, 32, &options->rows);
}

static bool ends_with(const char *text, const char *end) {
  const size_t length = strlen(text), bytes = strlen(end);
  return length > bytes && strcmp(text + length - bytes, end) == 0;
}

static enum hb_status read_file(struct hb_bench_options *options, const char *name, size_t length) {
  static const struct {
    const char *suffix;
    enum hb_bench_format format;
  } known[] = {{".txt", HB_BENCH_TEXT},
               {".csv", HB_BENCH_CSV},
               {".json", HB_BENCH_JSON},
               {".h5", HB_BENCH_HDF5},
               {".hdf5", HB_BENCH_HDF5}};
  enum hb_status status = HB_OK;
  char shown[HB_OPTION_SHOWN_BYTES];
  if (options->num_files == HB_BENCH_MOST_FILES)
    HB_FAIL(HB_BAD_INPUT, "command line: --output: more than %d files; allowed: 1..%d",
            HB_BENCH_MOST_FILES, HB_BENCH_MOST_FILES);
  char *file = options->file[options->num_files];
  snprintf(file, HB_PATH_BYTES, "%.*s", (int)length, name);
  for (size_t k = 0; k < sizeof known / sizeof *known; k++)
    if (ends_with(file, known[k].suffix)) {
      options->file_format[options->num_files++] = known[k].format;
      return HB_OK;
    }
  hb_option_shown(file, shown);
  HB_FAIL(
      HB_BAD_INPUT,
      "command line: --output: '%s'; allowed: none, or names that end in .txt, .csv, .json, .h5 "
      "or .hdf5",
      shown);
done:
  return status;
}

static enum hb_status read_files(struct hb_bench_options *options) {
  enum hb_status status = HB_OK;
  const char *name = options->output;
  if (strcmp(name, "none") == 0) return HB_OK;
  while (name != NULL) {
    const size_t length = strcspn(name, ",");
    HB_TRY(read_file(options, name, length));
    name = name[length] == ',' ? name + length + 1 : NULL;
  }
done:
  return status;
}

/* On rank 0: can they be written? */
static enum hb_status try_files(const struct hb_bench_options *options) {
  enum hb_status status = HB_OK;
  for (int f = 0; f < options->num_files; f++) HB_TRY(hb_table_file_check_path(options->file[f]));
done:
  return status;
}

static enum hb_status read_lists(struct hb_bench_options *options) {
  static const char *const precisions[] = {"f64", "f32"};
  const char *modes[HB_NUM_GEOMETRY_MODES];
  enum hb_status status = HB_OK;
  for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++)
    modes[mode] = hb_geometry_mode_name((enum hb_geometry_mode)mode);
  HB_TRY(
      hb_bench_numbers("degrees", options->degrees, HB_MIN_DEGREE, HB_MAX_DEGREE, options->degree));
  HB_TRY(hb_bench_names("precision", options->precision, precisions, 2, &options->precisions));
  HB_TRY(hb_bench_names("geometry", options->geometry, modes, HB_NUM_GEOMETRY_MODES,
                        &options->geometries));
  HB_TRY(hb_bench_names("parts", options->parts, hb_bench_part_names(), HB_NUM_BENCH_PARTS,
                        &options->chosen_parts));
  HB_TRY(read_variants(options));
  HB_TRY(read_files(options));
done:
  return status;
}

enum hb_status hb_bench_options_parse(const struct hb_comm *comm, int argc, char **argv,
                                      struct hb_bench_options *options) {
  enum hb_status status = HB_OK;
  memset(options, 0, sizeof *options);
  hb_option_defaults(&table, options);
  HB_TRY(compare_arguments(comm, argc, argv));
  options->help = hb_option_given(argc, argv, "--help");
  options->version = hb_option_given(argc, argv, "--version");
  if (options->help || options->version) goto done; /* before everything else, errors included */
  HB_TRY(hb_option_read_arguments(&table, argc, argv, options));
  HB_TRY(read_lists(options));
  HB_TRY(hb_comm_agree(comm, comm->rank == 0 ? try_files(options) : HB_OK));
done:
  return status;
}
