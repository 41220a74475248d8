#include "knowledge/advisors/study.hpp"
#include "runtime/core/problem.hpp"

#include <cstdlib>

namespace {

std::shared_ptr<const ke::corpus> pages() {
  std::vector<ke::document> all;
  for (const char* id : {"guidance/memory/blocking", "guidance/compute/fma", "hardware/cpu/caches"}) {
    ke::document d;
    d.id = d.path = id;
    d.title = "Advice";
    d.targets = {"*"};
    d.body = "Text of it.";
    all.push_back(std::move(d));
  }
  return std::make_shared<const ke::corpus>(std::move(all));
}

} // namespace

/// Any bytes as the answers of a sub-agent, one after the other: each talk ends within its answers, what it
/// chose exists, and what it wrote is bounded.
extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  static const auto library = pages();
  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (auto kind : {ke::study_kind::memory, ke::study_kind::research}) {
    ke::study_talk talk{ke::study{kind, "key", "records", {}}, library};
    auto rest = text;
    std::size_t answers = 0;
    for (bool over = false; !over; ++answers) {
      if (answers == ke::document_search::most_rounds)
        std::abort();
      auto end = std::min(rest.find('\0'), rest.size());
      over = talk.take(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (ke::bytes_of(talk.next()) > (128u << 10))
        std::abort();
    }
    auto found = talk.found();
    if (kind == ke::study_kind::memory &&
        found.size() > ke::lineage_summary::most_lines * (ke::lineage_summary::longest_line + 1))
      std::abort();
    if (kind == ke::study_kind::research)
      for (std::size_t at = 0; at < found.size(); at = found.find('\n', at) + 1)
        if (!library->find(found.substr(at, found.find('\n', at) - at)))
          std::abort();
  }
  return 0;
}
