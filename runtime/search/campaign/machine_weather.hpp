#pragma once

#include "runtime/core/node_key.hpp"

#include <cstdint>
#include <set>
#include <string>

namespace ke {

/// What the machines under a campaign did to its measurements in this session: for `status`. No part of the fold.
struct machine_weather {
  std::uint64_t measured_again =
      0; ///< measurements that nobody believed, of noisy candidates or beside a drift
  std::uint64_t beside_others = 0; ///< verdicts that count though others worked
  double held_s = 0; ///< seconds that measurements waited until others were calm, or were repeated for them
  std::string why;   ///< the last one was measured again for this
  std::set<node_key> now; ///< nodes that are being measured again
};

} // namespace ke
