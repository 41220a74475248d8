#include "backends/evidence/call_trace.hpp"

#include "runtime/core/evidence.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace ke {
namespace {

constexpr double longest_ns = 3600e9;
constexpr double rounding_ns = 1; ///< of instruments that tell whole or half nanoseconds

} // namespace

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 80 && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == ':' || c == '.';
  });
}

void call_trace_text::add(std::string_view name, double begin_ns, double ns) {
  if (full())
    return;
  bool real = std::isfinite(begin_ns) && std::isfinite(ns) && begin_ns >= last_begin_ && ns >= 0 &&
              begin_ns + ns <= longest_ns;
  while (!open_.empty() && open_.back() <= begin_ns + rounding_ns && open_.back() < begin_ns + ns)
    open_.pop_back();
  if (!real || (!open_.empty() && begin_ns + ns > open_.back() + rounding_ns)) {
    broken_ = true;
    text_.clear();
    return;
  }
  last_begin_ = begin_ns;
  open_.push_back(begin_ns + ns);
  if (!is_plain_name(name))
    return;
  char numbers[80];
  std::snprintf(numbers, sizeof numbers, " %.1f %.1f\n", begin_ns, ns);
  text_.append(name) += numbers;
  ++lines_;
}

std::vector<call_span> call_spans(const evidence& found) {
  auto text = found.findings.find(finding_keys::trace);
  if (text == found.findings.end())
    return {};
  std::vector<call_span> all;
  call_trace_text again; // the text comes from another process: the same rules hold for it
  std::istringstream in{text->second};
  std::string name;
  for (double begin = 0, length = 0; !again.full() && in >> name >> begin >> length;) {
    again.add(name, begin, length);
    if (is_plain_name(name))
      all.push_back({name, begin * 1e-3, length * 1e-3});
  }
  if (again.take().empty())
    all.clear();
  return all;
}

std::size_t trace_call(const evidence& found, std::string_view lane, trace::time_point begin,
                       std::string_view args_json, std::size_t most) {
  if (!trace::on())
    return 0;
  auto at = [&](double us) { return begin + std::chrono::nanoseconds{std::llround(us * 1e3)}; };
  std::size_t told = 0;
  for (const auto& s : call_spans(found)) {
    if (told == most)
      break;
    trace::span(lane, s.name, at(s.begin_us), at(s.begin_us + s.us), args_json);
    ++told;
  }
  return told;
}

} // namespace ke
