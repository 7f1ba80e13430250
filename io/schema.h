/* SPDX-License-Identifier: BSD-3-Clause
 * Names, versions and descriptions of the output file's layout, for writer, reader and inspect.
 *
 * Symbols: n = nodes per direction, p = n - 1, E = global elements, R = ranks,
 * NP = E n^3 points, NC = E p^3 cells.  "id" is int32, or int64 where 8 NC or NP >= 2^31.
 * "real" is f64 or f32, one choice a file.
 *
 *   /                               attributes, see below; text is variable-length UTF-8
 *   /VTKHDF                         Version int64[2] = {1,0}; Type = 16 bytes, null-padded ASCII
 *     NumberOfPoints, NumberOfCells, NumberOfConnectivityIds     int64 [1] = NP, NC, 8 NC
 *     Points                        real [NP][3], m
 *     Connectivity                  id [8 NC]      Offsets   id [NC + 1] = 0, 8, 16, ...
 *     Types                         uint8 [NC] = 12 (linear hexahedron)
 *     PointData/FIELD               real [NP] or [NP][3], attributes units, long_name
 *     CellData/element_id, mpi_rank int32 [NC] (element_id int64 if E >= 2^31)
 *   /fields                         soft link to /VTKHDF/PointData
 *   /reference_element/gll_nodes, gll_weights                    f64 [n]
 *   /configuration                  one text attribute an option: "section.name"
 *   /timings/per_rank               compound [R]: rank int32, then phases f64, names end in _s
 *   /timings/host                   fixed text [R]
 *   /solver/residual_history        compound: iteration int32, residual_norm, relative_residual f64
 *   /gates                          optional; compound: name text, observed, bound f64, passed int8
 *   /tuning                         optional; compound, a row a kernel: operator, kernel, tile,
 *                                   layout text, wavefronts, elements, ahead int32, verified_error,
 *                                   error_bound f64, verified, chosen int8, seconds and spread f64
 *                                   (of a launch, s; NaN: not timed)
 *   any other path                  optional; compound table or one-dimensional array
 *
 * Without fields (attribute fields = "no") /VTKHDF, /fields and /reference_element are left out.
 *
 * point(e,i,j,k) = e n^3 + i + n (j + n k), e = ex + nx (ey + ny ez): independent of the ranks.
 * Cell (e,i,j,k), 0 <= i,j,k < p, is number e p^3 + i + p (j + p k).  Its corners are
 * representatives: of the copies of a shared node, the smallest point id. */
#ifndef HB_IO_SCHEMA_H
#define HB_IO_SCHEMA_H

#define HB_SCHEMA_NAME    "helmbone-output"
#define HB_SCHEMA_SUFFIX  ".vtkhdf"
#define HB_SCHEMA_PARTIAL ".partial" /* added to the name until the file is complete */

enum {
  HB_SCHEMA_VERSION = 1,
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
