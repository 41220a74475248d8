#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ke {

/// When peers were last heard, and who is silent for too long. Pure: the caller brings the time, which must
/// not run backwards.
class liveness {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit liveness(std::chrono::nanoseconds patience) : patience_{patience} {}

  /// A sign of life; the first one starts the watch.
  void heard(const std::string& peer, time_point now) {
    auto [at, fresh] = last_.try_emplace(peer, now);
    if (!fresh) {
      by_time_.erase({at->second, peer});
      at->second = now;
    }
    by_time_.emplace(now, peer);
  }

  void forget(const std::string& peer) {
    if (auto at = last_.find(peer); at != last_.end()) {
      by_time_.erase({at->second, peer});
      last_.erase(at);
    }
  }

  /// Peers silent for the whole patience; they are forgotten.
  std::vector<std::string> expire(time_point now) {
    std::vector<std::string> lost;
    while (!by_time_.empty() && by_time_.begin()->first + patience_ <= now) {
      lost.push_back(by_time_.begin()->second);
      forget(lost.back());
    }
    return lost;
  }

  /// We stood still until now (suspended, swapped out), and what they sent is unread: nobody was silent.
  /// Their sockets may have to attach again, so all get twice the patience.
  void stood_still(time_point now) {
    by_time_.clear();
    for (auto& [peer, at] : last_) {
      at = now + patience_;
      by_time_.emplace(at, peer);
    }
  }

  /// When `expire` has something to do next; time_point::max(): never.
  time_point next() const {
    return by_time_.empty() ? time_point::max() : by_time_.begin()->first + patience_;
  }

  std::size_t size() const { return last_.size(); }

private:
  std::chrono::nanoseconds patience_;
  std::map<std::string, time_point> last_;
  std::set<std::pair<time_point, std::string>> by_time_;
};

} // namespace ke
