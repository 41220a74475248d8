#pragma once

#include "knowledge/library/corpus.hpp"
#include "knowledge/library/embeddings.hpp"
#include "runtime/core/model_settings.hpp"

#include <atomic>
#include <memory>
#include <utility>
#include <vector>

namespace ke {

/// The documents at one moment, and their vectors.
struct library_snapshot {
  std::shared_ptr<const corpus> documents;
  /// By server: a vector per document, in order; an empty one: not known yet.
  std::vector<std::pair<embedding_settings, std::vector<embedding>>> vectors;

  /// Null: no vectors of that server (yet).
  const std::vector<embedding>* vectors_of(const embedding_settings& server) const {
    for (const auto& [of, all] : vectors)
      if (of == server)
        return &all;
    return nullptr;
  }
};

/// The documents for all prompts of a process: an immutable snapshot, exchanged as a whole when something is
/// learnt. Any thread.
class library {
public:
  explicit library(std::shared_ptr<const corpus> first)
      : now_{std::make_shared<const library_snapshot>(library_snapshot{std::move(first), {}})} {}
  std::shared_ptr<const library_snapshot> snapshot() const { return now_.load(); }
  std::shared_ptr<const corpus> now() const { return snapshot()->documents; }
  void publish(library_snapshot next) {
    now_.store(std::make_shared<const library_snapshot>(std::move(next)));
  }

private:
  std::atomic<std::shared_ptr<const library_snapshot>> now_;
};

} // namespace ke
