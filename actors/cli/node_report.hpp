#pragma once

#include "runtime/core/types.hpp"
#include "runtime/core/verdict.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ke::cli {

/// What a node's report is made of; all of it is stored anyway.
struct node_report_facts {
  node_state state = node_state::planned;
  std::string note;          ///< its plan, in the model's words
  std::string source;        ///< empty: there is none
  std::string parent_source; ///< the reference's, if the parent is the root
  std::uint64_t parent = 0;  ///< public id
  bool from_reference = false;
  std::optional<std::uint64_t> duplicate_of;
  std::optional<verdict> found, parent_found;
};

/// A short text on an evaluated node: what changed against its parent, what came of it, what holds it back,
/// what to try next. A template, no model; every node with a verdict has one. Empty for nodes without. Pure.
std::string node_report(const node_report_facts& facts);

/// What usually helps against a bottleneck, or after a failure of this kind, in one sentence.
std::string next_idea(const verdict& found);

} // namespace ke::cli
