/* SPDX-License-Identifier: BSD-3-Clause
 * The terms of each surface point, from the elements' index. */
#include "kernels/vectors/assembly.h"

/* Owned: the terms of point s are term[start[s]] .. term[start[s+1]-1]. */
struct filling {
  hb_local *start, *term;
};

/* Terms point by point, ascending. */
static enum hb_status sort_terms(hb_local num_terms, const hb_local *surface_index,
                                 hb_local surface_start, hb_local num_surface,
                                 struct filling *filling) {
  enum hb_status status = HB_OK;
  HB_ALLOC(filling->start, (hb_global)num_surface + 2, "starts of assembly lists");
  HB_ALLOC(filling->term, num_terms, "terms of assembly lists");
  /* start[s + 2] counts point s; after the sums start[s + 1] is where its next term goes. */
  for (hb_local s = 0; s < num_surface + 2; s++) filling->start[s] = 0;
  for (hb_local q = 0; q < num_terms; q++) filling->start[surface_index[q] - surface_start + 2]++;
  for (hb_local s = 2; s < num_surface + 2; s++) filling->start[s] += filling->start[s - 1];
  for (hb_local q = 0; q < num_terms; q++)
    filling->term[filling->start[surface_index[q] - surface_start + 1]++] = q;
done:
  return status;
}

static hb_local terms_of(const struct filling *filling, hb_local s) {
  return filling->start[s + 1] - filling->start[s];
}

static enum hb_status fill_pairs(const struct filling *filling, struct hb_assembly_lists *lists) {
  enum hb_status status = HB_OK;
  hb_local next = 0;
  for (hb_local s = 0; s < lists->num_surface; s++)
    if (terms_of(filling, s) > 2) lists->num_extra += terms_of(filling, s);
  HB_ALLOC(lists->pair, 2 * (hb_global)lists->num_surface, "pairs of assembly lists");
  HB_ALLOC(lists->extra, lists->num_extra, "further terms of assembly lists");
  for (hb_local s = 0; s < lists->num_surface; s++) {
    const hb_local *term = filling->term + filling->start[s], count = terms_of(filling, s);
    hb_local *pair = lists->pair + 2 * (ptrdiff_t)s;
    if (count < 1)
      HB_FAIL(HB_BAD_INPUT, "assembly lists: surface point %d belongs to no element", (int)s);
    pair[0] = count > 2 ? next : term[0];
    pair[1] = count > 2 ? -count : count == 2 ? term[1] : -1;
    for (hb_local q = 0; count > 2 && q < count; q++) lists->extra[next++] = term[q];
  }
done:
  return status;
}

enum hb_status hb_assembly_lists_create(hb_local num_terms, const hb_local *surface_index,
                                        hb_local surface_start, hb_local num_points,
                                        hb_local num_masked, const hb_local *masked,
                                        struct hb_assembly_lists **lists_out) {
  enum hb_status status = HB_OK;
  struct filling filling = {0};
  struct hb_assembly_lists *lists = NULL;
  *lists_out = NULL;
  HB_ALLOC(lists, 1, "assembly lists");
  *lists = (struct hb_assembly_lists){.num_surface = num_points - surface_start};
  HB_TRY(sort_terms(num_terms, surface_index, surface_start, lists->num_surface, &filling));
  HB_TRY(fill_pairs(&filling, lists));
  for (hb_local q = 0; q < num_masked; q++) {
    hb_local *pair = lists->pair + 2 * (ptrdiff_t)(masked[q] - surface_start);
    pair[0] = -1 - pair[0];
  }
  *lists_out = lists;
done:
  if (status != HB_OK) hb_assembly_lists_destroy(&lists);
  hb_free(filling.start);
  hb_free(filling.term);
  return status;
}

void hb_assembly_lists_destroy(struct hb_assembly_lists **lists) {
  if (*lists == NULL) return;
  hb_free((*lists)->pair);
  hb_free((*lists)->extra);
  hb_free(*lists);
  *lists = NULL;
}
