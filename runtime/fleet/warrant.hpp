#pragma once

#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_key.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace ke {

/// What a store granted, and to whom. A killed coordinator has forgotten it, and a worker can say anything.
/// So each grant carries this, sealed under a key that only the store has, and the worker repeats it. Without
/// a warrant of this store for this worker, nothing was granted.
struct warrant {
  std::string store; ///< its id
  std::uint64_t job = 0;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  std::string worker; ///< its name: with keys, the authenticated one
  node_key node;
  std::uint32_t target = 0;
  measure_plan plan = measure_plan::rank;
  std::string problem, candidate; ///< digests
  std::string device;             ///< the announced name
  std::uint64_t deadline_ms = 0;  ///< of the whole job, from its receipt
};
KE_FIELDS(warrant, x.store, x.job, x.attempt, x.epoch, x.worker, x.node, x.target, x.plan, x.problem,
          x.candidate, x.device, x.deadline_ms)

inline constexpr std::size_t longest_warrant = 2048;

/// As bytes that nobody can make or change without the key (keyed BLAKE2b). Pure.
std::string seal_warrant(const warrant& w, std::string_view key);

/// Nothing unless `seal_warrant` made it under this key. Any bytes in.
std::optional<warrant> open_warrant(std::string_view sealed, std::string_view key);

} // namespace ke
