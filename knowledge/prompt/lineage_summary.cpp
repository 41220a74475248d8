#include "knowledge/prompt/lineage_summary.hpp"

#include "knowledge/prompt/prompt_parts.hpp"
#include "knowledge/prompt/quote.hpp"
#include "knowledge/prompt/redacted.hpp"

#include <algorithm>
#include <sstream>

namespace ke {

/// lineage_summary.txt, embedded by the build: what the model is told first.
extern const std::string_view summary_instructions;

namespace {

constexpr std::size_t enough_records = 6, attempts_at_once = 4;

} // namespace

prompt lineage_summary::next() const {
  return {{{std::string{summary_instructions}, true, "agent"}, {way_, false, "records"}}};
}

bool lineage_summary::take(std::string_view answer) {
  std::istringstream lines{std::string{answer}};
  std::size_t count = 0;
  for (std::string line; count < most_lines && std::getline(lines, line);) {
    line.erase(std::remove_if(line.begin(), line.end(), [](unsigned char c) { return c < ' '; }), line.end());
    line.erase(0, std::min(line.find_first_not_of(" -*"), line.size()));
    if (line.empty() || line.starts_with("```"))
      continue;
    text_ += std::string{head(line, longest_line)} + "\n";
    ++count;
  }
  return true;
}

std::string way_to_parent(const prompt_request& r) {
  if (!r.parent || r.ancestors.size() + r.siblings.size() < enough_records)
    return {};
  auto then = r;
  auto& tried = then.siblings;
  std::sort(tried.begin(), tried.end(), [](const auto& a, const auto& b) { return a->node < b->node; });
  tried.resize(tried.size() / attempts_at_once * attempts_at_once);
  if (then.ancestors.size() + tried.size() < enough_records)
    return {};
  auto text = "\n## The present candidate\nnode " + std::to_string(r.parent->node) + ": " +
              outcome_of(*r.problem, *r.parent) + "\n" + ancestors_part(then) + changes_part(then);
  return tried.empty() ? text : text + siblings_part(then);
}

} // namespace ke
