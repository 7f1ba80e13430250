/* SPDX-License-Identifier: BSD-3-Clause
 * The map of the box from the options that a file holds, and points compared with it. */
#include "io/field_positions.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "io/field_file_read.h"
#include "io/schema.h"

/* Text of an option; NULL if the file does not have it. */
static const char *option(const struct hb_field_file_summary *summary, const char *name) {
  const struct hb_read_attribute *attribute =
      hb_summary_attribute(summary, HB_SCHEMA_CONFIGURATION, name);
  return attribute != NULL ? attribute->text : NULL;
}

static bool real_option(const struct hb_field_file_summary *summary, const char *name,
                        double *value) {
  const char *text = option(summary, name);
  if (text == NULL) return false;
  *value = strtod(text, NULL);
  return isfinite(*value);
}

static bool deformation_option(const struct hb_field_file_summary *summary,
                               enum hb_deformation *deformation) {
  const char *text = option(summary, "mesh.deformation");
  for (int d = HB_UNDEFORMED; d <= HB_KERSHAW && text != NULL; d++) {
    *deformation = (enum hb_deformation)d;
    if (strcmp(text, hb_deformation_name(*deformation)) == 0) return true;
  }
  return false;
}

struct hb_field_map hb_summary_map(const struct hb_field_file_summary *summary) {
  static const char *const counts[3] = {HB_SCHEMA_ELEMENTS_X, HB_SCHEMA_ELEMENTS_Y,
                                        HB_SCHEMA_ELEMENTS_Z};
  static const char *const lengths[3] = {"mesh.lx", "mesh.ly", "mesh.lz"};
  struct hb_field_map map = {.known = true};
  map.box.degree = (int)hb_summary_integer(summary, HB_SCHEMA_ORDER, 0);
  for (int a = 0; a < 3; a++) {
    map.box.elements[a] = hb_summary_integer(summary, counts[a], 0);
    map.known = map.known && real_option(summary, lengths[a], &map.box.length[a]);
  }
  map.known = map.known && deformation_option(summary, &map.box.deformation) &&
              real_option(summary, "mesh.amplitude", &map.box.amplitude) &&
              real_option(summary, "mesh.epsilon_y", &map.box.epsilon[0]) &&
              real_option(summary, "mesh.epsilon_z", &map.box.epsilon[1]) &&
              hb_box_check(&map.box) == HB_OK;
  if (!map.known) hb_error_clear();
  return map;
}

hb_global hb_field_map_wrong_points(const struct hb_field_map *map, const struct hb_gll *gll,
                                    const hb_global element[3], enum hb_precision precision,
                                    const void *points) {
  const int n = gll->n;
  const double rounding = 64.0 * DBL_EPSILON + (precision == HB_F64 ? 0.0 : (double)FLT_EPSILON);
  hb_global wrong = 0;
  for (hb_global node = 0; node < (hb_global)n * n * n; node++) {
    const int ijk[3] = {(int)(node % n), (int)(node / n % n), (int)(node / n / n)};
    double s[3], x[3];
    for (int a = 0; a < 3; a++) {
      const double place = (double)element[a] + 0.5 * (1.0 + gll->nodes[ijk[a]]);
      s[a] = fmin(place / (double)map->box.elements[a], 1.0);
    }
    hb_box_map(&map->box, s, x);
    bool right = true;
    for (int a = 0; a < 3; a++)
      right = right && fabs(hb_real_at(precision, points, 3 * node + a) - x[a]) <=
                           rounding * map->box.length[a];
    if (!right) wrong++;
  }
  return wrong;
}
