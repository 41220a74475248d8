#pragma once

#include "runtime/core/settings.hpp"
#include "runtime/search/index/operation_kind.hpp"
#include "runtime/search/policy/counter_random.hpp"

namespace ke {

/// The form in which the change of a node is asked for: [search] edits and rewrites are the shares. A function
/// of the node's own seed, so no other choice of the search depends on it. First versions have no parent.
inline answer_kind answer_kind_of(const search_settings& s, operation_kind operation, std::uint64_t seed) {
  if (operation == operation_kind::draft || asks_nobody(operation))
    return answer_kind::any;
  constexpr std::uint64_t salt = 0x666f726d; // another draw than those for which seeds are
  auto at = static_cast<double>(mix(seed ^ salt) >> 11) * 0x1.0p-53;
  return at < s.edits                ? answer_kind::edits
         : at < s.edits + s.rewrites ? answer_kind::whole
                                     : answer_kind::any;
}

} // namespace ke
