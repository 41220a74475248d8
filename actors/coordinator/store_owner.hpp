#pragma once

#include "actors/campaign/campaign_outcome.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/settings.hpp"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ke {

class store_service;
struct problem;

struct coordinator_options {
  std::string store;
  cluster_settings cluster;
  std::string sandbox = "best";
  std::vector<std::filesystem::path> backend_paths;
  std::function<void(const std::string&)> publish; ///< events, one JSON line each; any thread, must not block
  std::function<void(const failure&)> trouble;     ///< the store or the environment; any thread
  bool durable_only = false; ///< bench: no wire, no worker; its driver gives somebody the evaluator's address
};

/// The owner of a store as commands see it: without the actors, so that this header does not bring CAF. Any
/// thread. The destructor stops everything in order and closes the store.
class store_owner {
public:
  /// Opens the store, starts actors, wire and local worker. `held`: another process owns the store.
  static result<std::unique_ptr<store_owner>> start(coordinator_options options);
  virtual ~store_owner() = default;

  /// Starts a campaign, or resumes the newest one of this name unless `fresh`. Blocks until the id is
  /// committed; `interrupt_all` ends the wait. `invalid`: the stored one is for another problem; `cancelled`;
  /// or why the store does not commit.
  virtual result<std::uint32_t> submit(campaign_settings settings, const problem& what, bool fresh) = 0;
  /// Blocks until the session of a campaign has ended.
  virtual campaign_outcome wait(std::uint32_t id) = 0;
  /// Ends the campaigns' sessions resumably: gently the first time, at once the second.
  virtual void interrupt_all() = 0;
  virtual store_service& store() = 0;
};

} // namespace ke
