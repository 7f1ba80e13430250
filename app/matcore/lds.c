/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-matcore lds: its help, `lds access` and `lds table`. */
#include "app/matcore/lds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/matcore/arguments.h"
#include "kernels/matcore/lds_table.h"

static const char usage[] =
    "helmbone-matcore lds access   one access of a wavefront: conflicts and cycles\n"
    "    --arch gfx90a|gfx942|gfx950  --width b32|b64|b128  --write  --consecutive\n"
    "    --lane-bytes S --row-lanes R --row-bytes T   address = S (lane % R) + T (lane / R)\n"
    "    --addresses A0,A1,...                        or byte by byte; '-' or none: masked\n"
    "helmbone-matcore lds staged N f64|f32 TILE   cycles of one element, staged kernel\n"
    "    TILE 4x4x4 (f64), 4x4x1 (f32), 16x16x4\n"
    "    --pad P  --wavefronts W  --linear PASSES  --accumulate  --reread-b\n"
    "    --xor known|RULES   bits of the index flip bits of the slot: j1:0,j2:1,k0:2+3\n"
    "helmbone-matcore lds table    the standard cases\n"
    "helmbone-matcore lds pad      smallest padding and best XOR mask free of conflict\n"
    "    --arch gfx90a|gfx942|gfx950  --row-bytes B  --max WORDS  --consecutive\n"
    "    --rows R --width b32|b64|b128   lane takes row lane % R, and as wide a piece as it is "
    "told,\n"
    "                                    from piece lane / R on\n"
    "    --instruction NAME --operand A|B|C|D   or as this operand (D: written)\n"
    "    --row-access b32|b64|b128|none  the other way round, row by row; default: as wide\n"
    "    default: operand A of v_mfma_f32_16x16x16f16, 16 rows of 64 f16, b64\n"
    "every one: --csv\n"
    "--consecutive: as if b128 reads were served in consecutive lanes (they are not)\n"
    "All figures are modelled; the lane groups were measured, by others, on MI300 alone.\n";

enum hb_status hb_matcore_lds_width(const char *text, int *dwords) {
  enum hb_status status = HB_OK;
  if (strcmp(text, "b32") == 0)
    *dwords = HB_LDS_B32;
  else if (strcmp(text, "b64") == 0)
    *dwords = HB_LDS_B64;
  else if (strcmp(text, "b128") == 0)
    *dwords = HB_LDS_B128;
  else
    HB_FAIL(HB_BAD_INPUT, "width: '%s'; allowed: b32, b64, b128", text);
done:
  return status;
}

static enum hb_status parse_addresses(const char *text, int *address) {
  enum hb_status status = HB_OK;
  const char *at = text;
  int lane = 0;
  while (*at != '\0') {
    char *end = NULL;
    if (lane == HB_LDS_LANES)
      HB_FAIL(HB_BAD_INPUT, "--addresses: more than %d of them", HB_LDS_LANES);
    if (*at == '-' && (at[1] == ',' || at[1] == '\0')) {
      end = (char *)at + 1;
    } else {
      const long value = strtol(at, &end, 10);
      if (end == at || value < 0 || value > 1 << 20 || (*end != ',' && *end != '\0'))
        HB_FAIL(HB_BAD_INPUT, "--addresses: lane %d: '%.16s'; allowed: 0 to %d, or '-'", lane, at,
                1 << 20);
      address[lane] = (int)value;
    }
    lane++;
    at = *end == ',' ? end + 1 : end;
  }
done:
  return status;
}

/* Lanes of a group as ranges: "0-3 20-23". */
static void print_lanes(const struct hb_lds_access *access, int group) {
  int width = 0;
  for (int lane = 0; lane < HB_LDS_LANES; lane++) {
    int last = lane;
    if (hb_lds_group_of_lane(access, lane) != group) continue;
    while (last + 1 < HB_LDS_LANES && hb_lds_group_of_lane(access, last + 1) == group) last++;
    width += printf("%s%d-%d", width > 0 ? " " : "", lane, last);
    lane = last;
  }
  printf("%*s", width < 14 ? 14 - width : 0, "");
}

static int active_lanes(const struct hb_lds_access *access, int group) {
  int active = 0;
  for (int lane = 0; lane < HB_LDS_LANES; lane++)
    active += hb_lds_group_of_lane(access, lane) == group && access->address[lane] >= 0;
  return active;
}

static void print_access(const struct hb_lds_access *access, const struct hb_lds_cost *cost,
                         bool csv) {
  const bool aligned = cost->misaligned == 0;
  if (csv)
    puts("group,active_lanes,cycles");
  else
    printf("%s, %s b%d, %d banks (modelled)\n%s", hb_lds_arch_name(access->arch),
           access->write ? "write" : "read", 32 * access->dwords, hb_lds_num_banks(access->arch),
           aligned ? "group  lanes           active  degree\n" : "");
  for (int group = 0; group < cost->num_groups && aligned; group++) {
    if (csv) {
      printf("%d,%d,%d\n", group, active_lanes(access, group), cost->degree[group]);
      continue;
    }
    printf("%5d  ", group);
    print_lanes(access, group);
    printf("  %6d  %6d\n", active_lanes(access, group), cost->degree[group]);
  }
  if (csv && !aligned) printf("misaligned,%d,\n", cost->misaligned);
  if (csv) return;
  if (aligned)
    printf("cycles %d, without conflict %d, worst degree %d\n", cost->cycles, cost->num_groups,
           cost->worst);
  else
    printf("misaligned: %d of the lanes are not at a multiple of %d bytes; that is no bank "
           "conflict, and "
           "has no figure here\n",
           cost->misaligned, 4 * access->dwords);
  if (cost->overwritten > 0)
    printf("race: %d lanes write where a lower lane writes\n", cost->overwritten);
}

enum hb_status hb_matcore_lds_access(int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct hb_lds_access access = {0};
  struct hb_lds_cost cost;
  const char *arch = "gfx942", *width = "b64", *addresses = NULL, *none = NULL;
  int lane_bytes = -1, row_lanes = HB_LDS_LANES, row_bytes = 0, words = 0;
  bool csv = false;
  const struct hb_matcore_option options[] = {
      {.name = "--arch", .word = &arch},
      {.name = "--width", .word = &width},
      {.name = "--write", .flag = &access.write},
      {.name = "--consecutive", .flag = &access.consecutive},
      {"--lane-bytes", NULL, &lane_bytes, NULL, 0, 4096},
      {"--row-lanes", NULL, &row_lanes, NULL, 1, 64},
      {"--row-bytes", NULL, &row_bytes, NULL, 0, 65536},
      {.name = "--addresses", .word = &addresses},
      {.name = "--csv", .flag = &csv}};
  HB_TRY(hb_matcore_parse(argc, argv, options, 9, &none, 0, &words));
  if (!hb_lds_arch_find(arch, &access.arch))
    HB_FAIL(HB_BAD_INPUT, "architecture: '%s'; allowed: gfx90a, gfx942, gfx950", arch);
  HB_TRY(hb_matcore_lds_width(width, &access.dwords));
  if (lane_bytes < 0) lane_bytes = 4 * access.dwords;
  for (int lane = 0; lane < HB_LDS_LANES; lane++)
    access.address[lane] = addresses != NULL
                               ? HB_LDS_MASKED
                               : lane_bytes * (lane % row_lanes) + row_bytes * (lane / row_lanes);
  if (addresses != NULL) HB_TRY(parse_addresses(addresses, access.address));
  HB_TRY(hb_lds_access_cost(&access, &cost));
  print_access(&access, &cost, csv);
done:
  return status;
}

static void print_figure(double figure, bool csv) {
  char text[32] = "";
  if (!isnan(figure))
    snprintf(text, sizeof text, "%.6g", figure);
  else if (!csv)
    snprintf(text, sizeof text, "-");
  printf(csv ? ",%s" : "  %9s", text);
}

enum hb_status hb_matcore_lds_table(int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct hb_lds_row *rows = NULL;
  const char *none = NULL;
  int words = 0;
  bool csv = false;
  const struct hb_matcore_option options[] = {{.name = "--csv", .flag = &csv}};
  HB_TRY(hb_matcore_parse(argc, argv, options, 1, &none, 0, &words));
  HB_ALLOC(rows, hb_lds_table_rows(), "rows of the LDS table");
  HB_TRY(hb_lds_table(rows));
  if (csv)
    puts("case,n,precision,tile,unpadded,padded");
  else
    printf("%-34s%3s  %-9s  %-8s  %9s  %9s   (modelled)\n", "case", "n", "precision", "tile",
           "unpadded", "padded");
  for (int r = 0; r < hb_lds_table_rows(); r++) {
    char n[16] = "";
    if (rows[r].n > 0) snprintf(n, sizeof n, "%d", rows[r].n);
    printf(csv ? "%s,%s,%s,%s" : "%-34s%3s  %-9s  %-8s", rows[r].name, n, rows[r].precision,
           rows[r].tile);
    print_figure(rows[r].unpadded, csv);
    print_figure(rows[r].padded, csv);
    puts("");
  }
done:
  hb_free(rows);
  return status;
}

int hb_matcore_lds(int argc, char **argv) {
  static const struct {
    const char *name;
    enum hb_status (*run)(int argc, char **argv);
  } parts[] = {{"access", hb_matcore_lds_access},
               {"staged", hb_matcore_lds_staged},
               {"table", hb_matcore_lds_table},
               {"pad", hb_matcore_lds_pad}};
  enum hb_status status = HB_OK;
  for (int a = 1; a < argc; a++)
    if (strcmp(argv[a], "--help") == 0 || strcmp(argv[a], "-h") == 0) {
      fputs(usage, stdout);
      return HB_OK;
    }
  if (argc < 2) HB_FAIL(HB_BAD_INPUT, "which one?  access, staged, table, pad; lds --help");
  for (size_t p = 0; p < sizeof parts / sizeof parts[0]; p++)
    if (strcmp(argv[1], parts[p].name) == 0) {
      status = parts[p].run(argc - 1, argv + 1);
      goto done;
    }
  HB_FAIL(HB_BAD_INPUT, "'%s'; allowed: access, staged, table, pad", argv[1]);
done:
  return (int)status;
}
