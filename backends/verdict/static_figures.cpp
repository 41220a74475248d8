#include "backends/verdict/static_figures.hpp"

#include "runtime/core/evidence_keys.hpp"

namespace ke {
namespace {

struct entry_figures {
  double registers = 0, spills = 0, shared = 0;
};

std::string sentence_of(const std::string& entry, const entry_figures& f) {
  auto whole = [](double x) { return std::to_string(static_cast<long long>(x)); };
  return entry + ": " + whole(f.registers) + " registers, " +
         (f.spills > 0 ? whole(f.spills) + " bytes spilled" : std::string{"no spills"}) +
         (f.shared > 0 ? ", " + whole(f.shared) + " bytes of static shared memory" : "");
}

} // namespace

std::map<std::string, double> counters_below(const std::map<std::string, double>& counters,
                                             const std::string& begin) {
  std::map<std::string, double> found;
  for (auto at = counters.lower_bound(begin); at != counters.end() && at->first.starts_with(begin); ++at)
    found.emplace(at->first.substr(begin.size()), at->second);
  return found;
}

std::map<std::string, double> static_figures(const std::map<std::string, double>& counters) {
  return counters_below(counters, counter_keys::static_of);
}

std::string static_summary(const std::map<std::string, double>& counters) {
  std::map<std::string, entry_figures> entries;
  for (const auto& [key, value] : static_figures(counters)) { // sm_90.ENTRY.WHAT
    auto first = key.find('.'), last = key.rfind('.');
    if (first == last)
      continue;
    auto entry = key.substr(first + 1, last - first - 1), what = key.substr(last + 1);
    if (what == "registers")
      entries[entry].registers = value;
    else if (what == "spill_bytes")
      entries[entry].spills = value;
    else if (what == "shared_bytes")
      entries[entry].shared = value;
  }
  std::string text;
  for (const auto& [entry, figures] : entries)
    text += (text.empty() ? "" : "; ") + sentence_of(entry, figures);
  return text;
}

} // namespace ke
