#pragma once

#include "runtime/core/settings.hpp"
#include "runtime/net/transport.hpp"

namespace ke {

/// The rule of `[cluster]` for `listen_options::admit`.
inline decltype(listen_options::admit) hello_rule(const cluster_settings& cluster) {
  return
      [simulated = cluster.allow_simulated](const wire::hello_body& h) -> std::optional<wire::refuse_body> {
        if (h.simulated && !simulated)
          return wire::refuse_body{"the devices of this worker are simulated: it is admitted with [cluster] "
                                   "allow_simulated = true only",
                                   false};
        return std::nullopt;
      };
}

} // namespace ke
