#pragma once

#include "runtime/llm/prompt.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace ke {

struct prompt_request;

/// A model sums up how a candidate came about: for each step and attempt the change, the measurement, and
/// what mattered. The rule without a model shows the nearest steps and attempts themselves. Pure.
class lineage_summary {
public:
  static constexpr std::size_t most_lines = 8, longest_line = 200;

  explicit lineage_summary(std::string way) : way_{std::move(way)} {}

  prompt next() const;
  /// There is only one answer: always true.
  bool take(std::string_view answer);
  /// A line each, bounded; empty: the answer was of no use. A model's words: quoted wherever they are shown.
  const std::string& text() const { return text_; }

private:
  std::string way_, text_;
};

/// The records of the steps to the request's parent, and of attempts from there. Empty if too few to
/// summarise. Changes every fourth attempt, so that prompts share a summary.
std::string way_to_parent(const prompt_request& request);

} // namespace ke
