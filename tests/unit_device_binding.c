/* SPDX-License-Identifier: BSD-3-Clause
 * Which ranks share a device, from records that no machine here has. */
#include <string.h>

#include "app/device_binding.h"
#include "tests/check.h"

enum { RANKS = 5, TEXT_BYTES = 8192 };

/* What a printing function prints. */
static void print_to(void (*print)(FILE *, const struct hb_device_binding *),
                     const struct hb_device_binding *binding, char *text) {
  FILE *stream = fmemopen(text, TEXT_BYTES, "w");
  text[0] = '\0';
  if (stream == NULL) return;
  print(stream, binding);
  fclose(stream);
}

/* Ranks 0 1 2 on one node and 3 4 on another, with two devices a node whose PCI ids are equal. */
static void make_records(struct hb_device_record records[RANKS], const char *first_host,
                         const char *second_host) {
  memset(records, 0, RANKS * sizeof *records);
  for (int r = 0; r < RANKS; r++) {
    struct hb_device_record *record = &records[r];
    record->node = r < 3 ? 0 : 3;
    snprintf(record->host, sizeof record->host, "%s", r < 3 ? first_host : second_host);
    snprintf(record->pci_bus_id, sizeof record->pci_bus_id, "0000:%02x:00.0", r % 3 % 2);
  }
  snprintf(records[1].visible[1], sizeof records[1].visible[1], "0,1");
}

static void check_sharing(struct hb_check *check, const char *first_host, const char *second_host) {
  struct hb_device_record records[RANKS];
  const struct hb_device_binding binding = {NULL, RANKS, records};
  char text[TEXT_BYTES], expected[TEXT_BYTES];
  make_records(records, first_host, second_host);
  for (int r = 0; r < RANKS; r++)
    CHECK_EQUAL(check, hb_device_binding_ranks_sharing(&binding, r), r == 0 || r == 2 ? 2 : 1);
  CHECK(check, hb_device_binding_same(&binding, 0, 2) && !hb_device_binding_same(&binding, 0, 1));
  CHECK(check, !hb_device_binding_same(&binding, 0, 3) && !hb_device_binding_same(&binding, 1, 4));
  print_to(hb_device_binding_print_shared, &binding, text);
  snprintf(expected, sizeof expected,
           "helmbone: warning: ranks 0 2 share device 0000:00:00.0 of %s; "
           "--oversubscribe silences this\n",
           first_host);
  CHECK(check, strcmp(text, expected) == 0);
}

static void print_one(FILE *stream, const struct hb_device_binding *binding) {
  hb_device_binding_print_first(stream, binding, 1);
}

static void check_short(struct hb_check *check) {
  struct hb_device_record records[RANKS];
  const struct hb_device_binding binding = {NULL, RANKS, records};
  char text[TEXT_BYTES], more[64];
  make_records(records, "node0", "node1");
  print_to(print_one, &binding, text);
  snprintf(more, sizeof more, "\ndevices of %d more ranks", RANKS - 1);
  CHECK(check, strstr(text, "device of rank 0: ") == text);
  CHECK(check, strstr(text, "device of rank 1") == NULL && strstr(text, more) != NULL);
}

static void check_printed(struct hb_check *check) {
  struct hb_device_record records[RANKS];
  const struct hb_device_binding binding = {NULL, RANKS, records};
  char text[TEXT_BYTES];
  make_records(records, "node0", "node1");
  print_to(hb_device_binding_print, &binding, text);
  CHECK(check, strstr(text, "\ndevice of rank 1: node0, ") != NULL);
  CHECK(check, strstr(text, " (ROCR_VISIBLE_DEVICES=0,1)\n") != NULL);
}

int main(void) {
  struct hb_check check = {0, 0};
  check_sharing(&check, "node0", "node1");
  check_sharing(&check, "node1", "node0");
  check_sharing(&check, "host", "host"); /* as containers on different nodes may be called */
  check_printed(&check);
  check_short(&check);
  return hb_check_finish(&check);
}
