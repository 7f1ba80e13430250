/* SPDX-License-Identifier: BSD-3-Clause
 * The assembled operator on a device against the plain one on the host, mesh and ranks being the
 * same: factors, products, sums, diagonal, parts of it; staged and GPU-aware; faults are seen. */
#include <string.h>

#include "app/operator_device.h"
#include "app/operator_host.h"
#include "tests/mesh_device.h"

/* One box, with lanes = 1 on both sides. */
struct bench {
  struct hb_device *device;
  struct hb_mesh *mesh;
  struct hb_problem problem;
  enum hb_precision precision;
  hb_local points;
  hb_global *ids;
  struct hb_operator *host, *bounds, *op; /* op: on the device */
  void *u, *expected, *scale, *w;         /* [points] */
  double *mass;
};

static void bench_destroy(struct bench *bench) {
  hb_operator_destroy(&bench->host);
  hb_operator_destroy(&bench->bounds);
  hb_operator_destroy(&bench->op);
  hb_mesh_destroy(&bench->mesh);
  hb_free(bench->ids);
  hb_free(bench->u);
  hb_free(bench->expected);
  hb_free(bench->scale);
  hb_free(bench->w);
  hb_free(bench->mass);
}

/* Every entry becomes its magnitude: an operator of such entries, applied to |u|, gives the sum of
 * the magnitudes that went into each entry of the other's result. */
static void take_magnitudes(enum hb_precision precision, void *values, ptrdiff_t count) {
  for (ptrdiff_t i = 0; i < count; i++)
    hb_real_set(precision, values, i, fabs(hb_real_at(precision, values, i)));
}

static ptrdiff_t factors_per_element(const struct bench *bench) {
  const struct hb_helmholtz *h = &bench->host->helmholtz;
  return hb_geometry_host_layout(&h->geometry, h->n, 1).block;
}

/* The variant in its first shape for n on this device.  False: it has none. */
static bool first_kernel(struct hb_check *check, struct hb_device *device,
                         const struct hb_helmholtz_variant *variant, int n,
                         enum hb_precision precision, struct hb_kernel *kernel) {
  struct hb_shape shapes[HB_MAX_SHAPES];
  struct hb_device_info info;
  if (variant->backend != HB_BACKEND_GPU) return false;
  CHECK_OK(check, hb_device_info(device, &info));
  if (hb_helmholtz_variant_shapes(variant, info.architecture, n, precision, shapes) == 0)
    return false;
  *kernel = (struct hb_kernel){variant, shapes[0], HB_GEOMETRY_STORED};
  return true;
}

/* Collective.  By a kernel, on the host or the bench's device; lanes are 1. */
static enum hb_status create_operator(const struct bench *bench, const struct hb_kernel *kernel,
                                      bool gpu_aware, struct hb_operator **op) {
  const struct hb_backend backend = {.kind = kernel->variant->backend,
                                     .kernel = *kernel,
                                     .device = bench->device,
                                     .gpu_aware = gpu_aware};
  const struct hb_operator_setup setup = {.mesh = bench->mesh,
                                          .problem = &bench->problem,
                                          .backend = &backend,
                                          .precision = bench->precision};
  return hb_operator_create(&setup, bench->mass, op);
}

static bool create_on_device(struct hb_check *check, struct bench *bench,
                             const struct hb_kernel *kernel, bool gpu_aware) {
  CHECK_OK(check, create_operator(bench, kernel, gpu_aware, &bench->op));
  return bench->op != NULL;
}

/* Collective.  False if the box does not go on so many ranks. */
static bool bench_create(struct hb_check *check, const struct hb_comm *comm,
                         struct hb_device *device, const struct hb_box *box,
                         enum hb_precision precision, double h2, double variation,
                         struct bench *bench) {
  *bench = (struct bench){.device = device, .precision = precision};
  if (mesh_create(comm, box, 1, &bench->mesh) != HB_OK) {
    hb_error_clear();
    return false;
  }
  const struct hb_helmholtz_variant *reference = hb_helmholtz_variant(0);
  const size_t size = hb_precision_bytes(precision);
  bench->points = bench->mesh->numbering->num_points;
  bench->ids = mesh_global_ids(bench->mesh);
  bench->u = hb_allocate(bench->points, size, "u");
  bench->expected = hb_allocate(bench->points, size, "expected");
  bench->scale = hb_allocate(bench->points, size, "scale");
  bench->w = hb_allocate(bench->points, size, "w");
  bench->mass = hb_allocate(bench->points, sizeof(double), "mass");
  CHECK(check, strcmp(reference->name, "reference") == 0 && reference->lanes[precision] == 1);
  CHECK_OK(check, hb_problem_init(box, 1.3, h2, variation, h2 > 0.0 ? 0.5 * variation : 0.0,
                                  &bench->problem));
  const struct hb_kernel plain = {.variant = reference};
  CHECK_OK(check, create_operator(bench, &plain, false, &bench->bounds));
  CHECK_OK(check, create_operator(bench, &plain, false, &bench->host));
  return bench->host != NULL && bench->bounds != NULL;
}

/* Random, known to all ranks by global point; zero on Dirichlet faces where masked. */
static void set_random(struct bench *bench, hb_global seed, bool masked) {
  const struct hb_numbering *numbering = bench->mesh->numbering;
  for (hb_local s = 0; s < bench->points; s++)
    hb_real_set(bench->precision, bench->u, s, hb_random_at(bench->ids[s], seed));
  if (masked) bench->host->ops->set_at(numbering->num_masked, numbering->masked, 0.0, bench->u);
}

/* Both sides form the factors in double and in another order: a derivative differs by a unit of
 * sum |D| |x|, |x| <= 1.3; a factor multiplies and divides seven of them, on elements whose
 * condition, kershaw's included, is below 50.  Single precision then rounds once more. */
static double factor_bound(const struct bench *bench) {
  const int n = bench->mesh->gll.n;
  double largest = 0.0;
  for (int i = 0; i < n; i++) {
    double row = 0.0;
    for (int m = 0; m < n; m++) row += fabs(bench->mesh->gll.D[i * n + m]);
    largest = fmax(largest, row);
  }
  return 400.0 * hb_precision_epsilon(HB_F64) * largest +
         (bench->precision == HB_F64 ? 0.0 : hb_precision_epsilon(HB_F32));
}

/* The rank's factors that differ, and its masses; those of the device go on to the host's
 * operators, so that the products below differ by their own rounding alone. */
static long compare_factors(struct hb_check *check, struct bench *bench) {
  const int kinds = hb_geometry_num_factors(&bench->host->helmholtz.geometry);
  const ptrdiff_t count = factors_per_element(bench);
  const double bound = factor_bound(bench);
  double *values = hb_allocate(2 * count, sizeof *values, "factors"), *of_host = values + count;
  long wrong = 0;
  for (hb_local e = 0; e < bench->host->helmholtz.num_elements; e++) {
    CHECK_OK(check, hb_operator_factors(bench->op, e, e + 1, values));
    CHECK_OK(check, hb_operator_factors(bench->host, e, e + 1, of_host));
    for (ptrdiff_t i = 0; i < count; i++) {
      const double *all = of_host + i - i % kinds, geometric = fmax(all[0], fmax(all[3], all[5]));
      const double size = i % kinds == HB_MASS_FACTOR ? all[HB_MASS_FACTOR] : geometric;
      wrong += !(fabs(values[i] - of_host[i]) <= bound * size);
      hb_real_set(bench->precision, hb_operator_host(bench->host)->factors, e * count + i,
                  values[i]);
      hb_real_set(bench->precision, hb_operator_host(bench->bounds)->factors, e * count + i,
                  values[i]);
    }
  }
  const int n = bench->host->helmholtz.n;
  take_magnitudes(bench->precision, hb_operator_host(bench->bounds)->factors,
                  bench->host->helmholtz.num_elements * count);
  take_magnitudes(bench->precision, bench->bounds->D, (ptrdiff_t)n * n);
  hb_free(values);
  return wrong;
}

/* What one product of both sides shows. */
struct faults {
  long entries, masked, copies, repeated, sum;
};

static void check_faults(struct hb_check *check, const struct faults *faults) {
  CHECK_EQUAL(check, faults->entries, 0);
  CHECK_EQUAL(check, faults->masked, 0);
  CHECK_EQUAL(check, faults->copies, 0);
  CHECK_EQUAL(check, faults->repeated, 0);
  CHECK_EQUAL(check, faults->sum, 0);
}

/* hb_helmholtz_tolerance is a bound on the rounding of both sides with room for that of the at most
 * 7 sums of the assembly. */
static double tolerance(const struct bench *bench, double scale) {
  return hb_helmholtz_tolerance(bench->mesh->gll.n, bench->precision, scale);
}

static long count_wrong_entries(const struct bench *bench) {
  long wrong = 0;
  for (hb_local s = 0; s < bench->points; s++)
    wrong += !(fabs(hb_real_at(bench->precision, bench->w, s) -
                    hb_real_at(bench->precision, bench->expected, s)) <=
               tolerance(bench, hb_real_at(bench->precision, bench->scale, s)));
  return wrong;
}

/* Collective.  Both sides' A u, entry by entry, and u.w. */
static struct faults multiply(struct bench *bench, enum hb_operator_part part, hb_global seed) {
  const struct hb_numbering *numbering = bench->mesh->numbering;
  const size_t bytes = (size_t)bench->points * hb_precision_bytes(bench->precision);
  struct faults faults = {0, 0, 0, 0, 0};
  double sum = 0.0, expected = 0.0, scale = 0.0, again = 0.0;
  set_random(bench, seed, part == HB_OPERATOR_FULL);
  memset(bench->expected, 0, bytes);
  memset(bench->scale, 0, bytes);
  hb_operator_apply(bench->host, part, bench->u, bench->expected, &expected);
  char *first = hb_allocate((hb_global)bytes, 1, "first result");
  hb_operator_multiply(bench->op, part, bench->u, first);
  memset(bench->w, 0, bytes);
  hb_operator_apply(bench->op, part, bench->u, bench->w, &sum);
  faults.repeated = memcmp(first, bench->w, bytes) != 0;
  memset(bench->w, 0, bytes);
  hb_operator_apply(bench->op, part, bench->u, bench->w, &again);
  faults.repeated += memcmp(first, bench->w, bytes) != 0 || again != sum;
  hb_free(first);
  take_magnitudes(bench->precision, bench->u, bench->points);
  hb_operator_apply(bench->bounds, part, bench->u, bench->scale, &scale);
  faults.entries = count_wrong_entries(bench);
  faults.sum = !(fabs(sum - expected) <= tolerance(bench, scale));
  faults.copies =
      hb_gather_scatter_max_difference(bench->mesh->gs, bench->precision, bench->w) != 0.0;
  if (part == HB_OPERATOR_FULL)
    for (hb_local s = 0; s < numbering->num_masked; s++)
      faults.masked += hb_real_at(bench->precision, bench->w, numbering->masked[s]) != 0.0;
  faults.sum += bench->op->failure != HB_OK;
  return faults;
}

/* Collective.  d(1/x) = dx / x^2; the inversion rounds once on each side. */
static void check_diagonal(struct hb_check *check, struct bench *bench) {
  const struct hb_numbering *numbering = bench->mesh->numbering;
  const enum hb_precision precision = bench->precision;
  long wrong = 0;
  hb_operator_inverse_diagonal(bench->host, bench->expected);
  hb_operator_inverse_diagonal(bench->bounds, bench->scale);
  hb_operator_inverse_diagonal(bench->op, bench->w);
  for (hb_local s = 0; s < bench->points; s++) {
    const double expected = hb_real_at(precision, bench->expected, s);
    const double magnitude = hb_real_at(precision, bench->scale, s); /* of 1 / sum, 0 if masked */
    const double bound =
        magnitude == 0.0 ? 0.0 : expected * expected * tolerance(bench, 1.0 / magnitude);
    wrong += !(fabs(hb_real_at(precision, bench->w, s) - expected) <= bound);
  }
  CHECK_EQUAL(check, wrong, 0);
  for (hb_local s = 0; s < numbering->num_masked; s++)
    wrong += hb_real_at(precision, bench->w, numbering->masked[s]) != 0.0;
  CHECK_EQUAL(check, wrong, 0);
  CHECK(check, hb_gather_scatter_max_difference(bench->mesh->gs, precision, bench->w) == 0.0);
}

/* Elements [begin, end) alone, without exchange; the others' interior entries stay. */
static void check_blocks(struct hb_check *check, struct bench *bench, hb_local begin,
                         hb_local end) {
  const size_t bytes = (size_t)bench->points * hb_precision_bytes(bench->precision);
  set_random(bench, 7, false);
  memset(bench->expected, 0, bytes);
  memset(bench->scale, 0, bytes);
  memset(bench->w, 0, bytes);
  const double expected =
      hb_operator_apply_blocks(bench->host, begin, end, bench->u, bench->expected);
  const double sum = hb_operator_apply_blocks(bench->op, begin, end, bench->u, bench->w);
  take_magnitudes(bench->precision, bench->u, bench->points);
  const double scale = hb_operator_apply_blocks(bench->bounds, begin, end, bench->u, bench->scale);
  CHECK_EQUAL(check, count_wrong_entries(bench), 0);
  CHECK_NEAR(check, sum, expected, tolerance(bench, scale));
  CHECK_EQUAL(check, bench->op->failure, HB_OK);
}

/* One factor of one element, eight times as large on the last rank's device: the products and the
 * comparison of factors see it, and no more once it is mended. */
static void check_planted(struct hb_check *check, struct bench *bench) {
  const struct hb_comm *comm = bench->mesh->comm;
  const bool here = comm->rank == comm->size - 1;
  const hb_global size = (hb_global)hb_precision_bytes(bench->precision);
  const hb_local element = bench->host->helmholtz.num_elements - 1;
  const ptrdiff_t first = element * factors_per_element(bench); /* G00 at its first point */
  char *d_factor = (char *)hb_operator_device(bench->op)->d_factors + first * (ptrdiff_t)size;
  const double G00 = hb_real_at(bench->precision, hb_operator_host(bench->host)->factors, first);
  hb_real_set(bench->precision, bench->w, 0, 8.0 * G00);
  if (here) CHECK_OK(check, hb_device_upload(bench->device, d_factor, bench->w, size));
  const struct faults faults = multiply(bench, HB_OPERATOR_UNMASKED, 11);
  CHECK(check, hb_comm_sum_global(comm, faults.entries) >= bench->mesh->gll.n);
  CHECK_EQUAL(check, faults.sum, here);
  CHECK(check, faults.copies == 0 && faults.repeated == 0);
  CHECK_EQUAL(check, compare_factors(check, bench), here);
  hb_real_set(bench->precision, bench->w, 0, G00);
  if (here) CHECK_OK(check, hb_device_upload(bench->device, d_factor, bench->w, size));
  CHECK_EQUAL(check, compare_factors(check, bench), here); /* the host's is the wrong one now */
  CHECK_EQUAL(check, compare_factors(check, bench), 0);
}

/* A kernel that fails on one rank: its result is NaN, the failure is kept, and nobody waits. */
static enum hb_status failing_pack(const struct hb_device_assembly *assembly, void *d_send) {
  (void)assembly;
  (void)d_send;
  return hb_error_record(HB_MACHINE_FAILED, __FILE__, __LINE__, "planted");
}

static void check_failure(struct hb_check *check, struct bench *bench) {
  const bool here = bench->mesh->comm->rank == 0;
  hb_assembly_pack *const pack = hb_operator_device(bench->op)->kernels.pack;
  double sum = 0.0;
  set_random(bench, 12, false);
  if (here) hb_operator_device(bench->op)->kernels.pack = failing_pack;
  hb_operator_apply(bench->op, HB_OPERATOR_UNMASKED, bench->u, bench->w, &sum);
  CHECK_EQUAL(check, bench->op->failure, here ? HB_MACHINE_FAILED : HB_OK);
  CHECK_EQUAL(check, isnan(sum) != 0, here);
  if (here) CHECK(check, isnan(hb_real_at(bench->precision, bench->w, bench->points - 1)));
  hb_operator_device(bench->op)->kernels.pack = pack;
  bench->op->failure = HB_OK;
  hb_error_clear();
  const struct faults faults = multiply(bench, HB_OPERATOR_UNMASKED, 12);
  check_faults(check, &faults);
}

/* Everything of one operator on the device. */
static void check_operator(struct hb_check *check, struct bench *bench, bool planted) {
  const hb_local elements = bench->host->helmholtz.num_elements;
  CHECK_EQUAL(check, compare_factors(check, bench), 0);
  for (int part = HB_OPERATOR_FULL; part <= HB_OPERATOR_STIFFNESS; part++) {
    const struct faults faults = multiply(bench, (enum hb_operator_part)part, part + 1);
    check_faults(check, &faults);
  }
  check_diagonal(check, bench);
  check_blocks(check, bench, 0, elements);
  check_blocks(check, bench, elements / 2, elements);
  check_blocks(check, bench, elements / 2, elements / 2);
  if (planted) check_failure(check, bench);
  if (planted) check_planted(check, bench);
}

/* What the cases go through. */
struct test_case {
  int degree, elements[3], combination; /* of boundaries, mesh_cases.h */
  enum hb_deformation deformation;
  enum hb_precision precision;
  double h2, variation;
  bool planted;
};

static struct hb_box box_of(const struct test_case *test) {
  struct hb_box box = {.degree = test->degree,
                       .elements = {test->elements[0], test->elements[1], test->elements[2]},
                       .length = {1.0, 0.7, 1.3},
                       .deformation = test->deformation,
                       .amplitude = 0.02,
                       .epsilon = {0.7, 0.7}};
  mesh_case_boundaries(test->combination, box.boundary);
  return box;
}

/* Collective.  All GPU rows of the table, staged and, where MPI can, with device memory: bitwise
 * the same. */
static void check_case(struct hb_check *check, const struct hb_comm *comm, struct hb_device *device,
                       bool gpu_aware, const struct test_case *test) {
  const struct hb_box box = box_of(test);
  const size_t size = hb_precision_bytes(test->precision);
  struct bench bench;
  for (int row = 0; row < hb_helmholtz_num_variants(); row++) {
    struct hb_kernel kernel;
    if (!first_kernel(check, device, hb_helmholtz_variant(row), box.degree + 1, test->precision,
                      &kernel))
      continue;
    if (!bench_create(check, comm, device, &box, test->precision, test->h2, test->variation,
                      &bench))
      return;
    double *mass = hb_allocate(bench.points, sizeof *mass, "mass of the host");
    memcpy(mass, bench.mass, (size_t)bench.points * sizeof *mass);
    if (create_on_device(check, &bench, &kernel, false)) {
      for (hb_local s = 0; s < bench.points; s++)
        CHECK_NEAR(check, bench.mass[s], mass[s], factor_bound(&bench) * mass[s]);
      check_operator(check, &bench, test->planted);
    }
    if (gpu_aware) {
      set_random(&bench, 5, false);
      hb_operator_multiply(bench.op, HB_OPERATOR_UNMASKED, bench.u, bench.expected);
      hb_operator_destroy(&bench.op);
      if (create_on_device(check, &bench, &kernel, true)) {
        hb_operator_multiply(bench.op, HB_OPERATOR_UNMASKED, bench.u, bench.w);
        CHECK(check, memcmp(bench.expected, bench.w, (size_t)bench.points * size) == 0);
        check_operator(check, &bench, test->planted);
      }
    }
    hb_free(mass);
    bench_destroy(&bench);
  }
}

/* Every combination of boundaries, and the boxes of mesh_cases.h up to degree 4; the rest takes
 * turns. */
static struct test_case case_of(int index) {
  const struct hb_box box = mesh_case(index);
  const bool coarse = box.elements[0] * box.degree < 3 || box.elements[1] * box.degree < 3;
  const bool kershaw = box.boundary[0] != HB_PERIODIC && index % 4 < 2;
  struct test_case test = {.degree = box.degree,
                           .combination =
                               (int)(box.boundary[0] + 3 * box.boundary[1] + 9 * box.boundary[2]),
                           .deformation = coarse    ? HB_UNDEFORMED
                                          : kershaw ? HB_KERSHAW
                                                    : HB_SMOOTH,
                           .precision = index % 2 == 0 ? HB_F64 : HB_F32,
                           .h2 = index % 3 == 1 && hb_box_has_dirichlet(&box) ? 0.0 : 2.1,
                           .variation = index % 5 < 3 ? 0.6 : 0.0};
  for (int a = 0; a < 3; a++) test.elements[a] = (int)box.elements[a];
  return test;
}

static const struct test_case cases[] = {
    {1, {4, 4, 3}, 4, HB_SMOOTH, HB_F64, 0.0, 0.0, true},
    {4, {3, 3, 3}, 5, HB_SMOOTH, HB_F64, 2.1, 0.6, true},
    {4, {3, 2, 1}, 18, HB_KERSHAW, HB_F32, 2.1, 0.6, true},
    {7, {3, 2, 1}, 19, HB_KERSHAW, HB_F64, 2.1, 0.6, false},
    {7, {3, 1, 1}, 6, HB_SMOOTH, HB_F32, 2.1, 0.6, false},
    {9, {3, 1, 1}, 2, HB_SMOOTH, HB_F64, 0.0, 0.6, false}, /* y is periodic, one element wide */
    {12, {2, 1, 2}, 11, HB_SMOOTH, HB_F32, 2.1, 0.6, false},
    {15, {1, 1, 3}, 1, HB_SMOOTH, HB_F64, 2.1, 0.6, false},
};

/* An element that the map turns inside out is named, on all ranks alike, and nothing stays. */
static void check_inverted(struct hb_check *check, const struct hb_comm *comm,
                           struct hb_device *device) {
  static const struct test_case test = {2, {5, 3, 3}, 0, HB_KERSHAW, HB_F64, 2.1, 0.0, false};
  struct hb_box box = box_of(&test);
  struct bench bench = {.device = device, .precision = HB_F64};
  struct hb_kernel kernel = {.variant = NULL};
  box.epsilon[0] = box.epsilon[1] = 0.01;
  CHECK_OK(check, hb_helmholtz_find_variant("auto", HB_BACKEND_GPU, HB_GEOMETRY_STORED, 3,
                                            &kernel.variant));
  CHECK_OK(check, mesh_create(comm, &box, 1, &bench.mesh));
  CHECK_OK(check, hb_problem_init(&box, 1.3, 2.1, 0.0, 0.0, &bench.problem));
  bench.mass = hb_allocate(bench.mesh->numbering->num_points, sizeof(double), "mass");
  CHECK_FAILS(check, create_operator(&bench, &kernel, false, &bench.op), HB_BAD_INPUT,
              "deformation = kershaw inverts element (");
  CHECK(check, bench.op == NULL);
  bench_destroy(&bench);
  CHECK_EQUAL(check, hb_device_memory_use().live_allocations, 0);
}

/* Collective.  May device memory go to MPI here?  On the interpreter it is host memory, which any
 * MPI takes although the library denies it; elsewhere the library's word counts. */
static bool may_be_gpu_aware(struct hb_check *check, const struct hb_comm *comm,
                             struct hb_device *device) {
  const bool interpreted = getenv("ISARUN_ARCH") != NULL;
  bool gpu_aware = true;
  char reason[160];
  CHECK_OK(check,
           hb_gpu_aware_decide(comm, device, HB_GPU_AWARE_OFF, &gpu_aware, reason, sizeof reason));
  CHECK(check, !gpu_aware && strcmp(reason, "off, as asked") == 0);
  CHECK_OK(check,
           hb_gpu_aware_decide(comm, device, interpreted ? HB_GPU_AWARE_ON : HB_GPU_AWARE_AUTO,
                               &gpu_aware, reason, sizeof reason));
  if (comm->size == 1) CHECK(check, !gpu_aware && strstr(reason, "single rank") != NULL);
  if (comm->size > 1 && interpreted)
    CHECK(check, gpu_aware && strstr(reason, "a test exchange arrived right") != NULL);
  return gpu_aware;
}

static void check_all(struct hb_check *check, const struct hb_comm *comm,
                      struct hb_device *device) {
  const bool gpu_aware = may_be_gpu_aware(check, comm, device);
  for (int index = 0; index < NUM_MESH_CASES; index++) {
    const struct test_case test = case_of(index);
    if (test.degree <= 4) check_case(check, comm, device, gpu_aware, &test);
  }
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
    check_case(check, comm, device, gpu_aware, &cases[c]);
  check_inverted(check, comm, device);
}

int main(int argc, char **argv) { return mesh_device_main(argc, argv, check_all); }
