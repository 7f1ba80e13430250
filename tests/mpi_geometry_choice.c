/* SPDX-License-Identifier: BSD-3-Clause
 * Which geometry modes a mesh leaves, by its positions; and refusals, which name the same first
 * element on any number of ranks. */
#include "app/geometry_choice.h"
#include "tests/mesh_cases.h"

enum { STORED = 1 << HB_GEOMETRY_STORED, NODES = 1 << HB_GEOMETRY_NODES };
enum { TRILINEAR = 1 << HB_GEOMETRY_TRILINEAR, AFFINE = 1 << HB_GEOMETRY_AFFINE };

struct mesh {
  struct hb_box box;
  struct hb_partition partition;
};

/* A box of 12 x 4 x 6 elements. */
static void make_mesh(struct hb_check *check, const struct hb_comm *comm, int degree,
                      enum hb_deformation deformation, double epsilon, struct mesh *mesh) {
  static const int any[3] = {0, 0, 0};
  mesh->box = (struct hb_box){.degree = degree,
                              .elements = {12, 4, 6},
                              .length = {1.0, 2.0, 0.7},
                              .deformation = deformation,
                              .amplitude = 0.05,
                              .epsilon = {epsilon, epsilon}};
  CHECK_OK(check, hb_partition_create(&mesh->box, comm->size, comm->rank, any, &mesh->partition));
}

static void expect(struct hb_check *check, const struct hb_comm *comm, const struct mesh *mesh,
                   int geometry, unsigned expected) {
  struct hb_options options;
  unsigned modes = 0;
  hb_options_defaults(&options);
  options.geometry = geometry;
  CHECK_OK(check, hb_geometry_choose(comm, &options, &mesh->box, &mesh->partition, &modes));
  CHECK_EQUAL(check, modes, expected);
}

static void expect_refusal(struct hb_check *check, const struct hb_comm *comm,
                           const struct mesh *mesh, enum hb_geometry_mode mode, const char *words) {
  struct hb_options options;
  unsigned modes = 0;
  hb_options_defaults(&options);
  options.geometry = 1 + (int)mode;
  CHECK_FAILS(check, hb_geometry_choose(comm, &options, &mesh->box, &mesh->partition, &modes),
              HB_BAD_INPUT, words);
}

/* What is named is taken if it can be, and auto leaves all that can be. */
static void check_bricks(struct hb_check *check, const struct hb_comm *comm, int degree) {
  struct mesh mesh;
  for (int deformed = 0; deformed < 2; deformed++) {
    /* epsilon = 1 deforms nothing, but that is to be seen at the positions. */
    make_mesh(check, comm, degree, deformed == 0 ? HB_UNDEFORMED : HB_KERSHAW, 1.0, &mesh);
    expect(check, comm, &mesh, HB_GEOMETRY_AUTO, STORED | NODES | TRILINEAR | AFFINE);
    for (int mode = 0; mode < HB_NUM_GEOMETRY_MODES; mode++)
      expect(check, comm, &mesh, 1 + mode, 1u << mode);
  }
}

static void check_curved(struct hb_check *check, const struct hb_comm *comm, int degree) {
  struct mesh mesh;
  make_mesh(check, comm, degree, HB_SMOOTH, 1.0, &mesh);
  expect(check, comm, &mesh, HB_GEOMETRY_AUTO, STORED | NODES);
  expect(check, comm, &mesh, 1 + HB_GEOMETRY_NODES, NODES);
  expect(check, comm, &mesh, 1 + HB_GEOMETRY_STORED, STORED);
  expect_refusal(check, comm, &mesh, HB_GEOMETRY_AFFINE, "element (0, 0, 0) is no parallelepiped");
  expect_refusal(check, comm, &mesh, HB_GEOMETRY_TRILINEAR,
                 "element (0, 0, 0) is no hexahedron with straight edges");
  /* The first layer of six along x is left as it is. */
  make_mesh(check, comm, degree, HB_KERSHAW, 0.3, &mesh);
  expect(check, comm, &mesh, HB_GEOMETRY_AUTO, STORED | NODES);
  expect_refusal(check, comm, &mesh, HB_GEOMETRY_AFFINE, "element (2, 0, 0) is no parallelepiped");
  expect_refusal(check, comm, &mesh, HB_GEOMETRY_TRILINEAR, "element (2, 0, 0) is no hexahedron");
  expect_refusal(check, comm, &mesh, HB_GEOMETRY_TRILINEAR, "allowed for this mesh: auto, stored");
}

/* Of degree 1 every element is its vertices' trilinear map. */
static void check_degree_1(struct hb_check *check, const struct hb_comm *comm) {
  struct mesh mesh;
  make_mesh(check, comm, 1, HB_SMOOTH, 1.0, &mesh);
  expect(check, comm, &mesh, HB_GEOMETRY_AUTO, STORED | NODES | TRILINEAR);
  expect(check, comm, &mesh, 1 + HB_GEOMETRY_TRILINEAR, TRILINEAR);
  expect_refusal(check, comm, &mesh, HB_GEOMETRY_AFFINE,
                 "allowed for this mesh: auto, stored, nodes, trilinear");
}

/* Lengths whose products are out of range in f32, though the factors are not. */
static void check_range(struct hb_check *check, const struct hb_comm *comm) {
  struct mesh mesh;
  struct hb_options options;
  unsigned modes = 0;
  make_mesh(check, comm, 3, HB_SMOOTH, 1.0, &mesh);
  for (int a = 0; a < 3; a++) mesh.box.length[a] = 1e-13;
  hb_options_defaults(&options);
  options.precision = HB_F32;
  options.geometry = HB_GEOMETRY_AUTO;
  CHECK_OK(check, hb_geometry_choose(comm, &options, &mesh.box, &mesh.partition, &modes));
  CHECK_EQUAL(check, modes, STORED);
  options.geometry = 1 + HB_GEOMETRY_NODES;
  CHECK_FAILS(check, hb_geometry_choose(comm, &options, &mesh.box, &mesh.partition, &modes),
              HB_BAD_INPUT, "volume of an element, which geometry nodes");
  options.precision = HB_F64;
  CHECK_OK(check, hb_geometry_choose(comm, &options, &mesh.box, &mesh.partition, &modes));
  CHECK_EQUAL(check, modes, NODES);
}

int main(int argc, char **argv) {
  struct hb_check check = {0, 0};
  struct hb_comm *comm = NULL;
  MPI_Init(&argc, &argv);
  CHECK_OK(&check, hb_comm_create(MPI_COMM_WORLD, &comm));
  for (int degree = 2; degree <= HB_MAX_DEGREE; degree += degree < 4 ? 1 : 5) {
    check_bricks(&check, comm, degree);
    check_curved(&check, comm, degree);
  }
  check_bricks(&check, comm, 1);
  check_degree_1(&check, comm);
  check_range(&check, comm);
  hb_comm_destroy(&comm);
  return mesh_finish(&check);
}
