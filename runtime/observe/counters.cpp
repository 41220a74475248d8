#include "runtime/observe/counters.hpp"

#include <mutex>
#include <shared_mutex>

namespace ke::counters {
namespace {

struct registry {
  std::shared_mutex lock;
  std::map<std::string, std::atomic<std::int64_t>> counts; ///< nodes never move: references stay good
};

/// Never destroyed: threads of other libraries may still count while statics go down.
registry& all() {
  static auto* one = new registry;
  return *one;
}

} // namespace

std::atomic<std::int64_t>& get(const std::string& name) {
  auto& r = all();
  {
    std::shared_lock reading{r.lock};
    if (auto found = r.counts.find(name); found != r.counts.end())
      return found->second;
  }
  std::unique_lock writing{r.lock};
  return r.counts[name];
}

std::map<std::string, std::int64_t> snapshot() {
  auto& r = all();
  std::shared_lock reading{r.lock};
  std::map<std::string, std::int64_t> now;
  for (const auto& [name, count] : r.counts)
    now.emplace(name, count.load(std::memory_order_relaxed));
  return now;
}

} // namespace ke::counters
