#pragma once

#include "knowledge/prompt.hpp"

#include <string>
#include <string_view>

namespace ke {

/// A model sums up how a candidate came about: of each step and attempt, what it changed and what measuring
/// it said, what mattered. The rule that does the same without a model shows the nearest steps and attempts
/// themselves. Pure.
class way_summary {
public:
  static constexpr std::size_t most_lines = 8, longest_line = 200;

  explicit way_summary(std::string way) : way_{std::move(way)} {}

  prompt next() const;
  /// One answer is all there is: always true.
  bool take(std::string_view answer);
  /// A line each, bounded; empty: the answer said nothing usable. A model's words: quoted wherever they are
  /// shown.
  const std::string& text() const { return text_; }

private:
  std::string way_, text_;
};

/// The records of the way to the request's parent and of what was tried from there; empty: they are so few
/// that they speak for themselves. Attempts count by fours, so that one summary serves several prompts.
std::string way_to_parent(const prompt_request& request);

} // namespace ke
