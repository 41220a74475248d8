#pragma once

#include "runtime/core/codec.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/store/image_file.hpp"
#include "runtime/store/store_port.hpp"

#include <cstdint>
#include <random>
#include <string>

// What power_writer writes, so that the test knows what must be there.

namespace ke::power {

inline constexpr std::uint32_t nodes = 60;
inline constexpr unsigned first_node = 0, first_image = 100'000, exported = 200'000;
inline constexpr auto export_name = "all.kex";

/// Every seventh is a file of its own.
inline std::string source(std::uint32_t node) {
  std::mt19937 generator{node + 1};
  std::string bytes(node % 7 == 3 ? 300'000 : 50 + node * 37 % 3000, '\0');
  for (auto& b : bytes)
    b = static_cast<char>(generator());
  return bytes;
}

inline store_batch node(std::uint32_t number) {
  store_batch b;
  node_row row;
  row.parents = {number == 0 ? no_node : (number - 1) / 8};
  row.state = node_state::correct;
  row.source_digest = b.blob(source(number));
  hot_row hot;
  hot.parent = row.parents[0];
  hot.state = row.state;
  b.put(table::nodes, key_of(1, 0, number), pack(row));
  b.put(table::hot, key_of(1, 0, number), pack(hot));
  b.journal.emplace_back(1,
                         journal_record{journal_kind::judged, number, 0, pack(journal_judged{0, number, 0})});
  return b;
}

inline std::string image_body(std::uint64_t records) {
  return std::string(20'000, static_cast<char>('a' + records % 26));
}

inline image_header image_head(std::uint64_t records) {
  image_header h;
  h.store = "power";
  h.program = "power";
  h.layout = "1";
  h.campaign = 1;
  h.records = records;
  h.last_record = digest_of(std::to_string(records));
  return h;
}

} // namespace ke::power
