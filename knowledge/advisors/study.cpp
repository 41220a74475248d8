#include "knowledge/advisors/study.hpp"

#include "knowledge/advisors/consult.hpp"
#include "knowledge/prompt/prompt_parts.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/memory_kind.hpp"

#include <algorithm>
#include <sstream>

namespace ke {
namespace {

std::string spaced(const std::vector<std::string>& words) {
  std::string text;
  for (const auto& w : words)
    text += w + " ";
  return text;
}

/// The first line of a message without its figures: what differs from case to case of one failure.
std::string shape_of(std::string_view message) {
  std::string shape{message.substr(0, message.find('\n'))};
  std::erase_if(shape, [](unsigned char c) { return c >= '0' && c <= '9'; });
  return shape;
}

} // namespace

std::optional<study> memory_study(const prompt_request& r) {
  if (!shows_ancestors(r.memory) || !shows_siblings(r.memory))
    return std::nullopt;
  auto way = way_to_parent(r);
  if (way.empty())
    return std::nullopt;
  auto key = digest_of_parts({to_text(study_kind::memory), way});
  return study{study_kind::memory, std::move(key), std::move(way), {}};
}

std::optional<study> research_study(const prompt_request& r, bool stalled) {
  auto q = query_of(r, stalled);
  if (q.bottleneck.empty() && q.failure.empty())
    return std::nullopt;
  auto situation = "A " + q.family + " kernel for " + spaced(q.targets) + "with " + spaced(q.dtypes) + "is " +
                   (q.failure.empty() ? "right" : q.failure) + ".\n";
  situation += q.failure.empty() ? diagnosis_part(r) : failure_part(r);
  auto key = digest_of_parts({to_text(study_kind::research), q.family, q.language, spaced(q.targets),
                              spaced(q.dtypes), q.bottleneck, q.failure,
                              q.failure.empty() ? std::string{} : shape_of(q.message),
                              std::to_string(open_level(q.depth, q.stalled))});
  return study{study_kind::research, std::move(key), std::move(situation), std::move(q)};
}

study_talk::study_talk(const study& what, std::shared_ptr<const corpus> library)
    : talk_{what.kind == study_kind::memory
                ? decltype(talk_){lineage_summary{what.text}}
                : decltype(talk_){document_search{std::move(library), what.query, what.text}}} {}

prompt study_talk::next() const {
  return std::visit([](const auto& t) { return t.next(); }, talk_);
}

bool study_talk::take(std::string_view answer) {
  return std::visit([&](auto& t) { return t.take(answer); }, talk_);
}

std::string study_talk::found() const {
  if (const auto* summary = std::get_if<lineage_summary>(&talk_))
    return summary->text();
  std::string text;
  for (const auto& id : std::get<document_search>(talk_).chosen())
    text += id + "\n";
  return text;
}

void use_study(prompt_request& r, study_kind kind, const std::string& found) {
  if (kind == study_kind::memory) {
    r.past = found;
    return;
  }
  std::istringstream lines{found};
  for (std::string id; std::getline(lines, id);)
    r.chosen.push_back(id);
}

} // namespace ke
