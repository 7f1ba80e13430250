/* SPDX-License-Identifier: BSD-3-Clause
 * Reads MessagePack; floating-point values are skipped. */
#include "tests/amdgpu/message_pack.h"

namespace isarun {
const MetaNode *MetaNode::get(const char *key) const {
  for (auto &entry : map)
    if (entry.first == key) return &entry.second;
  return nullptr;
}

i64 MetaNode::number(const char *key, i64 otherwise) const {
  const MetaNode *node = get(key);
  return node && node->kind == INTEGER ? node->integer : otherwise;
}

std::string MetaNode::string(const char *key) const {
  const MetaNode *node = get(key);
  return node && node->kind == TEXT ? node->text : "";
}

namespace {
struct Reader {
  const u8 *at, *end;

  u64 big_endian(int bytes) {
    if (bytes > end - at) fail("metadata is cut short");
    u64 x = 0;
    while (bytes--) x = x << 8 | *at++;
    return x;
  }
  MetaNode integer(i64 value) {
    MetaNode node;
    node.kind = MetaNode::INTEGER;
    node.integer = value;
    return node;
  }
  MetaNode text(u64 bytes) {
    if (bytes > (u64)(end - at)) fail("metadata is cut short");
    MetaNode node;
    node.kind = MetaNode::TEXT;
    node.text.assign((const char *)at, bytes);
    at += bytes;
    return node;
  }
  MetaNode array(u64 count) {
    MetaNode node;
    node.kind = MetaNode::ARRAY;
    for (u64 i = 0; i < count; i++) node.array.push_back(any());
    return node;
  }
  MetaNode map(u64 count) {
    MetaNode node;
    node.kind = MetaNode::MAP;
    for (u64 i = 0; i < count; i++) {
      MetaNode key = any();
      node.map.emplace_back(key.text, any());
    }
    return node;
  }
  MetaNode any() {
    const u8 c = (u8)big_endian(1);
    if (c < 0x80) return integer(c);
    if (c < 0x90) return map(c & 15);
    if (c < 0xa0) return array(c & 15);
    if (c < 0xc0) return text(c & 31);
    if (c >= 0xe0) return integer((i8)c);
    switch (c) {
    case 0xc0: return MetaNode();
    case 0xc2: return integer(0);
    case 0xc3: return integer(1);
    case 0xca: big_endian(4); return MetaNode();
    case 0xcb: big_endian(8); return MetaNode();
    case 0xcc: return integer((i64)big_endian(1));
    case 0xcd: return integer((i64)big_endian(2));
    case 0xce: return integer((i64)big_endian(4));
    case 0xcf: return integer((i64)big_endian(8));
    case 0xd0: return integer((i8)big_endian(1));
    case 0xd1: return integer((i16)big_endian(2));
    case 0xd2: return integer((i32)big_endian(4));
    case 0xd3: return integer((i64)big_endian(8));
    case 0xc4:
    case 0xd9: return text(big_endian(1));
    case 0xc5:
    case 0xda: return text(big_endian(2));
    case 0xc6:
    case 0xdb: return text(big_endian(4));
    case 0xdc: return array(big_endian(2));
    case 0xdd: return array(big_endian(4));
    case 0xde: return map(big_endian(2));
    case 0xdf: return map(big_endian(4));
    default: fail("metadata byte 0x%x is not understood", c);
    }
  }
};
} /* namespace */

MetaNode read_message_pack(const u8 *begin, const u8 *end) { return Reader{begin, end}.any(); }
} /* namespace isarun */
