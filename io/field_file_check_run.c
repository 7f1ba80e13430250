/* SPDX-License-Identifier: BSD-3-Clause
 * What a run says of itself, in attributes and tables, must agree.  A part that the file does not
 * have is not looked at; that a run valid or not has NaN among its numbers is no contradiction. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/field_file_read_internal.h"
#include "io/schema.h"

enum { LIST_BYTES = 4096 };

static const struct hb_read_column *column_of(const struct hb_read_table *table, const char *name,
                                              enum hb_column_kind kind) {
  const struct hb_read_column *column = hb_table_column(table, name);
  return column != NULL && column->kind == kind ? column : NULL;
}

/* Attribute of /solver; NULL if there is none of the kind. */
static const struct hb_read_attribute *of_solver(const struct hb_field_file_summary *summary,
                                                 const char *name, enum hb_attribute_kind kind) {
  const struct hb_read_attribute *attribute = hb_summary_attribute(summary, HB_SCHEMA_SOLVER, name);
  return attribute != NULL && attribute->kind == kind ? attribute : NULL;
}

static struct hb_identity_fact real_of(const struct hb_field_file_summary *summary,
                                       const char *name) {
  const struct hb_read_attribute *attribute = of_solver(summary, name, HB_ATTRIBUTE_REAL);
  return (struct hb_identity_fact){.known = attribute != NULL,
                                   .value = attribute != NULL ? attribute->real : 0.0};
}

/* a = b but for `bound` relative to b; numbers that are none are equal. */
static bool agrees(double a, double b, double bound) {
  return fabs(a - b) <= bound * fabs(b) || (!isfinite(a) && !isfinite(b));
}

void hb_summary_facts(const struct hb_field_file_summary *summary,
                      struct hb_identity_facts *facts) {
  const struct hb_read_table *history = hb_summary_table(summary, HB_SCHEMA_RESIDUALS);
  const struct hb_read_column *norm = column_of(history, "residual_norm", HB_COLUMN_REAL);
  *facts = (struct hb_identity_facts){.rms_error = real_of(summary, HB_SCHEMA_RMS_ERROR),
                                      .max_error = real_of(summary, HB_SCHEMA_MAX_ERROR),
                                      .residual_norm = real_of(summary, HB_SCHEMA_TRUE_RESIDUAL),
                                      .map = hb_summary_map(summary)};
  if (norm == NULL || history->num_rows < 1) facts->residual_norm.known = false;
  if (facts->residual_norm.known && norm->reals[0] > 0.0)
    facts->residual_norm.value *= norm->reals[0];
}

/* ---- gates ------------------------------------------------------------------------------------
 */

struct gates {
  const struct hb_read_column *name, *observed, *bound, *passed;
  const struct hb_read_column *verdict, *covered_by; /* NULL: passed says it all */
  hb_global num_rows;
};

/* Text of a row, with a NUL at its end; cut at a width that no gate has. */
static void text_of(const struct hb_read_column *column, hb_global row, char text[64]) {
  snprintf(text, 64, "%.*s", column->width < 63 ? column->width : 63,
           column->text + row * column->width);
}

static void verdict_of(const struct gates *gates, hb_global row, char text[64]) {
  if (gates->verdict != NULL)
    text_of(gates->verdict, row, text);
  else
    snprintf(text, 64, "%s", gates->passed->integers[row] == 1 ? "PASS" : "FAIL");
}

/* An inconclusive gate names gates of the file that stand for it, and they have passed. */
static bool is_covered(const struct gates *gates, hb_global row) {
  char by[64] = "", name[64], verdict[64];
  int named = 0;
  if (gates->covered_by != NULL) text_of(gates->covered_by, row, by);
  for (hb_global other = 0; other < gates->num_rows; other++) {
    text_of(gates->name, other, name);
    const char *at = name[0] != '\0' && other != row ? strstr(by, name) : NULL;
    const char end = at != NULL ? at[strlen(name)] : '\0';
    if (at == NULL || (at > by && at[-1] != ' ' && at[-1] != ',') ||
        (end != '\0' && end != ' ' && end != ','))
      continue;
    verdict_of(gates, other, verdict);
    if (strcmp(verdict, "PASS") != 0) return false;
    named++;
  }
  return named > 0;
}

/* One gate; *failed and *open count those that are so. */
static enum hb_status check_gate(struct hb_field_file_summary *summary, const struct gates *gates,
                                 hb_global row, int *failed, int *open) {
  enum hb_status status = HB_OK;
  char name[64], verdict[64];
  const double observed = gates->observed->reals[row], bound = gates->bound->reals[row];
  text_of(gates->name, row, name);
  verdict_of(gates, row, verdict);
  const bool passes = strcmp(verdict, "PASS") == 0, fails = strcmp(verdict, "FAIL") == 0;
  if (fails) ++*failed;
  if (!passes && !fails && !is_covered(gates, row)) ++*open;
  if (!passes && !fails && strcmp(verdict, "INCONCLUSIVE") != 0)
    HB_TRY(hb_add_fault(summary, "%s: gate %s has verdict '%s'", HB_SCHEMA_GATES, name, verdict));
  if (passes != (gates->passed->integers[row] == 1))
    HB_TRY(hb_add_fault(summary, "%s: gate %s: passed and verdict contradict each other",
                        HB_SCHEMA_GATES, name));
  if ((passes && !(observed <= bound)) || (fails && observed <= bound))
    HB_TRY(hb_add_fault(summary, "%s: gate %s says %s, but observed %.6g, bound %.6g",
                        HB_SCHEMA_GATES, name, verdict, observed, bound));
done:
  return status;
}

static enum hb_status check_status(struct hb_field_file_summary *summary, const struct gates *gates,
                                   int failed, int open) {
  enum hb_status status = HB_OK;
  const struct hb_read_attribute *said = of_solver(summary, HB_SCHEMA_STATUS, HB_ATTRIBUTE_TEXT);
  const struct hb_read_attribute *list =
      of_solver(summary, HB_SCHEMA_FAILED_GATES, HB_ATTRIBUTE_TEXT);
  const char *expected = failed > 0 ? "INVALID" : open > 0 ? "INCONCLUSIVE" : "VALID";
  char names[LIST_BYTES] = "", name[64], verdict[64];
  size_t used = 0;
  for (hb_global row = 0; row < gates->num_rows && used + 65 < sizeof names; row++) {
    text_of(gates->name, row, name);
    verdict_of(gates, row, verdict);
    if (strcmp(verdict, "FAIL") == 0)
      used +=
          (size_t)snprintf(names + used, sizeof names - used, "%s%s", used > 0 ? "," : "", name);
  }
  if (said != NULL && said->text != NULL && strcmp(said->text, expected) != 0)
    HB_TRY(hb_add_fault(summary, "attribute status is '%.40s', by the gates it is %s", said->text,
                        expected));
  if (list != NULL && list->text != NULL && strcmp(list->text, names) != 0)
    HB_TRY(hb_add_fault(summary, "attribute failed_gates is '%.200s', by the gates it is '%.200s'",
                        list->text, names));
done:
  return status;
}

static enum hb_status check_gates(struct hb_field_file_summary *summary) {
  enum hb_status status = HB_OK;
  const struct hb_read_table *table = hb_summary_table(summary, HB_SCHEMA_GATES);
  const struct gates gates = {.name = column_of(table, "name", HB_COLUMN_TEXT),
                              .observed = column_of(table, "observed", HB_COLUMN_REAL),
                              .bound = column_of(table, "bound", HB_COLUMN_REAL),
                              .passed = column_of(table, "passed", HB_COLUMN_BOOL),
                              .verdict = column_of(table, "verdict", HB_COLUMN_TEXT),
                              .covered_by = column_of(table, "covered_by", HB_COLUMN_TEXT),
                              .num_rows = table != NULL ? table->num_rows : 0};
  int failed = 0, open = 0;
  if (gates.name == NULL || gates.observed == NULL || gates.bound == NULL || gates.passed == NULL)
    goto done; /* has its fault, if there are gates */
  for (hb_global row = 0; row < gates.num_rows; row++)
    HB_TRY(check_gate(summary, &gates, row, &failed, &open));
  summary->gates_failed = failed > 0;
  summary->gates_open = open > 0;
  HB_TRY(check_status(summary, &gates, failed, open));
done:
  return status;
}

/* ---- history ----------------------------------------------------------------------------------
 */

static enum hb_status check_history(struct hb_field_file_summary *summary) {
  enum hb_status status = HB_OK;
  const struct hb_read_table *table = hb_summary_table(summary, HB_SCHEMA_RESIDUALS);
  const struct hb_read_column *norm = column_of(table, "residual_norm", HB_COLUMN_REAL);
  const struct hb_read_column *relative = column_of(table, "relative_residual", HB_COLUMN_REAL);
  const struct hb_read_attribute *iterations =
      of_solver(summary, HB_SCHEMA_ITERATIONS, HB_ATTRIBUTE_INTEGER);
  const struct hb_identity_fact end = real_of(summary, HB_SCHEMA_RECURRENCE);
  if (norm == NULL || relative == NULL || table->num_rows < 1) goto done;
  const double first = norm->reals[0], last = relative->reals[table->num_rows - 1];
  if (iterations != NULL && iterations->integer != table->num_rows - 1)
    HB_TRY(hb_add_fault(summary, "attribute iterations is %lld, but %s has %lld rows",
                        (long long)iterations->integer, table->path, (long long)table->num_rows));
  for (hb_global row = 0; row < table->num_rows; row++) {
    const double expected = first > 0.0 ? norm->reals[row] / first : 0.0;
    if (agrees(relative->reals[row], expected, 2.0 * DBL_EPSILON)) continue;
    HB_TRY(hb_add_fault(summary,
                        "%s: relative_residual of row %lld is %.9g, by residual_norm it is %.9g",
                        table->path, (long long)row, relative->reals[row], expected));
    break;
  }
  if (end.known && first > 0.0 && !agrees(last, end.value, 4.0 * DBL_EPSILON))
    HB_TRY(hb_add_fault(summary, "%s ends with %.9g, attribute %s is %.9g", table->path, last,
                        HB_SCHEMA_RECURRENCE, end.value));
done:
  return status;
}

/* ---- timings ----------------------------------------------------------------------------------
 */

/* The row of a phase against the ranks' own times. */
static enum hb_status check_phase(struct hb_field_file_summary *summary,
                                  const struct hb_read_table *table, hb_global row,
                                  const double *seconds, hb_global ranks, const char *phase) {
  static const char *const names[] = {"min_s", "median_s", "mean_s", "max_s"};
  enum hb_status status = HB_OK;
  const struct hb_read_column *rank = column_of(table, "max_rank", HB_COLUMN_INT32);
  struct hb_statistics of;
  double sum = 0.0;
  HB_TRY(hb_statistics_of(seconds, ranks, &of));
  for (hb_global r = 0; r < ranks; r++) sum += seconds[r];
  const double expected[] = {of.min, of.median, sum / (double)ranks, of.max};
  for (int c = 0; c < 4; c++) {
    const struct hb_read_column *column = column_of(table, names[c], HB_COLUMN_REAL);
    if (column == NULL || agrees(column->reals[row], expected[c], 1e-12)) continue;
    HB_TRY(hb_add_fault(summary, "%s: %s of %s is %.9g, by %s it is %.9g", table->path, names[c],
                        phase, column->reals[row], HB_SCHEMA_TIMINGS, expected[c]));
  }
  if (rank != NULL && (rank->integers[row] < 0 || rank->integers[row] >= ranks ||
                       !agrees(seconds[rank->integers[row]], of.max, 0.0)))
    HB_TRY(hb_add_fault(summary, "%s: max_rank of %s is %lld, which took not longest", table->path,
                        phase, (long long)rank->integers[row]));
done:
  return status;
}

static enum hb_status check_summary(struct hb_field_file_summary *summary) {
  enum hb_status status = HB_OK;
  const struct hb_read_table *table = hb_summary_table(summary, HB_SCHEMA_TIMING_SUMMARY);
  const struct hb_read_table *ranks = hb_summary_table(summary, HB_SCHEMA_TIMINGS);
  const struct hb_read_column *phase = column_of(table, "phase", HB_COLUMN_TEXT);
  char name[64];
  for (hb_global row = 0; phase != NULL && row < table->num_rows; row++) {
    text_of(phase, row, name);
    const struct hb_read_column *column = column_of(ranks, name, HB_COLUMN_REAL);
    if (column == NULL || ranks->num_rows < 1)
      HB_TRY(hb_add_fault(summary, "%s: row '%s' is no column of %s", table->path, name,
                          HB_SCHEMA_TIMINGS));
    else
      HB_TRY(check_phase(summary, table, row, column->reals, ranks->num_rows, name));
  }
done:
  return status;
}

/* Rows repeat by repeat, rank by rank; the slowest rank's times are those of the solves. */
static enum hb_status check_samples(struct hb_field_file_summary *summary) {
  static const char *const names[] = {"min_solve_s", "median_solve_s", "max_solve_s"};
  enum hb_status status = HB_OK;
  const struct hb_read_table *table = hb_summary_table(summary, HB_SCHEMA_TIMING_SAMPLES);
  const struct hb_read_column *repeat = column_of(table, "repeat", HB_COLUMN_INT32);
  const struct hb_read_column *rank = column_of(table, "rank", HB_COLUMN_INT32);
  const struct hb_read_column *seconds = column_of(table, "seconds", HB_COLUMN_REAL);
  const hb_global ranks = hb_summary_integer(summary, HB_SCHEMA_RANKS, 0);
  double *longest = NULL;
  struct hb_statistics of;
  if (repeat == NULL || rank == NULL || seconds == NULL) goto done;
  if (ranks < 1 || table->num_rows < ranks || table->num_rows % ranks != 0) {
    HB_TRY(hb_add_fault(summary, "%s has %lld rows for %lld ranks", table->path,
                        (long long)table->num_rows, (long long)ranks));
    goto done;
  }
  const hb_global repeats = table->num_rows / ranks;
  HB_ALLOC(longest, repeats, "times of solves");
  for (hb_global row = 0; row < table->num_rows; row++) {
    const hb_global r = row / ranks;
    longest[r] = row % ranks == 0 ? seconds->reals[row] : hb_max(longest[r], seconds->reals[row]);
    if (repeat->integers[row] == r && rank->integers[row] == row % ranks) continue;
    HB_TRY(hb_add_fault(summary, "%s: row %lld is not of repeat %lld, rank %lld", table->path,
                        (long long)row, (long long)r, (long long)(row % ranks)));
    goto done;
  }
  HB_TRY(hb_statistics_of(longest, repeats, &of));
  const double expected[] = {of.min, of.median, of.max};
  for (int c = 0; c < 3; c++) {
    const struct hb_identity_fact said = real_of(summary, names[c]);
    if (said.known && !agrees(said.value, expected[c], 1e-12))
      HB_TRY(hb_add_fault(summary, "attribute %s is %.9g, by %s it is %.9g", names[c], said.value,
                          table->path, expected[c]));
  }
done:
  hb_free(longest);
  return status;
}

/* Row r of /machine is rank r's; hostname is where rank 0 ran. */
static enum hb_status check_hosts(struct hb_field_file_summary *summary) {
  enum hb_status status = HB_OK;
  const struct hb_read_table *hosts = hb_summary_table(summary, HB_SCHEMA_HOSTS);
  const struct hb_read_table *machine = hb_summary_table(summary, HB_SCHEMA_MACHINE);
  const struct hb_read_column *rank = column_of(machine, "rank", HB_COLUMN_INT32);
  const struct hb_read_attribute *hostname = hb_summary_attribute(summary, "/", "hostname");
  char first[64];
  for (hb_global row = 0; rank != NULL && row < machine->num_rows; row++)
    if (rank->integers[row] != row) {
      HB_TRY(hb_add_fault(summary, "%s: rank of row %lld is %lld", machine->path, (long long)row,
                          (long long)rank->integers[row]));
      break;
    }
  if (machine == NULL || hosts == NULL || hosts->num_columns != 1 || hosts->num_rows < 1 ||
      hosts->columns[0].text == NULL || hostname == NULL || hostname->text == NULL)
    goto done;
  text_of(&hosts->columns[0], 0, first);
  if (strncmp(first, hostname->text, sizeof first - 1) != 0)
    HB_TRY(hb_add_fault(summary, "attribute hostname is '%.63s', by %s it is '%s'", hostname->text,
                        hosts->path, first));
done:
  return status;
}

/* ---- figures ----------------------------------------------------------------------------------
 */

/* Closed form of the unique points; -1: the attributes do not describe a mesh. */
static hb_global unique_points(const struct hb_field_file_summary *summary) {
  static const char *const counts[] = {HB_SCHEMA_ELEMENTS_X, HB_SCHEMA_ELEMENTS_Y,
                                       HB_SCHEMA_ELEMENTS_Z};
  static const char *const periodic[] = {HB_SCHEMA_PERIODIC_X, HB_SCHEMA_PERIODIC_Y,
                                         HB_SCHEMA_PERIODIC_Z};
  const hb_global p = hb_summary_integer(summary, HB_SCHEMA_NODES, 0) - 1;
  hb_global points = 1;
  for (int a = 0; a < 3; a++) {
    const hb_global elements = hb_summary_integer(summary, counts[a], 0);
    hb_global along = 0;
    if (p < 1 || p > HB_MAX_DEGREE || elements < 1 || !hb_multiply(elements, p, &along)) return -1;
    if (hb_summary_integer(summary, periodic[a], 0) == 0 && along < HB_GLOBAL_MAX) along++;
    if (!hb_multiply(points, along, &points)) return -1;
  }
  return points;
}

/* The box as it was asked for. */
static enum hb_status check_volume(struct hb_field_file_summary *summary) {
  static const char *const lengths[] = {"mesh.lx", "mesh.ly", "mesh.lz"};
  enum hb_status status = HB_OK;
  const struct hb_identity_fact said = real_of(summary, "box_volume");
  double volume = 1.0;
  for (int a = 0; a < 3; a++) {
    const struct hb_read_attribute *length =
        hb_summary_attribute(summary, HB_SCHEMA_CONFIGURATION, lengths[a]);
    if (length == NULL || length->text == NULL) goto done;
    volume *= strtod(length->text, NULL);
  }
  if (said.known && !agrees(said.value, volume, 1e-12))
    HB_TRY(hb_add_fault(summary, "attribute box_volume is %.9g, by %s it is %.9g", said.value,
                        HB_SCHEMA_CONFIGURATION, volume));
done:
  return status;
}

static enum hb_status check_figures(struct hb_field_file_summary *summary) {
  enum hb_status status = HB_OK;
  const struct hb_read_attribute *iterations =
      of_solver(summary, HB_SCHEMA_ITERATIONS, HB_ATTRIBUTE_INTEGER);
  const struct hb_read_attribute *unique =
      of_solver(summary, "unique_points", HB_ATTRIBUTE_INTEGER);
  const struct hb_identity_fact median = real_of(summary, "median_solve_s");
  const hb_global points = unique_points(summary);
  const double n = (double)hb_summary_integer(summary, HB_SCHEMA_NODES, 0);
  const double elements = (double)hb_summary_integer(summary, HB_SCHEMA_ELEMENTS, 0);
  if (points < 0) goto done; /* has its fault */
  if (unique != NULL && unique->integer != points)
    HB_TRY(hb_add_fault(summary, "attribute unique_points is %lld, the mesh has %lld",
                        (long long)unique->integer, (long long)points));
  if (iterations == NULL || !median.known || !(median.value > 0.0)) goto done;
  const double rate = (double)iterations->integer / median.value;
  const double n3 = n * n * n;
  const struct {
    const char *name;
    double expected;
  } figures[] = {
      {"fom_nekbone_gflops", 1e-9 * elements * (12.0 * n3 * n + 34.0 * n3) * rate},
      {"dof_iterations_per_s", (double)points * rate},
      {"points_iterations_per_s", elements * n3 * rate},
  };
  for (size_t f = 0; f < sizeof figures / sizeof *figures; f++) {
    const struct hb_identity_fact said = real_of(summary, figures[f].name);
    if (said.known && !agrees(said.value, figures[f].expected, 1e-12))
      HB_TRY(hb_add_fault(summary, "attribute %s is %.9g, by its formula it is %.9g",
                          figures[f].name, said.value, figures[f].expected));
  }
done:
  return status;
}

enum hb_status hb_check_run(struct hb_field_file_summary *summary) {
  static enum hb_status (*const check[])(struct hb_field_file_summary *) = {
      check_gates, check_history, check_summary, check_samples,
      check_hosts, hb_check_own,  check_volume,  check_figures};
  enum hb_status status = HB_OK;
  for (size_t c = 0; c < sizeof check / sizeof *check; c++) HB_TRY(check[c](summary));
done:
  return status;
}
