#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

namespace ke {

/// The last attempt of the latest answered jobs. A job asked for again (an undecided claim, a second opinion)
/// counts on from there, so that a repeated answer is never taken for another one.
class answered_jobs {
public:
  void is(std::uint64_t job, std::uint32_t attempt) {
    if (attempts_.insert_or_assign(job, attempt).second)
      order_.push_back(job);
    if (order_.size() > most) {
      attempts_.erase(order_.front());
      order_.pop_front();
    }
  }
  std::uint32_t last(std::uint64_t job) const {
    auto at = attempts_.find(job);
    return at == attempts_.end() ? 0 : at->second;
  }

private:
  static constexpr std::size_t most = 65'536;
  std::unordered_map<std::uint64_t, std::uint32_t> attempts_;
  std::deque<std::uint64_t> order_;
};

} // namespace ke
