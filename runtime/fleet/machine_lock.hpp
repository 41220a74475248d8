#pragma once

#include <deque>
#include <set>
#include <string>
#include <vector>

namespace ke {

/// Compilers disturb a measurement on the same cores, so they share the machine and a measurement has it
/// alone. First come, first served; but a waiting measurement goes before waiting builds, because the search
/// waits for evidence. Pure.
class machine_lock {
public:
  /// Returns who may begin now.
  std::vector<std::string> want(const std::string& who, bool alone) {
    (alone ? loners_ : sharers_).push_back(who);
    return next();
  }
  /// Ends a hold, or a wait.
  std::vector<std::string> release(const std::string& who) {
    std::erase(loners_, who);
    std::erase(sharers_, who);
    holders_.erase(who);
    if (holders_.empty())
      held_alone_ = false;
    return next();
  }
  bool held_alone() const { return held_alone_; }
  std::size_t holders() const { return holders_.size(); }

private:
  std::vector<std::string> next() {
    std::vector<std::string> begin;
    if (held_alone_)
      return begin;
    if (!loners_.empty()) {
      if (holders_.empty()) {
        held_alone_ = true;
        begin.push_back(loners_.front());
        loners_.pop_front();
      }
    } else {
      begin.assign(sharers_.begin(), sharers_.end());
      sharers_.clear();
    }
    holders_.insert(begin.begin(), begin.end());
    return begin;
  }

  std::deque<std::string> loners_, sharers_;
  std::set<std::string> holders_;
  bool held_alone_ = false;
};

} // namespace ke
