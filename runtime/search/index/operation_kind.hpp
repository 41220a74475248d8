#pragma once

#include "runtime/core/names.hpp"

#include <cstdint>

namespace ke {

/// What a node asks the model for: a first version, a better one, or the same one without the error. The last
/// three ask nobody (model_free_candidates.hpp): another candidate of an answer, a template at another point,
/// an earlier campaign's solution.
enum class operation_kind : std::uint8_t { draft, improve, fix, variant, tune, seed };
KE_NAMES(operation_kind, 6, "draft", "improve", "fix", "variant", "tune", "seed")
inline bool asks_nobody(operation_kind o) {
  return o == operation_kind::variant || o == operation_kind::tune || o == operation_kind::seed;
}

} // namespace ke
