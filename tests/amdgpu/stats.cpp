/* SPDX-License-Identifier: BSD-3-Clause
 * Statistics of launches, options by name, and the common failure. */
#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

#include "tests/amdgpu/inst.h"

namespace isarun {
void fail(const char *fmt, ...) {
  char text[600];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  throw Error(text);
}

namespace {
bool set_check(Check &check, const std::string &value) {
  if (value == "off")
    check = Check::off;
  else if (value == "warn")
    check = Check::warn;
  else if (value == "error")
    check = Check::error;
  else
    return false;
  return true;
}

bool set_number(uint64_t &number, const std::string &value) {
  char *end;
  number = strtoull(value.c_str(), &end, 0);
  return !value.empty() && *end == 0;
}

bool set_flag(bool &flag, const std::string &value) {
  flag = value == "1";
  return value == "0" || value == "1";
}

/* asc, desc, rand, rand7: in random order, with seed 7. */
bool set_order(Options &options, const std::string &value) {
  if (value == "asc")
    options.order = Order::ascending;
  else if (value == "desc")
    options.order = Order::descending;
  else if (value.compare(0, 4, "rand") == 0)
    options.order = Order::random;
  else
    return false;
  if (options.order == Order::random && value.size() > 4)
    return set_number(options.seed, value.substr(4));
  return true;
}
} /* namespace */

bool set_option(Options &options, const std::string &name, const std::string &value) {
  if (name == "race") return set_check(options.lds_race, value);
  if (name == "uninit_lds") return set_check(options.uninit_lds, value);
  if (name == "align") return set_check(options.misaligned_lds, value);
  if (name == "waits") return set_check(options.waits, value);
  if (name == "order") return set_order(options, value);
  if (name == "reverse_groups") return set_flag(options.reverse_groups, value);
  if (name == "banks") return set_flag(options.bank_model, value);
  if (name != "quantum") return false;
  uint64_t quantum;
  if (!set_number(quantum, value) || quantum > UINT32_MAX) return false;
  options.quantum = (uint32_t)quantum;
  return true;
}

uint64_t Stats::sum(const std::string &prefix) const {
  uint64_t n = 0;
  for (auto &c : count)
    if (c.first.compare(0, prefix.size(), prefix) == 0) n += c.second;
  return n;
}

void Stats::add(const Stats &s) {
  workgroups += s.workgroups;
  waves += s.waves;
  insts += s.insts;
  for (auto &c : s.count) count[c.first] += c.second;
  uninit_lds += s.uninit_lds;
  lds_race += s.lds_race;
  misaligned_lds += s.misaligned_lds;
  waits += s.waits;
  if (first_warning.empty()) first_warning = s.first_warning;
  global_load_bytes += s.global_load_bytes;
  global_store_bytes += s.global_store_bytes;
  lds_read_cycles += s.lds_read_cycles;
  lds_write_cycles += s.lds_write_cycles;
  most_in_flight = std::max(most_in_flight, s.most_in_flight);
  full += s.full;
  seconds += s.seconds;
}

std::string Stats::text() const {
  char line[700];
  snprintf(line, sizeof line,
           "workgroups %llu  waves %llu  wave instructions %llu  interpreter seconds %.3f  (%.2f "
           "M/s)\n"
           "mfma %llu  ds %llu  global load %llu store %llu atomic %llu  scratch %llu  barriers "
           "%llu\n"
           "global bytes: loaded %llu stored %llu\n"
           "most in flight %llu, counter full %llu\n",
           (ull)workgroups, (ull)waves, (ull)insts, seconds,
           seconds > 0 ? (double)insts / seconds / 1e6 : 0, (ull)sum("v_mfma"), (ull)sum("ds_"),
           (ull)(sum("global_load") + sum("flat_load")),
           (ull)(sum("global_store") + sum("flat_store")),
           (ull)(sum("global_atomic") + sum("flat_atomic")),
           (ull)(sum("scratch_") + sum("buffer_load") + sum("buffer_store")), (ull)sum("s_barrier"),
           (ull)global_load_bytes, (ull)global_store_bytes, (ull)most_in_flight, (ull)full);
  std::string all = line;
  if (lds_read_cycles || lds_write_cycles) {
    snprintf(line, sizeof line, "LDS service cycles: read %llu write %llu\n", (ull)lds_read_cycles,
             (ull)lds_write_cycles);
    all += line;
  }
  if (uninit_lds || lds_race || misaligned_lds || waits) {
    snprintf(line, sizeof line,
             "warnings: uninitialised LDS %llu, LDS race %llu, misaligned LDS %llu, missing waits "
             "%llu; first: ",
             (ull)uninit_lds, (ull)lds_race, (ull)misaligned_lds, (ull)waits);
    all += line + first_warning + "\n";
  }
  return all;
}
} /* namespace isarun */
