/* SPDX-License-Identifier: BSD-3-Clause
 * Assembles one rank's mesh from its parts. */
#include "mesh/mesh.h"

enum hb_status hb_mesh_create(const struct hb_comm *comm, const struct hb_box *box,
                              const struct hb_partition *partition, int lanes,
                              struct hb_mesh **mesh_out) {
  enum hb_status status = HB_OK;
  struct hb_mesh *mesh = NULL;
  *mesh_out = NULL;
  HB_ALLOC(mesh, 1, "mesh");
  *mesh = (struct hb_mesh){.comm = comm, .box = *box, .partition = *partition};
  HB_TRY(hb_gll_init(box->degree, &mesh->gll));
  HB_TRY(hb_numbering_create(&mesh->box, &mesh->partition, lanes, comm->threads, &mesh->numbering));
  HB_TRY(hb_positions_create(&mesh->box, &mesh->partition, &mesh->gll, &mesh->positions));
done:
  status = hb_comm_agree(comm, status);
  if (status == HB_OK)
    status =
        hb_gather_scatter_create(comm, &mesh->box, &mesh->partition, mesh->numbering, &mesh->gs);
  if (status == HB_OK)
    *mesh_out = mesh;
  else
    hb_mesh_destroy(&mesh);
  return status;
}

void hb_mesh_destroy(struct hb_mesh **mesh) {
  if (*mesh == NULL) return;
  hb_gather_scatter_destroy(&(*mesh)->gs);
  hb_positions_destroy(&(*mesh)->positions);
  hb_numbering_destroy(&(*mesh)->numbering);
  hb_free(*mesh);
  *mesh = NULL;
}
