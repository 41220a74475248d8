#pragma once

#include "runtime/core/node_state.hpp"
#include "runtime/core/verdict.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ke::cli {

/// The facts of a node's report; all are stored.
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

/// A short text on an evaluated node: change against the parent, outcome, bottleneck, what to try next. A
/// template, no model. Empty for a node without verdict. Pure.
std::string node_report(const node_report_facts& facts);

/// The usual remedy for a bottleneck, or for a failure of this kind, in one sentence.
std::string next_idea(const verdict& found);

} // namespace ke::cli
