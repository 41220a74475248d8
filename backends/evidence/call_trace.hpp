#pragma once

#include "runtime/core/evidence_keys.hpp"
#include "runtime/observe/trace.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

struct evidence;

// The trace of one call of a candidate, the same for every instrument: findings["trace"] holds lines "NAME
// BEGIN LENGTH", in nanoseconds since the first begin, ordered by begin. Each span lies inside an earlier one
// or behind it. NAME is plain: "line:6" for a loop, "aten::mm" for an operator.

struct call_span {
  std::string name;
  double begin_us = 0, us = 0;
};

inline constexpr std::size_t most_stretches = 1000;

/// Letters, digits and _ : . only, 80 at most: fit for a trace or a report, whoever chose it.
bool is_plain_name(std::string_view name);

/// Builds the text. Leaves out what is not plain. A break of the schema's order (clocks that ran backwards,
/// or were forged) empties it for good.
class call_trace_text {
public:
  void add(std::string_view name, double begin_ns, double ns);
  bool full() const { return broken_ || lines_ == most_stretches; }
  std::string take() { return broken_ ? std::string{} : std::move(text_); }

private:
  std::string text_;
  std::size_t lines_ = 0;
  std::vector<double> open_; ///< ends of the spans around the last one
  double last_begin_ = 0;
  bool broken_ = false;
};

/// From the evidence; empty if there is none, or if it breaks the schema. Pure; the text is untrusted.
std::vector<call_span> call_spans(const evidence& found);

/// Writes the first `most` as spans of the program's trace (runtime/observe/trace.hpp) on this lane, the
/// first at `begin`; returns their number. Nothing while no trace is written.
std::size_t trace_call(const evidence& found, std::string_view lane, trace::time_point begin,
                       std::string_view args_json = "{}", std::size_t most = most_stretches);

} // namespace ke
