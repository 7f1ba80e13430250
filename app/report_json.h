/* SPDX-License-Identifier: BSD-3-Clause
 * The report for machines: everything that is known of a run, as one JSON object in a file.
 *
 * The keys are a contract: within a schema_version none is removed or changes its meaning, others
 * may be added.  Units are in the names (_s, _bytes, _bytes_per_s); NaN and infinity are null, and
 * so are figures of merit of a run that is not VALID.
 *
 *   schema, schema_version   "helmbone-report", 1
 *   created_utc              "2026-01-31T12:00:00Z"
 *   status                   as on the RESULT line: VALID, INVALID, INCONCLUSIVE or UNWRITTEN
 *   failed, inconclusive     [names of gates]
 *   case                     ranks, nodes, rank_grid [3]; degree, elements [3], unique_points,
 *                            elements_per_rank [least, most]
 *   figures                  fom_nekbone_gflops, dof_iterations_per_s, points_iterations_per_s,
 *                            seconds_per_iteration, useful_gflops, fraction_of_triad,
 *                            fraction_of_copy, nekbone_comparable
 *   energy                   null: this version measures none
 *   solves                   warmup, timed: counts; iterations, end: of the last; why: no more were
 *                            timed; min_s, median_s, max_s; seconds: [of each timed solve, the
 *                            longest over the ranks] (of each rank: tables, /timings/samples)
 *   bandwidth                copy_bytes_per_s, triad_bytes_per_s: sums over the ranks; array_bytes
 *   reduction                least_s, mean_s: of the timed solves, waits among the mean
 *   warnings                 [sentences: mistakes of the launch]
 *   slow_ranks               [{rank, kernel, work, copy: slow in that (io/slow_ranks.h); host,
 *                            processors, numa_nodes, device, pci_bus_id}]
 *   memory                   model_host, model_device: {entries: [{name, bytes}], total_bytes} of
 *                            rank 0, known before the solve; measured: {resident_peak_bytes,
 *                            allocated_peak_bytes, device_peak_bytes: [of each rank]} (resident:
 *                            the process's, null where the system does not say; the others: what
 *                            the program itself asked for)
 *   traffic                  {entries: [{name, bytes}], total_bytes}: of an iteration, rank 0's, by
 *                            the model
 *   file                     {path, written, written_by}; null: none was asked for
 *   environment              {NAME: value} of rank 0: those variables of launchers, MPI, OpenMP and
 *                            GPU runtimes that can change a figure (app/report_environment.h)
 *   modules                  [loaded modules of the environment]
 *   run, solver              {attribute: value}: the output file's, of / and /solver
 *   configuration            {"section.name": "value"}
 *   tables                   {path: {column: [values]}}, or {path: [values]}: those of io/schema.h,
 *                            whether an output file was asked for or not
 *
 * Written under a temporary name and renamed: the file is whole or not there. */
#ifndef HB_APP_REPORT_JSON_H
#define HB_APP_REPORT_JSON_H

#include "app/output_tables.h"

enum { HB_REPORT_SCHEMA_VERSION = 1 };
#define HB_REPORT_SCHEMA "helmbone-report"

/* Is one asked for? */
bool hb_report_json_wanted(const struct hb_options *options);

/* Collective.  Can it be written, and is it no other file of the run?  Checked before the solve;
 * *before, on rank 0: what is under the name now.  HB_OK also if none is asked for. */
enum hb_status hb_report_json_check(const struct hb_comm *comm, const struct hb_options *options,
                                    struct hb_path_version *before);

/* Collective.  Rank 0 writes; the tables have been gathered.  HB_BAD_INPUT: another program has
 * taken the name meanwhile. */
enum hb_status hb_report_json_write(const struct hb_results *results,
                                    const struct hb_output_tables *tables,
                                    const struct hb_path_version *before);

#endif
