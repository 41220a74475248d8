#include "backends/judge/result_history.hpp"

#include <unistd.h>

#include <algorithm>
#include <utility>

namespace ke {
namespace {

constexpr std::size_t most_results = 1u << 18; ///< pages that are remembered: 1 GiB

} // namespace

bool result_history::was_own(std::uint64_t page) const {
  auto behind = std::ranges::upper_bound(own_, page, {}, &page_run::first);
  return behind != own_.begin() && page < std::prev(behind)->end;
}

std::uint64_t result_history::filled_before(std::uint64_t address, std::uint64_t bytes) {
  auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::uint64_t found = 0, first = (address + size - 1) / size, last = (address + bytes) / size;
  if (bytes > (std::uint64_t{1} << 40))
    return 0;
  if (results_.size() > most_results)
    results_.clear();
  for (auto page = first; page < last; ++page)
    if (results_.insert(page).second) {
      wants_look_ = true;
      found += was_own(page) ? 1 : 0;
    }
  return found;
}

void result_history::look(std::vector<page_run> own) {
  own_ = std::move(own);
  wants_look_ = false;
}

} // namespace ke
