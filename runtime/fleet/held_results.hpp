#pragma once

#include "runtime/net/wire.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace ke {

struct job_result;

/// Results not yet acknowledged, in memory and in a folder that outlives the worker: a file each, synced
/// before it counts. Each result belongs to the coordinator of one store. Not thread-safe.
class held_results {
public:
  struct held {
    wire::lease_ref ref; ///< with its warrant, for a hello
    std::string store;
    std::string bytes; ///< of the result's frame
  };

  /// Empty `folder`: memory only. Takes up what an earlier worker left there, the newest thousand; removes
  /// what can't be read.
  explicit held_results(std::string folder);

  /// Replaces an earlier result of the same job.
  void put(job_result r);
  void drop(std::uint64_t job);
  /// Decoded; nothing: there is none.
  std::optional<job_result> result_of(std::uint64_t job) const;
  bool any_of(const std::string& store) const;
  const std::map<std::uint64_t, held>& all() const { return held_; }

private:
  std::string file_of(std::uint64_t job) const;
  void load();

  std::string folder_;
  std::map<std::uint64_t, held> held_;
};

} // namespace ke
