#pragma once

#include "actors/supervision/caf.hpp"
#include "runtime/net/wire.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace ke {

/// A worker as the fleet knows it while it is attached.
struct attached_worker {
  std::string peer;
  std::string name;
  caf::actor session;
  wire::hello_body hello;
  std::string state = "ok";                   ///< ok | draining
  std::map<std::string, std::string> reasons; ///< of devices that are out of service
  std::uint64_t jobs_done = 0;
};

/// As `status` shows it: each device once, though it may serve several backends.
nlohmann::ordered_json json_of(const attached_worker& w);

} // namespace ke
