#pragma once

#include "runtime/core/node_key.hpp"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace ke {

/// Key of `evidence::provenance`. The evidence is of an earlier job, whose candidate compiled to the same
/// code; the value is that job's node (`text_of_node`).
inline constexpr auto same_object_as = "same_object_as";
inline std::string text_of_node(const node_key& n) {
  return std::to_string(n.campaign) + "/" + std::to_string(n.tree) + "/" + std::to_string(n.node);
}
inline std::optional<node_key> node_of_text(std::string_view text) {
  node_key n;
  const char *at = text.data(), *end = at + text.size();
  for (auto part : {&n.campaign, &n.tree, &n.node}) {
    auto [next, error] = std::from_chars(at, end, *part);
    if (error != std::errc{} || (part == &n.node ? next != end : next == end || *next != '/'))
      return std::nullopt;
    at = next + 1;
  }
  return n;
}

} // namespace ke
