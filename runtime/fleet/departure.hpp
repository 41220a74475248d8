#pragma once

#include <atomic>
#include <functional>
#include <utility>

namespace ke {

/// Whether the worker is to finish its work, take no more and leave (SIGTERM). A state, not a message: it may
/// come before there is a link, or while the link restarts. Any thread.
class departure {
public:
  /// `gone` is called once, on the link's thread, when nothing is left to do.
  explicit departure(std::function<void()> gone) : gone_{std::move(gone)} {}

  void ask() { asked_ = true; }
  bool asked() const { return asked_; }
  void leave() {
    if (!left_.exchange(true))
      gone_();
  }
  bool left() const { return left_; }

private:
  std::function<void()> gone_;
  std::atomic<bool> asked_ = false, left_ = false;
};

} // namespace ke
