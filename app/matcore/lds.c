/* SPDX-License-Identifier: BSD-3-Clause
 * helmbone-matcore lds: its help, `lds access` and `lds table`. */
#include "app/matcore/lds.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/matcore/arguments.h"
#include "kernels/matcore/lds_table.h"

/* 64 addresses of seven digits. */
enum { ADDRESSES_BYTES = 1024 };

static const char help[] =
    "helmbone-matcore lds access   one access of a wavefront: conflicts and cycles\n"
    "helmbone-matcore lds staged   cycles of one element, staged kernel\n"
    "helmbone-matcore lds table    the standard cases\n"
    "helmbone-matcore lds pad      smallest padding and best XOR mask free of conflict\n"
    "helmbone-matcore lds PART --help   its options; every one has --csv\n"
    "All figures are modelled; the lane groups were measured, by others, on MI300 alone.\n";

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

struct access_arguments {
  enum hb_lds_arch arch;
  int width; /* HB_MATCORE_WIDTHS */
  int lane_bytes, row_lanes, row_bytes;
  char addresses[ADDRESSES_BYTES]; /* empty: not given */
  bool write, consecutive, csv;
};

static const struct hb_option access_rows[] = {
    HB_MATCORE_CHOICE(access_arguments, "arch", arch, HB_MATCORE_LDS_ARCHS, "gfx942",
                      "architecture"),
    HB_MATCORE_CHOICE(access_arguments, "width", width, HB_MATCORE_WIDTHS, "b64",
                      "of a lane's access"),
    HB_MATCORE_FLAG(access_arguments, "write", write, "a write, not a read"),
    HB_MATCORE_FLAG(access_arguments, "consecutive", consecutive, HB_MATCORE_CONSECUTIVE),
    HB_MATCORE_NUMBER(access_arguments, "lane-bytes", lane_bytes, 0, 4096, NULL,
                      "S of address = S (lane % R) + T (lane / R); as wide as the access if not "
                      "given"),
    HB_MATCORE_NUMBER(access_arguments, "row-lanes", row_lanes, 1, HB_LDS_LANES, "64", "R"),
    HB_MATCORE_NUMBER(access_arguments, "row-bytes", row_bytes, 0, 65536, "0", "T"),
    HB_MATCORE_TEXT(access_arguments, "addresses", addresses,
                    "A0,A1,...: byte by byte; '-' or none: masked"),
    HB_MATCORE_FLAG(access_arguments, "csv", csv, "group,active_lanes,cycles")};

static const struct hb_matcore_usage access_usage = {
    "Usage: helmbone-matcore lds access [--NAME VALUE | --FLAG]...\n"
    "One access of a wavefront: conflicts and cycles, modelled.\n",
    {access_rows, sizeof access_rows / sizeof *access_rows},
    NULL};

enum hb_status hb_matcore_lds_access(int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct access_arguments given = {.lane_bytes = -1};
  struct hb_lds_cost cost;
  bool helped = false;
  HB_TRY(hb_matcore_arguments(&access_usage, argc, argv, &given, &helped));
  if (helped) goto done;
  struct hb_lds_access access = {.arch = given.arch,
                                 .dwords = 1 << given.width,
                                 .write = given.write,
                                 .consecutive = given.consecutive};
  const int lane_bytes = given.lane_bytes < 0 ? 4 * access.dwords : given.lane_bytes;
  const bool listed = given.addresses[0] != '\0';
  for (int lane = 0; lane < HB_LDS_LANES; lane++)
    access.address[lane] =
        listed ? HB_LDS_MASKED
               : lane_bytes * (lane % given.row_lanes) + given.row_bytes * (lane / given.row_lanes);
  if (listed) HB_TRY(parse_addresses(given.addresses, access.address));
  HB_TRY(hb_lds_access_cost(&access, &cost));
  print_access(&access, &cost, given.csv);
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

struct table_arguments {
  bool csv;
};

static const struct hb_option table_rows[] = {
    HB_MATCORE_FLAG(table_arguments, "csv", csv, "case,n,precision,tile,unpadded,padded")};

static const struct hb_matcore_usage table_usage = {
    "Usage: helmbone-matcore lds table [--csv]\nThe standard cases, modelled.\n",
    {table_rows, sizeof table_rows / sizeof *table_rows},
    NULL};

enum hb_status hb_matcore_lds_table(int argc, char **argv) {
  enum hb_status status = HB_OK;
  struct hb_lds_row *rows = NULL;
  struct table_arguments given = {.csv = false};
  bool helped = false;
  HB_TRY(hb_matcore_arguments(&table_usage, argc, argv, &given, &helped));
  if (helped) goto done;
  const bool csv = given.csv;
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
  if (argc > 1 && (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)) {
    fputs(help, stdout);
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
