#pragma once

#include "runtime/core/journal.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/search/campaign/search_tree.hpp"

#include <catch2/catch.hpp>

#include <utility>

namespace ke {

/// A tree core that a test drives record by record.
inline search_tree core_of(const campaign_settings& s) {
  auto made = search_tree::make(0, "cpu-cpp", s);
  REQUIRE(made);
  return std::move(*made);
}

inline void judge(search_tree& core, std::uint32_t node, verdict_state state, double score,
                  std::uint32_t duplicate_of = no_node) {
  journal_judged j{0, node, 0, state, timing_decision::none, score};
  j.duplicate_of = duplicate_of;
  REQUIRE(core.apply(j));
}

} // namespace ke
