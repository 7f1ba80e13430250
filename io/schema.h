/* SPDX-License-Identifier: BSD-3-Clause
 * Names, versions and descriptions of the output file's layout, for writer, reader and inspect.
 *
 * Symbols: n = nodes per direction, p = n - 1, E = global elements, R = ranks, Q = pieces,
 * NP = E n^3 points, NC = E p^3 cells.  "id" is int32, or int64 where 8 NC or NP >= 2^31.
 * "real" is f64 or f32, one choice a file.  "text" is UTF-8 of fixed length, filled with NUL;
 * "truth" is h5py's boolean, an enum of int8 with FALSE = 0, TRUE = 1.
 *
 *   /                               attributes, see below
 *   /VTKHDF                         Version int64[2] = {1,0}, all that this needs and the last that
 *                                   VTK 9.1 and 9.2 read without a warning;
 *                                   Type = 16 bytes, null-padded ASCII
 *     NumberOfPoints, NumberOfCells, NumberOfConnectivityIds     int64 [Q]
 *     Points                        real [NP][3], m
 *     Connectivity                  id [8 NC]      Offsets   id [NC + Q] = 0, 8, 16, ... a piece
 *     Types                         uint8 [NC] = 12 (linear hexahedron)
 *     PointData/FIELD               real [NP] or [NP][3], attributes units, long_name
 *     CellData/element_id, mpi_rank int32 [NC] (element_id int64 if E >= 2^31)
 *   /fields                         soft link to /VTKHDF/PointData
 *   /reference_element/gll_nodes, gll_weights                    f64 [n]
 *   /configuration                  one text attribute an option: "section.name"
 *   /timings/per_rank               compound [R]: rank int32, then phases f64, names end in _s
 *   /timings/host                   text [R]
 *   /timings/summary                optional; compound, a row a phase of per_rank: phase text,
 *                                   min_s, median_s, mean_s, max_s f64, max_rank int32
 *   /timings/own                    optional; compound [R], what a rank took for itself: rank
 * int32, elements int64, kernel_s, kernel_median_s (an application of the operator alone), work_s
 * (operator and vectors, of an iteration; NaN on GPUs), reduction_least_s, reduction_mean_s f64
 * (NaN: not known), slow truth: as io/slow_ranks.h says of these and of /machine's copy_bytes_per_s
 *   /machine                        optional; compound [R]: rank int32, copy_bytes_per_s,
 *                                   triad_bytes_per_s f64, processors text ("0-7,64-71", where the
 *                                   rank may run), numa_nodes text, pci_bus_id text ("": host),
 *                                   device_numa_node int32 (-1: unknown)
 *   /timings/samples                optional; compound: repeat, rank int32, seconds f64
 *   /solver/residual_history        compound: iteration int32, residual_norm, relative_residual f64
 *   /gates                          optional; compound: name text, observed, bound f64, passed
 * truth; verdict text: PASS, FAIL or INCONCLUSIVE; covered_by text, the gates that judge in place
 * of an inconclusive one /tuning                         optional; compound, a row a kernel:
 * operator, kernel, geometry, tile, layout text, wavefronts, elements, ahead int32, verified_error,
 *                                   error_bound f64, verified, chosen truth, seconds and spread f64
 *                                   (of a launch, s; NaN: not timed)
 *   any other path                  optional; compound table or one-dimensional array
 *
 * Without fields (attribute fields = "no") /VTKHDF, /fields and /reference_element are left out.
 *
 * point(e,i,j,k) = e n^3 + i + n (j + n k), e = ex + nx (ey + ny ez): independent of the ranks.
 * Cell (e,i,j,k), 0 <= i,j,k < p, is number e p^3 + i + p (j + p k).  Piece q of Q (attribute
 * num_pieces) has the elements floor(q E / Q) up to floor((q + 1) E / Q), their points and cells;
 * its ids count from its own first point.  A cell's corners are representatives: of the copies of a
 * shared node in the piece, the smallest point id.
 *
 * Every dataset has an attribute checksum, uint64 (algorithm and Python: io/checksum.h), over its
 * values in C order.  The root group's metadata_checksum covers the rest: the sum (modulo 2^64) of
 *   mix(checksum(PATH NUL NAME NUL VALUE))   over all attributes but complete and the checksums,
 *                                            VALUE its bytes, of text without NULs at the end;
 *   mix(checksum(PATH NUL NUL WORDS))        over all datasets, WORDS "SHAPE TYPE", SHAPE being
 *                                            "96" or "96x3", TYPE "f8", or of a compound
 *                                            "NAME=TYPE,NAME=TYPE": numpy's letters f i u S b and
 *                                            the bytes of a value.
 * What the run says of itself must agree: see hb_check_run in io/field_file_check_run.c and
 * hb_identities in io/field_identities.h; the writer checks the same before it sets complete. */
#ifndef HB_IO_SCHEMA_H
#define HB_IO_SCHEMA_H

#define HB_SCHEMA_NAME     "helmbone-output"
#define HB_SCHEMA_SUFFIX   ".vtkhdf"
#define HB_SCHEMA_SUFFIX_2 ".hdf"     /* for readers that do not know the other */
#define HB_SCHEMA_PARTIAL  ".partial" /* added to the name until the file is complete */

enum {
  HB_SCHEMA_VERSION = 2,
  HB_SCHEMA_MOST_PIECES = 4096,
  HB_SCHEMA_VTK_TYPE_BYTES = 16,
  HB_SCHEMA_CELL_TYPE = 12,
  HB_SCHEMA_CORNERS = 8
};

#define HB_SCHEMA_VTK            "/VTKHDF"
#define HB_SCHEMA_VTK_TYPE       "UnstructuredGrid"
#define HB_SCHEMA_NUM_POINTS     "/VTKHDF/NumberOfPoints"
#define HB_SCHEMA_NUM_CELLS      "/VTKHDF/NumberOfCells"
#define HB_SCHEMA_NUM_IDS        "/VTKHDF/NumberOfConnectivityIds"
#define HB_SCHEMA_POINTS         "/VTKHDF/Points"
#define HB_SCHEMA_CONNECTIVITY   "/VTKHDF/Connectivity"
#define HB_SCHEMA_OFFSETS        "/VTKHDF/Offsets"
#define HB_SCHEMA_TYPES          "/VTKHDF/Types"
#define HB_SCHEMA_POINT_DATA     "/VTKHDF/PointData"
#define HB_SCHEMA_CELL_DATA      "/VTKHDF/CellData"
#define HB_SCHEMA_ELEMENT_ID     "/VTKHDF/CellData/element_id"
#define HB_SCHEMA_MPI_RANK       "/VTKHDF/CellData/mpi_rank"
#define HB_SCHEMA_FIELDS         "/fields"
#define HB_SCHEMA_REFERENCE      "/reference_element"
#define HB_SCHEMA_GLL_NODES      "/reference_element/gll_nodes"
#define HB_SCHEMA_GLL_WEIGHTS    "/reference_element/gll_weights"
#define HB_SCHEMA_CONFIGURATION  "/configuration"
#define HB_SCHEMA_TIMINGS        "/timings/per_rank"
#define HB_SCHEMA_HOSTS          "/timings/host"
#define HB_SCHEMA_DEVICES        "/timings/device" /* runs on GPUs */
#define HB_SCHEMA_TIMING_SUMMARY "/timings/summary"
#define HB_SCHEMA_TIMING_SAMPLES "/timings/samples"
#define HB_SCHEMA_TIMING_OWN     "/timings/own"
#define HB_SCHEMA_RESIDUALS      "/solver/residual_history"
#define HB_SCHEMA_GATES          "/gates"
#define HB_SCHEMA_MACHINE        "/machine"
#define HB_SCHEMA_TUNING         "/tuning" /* runs on GPUs */

/* Attributes of the root group that the writer sets itself. */
#define HB_SCHEMA_SCHEMA         "schema"
#define HB_SCHEMA_SCHEMA_VERSION "schema_version"
#define HB_SCHEMA_COMPLETE       "complete" /* int64: 0 while writing, 1 at the end */
#define HB_SCHEMA_HAS_FIELDS     "fields"   /* "yes" or "no" */
#define HB_SCHEMA_CREATED        "created_utc"
#define HB_SCHEMA_HDF5_VERSION   "hdf5_version"
#define HB_SCHEMA_RANKS          "mpi_ranks"
#define HB_SCHEMA_ORDER          "polynomial_order"
#define HB_SCHEMA_NODES          "nodes_per_direction"
#define HB_SCHEMA_ELEMENTS       "num_elements"
#define HB_SCHEMA_ELEMENTS_X     "num_elements_x"
#define HB_SCHEMA_ELEMENTS_Y     "num_elements_y"
#define HB_SCHEMA_ELEMENTS_Z     "num_elements_z"
#define HB_SCHEMA_PERIODIC_X     "periodic_x"
#define HB_SCHEMA_PERIODIC_Y     "periodic_y"
#define HB_SCHEMA_PERIODIC_Z     "periodic_z"
#define HB_SCHEMA_ALL_POINTS     "num_points" /* NP: with all copies */
#define HB_SCHEMA_NODE_FAMILY    "node_family"
#define HB_SCHEMA_NODE_ORDERING  "node_ordering"
#define HB_SCHEMA_PIECES         "num_pieces"
#define HB_SCHEMA_WRITTEN_BY     "written_by"        /* which ranks wrote the arrays, and why */
#define HB_SCHEMA_METADATA       "metadata_checksum" /* uint64 */
#define HB_SCHEMA_CHECKSUM       "checksum"          /* uint64, of every dataset */

/* Fields that the identities know, and attributes of /solver that they are compared with. */
#define HB_SCHEMA_SOLVER        "/solver"
#define HB_SCHEMA_SOLUTION      "solution"
#define HB_SCHEMA_EXACT         "exact_solution"
#define HB_SCHEMA_ERROR         "error"    /* solution - exact_solution */
#define HB_SCHEMA_RESIDUAL      "residual" /* b - A solution */
#define HB_SCHEMA_RMS_ERROR     "rms_error"
#define HB_SCHEMA_MAX_ERROR     "max_error"
#define HB_SCHEMA_TRUE_RESIDUAL "true_relative_residual"
#define HB_SCHEMA_RECURRENCE    "recurrence_relative_residual"
#define HB_SCHEMA_ITERATIONS    "iterations"
#define HB_SCHEMA_STATUS        "status"       /* "VALID", "INVALID" or "INCONCLUSIVE" */
#define HB_SCHEMA_FAILED_GATES  "failed_gates" /* names, with commas */

#define HB_SCHEMA_NODE_FAMILY_TEXT "Gauss-Lobatto-Legendre"
#define HB_SCHEMA_NODE_ORDERING_TEXT                                                               \
  "element-major, x index fastest: point = e*n^3 + i + n*(j + n*k), e = ex + nx*(ey + ny*ez), "    \
  "n = nodes_per_direction; fields/NAME[:].reshape(num_elements, n, n, n) gives [e, k, j, i]"

/* Text attributes of the root group that the caller must give; others are welcome. */
#define HB_SCHEMA_CALLER_ATTRIBUTES                                                                \
  {                                                                                                \
    "title", "code_version", "git_commit", "command_line", "hostname", "device", "precision",      \
        "compiler", "mpi_library"                                                                  \
  }

/* Tables that the caller must give. */
#define HB_SCHEMA_CALLER_TABLES                                                                    \
  { HB_SCHEMA_TIMINGS, HB_SCHEMA_HOSTS, HB_SCHEMA_RESIDUALS }

#endif
