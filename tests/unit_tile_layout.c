/* SPDX-License-Identifier: BSD-3-Clause
 * NVIDIA's layouts: mma.sync in f64 and tcgen05.mma against the vendor's formulas, bijections, and
 * the byte walk of shared-memory descriptors. */
#include <string.h>

#include "kernels/matcore/tcgen05_layout.h"
#include "tests/check.h"

enum { MAX_PLACES = 1 << 17 };

/* Number of elements that come back from their place, each place taken at most once. */
static int round_trips(const struct hb_tile_layout *layout) {
  static bool taken[MAX_PLACES];
  int right = 0;
  memset(taken, 0, sizeof taken);
  for (int e = 0; e < hb_tile_count(layout); e++) {
    const struct hb_tile_element element = hb_tile_at(layout, e);
    struct hb_tile_element back = {{-1, -1, -1}};
    struct hb_tile_place place = {0, 0};
    if (hb_tile_place(layout, element, &place) != HB_OK) return -1;
    if (hb_tile_element(layout, place, &back) != HB_OK) return -1;
    const int p = place.lane * layout->slots + place.slot;
    right += memcmp(&back, &element, sizeof back) == 0 && p < MAX_PLACES && !taken[p];
    taken[p] = true;
  }
  return right;
}

/* PTX ISA, word by word: groupID = lane >> 2, threadID_in_group = lane % 4. */
static struct hb_tile_element ptx(const struct hb_mma_sync *x, char operand, int lane, int i) {
  const int group = lane >> 2, thread = lane % 4;
  if (operand == 'A' && x->k == 16)
    return (struct hb_tile_element){
        {0, i % 2 == 0 ? group : group + 8, (i % 2 == 0 ? i * 2 : i * 2 - 2) + thread}};
  if (operand == 'A')
    return (struct hb_tile_element){
        {0, i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4}};
  if (operand == 'B') return (struct hb_tile_element){{0, thread + i * 4, group}};
  return (struct hb_tile_element){{0, i < 2 ? group : group + 8, thread * 2 + (i & 1)}};
}

static void check_mma_sync(struct hb_check *check) {
  CHECK_EQUAL(check, hb_mma_sync_count(), 4);
  CHECK(check, hb_mma_sync_find("mma.sync.m8n8k4.f32") == NULL);
  for (int m = 0; m < hb_mma_sync_count(); m++)
    for (const char *operand = "ABCD"; *operand != '\0'; operand++) {
      const struct hb_mma_sync *x = hb_mma_sync_at(m);
      const struct hb_tile_layout layout = hb_mma_sync_layout(x, *operand);
      CHECK_EQUAL(check, round_trips(&layout), layout.lanes * layout.slots);
      for (int p = 0; p < layout.lanes * layout.slots; p++) {
        const struct hb_tile_place place = {p / layout.slots, p % layout.slots};
        const struct hb_tile_element expected = ptx(x, *operand, place.lane, place.slot);
        struct hb_tile_element found = {{-1, -1, -1}};
        CHECK_OK(check, hb_tile_element(&layout, place, &found));
        CHECK(check, memcmp(&found, &expected, sizeof found) == 0);
      }
    }
}

struct tensor_case {
  const char *name;
  char letter;
  int banks, row, col, lane, slot; /* of D's first CTA */
};

static void check_tensor_memory(struct hb_check *check) {
  static const struct tensor_case cases[] = {
      {"tcgen05.mma.m128n64k16.f16", 'D', 1, 77, 63, 77, 63},
      {"tcgen05.mma.m64n24k8.tf32", 'F', 1, 17, 5, 33, 5},
      {"tcgen05.mma.ws.m64n128k16.f16", 'E', 2, 10, 64, 74, 0},
      {"tcgen05.mma.ws.m128n256k32.f8", 'D', 1, 127, 255, 127, 255},
      {"tcgen05.mma.ws.m32n64k16.f16", 'G', 4, 3, 17, 35, 1},
      {"tcgen05.mma.2cta.m128n64k16.f16", 'B', 2, 63, 33, 127, 1},
      {"tcgen05.mma.2cta.m256n256k16.f16", 'A', 1, 100, 200, 100, 200},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const struct tensor_case *c = &cases[i];
    struct hb_tcgen05 x = {0};
    struct hb_tile_place place = {-1, -1};
    CHECK_OK(check, hb_tcgen05_parse(c->name, &x));
    CHECK_EQUAL(check, hb_tcgen05_letter(&x), c->letter);
    CHECK_EQUAL(check, hb_tcgen05_banks(&x), c->banks);
    const struct hb_tile_layout d = hb_tcgen05_tensor_layout(&x, 'D');
    const struct hb_tile_layout a = hb_tcgen05_tensor_layout(&x, 'A');
    CHECK_OK(check, hb_tile_place(&d, (struct hb_tile_element){{0, c->row, c->col}}, &place));
    CHECK_EQUAL(check, place.lane, c->lane);
    CHECK_EQUAL(check, place.slot, c->slot);
    CHECK_EQUAL(check, round_trips(&d), x.m * x.n);
    CHECK_EQUAL(check, round_trips(&a), c->banks * x.m * x.k);
  }
}

static void check_names(struct hb_check *check) {
  struct hb_tcgen05 x;
  struct hb_tile_element element;
  CHECK_FAILS(check, hb_tcgen05_parse("tcgen05.mma.m96n64k16.f16", &x), HB_BAD_INPUT, "64 or 128");
  CHECK_FAILS(check, hb_tcgen05_parse("tcgen05.mma.2cta.m128n8k16.f16", &x), HB_BAD_INPUT,
              "16..256");
  CHECK_FAILS(check, hb_tcgen05_parse("tcgen05.mma.m128n64k8.f16", &x), HB_BAD_INPUT, "K is 16");
  CHECK_FAILS(check, hb_tcgen05_parse("tcgen05.mma.ws.m64n32k16.f16", &x), HB_BAD_INPUT, "256");
  CHECK_FAILS(check, hb_tcgen05_parse("tcgen05.mma.m128n64k16.f64", &x), HB_BAD_INPUT, "tf32");
  CHECK_FAILS(check, hb_tcgen05_parse("tcgen05.mma.m128n64k16.f16x", &x), HB_BAD_INPUT, "is not");
  CHECK_FAILS(check, hb_tcgen05_parse("m128n64k16.f16", &x), HB_BAD_INPUT, "is not");
  CHECK_OK(check, hb_tcgen05_parse("tcgen05.mma.m64n64k16.f16", &x));
  const struct hb_tile_layout d = hb_tcgen05_tensor_layout(&x, 'D');
  CHECK_FAILS(check, hb_tile_element(&d, (struct hb_tile_place){16, 0}, &element), HB_BAD_INPUT,
              "holds no element");
}

/* Tiles side by side: D of m64n64 has 64 columns, so 8 fit; A of tf32 has 8. */
static void check_repeats(struct hb_check *check) {
  struct hb_tcgen05 x = {0};
  struct hb_tile_layout layout;
  struct hb_tile_place place = {0, 0};
  CHECK_OK(check, hb_tcgen05_parse("tcgen05.mma.2cta.m256n64k8.tf32", &x));
  CHECK_OK(check, hb_tcgen05_repeat(&x, 'D', 8, &layout));
  CHECK_EQUAL(check, round_trips(&layout), 8 * x.m * x.n);
  CHECK_OK(check, hb_tile_place(&layout, (struct hb_tile_element){{3, 10, 20}}, &place));
  CHECK_EQUAL(check, place.lane, 128 + 10); /* tile 1, CTA 1 */
  CHECK_EQUAL(check, place.slot, 64 + 20);
  CHECK_FAILS(check, hb_tcgen05_repeat(&x, 'D', 9, &layout), HB_BAD_INPUT, "1..8 tiles");
  CHECK_OK(check, hb_tcgen05_repeat(&x, 'A', 64, &layout));
  CHECK_FAILS(check, hb_tcgen05_repeat(&x, 'A', 0, &layout), HB_BAD_INPUT, "1..64 tiles");
}

/* 128x64x64 in f16 as four issues of K = 16: the walk of an issue from its origin 32 s bytes into
 * the row, permuted, is the place in the whole. */
static void check_four_issues(struct hb_check *check) {
  const struct hb_tcgen05_shared whole = {16, 1024, 3, false, 64, 64, 16};
  struct hb_tcgen05_shared issue = whole;
  issue.k = 16;
  for (int k = 0; k < 64; k++)
    for (int x = 0; x < 64; x++) {
      int expected = 0, byte = 0;
      CHECK_OK(check, hb_tcgen05_byte(&whole, x, k, &expected));
      CHECK_OK(check, hb_tcgen05_byte(&issue, x, k % 16, &byte));
      const int walk = hb_tcgen05_swizzle(3, byte) + 32 * (k / 16);
      CHECK_EQUAL(check, hb_tcgen05_swizzle(3, walk), expected);
    }
}

/* Two issues of N = 64 fill all cells of one of N = 128, but half of the columns lie elsewhere. */
static void check_split(struct hb_check *check) {
  struct hb_tcgen05 whole = {0}, half = {0};
  bool reached[128] = {false};
  int elsewhere = 0;
  CHECK_OK(check, hb_tcgen05_parse("tcgen05.mma.ws.m64n128k16.f16", &whole));
  CHECK_OK(check, hb_tcgen05_parse("tcgen05.mma.ws.m64n64k16.f16", &half));
  const struct hb_tile_layout one = hb_tcgen05_tensor_layout(&whole, 'D');
  const struct hb_tile_layout two = hb_tcgen05_tensor_layout(&half, 'D');
  for (int c = 0; c < 128; c++) {
    const int issue = c / 64, column = hb_tcgen05_split_column(&whole, issue, c % 64);
    struct hb_tile_place a = {0, 0}, b = {0, 0};
    CHECK_OK(check, hb_tile_place(&one, (struct hb_tile_element){{0, 5, column}}, &a));
    CHECK_OK(check, hb_tile_place(&two, (struct hb_tile_element){{0, 5, c % 64}}, &b));
    CHECK_EQUAL(check, a.lane, b.lane);
    CHECK_EQUAL(check, a.slot, b.slot + two.slots * issue);
    elsewhere += column != c;
    reached[column] = true;
  }
  for (int c = 0; c < 128; c++) CHECK(check, reached[c]);
  CHECK_EQUAL(check, elsewhere, 64);
}

/* All elements come back from their bytes, no byte serves two. */
static void check_walk(struct hb_check *check, struct hb_tcgen05_shared s) {
  static bool taken[1 << 20];
  memset(taken, 0, sizeof taken);
  CHECK_OK(check, hb_tcgen05_shared_check(&s));
  for (int x = 0; x < s.mn; x++)
    for (int k = 0; k < s.k; k++)
      for (int b = 0, byte = 0; b < s.bits / 8; b++) {
        int found_x = -1, found_k = -1;
        CHECK_OK(check, hb_tcgen05_byte(&s, x, k, &byte));
        CHECK_OK(check, hb_tcgen05_at_byte(&s, byte + b, &found_x, &found_k));
        CHECK(check, found_x == x && found_k == k && !taken[byte + b]);
        taken[byte + b] = true;
      }
}

static void check_shared(struct hb_check *check) {
  static const struct hb_tcgen05_shared walks[] = {
      {16, 1024, 3, false, 128, 64, 16}, {2048, 128, 0, false, 128, 16, 16},
      {16, 256, 1, false, 64, 16, 16},   {16, 512, 2, false, 64, 8, 32},
      {128, 1024, 0, true, 64, 16, 16},  {2048, 1024, 3, true, 128, 16, 16},
      {2048, 512, 4, true, 64, 16, 32},  {512, 4096, 2, true, 64, 32, 8},
      {4096, 256, 1, true, 64, 16, 16},  {0, 1040, 0, false, 24, 4, 32},
  };
  struct hb_tcgen05_shared s = walks[0];
  int byte = 0, x, k;
  for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++) check_walk(check, walks[i]);
  CHECK_OK(check, hb_tcgen05_byte(&s, 9, 16, &byte)); /* 1024 + 128 + 32, bit 7 into bit 4 */
  CHECK_EQUAL(check, byte, 1024 + 128 + (32 ^ 16));
  CHECK_OK(check, hb_tcgen05_byte(&walks[6], 40, 5, &byte)); /* 2048 + 512 + 128 + 32, 7 into 5 */
  CHECK_EQUAL(check, byte, 2048 + 512 + 128 + (32 ^ 32));
  CHECK_EQUAL(check, hb_tcgen05_swizzle_period(3), 1024);
  CHECK_EQUAL(check, hb_tcgen05_swizzle_period(4), 512);
  CHECK_FAILS(check, hb_tcgen05_byte(&s, 128, 0, &byte), HB_BAD_INPUT, "0..127");
  CHECK_FAILS(check, hb_tcgen05_at_byte(&s, 1 << 17, &x, &k), HB_BAD_INPUT, "holds no");
  CHECK_FAILS(check, hb_tcgen05_at_byte(&s, -1, &x, &k), HB_BAD_INPUT, "holds no");
  s.stride_bytes = 512;
  CHECK_FAILS(check, hb_tcgen05_shared_check(&s), HB_BAD_INPUT, "share bytes");
  s.stride_bytes = 1000;
  CHECK_FAILS(check, hb_tcgen05_shared_check(&s), HB_BAD_INPUT, "multiple of 16");
  s = (struct hb_tcgen05_shared){16, 1024, 4, false, 64, 16, 16};
  CHECK_FAILS(check, hb_tcgen05_shared_check(&s), HB_BAD_INPUT, "32 bits");
  s = (struct hb_tcgen05_shared){16, 1024, 3, true, 64, 8, 32};
  CHECK_FAILS(check, hb_tcgen05_shared_check(&s), HB_BAD_INPUT, "needs swizzle 4");
  s = (struct hb_tcgen05_shared){16, 256, 1, false, 64, 64, 16};
  CHECK_FAILS(check, hb_tcgen05_shared_check(&s), HB_BAD_INPUT, "does not hold");
  s = (struct hb_tcgen05_shared){16, 256, 5, false, 64, 16, 16};
  CHECK_FAILS(check, hb_tcgen05_shared_check(&s), HB_BAD_INPUT, "0..4");
}

int main(void) {
  struct hb_check check = {0, 0};
  check_mma_sync(&check);
  check_tensor_memory(&check);
  check_names(&check);
  check_repeats(&check);
  check_split(&check);
  check_four_issues(&check);
  check_shared(&check);
  return hb_check_finish(&check);
}
