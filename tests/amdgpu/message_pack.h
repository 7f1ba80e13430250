/* SPDX-License-Identifier: BSD-3-Clause
 * Reads MessagePack, as far as the metadata of code objects uses it: integers, text, arrays, maps.
 */
#ifndef HB_TESTS_AMDGPU_MESSAGE_PACK_H
#define HB_TESTS_AMDGPU_MESSAGE_PACK_H

#include "tests/amdgpu/inst.h"

namespace isarun {
struct MetaNode {
  enum { NIL, INTEGER, TEXT, ARRAY, MAP } kind = NIL;
  i64 integer = 0;
  std::string text;
  std::vector<MetaNode> array;
  std::vector<std::pair<std::string, MetaNode>> map;
  /* The entry of that name, null without one; its number, its text. */
  const MetaNode *get(const char *key) const;
  i64 number(const char *key, i64 otherwise = 0) const;
  std::string string(const char *key) const;
};

/* Throws Error if the bytes are cut short or not understood. */
MetaNode read_message_pack(const u8 *begin, const u8 *end);
} /* namespace isarun */
#endif
