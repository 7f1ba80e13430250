/* SPDX-License-Identifier: BSD-3-Clause
 * Output file: written by any number of ranks, read back, checked against the layout; failures on
 * one rank and on all end everywhere, and leave the older file alone.
 *
 * mpi_field_file --keep PATH [OPTION...] writes one file for other tests instead:
 *   --n N  --elements X Y Z  --f32  --no-fields  --piece-bytes B  --failed-gate  --pieces Q
 *   --loop          write it again and again
 *   --fail-fill R   the fill function fails on rank R
 *   --limit-file R  rank R (-1: all) may write no file past 8 KiB once the fields begin */
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "io/field_file.h"
#include "io/field_file_read.h"
#include "io/schema.h"
#include "tests/check.h"

enum {
  MAX_RANKS = 64,
  NUM_ROWS = 5,
  HOST_BYTES = 16,
  PATH_BYTES = 4096,
  LIMIT_BYTES = 8192,
  OPTION_BYTES = 250
};

struct writer {
  const struct hb_comm *comm;
  const char *keep;
  int n, fail_fill, limit_file; /* ranks; -2: none */
  hb_global elements[3], start[3], piece_bytes;
  hb_local count[3];
  bool f32, no_fields, failed_gate, loop, bad_cover, limit_finish, long_option, swapped_rows;
  int pieces, flip; /* flip: sixteenths of the file, where a bit is turned before it is complete */
  int skip_attribute;                                /* -1: none */
  double nodes[HB_MAX_N + 1], weights[HB_MAX_N + 1]; /* one degree too many is tried */
};

/* Gauss-Lobatto-Legendre nodes, zeros of (1 - x^2) P'_p, by Newton; w = 2 / (p n P_p^2). */
static void make_nodes(struct writer *w) {
  const int n = w->n, p = n - 1;
  for (int i = 0; i < n; i++) {
    double x = -cos(acos(-1.0) * i / p), value = 1.0;
    for (int step = 0; step < 60; step++) {
      double before = 1.0;
      value = x;
      for (int m = 2; m <= p; m++) {
        const double next = ((2 * m - 1) * x * value - (m - 1) * before) / m;
        before = value;
        value = next;
      }
      x -= (x * value - before) / (n * value);
    }
    w->nodes[i] = i == 0 ? -1.0 : i == p ? 1.0 : x;
    w->weights[i] = 2.0 / (p * n * value * value);
  }
}

/* Divides the axes in turn by the prime factors of the number of ranks. */
static void make_sub_box(struct writer *w) {
  int grid[3] = {1, 1, 1}, left = w->comm->size, at = w->comm->rank;
  for (int factor = 2, axis = left % 3; left > 1; factor++)
    for (; left % factor == 0; left /= factor, axis = (axis + 1) % 3) grid[axis] *= factor;
  for (int axis = 0; axis < 3; axis++) {
    const int c = at % grid[axis];
    at /= grid[axis];
    w->start[axis] = c * w->elements[axis] / grid[axis];
    w->count[axis] = (hb_local)((c + 1) * w->elements[axis] / grid[axis] - w->start[axis]);
  }
}

/* Position along an axis on [0,1]: equal for both elements that share the node. */
static double position(const struct writer *w, int axis, hb_global e, int i) {
  return ((double)e + 0.5 * (1.0 + w->nodes[i])) / (double)w->elements[axis];
}

/* Calls `value` for all nodes of a z-layer, in the order of the file. */
static void each_node(const struct writer *w, hb_local layer, int components, double *values,
                      double (*value)(const double x[3], int component)) {
  for (hb_local ey = 0; ey < w->count[1]; ey++)
    for (hb_local ex = 0; ex < w->count[0]; ex++)
      for (int k = 0; k < w->n; k++)
        for (int j = 0; j < w->n; j++)
          for (int i = 0; i < w->n; i++) {
            const double x[3] = {position(w, 0, w->start[0] + ex, i),
                                 position(w, 1, w->start[1] + ey, j),
                                 position(w, 2, w->start[2] + layer, k)};
            for (int c = 0; c < components; c++) *values++ = value(x, c);
          }
}

/* Box of 2 x 1 x 0.5 m, periodic along x. */
static double point_value(const double x[3], int c) { return x[c] * (c == 0 ? 2.0 : 1.0 / c); }

static double solution_value(const double x[3], int c) {
  (void)c;
  return 1.0 + 0.1 * x[0] * (1.0 - x[0]) + 10.0 * x[1] * x[2] + sin(0.5 * x[1]);
}

static double flux_value(const double x[3], int c) { return x[c] * x[(c + 1) % 3] - 0.25; }

static enum hb_status fill_points(void *context, hb_local layer, double *values) {
  each_node(context, layer, 3, values, point_value);
  return HB_OK;
}

static void set_file_limit(rlim_t bytes) {
  struct rlimit limit;
  signal(SIGXFSZ, SIG_IGN);
  getrlimit(RLIMIT_FSIZE, &limit);
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_FSIZE, &limit);
}

static enum hb_status fill_solution(void *context, hb_local layer, double *values) {
  enum hb_status status = HB_OK;
  const struct writer *w = context;
  if (w->limit_file == w->comm->rank || w->limit_file == -1) set_file_limit(LIMIT_BYTES);
  if (w->fail_fill == w->comm->rank) HB_FAIL(HB_MACHINE_FAILED, "planted failure of a rank");
  each_node(w, layer, 1, values, solution_value);
done:
  return status;
}

static enum hb_status fill_flux(void *context, hb_local layer, double *values) {
  each_node(context, layer, 3, values, flux_value);
  return HB_OK;
}

/* The tables' rows: an array of structures, so that strides are in use, and plain arrays. */
struct rows {
  struct {
    int32_t rank;
    double setup_s, total_s;
  } timing[MAX_RANKS];
  char host[MAX_RANKS][HOST_BYTES], gate[2][HOST_BYTES];
  int32_t iteration[NUM_ROWS];
  int64_t repeat[NUM_ROWS];
  double residual[NUM_ROWS], relative[NUM_ROWS], observed[2], bound[2];
  bool passed[2];
};

static void make_rows(const struct writer *w, struct rows *rows) {
  *rows = (struct rows){.gate = {"kernel", "solution"},
                        .observed = {1e-16, w->failed_gate ? 2e-3 : 2e-5},
                        .bound = {1e-13, 1e-4},
                        .passed = {true, !w->failed_gate}};
  for (int r = 0; r < w->comm->size; r++) {
    rows->timing[r].rank = r;
    rows->timing[r].setup_s = 1.0 + r;
    rows->timing[r].total_s = 0.1 * (r + 1);
    snprintf(rows->host[r], HOST_BYTES, "node%d", r / 4);
  }
  for (int i = 0; i < NUM_ROWS; i++) {
    rows->iteration[i] = i;
    rows->repeat[i] = 5000000000 + i;
    rows->residual[i] = 3.0 * pow(0.1, i);
    rows->relative[i] = pow(0.1, i);
  }
}

/* Turns one bit of the partial file. */
static void flip_bit(const char *path, int sixteenths) {
  char pattern[PATH_BYTES + 16];
  glob_t found = {.gl_pathc = 0};
  snprintf(pattern, sizeof pattern, "%s*%s", path, HB_SCHEMA_PARTIAL);
  FILE *file = glob(pattern, 0, NULL, &found) == 0 ? fopen(found.gl_pathv[0], "r+") : NULL;
  globfree(&found);
  if (file == NULL) return; /* which is seen: nothing is wrong then */
  fseek(file, 0, SEEK_END);
  const long at = ftell(file) / 16 * sixteenths;
  fseek(file, at, SEEK_SET);
  const int byte = fgetc(file);
  fseek(file, at, SEEK_SET);
  fputc(byte ^ 0x10, file);
  fclose(file);
}

/* The fields are written, then rank 0 cannot write the tables; or a bit is turned on the disk. */
static enum hb_status finish_oddly(const struct writer *w, const char *path,
                                   const struct hb_field_file_content *content) {
  enum hb_status status = HB_OK;
  struct hb_field_file *file = NULL;
  HB_TRY(hb_field_file_create(w->comm, path, content, &file));
  HB_TRY(hb_field_file_write_fields(file));
  if (w->limit_finish) set_file_limit(LIMIT_BYTES);
  if (w->flip > 0 && w->comm->rank == w->comm->size - 1) flip_bit(path, w->flip);
  hb_comm_barrier(w->comm);
  HB_TRY(hb_field_file_finish(&file));
done:
  hb_field_file_destroy(&file);
  return status;
}

static enum hb_status write_file(struct writer *w, const char *path) {
  static const char *const given[] = HB_SCHEMA_CALLER_ATTRIBUTES;
  enum { GIVEN = sizeof given / sizeof *given };
  struct rows rows;
  make_rows(w, &rows);
  const int mine = w->comm->rank;
  if (w->swapped_rows && mine == 0) { /* after the ranks have given theirs */
    const double seconds = rows.timing[0].setup_s;
    rows.timing[0].setup_s = rows.timing[w->comm->size - 1].setup_s;
    rows.timing[w->comm->size - 1].setup_s = seconds;
  }
  const struct hb_field_file_column timing[] = {
      {"rank", HB_COLUMN_INT32, 0, &rows.timing[0].rank, sizeof rows.timing[0],
       &rows.timing[mine].rank},
      {"setup_s", HB_COLUMN_REAL, 0, &rows.timing[0].setup_s, sizeof rows.timing[0],
       &rows.timing[mine].setup_s},
      {"total_s", HB_COLUMN_REAL, 0, &rows.timing[0].total_s, sizeof rows.timing[0],
       &rows.timing[mine].total_s}};
  const struct hb_field_file_column host = {NULL, HB_COLUMN_TEXT, HOST_BYTES, rows.host,
                                            0,    rows.host[mine]};
  const struct hb_field_file_column history[] = {
      {"iteration", HB_COLUMN_INT32, 0, rows.iteration, 0, NULL},
      {"residual_norm", HB_COLUMN_REAL, 0, rows.residual, 0, NULL},
      {"relative_residual", HB_COLUMN_REAL, 0, rows.relative, 0, NULL}};
  const struct hb_field_file_column gates[] = {
      {"name", HB_COLUMN_TEXT, HOST_BYTES, rows.gate, 0, NULL},
      {"observed", HB_COLUMN_REAL, 0, rows.observed, 0, NULL},
      {"bound", HB_COLUMN_REAL, 0, rows.bound, 0, NULL},
      {"passed", HB_COLUMN_BOOL, 0, rows.passed, 0, NULL}};
  const struct hb_field_file_column samples = {"repeat", HB_COLUMN_INT64, 0, rows.repeat, 0, NULL};
  const struct hb_field_file_table tables[] = {
      {HB_SCHEMA_TIMINGS, "Seconds of each rank.", "s", w->comm->size, 3, timing},
      {HB_SCHEMA_HOSTS, "Host of each rank.", NULL, w->comm->size, 1, &host},
      {HB_SCHEMA_RESIDUALS, "Residual of each iteration.", NULL, NUM_ROWS, 3, history},
      {HB_SCHEMA_GATES, "Gates; names are bytes.", NULL, 2, 4, gates},
      {HB_SCHEMA_TIMING_SAMPLES, "One column.", NULL, NUM_ROWS, 1, &samples},
      {HB_SCHEMA_TUNING, "No rows.", NULL, 0, 1, &samples}};
  struct hb_field_file_attribute attributes[GIVEN + 2];
  int num_attributes = 0;
  for (int a = 0; a < GIVEN; a++)
    if (a != w->skip_attribute)
      attributes[num_attributes++] = (struct hb_field_file_attribute){
          .name = given[a], .text = a == 0 ? "quotes \" and \\, caf\xc3\xa9" : given[a]};
  attributes[num_attributes++] = (struct hb_field_file_attribute){
      .object = "/solver", .name = "iterations", .kind = HB_ATTRIBUTE_INTEGER, .integer = 4};
  attributes[num_attributes++] = (struct hb_field_file_attribute){
      .object = "/solver", .name = "fom_gflops", .kind = HB_ATTRIBUTE_REAL, .real = 12.5};
  char name[OPTION_BYTES] = "stop";
  if (w->long_option) memset(name, 'x', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  const struct hb_field_file_option options[] = {{"mesh", "degree", "3"}, {"solver", name, ""}};
  const struct hb_field_file_field fields[] = {{"solution", "solution u", "1", 1, fill_solution, w},
                                               {"flux", "a vector", "1/m", 3, fill_flux, w}};
  struct hb_field_file_content content = {.fields = !w->no_fields,
                                          .precision = w->f32 ? HB_F32 : HB_F64,
                                          .pieces = w->pieces,
                                          .n = w->n,
                                          .periodic = {true, false, false},
                                          .gll_nodes = w->nodes,
                                          .gll_weights = w->weights,
                                          .fill_points = fill_points,
                                          .points_context = w,
                                          .num_fields = 2,
                                          .field = fields,
                                          .num_attributes = num_attributes,
                                          .attributes = attributes,
                                          .num_options = 2,
                                          .options = options,
                                          .num_tables = 6,
                                          .tables = tables,
                                          .piece_bytes = w->piece_bytes};
  make_nodes(w);
  make_sub_box(w);
  for (int axis = 0; axis < 3; axis++) {
    content.elements[axis] = w->elements[axis];
    content.element_start[axis] = w->start[axis];
    content.element_count[axis] = w->count[axis];
  }
  if (w->bad_cover && w->comm->rank == 0) content.element_count[0]--;
  return w->limit_finish || w->flip > 0 ? finish_oddly(w, path, &content)
                                        : hb_field_file_write(w->comm, path, &content);
}

static struct writer small(const struct hb_comm *comm) {
  return (struct writer){.comm = comm,
                         .n = 4,
                         .fail_fill = -2,
                         .limit_file = -2,
                         .elements = {3, 2, 8},
                         .skip_attribute = -1};
}

/* Rank 0 reads the file: no faults, and the numbers that went in. */
static void check_file(struct hb_check *check, const struct writer *w, const char *path) {
  struct hb_field_file_summary *summary = NULL;
  if (w->comm->rank != 0) return;
  CHECK_OK(check, hb_field_file_read(path, &summary));
  if (summary == NULL) return;
  for (int f = 0; f < summary->num_faults; f++) printf("fault: %s\n", summary->faults[f]);
  CHECK_EQUAL(check, summary->num_faults, 0);
  CHECK_EQUAL(check, summary->gates_failed, w->failed_gate);
  CHECK_EQUAL(check, hb_summary_integer(summary, HB_SCHEMA_COMPLETE, -1), 1);
  CHECK_EQUAL(check, hb_summary_integer(summary, HB_SCHEMA_RANKS, -1), w->comm->size);
  CHECK_EQUAL(check, summary->num_ranges, w->no_fields ? 0 : 3);
  if (!w->no_fields) { /* Points, flux, solution */
    const double ends[3] = {0.0, 0.0, 0.0}, far[3] = {1.0, 1.0, 1.0};
    const double middle[3] = {0.5, 1.0, 1.0};
    const double bound = 4.0 * hb_precision_epsilon(w->f32 ? HB_F32 : HB_F64); /* a rounding */
    CHECK_NEAR(check, summary->ranges[0].max, 2.0, bound);
    CHECK_NEAR(check, summary->ranges[1].min, -0.25, bound);
    CHECK_NEAR(check, summary->ranges[1].max, 0.75, bound);
    CHECK_NEAR(check, summary->ranges[2].min, solution_value(ends, 0), bound);
    CHECK(check, summary->ranges[2].max >= solution_value(far, 0) - 11.0 * bound &&
                     summary->ranges[2].max <= solution_value(middle, 0) + 11.0 * bound);
  }
  const struct hb_read_table *timings = hb_summary_table(summary, HB_SCHEMA_TIMINGS);
  const struct hb_read_column *setup = hb_table_column(timings, "setup_s");
  CHECK(check, setup != NULL && setup->reals[w->comm->size - 1] == (double)w->comm->size);
  const struct hb_read_table *samples = hb_summary_table(summary, HB_SCHEMA_TIMING_SAMPLES);
  const struct hb_read_column *repeat = hb_table_column(samples, "repeat");
  CHECK(check, repeat != NULL && repeat->integers[NUM_ROWS - 1] == 5000000000 + NUM_ROWS - 1);
  const struct hb_read_attribute *rate = hb_summary_attribute(summary, "/solver", "fom_gflops");
  CHECK(check, rate != NULL && rate->kind == HB_ATTRIBUTE_REAL && rate->real == 12.5);
  hb_field_file_summary_destroy(&summary);
}

static void check_good_files(struct hb_check *check, const struct hb_comm *comm, const char *path) {
  static const hb_global pieces[] = {0, 1, 600, 7000, 40000};
  static const hb_global boxes[][3] = {{3, 2, 8}, {1, 1, 1}, {7, 1, 2}, {1, 9, 1}};
  struct writer w = small(comm);
  for (size_t p = 0; p < sizeof pieces / sizeof *pieces; p++) {
    w.piece_bytes = pieces[p];
    w.f32 = p % 2 == 1;
    CHECK_OK(check, write_file(&w, path));
    check_file(check, &w, path);
  }
  for (size_t b = 0; b < sizeof boxes / sizeof *boxes; b++) {
    memcpy(w.elements, boxes[b], sizeof w.elements);
    w.n = b == 1 ? 2 : 5;
    CHECK_OK(check, write_file(&w, path));
    check_file(check, &w, path);
  }
  for (w.pieces = 2; w.pieces < 40; w.pieces += 9) { /* 18 elements: not more pieces than those */
    memcpy(w.elements, boxes[0], sizeof w.elements);
    CHECK_OK(check, write_file(&w, path));
    check_file(check, &w, path);
  }
  w.no_fields = w.failed_gate = true;
  CHECK_OK(check, write_file(&w, path));
  check_file(check, &w, path);
}

/* The partial file is gone, the older file still good. */
static void check_survival(struct hb_check *check, const struct writer *good, const char *path) {
  char pattern[PATH_BYTES + 16];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s*%s", path, HB_SCHEMA_PARTIAL);
  if (good->comm->rank == 0) CHECK(check, glob(pattern, 0, NULL, &found) == GLOB_NOMATCH);
  check_file(check, good, path);
}

static void check_failures(struct hb_check *check, const struct hb_comm *comm, const char *path) {
  const struct writer good = small(comm);
  struct writer w = good;
  CHECK_OK(check, write_file(&w, path));
  w.fail_fill = comm->size - 1; /* the last rank alone */
  CHECK_FAILS(check, write_file(&w, path), HB_MACHINE_FAILED, "planted failure of a rank");
  check_survival(check, &good, path);
  w = good;
  for (int which = 0; which < 2; which++) { /* all ranks, then one that may or may not write */
    w.limit_file = which == 0 ? -1 : 0;
    CHECK_FAILS(check, write_file(&w, path), HB_MACHINE_FAILED, "bytes available");
    set_file_limit(RLIM_INFINITY);
    check_survival(check, &good, path);
  }
  w.limit_file = comm->size - 1; /* may pass where rank 0 writes for all: the same everywhere */
  const double status = (double)write_file(&w, path);
  double least = status, most = status;
  hb_comm_min(comm, 1, &least);
  hb_comm_max(comm, 1, &most);
  CHECK(check, least == most && (most == HB_OK || most == HB_MACHINE_FAILED));
  hb_error_clear();
  set_file_limit(RLIM_INFINITY);
  check_survival(check, &good, path);
  w = good;
  w.limit_finish = true;
  CHECK_FAILS(check, write_file(&w, path), HB_MACHINE_FAILED, "cannot write table");
  set_file_limit(RLIM_INFINITY);
  check_survival(check, &good, path);
  w = good;
  w.skip_attribute = 1;
  CHECK_FAILS(check, write_file(&w, path), HB_BAD_INPUT, "'code_version' is missing");
  w = good;
  w.long_option = true; /* 7 bytes of the section, 249 of the name */
  CHECK_FAILS(check, write_file(&w, path), HB_BAD_INPUT, "has a name of more than 255 bytes");
  check_survival(check, &good, path);
  w = good;
  w.bad_cover = true;
  CHECK_FAILS(check, write_file(&w, path), HB_BAD_INPUT, "elements of 48");
  w = good;
  w.n = 17;
  CHECK_FAILS(check, write_file(&w, path), HB_BAD_INPUT, "17 nodes per direction");
  CHECK_FAILS(check, hb_field_file_check_path(comm, "/nowhere/at_all/a.vtkhdf", 0), HB_BAD_INPUT,
              "folder '/nowhere/at_all'");
  CHECK_FAILS(check, hb_field_file_check_path(comm, "/tmp/a.h5", 0), HB_BAD_INPUT, ".vtkhdf");
  CHECK_FAILS(check, hb_field_file_check_path(comm, "/tmp/.vtkhdf", 0), HB_BAD_INPUT, "NAME");
  CHECK_FAILS(check, hb_field_file_check_path(comm, path, HB_GLOBAL_MAX), HB_MACHINE_FAILED,
              "9223372036854775807 bytes needed");
  CHECK_OK(check, hb_field_file_check_path(comm, path, 1));
  check_survival(check, &good, path);
}

/* What is on the disk is not what was written, or stands in another rank's row. */
static void check_read_back(struct hb_check *check, const struct hb_comm *comm, const char *path) {
  const struct writer good = small(comm);
  struct writer w = good;
  CHECK_OK(check, write_file(&w, path));
  w.elements[0] = 6; /* so that arrays are most of it */
  w.n = 6;
  for (w.flip = 2; w.flip < 8; w.flip++) {
    w.f32 = w.flip % 2 == 1;
    CHECK_FAILS(check, write_file(&w, path), HB_GATE_FAILED, "read back");
    check_survival(check, &good, path);
  }
  w = good;
  w.swapped_rows = true;
  if (comm->size > 1)
    CHECK_FAILS(check, write_file(&w, path), HB_GATE_FAILED, "column setup_s of row");
  check_survival(check, &good, path);
}

static int flag_is(const char *argument, const char *flag) { return strcmp(argument, flag) == 0; }

static struct writer parse(const struct hb_comm *comm, int argc, char **argv) {
  struct writer w = small(comm);
  for (int a = 1; a < argc; a++) {
    const long value = a + 1 < argc ? atol(argv[a + 1]) : 0;
    if (flag_is(argv[a], "--keep")) w.keep = argv[a + 1];
    if (flag_is(argv[a], "--n")) w.n = (int)value;
    if (flag_is(argv[a], "--piece-bytes")) w.piece_bytes = value;
    if (flag_is(argv[a], "--pieces")) w.pieces = (int)value;
    if (flag_is(argv[a], "--fail-fill")) w.fail_fill = (int)value;
    if (flag_is(argv[a], "--limit-file")) w.limit_file = (int)value;
    w.f32 = w.f32 || flag_is(argv[a], "--f32");
    w.no_fields = w.no_fields || flag_is(argv[a], "--no-fields");
    w.failed_gate = w.failed_gate || flag_is(argv[a], "--failed-gate");
    w.loop = w.loop || flag_is(argv[a], "--loop");
    if (flag_is(argv[a], "--elements") && a + 3 < argc)
      for (int axis = 0; axis < 3; axis++) w.elements[axis] = atol(argv[a + 1 + axis]);
  }
  return w;
}

static int keep(struct writer *w) {
  enum hb_status status = HB_OK;
  do {
    status = hb_field_file_check_path(w->comm, w->keep, 0);
    if (status == HB_OK) status = write_file(w, w->keep);
    if (w->comm->rank == 0 && status == HB_OK) printf("written\n");
    if (w->comm->rank == 0 && status != HB_OK) fprintf(stderr, "error: %s\n", hb_error_message());
    fflush(stdout);
  } while (w->loop && status == HB_OK);
  return (int)status;
}

int main(int argc, char **argv) {
  struct hb_check check = {0};
  struct hb_comm *comm = NULL;
  char path[PATH_BYTES];
  int code = EXIT_FAILURE;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  struct writer w = parse(comm, argc, argv);
  if (w.keep != NULL) {
    code = keep(&w);
  } else {
    long pid = (long)getpid();
    MPI_Bcast(&pid, 1, MPI_LONG, 0, comm->mpi);
    snprintf(path, sizeof path, "/tmp/mpi_field_file_%ld_%d.vtkhdf", pid, comm->size);
    check_good_files(&check, comm, path);
    check_failures(&check, comm, path);
    check_read_back(&check, comm, path);
    if (comm->rank == 0) unlink(path);
  }
  const int rank = comm->rank;
  const long all_failed = (long)hb_comm_sum_global(comm, check.failed);
  hb_comm_destroy(&comm);
  if (w.keep == NULL && rank == 0) {
    check.failed = all_failed;
    code = hb_check_finish(&check);
  }
  if (w.keep == NULL) MPI_Bcast(&code, 1, MPI_INT, 0, MPI_COMM_WORLD);
  MPI_Finalize();
  return code;
}
