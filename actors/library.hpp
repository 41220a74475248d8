#pragma once

#include "knowledge/corpus.hpp"

#include <atomic>
#include <memory>

namespace ke {

/// The documents that all prompts of a process are made with: an immutable snapshot, exchanged as a whole
/// when something is learnt. Any thread.
class library {
public:
  explicit library(std::shared_ptr<const corpus> first) : now_{std::move(first)} {}
  std::shared_ptr<const corpus> now() const { return now_.load(); }
  void publish(std::shared_ptr<const corpus> next) { now_.store(std::move(next)); }

private:
  std::atomic<std::shared_ptr<const corpus>> now_;
};

} // namespace ke
