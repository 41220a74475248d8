#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ke {

/// An adapter's open calls to a service below: our id, and the service's once known. A service may answer
/// before its `send` returns, so after `begin` any order of `bind` and `end` is right. Thread-safe.
class open_calls {
public:
  std::uint64_t begin() {
    std::lock_guard guard{mutex_};
    below_[++last_] = std::nullopt;
    return last_;
  }
  void bind(std::uint64_t id, std::uint64_t below) {
    std::lock_guard guard{mutex_};
    if (auto found = below_.find(id); found != below_.end())
      found->second = below;
  }
  /// After the callback has run.
  void end(std::uint64_t id) {
    std::lock_guard guard{mutex_};
    below_.erase(id);
    if (below_.empty())
      none_left_.notify_all();
  }
  std::optional<std::uint64_t> below(std::uint64_t id) const {
    std::lock_guard guard{mutex_};
    auto found = below_.find(id);
    return found == below_.end() ? std::nullopt : found->second;
  }
  /// The service's ids of all calls, to cancel them.
  std::vector<std::uint64_t> all() const {
    std::lock_guard guard{mutex_};
    std::vector<std::uint64_t> ids;
    for (const auto& [id, below] : below_)
      if (below)
        ids.push_back(*below);
    return ids;
  }
  /// Blocks until every call has ended.
  void wait() {
    std::unique_lock lock{mutex_};
    none_left_.wait(lock, [this] { return below_.empty(); });
  }

private:
  mutable std::mutex mutex_;
  std::condition_variable none_left_;
  std::unordered_map<std::uint64_t, std::optional<std::uint64_t>> below_;
  std::uint64_t last_ = 0;
};

} // namespace ke
